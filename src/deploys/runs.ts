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
  const runs: Run[] = [];
  let until: string | null = null;
  for (let index = 0; ; index += 1) {
    const row = await reportAt(index);
    if (row === null) return runs;
    // Of one time, the newest report says what ran from then on.
    if (row.at === until) continue;
    const running = await runningAt(reportAt, index);
    const last = runs.at(-1);
    if (last !== undefined && last.sha === running?.sha && last.since === until) {
      last.since = row.at;
    } else if (last !== undefined && last.since < from) {
      return runs;
    } else if (running !== null) {
      runs.push({ sha: running.sha, since: row.at, until, report: running });
    }
    if (running === null && row.at < from) return runs;
    until = row.at;
  }
}

/** The report of the commit that runs after a report; null: no commit is known to run. */
async function runningAt(reportAt: ReportAt, index: number): Promise<DeployReport | null> {
  const rolledBack = new Set<string>();
  for (let at = index; ; at += 1) {
    const report = await reportAt(at);
    if (report === null) return null;
    if (report.result === 'rolled_back') rolledBack.add(report.sha);
    else if (report.result === 'succeeded' && !rolledBack.has(report.sha)) return report;
  }
}
