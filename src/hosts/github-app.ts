import { createPrivateKey } from 'node:crypto';
import { SignJWT } from 'jose';
import { callApi, readRefusal } from './api.ts';
import { github } from './github.ts';
import type { ApiAnswer, Problem } from './host.ts';
import { HOSTS, type VcsHost } from './settings.ts';

/**
 * Tokens of the installations of a GitHub App, one for each owner of repositories:
 * https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app
 */
export interface AppTokens {
  /** A token for a repository `owner/repo` that is valid for some minutes. Never rejects. */
  tokenFor(repo: string, signal: AbortSignal): Promise<AppToken>;
  /** The same for an owner of which no repository is known. */
  tokenForOwner(owner: string, signal: AbortSignal): Promise<AppToken>;
  /** The host refused the token of this repository's owner: the next call asks for a new token. */
  forget(repo: string): void;
}

export type AppToken = { token: string } | { problem: Problem };

interface Kept {
  token: string;
  /** Ms since the epoch. */
  expiresAt: number;
}

interface AppTokensOptions {
  deadlineMs: number;
  /** Ms since the epoch. */
  now(): number;
}

/** The tokens of a host's App; null: it has none, or no API. */
export function createAppTokens(
  { apiUrl, app }: Pick<VcsHost, 'apiUrl' | 'app'>,
  { deadlineMs, now }: AppTokensOptions,
): AppTokens | null {
  if (apiUrl === null || app === undefined) return null;
  const { appId, privateKey } = app;
  const key = createPrivateKey(privateKey);
  const kept = new Map<string, Kept>();
  /** One request for an owner at a time; all who wait get its token. */
  const running = new Map<string, Promise<AppToken>>();

  async function signature(): Promise<string> {
    const seconds = Math.floor(now() / 1_000);
    return await new SignJWT()
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuer(appId)
      .setIssuedAt(seconds - HOSTS.APP_JWT_SKEW_SECONDS)
      .setExpirationTime(seconds + HOSTS.APP_JWT_SECONDS)
      .sign(key);
  }

  async function call(
    method: 'GET' | 'POST',
    path: string,
    signal: AbortSignal,
  ): Promise<{ answer: ApiAnswer } | { problem: Problem }> {
    const headers = github.apiHeaders(await signature());
    const called = await callApi({ method, url: `${apiUrl}${path}`, headers, deadlineMs, signal });
    if ('answer' in called) return called;
    return { problem: { outcome: 'down', reason: called.problem, waitMs: 0 } };
  }

  async function request(owner: string, path: string, signal: AbortSignal): Promise<AppToken> {
    const found = await call('GET', path, signal);
    if ('problem' in found) return found;
    const { id } = fieldsOf(found.answer);
    if (found.answer.status !== 200 || !Number.isSafeInteger(id)) {
      return { problem: problemOf(found.answer, now()) };
    }
    const made = await call('POST', `/app/installations/${id}/access_tokens`, signal);
    if ('problem' in made) return made;
    const { token, expires_at } = fieldsOf(made.answer);
    const expiresAt = Date.parse(String(expires_at));
    if (typeof token !== 'string' || !/^[!-~]+$/.test(token) || Number.isNaN(expiresAt)) {
      return { problem: problemOf(made.answer, now()) };
    }
    if (kept.size >= HOSTS.APP_TOKENS_MAX) kept.clear();
    kept.set(owner, { token, expiresAt });
    return { token };
  }

  async function get(owner: string, path: string, signal: AbortSignal): Promise<AppToken> {
    const known = kept.get(owner);
    if (known !== undefined && known.expiresAt - now() > HOSTS.APP_TOKEN_RENEW_MS) return known;
    const asked =
      running.get(owner) ?? request(owner, path, signal).finally(() => running.delete(owner));
    running.set(owner, asked);
    const result = await asked;
    // An early renewal that fails takes nothing away.
    const isValid = known !== undefined && known.expiresAt > now();
    return 'problem' in result && isValid ? known : result;
  }

  return {
    tokenFor: (repo, signal) => get(ownerOf(repo), `/repos/${repo}/installation`, signal),
    tokenForOwner(owner, signal) {
      const path = `/users/${encodeURIComponent(owner)}/installation`;
      return get(owner.toLowerCase(), path, signal);
    },
    forget(repo) {
      kept.delete(ownerOf(repo));
    },
  };
}

function ownerOf(repo: string): string {
  return repo.slice(0, repo.indexOf('/')).toLowerCase();
}

function fieldsOf({ json }: ApiAnswer): { id?: number; token?: unknown; expires_at?: unknown } {
  return typeof json === 'object' && json !== null ? json : {};
}

function problemOf(answer: ApiAnswer, now: number): Problem {
  const { status, message } = answer;
  if (status === 404) {
    const reason = 'the GitHub App is not installed for the repository';
    return { outcome: 'later', reason };
  }
  if (status === 401) {
    const reason =
      'the host refuses the signature of the GitHub App (401): check app_id, the private key and the clock';
    return { outcome: 'refused', reason };
  }
  if (status === 403 && /suspended/i.test(message)) {
    return { outcome: 'later', reason: 'the installation of the GitHub App is suspended' };
  }
  if (status === 200 || status === 201) {
    const reason = `something else than the host's API answers (status ${status})`;
    return { outcome: 'down', reason, waitMs: 0 };
  }
  return readRefusal(answer, now);
}
