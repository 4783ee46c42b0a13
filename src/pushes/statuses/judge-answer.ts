import type { ApiAnswer, PostResult } from '../../hosts/provider.ts';
import { COMMIT_STATUS } from '../../limits.ts';

/** What an answer to a status means on every host; `now` in ms since the epoch. */
export function judgeAnswer(answer: ApiAnswer, now: number): PostResult {
  const { status, headers } = answer;
  if (status === 200 || status === 201) return judgeSuccess(answer);
  if (status === 429 || (status === 403 && isLimit(answer))) {
    const waitMs = waitOf(headers, now) ?? COMMIT_STATUS.LIMITED_MS;
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
function judgeSuccess({ json, status }: ApiAnswer): PostResult {
  const { state, status: said } = (json ?? {}) as { state?: unknown; status?: unknown };
  if (typeof (state ?? said) === 'string') return { outcome: 'posted' };
  const reason = `something else than the host's API answers (status ${status})`;
  return { outcome: 'down', reason, waitMs: 0 };
}

/** GitHub says 403 for its limits, and for what is not allowed. */
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
  return Math.min(COMMIT_STATUS.LIMITED_MS_MAX, Math.max(COMMIT_STATUS.RETRY_MS_MIN, waitMs));
}
