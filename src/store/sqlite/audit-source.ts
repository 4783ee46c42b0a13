import type { AuditSource } from '../../audit/audit.ts';
import { AUDIT } from '../../limits.ts';
import { chainNames } from './chain-heads.ts';
import { openForReading, storePaths } from './database.ts';
import { QUERIES } from './queries.ts';
import { guarded } from './reading.ts';
import { fromOpening } from './sqlite-error.ts';

interface EntryRow {
  seq: number;
  entry: string;
}

/**
 * Opens the trail of a data directory to read only, beside a running daemon or without one: it
 * takes no lock. FAILED_PRECONDITION when another version of cra wrote it last.
 */
export function openSqliteAuditSource(dataDir: string): AuditSource {
  try {
    const database = openForReading(storePaths(dataDir).database);
    const findPage = database.prepare<[string, number, number], EntryRow>(QUERIES.auditPage);
    return {
      chains: async () => guarded(() => chainNames(database)),
      // By pages: an open statement would keep the daemon's log from being written back.
      async *entries(chain) {
        let seq = Number.MIN_SAFE_INTEGER;
        for (;;) {
          const page = guarded(() => findPage.all(chain, seq, AUDIT.READ_PAGE));
          for (const { entry } of page) yield entry;
          const last = page.at(-1);
          if (last === undefined || page.length < AUDIT.READ_PAGE) return;
          seq = last.seq;
        }
      },
      async close() {
        database.close();
      },
    };
  } catch (thrown) {
    throw fromOpening(dataDir, thrown);
  }
}
