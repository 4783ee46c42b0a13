import { createHash } from 'node:crypto';
import { CraError } from '../model/errors.ts';
import { callApi, readRefusal } from './api.ts';
import { CONCLUSIONS, github, LOOK_AGAIN, shownRun } from './github.ts';
import type { AppTokens } from './github-app.ts';
import {
  type Annotation,
  type ApiAnswer,
  type CommitState,
  type CommitStatus,
  contextOf,
  type HostWork,
  type PostResult,
  type PostStatus,
  type Problem,
  type ReadStatus,
} from './host.ts';
import { objectOf } from './push-payload.ts';
import { HOSTS, type VcsHost } from './settings.ts';

/** Calls that a check run takes: the list of runs, and a write for each part of its annotations. */
export function checkRunCalls({ report }: CommitStatus): number {
  const count = Math.min(report?.annotations.length ?? 0, HOSTS.ANNOTATIONS_MAX);
  return 1 + Math.max(1, Math.ceil(count / HOSTS.ANNOTATIONS_PER_CALL));
}

interface CheckRunsOptions {
  host: VcsHost;
  tokens: AppTokens;
  deadlineMs: number;
  /** Ms since the epoch. */
  now(): number;
}

/**
 * Shows statuses as check runs, which GitHub takes from Apps alone:
 * https://docs.github.com/en/rest/checks/runs. The run that is there is looked up each time, so
 * that no restart doubles it and annotations go on where a call was broken off.
 */
export function openCheckRuns(
  options: CheckRunsOptions,
): (...args: Parameters<PostStatus>) => Promise<PostResult> {
  const { app } = options.host;
  const call = openRunCalls(options);

  /** Posts with a token; null: the token is no longer valid. */
  async function post(
    status: CommitStatus,
    token: string,
    work: HostWork,
  ): Promise<PostResult | null> {
    const { repo, sha } = status;
    const listed = await call('GET', { path: listPath(status), token, work });
    if ('problem' in listed) return listed.isExpired ? null : listed.problem;
    const run = ownRun(listed.answer, app?.appId ?? '');
    if (run === undefined) return somethingElse(listed.answer);
    const { annotations = [] } = status.report ?? {};
    const shown = annotations.slice(0, HOSTS.ANNOTATIONS_MAX);
    const digest = digestOf(shown);
    const canUpdate = run !== null && isUpdatable(run, status, digest);
    let done = canUpdate && run.digest === digest ? run.annotations : 0;
    let id = canUpdate ? run.id : null;
    do {
      const part = shown.slice(done, done + HOSTS.ANNOTATIONS_PER_CALL);
      const body = { ...bodyOf(status, part), external_id: digest };
      const sent: CheckRunCall =
        id === null
          ? await call('POST', {
              path: `/repos/${repo}/check-runs`,
              token,
              body: { ...body, head_sha: sha },
              work,
            })
          : await call('PATCH', { path: `/repos/${repo}/check-runs/${id}`, token, body, work });
      if ('problem' in sent) return sent.isExpired ? null : sent.problem;
      const { id: newId } = (sent.answer.json ?? {}) as { id?: unknown };
      if (!Number.isSafeInteger(newId)) return somethingElse(sent.answer);
      id = newId as number;
      done += part.length;
    } while (done < shown.length);
    return { outcome: 'posted' };
  }

  return (status, work) =>
    withToken(options.tokens, status.repo, work, (token) => post(status, token, work));
}

/** Reads the newest check run under a name, whichever App made it. */
export function openCheckRunReader(options: CheckRunsOptions): ReadStatus {
  const call = openRunCalls(options);
  return async ({ repoFullName: repo, sha, component }, signal) => {
    const work = { signal, onCall: () => undefined };
    const path = listPath({ repo, sha, ...(component !== null && { component }) });
    const read = await withToken(options.tokens, repo, work, async (token) => {
      const listed = await call('GET', { path, token, work });
      if ('problem' in listed) return listed.isExpired ? null : listed.problem;
      const runs = runsOf(listed.answer);
      return runs === null ? somethingElse(listed.answer) : { runs };
    });
    if ('reason' in read) throw new CraError('UNAVAILABLE', read.reason);
    const [newest] = read.runs;
    return newest === undefined ? null : shownRun({ ...newest });
  };
}

/** Null from `use`: the token is no longer valid, as it may be revoked before its end. */
async function withToken<Result>(
  tokens: AppTokens,
  repo: string,
  { signal }: HostWork,
  use: (token: string) => Promise<Result | null>,
): Promise<Result | Problem> {
  for (let attempt = 1; ; attempt += 1) {
    const asked = await tokens.tokenFor(repo, signal);
    if ('problem' in asked) return asked.problem;
    const result = await use(asked.token);
    if (result !== null) return result;
    tokens.forget(repo);
    if (attempt > 1) return { outcome: 'refused', reason: 'the host refuses our token (401)' };
  }
}

