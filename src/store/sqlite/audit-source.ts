import { setImmediate } from 'node:timers/promises';
import type { DecisionScope, StoredTrail } from '../../audit/continuity.ts';
import type { UndocumentedDecision } from '../../audit/verify.ts';
import { TRAIL } from '../contract/limits.ts';
import { chainNames } from './audit-log.ts';
import { type Connection, openForReading, storePaths } from './database.ts';
import { fromOpening, guarded } from './errors.ts';
import { QUERIES } from './queries.ts';

/** Decisions that are compared in one step of a start: a few ms on SQLite. */
const DECIDED_PAGE = 5_000;

interface EntryRow {
  seq: number;
  entry: string;
}

/**
 * Opens the trail of a data directory to read only, beside a running daemon or without one: it
 * takes no lock. FAILED_PRECONDITION when another version of cra wrote it last.
 */
export function openSqliteAuditSource(dataDir: string): StoredTrail {
  try {
    return createSource(openForReading(storePaths(dataDir).database));
  } catch (thrown) {
    throw fromOpening(dataDir, thrown);
  }
}

function createSource(database: Connection): StoredTrail {
  const findPage = database.prepare<[string, number, number], EntryRow>(QUERIES.auditPage);
  const findHead = database.prepare<[string], { seq: number; hash: string }>(QUERIES.auditHead);
  const findNamed = database.prepare<[string, string], { entry: string }>(QUERIES.auditNamed);

  // By pages: an open statement would keep the daemon's log from being written back.
  async function* behind(chain: string, start: number): AsyncGenerator<string> {
    let seq = start;
    for (;;) {
      const page = guarded(() => findPage.all(chain, seq, TRAIL.READ_PAGE));
      for (const { entry } of page) yield entry;
      const last = page.at(-1);
      if (last === undefined || page.length < TRAIL.READ_PAGE) return;
      seq = last.seq;
    }
  }

  return {
    chains: async () => guarded(() => chainNames(database)),
    entries: (chain) => behind(chain, Number.MIN_SAFE_INTEGER),
    entriesFrom: (chain, seq) => behind(chain, seq - 1),
    head: async (chain) => guarded(() => findHead.get(chain) ?? null),
    async *entriesNamed(kind) {
      for (const { entry } of guarded(() => findNamed.all(`${kind}:`, `${kind};`))) yield entry;
    },
    undocumented: createComparison(database),
    async close() {
      database.close();
    },
  };
}

/** Compares decided and carried RFCs with the trail, by pages: other work goes on in between. */
function createComparison(database: Connection): StoredTrail['undocumented'] {
  const countPage = database.prepare<
    unknown[],
    { last: string; count: number; documented: number }
  >(QUERIES.decidedPage);
  const findMissing = database.prepare<unknown[], Missing>(QUERIES.undocumented);
  const findHistory = database.prepare<unknown[], Missing>(QUERIES.decidedHistory);
  const findNewest = database.prepare<[], { seq: number | null }>(QUERIES.newestSeq);
  const findCarried = database.prepare<[number, number], Carried>(QUERIES.carriedPage);

  async function* newest(): AsyncGenerator<UndocumentedDecision> {
    for (let from = ''; ; await setImmediate()) {
      const page = guarded(() => countPage.get(from, DECIDED_PAGE));
      if (page === undefined || page.count === 0) return;
      if (page.documented < page.count) {
        const missing = guarded(() => findMissing.all(from, page.last));
        yield* missing.map(decisionOf);
      }
      from = page.last;
    }
  }

  async function* all(): AsyncGenerator<UndocumentedDecision> {
    const end = guarded(() => findNewest.get())?.seq ?? 0;
    for (let from = 0; from < end; from += DECIDED_PAGE) {
      const missing = guarded(() => findHistory.all(from, from + DECIDED_PAGE));
      yield* missing.map(decisionOf);
      await setImmediate();
    }
  }

  async function* carries(): AsyncGenerator<UndocumentedDecision> {
    for (let from = 0; ; await setImmediate()) {
      const page = guarded(() => findCarried.all(from, DECIDED_PAGE));
      for (const { rfc_id, is_documented } of page) {
        if (is_documented === 0) yield { rfcId: rfc_id, opId: `carry ${rfc_id}` };
      }
      const last = page.at(-1);
      if (last === undefined || page.length < DECIDED_PAGE) return;
      from = last.seq;
    }
  }

  return async function* ({ kind }: DecisionScope) {
    yield* kind === 'all' ? all() : newest();
    yield* carries();
  };
}

interface Carried {
  seq: number;
  rfc_id: string;
  is_documented: number;
}

interface Missing {
  rfc_id: string;
  op_id: string;
}

function decisionOf({ rfc_id, op_id }: Missing): UndocumentedDecision {
  return { rfcId: rfc_id, opId: op_id };
}
