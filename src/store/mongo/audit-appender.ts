import type { Db } from 'mongodb';
import type { ChainState } from '../../audit/chain.ts';
import { createBatcher } from '../../core/batcher.ts';
import { AUDIT, STORE } from '../../limits.ts';
import type { AuditEvent } from '../../model/audit.ts';
import { unwritableTrail } from '../trail-errors.ts';
import {
  type Appended,
  type Clock,
  createGroupWriter,
  type GroupWriter,
  type MakeEvent,
} from './audit-groups.ts';

/** The one writer of one chain. */
export interface Appender extends Pick<GroupWriter, 'state' | 'trouble' | 'bytesWritten'> {
  /**
   * Resolves when the entry is durable. Rejects after `waitMs` with UNAVAILABLE: the entry may
   * come to stand in the trail later, and its caller must not go on; INVALID_ARGUMENT for what
   * can't be an entry.
   */
  append(event: AuditEvent | MakeEvent, waitMs: number): Promise<Appended>;
  /** Refuses new entries; resolves when those that wait are settled, or after `waitMs`. */
  close(waitMs: number): Promise<void>;
}

interface Append {
  make: MakeEvent;
  /** Why nobody waits for it any more. */
  stopReason(): Error | null;
}

/** Creates the writer of a new chain; entries are committed in groups, one after the other. */
export function createAppender(options: {
  database: Db;
  chain: string;
  clock: Clock;
  /** Called after each group, with the chain as it is then. */
  onWritten(state: ChainState): void;
}): Appender {
  const groups = createGroupWriter(options);
  const batcher = createBatcher<Append, Appended>({
    async commit(batch) {
      const outcomes = await groups.commit(batch.map(({ make }) => make));
      options.onWritten(groups.state);
      return outcomes;
    },
    weigh: () => AUDIT.ENTRY_BYTES_MAX,
    batchMax: STORE.BATCH_MAX,
    batchBytesMax: STORE.BATCH_BYTES_MAX,
    pendingMax: STORE.PENDING_MAX,
  });
  return {
    get state() {
      return groups.state;
    },
    get trouble() {
      return groups.trouble;
    },
    get bytesWritten() {
      return groups.bytesWritten;
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
      const timer = setTimeout(groups.abort, waitMs);
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
