import { reachProblem, readBody, startDeadline } from '../core/deadline.ts';
import type { ApiAnswer, Problem } from './host.ts';
import { HOSTS } from './settings.ts';

interface ApiCall {
  method?: 'GET' | 'POST' | 'PATCH';
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Sent as JSON; absent: nothing is sent. */
  body?: unknown;
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
