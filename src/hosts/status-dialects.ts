import { type CommitState, STATUS_CONTEXT, type StatusDialect } from './commit-status.ts';
import { HOSTS } from './settings.ts';

/** https://docs.github.com/en/rest/commits/statuses, also of GitHub Enterprise Server. */
export const github: StatusDialect = {
  descriptionCharsMax: HOSTS.GITHUB_DESCRIPTION_CHARS_MAX,
  hasSubgroups: false,
  path: ({ repo, sha }) => `/repos/${repo}/statuses/${sha}`,
  headers: (token) => ({
    Authorization: `Bearer ${token}`,
    Accept: 'application/vnd.github+json',
    'X-GitHub-Api-Version': '2022-11-28',
  }),
  body: ({ state, description, targetUrl }) => ({
    state,
    description,
    target_url: targetUrl,
    context: STATUS_CONTEXT,
  }),
  judge({ status, message }) {
    if (status !== 422) return null;
    // A webhook may come before its commit is readable everywhere.
    if (/no commit found/i.test(message)) {
      return { outcome: 'later', reason: 'the host does not know the commit (yet)' };
    }
    if (/maximum number of statuses/i.test(message)) {
      return { outcome: 'refused', reason: 'the commit has 1,000 statuses, which is all it takes' };
    }
    return null;
  },
};

/** Gitea and Forgejo: their API below `/api/v1`. */
export const gitea: StatusDialect = {
  descriptionCharsMax: HOSTS.DESCRIPTION_CHARS_MAX,
  hasSubgroups: false,
  path: ({ repo, sha }) => `/repos/${repo}/statuses/${sha}`,
  headers: (token) => ({ Authorization: `token ${token}`, Accept: 'application/json' }),
  body: ({ state, description, targetUrl }) => ({
    state,
    description,
    target_url: targetUrl,
    context: STATUS_CONTEXT,
  }),
  judge({ status }) {
    // That is how Gitea 1.26 says that it does not know a commit.
    if (status !== 500) return null;
    return { outcome: 'later', reason: 'the host does not know the commit (yet), or failed' };
  },
};

const STATES = {
  pending: 'pending',
  success: 'success',
  failure: 'failed',
  error: 'canceled',
} as const satisfies Record<CommitState, string>;

/** https://docs.gitlab.com/api/commits/#set-commit-pipeline-status */
export const gitlab: StatusDialect = {
  descriptionCharsMax: HOSTS.DESCRIPTION_CHARS_MAX,
  hasSubgroups: true,
  path: ({ repo, sha }) => `/projects/${encodeURIComponent(repo)}/statuses/${sha}`,
  headers: (token) => ({ 'PRIVATE-TOKEN': token, Accept: 'application/json' }),
  body: ({ state, description, targetUrl, branch }) => ({
    state: STATES[state],
    description,
    target_url: targetUrl,
    name: STATUS_CONTEXT,
    // Without it GitLab takes the first branch that holds the commit.
    ...(branch === null ? {} : { ref: branch }),
  }),
  judge({ status, message }, { state }) {
    if (status !== 400 || !/cannot transition status/i.test(message)) return null;
    // A status that ended is replaced by a new one, so this is said of a pending one alone.
    if (state === 'pending') return { outcome: 'posted' };
    return { outcome: 'later', reason: 'the host is changing this status itself' };
  },
};
