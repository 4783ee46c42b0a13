import { openRepository } from './corpus/repo-corpus.ts';
import { type HostedDaemon, startHostedDaemon } from './daemon/hosted-daemon.ts';
import { readProfiles } from './daemon/profile.ts';
import { runReplay } from './daemon/replay-command.ts';
import { watchDuring } from './daemon/watch.ts';
import { describeDisk, makeTemporary } from './disk.ts';
import type { RunOptions } from './options.ts';
import type { Cell, Report } from './report.ts';

const CONCURRENCY = [8, 2];

/** The newest commits of a repository, posted by `cra replay` to a daemon of its own. */
export async function run(options: RunOptions): Promise<Report> {
  const [path] = options.repos;
  if (path === undefined) throw new TypeError('replay needs --repo PATH');
  const { name, head } = await openRepository(path);
  const temporary = makeTemporary();
  const disk = describeDisk(temporary.path);
  const profileDir = `${temporary.path}/profiles`;
  const daemon = await startHostedDaemon({
    dataDir: `${temporary.path}/data`,
    ...(options.profile && { profileDir }),
  });
  try {
    // Code is compiled and children are up before anything is measured.
    await runReplay(daemon, path, ['--commits', '100', '--concurrency', '8']);
    const cases = options.connections === null ? CONCURRENCY : [options.connections];
    const rows: Cell[][] = [];
    let isClean = true;
    for (const concurrency of cases) {
      const { cells, exitCode } = await measure(daemon, path, concurrency, options.commits);
      rows.push(cells);
      isClean &&= exitCode === 0;
    }
    await daemon.stop();
    return {
      title: `Replay of ${name}`,
      facts: [`newest ${options.commits} commits of ${name} at ${head}, no merges`, disk],
      tables: [{ columns: COLUMNS, rows }, ...(options.profile ? readProfiles(profileDir) : [])],
      notes: [
        'git and `cra replay` share the cores with the daemon; "waited for git" is the share of ' +
          "the senders' time in which there was nothing to send",
      ],
      holds: isClean,
    };
  } finally {
    temporary.remove();
  }
}

const COLUMNS = [
  'at a time',
  'commits',
  'MB',
  'commits/s',
  'p50, ms',
  'p99, ms',
  'MB/CPU-s of the daemon',
  'CPU of the daemon, ms each',
  'waited for git',
  'failed',
  'lag p99, ms',
  'lag max, ms',
  'RSS max, MB',
  'children',
];

async function measure(daemon: HostedDaemon, repo: string, concurrency: number, commits: number) {
  const args = ['--commits', String(commits), '--concurrency', String(concurrency)];
  const { result, strain } = await watchDuring(daemon, () => runReplay(daemon, repo, args));
  const { summary, exitCode } = result;
  const cells: Cell[] = [
    concurrency,
    summary.commits,
    summary.megabytes,
    summary.commits_per_second,
    summary.latency_ms?.p50 ?? Number.NaN,
    summary.latency_ms?.p99 ?? Number.NaN,
    summary.megabytes / strain.cpuSeconds,
    (strain.cpuSeconds * 1000) / summary.commits,
    summary.waited_for_git,
    summary.failed.length + summary.stuck.length,
    strain.lagP99Ms,
    strain.lagMaxMs,
    strain.rssMaxMb,
    strain.childrenMax,
  ];
  return { cells, exitCode };
}
