import type { DeployReport } from '../model/deploy.ts';

/** A time through which one commit ran. Times are ISO 8601, UTC. */
export interface Run {
  sha: string;
  since: string;
  /** Null: it runs still, as far as the reports go that were asked for. */
  until: string | null;
  /** The report that says so: the newest of this commit in this time. */
  report: DeployReport;
}

/** Reports of one environment and component, the newest first; null: there are no more. */
export type ReportAt = (index: number) => Promise<DeployReport | null>;

/**
 * What ran from a time on until the newest report, the newest first: a commit runs from a report
 * that it succeeded until another commit succeeds, or until it is rolled back; then the newest
 * commit before it runs again that succeeded and was not rolled back itself. `started` and `failed`
 * change nothing. The order in which reports arrived does not count, nor does a report that comes
 * twice.
 */
export async function runsSince(reportAt: ReportAt, from: string): Promise<Run[]> {
  const reports = await reportsBack(reportAt, from);
  const standing: { report: DeployReport; index: number }[] = [];
  const rolledBackAt = new Map<string, number>();
  const runs: Run[] = [];
  for (let index = reports.length - 1; index >= 0; index -= 1) {
    const report = reports[index] as DeployReport;
    if (report.result === 'rolled_back') rolledBackAt.set(report.sha, index);
    else if (report.result === 'succeeded') standing.push({ report, index });
    // Of one time, the newest report says what ran from then on.
    if (reports[index - 1]?.at === report.at) continue;
    while (isRolledBack(standing.at(-1), rolledBackAt)) standing.pop();
    const running = standing.at(-1)?.report;
    const last = runs.at(-1);
    if (last !== undefined && last.until === null) {
      if (last.sha === running?.sha) last.report = running;
      else last.until = report.at;
    }
    if (running === undefined || runs.at(-1)?.until === null) continue;
    runs.push({ sha: running.sha, since: report.at, until: null, report: running });
  }
  return runs.filter(({ until }) => until === null || until > from).reverse();
}

function isRolledBack(
  found: { report: DeployReport; index: number } | undefined,
  rolledBackAt: ReadonlyMap<string, number>,
): boolean {
  if (found === undefined) return false;
  return (rolledBackAt.get(found.report.sha) ?? found.index) < found.index;
}

/**
 * The reports, the newest first, back to where it is known what ran at a time and since when: to
 * two commits before it that succeeded, one after the other, and that no later report rolls back.
 */
async function reportsBack(reportAt: ReportAt, from: string): Promise<DeployReport[]> {
  const reports: DeployReport[] = [];
  const rolledBack = new Set<string>();
  let known: string | null = null;
  for (let index = 0; ; index += 1) {
    const report = await reportAt(index);
    if (report === null) return reports;
    const isNewestOfTime = reports.at(-1)?.at !== report.at;
    reports.push(report);
    const { sha, result, at } = report;
    if (result === 'rolled_back') rolledBack.add(sha);
    if (result !== 'succeeded' || rolledBack.has(sha) || at >= from || !isNewestOfTime) continue;
    known ??= sha;
    if (sha !== known) return reports;
  }
}
