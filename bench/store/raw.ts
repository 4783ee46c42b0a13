import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Insert } from './sample.ts';

/** SQLite alone: one table, the same bytes, the same durability, no threads in between. */
export interface RawStore {
  /** Writes the inserts in transactions of `batch`, one after the other. */
  insertAll(inserts: readonly Insert[], batch: number): void;
  close(): void;
}

/** Opens an empty database in a directory. */
export function openRawStore(directory: string): RawStore {
  const database = new Database(join(directory, 'raw.db'));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec(
    `CREATE TABLE rfc (rfc_id TEXT PRIMARY KEY, summary TEXT, json TEXT, diff BLOB) STRICT`,
  );
  const statement = database.prepare('INSERT INTO rfc VALUES (?, ?, ?, ?)');
  const insertBatch = database.transaction((inserts: readonly Insert[]) => {
    for (const { record, diff } of inserts) {
      statement.run(record.rfc_id, record.summary, record.json, Buffer.concat(diff.chunks));
    }
  });
  return {
    insertAll(inserts, batch) {
      for (let at = 0; at < inserts.length; at += batch) insertBatch(inserts.slice(at, at + batch));
    },
    close: () => void database.close(),
  };
}
