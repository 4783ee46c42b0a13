import { type CommitState, contextOf, type GitHost } from './host.ts';
import {
  checkPullRequestFields,
  checkPushFields,
  checkStatusFields,
  objectOf,
  textOf,
} from './push-payload.ts';
import { HOSTS } from './settings.ts';

/** Values of `object_kind` that are pushes of a ref. */
export const PUSH_KINDS: ReadonlySet<string> = new Set(['push', 'tag_push']);

const HEAD_ACTIONS: ReadonlySet<string> = new Set(['open', 'reopen']);

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
  pullRequestEvents: new Set(['Merge Request Hook']),
  readPullRequest(payload) {
    const merge = objectOf(payload['object_attributes']);
    const action = textOf(merge['action']) ?? '';
    const isUpdate = action === 'update';
    const isRebased = isUpdate && objectOf(payload['changes'])['target_branch'] !== undefined;
    const isPushed = isUpdate && merge['oldrev'] !== undefined;
    if (!HEAD_ACTIONS.has(action) && !isRebased && !isPushed) return null;
    const project = objectOf(payload['project']);
    const user = objectOf(payload['user']);
    // It names its author by a number alone, and who did this by both.
    const isAuthor = user['id'] !== undefined && user['id'] === merge['author_id'];
    const author = isAuthor ? user['username'] : null;
    return checkPullRequestFields(
      {
        number: merge['iid'],
        title: merge['title'],
        author,
        pusher: isPushed ? user['username'] : author,
        url: merge['url'],
        headSha: objectOf(merge['last_commit'])['id'],
        headBranch: merge['source_branch'],
        headRepositoryId: merge['source_project_id'],
        baseBranch: merge['target_branch'],
        isFirstTime: merge['first_contribution'] === true,
        isRebased,
        nameField: 'path_with_namespace',
        name: project['path_with_namespace'],
        repositoryId: project['id'],
        defaultBranch: project['default_branch'],
        webUrl: project['web_url'],
      },
      'merge-requests',
    );
  },
  // https://docs.gitlab.com/api/merge_requests/#list-project-merge-requests
  openPullsPath: (repo, page) =>
    `/projects/${encodeURIComponent(repo)}/merge_requests?state=opened&order_by=updated_at&sort=desc&per_page=${HOSTS.PER_PAGE}&page=${page}`,
  openPullsPerPage: HOSTS.PER_PAGE,
  pullPayload(entry, repo) {
    const { id, username } = objectOf(entry['author']);
    const { iid, title, source_branch, source_project_id, target_branch, web_url: url } = entry;
    return {
      object_attributes: {
        action: 'reopen',
        iid,
        title,
        url,
        source_branch,
        source_project_id,
        target_branch,
        author_id: id,
        last_commit: { id: entry['sha'] },
      },
      user: { id, username },
      project: { id: entry['target_project_id'], path_with_namespace: repo, web_url: url },
    };
  },
  // It reports pipelines: where one succeeded the status is a success, perhaps not ours.
  statusEvents: new Set(['Pipeline Hook']),
  readStatus(payload) {
    const { sha, status: state } = objectOf(payload['object_attributes']);
    if (state !== 'success') return null;
    const project = objectOf(payload['project']);
    return checkStatusFields({
      context: contextOf({}),
      sha,
      state,
      description: undefined,
      sender: objectOf(payload['user'])['username'],
      name: project['path_with_namespace'],
      repositoryId: project['id'],
      webUrl: project['web_url'],
    });
  },
  checkEvents: new Set(),
  readCheckRequest: () => null,
  deployEvents: new Set(),
  readDeployRequest: () => null,
  descriptionCharsMax: HOSTS.DESCRIPTION_CHARS_MAX,
  hasSubgroups: true,
  statusPath: ({ repo, sha }) => `/projects/${encodeURIComponent(repo)}/statuses/${sha}`,
  apiHeaders: (token) => ({ 'PRIVATE-TOKEN': token, Accept: 'application/json' }),
  // https://docs.gitlab.com/api/commits/#list-commit-statuses
  statusesPath: ({ repo, sha, ...status }) => {
    const query = `name=${encodeURIComponent(contextOf(status))}&order_by=id&sort=desc`;
    return `/projects/${encodeURIComponent(repo)}/repository/commits/${sha}/statuses?${query}`;
  },
  shownStates: { failed: 'failure', canceled: 'error' },
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
