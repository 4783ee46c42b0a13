import type Database from 'better-sqlite3';
import { CraError } from '../../model/errors.ts';
import {
  DELETED_REFUSAL_STEP,
  DELETED_STATUS_STEP,
  HEADS_STEP,
  PUSH_STEP,
  STATUS_ORDER_STEP,
} from './pushes/schema.ts';
import { IS_BY_AGENT, LANDED_AT, NEWEST_DECISION, REVIEW_DUE } from './queries.ts';

/** The step that adds budgets, calls that are open, and answers of gate 3. */
const REVIEW_STEP = `
  CREATE TABLE budget (scope TEXT NOT NULL PRIMARY KEY, nano_usd INTEGER NOT NULL)
    STRICT, WITHOUT ROWID;
  CREATE TABLE review_call (
    call_id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    started_ms INTEGER NOT NULL,
    call TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX review_call_by_owner ON review_call (owner);
  CREATE INDEX review_call_by_start ON review_call (started_ms);
  CREATE TABLE review_answer (
    key TEXT NOT NULL PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    json TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX review_answer_by_time ON review_answer (at_ms);
  `;

/** The step that adds reviews after the verdict, and what blocked changes of a repository. */
const REVIEW_QUEUE_STEP = `
  CREATE TABLE review_queue (
    review_id TEXT NOT NULL PRIMARY KEY,
    due_ms INTEGER NOT NULL,
    held_until INTEGER NOT NULL,
    owner TEXT NOT NULL,
    tries INTEGER NOT NULL,
    json TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX review_due ON review_queue (due_ms, held_until);
  CREATE INDEX review_held ON review_queue (owner) WHERE owner <> '';
  CREATE TABLE review_memory (
    tenant_id TEXT NOT NULL,
    repo_key TEXT NOT NULL,
    line_key TEXT NOT NULL,
    kind TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (tenant_id, repo_key, line_key, kind)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX review_memory_by_time ON review_memory (at_ms);
  `;

/** The step that adds who made a call: gate 3 wrote it into the context before. */
export const USAGE_SOURCE_STEP = `
  ALTER TABLE usage ADD COLUMN source TEXT NOT NULL DEFAULT 'api';
  UPDATE usage SET source = 'gate'
    WHERE logged_by = 'gate'
      AND CASE WHEN json_valid(context) THEN context ->> '$.source' END = 'gate';
  UPDATE review_call SET call = json_set(call, '$.usage.source', 'gate');
  `;

/**
 * The step that adds trends. `rfc.trend` is what a record has added to the sums, null before it
 * was counted: a change adds the difference. Sums of a whole tenant have no repository.
 */
const TREND_STEP = `
  ALTER TABLE rfc ADD COLUMN trend TEXT;
  CREATE INDEX rfc_uncounted ON rfc (seq)
    WHERE trend IS NULL AND status NOT IN ('DRAFT', 'SUPERSEDED');
  CREATE TABLE trend (
    tenant_id TEXT NOT NULL,
    repo_key TEXT NOT NULL,
    day TEXT NOT NULL,
    counter TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, repo_key, day, counter)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX trend_by_day ON trend (day);
  `;

/**
 * Adds tasks, usage, revisions of the rules and sessions, and the columns that `prod-check`
 * searches by. `usage_hour` holds the sums of whole hours (UTC), so that no window adds up records
 * beyond the records of one hour.
 */
