import type { Outcome } from '../../core/batcher.ts';
import { CraError } from '../../model/errors.ts';
import type { AuditLog } from './audit-log.ts';
import type { Connection } from './database.ts';
import type { DiffSegments } from './diff-segments.ts';
import { fromSqlite } from './sqlite-error.ts';

/** A write that waits for its batch. */
export interface Operation {
  /**
   * Does the work; it may run twice, the first time undone. A CraError says no before the first
   * change to a row; with anything else that is thrown, what was changed is undone.
   */
  run(): unknown;
  /** Size of what it writes. */
  bytes: number;
}

/** What is kept beside the database while a transaction runs, and is taken back with it. */
export interface Staged {
  segments: DiffSegments;
  log: Pick<AuditLog, 'mark' | 'rewind'>;
}

/**
 * Commits batches: all operations in one transaction, their diffs made durable before it. An
 * operation that fails takes nothing else with it; a commit that fails takes all.
 */
export function createTransactions(
  database: Connection,
  { segments, log }: Staged,
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
      segments.flush();
      commit.run();
      return outcomes;
    } catch (thrown) {
      segments.rewind(0);
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

/** Some operation of a batch failed; which and why is found out by running them apart. */
class OperationFailed extends Error {}
