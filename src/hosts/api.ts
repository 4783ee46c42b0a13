import { reachProblem, readBody, startDeadline } from '../core/deadline.ts';
import type { ApiAnswer, HostWork, Problem } from './host.ts';
import { HOSTS } from './settings.ts';

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

interface ApiCall {
  method?: Method;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Sent as JSON; absent: nothing is sent. */
  body?: unknown;
  /** Longer answers count as no JSON. */
  bytesMax?: number;
  deadlineMs: number;
  signal: AbortSignal;
}

/** The answer, or why it is absent, in a sentence that quotes neither request nor reply. */
export type ApiResult = { answer: ApiAnswer } | { problem: string };

/**
 * Calls the API of a host. Never rejects. Redirects are not followed, as the token goes where
 * it belongs alone; they are answers like others (`redirect: 'error'` would look like a
 * host that is gone, and one renamed repository would hold up all others).
 */
export async function callApi(call: ApiCall): Promise<ApiResult> {
  const { signal, clear } = startDeadline(call.deadlineMs, [call.signal]);
  try {
    const response = await fetch(call.url, {
      method: call.method ?? 'POST',
      headers: { 'Content-Type': 'application/json', 'User-Agent': 'cra', ...call.headers },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      redirect: 'manual',
      signal,
    });
    const { status, headers } = response;
    const bytes = await readBody(response, signal, call.bytesMax ?? HOSTS.ANSWER_BYTES_MAX);
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

/** Calls of one host's API with one token, as comments in pull requests take several of them. */
export interface HostCalls {
  /** Never rejects. */
  call(method: Method, path: string, options: CallOptions): Promise<HostAnswer>;
  /** Reads a list page by page until it ends, holds enough, or reaches its bound. */
  list(pathOf: (page: number) => string, options: ListOptions): Promise<HostList>;
}

/** A success, or the problem. */
export type HostAnswer =
  | { answer: ApiAnswer }
  /** `status`: null without an answer. */
  | { problem: Problem; status: number | null };

/** Entries of a list as the host sent them: objects, their fields unchecked. */
export type Entries = readonly Readonly<Record<string, unknown>>[];

type HostList =
  /** `isWhole`: it was read to its end. */
  { entries: Entries; isWhole: boolean } | { problem: Problem };

interface CallOptions {
  body?: unknown;
  work: HostWork;
}

interface ListOptions {
  perPage: number;
  /** Absent: the whole list is wanted. */
  isEnough?(entries: Entries): boolean;
  work: HostWork;
}

interface HostCallsOptions {
  apiUrl: string;
  headers: Readonly<Record<string, string>>;
  deadlineMs: number;
  /** Ms since the epoch. */
  now(): number;
}

/**
 * Prepares calls whose failure must not hold up the statuses of the host: what only this pull
 * request may have caused, such as an error of the host (500) or a list that is too long to read,
 * is to be tried again later.
 */
export function createHostCalls(options: HostCallsOptions): HostCalls {
  const { apiUrl, headers, deadlineMs, now } = options;

  async function call(
    method: Method,
    path: string,
    { body, work }: CallOptions,
  ): Promise<HostAnswer> {
    const url = `${apiUrl}${path}`;
    const bytesMax = HOSTS.LIST_BYTES_MAX;
    const { signal } = work;
    work.onCall();
    const called = await callApi({ method, url, headers, body, bytesMax, deadlineMs, signal });
    if ('problem' in called) {
      return { problem: { outcome: 'down', reason: called.problem, waitMs: 0 }, status: null };
    }
    const { answer } = called;
    if (SUCCESSES.has(answer.status)) return { answer };
    return { problem: commentProblem(answer, now()), status: answer.status };
  }

  return {
    call,
    async list(pathOf, { perPage, isEnough = () => false, work }) {
      const entries: Record<string, unknown>[] = [];
      let seen = 0;
      for (let page = 1; page <= HOSTS.COMMENT_PAGES_MAX; page += 1) {
        const called = await call('GET', pathOf(page), { work });
        if ('problem' in called) return called;
        const { json } = called.answer;
        if (!Array.isArray(json)) return { problem: NO_LIST };
        seen += json.length;
        entries.push(...json.filter((entry) => typeof entry === 'object' && entry !== null));
        const isWhole = json.length === 0 || isLast(called.answer.headers, seen, perPage * page);
        if (isWhole || isEnough(entries)) return { entries, isWhole };
      }
      return { entries, isWhole: false };
    },
  };
}

/** GitLab names the next page, Gitea the total; a page may be shorter than we asked for. */
function isLast(headers: Headers, seen: number, asked: number): boolean {
  const next = headers.get('x-next-page');
  if (next !== null) return next === '';
  const total = headers.get('x-total-count');
  return total === null ? seen < asked : seen >= Number(total);
}

const SUCCESSES: ReadonlySet<number> = new Set([200, 201, 204]);

const NO_LIST: Problem = {
  outcome: 'later',
  reason: 'the host gives no list of comments that we can read',
};

function commentProblem(answer: ApiAnswer, now: number): Problem {
  const problem = readRefusal(answer, now);
  if (answer.status === 403 && problem.outcome === 'refused') {
    return { outcome: 'refused', reason: 'our token may not comment on pull requests there (403)' };
  }
  if (answer.status === 500) return { outcome: 'later', reason: 'the host failed (status 500)' };
  return problem;
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

/**
 * The meaning of an answer that is not a success, the same on every host; `now` in ms since the
 * epoch.
 */
export function readRefusal(answer: ApiAnswer, now: number): Problem {
  const { status, headers } = answer;
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
