import { PUSHES } from '../limits.ts';

/** How long (ms) pushes wait for what comes by itself. */
export interface PushTimes {
  /** Before each further try to have a commit that its host does not give. */
  retryMs: readonly number[];
  /** A webhook may be on its way for so long. */
  graceMs: number;
  /** How often an idle daemon looks for what is due. */
  pollMs: number;
}

export const PUSH_TIMES: PushTimes = {
  retryMs: PUSHES.RETRY_MS,
  graceMs: PUSHES.HEAD_GRACE_MS,
  pollMs: PUSHES.POLL_INTERVAL_MS,
};
