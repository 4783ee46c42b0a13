import { join } from 'node:path';
import Database from 'better-sqlite3';

/** What SQLite alone does with the rows of the trail: no keys but one, no checks, no threads. */
export interface RawTrail {
  /** Writes entries in transactions of `batch`, one after the other. */
  appendAll(entries: readonly string[], batch: number): void;
  /** The same, with a record that is replaced beside each entry. */
  decideAll(entries: readonly string[], record: RawRecord, batch: number): void;
  close(): void;
}

export interface RawRecord {
  summary: string;
  json: string;
}

/** Opens an empty database in a directory, with `records` rows to replace. */
export function openRawTrail(directory: string, records: number, record: RawRecord): RawTrail {
  const database = new Database(join(directory, 'raw-trail.db'));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec(`
    CREATE TABLE audit (n INTEGER PRIMARY KEY, entry TEXT) STRICT;
    CREATE TABLE rfc (n INTEGER PRIMARY KEY, summary TEXT, json TEXT) STRICT`);
  const insertRecord = database.prepare('INSERT INTO rfc (summary, json) VALUES (?, ?)');
  database.transaction(() => {
    for (let n = 0; n < records; n += 1) insertRecord.run(record.summary, record.json);
  })();
  const append = database.prepare('INSERT INTO audit (entry) VALUES (?)');
  const replace = database.prepare('UPDATE rfc SET summary = ?, json = ? WHERE n = ?');
  let next = 0;
  const appendBatch = database.transaction((entries: readonly string[]) => {
    for (const entry of entries) append.run(entry);
  });
  const decideBatch = database.transaction(
    (entries: readonly string[], { summary, json }: RawRecord) => {
      for (const entry of entries) {
        next = (next % records) + 1;
        replace.run(summary, json, next);
        append.run(entry);
      }
    },
  );
  return {
    appendAll(entries, batch) {
      for (let at = 0; at < entries.length; at += batch) appendBatch(entries.slice(at, at + batch));
    },
    decideAll(entries, record, batch) {
      for (let at = 0; at < entries.length; at += batch) {
        decideBatch(entries.slice(at, at + batch), record);
      }
    },
    close: () => void database.close(),
  };
}
