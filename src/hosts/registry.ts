import type { Provider } from '../model/push.ts';
import { judgeAnswer } from '../pushes/statuses/judge-answer.ts';
import { callApi } from './api-call.ts';
import { gitea } from './gitea.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import type { PostStatus, StatusDialect } from './provider.ts';
import type { VcsHost, VcsSettings } from './settings.ts';

const DIALECTS: Readonly<Record<Provider, StatusDialect>> = {
  github,
  gitea,
  forgejo: gitea,
  gitlab,
};

/** How a host is told statuses; null: it has no API or no token, so it is told none. */
export function openStatusApi(
  { provider, apiUrl, token }: VcsHost,
  options: { deadlineMs: number; now: () => number },
): PostStatus | null {
  if (apiUrl === null || token === null) return null;
  const dialect = DIALECTS[provider];
  return async (status, signal) => {
    // More or fewer parts would address something else of the API.
    if (!dialect.hasSubgroups && status.repo.split('/').length !== 2) {
      return { outcome: 'refused', reason: 'the repository is not named owner/repo' };
    }
    const description = cut(status.description, dialect.descriptionCharsMax);
    const called = await callApi({
      url: `${apiUrl}${dialect.path(status)}`,
      headers: dialect.headers(token),
      body: dialect.body({ ...status, description }),
      deadlineMs: options.deadlineMs,
      signal,
    });
    if ('problem' in called) return { outcome: 'down', reason: called.problem, waitMs: 0 };
    const { answer } = called;
    return dialect.judge(answer, status) ?? judgeAnswer(answer, options.now());
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
