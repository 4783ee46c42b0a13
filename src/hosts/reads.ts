import { CraError } from '../model/errors.ts';
import { callApi, readRefusal } from './api.ts';
import { type AppTokens, createAppTokens } from './github-app.ts';
import type { ApiAnswer } from './host.ts';
import { gitHost } from './hosts.ts';
import { HOSTS, type VcsHost } from './settings.ts';

export interface ReadOptions {
  /** Of one call. */
  deadlineMs: number;
  /** Ms since the epoch. */
  now(): number;
  /** Resolves when one more call may be made. */
  turn(signal: AbortSignal): Promise<void>;
}

/**
 * Reads `path` below the API of a host with the rights that it gives for an owner, or posts a body
 * to it. Answers whatever status is about that path. Throws UNAVAILABLE with `details.waitMs` for a
 * host that limits us or is down, and UNAUTHENTICATED for a token that it refuses: the next call
 * has a new token of the App.
 */
export type Read = (
  path: string,
  owner: string,
  signal: AbortSignal,
  more?: { headers?: Readonly<Record<string, string>>; body?: unknown },
) => Promise<ApiAnswer>;

/** Opens the API of a host for reading; null: it has none, or no credentials. */
export function openReads(host: VcsHost, options: ReadOptions): Read | null {
  const { apiUrl, provider, token } = host;
  const tokens = createAppTokens(host, options);
  if (apiUrl === null || (token === null && tokens === null)) return null;
  const { deadlineMs, now, turn } = options;
  const bytesMax = HOSTS.LIST_BYTES_MAX;
  return async (path, owner, signal, { headers: extra, body } = {}) => {
    await turn(signal);
    const own = gitHost(provider).apiHeaders(token ?? (await appToken(tokens, owner, signal)));
    const headers = { ...own, ...extra };
    const url = `${apiUrl}${path}`;
    const method = body === undefined ? 'GET' : 'POST';
    const called = await callApi({ method, url, headers, body, bytesMax, deadlineMs, signal });
    signal.throwIfAborted();
    if ('problem' in called) throw unavailable(called.problem, 0);
    const { answer } = called;
    const { status, json } = answer;
    const problem = status === 200 || status === 304 ? null : readRefusal(answer, now());
    if (problem?.outcome === 'limited' || problem?.outcome === 'down') {
      throw unavailable(problem.reason, problem.waitMs);
    }
    if (status === 401) {
      tokens?.forget(`${owner}/`);
      throw new CraError('UNAUTHENTICATED', 'the host refuses our token (401)');
    }
    if (status === 200 && json === null) {
      throw unavailable("something else than the host's API answers (status 200)", 0);
    }
    return answer;
  };
}

async function appToken(
  tokens: AppTokens | null,
  owner: string,
  signal: AbortSignal,
): Promise<string> {
  const got = await tokens?.tokenForOwner(owner, signal);
  if (got !== undefined && 'token' in got) return got.token;
  const { problem } = got ?? { problem: null };
  if (problem?.outcome === 'refused') throw new CraError('UNAUTHENTICATED', problem.reason);
  const waitMs = problem !== null && 'waitMs' in problem ? problem.waitMs : 0;
  throw unavailable(problem?.reason ?? 'the host gives no token', waitMs);
}

function unavailable(reason: string, waitMs: number): CraError {
  return new CraError('UNAVAILABLE', reason, { details: { waitMs } });
}
