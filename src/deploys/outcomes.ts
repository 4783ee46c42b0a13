import { type DeployReport, isStatement, OUTCOMES, type Outcome } from '../model/deploy.ts';
import { type ReportAt, runsSince } from './runs.ts';

/**
 * What became of commits in one place from a time on (ISO 8601), the newest first: deploys that
 * failed or were rolled back, commits that were replaced by an older one soon, that later commits
 * revert, and the newest statement about each commit. It is computed from the reports, whatever
 * their order of arrival.
 */
export async function outcomesSince(reportAt: ReportAt, from: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  /** The newest statement about each. */
  const stated = new Map<string, DeployReport>();
  const rolledBack = new Set<string>();
  for (let index = 0; ; index += 1) {
    const report = await reportAt(index);
    if (report === null || report.at < from) break;
    const { sha, result, at } = report;
    const about = subjectOf(report);
    if (isStatement(result)) {
      if (stated.has(about)) continue;
      stated.set(about, report);
      outcomes.push(outcomeOf(report, { kind: result, by_statement: true }));
    } else if (result === 'failed' || result === 'rolled_back' || result === 'reverted') {
      outcomes.push(outcomeOf(report, { kind: result, by_statement: false }));
      if (result === 'rolled_back') rolledBack.add(`${sha} ${at}`);
    }
  }
  const replaced = await replacedSince(reportAt, from);
  outcomes.push(...replaced.filter(({ sha, at }) => !rolledBack.has(`${sha} ${at}`)));
  // What happened later is not what that statement was about.
  const isFine = (outcome: Outcome) => {
    const newest = stated.get(subjectOf(outcome));
    return newest?.result === 'fine' && outcome.at <= newest.at;
  };
  return outcomes
    .map((outcome) => ({ ...outcome, is_failure: !isFine(outcome) }))
    .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}

/** What an outcome is about: a commit, or an RFC that names none. */
function subjectOf({ sha, rfc_id }: { sha: string | null; rfc_id?: string | null }): string {
  return sha || (rfc_id ?? '');
}

/** Commits that ran for a short time, and then one ran again that ran there first. */
async function replacedSince(reportAt: ReportAt, from: string): Promise<Outcome[]> {
  const boxMs = OUTCOMES.DAYS_MAX * DAY_MS;
  const runs = await runsSince(reportAt, new Date(Date.parse(from) - boxMs).toISOString());
  const firstRuns = new Map<string, number>();
  const replaced: Outcome[] = [];
  for (const [index, { sha, since, report }] of runs.reverse().entries()) {
    const before = runs[index - 1];
    if (!firstRuns.has(sha)) firstRuns.set(sha, index);
    const isOlder =
      before !== undefined && placeIn(firstRuns, sha) < placeIn(firstRuns, before.sha);
    if (isOlder && before.until === since && since >= from) {
      const ranMs = Date.parse(since) - Date.parse(before.since);
      const outcome = outcomeOf(report, { kind: 'replaced', by_statement: false });
      if (ranMs <= OUTCOMES.REPLACED_HOURS_MAX * HOUR_MS) {
        replaced.push({ ...outcome, sha: before.sha, at: since });
      }
    }
  }
  return replaced;
}

function placeIn(firstRuns: ReadonlyMap<string, number>, sha: string): number {
  return firstRuns.get(sha) ?? Number.POSITIVE_INFINITY;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function outcomeOf(
  { sha, rfc_id, reverted_by, at, url, by }: DeployReport,
  what: Pick<Outcome, 'kind' | 'by_statement'>,
): Outcome {
  return {
    sha: sha || null,
    rfc_id: rfc_id ?? null,
    ...what,
    is_failure: true,
    reverted_by: reverted_by ?? null,
    at,
    url,
    by,
  };
}
