import { createFairQueue } from '../core/fair-queue.ts';
import { PIPELINE } from '../limits.ts';
import { CraError } from '../model/errors.ts';

/** What a job tells about itself when it asks for a thread. */
export interface Ticket {
  /** Whom to be fair to. */
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

interface Waiter {
  isLarge: boolean;
  admit(): void;
}

/**
 * Creates the admission for `threads` threads. One of them is kept for jobs below
 * PIPELINE.SMALL_JOB_BYTES, so that huge ones cannot starve the rest. Waiting jobs are served
 * round robin by caller.
 */
export function createAdmission(threads: number): Admission {
  const queue = createFairQueue<Waiter>();
  const largeMax = Math.max(1, threads - 1);
  let running = 0;
  let large = 0;

  function fits(waiter: Waiter): boolean {
    return running < threads && (!waiter.isLarge || large < largeMax);
  }

  function enter(waiter: Waiter): () => void {
    running += 1;
    if (waiter.isLarge) large += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      running -= 1;
      if (waiter.isLarge) large -= 1;
      admitNext();
    };
  }

  function admitNext(): void {
    while (queue.size > 0) {
      const next = queue.take(fits);
      if (next === null) return;
      next.admit();
    }
  }

  async function wait(ticket: Ticket, isLarge: boolean): Promise<() => void> {
    // Who waits as long as it takes is one of a bounded number of drafts.
    const isPatient = ticket.waitMs === null;
    if (!isPatient && queue.size >= PIPELINE.ADMISSION_QUEUE_MAX) throw overloaded();
    return new Promise((resolve, reject) => {
      const leave = (error: CraError) => {
        if (!queue.remove(ticket.caller, waiter)) return;
        settle();
        reject(error);
      };
      const onAbort = () => leave(new CraError('CANCELLED', 'the caller went away'));
      const timer =
        ticket.waitMs === null ? null : setTimeout(() => leave(overloaded()), ticket.waitMs);
      const settle = () => {
        if (timer !== null) clearTimeout(timer);
        ticket.signal?.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter = {
        isLarge,
        admit() {
          settle();
          resolve(enter(waiter));
        },
      };
      ticket.signal?.addEventListener('abort', onAbort, { once: true });
      queue.push(ticket.caller, waiter);
      // What waits may all be large; a small job need not wait behind it.
      admitNext();
    });
  }

  return {
    async acquire(ticket) {
      const isLarge = ticket.bytes >= PIPELINE.SMALL_JOB_BYTES;
      const direct: Waiter = { isLarge, admit: () => undefined };
      if (queue.size === 0 && fits(direct)) return enter(direct);
      return wait(ticket, isLarge);
    },
    get running() {
      return running;
    },
    get waiting() {
      return queue.size;
    },
  };
}

function overloaded(): CraError {
  return new CraError('RESOURCE_EXHAUSTED', 'all analysis threads are busy; try again later');
}
