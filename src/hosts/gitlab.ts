import { COMMIT_STATUS } from '../limits.ts';
import { type CommitState, STATUS_CONTEXT, type StatusDialect } from './commit-status.ts';

const STATES = {
  pending: 'pending',
  success: 'success',
  failure: 'failed',
  error: 'canceled',
} as const satisfies Record<CommitState, string>;

/** https://docs.gitlab.com/api/commits/#set-commit-pipeline-status */
export const gitlab: StatusDialect = {
  descriptionCharsMax: COMMIT_STATUS.DESCRIPTION_CHARS_MAX,
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
