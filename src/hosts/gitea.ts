import { github, statusBody } from './github.ts';
import type { GitHost } from './host.ts';
import { HOSTS } from './settings.ts';

/** Gitea: it sends the payloads of GitHub, and its API is below `/api/v1`. */
export const gitea: GitHost = {
  provider: 'gitea',
  cloneUsername: 'oauth2',
  apiUrl: (url) => `${url}/api/v1`,
  signature: 'hub',
  family: 'gitea',
  // Gitea also sends the headers of Gogs, from which it was forked.
  deliveryHeaders: [
    { event: 'x-gitea-event', ids: ['x-gitea-delivery'] },
    { event: 'x-gogs-event', ids: ['x-gogs-delivery'] },
  ],
  pushEvents: github.pushEvents,
  pushFields: github.pushFields,
  readPush: github.readPush,
  pullRequestEvents: github.pullRequestEvents,
  readPullRequest: github.readPullRequest,
  openPullsPath: (repo, page) =>
    `/repos/${repo}/pulls?state=open&sort=recentupdate&limit=${HOSTS.GITEA_PER_PAGE}&page=${page}`,
  openPullsPerPage: HOSTS.GITEA_PER_PAGE,
  pullPayload: github.pullPayload,
  statusEvents: new Set(['status']),
  readStatus: github.readStatus,
  checkEvents: new Set(),
  readCheckRequest: () => null,
  deployEvents: new Set(),
  readDeployRequest: () => null,
  descriptionCharsMax: HOSTS.DESCRIPTION_CHARS_MAX,
  hasSubgroups: false,
  statusPath: github.statusPath,
  apiHeaders: (token) => ({ Authorization: `token ${token}`, Accept: 'application/json' }),
  statusBody,
  shownStates: {},
  statusesPath: ({ repo, sha }) =>
    `/repos/${repo}/commits/${sha}/statuses?sort=recentupdate&limit=${HOSTS.GITEA_PER_PAGE}`,
  readAnswer({ status }) {
    // That is how Gitea 1.26 says that it does not know a commit.
    if (status !== 500) return null;
    return { outcome: 'later', reason: 'the host does not know the commit (yet), or failed' };
  },
};

/** Forgejo, which also sends the headers of Gitea. */
export const forgejo: GitHost = {
  ...gitea,
  provider: 'forgejo',
  deliveryHeaders: [{ event: 'x-forgejo-event', ids: ['x-forgejo-delivery'] }],
};
