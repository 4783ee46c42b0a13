import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { StoredAcceptance } from '../../../src/audit/records-check.ts';
import type { AuditEntry } from '../../../src/model/audit.ts';
import { RETENTION } from '../../../src/model/limits.ts';
import { type RfcRecord, recordText } from '../../../src/model/records.ts';
import { openSqliteAuditSource } from '../../../src/store/sqlite/audit-log.ts';
import type { Connection } from '../../../src/store/sqlite/connection.ts';
import { openForWriting } from '../../../src/store/sqlite/database.ts';
import { QUERIES } from '../../../src/store/sqlite/queries.ts';
import {
  createSqliteReader,
  createSqliteWriter,
  type SqliteWriterOptions,
} from '../../../src/store/sqlite/store.ts';
import { LANES } from '../conformance/events.ts';
import { type Editor, type Harness, verifyStored } from '../conformance/steps.ts';
import { connectDriver, PATIENT_MS } from '../in-process.ts';

/** A directory of the test's own, gone after it. */
export function temporaryFor(t: ExecutionContext): string {
  const directory = makeTemporary();
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** An empty database of the newest version. */
export function openTemporary(t: ExecutionContext): Connection {
  const database = openForWriting(join(temporaryFor(t), 'cra.db'));
  t.teardown(() => void database.close());
  return database;
}

/** In memory where the system has such a place: what is not about the disk need not wait for it. */
export const inMemory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

function makeTemporary(parent = tmpdir()): string {
  return mkdtempSync(join(parent, 'cra-store-'));
}

/** A database of the newest version without a record; null: none was asked for yet. */
let empty: string | null = null;

/** Puts an empty database into a data directory: the migrations are most of an opening. */
function copyEmpty(dataDir: string): void {
  if (empty === null) {
    const folder = makeTemporary(inMemory);
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    empty = join(folder, 'cra.db');
    openForWriting(empty).close();
  }
  copyFileSync(empty, join(dataDir, 'cra.db'));
}

/** Signs the checkpoints of tests. */
export const SEED = new Uint8Array(32).fill(3);

/** The writing side on a data directory. */
export function openWriter(options: Partial<SqliteWriterOptions> & { dataDir: string }) {
  return createSqliteWriter({
    now: Date.now,
    checkpointSeed: SEED,
    version: 'test',
    ...options,
  });
}

/** The SQLite driver on a data directory. */
export function openSqlite(
  dataDir: string,
  now: () => number,
  options: Partial<SqliteWriterOptions> = {},
) {
  const writer = openWriter({ dataDir, now, ...options });
  const reader = createSqliteReader({ dataDir, now });
  return {
    ...connectDriver(writer, reader, PATIENT_MS),
    pruneDiffs: writer.pruneDiffs,
    archive: writer.archive,
    checked: writer.gate.check,
    async close() {
      reader.close();
      await writer.close();
    },
  };
}

const CLEARED = ['deleted_refusal', 'archived', 'rfc', 'repository', 'push_rests', 'push_fallen'];

/** Edits the file of a database. */
function editorOf(path: string): Editor {
  const withDatabase = async <T>(work: (database: Connection) => T): Promise<T> => {
    const database = openForWriting(path);
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  const put = (database: Connection, record: RfcRecord) => {
    const { rfc_id, tenant_id, repo_name, overall_status, rev, created_at } = record;
    const { json, summary } = recordText(record);
    const names = ['status', 'rev', 'tenant_id', 'repo_key', 'branch', 'commit_sha'];
    const set = [...names, 'created_at', 'summary', 'json'].map((name) => `${name} = ?`).join(', ');
    const found = [repo_name.toLowerCase(), record.branch, record.commit_sha, created_at];
    const fields = [overall_status, rev, tenant_id, ...found, summary, json];
    const done = database.prepare(`UPDATE rfc SET ${set} WHERE rfc_id = ?`).run(...fields, rfc_id);
    if (done.changes > 0) return;
    database
      .prepare(
        'INSERT INTO rfc (status, rev, tenant_id, repo_key, branch, commit_sha, created_at, ' +
          'summary, json, rfc_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(...fields, rfc_id);
  };
  return {
    record: (rfcId, change) =>
      withDatabase((database) => {
        const row = database
          .prepare<[string], { json: string }>('SELECT json FROM rfc WHERE rfc_id = ?')
          .get(rfcId);
        put(database, change(JSON.parse(row?.json ?? '') as RfcRecord));
      }),
    insert: (record) => withDatabase((database) => put(database, record)),
    remove: (rfcId) =>
      withDatabase((database) => {
        database.prepare('DELETE FROM rfc WHERE rfc_id = ?').run(rfcId);
      }),
    row: (rfcId, fields) =>
      withDatabase((database) => {
        for (const [name, value] of Object.entries(fields)) {
          database.prepare(`UPDATE rfc SET ${name} = ? WHERE rfc_id = ?`).run(value, rfcId);
        }
      }),
    refusal: (rfcId, change) =>
      withDatabase((database) => {
        const found = database
          .prepare<[string], { json: string }>('SELECT json FROM deleted_refusal WHERE rfc_id = ?')
          .get(rfcId);
        const json = change(found?.json ?? '');
        const edited =
          json === null
            ? database.prepare('DELETE FROM deleted_refusal WHERE rfc_id = ?').run(rfcId)
            : database
                .prepare('UPDATE deleted_refusal SET json = ? WHERE rfc_id = ?')
                .run(json, rfcId);
        if (edited.changes !== 1) throw new Error(`${rfcId} refuses nothing`);
      }),
    putRefusal: (rfcId, json) =>
      withDatabase((database) => {
        const { tenant_id, repo_name, branch, commit_sha, overall_status } = JSON.parse(
          json,
        ) as RfcRecord;
        database
          .prepare(
            'INSERT OR REPLACE INTO deleted_refusal ' +
              '(rfc_id, tenant_id, seq, repo_key, branch, commit_sha, status, json) ' +
              'VALUES (?, ?, 1, ?, ?, ?, ?, ?)',
          )
          .run(
            ...[rfcId, tenant_id, repo_name.toLowerCase(), branch, commit_sha, overall_status],
            json,
          );
      }),
    entryKind: (opId, kind) =>
      withDatabase((database) => {
        const { sql } = database
          .prepare<[], { sql: string }>(
            "SELECT sql FROM sqlite_master WHERE name = 'audit_no_update'",
          )
          .get() ?? { sql: '' };
        database.exec('DROP TRIGGER audit_no_update');
        database.prepare('UPDATE audit SET kind = ? WHERE op_id = ?').run(kind, opId);
        database.exec(sql);
      }),
    accepted: (change) =>
      withDatabase((database) => {
        const rows = database.prepare<[], StoredAcceptance>('SELECT * FROM accepted').all();
        database.exec('DELETE FROM accepted');
        for (const row of rows.map(change)) if (row !== null) acceptIn(database, row);
      }),
    accept: (row) => withDatabase((database) => acceptIn(database, row)),
    revision: (number, change) =>
      withDatabase((database) => {
        const row = database
          .prepare<[number], { entry: string; text: string }>(
            'SELECT entry, text FROM rules_revision WHERE number = ?',
          )
          .get(number);
        const next = change(row ?? { entry: '', text: '' });
        database.prepare('DELETE FROM rules_revision WHERE number = ?').run(number);
        if (next === null) return;
        database
          .prepare('INSERT INTO rules_revision (number, entry, text) VALUES (?, ?, ?)')
          .run(number, next.entry, next.text);
      }),
  };
}

function acceptIn(database: Connection, row: StoredAcceptance): void {
  const { tenant_id, repo_key, fingerprint, rfc_id, by, reason, at, rule, expires_at } = row;
  database
    .prepare(QUERIES.accept)
    .run(tenant_id, repo_key, fingerprint, rfc_id, by, reason, at, rule, expires_at);
}

/** The SQLite driver for the conformance suite. */
export async function openHarness(now: () => number): Promise<Harness> {
  const dataDir = makeTemporary(inMemory);
  copyEmpty(dataDir);
  let passedMs = 0;
  let diffDays: number = RETENTION.DIFF_DAYS_DEFAULT;
  const clock = () => now() + passedMs;
  let opened = openSqlite(dataDir, clock, { lanes: LANES });
  await opened.checked();
  return {
    get store() {
      return opened.store;
    },
    get trail() {
      return opened.trail;
    },
    get tasks() {
      return opened.tasks;
    },
    get usage() {
      return opened.usage;
    },
    get reviews() {
      return opened.reviews;
    },
    get rulebook() {
      return opened.rulebook;
    },
    get sessions() {
      return opened.sessions;
    },
    get deploys() {
      return opened.deploys;
    },
    get events() {
      return opened.events;
    },
    get pushes() {
      return opened.pushes;
    },
    async passTime(ms) {
      passedMs += ms;
    },
    async reopen() {
      await opened.close();
      opened = openSqlite(dataDir, clock, { lanes: LANES });
      await opened.checked();
    },
    async entries() {
      const source = openSqliteAuditSource(dataDir);
      const chains = await source.chains();
      const texts: string[] = [];
      for (const chain of chains) for await (const text of source.entries(chain)) texts.push(text);
      await source.close();
      return texts.map((text) => JSON.parse(text) as AuditEntry);
    },
    async clear() {
      const database = openForWriting(join(dataDir, 'cra.db'));
      for (const table of CLEARED) database.exec(`DELETE FROM ${table}`);
      database.close();
    },
    source: async () => openSqliteAuditSource(dataDir),
    verify: () => verifyStored(openSqliteAuditSource(dataDir)),
    edit: editorOf(join(dataDir, 'cra.db')),
    get archived() {
      return { side: opened.archive, root: join(dataDir, 'archive') };
    },
    async keepDiffs(days) {
      diffDays = days;
    },
    pruneDiffs: (nowMs) => opened.pruneDiffs(nowMs, diffDays),
    async close() {
      await opened.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