const TASKS_USAGE_RULES_SESSIONS = `
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

/** Adds the components that records judged; most records have none, which a look at them tells. */
const HAS_COMPONENTS = (row: 'new' | 'old') => `instr(${row}.json, '"component_map":') > 0`;
const addComponents = (isOwn: string) => `
  INSERT OR IGNORE INTO rfc_component (tenant_id, component, seq)
    SELECT new.tenant_id, value ->> '$.id', new.seq FROM json_each(new.json, '$.components')
    WHERE json_valid(new.json) AND ${isOwn}`;
const componentTriggers = (isOwn: string) => `
  CREATE TRIGGER rfc_component_new AFTER INSERT ON rfc WHEN ${HAS_COMPONENTS('new')}
  BEGIN ${addComponents(isOwn)}; END;
  CREATE TRIGGER rfc_component_next AFTER UPDATE OF json ON rfc
  WHEN ${HAS_COMPONENTS('new')} OR ${HAS_COMPONENTS('old')}
  BEGIN DELETE FROM rfc_component WHERE seq = new.seq; ${addComponents(isOwn)}; END;`;
const COMPONENT_STEP = `
  CREATE TABLE rfc_component (
    tenant_id TEXT NOT NULL,
    component TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, component, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX rfc_component_of ON rfc_component (seq);
  ${componentTriggers("value ->> '$.same_as' IS NULL")}
  CREATE TRIGGER rfc_component_gone AFTER DELETE ON rfc WHEN ${HAS_COMPONENTS('old')}
  BEGIN DELETE FROM rfc_component WHERE seq = old.seq; END;
  `;
/** A rejection speaks for all components that it lists (`touchedComponents` of `model`). */
export const REJECTED_COMPONENTS_STEP = `
  DROP TRIGGER rfc_component_new;
  DROP TRIGGER rfc_component_next;
  ${componentTriggers("(value ->> '$.same_as' IS NULL OR new.status = 'REJECTED')")}
  INSERT OR IGNORE INTO rfc_component (tenant_id, component, seq)
    SELECT tenant_id, value ->> '$.id', seq FROM rfc, json_each(rfc.json, '$.components')
    WHERE status = 'REJECTED' AND json_valid(rfc.json);
  `;

/** The step that adds searches: by texts of a record (model/search), and by its time. */
const SEARCH_STEP = `
  ALTER TABLE rfc ADD COLUMN texts TEXT;
  CREATE INDEX rfc_without_texts ON rfc (seq) WHERE texts IS NULL;
  CREATE INDEX rfc_by_time ON rfc (tenant_id, created_at);
  CREATE TABLE rfc_text (
    tenant_id TEXT NOT NULL,
    text TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (tenant_id, text, seq)
  ) STRICT, WITHOUT ROWID;
  `;

/**
 * The step that indexes texts many records at a time: the ten rows of one record stand on ten
 * pages, which cost its commit more than everything else that it writes. `rfc_indexed.seq` is the
 * newest record whose rows are in `rfc_text`; searches read the texts of newer records themselves,
 * fewer than UNINDEXED_MAX.
 */
const UNINDEXED_MAX = 128;
const IS_INDEXED = 'old.seq <= (SELECT seq FROM rfc_indexed)';
const REMOVE_TEXTS = `
  DELETE FROM rfc_text WHERE tenant_id = old.tenant_id AND seq = old.seq
    AND text IN (SELECT value FROM json_each(old.texts))`;
const SEARCH_BATCH_STEP = `
  DROP TRIGGER IF EXISTS rfc_text_new;
  DROP TRIGGER IF EXISTS rfc_text_next;
  DROP TRIGGER IF EXISTS rfc_text_gone;
  CREATE TABLE rfc_indexed (seq INTEGER NOT NULL) STRICT;
  INSERT INTO rfc_indexed SELECT coalesce(max(seq), 0) FROM rfc;
  CREATE TRIGGER rfc_text_new AFTER INSERT ON rfc
  WHEN new.seq >= ${UNINDEXED_MAX} + (SELECT seq FROM rfc_indexed)
  BEGIN
    INSERT OR IGNORE INTO rfc_text (tenant_id, text, seq)
      SELECT tenant_id, value, seq FROM rfc, json_each(rfc.texts)
      WHERE seq > (SELECT seq FROM rfc_indexed);
    UPDATE rfc_indexed SET seq = new.seq;
  END;
  CREATE TRIGGER rfc_text_next AFTER UPDATE OF texts ON rfc
  WHEN old.texts IS NOT new.texts AND ${IS_INDEXED}
  BEGIN
    ${REMOVE_TEXTS};
    INSERT OR IGNORE INTO rfc_text (tenant_id, text, seq)
      SELECT new.tenant_id, value, new.seq FROM json_each(new.texts);
  END;
  CREATE TRIGGER rfc_text_gone AFTER DELETE ON rfc WHEN old.texts IS NOT NULL AND ${IS_INDEXED}
  BEGIN ${REMOVE_TEXTS}; END;
  `;

/** The step that adds events and their deliveries to subscriptions (`lane`). */
const EVENT_STEP = `
  CREATE TABLE event (
    lane TEXT NOT NULL,
    event_id TEXT NOT NULL,
    tenant_id TEXT NOT NULL,
    subject TEXT NOT NULL,
    place INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    due_ms INTEGER,
    failed_ms INTEGER,
    tries INTEGER NOT NULL,
    reason TEXT,
    json TEXT NOT NULL,
    PRIMARY KEY (lane, event_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX event_due ON event (lane, due_ms) WHERE due_ms IS NOT NULL;
  CREATE INDEX event_open ON event (lane, subject, place) WHERE due_ms IS NOT NULL;
  CREATE INDEX event_waiting ON event (lane, at_ms) WHERE due_ms IS NOT NULL;
  CREATE INDEX event_dead ON event (lane, at_ms) WHERE due_ms IS NULL AND reason IS NOT NULL;
  CREATE INDEX event_dead_of ON event (tenant_id, at_ms)
    WHERE due_ms IS NULL AND reason IS NOT NULL;
  CREATE INDEX event_by_time ON event (at_ms);
  `;

/**
 * The schema, as the steps that lead to it. A step that was released is never changed: what
 * comes later is a step of its own. `PRAGMA user_version` counts the steps that were taken.
 *
 * `json` is the record, the truth for readers; the columns before it repeat what is searched by
 * or compared. What a later step has to search by, it adds as a generated column of `json` with
 * an index; not before, because SQLite parses the json for them at every write (6 us for 3 KB).
 * The long texts stand last, so that the rest of a row is read without their overflow pages.
 * Every index ends with `seq` (the row id), so it gives its rows in order of age.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE rfc (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    rfc_id TEXT NOT NULL UNIQUE,
    tenant_id TEXT NOT NULL,
    repo_key TEXT NOT NULL,
    status TEXT NOT NULL,
    rev INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    diff_segment TEXT,
    diff_offset INTEGER,
    diff_lengths TEXT,
    diff_bytes INTEGER,
    summary TEXT NOT NULL,
    json TEXT NOT NULL
  ) STRICT;
  CREATE INDEX rfc_by_tenant ON rfc (tenant_id);
  CREATE INDEX rfc_by_repo ON rfc (tenant_id, repo_key);
  CREATE INDEX rfc_by_status ON rfc (tenant_id, status);
  CREATE INDEX rfc_by_repo_status ON rfc (tenant_id, repo_key, status);
  CREATE INDEX rfc_drafts ON rfc (status) WHERE status = 'DRAFT';
  `,
  // What the score knew of the earlier changes of a repository; dropped by a later step.
  `
  CREATE TABLE history_repo (
    repo_id INTEGER PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    repo_key TEXT NOT NULL,
    changes INTEGER NOT NULL,
    size_mean REAL NOT NULL,
    size_variance REAL NOT NULL,
    UNIQUE (tenant_id, repo_key)
  ) STRICT;
  CREATE TABLE history_change (
    repo_id INTEGER NOT NULL,
    diff_key BLOB NOT NULL,
    met TEXT NOT NULL,
    PRIMARY KEY (repo_id, diff_key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE history_file (
    repo_id INTEGER NOT NULL,
    file_key BLOB NOT NULL,
    changes INTEGER NOT NULL,
    fixes INTEGER NOT NULL,
    last INTEGER NOT NULL,
    steps BLOB NOT NULL,
    PRIMARY KEY (repo_id, file_key)
  ) STRICT, WITHOUT ROWID;
  `,
  // The trail. `n` is an entry's place among all chains, `bytes` what all entries up to it weigh,
  // `prev` and `hash` link it to its neighbours; `entry` is what counts. INSERT OR REPLACE removes
  // rows and, but for recursive_triggers, fires no trigger for them: so the order is checked by
  // every key that a row could be replaced by. A process that may write the file can drop the
  // triggers: they are there against mistakes, the chain is there against the rest.
  `
  CREATE TABLE audit (
    n INTEGER PRIMARY KEY,
    chain TEXT NOT NULL,
    seq INTEGER NOT NULL,
    op_id TEXT NOT NULL,
    phase TEXT NOT NULL,
    kind TEXT NOT NULL,
    ts TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    prev TEXT NOT NULL,
    hash TEXT NOT NULL,
    entry TEXT NOT NULL,
    UNIQUE (chain, seq),
    UNIQUE (op_id, phase)
  ) STRICT;
  CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit
  BEGIN SELECT RAISE(ABORT, 'the audit trail is not changed'); END;
  CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit
  BEGIN SELECT RAISE(ABORT, 'nothing is deleted from the audit trail'); END;
  CREATE TRIGGER audit_order BEFORE INSERT ON audit
  WHEN new.n IS NOT 1 + coalesce((SELECT max(n) FROM audit), 0)
    OR new.seq IS NOT 1 + coalesce((SELECT max(seq) FROM audit WHERE chain = new.chain), 0)
    OR new.prev IS NOT coalesce(
      (SELECT hash FROM audit WHERE chain = new.chain AND seq = new.seq - 1),
      '0000000000000000000000000000000000000000000000000000000000000000')
    OR EXISTS (SELECT 1 FROM audit WHERE op_id = new.op_id AND phase = new.phase)
  BEGIN SELECT RAISE(ABORT, 'an entry of the audit trail follows the newest of its chain'); END;
  CREATE TABLE decision_op (
    op_id TEXT PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    rfc_id TEXT NOT NULL,
    request_hash TEXT NOT NULL,
    output TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE accepted (
    tenant_id TEXT NOT NULL,
    repo_key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    rfc_id TEXT NOT NULL,
    by TEXT NOT NULL,
    reason TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (tenant_id, repo_key, fingerprint, rfc_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX accepted_by_rfc ON accepted (tenant_id, rfc_id);
  `,
  TASKS_USAGE_RULES_SESSIONS,
  PUSH_STEP,
  DELETED_STATUS_STEP,
  // The newest decision of each decided RFC, by its op_id: a start looks for their entries.
  `
  CREATE INDEX rfc_decided ON rfc (${NEWEST_DECISION}, status)
    WHERE status IN ('OVERRIDDEN', 'APPROVED', 'REJECTED');
  `,
  HEADS_STEP,
  REVIEW_STEP,
  REVIEW_QUEUE_STEP,
  // Tasks of any status, for people.
  `
  CREATE INDEX task_by_tenant ON task (tenant_id);
  CREATE INDEX task_by_status ON task (tenant_id, status);
  `,
  USAGE_SOURCE_STEP,
  TREND_STEP,
  // Entries of a tenant, for people; the columns repeat what the entry says.
  `
  ALTER TABLE audit ADD COLUMN tenant_id TEXT
    AS (CASE WHEN json_valid(entry) THEN entry ->> '$.tenant_id' END) VIRTUAL;
  ALTER TABLE audit ADD COLUMN rfc_id TEXT
    AS (CASE WHEN json_valid(entry) THEN entry ->> '$.rfc_id' END) VIRTUAL;
  CREATE INDEX audit_shown ON audit (tenant_id)
    WHERE kind NOT IN ('boot', 'clock-step', 'checkpoint');
  CREATE INDEX audit_without_logins ON audit (tenant_id)
    WHERE kind NOT IN ('boot', 'clock-step', 'checkpoint', 'login');
  CREATE INDEX audit_by_kind ON audit (tenant_id, kind);
  CREATE INDEX audit_by_rfc ON audit (tenant_id, rfc_id) WHERE rfc_id IS NOT NULL;
  `,
  // Small diffs, by a place that begins with their day (see diffs.ts).
  `
  CREATE TABLE small_diff (place INTEGER PRIMARY KEY, sealed BLOB NOT NULL) STRICT;
  CREATE TRIGGER small_diff_of_deleted AFTER DELETE ON rfc WHEN old.diff_segment = 'small'
  BEGIN DELETE FROM small_diff WHERE place = old.diff_offset; END;
  `,
  STATUS_ORDER_STEP,
  // The score does without the earlier changes of a repository.
  'DROP TABLE history_file; DROP TABLE history_change; DROP TABLE history_repo;',
  // Acceptances that end.
  `
  ALTER TABLE accepted ADD COLUMN rule TEXT;
  ALTER TABLE accepted ADD COLUMN expires_at TEXT;
  CREATE INDEX accepted_ending ON accepted (tenant_id, repo_key, expires_at)
    WHERE expires_at IS NOT NULL;
  `,
  // Emergency overrides that somebody has to review, by the day until which.
  `
  CREATE INDEX rfc_review_due ON rfc (tenant_id, ${REVIEW_DUE})
    WHERE status = 'OVERRIDDEN' AND ${REVIEW_DUE} IS NOT NULL;
  `,
  COMPONENT_STEP,
  REJECTED_COMPONENTS_STEP,
  DELETED_REFUSAL_STEP,
  // Overrides by agents, whose number in 24 hours is limited.
  `
  CREATE INDEX audit_by_agents ON audit (ts) WHERE ${IS_BY_AGENT};
  `,
  // Pushes that landed against their verdict, and are refused still.
  `
  CREATE INDEX push_landed ON rfc (seq)
    WHERE status IN ('BLOCKED', 'REJECTED') AND ${LANDED_AT} IS NOT NULL;
  `,
  SEARCH_STEP,
  // Days of repositories with a blocked change: which repositories have most of them.
  `
  CREATE INDEX trend_blocked ON trend (tenant_id, day)
    WHERE counter = 'blocked' AND repo_key <> '';
  `,
  SEARCH_BATCH_STEP,
  // Reports of deploys.
  `
  CREATE TABLE deploy_report (
    report_id TEXT NOT NULL PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    place TEXT NOT NULL,
    sorted TEXT NOT NULL,
    json TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX deploy_report_by_place ON deploy_report (tenant_id, place, sorted);
  `,
  EVENT_STEP,
  // Reports of other tools, by what they are about: a commit or an RFC.
  `
  CREATE TABLE report (
    tenant_id TEXT NOT NULL,
    repo_key TEXT NOT NULL,
    subject TEXT NOT NULL,
    tool TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (tenant_id, repo_key, subject, tool)
  ) STRICT;
  CREATE INDEX report_by_time ON report (at_ms);
  CREATE INDEX report_bytes ON report (tenant_id, bytes);
  `,
  // Reports of deploys by their commit.
  `
  ALTER TABLE deploy_report ADD COLUMN sha TEXT NOT NULL DEFAULT '';
  ALTER TABLE deploy_report ADD COLUMN result TEXT NOT NULL DEFAULT '';
  UPDATE deploy_report SET sha = json ->> 'sha', result = json ->> 'result';
  CREATE INDEX deploy_report_by_commit ON deploy_report (tenant_id, place, sha, result, sorted);
  `,
  // Where RFCs stand that left for the archive (store/archive-files).
  `
  CREATE TABLE archived (
    rfc_id TEXT NOT NULL PRIMARY KEY,
    tenant_id TEXT NOT NULL,
    status TEXT NOT NULL,
    rev INTEGER NOT NULL,
    file TEXT NOT NULL,
    offset INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    line INTEGER NOT NULL,
    archived_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX archived_by_place ON archived (file, offset);
  `,
  // By what a push that comes again is known, as `push_delivery` and `push_body`, hex.
  `
  ALTER TABLE archived ADD COLUMN delivery TEXT;
  ALTER TABLE archived ADD COLUMN body TEXT;
  CREATE INDEX archived_by_delivery ON archived (delivery) WHERE delivery IS NOT NULL;
  CREATE INDEX archived_by_body ON archived (body) WHERE body IS NOT NULL;
  `,
  // Versions of the curves of scores.
  `
  CREATE TABLE score_curves (
    tenant_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (tenant_id, version)
  ) STRICT, WITHOUT ROWID;
  `,
];

/**
 * Brings a database to the newest version, each step in a transaction. FAILED_PRECONDITION for a
 * database that a newer cra wrote: a migration cannot be undone.
 */
export function migrate(database: Database.Database, steps: readonly string[] = MIGRATIONS): void {
  for (let version = checkedVersion(database, steps); version < steps.length; version += 1) {
    database
      .transaction(() => {
        database.exec(steps[version] ?? '');
        database.pragma(`user_version = ${version + 1}`);
      })
      .exclusive();
  }
}

/**
 * Refuses a database whose version is not exactly the newest, for readers, which cannot migrate.
 */
export function requireNewestVersion(database: Database.Database): void {
  const version = checkedVersion(database, MIGRATIONS);
  if (version === MIGRATIONS.length) return;
  throw new CraError(
    'FAILED_PRECONDITION',
    `the database has version ${version}, and this cra reads ${MIGRATIONS.length}: run this command by the cra that wrote it, or start the service once, which upgrades the database`,
    { details: { version, newest: MIGRATIONS.length } },
  );
}

function checkedVersion(database: Database.Database, steps: readonly string[]): number {
  const version = Number(database.pragma('user_version', { simple: true }));
  if (version <= steps.length) return version;
  throw new CraError(
    'FAILED_PRECONDITION',
    `the database was written by a newer cra: it has version ${version}, ` +
      `this cra knows versions up to ${steps.length}: run the version that wrote it, or restore a ` +
      'backup from before the upgrade',
    { details: { version, newest: steps.length } },
  );
}
