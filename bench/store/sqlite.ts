import type { BenchedDriver } from '../store.ts';
import { openRawStore } from './raw.ts';
import { openStoreThreads } from './threads.ts';

/** The SQLite driver, and one table in a database without anything around it. */
export const SQLITE: BenchedDriver = {
  name: 'SQLite',
  async open(dataDir) {
    const opened = await openStoreThreads([
      { role: 'writer', dataDir },
      { role: 'reader', dataDir },
    ]);
    const raw = openRawStore(dataDir);
    return {
      store: opened.store,
      insertRaw: raw.insertAll,
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
  ],
};
