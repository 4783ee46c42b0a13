import { createHash } from 'node:crypto';
import { callApi, readRefusal } from './api.ts';
import { github, LOOK_AGAIN } from './github.ts';
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
} from './host.ts';
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
export function openCheckRuns({
  host,
  tokens,
  deadlineMs,
  now,
}: CheckRunsOptions): (...args: Parameters<PostStatus>) => Promise<PostResult> {
  const { apiUrl, app } = host;

  async function call(
    method: 'GET' | 'POST' | 'PATCH',
    { path, token, body, work }: RunCall,
  ): Promise<CheckRunCall> {
    work.onCall();
    const called = await callApi({
      method,
      url: `${apiUrl}${path}`,
      headers: github.apiHeaders(token),
      body,
      deadlineMs,
      signal: work.signal,
    });
    if ('problem' in called) {
      return { problem: { outcome: 'down', reason: called.problem, waitMs: 0 }, isExpired: false };
    }
    const { answer } = called;
    if (answer.status === 200 || answer.status === 201) return { answer };
    return { problem: problemOf(answer, now()), isExpired: answer.status === 401 };
  }

  /** Posts with a token; null: the token is no longer valid. */
  async function post(
    status: CommitStatus,
    token: string,
    work: HostWork,
  ): Promise<PostResult | null> {
    const { repo, sha } = status;
    const name = encodeURIComponent(contextOf(status));
    const list = `/repos/${repo}/commits/${sha}/check-runs?check_name=${name}&per_page=100`;
    const listed = await call('GET', { path: list, token, work });
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

  return async (status, work) => {
    for (let attempt = 1; ; attempt += 1) {
      const asked = await tokens.tokenFor(status.repo, work.signal);
      if ('problem' in asked) return asked.problem;
      const result = await post(status, asked.token, work);
      if (result !== null) return result;
      // A token may be revoked before its end.
      tokens.forget(status.repo);
      if (attempt > 1) return { outcome: 'refused', reason: 'the host refuses our token (401)' };
    }
  };
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
  annotations: number;
  /** Of its annotations: the `external_id` that we gave it. */
  digest: string;
}

/** Our newest check run in a list; null: it has none; undefined: the answer is not a list. */
function ownRun({ json }: ApiAnswer, appId: string): CheckRun | null | undefined {
  const { check_runs: runs } = (json ?? {}) as { check_runs?: unknown };
  if (!Array.isArray(runs)) return undefined;
  const own = (runs as ListedRun[]).filter(({ id, app }) => {
    const isOurs = String(app?.id) === appId || app?.client_id === appId;
    return isOurs && Number.isSafeInteger(id);
  });
  const [newest] = own.sort((one, other) => other.id - one.id);
  if (newest === undefined) return null;
  return {
    id: newest.id,
    isCompleted: newest.status === 'completed',
    annotations: newest.output?.annotations_count ?? 0,
    digest: newest.external_id ?? '',
  };
}

interface ListedRun {
  id: number;
  status?: string;
  external_id?: string | null;
  output?: { annotations_count?: number };
  app?: { id?: number; client_id?: string };
}

/** Annotations can be added and not taken back, and what is completed does not begin again. */
function isUpdatable(run: CheckRun, { state }: CommitStatus, digest: string): boolean {
  if (run.isCompleted && state === 'pending') return false;
  return run.annotations === 0 || run.digest === digest;
}

function digestOf(annotations: readonly Annotation[]): string {
  return createHash('sha256').update(JSON.stringify(annotations)).digest('hex').slice(0, 32);
}

/** A required check passes with `neutral` and `skipped`, too: an error is neither. */
const CONCLUSIONS: Readonly<Record<Exclude<CommitState, 'pending'>, string>> = {
  success: 'success',
  failure: 'failure',
  error: 'cancelled',
};

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
