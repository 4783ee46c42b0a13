import { setImmediate } from 'node:timers/promises';
import { type ChainState, newChain, place, rootOf } from '../../audit/chain.ts';
import type { CheckpointSigner } from '../../audit/checkpoint.ts';
import type { DecisionScope, StoredTrail } from '../../audit/continuity.ts';
import { createRowCheck } from '../../audit/records-check.ts';
import type { UndocumentedDecision } from '../../audit/verify.ts';
import type { AuditEvent, AuditPlace } from '../../model/audit.ts';
import { TRAIL } from '../limits.ts';
import {
  bootEvent,
  bootFacts,
  type ChainHead,
  checkpointEvent,
  clockStepEvent,
  headKey,
  newChainName,
} from '../trail.ts';
import { createStoredRecords } from './audit-records.ts';
import { type Connection, prepared } from './connection.ts';
import { openForReading, storePaths } from './database.ts';
import { fromOpening, guarded } from './errors.ts';
import { QUERIES } from './queries.ts';

/** Where the trail stands: a value, so that entries can be rolled back with their transaction. */
interface LogState {
  readonly chain: ChainState;
  /** Entries and bytes of all chains. */
  readonly entries: number;
  readonly bytes: number;
  /** Time of the newest entry, ms since the epoch; null: it is absent. */
  readonly lastMs: number | null;
  /** Entries of this chain that were there at its newest checkpoint, that one included. */
  readonly sealed: number;
  readonly checkpoint: { seq: number; at: string; note: string } | null;
}

/**
 * The chain of this boot in the database. `boot`, `append` and `checkpoint` run within a
 * transaction; when that comes to nothing, `rewind` goes back to where the log stood.
 */
export interface AuditLog {
  /** Writes the first entry, unless it is there; else that comes with the next one. */
  boot(): void;
  /**
   * Writes an entry behind the newest one. A CraError (see `place`) is thrown before anything is
   * written.
   */
  append(event: AuditEvent): AuditPlace;
  /** Writes a signed root over all entries of the chain. */
  checkpoint(): void;
  mark(): LogState;
  rewind(mark: LogState): void;
}

interface AuditLogOptions {
  signer: CheckpointSigner;
  /** Of the daemon, for the first entry. */
  version: string;
  /** Ms since the epoch. */
  now: () => number;
}

/** Begins a chain of its own; nothing is written yet. */
export function createAuditLog(database: Connection, options: AuditLogOptions): AuditLog {
  const { signer, version, now } = options;
  const queries = prepared(database, QUERIES);
  const last = queries.auditLast.get();
  let state: LogState = {
    chain: newChain(newChainName(now())),
    entries: last?.n ?? 0,
    bytes: last?.bytes ?? 0,
    lastMs: last === undefined ? null : Date.parse(last.ts),
    sealed: 0,
    checkpoint: null,
  };

  /** Writes events one behind the other, after all of them have found their place. */
  function write(events: readonly AuditEvent[], nowMs: number): AuditPlace {
    const time = { nowMs, monoMs: performance.now() };
    const placed = [];
    let { chain, bytes } = state;
    for (const event of events) {
      const next = place(chain, event, time);
      placed.push(next);
      chain = next.state;
    }
    let n = state.entries;
    for (const { entry, text, state: after } of placed) {
      const { seq, op_id, phase, kind, ts, prev } = entry;
      n += 1;
      bytes += Buffer.byteLength(text);
      const columns = [seq, op_id, phase, kind, ts, bytes, prev, after.head, text];
      queries.auditAppend.run(n, entry.chain, ...columns);
    }
    state = { ...state, chain, entries: n, bytes, lastMs: nowMs };
    return { chain: chain.chain, seq: chain.size };
  }

  /** What has to stand before the next entry: that of the boot, and of a clock that went back. */
  function before(nowMs: number): AuditEvent[] {
    const { chain, size } = state.chain;
    const events: AuditEvent[] = [];
    if (size === 0) events.push(bootEvent(chain, version, unnamedHeads(database)));
    const { lastMs } = state;
    if (lastMs !== null && lastMs - nowMs > TRAIL.CLOCK_STEP_MS) {
      const from = new Date(lastMs).toISOString();
      const to = new Date(nowMs).toISOString();
      events.push(clockStepEvent({ chain, seq: size + events.length + 1 }, from, to));
    }
    return events;
  }

  return {
    boot() {
      const nowMs = now();
      if (state.chain.size === 0) write(before(nowMs), nowMs);
    },
    append(event) {
      const nowMs = now();
      return write([...before(nowMs), event], nowMs);
    },
    checkpoint() {
      const { chain, size, frontier } = state.chain;
      const nowMs = now();
      const note = signer.sign({ chain, size, root: rootOf(frontier) });
      const { seq } = write([checkpointEvent(chain, size, note)], nowMs);
      const checkpoint = { seq, at: new Date(nowMs).toISOString(), note };
      state = { ...state, sealed: seq, checkpoint };
    },
    mark: () => state,
    rewind(mark) {
      state = mark;
    },
  };
}

