/**
 * The step that makes records a queue of pushes, and an outbox of statuses. All its indexes are
 * partial: what is no push is in none of them, and a push is only in those of its state.
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
 * The step that keeps what hosts are to be told of deleted RFCs, until they know it. `json` is the
 * `deletedRecord`; the columns before it are those of `rfc` that say which RFC speaks for a commit.
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
