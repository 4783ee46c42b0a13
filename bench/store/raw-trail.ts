import { join } from 'node:path';
import Database from 'better-sqlite3';

/** What the database alone does with the same rows: no trigger, no check, no threads. */
export interface RawTrail {
  /** Writes `count` entries in transactions of `batch`, one after the other. */
  appendAll(count: number, batch: number): Promise<void> | void;
  /** The same, with the other rows of a decision beside each entry. */
  decideAll(count: number, batch: number): Promise<void> | void;
  close(): void;
}

/** The texts of the rows. */
export interface RawRows {
  entry: string;
  summary: string;
  json: string;
  /** Answer of a decision. */
  output: string;
}

const TABLES = `
  CREATE TABLE audit (n INTEGER PRIMARY KEY, chain TEXT, seq INTEGER, op_id TEXT, phase TEXT,
    kind TEXT, ts TEXT, bytes INTEGER, prev TEXT, hash TEXT, entry TEXT,
    UNIQUE (chain, seq), UNIQUE (op_id, phase)) STRICT;
  CREATE TABLE rfc (rfc_id TEXT PRIMARY KEY, status TEXT, summary TEXT, json TEXT) STRICT;
  CREATE TABLE decision_op (op_id TEXT PRIMARY KEY, output TEXT) STRICT, WITHOUT ROWID`;
const HASH = 'f'.repeat(64);
const CHAIN = '20261121T120000Z-0123456789abcdef';

/** Opens an empty database in a directory, with `records` rows to replace. */
export function openRawTrail(directory: string, records: number, rows: RawRows): RawTrail {
  const database = new Database(join(directory, 'raw-trail.db'));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec(TABLES);
  const insertRecord = database.prepare(`INSERT INTO rfc VALUES (?, 'PASSED', ?, ?)`);
  database.transaction(() => {
    for (let n = 1; n <= records; n += 1) insertRecord.run(`RFC-${n}`, rows.summary, rows.json);
  })();
  const append = database.prepare('INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const replace = database.prepare(
    `UPDATE rfc SET status = 'APPROVED', summary = ?, json = ? WHERE rfc_id = ?`,
  );
  const addOp = database.prepare('INSERT INTO decision_op VALUES (?, ?)');
  let n = 0;

  function appendOne(): void {
    n += 1;
    const { entry } = rows;
    const ts = '2026-11-21T12:00:00.000Z';
    append.run(n, CHAIN, n, `op-${n}`, 'whole', 'approve', ts, n * entry.length, HASH, HASH, entry);
  }

  function decideOne(): void {
    appendOne();
    replace.run(rows.summary, rows.json, `RFC-${(n % records) + 1}`);
    addOp.run(`op-${n}`, rows.output);
  }

  const repeat = database.transaction((count: number, write: () => void) => {
    for (let done = 0; done < count; done += 1) write();
  });
  const inBatches = (count: number, batch: number, write: () => void) => {
    for (let at = 0; at < count; at += batch) repeat(Math.min(batch, count - at), write);
  };
  return {
    appendAll: (count, batch) => inBatches(count, batch, appendOne),
    decideAll: (count, batch) => inBatches(count, batch, decideOne),
    close: () => void database.close(),
  };
}
