/**
 * The step that adds tasks, usage, rules revisions and sessions, and what `prod-check` searches
 * by. `usage_hour` holds the sums of whole hours (UTC), so that no window adds up records beyond
 * those of one hour.
 */
export const DESK_STEP = `
  ALTER TABLE rfc ADD COLUMN branch TEXT;
  ALTER TABLE rfc ADD COLUMN commit_sha TEXT;
  UPDATE rfc SET branch = json ->> '$.branch', commit_sha = json ->> '$.commit_sha'
    WHERE json_valid(json);
  CREATE INDEX rfc_live_by_repo ON rfc (tenant_id, repo_key) WHERE status <> 'SUPERSEDED';
  CREATE INDEX rfc_live_by_branch ON rfc (tenant_id, repo_key, branch)
    WHERE status <> 'SUPERSEDED';
  CREATE INDEX rfc_live_by_commit ON rfc (tenant_id, repo_key, commit_sha)
    WHERE status <> 'SUPERSEDED' AND commit_sha IS NOT NULL;

  CREATE TABLE task (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    task_id TEXT NOT NULL UNIQUE,
    tenant_id TEXT NOT NULL,
    finding_id TEXT NOT NULL,
    status TEXT NOT NULL,
    json TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX task_open ON task (tenant_id, finding_id)
    WHERE status IN ('pending', 'picked');
  CREATE INDEX task_pending ON task (tenant_id) WHERE status = 'pending';

  CREATE TABLE usage (
    usage_id TEXT NOT NULL UNIQUE,
    tenant_id TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cache_creation_tokens INTEGER NOT NULL,
    cache_read_tokens INTEGER NOT NULL,
    cost_nano_usd INTEGER NOT NULL,
    context TEXT,
    logged_by TEXT NOT NULL
  ) STRICT;
  CREATE INDEX usage_by_time ON usage (tenant_id, at_ms);
  CREATE TABLE usage_hour (
    tenant_id TEXT NOT NULL,
    hour INTEGER NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    calls INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cache_creation_tokens INTEGER NOT NULL,
    cache_read_tokens INTEGER NOT NULL,
    cost_nano_usd INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, hour, provider, model)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE rules_revision (
    number INTEGER PRIMARY KEY,
    entry TEXT NOT NULL,
    text TEXT NOT NULL
  ) STRICT;

  CREATE TABLE session (
    session_id TEXT NOT NULL PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    principal_id TEXT NOT NULL,
    created_at TEXT NOT NULL,
    last_seen_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    principal TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX session_by_principal ON session (tenant_id, principal_id);
  CREATE INDEX session_by_end ON session (expires_at);
  `;
