import { openRepository } from '../../bench/corpus/repo-corpus.ts';
import { startHostedDaemon } from '../../bench/daemon/hosted-daemon.ts';
import { runReplay } from '../../bench/daemon/replay-command.ts';
import { watchDuring } from '../../bench/daemon/watch.ts';
import { makeTemporary } from '../../bench/disk.ts';
import type { RunOptions } from '../../bench/options.ts';
import type { Cell, Report } from '../../bench/report.ts';
import { compareWithNumstat } from './numstat.ts';

const FAULTS_SHOWN = 20;
const CONCURRENCY = 8;

/** Every commit of whole histories, through the service and through the parser. */
export async function run(options: RunOptions): Promise<Report> {
  if (options.repos.length === 0) throw new TypeError('histories needs --repo PATH');
  const columns: Cell[][] = [];
  const faults: string[] = [];
  const names: string[] = [];
  for (const path of options.repos) {
    const history = await replayHistory(path, options);
    names.push(history.name);
    columns.push(history.cells);
    faults.push(...history.faults);
  }
  const rows = ROWS.map((name, index) => [name, ...columns.map((cells) => cells[index] ?? '')]);
  return {
    title: 'Whole histories',
    facts: [`\`cra replay --all --verify-stats\`, ${CONCURRENCY} requests at a time`],
    tables: [{ columns: ['what', ...names], rows }],
    notes: [
      'numstat: `git log --numstat -z` of the same commits, compared path by path with what the ' +
        'parser counts in `git log --patch`',
      ...faults.slice(0, FAULTS_SHOWN).map((fault) => `FAULT: ${fault}`),
    ],
    holds: faults.length === 0,
  };
}

const ROWS = [
  'commits, no merges',
  'commits judged',
  'MB of diff',
  'without changes',
  'too large to post',
  'PASSED',
  'BLOCKED',
  'answered DRAFT first',
  '**errors, 5xx among them**',
  '**stuck**',
  '**`stats` of an RFC that differ from numstat**',
  'files compared with numstat',
  'binary files among them',
  '**files that differ from numstat**',
  '**parts of git diffs that the parser could not read**',
  'commits/s',
  'p50, ms',
  'p99, ms',
  'MB/CPU-s of the daemon',
  'lag p99, ms',
  'RSS max, MB',
  'most frequent findings',
];

async function replayHistory(path: string, { progress }: RunOptions) {
  const { git, name, head } = await openRepository(path);
  const parsed = await compareWithNumstat(git);
  progress(`histories: ${name} compared with numstat`);
  const temporary = makeTemporary();
  const daemon = await startHostedDaemon({ dataDir: temporary.path });
  try {
    const args = ['--all', '--verify-stats', '--concurrency', String(CONCURRENCY)];
    const { result, strain } = await watchDuring(daemon, () => runReplay(daemon, path, args));
    const { summary } = result;
    const mismatches = summary.stats_mismatches ?? [];
    const errors = Object.values(summary.errors).reduce((sum, count) => sum + count, 0);
    const rules = Object.entries(summary.rules).slice(0, 5);
    const cells: Cell[] = [
      parsed.commits,
      summary.commits,
      summary.megabytes,
      summary.skipped.empty,
      summary.skipped.too_large.length,
      summary.verdicts['PASSED'] ?? 0,
      summary.verdicts['BLOCKED'] ?? 0,
      summary.drafts,
      errors,
      summary.stuck.length,
      mismatches.length,
      parsed.files,
      parsed.binaries,
      parsed.mismatches.length,
      parsed.problems.length,
      summary.commits_per_second,
      summary.latency_ms?.p50 ?? Number.NaN,
      summary.latency_ms?.p99 ?? Number.NaN,
      summary.megabytes / strain.cpuSeconds,
      strain.lagP99Ms,
      strain.rssMaxMb,
      rules.map(([rule, count]) => `${rule} ${count}`).join(', '),
    ];
    const faults = [
      ...parsed.mismatches,
      ...parsed.problems,
      ...summary.failed.map(({ sha, error }) => `${sha}: ${error}`),
      ...summary.stuck.map((sha) => `${sha} is stuck`),
      ...mismatches.map((entry) => JSON.stringify(entry)),
      ...(result.exitCode === 0 ? [] : [`cra replay ended with ${result.exitCode}`]),
    ];
    return { name: `${name} at ${head}`, cells, faults: faults.map((fault) => `${name} ${fault}`) };
  } finally {
    await daemon.stop();
    temporary.remove();
  }
}
