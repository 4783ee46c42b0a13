/** How often each of many keys (a caller, an address, a host) may do something. */
export interface RateLimiter {
  /** Takes one for the key: 0, or how long (ms) until there is one again. */
  take(key: string): number;
  /** How long (ms) until the key may take so many, at most `max`. */
  waitFor(key: string, count: number): number;
  /** Gives the key its whole allowance back. */
  forget(key: string): void;
}

export interface RateLimiterOptions {
  /** At once, and again within each `windowMs`. */
  max: number;
  windowMs: number;
  /** With more keys than this, the least recently used one is forgotten. */
  keysMax: number;
  /** Ms; a clock that goes back does no harm. */
  now(): number;
}

/** A token bucket for each key: `max` at once, and one more each `windowMs / max`. */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { max, windowMs, keysMax, now } = options;
  const intervalMs = windowMs / max;
  /** When a key will have its whole allowance again; least recent keys first. */
  const fullAt = new Map<string, number>();

  /** How long (ms) until the key has its whole allowance again. */
  function debtOf(key: string, time: number): number {
    const debt = Math.max(0, (fullAt.get(key) ?? time) - time);
    if (debt <= windowMs) return debt;
    fullAt.set(key, time + windowMs);
    return windowMs;
  }

  return {
    take(key) {
      const time = now();
      const debt = debtOf(key, time);
      const wait = debt - (max - 1) * intervalMs;
      if (wait > 0) return wait;
      fullAt.delete(key);
      fullAt.set(key, time + debt + intervalMs);
      const [oldest] = fullAt.keys();
      if (fullAt.size > keysMax && oldest !== undefined) fullAt.delete(oldest);
      return 0;
    },
    waitFor: (key, count) =>
      Math.max(0, Math.ceil(debtOf(key, now()) - (max - count) * intervalMs)),
    forget: (key) => void fullAt.delete(key),
  };
}

/** Clock and timers; tests bring their own. */
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
          const cancel = clock.after(ms, resolve);
          end = () => {
            cancel();
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

/** Waits until the key may do something once more. Rejects once `signal` has ended the wait. */
export async function takeTurn(
  budget: RateLimiter,
  key: string,
  pause: Pause,
  signal: AbortSignal,
): Promise<void> {
  for (let ms = budget.take(key); ms > 0; ms = budget.take(key)) {
    await pause.wait(ms);
    signal.throwIfAborted();
  }
}
