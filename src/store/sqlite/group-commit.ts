import { createBatcher, type Outcome } from '../../core/batcher.ts';
import { wrapMethods } from '../../core/methods.ts';
import { CraError } from '../../model/errors.ts';
import type { CallContext } from '../../rpc/service.ts';
import type { EventLane } from '../contract/events.ts';
import { STORE } from '../limits.ts';
import { weightOf } from '../stored-record.ts';
import type { AuditLog } from './audit-log.ts';
import type { Connection } from './connection.ts';
import type { DiffSegments } from './diffs.ts';
import { fromSqlite, isDiskFull } from './errors.ts';
import { createTrendSums, type TrendSums } from './trends.ts';

/** The one way in which anything is written: in batches, each of them a transaction. */
export interface GroupCommit {
  /** Resolves with what `run` returned, when that is durable. `bytes`: size of what it writes. */
  write<Result>(bytes: number, run: () => Result, call: CallContext | null): Promise<Result>;
  /**
   * The same at once, before the first `write` or after `drained`. False: the disk is full, which
   * must not keep the daemon from starting or stopping.
   */
  writeNow(run: () => void): boolean;
  /** Takes what the records of a batch add to the trends. */
  readonly trends: TrendSums;
  /** Whether the disk was full at the newest write. */
  readonly isFull: boolean;
  /** Refuses new writes; resolves when the waiting writes are settled. */
  drained(): Promise<void>;
}

/** What the writing steps of all services work with. */
export interface WriterParts {
  database: Connection;
  segments: DiffSegments;
  log: AuditLog;
  commits: GroupCommit;
  /** Ms since the epoch; leases end by it. */
  now: () => number;
  /** Subscriptions to events. */
  lanes?: readonly EventLane[];
}

/** The methods of a service as they run within a transaction (see `Operation.run`). */
export type Steps<Methods> = {
  [Name in keyof Methods]: Methods[Name] extends (
    input: infer Input,
    call: CallContext,
  ) => infer Output
    ? (input: Input) => Awaited<Output>
    : never;
};

/** Makes methods of steps: each resolves when what its step wrote is durable. */
export function inGroups<Steps extends object>(
  { write }: Pick<GroupCommit, 'write'>,
  steps: Steps,
): Grouped<Steps> {
  return wrapMethods(steps, (step, input, call) =>
    write(weightOf(input), () => step(input), call),
  ) as Grouped<Steps>;
}

type Grouped<Steps> = {
  [Name in keyof Steps]: Steps[Name] extends (input: infer Input) => infer Output
    ? (input: Input, call: CallContext) => Promise<Output>
    : never;
};

/**
 * Repeats a write between the writes of callers until it has nothing more to change, or `signal`
 * fires.
 * `step` tells how many rows it has changed.
 */
export async function repeatWrite(
  { write }: Pick<GroupCommit, 'write'>,
  step: () => number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && (await write(0, step, null)) > 0);
}

/** Creates the group commit of a database and of what is staged beside it. */
export function createGroupCommit(
  database: Connection,
  staged: Omit<Staged, 'trends'>,
): GroupCommit {
  const trends = createTrendSums(database);
  const transact = createTransactions(database, { ...staged, trends });
  let isFull = false;

  function commit(batch: readonly Operation[]) {
    try {
      const outcomes = transact(batch);
      // A write that was refused for another reason wrote nothing, and proves nothing about the
      // disk.
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
    trends,
    get isFull() {
      return isFull;
    },
    drained: batcher.close,
  };
}

/** A write that waits for its batch. */
export interface Operation {
  /**
   * Does the work; it may run twice, the first time undone. It throws a CraError before the
   * first change to a row; after any other error its changes are undone.
   */
  run(): unknown;
  /** Size of what it writes. */
  bytes: number;
}

/** What is kept beside the database while a transaction runs, and is rolled back with it. */
export interface Staged {
  segments: DiffSegments;
  log: Pick<AuditLog, 'mark' | 'rewind'>;
  trends: TrendSums;
}

/**
 * Commits batches: all operations in one transaction, their diffs made durable before it. An
 * operation that fails takes nothing else with it; a commit that fails takes all.
 */
function createTransactions(
  database: Connection,
  { segments, log, trends }: Staged,
): (batch: readonly Operation[]) => Outcome<unknown>[] {
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const rollback = database.prepare('ROLLBACK');
  const savepoint = database.prepare('SAVEPOINT operation');
  const release = database.prepare('RELEASE operation');
  const rollbackTo = database.prepare('ROLLBACK TO operation');

  function transact(batch: readonly Operation[], run: Runner): Outcome<unknown>[] {
    const logMark = log.mark();
    try {
      begin.run();
      const outcomes = batch.map(run);
      trends.flush();
      segments.flush();
      commit.run();
      return outcomes;
    } catch (thrown) {
      segments.rewind(0);
      trends.rewind(0);
      log.rewind(logMark);
      if (database.inTransaction) rollback.run();
      throw thrown;
    }
  }

  function runTogether(operation: Operation): Outcome<unknown> {
    const mark = segments.mark();
    try {
      return { ok: true, value: operation.run() };
    } catch (thrown) {
      if (!(thrown instanceof CraError)) throw new OperationFailed();
      segments.rewind(mark);
      return { ok: false, error: thrown };
    }
  }

  function runApart(operation: Operation): Outcome<unknown> {
    const mark = segments.mark();
    const logMark = log.mark();
    const trendMark = trends.mark();
    savepoint.run();
    try {
      const value = operation.run();
      release.run();
      return { ok: true, value };
    } catch (thrown) {
      // A full disk may end the whole transaction; then nothing of the batch is left.
      if (!database.inTransaction) throw thrown;
      segments.rewind(mark);
      log.rewind(logMark);
      trends.rewind(trendMark);
      rollbackTo.run();
      release.run();
      return { ok: false, error: fromSqlite(thrown) };
    }
  }

  // A savepoint for each operation costs a fifth of the throughput, and failures are rare: they
  // are only set when the same batch failed without them.
  function transactTwice(batch: readonly Operation[]): Outcome<unknown>[] {
    try {
      return transact(batch, runTogether);
    } catch (thrown) {
      if (!(thrown instanceof OperationFailed)) throw thrown;
      return transact(batch, runApart);
    }
  }

  return (batch) => {
    try {
      return transactTwice(batch);
    } catch (thrown) {
      throw fromSqlite(thrown);
    }
  };
}

type Runner = (operation: Operation) => Outcome<unknown>;

/** An operation of a batch failed; running them one by one shows which and why. */
class OperationFailed extends Error {}
