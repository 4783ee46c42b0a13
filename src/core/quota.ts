/** How often each of many callers may do something. */
export interface Quota {
  /** Takes one for the caller: 0, or how long (ms) until there is one again. */
  take(caller: string): number;
}

/**
 * Each caller may do `perMinute` at once and as many a minute. Remembers `callersMax` of them;
 * with more, the one that has been quiet for the longest time is forgotten, and starts anew.
 */
export function createQuota(perMinute: number, callersMax: number, now: () => number): Quota {
  const intervalMs = 60_000 / perMinute;
  /** When a caller will have its whole quota again; least recent callers first. */
  const fullAt = new Map<string, number>();
  return {
    take(caller) {
      const time = now();
      const used = Math.max(0, (fullAt.get(caller) ?? time) - time);
      const wait = used - (perMinute - 1) * intervalMs;
      if (wait > 0) return wait;
      fullAt.delete(caller);
      fullAt.set(caller, time + used + intervalMs);
      const [oldest] = fullAt.keys();
      if (fullAt.size > callersMax && oldest !== undefined) fullAt.delete(oldest);
      return 0;
    },
  };
}
