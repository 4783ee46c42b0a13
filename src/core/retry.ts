import { setTimeout as pause } from 'node:timers/promises';

interface RetryOptions {
  /**
   * How long to wait before the next attempt, in ms, after an error and this many retries; null:
   * the error is final.
   */
  delayMs(error: unknown, retries: number): number | null;
  /** Ends a wait; the last error is then thrown. */
  signal?: AbortSignal;
}

/** Calls until a call succeeds. Rejects with the error of the last attempt. */
export async function retry<T>(
  attempt: () => Promise<T>,
  { delayMs, signal }: RetryOptions,
): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await attempt();
    } catch (thrown) {
      const ms = signal?.aborted ? null : delayMs(thrown, retries);
      if (ms === null) throw thrown;
      await pause(ms, undefined, signal && { signal }).catch(() => Promise.reject(thrown));
    }
  }
}
