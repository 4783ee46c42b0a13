import { COMMIT_STATUS } from '../limits.ts';
import { STATUS_CONTEXT, type StatusDialect } from './commit-status.ts';

/** Gitea and Forgejo: their API below `/api/v1`. */
export const gitea: StatusDialect = {
  descriptionCharsMax: COMMIT_STATUS.DESCRIPTION_CHARS_MAX,
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
