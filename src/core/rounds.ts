/** Work that a daemon does again and again beside its calls. */
export interface Rounds {
  /** Runs at once, and again `intervalMs` after each end. */
  every(intervalMs: number, run: () => Promise<unknown>): void;
  /** Begins nothing new and resolves when what runs has ended. */
  stop(): Promise<void>;
}

/** Creates rounds; `onEnd` gets the error of each run, or null. */
export function createRounds(onEnd: (thrown: unknown) => void = () => undefined): Rounds {
  const timers = new Set<NodeJS.Timeout>();
  const running = new Set<Promise<void>>();
  let isStopped = false;

  function every(intervalMs: number, run: () => Promise<unknown>): void {
    if (isStopped) return;
    const ended = run().then(() => onEnd(null), onEnd);
    const settled = ended.then(() => {
      running.delete(settled);
      if (isStopped) return;
      const timer = setTimeout(() => {
        timers.delete(timer);
        every(intervalMs, run);
      }, intervalMs).unref();
      timers.add(timer);
    });
    running.add(settled);
  }

  return {
    every,
    async stop() {
      isStopped = true;
      for (const timer of timers) clearTimeout(timer);
      await Promise.all(running);
    },
  };
}
