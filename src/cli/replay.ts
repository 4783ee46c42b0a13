import { parseArgs } from 'node:util';
import { SingleBar } from 'cli-progress';
import { readClientSettings } from '../daemon/config/config.ts';
import { CraError } from '../model/errors.ts';
import { namesOf } from './change.ts';
import { countCommits, readCommits } from './commits.ts';
import { type Git, openGit } from './git.ts';
import { treeCpuSeconds } from './process-cpu.ts';
import { replayCommits } from './replay-run.ts';
import {
  createTally,
  formatSummary,
  isClean,
  type ReplaySummary,
  summarise,
  type Tally,
} from './replay-summary.ts';
import { createServiceClient, type ServiceClient } from './service-client.ts';
import { CLI, createPaint, onInterrupt, wholeNumber } from './terminal.ts';

const EXIT_NOT_CLEAN = 2;
const MIB = 1024 * 1024;

/**
 * `cra replay`: posts a repository's own commits to a running service. Resolves with 0 when every
 * commit got a verdict, else with 2.
 */
export async function run(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const settings = readClientSettings();
  const plan = readPlan(values);
  const git = await openGit(plan.repo, settings.gitEnvironment);
  const client = createServiceClient({
    baseUrl: values.server ?? settings.baseUrl,
    token: values.token ?? settings.token,
    connections: plan.concurrency,
  });
  const interrupt = onInterrupt();
  try {
    const { summary, tally, failure } = await replay(git, client, plan, interrupt.signal);
    const paint = createPaint(process.stdout.isTTY && settings.wantsColour);
    const json = () => `${JSON.stringify(summary, null, 2)}\n`;
    process.stdout.write(values.json ? json() : formatSummary(summary, paint));
    if (failure !== null) throw failure;
    return isClean(tally) ? 0 : EXIT_NOT_CLEAN;
  } finally {
    interrupt.release();
    client.close();
  }
}

interface Plan {
  repo: string;
  /** Null: as its folder. */
  repoName: string | null;
  /** Null: all. */
  count: number | null;
  concurrency: number;
  pid: number | null;
  isVerified: boolean;
}

function readPlan(
  values: ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'],
): Plan {
  if (values.repo === undefined) throw new CraError('INVALID_ARGUMENT', '--repo is required');
  if (values.all && values.commits !== undefined) {
    throw new CraError('INVALID_ARGUMENT', '--all and --commits exclude each other');
  }
  const { concurrency, commits, pid } = values;
  const count = wholeNumber('commits', commits, CLI.COMMITS_DEFAULT, Number.MAX_SAFE_INTEGER);
  return {
    repo: values.repo,
    repoName: values['repo-name'] ?? null,
    count: values.all ? null : count,
    concurrency: wholeNumber(
      'concurrency',
      concurrency,
      CLI.CONCURRENCY_DEFAULT,
      CLI.CONCURRENCY_MAX,
    ),
    pid: pid === undefined ? null : wholeNumber('pid', pid, 0, Number.MAX_SAFE_INTEGER),
    isVerified: values['verify-stats'] === true,
  };
}

interface Replay {
  tally: Tally;
  summary: ReplaySummary;
  /** Why it ended early, but for an interrupt. */
  failure: unknown;
}

async function replay(
  git: Git,
  client: ServiceClient,
  plan: Plan,
  signal: AbortSignal,
): Promise<Replay> {
  const names = await namesOf(git, { repoName: plan.repoName, branch: null });
  const total = await countCommits(git, plan.count);
  const { error } = await client.health(signal);
  if (error !== null) throw new CraError('FAILED_PRECONDITION', `the service says ${error}`);
  const tally = createTally();
  const progress = startProgress(process.stderr, total, 'commits');
  const cpuAtStart = cpuSeconds(plan.pid);
  const start = performance.now();
  const { concurrency, count, isVerified } = plan;
  const commits = readCommits(git, { count, numstat: isVerified });
  let failure: unknown = null;
  try {
    const onCommit = progress.step;
    await replayCommits({ commits, client, concurrency, names, tally, signal, onCommit });
  } catch (thrown) {
    failure = thrown;
  }
  progress.stop();
  const elapsedMs = performance.now() - start;
  const used = cpuUsed(cpuAtStart, cpuSeconds(plan.pid));
  const options = { repo: names.repo_name, elapsedMs, cpuSeconds: used, isVerified };
  return { tally, summary: summarise(tally, options), failure };
}

function cpuSeconds(pid: number | null): number | null {
  return pid === null ? null : treeCpuSeconds(pid);
}

/** Null when the process was not seen at both ends. */
function cpuUsed(start: number | null, end: number | null): number | null {
  return start === null || end === null ? null : Math.round((end - start) * 100) / 100;
}

const OPTIONS = {
  repo: { type: 'string' },
  'repo-name': { type: 'string' },
  commits: { type: 'string' },
  all: { type: 'boolean' },
  concurrency: { type: 'string' },
  server: { type: 'string' },
  token: { type: 'string' },
  pid: { type: 'string' },
  json: { type: 'boolean' },
  'verify-stats': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const HELP = `usage: cra replay --repo PATH [OPTIONS]

Posts the commits of a repository without its merges, oldest first, to a running service. Then it
prints counts of verdicts and rules, latencies, rates and errors. Ctrl-C ends it with what there is.

  --repo PATH        the repository
  --repo-name NAME   what its RFCs say (default: the name of its folder)
  --commits N        the newest N commits (default ${CLI.COMMITS_DEFAULT})
  --all              all of them
  --concurrency N    requests at a time (default ${CLI.CONCURRENCY_DEFAULT})
  --server URL       the service (default: CRA_BASE_URL, else http://127.0.0.1:3011)
  --token TOKEN      its API token; CRA_API_TOKEN or CRA_API_TOKEN_FILE keep it out of ps
  --pid PID          process id of the service, on this machine: measures MB per CPU-second
  --verify-stats     compare files, additions and deletions of every answer with git's numstat
  --json             the summary as JSON

Exit code: 0 when every commit got a verdict (and its numbers are right), else 2. Commits without
changes and those above ${CLI.DIFF_BYTES_MAX / MIB} MiB are skipped
and counted.

  cra replay --repo ~/src/express --commits 500
  cra replay --repo . --all --verify-stats --json > replay.json
`;

/** How far a long command is. */
export interface Progress {
  step(): void;
  stop(): void;
}

/**
 * Shows progress on an output: a bar on a terminal, else a line now and then. It writes only
 * there, so that standard output holds nothing but the result.
 */
export function startProgress(output: NodeJS.WriteStream, total: number, unit: string): Progress {
  return output.isTTY ? startBar(output, total, unit) : startLines(output, total, unit);
}

function startBar(output: NodeJS.WriteStream, total: number, unit: string): Progress {
  const format = `{bar} {percentage} % | {value}/{total} ${unit} | {eta_formatted} left`;
  const bar = new SingleBar({ format, stream: output, hideCursor: true, clearOnComplete: true });
  bar.start(total, 0);
  return { step: () => bar.increment(), stop: () => bar.stop() };
}

function startLines(output: NodeJS.WriteStream, total: number, unit: string): Progress {
  let done = 0;
  const timer = setInterval(() => {
    output.write(`${done}/${total} ${unit}\n`);
  }, CLI.PROGRESS_INTERVAL_MS);
  timer.unref();
  return {
    step() {
      done += 1;
    },
    stop: () => clearInterval(timer),
  };
}
