/** Time, and what is to be done later; tests bring their own. */
export interface Clock {
  /** Ms since the epoch. */
  now(): number;
  /** Calls back once after that time; the result takes it back. */
  after(ms: number, done: () => void): () => void;
}

export const systemClock: Clock = {
  now: Date.now,
  after(ms, done) {
    const timer = setTimeout(done, ms);
    return () => clearTimeout(timer);
  },
};

/** A wait that can be cut short. */
export interface Pause {
  /** Resolves after that time or when woken, at once if it was woken since the last wait. */
  wait(ms: number): Promise<void>;
  wake(): void;
}

/** Creates one for one waiter. */
export function createPause(clock: Clock): Pause {
  let isAwake = false;
  let end: (() => void) | null = null;
  return {
    async wait(ms) {
      if (!isAwake) {
        await new Promise<void>((resolve) => {
          const takeBack = clock.after(ms, resolve);
          end = () => {
            takeBack();
            resolve();
          };
        });
      }
      end = null;
      isAwake = false;
    },
    wake() {
      isAwake = true;
      end?.();
    },
  };
}
