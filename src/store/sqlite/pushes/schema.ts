/**
 * The step that makes records a queue of pushes, and an outbox of statuses. All its indexes are
 * partial: they hold pushes alone, and a push is only in the indexes of its state.
 *
 * `push_delivery` and `push_body` are half a SHA-256: short keys, because they come in no order
 * and each of them writes to another page. `push_held_until` is null until somebody claims.
 * `push_accepts` is 1 where the commit is an accepted head; `push_count` holds what
 * waits: counting a million rows would keep other readers waiting.
 */
export const PUSH_STEP = `
  ALTER TABLE rfc ADD COLUMN push_ref TEXT;
  ALTER TABLE rfc ADD COLUMN push_delivery BLOB;
  ALTER TABLE rfc ADD COLUMN push_body BLOB;
  ALTER TABLE rfc ADD COLUMN push_owner TEXT;
  ALTER TABLE rfc ADD COLUMN push_held_until INTEGER;
  ALTER TABLE rfc ADD COLUMN push_accepts INTEGER;
  ALTER TABLE rfc ADD COLUMN vcs_host TEXT;
  ALTER TABLE rfc ADD COLUMN vcs_due INTEGER;
  ALTER TABLE rfc ADD COLUMN vcs_posted TEXT;

  DROP INDEX rfc_drafts;
  CREATE INDEX rfc_drafts ON rfc (status) WHERE status = 'DRAFT' AND push_ref IS NULL;

  CREATE UNIQUE INDEX push_by_delivery ON rfc (push_delivery) WHERE push_delivery IS NOT NULL;
  CREATE UNIQUE INDEX push_by_body ON rfc (push_body) WHERE push_body IS NOT NULL;
  CREATE INDEX push_by_repo ON rfc (tenant_id, repo_key) WHERE push_ref IS NOT NULL;
  CREATE INDEX push_open ON rfc (status) WHERE status = 'DRAFT' AND push_ref IS NOT NULL;
  CREATE INDEX push_queue ON rfc (tenant_id, repo_key, push_ref)
    WHERE status = 'DRAFT' AND push_ref IS NOT NULL;
  CREATE INDEX push_held ON rfc (push_held_until)
    WHERE status = 'DRAFT' AND push_held_until IS NOT NULL;
  CREATE INDEX push_superseded ON rfc (tenant_id, repo_key, push_ref)
    WHERE status = 'SUPERSEDED' AND push_ref IS NOT NULL;
  CREATE INDEX push_judged ON rfc (tenant_id, repo_key, push_ref)
    WHERE status NOT IN ('DRAFT', 'SUPERSEDED') AND push_ref IS NOT NULL;
  CREATE INDEX push_accepted_of_ref ON rfc (tenant_id, repo_key, push_ref)
    WHERE push_accepts = 1;
  CREATE INDEX push_accepted_of_commit ON rfc (tenant_id, repo_key, commit_sha)
    WHERE push_accepts = 1;
  CREATE INDEX vcs_due ON rfc (vcs_host, vcs_due) WHERE vcs_due IS NOT NULL;

  CREATE TABLE push_count (
    id INTEGER PRIMARY KEY,
    open INTEGER NOT NULL,
    due INTEGER NOT NULL
  ) STRICT;
  INSERT INTO push_count (id, open, due) VALUES (1, 0, 0);
  CREATE TRIGGER push_count_insert AFTER INSERT ON rfc
  WHEN new.push_ref IS NOT NULL OR new.vcs_due IS NOT NULL
  BEGIN UPDATE push_count SET
    open = open + (new.status = 'DRAFT' AND new.push_ref IS NOT NULL),
    due = due + (new.vcs_due IS NOT NULL);
  END;
  CREATE TRIGGER push_count_update AFTER UPDATE OF status, vcs_due ON rfc
  WHEN new.push_ref IS NOT NULL OR new.vcs_due IS NOT NULL OR old.vcs_due IS NOT NULL
  BEGIN UPDATE push_count SET
    open = open + (new.push_ref IS NOT NULL) * ((new.status = 'DRAFT') - (old.status = 'DRAFT')),
    due = due + (new.vcs_due IS NOT NULL) - (old.vcs_due IS NOT NULL);
  END;
  CREATE TRIGGER push_count_delete AFTER DELETE ON rfc
  WHEN old.push_ref IS NOT NULL OR old.vcs_due IS NOT NULL
  BEGIN UPDATE push_count SET
    open = open - (old.status = 'DRAFT' AND old.push_ref IS NOT NULL),
    due = due - (old.vcs_due IS NOT NULL);
  END;

  CREATE TABLE baseline (
    tenant_id TEXT NOT NULL,
    repo_key TEXT NOT NULL,
    host TEXT NOT NULL,
    sha TEXT,
    adopted_at TEXT NOT NULL,
    heads TEXT NOT NULL,
    UNIQUE (tenant_id, repo_key)
  ) STRICT;
  `;

