import { createBatcher } from '../../core/batcher.ts';
import { STORE } from '../../limits.ts';
import type { CallContext } from '../../rpc/service.ts';
import type { Connection } from './database.ts';
import { isDiskFull } from './sqlite-error.ts';
import { createTransactions, type Operation, type Staged } from './transactions.ts';

/** The one way in which anything is written: in batches, each of them a transaction. */
export interface GroupCommit {
  /** Resolves with what `run` returned, when that is durable. `bytes`: size of what it writes. */
  write<Result>(bytes: number, run: () => Result, call: CallContext | null): Promise<Result>;
  /**
   * The same at once, before the first `write` or after `drained`. False: the disk is full, which
   * must keep nobody from starting and stopping.
   */
  writeNow(run: () => void): boolean;
  /** Whether the disk was full at the newest write. */
  readonly isFull: boolean;
  /** Refuses new writes; resolves when those that wait are settled. */
  drained(): Promise<void>;
}

/** About the bytes of a small row: only the size of batches depends on it. */
export const ROW_BYTES = 1024;

/** Creates the group commit of a database and of what is staged beside it. */
export function createGroupCommit(database: Connection, staged: Staged): GroupCommit {
  const transact = createTransactions(database, staged);
  let isFull = false;

  function commit(batch: readonly Operation[]) {
    try {
      const outcomes = transact(batch);
      // What was refused for other reasons wrote nothing, and says nothing about the disk.
      if (outcomes.some((outcome) => !outcome.ok && isDiskFull(outcome.error))) isFull = true;
      else if (outcomes.some((outcome) => outcome.ok)) isFull = false;
      return outcomes;
    } catch (thrown) {
      isFull = isDiskFull(thrown);
      throw thrown;
    }
  }

  const batcher = createBatcher<Operation, unknown>({
    commit,
    weigh: (operation) => operation.bytes,
    batchMax: STORE.BATCH_MAX,
    batchBytesMax: STORE.BATCH_BYTES_MAX,
    pendingMax: STORE.PENDING_MAX,
  });
  return {
    write<Result>(bytes: number, run: () => Result, call: CallContext | null) {
      // A batch gives each operation the value of its own `run`.
      return batcher.submit({ run, bytes }, call) as Promise<Result>;
    },
    writeNow(run) {
      try {
        const [outcome] = commit([{ run, bytes: 0 }]);
        if (outcome?.ok === false) throw outcome.error;
        return true;
      } catch (thrown) {
        if (isDiskFull(thrown)) return false;
        throw thrown;
      }
    },
    get isFull() {
      return isFull;
    },
    drained: batcher.close,
  };
}
