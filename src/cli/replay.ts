import { parseArgs } from 'node:util';
import { SingleBar } from 'cli-progress';
import { readClientSettings } from '../daemon/config/reader.ts';
import type { AnalyzeAnswer } from '../model/answer.ts';
import type { AnalyzeRequest } from '../model/change.ts';
import { CraError } from '../model/errors.ts';
import { isTerminal } from '../model/rfc.ts';
import { isAnswer, notOurAnswer } from './answer.ts';
import { messageField, namesOf } from './change.ts';
import { type Commit, countCommits, type Git, openGit, readCommits } from './git.ts';
import { adviceWithoutCommits, isShallow } from './range.ts';
import {
  addAnswer,
  count,
  createTally,
  formatSummary,
  isClean,
  type ReplaySummary,
  summarise,
  type Tally,
  treeCpuSeconds,
} from './replay-summary.ts';
import {
  createServiceClient,
  dataOf,
  type ServiceClient,
  type ServiceReply,
} from './service-client.ts';
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
  const total = await countOrAdvise(git, plan.count);
  if (await isShallow(git)) {
    process.stderr.write(
      'warning: this clone is shallow: its oldest commit is taken for a first one, with all files; git fetch --unshallow brings the others\n',
    );
  }
  dataOf(await client.health(signal));
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

async function countOrAdvise(git: Git, count: number | null): Promise<number> {
  try {
    return await countCommits(git, count);
  } catch (thrown) {
    const advice = await adviceWithoutCommits(git);
    if (advice === null) throw thrown;
    const { message } = CraError.fromUnknown(thrown);
    throw new CraError('FAILED_PRECONDITION', `${message}; ${advice}`, { cause: thrown });
  }
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
  --repo-name NAME   what its RFCs say (default: its name at origin, else that of its folder)
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
interface Progress {
  step(): void;
  stop(): void;
}

/**
 * Shows progress on an output: a bar on a terminal, else a line now and then. It writes only
 * there, so that standard output holds nothing but the result.
 */
function startProgress(output: NodeJS.WriteStream, total: number, unit: string): Progress {
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

interface ReplayOptions {
  commits: AsyncGenerator<Commit>;
  client: ServiceClient;
  concurrency: number;
  names: Pick<AnalyzeRequest, 'repo_name' | 'branch'>;
  /** Filled as the replay goes on. */
  tally: Tally;
  signal: AbortSignal;
  onCommit(): void;
}

/**
 * Posts commits in their order, `concurrency` of them at a time. Resolves when all are done, when
 * the signal fires, or, with an UNAVAILABLE, when the service has not answered for a while.
 */
async function replayCommits(options: ReplayOptions): Promise<void> {
  const sender = createSender(options);
  const senders = Array.from({ length: options.concurrency }, () => sender.run());
  try {
    await Promise.all(senders);
  } finally {
    sender.stop();
    await Promise.allSettled(senders);
    await options.commits.return(undefined);
  }
}

function createSender(options: ReplayOptions): { run(): Promise<void>; stop(): void } {
  const { commits, tally, signal } = options;
  let failuresInARow = 0;
  let isStopped = false;

  async function take(): Promise<Commit | null> {
    const start = performance.now();
    const next = await commits.next();
    tally.waitedForGitMs += performance.now() - start;
    return next.done === true ? null : next.value;
  }

  async function submit(commit: Commit): Promise<void> {
    const body = bodyOf(commit, options);
    if (body === null) return;
    try {
      await post(commit, body, options);
      failuresInARow = 0;
    } catch (thrown) {
      if (signal.aborted) {
        tally.interrupted += 1;
        return;
      }
      const error = CraError.fromUnknown(thrown);
      if (error.code !== 'UNAVAILABLE') throw thrown;
      fail(tally, commit, String(error.details['why']), error.message);
      failuresInARow += 1;
      if (failuresInARow >= CLI.FAILURES_IN_A_ROW_MAX) throw error;
    }
  }

  return {
    async run() {
      const start = performance.now();
      while (!isStopped && !signal.aborted) {
        const commit = await take();
        if (commit === null) break;
        await submit(commit);
        options.onCommit();
      }
      tally.sendersMs += performance.now() - start;
    },
    stop() {
      isStopped = true;
    },
  };
}

/** The JSON body for a commit; null when it is skipped. */
function bodyOf(commit: Commit, { names, tally }: ReplayOptions): Buffer | null {
  if (commit.bytes === 0) {
    tally.skippedEmpty += 1;
    return null;
  }
  const request: AnalyzeRequest = {
    ...names,
    commit_message: messageField(commit.message),
    diff: commit.diff?.toString('utf8') ?? '',
    diffSource: 'local',
    commitSha: commit.sha,
  };
  const body = commit.diff === null ? null : Buffer.from(JSON.stringify(request));
  if (body !== null && body.length <= CLI.DIFF_BYTES_MAX) return body;
  tally.skippedLarge.push({ sha: commit.sha, bytes: commit.bytes });
  return null;
}

async function post(commit: Commit, body: Buffer, options: ReplayOptions): Promise<void> {
  const { client, tally, signal } = options;
  const reply = await client.analyze(body, signal);
  tally.retries += reply.retries;
  tally.latenciesMs.push(reply.latencyMs);
  const answer = readAnswer(reply, commit, tally);
  if (answer === null) return;
  if (isTerminal(answer.overall_status)) return addAnswer(tally, commit, answer);
  tally.drafts += 1;
  const final = await untilFinal(answer.rfc_id, commit, options);
  if (final !== null) addAnswer(tally, commit, final);
}

async function untilFinal(
  rfcId: string,
  commit: Commit,
  { client, tally, signal }: ReplayOptions,
): Promise<AnalyzeAnswer | null> {
  const deadline = performance.now() + CLI.DRAFT_WAIT_MS;
  while (performance.now() < deadline) {
    const reply = await client.rfc(rfcId, CLI.POLL_SECONDS, signal);
    const answer = readAnswer(reply, commit, tally);
    if (answer === null || isTerminal(answer.overall_status)) return answer;
  }
  tally.stuck.push(commit.sha);
  return null;
}

/** Null: it failed, which is noted. Throws where each further commit would be refused, too. */
function readAnswer(reply: ServiceReply, commit: Commit, tally: Tally): AnalyzeAnswer | null {
  if (reply.status === 401 || reply.status === 403) {
    fail(tally, commit, String(reply.status), reply.error ?? '');
    throw new CraError('FAILED_PRECONDITION', `the service says ${reply.error}`);
  }
  if (reply.error !== null) fail(tally, commit, String(reply.status), reply.error);
  else if (isAnswer(reply.data)) return reply.data;
  else fail(tally, commit, 'unreadable', notOurAnswer().message);
  return null;
}

function fail(tally: Tally, commit: Commit, kind: string, error: string): void {
  count(tally.errors, kind);
  tally.failed.push({ sha: commit.sha, error });
}
