import { createSemaphore } from '../core/semaphore.ts';
import { PIPELINE } from '../limits.ts';
import { CraError } from '../model/errors.ts';

/** A job that asks for a thread. */
export interface Ticket {
  /** Threads are shared fairly between callers. */
  caller: string;
  bytes: number;
  /** How long it may wait; null: as long as it takes. */
  waitMs: number | null;
  signal: AbortSignal | null;
}

/** Hands out the right to use a thread of the scan pool. */
export interface Admission {
  /**
   * Resolves when a thread is free for the job; call the result to give it back.
   * Rejects with RESOURCE_EXHAUSTED when the wait is over or the queue is full, and with
   * CANCELLED when the signal fires first.
   */
  acquire(ticket: Ticket): Promise<() => void>;
  readonly running: number;
  readonly waiting: number;
}

/**
 * Creates the admission for `threads` threads. One of them is kept for jobs below
 * PIPELINE.SMALL_JOB_BYTES, so that huge ones cannot starve the rest. Callers that wait are served
 * by the time that they have had (core/semaphore).
 */
export function createAdmission(threads: number): Admission {
  const semaphore = createSemaphore({
    places: threads,
    largePlaces: Math.max(1, threads - 1),
    refusal: overloaded,
  });
  return {
    async acquire({ caller: key, bytes, waitMs, signal }) {
      // Jobs that wait as long as it takes are of a bounded number of drafts.
      if (waitMs !== null && semaphore.waiting >= PIPELINE.ADMISSION_QUEUE_MAX) throw overloaded();
      const isLarge = bytes >= PIPELINE.SMALL_JOB_BYTES;
      return await semaphore.acquire({ key, isLarge, waitMs, signal });
    },
    get running() {
      return semaphore.running;
    },
    get waiting() {
      return semaphore.waiting;
    },
  };
}

function overloaded(): CraError {
  return new CraError('RESOURCE_EXHAUSTED', 'all analysis threads are busy; try again later');
}
