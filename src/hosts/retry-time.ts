import { COMMIT_STATUS } from '../limits.ts';

/**
 * How long (ms) until a status that waits since `ageMs` is tried again: 1, 2, 4 ... 60 s for ten
 * minutes, then every ten minutes; null: it is given up after three days. Told by its age alone,
 * so no attempts have to be counted anywhere.
 */
export function retryDelay(ageMs: number): number | null {
  if (ageMs >= COMMIT_STATUS.RETRY_FOR_MS) return null;
  if (ageMs >= COMMIT_STATUS.RETRY_SOON_FOR_MS) return COMMIT_STATUS.RETRY_LATE_MS;
  return Math.min(COMMIT_STATUS.RETRY_MS_MAX, Math.max(COMMIT_STATUS.RETRY_MS_MIN, ageMs));
}

/** How long (ms) a host that failed so many times in a row is left alone: 1, 2, 4 ... 60 s. */
export function pauseAfter(failures: number): number {
  const doubled = COMMIT_STATUS.RETRY_MS_MIN * 2 ** Math.min(failures - 1, 10);
  return Math.min(COMMIT_STATUS.RETRY_MS_MAX, doubled);
}
