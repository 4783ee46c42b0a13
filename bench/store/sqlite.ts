import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openSqliteAuditSource } from '../../src/store/sqlite/audit-log.ts';
import type { BenchedDriver } from '../store.ts';
import { openRawStore } from './raw.ts';
import { openRawTrail } from './raw-trail.ts';
import { openStoreThreads } from './threads.ts';
import { measureTrail, TRAIL_COLUMNS } from './trail.ts';

/** The SQLite driver, and one table in a database without anything around it. */
export const SQLITE: BenchedDriver = {
  name: 'SQLite',
  async open(dataDir) {
    const opened = await openStoreThreads([
      {
        role: 'writer',
        dataDir,
        lanes: [],
        checkpointSeed: new Uint8Array(32),
        segments: null,
        version: 'bench',
        instance: 'bench',
        retention: { diffDays: 30, rules: [], holds: [] },
      },
      { role: 'reader', dataDir },
    ]);
    const raw = openRawStore(dataDir);
    return {
      store: opened.store,
      pushes: opened.pushes,
      trail: opened.trail,
      deploys: opened.deploys,
      openTrail: () => Promise.resolve(openSqliteAuditSource(dataDir)),
      bytesOf: () => Promise.resolve(bytesOf(join(dataDir, 'cra.db'))),
      insertRaw: raw.insertAll,
      async measureTrail(inserts, ms) {
        const rows = await measureTrail({
          trail: opened.trail,
          inserts,
          ms,
          openRaw: (records, rows) => openRawTrail(dataDir, records, rows),
        });
        return [{ columns: TRAIL_COLUMNS, rows }];
      },
      async close() {
        raw.close();
        await opened.close();
      },
    };
  },
  notes: [
    'SQLite: the record with WAL and synchronous=FULL, the diff in a segment file',
    'raw SQLite: the same bytes into one table with no other index, by transactions of as ' +
      'many inserts as the store has in flight, called directly',
    'a decision replaces a record, writes its entry and keeps its answer for a repeat; raw ' +
      'SQLite: rows of the same columns, keys and sizes, nothing computed, in equal batches',
  ],
};

/** https://www.sqlite.org/dbstat.html: whole pages, and what of them is free. */
function bytesOf(file: string): Map<string, number> {
  const database = new Database(file, { readonly: true });
  try {
    const sizes = database.prepare('SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE');
    return new Map(sizes.raw().all() as [string, number][]);
  } finally {
    database.close();
  }
}
