import type { Db } from 'mongodb';
import { type ChainState, newChain, type Placed, place, rootOf } from '../../audit/chain.ts';
import type { CheckpointSigner } from '../../audit/checkpoint.ts';
import { ENTRY } from '../../audit/limits.ts';
import { createBatcher, type Outcome } from '../../core/batcher.ts';
import type { AuditEvent, AuditPlace, AuditStatus } from '../../model/audit.ts';
import { CraError } from '../../model/errors.ts';
import {
  type CheckpointTimer,
  type CheckpointTimerOptions,
  createCheckpointTimer,
} from '../checkpoints.ts';
import { unwritableTrail } from '../errors.ts';
import { TRAIL } from '../limits.ts';
import { checkpointEvent, clockStepEvent } from '../trail.ts';
import { type AuditDocument, auditDocument, writeUntilKnown } from './audit-collection.ts';
import { BATCHES } from './operations.ts';

/** The one writer of one chain. */
export interface Appender {
  /** The chain as far as it is durable. */
  readonly state: ChainState;
  /** Why entries are not getting through right now, or null. */
  readonly trouble: string | null;
  /** Bytes of the documents that were written. */
  readonly bytesWritten: number;
  /**
   * Resolves when the entry is durable. Rejects after `waitMs` with UNAVAILABLE: the entry may
   * come to stand in the trail later, and its caller must not go on; INVALID_ARGUMENT for what
   * can't be an entry.
   */
  append(event: AuditEvent | MakeEvent, waitMs: number): Promise<Appended>;
  /** Refuses new entries; resolves when the waiting entries are settled, or after `waitMs`. */
  close(waitMs: number): Promise<void>;
}

/** Makes an event when its place is known; `state` is the chain before it. */
export type MakeEvent = (state: ChainState) => AuditEvent;

/** An entry that stands in the trail. */
export interface Appended extends AuditPlace {
  /** Its canonical JSON. */
  entry: string;
  /** False: the operation had an entry in this slot already, which is this one. */
  isOwn: boolean;
}

export interface Clock {
  /** Ms since the epoch. */
  now(): number;
  /** Ms since the start of the daemon, by a clock that never goes back. */
  mono(): number;
}

interface Append {
  make: MakeEvent;
  /** Why its caller waits no more. */
  stopReason(): Error | null;
}

/** Events that found their places, with their index in the group; null: our own clock-step. */
interface Queued {
  index: number | null;
  placed: Placed;
}

/**
 * Creates the writer of a new chain. Entries are committed in groups; a group is placed when the
 * one before is durable, so `seq` has no gaps.
 */
export function createAppender(options: {
  database: Db;
  chain: string;
  clock: Clock;
  /** Called after each group. */
  onWritten(): void;
}): Appender {
  const { database, clock } = options;
  const ending = new AbortController();
  let state = newChain(options.chain);
  let newestMs = Number.NEGATIVE_INFINITY;
  let bytesWritten = 0;
  let trouble: string | null = null;
  let broken: CraError | null = null;

  /** Gives the open events their places; an event that can't have one gets its outcome. */
  function placeAll(group: readonly Append[], outcomes: Outcome<Appended>[]): Queued[] {
    const time = { nowMs: clock.now(), monoMs: clock.mono() };
    const queued: Queued[] = [];
    let next = state;
    const queue = (index: number | null, event: AuditEvent) => {
      const placed = place(next, event, time);
      queued.push({ index, placed });
      next = placed.state;
    };
    if (time.nowMs < newestMs - TRAIL.CLOCK_STEP_MS) {
      const from = new Date(newestMs).toISOString();
      const to = new Date(time.nowMs).toISOString();
      queue(null, clockStepEvent({ chain: next.chain, seq: next.size + 1 }, from, to));
    }
    for (const [index, { make }] of group.entries()) {
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
    const documents = queued.map(({ placed: { entry, text } }) => auditDocument(entry, text));
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

  async function commit(group: readonly Append[]): Promise<Outcome<Appended>[]> {
    if (broken !== null) throw broken;
    const outcomes: Outcome<Appended>[] = [];
    try {
      for (;;) {
        const queued = placeAll(group, outcomes);
        if (queued.every(({ index }) => index === null)) break;
        await write(queued, outcomes);
      }
    } catch (thrown) {
      // The end of the chain is not known: nothing may be placed behind it any more.
      broken = brokenBy(thrown);
      trouble = broken.message;
      throw broken;
    }
    options.onWritten();
    return outcomes;
  }

  const batcher = createBatcher<Append, Appended>({
    commit,
    weigh: () => ENTRY.ENTRY_BYTES_MAX,
    ...BATCHES,
  });
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
    append(event, waitMs) {
      let isLate = false;
      const append: Append = {
        make: typeof event === 'function' ? event : () => event,
        stopReason: () => (isLate ? unwritableTrail() : null),
      };
      return within(batcher.submit(append, append), waitMs, () => {
        isLate = true;
      });
    },
    async close(waitMs) {
      const timer = setTimeout(() => ending.abort(), waitMs);
      await batcher.close();
      clearTimeout(timer);
    },
  };
}

function within<T>(promise: Promise<T>, waitMs: number, onLate: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      onLate();
      reject(unwritableTrail());
    }, waitMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** BSON around the text of an entry whose op_id is a UUID. */
const DOCUMENT_BYTES = 236;

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

/** When the newest entries of a chain get their signed root. */
export interface Checkpoints extends Pick<CheckpointTimer, 'notice'> {
  readonly last: AuditStatus['last_checkpoint'];
  /** Writes one now, unless the newest entry is one. */
  seal(): Promise<void>;
  /** Seals the remaining entries. */
  close(): Promise<void>;
}

interface CheckpointsOptions extends Pick<CheckpointTimerOptions, 'entries' | 'intervalMs'> {
  appender: Pick<Appender, 'append' | 'state'>;
  signer: CheckpointSigner;
  /** Ms since the epoch. */
  now(): number;
  /** Called with each note; copied off the machine it proves what was there. */
  onNote(note: string): void;
}

/** Writes checkpoints when they are due, and at the end. */
export function createCheckpoints(options: CheckpointsOptions): Checkpoints {
  const { appender, signer, now, onNote, entries, intervalMs } = options;
  let last: AuditStatus['last_checkpoint'] = null;

  const unsealed = () => appender.state.size - (last?.seq ?? 0);

  async function write(): Promise<void> {
    let note = '';
    const { seq } = await appender.append(({ chain, size, frontier }) => {
      note = signer.sign({ chain, size, root: rootOf(frontier) });
      return checkpointEvent(chain, size, note);
    }, TRAIL.DECIDE_DEADLINE_MS);
    last = { seq, at: new Date(now()).toISOString() };
    onNote(note);
  }

  async function seal(): Promise<void> {
    if (unsealed() > 0) await write();
  }

  const timer = createCheckpointTimer({ unsealed, write, entries, intervalMs });
  return {
    get last() {
      return last;
    },
    notice: timer.notice,
    seal,
    async close() {
      await timer.stop();
      // The status reports a trail that cannot be written.
      await seal().catch(() => undefined);
    },
  };
}