/**
 * The step that keeps the last status of deleted RFCs until their hosts have it. `json` is the
 * `deletedRecord`; the columns before it repeat the columns of `rfc` that say which RFC speaks for
 * a commit.
 */
export const DELETED_STATUS_STEP = `
  CREATE TABLE deleted_status (
    rfc_id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    repo_key TEXT NOT NULL,
    commit_sha TEXT,
    push_ref TEXT,
    vcs_host TEXT NOT NULL,
    vcs_due INTEGER NOT NULL,
    vcs_posted TEXT,
    json TEXT NOT NULL
  ) STRICT;
  CREATE INDEX deleted_status_due ON deleted_status (vcs_host, vcs_due);
  CREATE TRIGGER deleted_status_insert AFTER INSERT ON deleted_status
  BEGIN UPDATE push_count SET due = due + 1; END;
  CREATE TRIGGER deleted_status_delete AFTER DELETE ON deleted_status
  BEGIN UPDATE push_count SET due = due - 1; END;
  `;

/**
 * The step that keeps heads by the host's own id of a repository. `push_repo` is that id
 * (`repositoryKey`), or the name of what was pushed before; `rfc_by_commit` finds what was refused
 * anywhere in a tenant. `push_rests` says which verdict depends on which push, `push_fallen` what
 * was revoked and may have heads that depend on it still.
 */
