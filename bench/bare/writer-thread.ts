import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { BareRecord } from './scan-thread.ts';

const database = new Database(join(String(workerData), 'bare.db'));
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec('CREATE TABLE record (id INTEGER PRIMARY KEY, json TEXT, diff BLOB) STRICT');
const insert = database.prepare('INSERT INTO record VALUES (?, ?, ?)');
const commit = database.transaction((batch: readonly BareRecord[]) => {
  for (const { id, json, packed } of batch) insert.run(id, json, packed);
});

let waiting: BareRecord[] = [];

function flush(): void {
  const batch = waiting;
  waiting = [];
  commit(batch);
  parentPort?.postMessage(batch.map(({ id }) => id));
}

parentPort?.on('message', (record: BareRecord) => {
  if (waiting.length === 0) setImmediate(flush);
  waiting.push(record);
});
