import { type DeployReport, FAILURES, type Outcome } from '../model/deploy.ts';
import { outcomesSince } from './outcomes.ts';
import { type ReportAt, type Run, runsSince } from './runs.ts';

/** What made a deploy count as failed. */
export type Failure = (typeof FAILURES)[number];

/** How the deploys of one place went. */
export interface DeployFigures {
  /** Days with a deploy (UTC), the oldest first. */
  days: { date: string; deploys: number; failed: number }[];
  /** Attempts that ended: reports of `succeeded` or `failed`. */
  deploys: number;
  /** Failed deploys, each by the first of `FAILURES` that holds. */
  failures: Record<Failure, number>;
  /** Half of the failures ended within so many seconds; null: no failure was restored. */
  restore_seconds: number | null;
  restored: number;
  /** Failed deploys after which no other commit has come yet. */
  unrestored: number;
}

interface Ended {
  report: DeployReport;
  failure: { kind: Failure; seconds: number | null } | null;
}

/**
 * The figures of one place from a time on (ISO 8601). An outcome belongs to the newest deploy of
 * its commit until then; without a deploy in that time it counts nowhere. A failure lasts from the
 * report `failed`, from the statement, or else from when the commit began to run, until another
 * commit succeeds. `ofChanges`: outcomes of changes by themselves, which count wherever they ran.
 */
export async function figuresSince(
  reportAt: ReportAt,
  from: string,
  ofChanges: readonly Outcome[] = [],
): Promise<DeployFigures> {
  const ends = await endsSince(reportAt, from);
  const runs = await runsSince(reportAt, from);
  const outcomes = [...(await outcomesSince(reportAt, from)), ...ofChanges];
  const bySha = new Map<string, Ended[]>();
  for (const ended of ends) {
    const same = bySha.get(ended.report.sha);
    if (same === undefined) bySha.set(ended.report.sha, [ended]);
    else same.push(ended);
  }
  for (const outcome of outcomes) attribute(outcome, bySha.get(outcome.sha ?? '') ?? [], runs);
  const failed = ends.flatMap(({ failure }) => failure ?? []);
  const waits = failed.flatMap(({ seconds }) => seconds ?? []).sort((a, b) => a - b);
  const counts = FAILURES.map((kind) => [kind, failed.filter((one) => one.kind === kind).length]);
  return {
    days: daysOf(ends),
    deploys: ends.length,
    failures: Object.fromEntries(counts) as Record<Failure, number>,
    restore_seconds: waits[Math.ceil(waits.length / 2) - 1] ?? null,
    restored: waits.length,
    unrestored: failed.length - waits.length,
  };
}

/** The newest first. */
async function endsSince(reportAt: ReportAt, from: string): Promise<Ended[]> {
  const ends: Ended[] = [];
  for (let index = 0; ; index += 1) {
    const report = await reportAt(index);
    if (report === null || report.at < from) return ends;
    const { result } = report;
    if (result === 'succeeded' || result === 'failed') ends.push({ report, failure: null });
  }
}

/** `ends`: of the commit that the outcome is of. */
function attribute(outcome: Outcome, ends: readonly Ended[], runs: readonly Run[]): void {
  const { sha, kind, at, is_failure } = outcome;
  if (kind === 'fine' || !is_failure) return;
  const of = kind === 'failed' ? 'failed' : 'succeeded';
  const ended = ends.find(({ report }) => report.result === of && report.at <= at);
  if (ended === undefined) return;
  const known = ended.failure;
  if (known !== null && FAILURES.indexOf(known.kind) <= FAILURES.indexOf(kind)) return;
  const isFound = kind === 'rolled_back' || kind === 'replaced' || kind === 'reverted';
  const begun = isFound ? ended.report.at : at;
  const next = runs.findLast((run) => run.sha !== sha && run.since >= at);
  const seconds = next === undefined ? null : (Date.parse(next.since) - Date.parse(begun)) / 1_000;
  ended.failure = { kind, seconds };
}

function daysOf(ends: readonly Ended[]): DeployFigures['days'] {
  const days = new Map<string, DeployFigures['days'][number]>();
  for (const { report, failure } of [...ends].reverse()) {
    const date = report.at.slice(0, 10);
    const day = days.get(date) ?? { date, deploys: 0, failed: 0 };
    day.deploys += 1;
    if (failure !== null) day.failed += 1;
    days.set(date, day);
  }
  return [...days.values()];
}
