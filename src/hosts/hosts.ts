import type { Provider } from '../model/push.ts';
import { forgejo, gitea } from './gitea.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import type { GitHost } from './host.ts';
import type { VcsHost } from './settings.ts';

const BY_PROVIDER: Readonly<Record<Provider, GitHost>> = { github, gitea, forgejo, gitlab };

/**
 * Every kind of host, in the order in which a delivery is matched: Forgejo also sends the headers
 * of Gitea, and a delivery without headers of its own counts as the last of its signature's.
 */
export const GIT_HOSTS: readonly GitHost[] = [forgejo, gitea, github, gitlab];

/** The kind of host of a provider. */
export function gitHost(provider: Provider): GitHost {
  return BY_PROVIDER[provider];
}

/** Whether a host lets us call its API: with a token, or as an App. */
export function hasCredentials({ token, app }: Pick<VcsHost, 'token' | 'app'>): boolean {
  return token !== null || app !== undefined;
}
