import type { Clock } from '../../core/pause.ts';
import type { PostResult } from '../../hosts/commit-status.ts';
import { COMMIT_STATUS } from '../../limits.ts';
import type { Logger } from '../../telemetry/logger.ts';

export type Problem = Exclude<PostResult, { outcome: 'posted' }>;

/** Whether a host takes calls, as its answers tell. */
export interface HostHealth {
  readonly state: 'up' | 'down' | 'limited';
  /** The last failure and its time (ISO 8601, UTC), also when it is over; null: there was none. */
  readonly lastError: { reason: string; at: string } | null;
  /** How long (ms) the host is to be left alone; 0: it is not. */
  quietMs(): number;
  onPosted(): void;
  onProblem(problem: Problem): void;
}

/** Creates it for a host that is taken to be up. Logs when that changes, not every failure. */
export function createHostHealth(host: string, clock: Clock, log: Logger): HostHealth {
  /** Pauses in a row that ended with a host that is down. */
  let failures = 0;
  let isLimited = false;
  let quietUntil = 0;
  let lastError: HostHealth['lastError'] = null;
  const quietMs = () => Math.max(0, quietUntil - clock.now());

  function leaveAlone(outcome: 'limited' | 'down', reason: string, askedMs: number): void {
    // Of calls that fail together the first one counts.
    if (quietMs() > 0) return;
    isLimited = outcome === 'limited';
    if (!isLimited) failures += 1;
    const waitMs = isLimited ? askedMs : Math.max(askedMs, pauseAfter(failures));
    quietUntil = clock.now() + waitMs;
    if (isLimited || failures === 1) {
      log.warn({ host, reason, waitMs }, 'the host takes no commit statuses now');
    }
  }

  return {
    get state() {
      if (isLimited && quietMs() > 0) return 'limited';
      return failures > 0 ? 'down' : 'up';
    },
    get lastError() {
      return lastError;
    },
    quietMs,
    onPosted() {
      if (failures > 0) log.info({ host }, 'the host takes commit statuses again');
      failures = 0;
    },
    onProblem(problem) {
      const { outcome, reason } = problem;
      lastError = { reason, at: new Date(clock.now()).toISOString() };
      if (outcome === 'limited' || outcome === 'down') leaveAlone(outcome, reason, problem.waitMs);
    },
  };
}

/** How long (ms) a host that failed so many times in a row is left alone: 1, 2, 4 ... 60 s. */
function pauseAfter(failures: number): number {
  const doubled = COMMIT_STATUS.RETRY_MS_MIN * 2 ** Math.min(failures - 1, 10);
  return Math.min(COMMIT_STATUS.RETRY_MS_MAX, doubled);
}