type CallRuns = (method: 'GET' | 'POST' | 'PATCH', call: RunCall) => Promise<CheckRunCall>;

function openRunCalls({ host, deadlineMs, now }: CheckRunsOptions): CallRuns {
  return async (method, { path, token, body, work }) => {
    work.onCall();
    const called = await callApi({
      method,
      url: `${host.apiUrl}${path}`,
      headers: github.apiHeaders(token),
      body,
      bytesMax: HOSTS.LIST_BYTES_MAX,
      deadlineMs,
      signal: work.signal,
    });
    if ('problem' in called) {
      return { problem: { outcome: 'down', reason: called.problem, waitMs: 0 }, isExpired: false };
    }
    const { answer } = called;
    if (answer.status === 200 || answer.status === 201) return { answer };
    return { problem: problemOf(answer, now()), isExpired: answer.status === 401 };
  };
}

function listPath(status: Pick<CommitStatus, 'repo' | 'sha' | 'component'>): string {
  const name = encodeURIComponent(contextOf(status));
  return `/repos/${status.repo}/commits/${status.sha}/check-runs?check_name=${name}&per_page=100`;
}

interface RunCall {
  path: string;
  token: string;
  body?: unknown;
  work: HostWork;
}

type CheckRunCall = { answer: ApiAnswer } | { problem: Problem; isExpired: boolean };

/** A check run of ours, as the host keeps it. */
interface CheckRun {
  id: number;
  isCompleted: boolean;
  /** No other App has made one under the name since. */
  isNewest: boolean;
  annotations: number;
  /** Of its annotations: the `external_id` that we gave it. */
  digest: string;
}

/** Our newest check run in a list; null: it has none; undefined: the answer is not a list. */
function ownRun(answer: ApiAnswer, appId: string): CheckRun | null | undefined {
  const runs = runsOf(answer);
  if (runs === null) return undefined;
  const isOurs = ({ app }: ListedRun) => String(app?.id) === appId || app?.client_id === appId;
  const own = runs.find(isOurs);
  if (own === undefined) return null;
  return {
    id: own.id,
    isCompleted: own.status === 'completed',
    isNewest: own === runs[0],
    annotations: own.output?.annotations_count ?? 0,
    digest: own.external_id ?? '',
  };
}

/** The newest first; null: the answer is not a list. */
function runsOf({ json }: ApiAnswer): ListedRun[] | null {
  const { check_runs: runs } = objectOf(json);
  if (!Array.isArray(runs)) return null;
  const listed = runs.map(objectOf).filter(({ id }) => Number.isSafeInteger(id));
  return (listed as unknown as ListedRun[]).sort((one, other) => other.id - one.id);
}

interface ListedRun {
  id: number;
  status?: string;
  external_id?: string | null;
  output?: { annotations_count?: number };
  app?: { id?: number; client_id?: string };
}

/**
 * Annotations can be added and not removed, and what is completed does not begin again. The run
 * of another App under our name does not stay the newest.
 */
function isUpdatable(run: CheckRun, { state }: CommitStatus, digest: string): boolean {
  if (!run.isNewest) return false;
  if (run.isCompleted && state === 'pending') return false;
  return run.annotations === 0 || run.digest === digest;
}

function digestOf(annotations: readonly Annotation[]): string {
  return createHash('sha256').update(JSON.stringify(annotations)).digest('hex').slice(0, 32);
}

function bodyOf(status: CommitStatus, annotations: readonly Annotation[]) {
  const { state, description, targetUrl, report } = status;
  return {
    name: contextOf(status),
    details_url: targetUrl,
    ...(state === 'pending'
      ? { status: 'in_progress' }
      : { status: 'completed', conclusion: CONCLUSIONS[state], actions: actionsOf(state) }),
    output: {
      title: description,
      summary: report?.summary ?? '',
      annotations: annotations.map((one) => ({
        path: one.path,
        start_line: one.startLine,
        end_line: one.endLine,
        annotation_level: one.level,
        title: one.title,
        message: one.message,
      })),
    },
  };
}

/** A button to have the commit judged again; no button lets it pass. */
function actionsOf(state: CommitState) {
  const label = 'Look again';
  const description = 'Judge the commit again';
  return state === 'failure' ? [{ label, description, identifier: LOOK_AGAIN }] : [];
}

function problemOf(answer: ApiAnswer, now: number): Problem {
  const { status, message } = answer;
  if (status === 422 && /no commit found/i.test(message)) {
    return { outcome: 'later', reason: 'the host does not know the commit (yet)' };
  }
  if (status === 403 && /not accessible by integration/i.test(message)) {
    const reason = 'the GitHub App may not write check runs there (403): it needs checks: write';
    return { outcome: 'refused', reason };
  }
  return readRefusal(answer, now);
}

/** A page of a proxy has status 200, too. */
function somethingElse({ status }: ApiAnswer): Problem {
  const reason = `something else than the host's API answers (status ${status})`;
  return { outcome: 'down', reason, waitMs: 0 };
}
