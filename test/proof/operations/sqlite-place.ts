import { existsSync, mkdirSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RfcRecord } from '../../../src/model/records.ts';
import { openSqliteAuditSource } from '../../../src/store/sqlite/audit-log.ts';
import { openForReading, storePaths } from '../../../src/store/sqlite/database.ts';
import { type StoredRecord, type StorePlace, signal } from './place.ts';

/** A data directory below `folder`. */
export function openSqlitePlace(folder: string): StorePlace {
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { recursive: true });
  const { database } = storePaths(dataDir);
  return {
    name: 'SQLite',
    dataDir,
    settings: {},
    moments: ['log'],
    openTrail: () => Promise.resolve(openSqliteAuditSource(dataDir)),
    readRecords: () => Promise.resolve(readRecords(database)),
    // The kernel tells of a write to the log while the transaction is being committed.
    watch() {
      const { promise, fire } = signal();
      const watcher = watch(dirname(database), (_, name) => {
        if (name?.endsWith('-wal') === true) fire();
      });
      const stop = () => Promise.resolve(watcher.close());
      return Promise.resolve({ seen: promise, stop });
    },
    close: () => Promise.resolve(),
  };
}

function readRecords(path: string): StoredRecord[] {
  if (!existsSync(path)) return [];
  const database = openForReading(path);
  try {
    const rows = database.prepare<[], { json: string }>('SELECT json FROM rfc').all();
    return rows.map(({ json }) => {
      const { rfc_id, overall_status, override_history } = JSON.parse(json) as RfcRecord;
      const decisions = override_history.map(({ decision_id }) => decision_id);
      return { rfcId: rfc_id, status: overall_status, decisions, deletedBy: null };
    });
  } finally {
    database.close();
  }
}
