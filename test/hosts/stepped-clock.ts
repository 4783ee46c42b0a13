import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../src/core/rate-limit.ts';

/** Time that passes when it is told to, while real calls take the time that they take. */
export interface SteppedClock extends Clock {
  /** Resolves once so many wait for their time: nothing else is under way then. */
  idle(waiters?: number): Promise<void>;
  /** Lets time pass, waiter by waiter, everybody idle before each step and after the last. */
  advance(ms: number, waiters?: number): Promise<void>;
}

export function createSteppedClock(start = Date.parse('2026-11-21T10:00:00.000Z')): SteppedClock {
  let time = start;
  const waiting = new Set<{ at: number; done: () => void }>();

  async function idle(waiters = 1): Promise<void> {
    while (waiting.size < waiters) await setImmediate();
  }

  return {
    now: () => time,
    after(ms, done) {
      const entry = { at: time + ms, done };
      waiting.add(entry);
      return () => waiting.delete(entry);
    },
    idle,
    async advance(ms, waiters = 1) {
      const end = time + ms;
      await idle(waiters);
      for (;;) {
        const [next] = [...waiting].sort((a, b) => a.at - b.at);
        if (next === undefined || next.at > end) break;
        time = Math.max(time, next.at);
        waiting.delete(next);
        next.done();
        await idle(waiters);
      }
      time = end;
    },
  };
}
