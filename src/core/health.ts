import type { Clock } from './rate-limit.ts';

/** Whether a party of the network takes calls, as its answers tell. */
export interface Health {
  readonly state: 'up' | 'down' | 'limited';
  /** The last failure and its time (ISO 8601, UTC), also when it is over; null when absent. */
  readonly lastError: { reason: string; at: string } | null;
  /** How long (ms) the party is to be left alone; 0: it is not. */
  quietMs(): number;
  onSuccess(): void;
  /** `limited`: it asked for so long (ms); `down`: so long at least; others are noted alone. */
  onProblem(problem: { outcome: string; reason: string; waitMs?: number }): void;
}

export interface HealthOptions {
  clock: Clock;
  /** A party that is down is left alone for so long, then for twice as long, up to the other. */
  pauseMsMin: number;
  pauseMsMax: number;
  /** Called when it begins to be left alone, and not for each failure. */
  onQuiet(reason: string, waitMs: number): void;
  onBack(): void;
}

/** Creates it for a party that is taken to be up. */
export function createHealth({
  clock,
  pauseMsMin,
  pauseMsMax,
  onQuiet,
  onBack,
}: HealthOptions): Health {
  /** Pauses in a row that ended with a party that is down. */
  let failures = 0;
  let isLimited = false;
  let quietUntil = 0;
  let lastError: Health['lastError'] = null;
  const quietMs = () => Math.max(0, quietUntil - clock.now());
  const pauseMs = () => Math.min(pauseMsMax, pauseMsMin * 2 ** Math.min(failures - 1, 10));

  function leaveAlone(outcome: 'limited' | 'down', reason: string, askedMs: number): void {
    // Of calls that fail together the first one counts.
    if (quietMs() > 0) return;
    isLimited = outcome === 'limited';
    if (!isLimited) failures += 1;
    const waitMs = isLimited ? askedMs : Math.max(askedMs, pauseMs());
    quietUntil = clock.now() + waitMs;
    if (isLimited || failures === 1) onQuiet(reason, waitMs);
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
    onSuccess() {
      if (failures > 0) onBack();
      failures = 0;
    },
    onProblem({ outcome, reason, waitMs = 0 }) {
      lastError = { reason, at: new Date(clock.now()).toISOString() };
      if (outcome === 'limited' || outcome === 'down') leaveAlone(outcome, reason, waitMs);
    },
  };
}
