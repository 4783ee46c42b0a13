import type { Db } from 'mongodb';
import { type ChainState, newChain, type Placed, place } from '../../audit/chain.ts';
import type { Outcome } from '../../core/batcher.ts';
import { AUDIT } from '../../limits.ts';
import type { AuditEvent, AuditPlace } from '../../model/audit.ts';
import { CraError } from '../../model/errors.ts';
import { clockStepEvent } from '../trail-events.ts';
import { type AuditDocument, slotOf } from './audit-collection.ts';
import { writeUntilKnown } from './audit-write.ts';

export interface Clock {
  /** Ms since the epoch. */
  now(): number;
  /** Ms since the start of the daemon, by a clock that never goes back. */
  mono(): number;
}

/** An entry that stands in the trail. */
export interface Appended extends AuditPlace {
  /** Its canonical JSON. */
  entry: string;
  /** False: the deed had an entry in this slot already, which is this one. */
  isOwn: boolean;
}

/** Makes an event when its place is known; `state` is the chain before it. */
export type MakeEvent = (state: ChainState) => AuditEvent;

/** Writes groups of entries behind each other. */
export interface GroupWriter {
  /** The chain as far as it is durable. */
  readonly state: ChainState;
  /** Why entries are not getting through right now, or null. */
  readonly trouble: string | null;
  /** Bytes of the documents that were written. */
  readonly bytesWritten: number;
  /** Resolves when all entries of a group are durable or can't be; one group at a time. */
  commit(group: readonly MakeEvent[]): Promise<Outcome<Appended>[]>;
  /** Ends the attempts that are going on. */
  abort(): void;
}

/** Events that found their places, with their index in the group; null: our own clock-step. */
interface Queued {
  index: number | null;
  placed: Placed;
}

/** Begins a chain. A group is placed when the one before is durable: `seq` has no gaps. */
export function createGroupWriter(options: {
  database: Db;
  chain: string;
  clock: Clock;
}): GroupWriter {
  const { database, clock } = options;
  const ending = new AbortController();
  let state = newChain(options.chain);
  let newestMs = Number.NEGATIVE_INFINITY;
  let bytesWritten = 0;
  let trouble: string | null = null;
  let broken: CraError | null = null;

  /** Gives the open events their places; the outcomes of those that can't have one are set. */
  function placeAll(group: readonly MakeEvent[], outcomes: Outcome<Appended>[]): Queued[] {
    const time = { nowMs: clock.now(), monoMs: clock.mono() };
    const queued: Queued[] = [];
    let next = state;
    const queue = (index: number | null, event: AuditEvent) => {
      const placed = place(next, event, time);
      queued.push({ index, placed });
      next = placed.state;
    };
    if (time.nowMs < newestMs - AUDIT.CLOCK_STEP_MS) {
      const [from, to] = [new Date(newestMs).toISOString(), new Date(time.nowMs).toISOString()];
      queue(null, clockStepEvent({ chain: next.chain, seq: next.size + 1 }, from, to));
    }
    for (const [index, make] of group.entries()) {
      if (outcomes[index] !== undefined) continue;
      try {
        queue(index, make(next));
      } catch (error) {
        outcomes[index] = { ok: false, error };
      }
    }
    return queued;
  }

  /** Writes what was placed, or its beginning; sets the outcomes of that. */
  async function write(queued: readonly Queued[], outcomes: Outcome<Appended>[]): Promise<void> {
    const documents = queued.map(({ placed }) => documentOf(placed));
    const { count, blockedBy } = await writeUntilKnown(database, documents, {
      signal: ending.signal,
      onTrouble: (reason) => {
        trouble = reason;
      },
    });
    trouble = null;
    for (const { index, placed } of queued.slice(0, count)) {
      state = placed.state;
      newestMs = Date.parse(placed.entry.ts);
      bytesWritten += Buffer.byteLength(placed.text) + DOCUMENT_BYTES;
      if (index !== null) outcomes[index] = { ok: true, value: ownPlace(placed) };
    }
    const index = queued[count]?.index ?? null;
    if (index !== null && blockedBy !== null) {
      outcomes[index] = { ok: true, value: otherPlace(blockedBy) };
    }
  }

  async function commitAll(group: readonly MakeEvent[]): Promise<Outcome<Appended>[]> {
    const outcomes: Outcome<Appended>[] = [];
    for (;;) {
      const queued = placeAll(group, outcomes);
      if (queued.every(({ index }) => index === null)) return outcomes;
      await write(queued, outcomes);
    }
  }

  return {
    get state() {
      return state;
    },
    get trouble() {
      return trouble;
    },
    get bytesWritten() {
      return bytesWritten;
    },
    async commit(group) {
      if (broken !== null) throw broken;
      try {
        return await commitAll(group);
      } catch (thrown) {
        // The end of the chain is not known: nothing may be placed behind it any more.
        broken = brokenBy(thrown);
        trouble = broken.message;
        throw broken;
      }
    },
    abort: () => ending.abort(),
  };
}

/** BSON around the text of an entry whose op_id is a UUID. */
const DOCUMENT_BYTES = 236;

function documentOf({ entry, text }: Placed): AuditDocument {
  const { chain, seq, op_id, phase, kind, ts } = entry;
  const _id = `${chain}:${seq}`;
  return {
    _id,
    chain,
    seq,
    op_id,
    slot: slotOf(phase),
    phase,
    kind,
    ts: new Date(ts),
    entry: text,
  };
}

function ownPlace({ entry, text }: Placed): Appended {
  return { chain: entry.chain, seq: entry.seq, entry: text, isOwn: true };
}

function otherPlace({ chain, seq, entry }: AuditDocument): Appended {
  return { chain, seq, entry, isOwn: false };
}

function brokenBy(thrown: unknown): CraError {
  const cause = CraError.fromUnknown(thrown);
  const message = 'the audit trail takes no entries from this daemon any more: start it again';
  return new CraError('UNAVAILABLE', `${message} (${cause.message})`, { cause });
}