/** Names of the chains in the database, the oldest first. */
export function chainNames(database: Connection): string[] {
  const chains = prepared(database, QUERIES).auditChains.all();
  return chains.sort((a, b) => a.n - b.n).map(({ chain }) => chain);
}

/** The heads that no boot entry names yet, heads of the oldest chains first. */
function unnamedHeads(database: Connection): ChainHead[] {
  const queries = prepared(database, QUERIES);
  const chains = chainNames(database);
  const boots = chains.map((chain) => bootFacts(queries.auditEntry.get(chain, 1)?.entry));
  const named = new Set(boots.flatMap(({ heads }) => heads.map(headKey)));
  return chains
    .map((chain) => ({ chain, ...(queries.auditHead.get(chain) ?? { seq: 0, hash: '' }) }))
    .filter((head) => !named.has(headKey(head)))
    .slice(0, TRAIL.HEADS_NAMED_MAX);
}

/** Decisions that are compared in one step of a start: a few ms on SQLite. */
const DECIDED_PAGE = 5_000;

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
  const queries = prepared(database, QUERIES);

  const rows = createRowCheck();

  // By pages: an open statement would keep the daemon's log from being written back.
  async function* behind(chain: string, start: number): AsyncGenerator<string> {
    let seq = start;
    for (;;) {
      const page = guarded(() => queries.auditPage.all(chain, seq, TRAIL.READ_PAGE));
      for (const row of page) {
        rows.look(row);
        yield row.entry;
      }
      const last = page.at(-1);
      if (last === undefined || page.length < TRAIL.READ_PAGE) return;
      seq = last.seq;
    }
  }

  return {
    chains: async () => guarded(() => chainNames(database)),
    entries: (chain) => behind(chain, Number.MIN_SAFE_INTEGER),
    entriesFrom: (chain, seq) => behind(chain, seq - 1),
    head: async (chain) => guarded(() => queries.auditHead.get(chain) ?? null),
    async *entriesNamed(kind) {
      for (const { entry } of guarded(() => queries.auditNamed.all(`${kind}:`, `${kind};`)))
        yield entry;
    },
    undocumented: createComparison(database),
    records: { ...createStoredRecords(database), rowFaults: () => rows.faults },
    async close() {
      database.close();
    },
  };
}

/** Compares decided and carried RFCs with the trail, by pages: other work goes on in between. */
function createComparison(database: Connection): StoredTrail['undocumented'] {
  const queries = prepared(database, QUERIES);

  async function* newest(): AsyncGenerator<UndocumentedDecision> {
    for (let from = ''; ; await setImmediate()) {
      const page = guarded(() => queries.decidedPage.get(from, DECIDED_PAGE));
      if (page === undefined || page.count === 0) return;
      if (page.documented < page.count) {
        const missing = guarded(() => queries.undocumented.all(from, page.last));
        yield* missing.map(decisionOf);
      }
      from = page.last;
    }
  }

  async function* all(): AsyncGenerator<UndocumentedDecision> {
    const end = guarded(() => queries.newestSeq.get())?.seq ?? 0;
    for (let from = 0; from < end; from += DECIDED_PAGE) {
      const missing = guarded(() => queries.decidedHistory.all(from, from + DECIDED_PAGE));
      yield* missing.map(decisionOf);
      await setImmediate();
    }
  }

  async function* carries(): AsyncGenerator<UndocumentedDecision> {
    for (let from = 0; ; await setImmediate()) {
      const page = guarded(() => queries.carriedPage.all(from, DECIDED_PAGE));
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

function decisionOf({ rfc_id, op_id }: { rfc_id: string; op_id: string }): UndocumentedDecision {
  return { rfcId: rfc_id, opId: op_id };
}