export const HEADS_STEP = `
  ALTER TABLE rfc ADD COLUMN push_repo TEXT;
  UPDATE rfc SET push_repo = repo_key,
    json = replace(json, '"base_kind":"aside"', '"base_kind":"other-branch"')
  WHERE push_ref IS NOT NULL;

  DROP INDEX push_by_repo;
  DROP INDEX push_queue;
  DROP INDEX push_superseded;
  DROP INDEX push_judged;
  DROP INDEX push_accepted_of_ref;
  DROP INDEX push_accepted_of_commit;
  DROP INDEX rfc_live_by_commit;
  CREATE INDEX rfc_by_commit ON rfc (tenant_id, commit_sha) WHERE commit_sha IS NOT NULL;
  CREATE INDEX push_by_name ON rfc (tenant_id, repo_key) WHERE push_ref IS NOT NULL;
  CREATE INDEX push_by_repo ON rfc (tenant_id, push_repo) WHERE push_ref IS NOT NULL;
  CREATE INDEX push_queue ON rfc (tenant_id, push_repo, push_ref)
    WHERE status = 'DRAFT' AND push_ref IS NOT NULL;
  CREATE INDEX push_superseded ON rfc (tenant_id, push_repo, push_ref)
    WHERE status = 'SUPERSEDED' AND push_ref IS NOT NULL;
  CREATE INDEX push_judged ON rfc (tenant_id, push_repo, push_ref)
    WHERE status NOT IN ('DRAFT', 'SUPERSEDED') AND push_ref IS NOT NULL;
  CREATE INDEX push_overridden ON rfc (tenant_id, push_repo)
    WHERE status = 'OVERRIDDEN' AND push_ref IS NOT NULL;
  CREATE INDEX push_swept ON rfc (tenant_id, push_repo, push_ref, commit_sha)
    WHERE push_ref IS NOT NULL AND push_body IS NULL;
  CREATE INDEX push_accepted_of_ref ON rfc (tenant_id, push_repo, push_ref)
    WHERE push_accepts = 1;
  CREATE INDEX push_accepted_of_commit ON rfc (tenant_id, push_repo, commit_sha)
    WHERE push_accepts = 1;

  CREATE TABLE repository (
    tenant_id TEXT NOT NULL,
    repo_key TEXT NOT NULL,
    name TEXT NOT NULL,
    host TEXT NOT NULL,
    sha TEXT,
    adopted_at TEXT NOT NULL,
    heads TEXT NOT NULL,
    UNIQUE (tenant_id, repo_key)
  ) STRICT;
  CREATE INDEX repository_by_name ON repository (tenant_id, name);
  INSERT INTO repository (tenant_id, repo_key, name, host, sha, adopted_at, heads)
    SELECT tenant_id, repo_key, repo_key, host, sha, adopted_at, heads FROM baseline;
  DROP TABLE baseline;

  CREATE TABLE push_rests (
    tenant_id TEXT NOT NULL,
    on_id TEXT NOT NULL,
    rfc_id TEXT NOT NULL,
    PRIMARY KEY (tenant_id, on_id, rfc_id)
  ) STRICT, WITHOUT ROWID;
  INSERT OR IGNORE INTO push_rests (tenant_id, on_id, rfc_id)
    SELECT tenant_id, coalesce((
      SELECT base.rfc_id FROM rfc AS base INDEXED BY push_accepted_of_commit
      WHERE base.tenant_id = rfc.tenant_id AND base.push_repo = rfc.push_repo
        AND base.commit_sha = rfc.json ->> '$.push.base'
        AND base.push_accepts = 1 AND base.rfc_id <> rfc.rfc_id
      ORDER BY base.seq LIMIT 1), 'baseline ' || (json ->> '$.push.base')), rfc_id
    FROM rfc WHERE push_ref IS NOT NULL AND json ->> '$.push.base' IS NOT NULL
      AND status IN ('PASSED', 'APPROVED', 'OVERRIDDEN', 'BLOCKED');

  CREATE TABLE push_fallen (
    n INTEGER PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    id TEXT NOT NULL,
    repo_key TEXT NOT NULL,
    sha TEXT NOT NULL,
    is_rejected INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    UNIQUE (tenant_id, id)
  ) STRICT;
  `;

/** The step that gives statuses by what they say: a verdict does not wait behind what waits. */
export const STATUS_ORDER_STEP = `
  DROP INDEX vcs_due;
  CREATE INDEX vcs_due_verdict ON rfc (vcs_host, vcs_due)
    WHERE vcs_due IS NOT NULL AND status <> 'DRAFT';
  CREATE INDEX vcs_due_draft ON rfc (vcs_host, vcs_due)
    WHERE vcs_due IS NOT NULL AND status = 'DRAFT';
  `;

/**
 * The step that keeps what deleted RFCs refused. `json` is `refusalLeft` of the record; the columns
 * before it repeat columns of `rfc`. `seq` is its place among the records: after a copy it is that
 * of the record before it, which it follows.
 */
export const DELETED_REFUSAL_STEP = `
  CREATE TABLE deleted_refusal (
    rfc_id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    repo_key TEXT NOT NULL,
    branch TEXT,
    commit_sha TEXT,
    push_repo TEXT,
    push_ref TEXT,
    status TEXT NOT NULL,
    json TEXT NOT NULL
  ) STRICT;
  CREATE INDEX refusal_by_name ON deleted_refusal (tenant_id, repo_key, seq, rfc_id);
  CREATE INDEX refusal_by_branch ON deleted_refusal (tenant_id, repo_key, branch, seq, rfc_id);
  CREATE INDEX refusal_by_commit ON deleted_refusal (tenant_id, commit_sha, seq, rfc_id)
    WHERE commit_sha IS NOT NULL;
  CREATE INDEX refusal_by_ref ON deleted_refusal (tenant_id, push_repo, push_ref, seq, rfc_id)
    WHERE push_ref IS NOT NULL;
  CREATE INDEX refusal_pushed ON deleted_refusal (tenant_id, repo_key, seq, rfc_id)
    WHERE push_ref IS NOT NULL;
  `;
