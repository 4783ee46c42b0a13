import { reachProblem, readBody, startDeadline } from '../core/deadline.ts';
import type { ApiAnswer, CommitStatus, PostResult } from './host.ts';
import { gitHost } from './hosts.ts';
import { HOSTS, type VcsHost, type VcsSettings } from './settings.ts';

/** Posts the status of a commit. Never rejects. */
export type PostStatus = (status: CommitStatus, signal: AbortSignal) => Promise<PostResult>;

/** Posts statuses to a host; null: it has no API or no token, so none are posted. */
export function openStatusApi(
  { provider, apiUrl, token }: VcsHost,
  options: { deadlineMs: number; now: () => number },
): PostStatus | null {
  if (apiUrl === null || token === null) return null;
  const host = gitHost(provider);
  return async (status, signal) => {
    // More or fewer parts would address something else of the API.
    if (!host.hasSubgroups && status.repo.split('/').length !== 2) {
      return { outcome: 'refused', reason: 'the repository is not named owner/repo' };
    }
    const description = cut(status.description, host.descriptionCharsMax);
    const called = await callApi({
      url: `${apiUrl}${host.statusPath(status)}`,
      headers: host.apiHeaders(token),
      body: host.statusBody({ ...status, description }),
      deadlineMs: options.deadlineMs,
      signal,
    });
    if ('problem' in called) return { outcome: 'down', reason: called.problem, waitMs: 0 };
    const { answer } = called;
    return host.readAnswer(answer, status) ?? readAnswer(answer, options.now());
  };
}

/**
 * Why the statuses that a tenant's callers ask for cannot be posted, in a sentence; null: they
 * can. Those name no host, so they go to the default one.
 */
export function statusProblem(
  { hosts, defaultHost }: Pick<VcsSettings, 'hosts' | 'defaultHost'>,
  tenantId: string,
): string | null {
  const host = hosts.find(({ id }) => id === defaultHost);
  if (host === undefined) return 'no default Git host is configured (SERVICE_VCS_CONFIG)';
  if (host.tenantId !== tenantId) return 'the default Git host belongs to another tenant';
  if (host.apiUrl === null) return `the Git host ${host.id} has no API that takes statuses`;
  return host.token === null ? `no token is configured for the Git host ${host.id}` : null;
}

/** By code points, so that no character is cut in half. */
function cut(text: string, charsMax: number): string {
  const chars = [...text];
  return chars.length <= charsMax ? text : `${chars.slice(0, charsMax - 1).join('')}…`;
}

interface ApiCall {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  body: unknown;
  deadlineMs: number;
  signal: AbortSignal;
}

/** The answer, or why it is absent, in a sentence that quotes neither request nor reply. */
type ApiResult = { answer: ApiAnswer } | { problem: string };

/**
 * Posts to the API of a host. Never rejects. Redirects are not followed, as the token goes where
 * it belongs alone; they are answers like others (`redirect: 'error'` would look like a
 * host that is gone, and one renamed repository would hold up all others).
 */
async function callApi(call: ApiCall): Promise<ApiResult> {
  const { signal, clear } = startDeadline(call.deadlineMs, [call.signal]);
  try {
    const response = await fetch(call.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'User-Agent': 'cra', ...call.headers },
      body: JSON.stringify(call.body),
      redirect: 'manual',
      signal,
    });
    const { status, headers } = response;
    const bytes = await readBody(response, signal, HOSTS.ANSWER_BYTES_MAX);
    const json = bytes === null ? null : parse(bytes.toString());
    const { message } = (json ?? {}) as { message?: unknown };
    return { answer: { status, headers, json, message: wordsOf(message) } };
  } catch (thrown) {
    const isLate = signal.aborted && !call.signal.aborted;
    return { problem: isLate ? 'no answer in time' : reachProblem(thrown) };
  } finally {
    clear();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** GitLab describes an error as a text, an object of texts, or a list. */
function wordsOf(message: unknown): string {
  if (message === undefined) return '';
  return typeof message === 'string' ? message : JSON.stringify(message);
}

/** The meaning of an answer that is the same on every host; `now` in ms since the epoch. */
function readAnswer(answer: ApiAnswer, now: number): PostResult {
  const { status, headers } = answer;
  if (status === 200 || status === 201) return readSuccess(answer);
  if (status === 429 || (status === 403 && isLimit(answer))) {
    const waitMs = waitOf(headers, now) ?? HOSTS.LIMITED_MS;
    return { outcome: 'limited', reason: `the host limits our calls (status ${status})`, waitMs };
  }
  if (status >= 300 && status < 400) {
    const reason = `the host sends elsewhere (status ${status}): was the repository renamed?`;
    return { outcome: 'refused', reason };
  }
  if (status === 401) return { outcome: 'refused', reason: 'the host refuses our token (401)' };
  if (status === 403) {
    return { outcome: 'refused', reason: 'our token may not set statuses there (403)' };
  }
  if (status === 404 || status === 409) {
    const reason = `the host does not know the commit or repository (yet) (status ${status})`;
    return { outcome: 'later', reason };
  }
  if (status === 408 || status >= 500) {
    const waitMs = waitOf(headers, now) ?? 0;
    return { outcome: 'down', reason: `the host failed (status ${status})`, waitMs };
  }
  return { outcome: 'refused', reason: `the host does not take the status (${status})` };
}

/** A page of a proxy has status 200, too. Gitea and GitLab say `status`, GitHub `state`. */
function readSuccess({ json, status }: ApiAnswer): PostResult {
  const { state, status: said } = (json ?? {}) as { state?: unknown; status?: unknown };
  if (typeof (state ?? said) === 'string') return { outcome: 'posted' };
  const reason = `something else than the host's API answers (status ${status})`;
  return { outcome: 'down', reason, waitMs: 0 };
}

/** GitHub answers 403 for its rate limits, and for missing permissions. */
function isLimit({ headers, message }: ApiAnswer): boolean {
  return (
    headers.has('retry-after') ||
    headers.get('x-ratelimit-remaining') === '0' ||
    /rate limit|abuse detection/i.test(message)
  );
}

/** How long the host asks to wait, ms; null: it does not say. */
function waitOf(headers: Headers, now: number): number | null {
  const retryAfter = headers.get('retry-after');
  const isUsedUp = headers.get('x-ratelimit-remaining') === '0';
  const reset = isUsedUp ? headers.get('x-ratelimit-reset') : null;
  const waitMs =
    retryAfter === null
      ? Number(reset ?? Number.NaN) * 1_000 - now
      : /^\d+$/.test(retryAfter)
        ? Number(retryAfter) * 1_000
        : Date.parse(retryAfter) - now;
  if (!Number.isFinite(waitMs)) return null;
  return Math.min(HOSTS.LIMITED_MS_MAX, Math.max(HOSTS.LIMITED_MS_MIN, waitMs));
}
