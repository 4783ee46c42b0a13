import type { AnalyzeRequest } from '../model/change.ts';
import { CraError } from '../model/errors.ts';
import { isTerminal } from '../model/rfc.ts';
import { type AnalyzeAnswer, isAnswer } from './answer.ts';
import { messageField } from './change.ts';
import type { Commit } from './commits.ts';
import { addAnswer, count, type Tally } from './replay-summary.ts';
import type { ServiceClient, ServiceReply } from './service-client.ts';
import { CLI } from './terminal.ts';

export interface ReplayOptions {
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
export async function replayCommits(options: ReplayOptions): Promise<void> {
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

function readAnswer(reply: ServiceReply, commit: Commit, tally: Tally): AnalyzeAnswer | null {
  if (reply.error !== null) fail(tally, commit, String(reply.status), reply.error);
  else if (isAnswer(reply.data)) return reply.data;
  else
    fail(
      tally,
      commit,
      'unreadable',
      'the server did not answer like a cra service: check the address',
    );
  return null;
}

function fail(tally: Tally, commit: Commit, kind: string, error: string): void {
  count(tally.errors, kind);
  tally.failed.push({ sha: commit.sha, error });
}
