/** Those who wait for a DRAFT to become final. */
export interface Waiters {
  /**
   * Resolves when the RFC is final, when `waitMs` is over, or when `signal` fires, whichever
   * comes first. How many wait is bounded by the requests in flight.
   */
  wait(rfcId: string, waitMs: number, signal: AbortSignal | null): Promise<void>;
  /** Wakes those who wait for this RFC. */
  wake(rfcId: string): void;
  /** Wakes all waiters, and later ones at once: the service stops. */
  close(): void;
}

/** Creates an empty register. */
export function createWaiters(): Waiters {
  const waiting = new Map<string, Set<() => void>>();
  let isClosed = false;

  return {
    wait(rfcId, waitMs, signal) {
      if (isClosed || signal?.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const entry = waiting.get(rfcId) ?? new Set();
        waiting.set(rfcId, entry);
        const done = () => {
          if (!entry.delete(done)) return;
          clearTimeout(timer);
          signal?.removeEventListener('abort', done);
          if (entry.size === 0) waiting.delete(rfcId);
          resolve();
        };
        const timer = setTimeout(done, waitMs);
        entry.add(done);
        signal?.addEventListener('abort', done, { once: true });
      });
    },
    wake(rfcId) {
      for (const done of waiting.get(rfcId) ?? []) done();
    },
    close() {
      isClosed = true;
      for (const entry of [...waiting.values()]) for (const done of [...entry]) done();
    },
  };
}
