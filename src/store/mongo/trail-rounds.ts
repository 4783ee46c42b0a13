import { AUDIT } from '../../limits.ts';
import { bounded } from './bounded.ts';

/** Work that a daemon does again and again beside its calls. */
export interface Rounds {
  /** Runs at once, and again `intervalMs` after each end. */
  every(intervalMs: number, run: () => Promise<unknown>): void;
  once(run: () => Promise<unknown>): void;
  /** Begins nothing new and resolves when what runs has ended. */
  stop(): Promise<void>;
}

/** Creates rounds; `tell` hears of each run: what it threw, or null. */
export function createRounds(tell: (thrown: unknown) => void): Rounds {
  const timers = new Set<NodeJS.Timeout>();
  const running = new Set<Promise<void>>();
  let isStopped = false;

  function begin(run: () => Promise<unknown>, then: () => void): void {
    if (isStopped) return;
    const ended = bounded(run(), AUDIT.ROUND_MS).then(
      () => tell(null),
      (thrown: unknown) => tell(thrown),
    );
    const settled = ended.then(() => {
      running.delete(settled);
      if (!isStopped) then();
    });
    running.add(settled);
  }

  function every(intervalMs: number, run: () => Promise<unknown>): void {
    begin(run, () => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        every(intervalMs, run);
      }, intervalMs).unref();
      timers.add(timer);
    });
  }

  return {
    every,
    once: (run) => begin(run, () => undefined),
    async stop() {
      isStopped = true;
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(running);
    },
  };
}
