import { COMMIT_STATUS } from '../limits.ts';
import { STATUS_CONTEXT, type StatusDialect } from './commit-status.ts';

/** https://docs.github.com/en/rest/commits/statuses, also of GitHub Enterprise Server. */
export const github: StatusDialect = {
  descriptionCharsMax: COMMIT_STATUS.GITHUB_DESCRIPTION_CHARS_MAX,
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
