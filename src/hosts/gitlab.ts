import { type CommitState, contextOf, type GitHost } from './host.ts';
import { checkPushFields, objectOf, textOf } from './push-payload.ts';
import { HOSTS } from './settings.ts';

/** Values of `object_kind` that are pushes of a ref. */
export const PUSH_KINDS: ReadonlySet<string> = new Set(['push', 'tag_push']);

const STATES = {
  pending: 'pending',
  success: 'success',
  failure: 'failed',
  error: 'canceled',
} as const satisfies Record<CommitState, string>;

/** GitLab: https://docs.gitlab.com/api/commits/#set-commit-pipeline-status */
export const gitlab: GitHost = {
  provider: 'gitlab',
  cloneUsername: 'oauth2',
  apiUrl: (url) => `${url}/api/v4`,
  // `X-Gitlab-Token`, or `webhook-signature` of Standard Webhooks: see `signature.ts`.
  signature: 'provider',
  family: 'gitlab',
  deliveryHeaders: [
    { event: 'x-gitlab-event', ids: ['idempotency-key', 'x-gitlab-event-uuid', 'webhook-id'] },
  ],
  pushEvents: new Set(['Push Hook', 'Tag Push Hook', 'System Hook']),
  pushFields: ['object_kind', 'ref', 'before', 'after', 'project', 'user_username'],
  readPush(payload) {
    if (!PUSH_KINDS.has(textOf(payload['object_kind']) ?? '')) return null;
    const project = objectOf(payload['project']);
    return checkPushFields({
      ref: payload['ref'],
      before: payload['before'],
      after: payload['after'],
      nameField: 'path_with_namespace',
      name: project['path_with_namespace'],
      repositoryId: project['id'] ?? payload['project_id'],
      defaultBranch: project['default_branch'],
      pusher: payload['user_username'],
      pusherEmail: payload['user_email'],
      webUrl: project['web_url'],
    });
  },
  pullRequestEvents: new Set(),
  readPullRequest: () => null,
  // It tells of pipelines, not of statuses.
  statusEvents: new Set(),
  readStatus: () => null,
  checkEvents: new Set(),
  readCheckRequest: () => null,
  descriptionCharsMax: HOSTS.DESCRIPTION_CHARS_MAX,
  hasSubgroups: true,
  statusPath: ({ repo, sha }) => `/projects/${encodeURIComponent(repo)}/statuses/${sha}`,
  apiHeaders: (token) => ({ 'PRIVATE-TOKEN': token, Accept: 'application/json' }),
  statusesPath: null,
  statusBody({ branch, ...status }) {
    return {
      state: STATES[status.state],
      description: status.description,
      target_url: status.targetUrl,
      name: contextOf(status),
      // Without it GitLab takes the first branch that holds the commit.
      ...(branch === null ? {} : { ref: branch }),
    };
  },
  readAnswer({ status, message }, { state }) {
    if (status !== 400 || !/cannot transition status/i.test(message)) return null;
    // A status that ended is replaced by a new one, so this is said of a pending one alone.
    if (state === 'pending') return { outcome: 'posted' };
    return { outcome: 'later', reason: 'the host is changing this status itself' };
  },
};
