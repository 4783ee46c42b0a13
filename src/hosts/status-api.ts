import { callApi, readRefusal } from './api.ts';
import { checkRunCalls, openCheckRuns } from './check-runs.ts';
import { createAppTokens } from './github-app.ts';
import type { ApiAnswer, PostResult, PostStatus } from './host.ts';
import { gitHost, hasCredentials } from './hosts.ts';
import type { VcsHost, VcsSettings } from './settings.ts';

/** Posts statuses to a host; null: it has no API or no token, so none are posted. */
export function openStatusApi(settings: VcsHost, options: StatusApiOptions): PostStatus | null {
  const tokens = createAppTokens(settings, options);
  const post =
    tokens === null
      ? openCommitStatuses(settings, options)
      : openCheckRuns({ host: settings, tokens, ...options });
  if (post === null) return null;
  const { hasSubgroups, descriptionCharsMax } = gitHost(settings.provider);
  const callsOf = tokens === null ? () => 1 : checkRunCalls;
  const postChecked: Post = async (status, signal) => {
    // More or fewer parts would address something else of the API.
    if (!hasSubgroups && status.repo.split('/').length !== 2) {
      return { outcome: 'refused', reason: 'the repository is not named owner/repo' };
    }
    const description = cut(status.description, descriptionCharsMax);
    return post({ ...status, description }, signal);
  };
  return Object.assign(postChecked, { callsOf });
}

type Post = (...args: Parameters<PostStatus>) => ReturnType<PostStatus>;

interface StatusApiOptions {
  /** Of one call. */
  deadlineMs: number;
  /** Ms since the epoch. */
  now(): number;
}

function openCommitStatuses(
  { provider, apiUrl, token }: VcsHost,
  options: StatusApiOptions,
): Post | null {
  if (apiUrl === null || token === null) return null;
  const host = gitHost(provider);
  return async (status, signal) => {
    const called = await callApi({
      url: `${apiUrl}${host.statusPath(status)}`,
      headers: host.apiHeaders(token),
      body: host.statusBody(status),
      deadlineMs: options.deadlineMs,
      signal,
    });
    if ('problem' in called) return { outcome: 'down', reason: called.problem, waitMs: 0 };
    const { answer } = called;
    const own = host.readAnswer(answer, status);
    if (own !== null) return own;
    const isTaken = answer.status === 200 || answer.status === 201;
    return isTaken ? readSuccess(answer) : readRefusal(answer, options.now());
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
  return hasCredentials(host) ? null : `no token is configured for the Git host ${host.id}`;
}

/** By code points, so that no character is cut in half. */
function cut(text: string, charsMax: number): string {
  const chars = [...text];
  return chars.length <= charsMax ? text : `${chars.slice(0, charsMax - 1).join('')}…`;
}

/** A page of a proxy has status 200, too. Gitea and GitLab say `status`, GitHub `state`. */
function readSuccess({ json, status }: ApiAnswer): PostResult {
  const { state, status: said } = (json ?? {}) as { state?: unknown; status?: unknown };
  if (typeof (state ?? said) === 'string') return { outcome: 'posted' };
  const reason = `something else than the host's API answers (status ${status})`;
  return { outcome: 'down', reason, waitMs: 0 };
}
