import type { Outcome, OutcomeStats } from '../model/deploy.ts';
import type { Run } from './runs.ts';

/** What the statistics of one place are counted from. Times are ISO 8601, UTC. */
export interface CountedPlace {
  from: string;
  until: string;
  /** The newest first; those that began before `from` are not counted as deploys. */
  runs: readonly Run[];
  /** Of the place, and of the changes by themselves. */
  outcomes: readonly Outcome[];
}

/**
 * Deploys of one place and what became of them. A change counts as failed when one of its outcomes
 * is a failure, whether it was observed or stated; each kind says how many changes have it. A
 * failure is restored when another commit runs in its place, which is all that the ledger knows.
 */
export function countOutcomes({ from, until, runs, outcomes }: CountedPlace): OutcomeStats {
  const began = runs.filter(({ since }) => since >= from);
  const failedDeploys = outcomes.filter(({ kind }) => kind === 'failed');
  const deployed = new Set([...began, ...failedDeploys].map(({ sha }) => sha ?? ''));
  const counted = outcomes.filter(({ sha, is_failure }) => is_failure && deployed.has(sha ?? ''));
  const failed = new Set(counted.map(({ sha }) => sha ?? ''));
  const kinds: Record<string, number> = {};
  for (const kind of new Set(counted.map((outcome) => outcome.kind))) {
    const of = counted.filter((outcome) => outcome.kind === kind);
    kinds[kind] = new Set(of.map(({ sha }) => sha)).size;
  }
  const ranAndFailed = began.filter(({ sha }) => failed.has(sha));
  const ended = ranAndFailed.flatMap((run) => (run.until === null ? [] : [secondsOf(run)]));
  return {
    from,
    until,
    deploys: began.length + failedDeploys.length,
    changes: deployed.size,
    failed_changes: failed.size,
    failure_share: deployed.size === 0 ? null : failed.size / deployed.size,
    failed_by_kind: kinds,
    restored: ended.length,
    not_restored: ranAndFailed.length - ended.length,
    restore_seconds_median: medianOf(ended),
    days: countDays(began, failedDeploys),
  };
}

function secondsOf({ since, until }: Run): number {
  return Math.round((Date.parse(until ?? since) - Date.parse(since)) / 1000);
}

/** The lower of the two in the middle; null: of an empty list. */
function medianOf(numbers: readonly number[]): number | null {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}

/** Days (UTC) with a deploy, the oldest first. */
function countDays(runs: readonly Run[], failed: readonly Outcome[]): OutcomeStats['days'] {
  const days = new Map<string, { day: string; deploys: number; failed_deploys: number }>();
  const countIn = (at: string, failures: number) => {
    const day = at.slice(0, 'YYYY-MM-DD'.length);
    const known = days.get(day) ?? { day, deploys: 0, failed_deploys: 0 };
    known.deploys += 1;
    known.failed_deploys += failures;
    days.set(day, known);
  };
  for (const { since } of runs) countIn(since, 0);
  for (const { at } of failed) countIn(at, 1);
  return [...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
}
