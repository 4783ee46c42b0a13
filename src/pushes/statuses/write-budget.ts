import { COMMIT_STATUS } from '../../limits.ts';

/** How many calls a host may be given: a bucket of BURST_MAX that fills at REFILL_PER_MINUTE. */
export interface WriteBudget {
  /** Takes one; false: there is none left. */
  take(): boolean;
  /** How long (ms) until there are so many, at most BURST_MAX. */
  waitFor(calls: number): number;
}

/** Creates a full one. `now` in ms; a clock that goes back does no harm. */
export function createWriteBudget(now: () => number): WriteBudget {
  const perMs = COMMIT_STATUS.REFILL_PER_MINUTE / 60_000;
  let calls: number = COMMIT_STATUS.BURST_MAX;
  let filledAt = now();

  function fill(): void {
    const time = now();
    calls = Math.min(COMMIT_STATUS.BURST_MAX, calls + Math.max(0, time - filledAt) * perMs);
    filledAt = time;
  }

  return {
    take() {
      fill();
      if (calls < 1) return false;
      calls -= 1;
      return true;
    },
    waitFor(wanted) {
      fill();
      // A hair more, so that rounding does not leave it just short.
      return calls >= wanted ? 0 : Math.ceil((wanted - calls) / perMs) + 1;
    },
  };
}
