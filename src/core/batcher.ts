import { CraError } from '../model/errors.ts';

/** What became of one operation of a batch. */
export type Outcome<Result> = { ok: true; value: Result } | { ok: false; error: unknown };

export interface BatcherOptions<Operation, Result> {
  /**
   * Makes a batch durable and tells the outcome of each operation, in order. A throw (or a
   * rejection) means that nothing of the batch happened: every operation of it fails with that.
   */
  commit(
    batch: readonly Operation[],
  ): readonly Outcome<Result>[] | Promise<readonly Outcome<Result>[]>;
  /** Size of an operation, in bytes. */
  weigh(operation: Operation): number;
  batchMax: number;
  /** Bytes of one batch; a single heavier operation goes alone. */
  batchBytesMax: number;
  /** Operations that wait; more is RESOURCE_EXHAUSTED. */
  pendingMax: number;
}

export interface Batcher<Operation, Result> {
  /**
   * Resolves when the batch with this operation is durable. An operation that has a reason to
   * stop when its batch begins is dropped with that reason.
   */
  submit(operation: Operation, caller: Caller | null): Promise<Result>;
  /** Refuses new operations with UNAVAILABLE and resolves when the waiting ones are settled. */
  close(): Promise<void>;
}

/** Who waits for an operation. */
interface Caller {
  /** Why nobody waits any more; null: somebody does. */
  stopReason(): Error | null;
}

interface Entry<Operation, Result> {
  operation: Operation;
  caller: Caller | null;
  resolve(value: Result): void;
  reject(error: unknown): void;
}

/**
 * Group commit: an operation that finds the batcher idle is committed at once; operations that
 * arrive while a commit runs form the next batch. There is no timer: under load the batches grow
 * with the duration of a commit, without load nobody waits for company.
 */
export function createBatcher<Operation, Result>(
  options: BatcherOptions<Operation, Result>,
): Batcher<Operation, Result> {
  const waiting: Entry<Operation, Result>[] = [];
  const closers: (() => void)[] = [];
  let isBusy = false;
  let isClosed = false;

  // setImmediate runs after everything that has already arrived at this thread was delivered.
  function schedule(): void {
    if (isBusy) return;
    isBusy = true;
    setImmediate(flush);
  }

  async function flush(): Promise<void> {
    const batch = takeBatch(waiting, options);
    if (batch.length > 0) await commitBatch(batch, options);
    isBusy = false;
    if (waiting.length > 0) schedule();
    else for (const done of closers.splice(0)) done();
  }

  return {
    submit(operation, caller) {
      if (isClosed) return Promise.reject(new CraError('UNAVAILABLE', 'the store is closing'));
      if (waiting.length >= options.pendingMax) {
        return Promise.reject(new CraError('RESOURCE_EXHAUSTED', 'too many writes are waiting'));
      }
      return new Promise((resolve, reject) => {
        waiting.push({ operation, caller, resolve, reject });
        schedule();
      });
    },
    close() {
      isClosed = true;
      if (!isBusy) return Promise.resolve();
      return new Promise((resolve) => closers.push(resolve));
    },
  };
}

/** Removes the next batch from `waiting`; operations that nobody waits for any more fall out. */
function takeBatch<Operation, Result>(
  waiting: Entry<Operation, Result>[],
  { weigh, batchMax, batchBytesMax }: BatcherOptions<Operation, Result>,
): Entry<Operation, Result>[] {
  const batch: Entry<Operation, Result>[] = [];
  let bytes = 0;
  let taken = 0;
  for (const entry of waiting) {
    const reason = entry.caller?.stopReason() ?? null;
    if (reason !== null) {
      entry.reject(reason);
    } else {
      bytes += weigh(entry.operation);
      if (batch.length > 0 && (batch.length >= batchMax || bytes > batchBytesMax)) break;
      batch.push(entry);
    }
    taken += 1;
  }
  waiting.splice(0, taken);
  return batch;
}

async function commitBatch<Operation, Result>(
  batch: readonly Entry<Operation, Result>[],
  { commit }: BatcherOptions<Operation, Result>,
): Promise<void> {
  try {
    const outcomes = await commit(batch.map((entry) => entry.operation));
    for (const [index, entry] of batch.entries()) settle(entry, outcomes[index]);
  } catch (error) {
    for (const entry of batch) entry.reject(error);
  }
}

function settle<Operation, Result>(
  entry: Entry<Operation, Result>,
  outcome: Outcome<Result> | undefined,
): void {
  if (outcome === undefined) entry.reject(new Error('a commit reported too few outcomes'));
  else if (outcome.ok) entry.resolve(outcome.value);
  else entry.reject(outcome.error);
}
