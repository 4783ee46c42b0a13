import {
  type CommitState,
  type CommitStatus,
  contextOf,
  type GitHost,
  type ShownStatus,
} from './host.ts';
import {
  appIdsOf,
  checkCheckFields,
  checkDeployFields,
  checkPullRequestFields,
  checkPushFields,
  checkStatusFields,
  objectOf,
  textOf,
} from './push-payload.ts';
import { HOSTS } from './settings.ts';

/** The button of our check runs, as GitHub gives it back. */
export const LOOK_AGAIN = 'look_again';

/** GitHub and GitHub Enterprise Server: https://docs.github.com/en/rest/commits/statuses */
export const github: GitHost = {
  provider: 'github',
  cloneUsername: 'x-access-token',
  apiUrl: (url) => (url === 'https://github.com' ? 'https://api.github.com' : `${url}/api/v3`),
  signature: 'hub',
  family: 'github',
  deliveryHeaders: [{ event: 'x-github-event', ids: ['x-github-delivery'] }],
  pushEvents: new Set(['push']),
  pushFields: ['ref', 'before', 'after', 'repository', 'pusher'],
  readPush(payload) {
    const repository = objectOf(payload['repository']);
    const pusher = objectOf(payload['pusher']);
    return checkPushFields({
      ref: payload['ref'],
      before: payload['before'],
      after: payload['after'],
      nameField: 'full_name',
      name: repository['full_name'],
      repositoryId: repository['id'],
      defaultBranch: repository['default_branch'],
      pusher: pusher['login'] ?? pusher['name'],
      pusherEmail: pusher['email'],
      webUrl: repository['html_url'],
    });
  },
  pullRequestEvents: new Set(['pull_request']),
  readPullRequest(payload) {
    const action = textOf(payload['action']) ?? '';
    const isRebased = action === 'edited' && isBaseChanged(objectOf(payload['changes']));
    if (!HEAD_ACTIONS.has(action) && !isRebased) return null;
    const pull = objectOf(payload['pull_request']);
    const repository = objectOf(payload['repository']);
    const head = objectOf(pull['head']);
    const author = objectOf(pull['user'])['login'];
    const sender = objectOf(payload['sender'])['login'];
    return checkPullRequestFields(
      {
        number: pull['number'],
        title: pull['title'],
        author,
        pusher: SYNC_ACTIONS.has(action) ? sender : author,
        url: pull['html_url'],
        headSha: head['sha'],
        headBranch: head['ref'],
        headRepositoryId: objectOf(head['repo'])['id'],
        baseBranch: objectOf(pull['base'])['ref'],
        isFirstTime: FIRST_TIMES.has(textOf(pull['author_association']) ?? ''),
        isRebased,
        nameField: 'full_name',
        name: repository['full_name'],
        repositoryId: repository['id'],
        defaultBranch: repository['default_branch'],
        webUrl: repository['html_url'],
      },
      'pull',
    );
  },
  // https://docs.github.com/en/rest/pulls/pulls#list-pull-requests
  openPullsPath: (repo, page) =>
    `/repos/${repo}/pulls?state=open&sort=updated&direction=desc&per_page=${HOSTS.PER_PAGE}&page=${page}`,
  openPullsPerPage: HOSTS.PER_PAGE,
  pullPayload: (entry) => ({
    action: 'reopened',
    pull_request: entry,
    repository: objectOf(entry['base'])['repo'],
  }),
  statusEvents: new Set(['status', 'check_run']),
  readStatus(payload) {
    const repository = objectOf(payload['repository']);
    const run = payload['check_run'];
    if (run !== undefined && !RUN_ACTIONS.has(textOf(payload['action']) ?? '')) return null;
    return checkStatusFields({
      ...(run === undefined ? ownFields(payload) : runFields(objectOf(run))),
      sender: objectOf(payload['sender'])['login'],
      name: repository['full_name'],
      repositoryId: repository['id'],
      webUrl: repository['html_url'],
    });
  },
  // https://docs.github.com/en/webhooks/webhook-events-and-payloads#check_run
  checkEvents: new Set(['check_run', 'check_suite']),
  readCheckRequest(payload) {
    const action = payload['action'];
    const button = objectOf(payload['requested_action'])['identifier'];
    const isAsked = action === 'requested_action' && button === LOOK_AGAIN;
    if (action !== 'rerequested' && !isAsked) return null;
    const repository = objectOf(payload['repository']);
    return checkCheckFields({
      check: objectOf(payload['check_run'] ?? payload['check_suite']),
      nameField: 'full_name',
      name: repository['full_name'],
      repositoryId: repository['id'],
      webUrl: repository['html_url'],
    });
  },
  // https://docs.github.com/en/webhooks/webhook-events-and-payloads#deployment_protection_rule
  deployEvents: new Set(['deployment_protection_rule']),
  readDeployRequest(payload) {
    if (payload['action'] !== 'requested') return null;
    const repository = objectOf(payload['repository']);
    return checkDeployFields({
      environment: payload['environment'],
      sha: objectOf(payload['deployment'])['sha'],
      callbackUrl: payload['deployment_callback_url'],
      nameField: 'full_name',
      name: repository['full_name'],
      webUrl: repository['html_url'],
    });
  },
  descriptionCharsMax: HOSTS.GITHUB_DESCRIPTION_CHARS_MAX,
  hasSubgroups: false,
  statusPath: ({ repo, sha }) => `/repos/${repo}/statuses/${sha}`,
  apiHeaders: (token) => ({
    Authorization: `Bearer ${token}`,
    Accept: 'application/vnd.github+json',
    'X-GitHub-Api-Version': '2022-11-28',
  }),
  statusBody,
  shownStates: {},
  statusesPath: ({ repo, sha }) => `/repos/${repo}/commits/${sha}/statuses?per_page=100`,
  readAnswer({ status, message }) {
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

/** A check run was made or ended, by whatever App; other actions ask for another check. */
const RUN_ACTIONS: ReadonlySet<string> = new Set(['created', 'completed']);

function ownFields({ context, sha, state, description }: Readonly<Record<string, unknown>>) {
  return { context, sha, state, description };
}

function runFields(run: Readonly<Record<string, unknown>>) {
  const { state, description } = shownRun(run);
  const appIds = appIdsOf(run);
  return { context: run['name'], sha: run['head_sha'], state, description, appIds };
}

/** https://docs.github.com/en/graphql/reference/enums#commentauthorassociation */
const FIRST_TIMES: ReadonlySet<string> = new Set(['FIRST_TIMER', 'FIRST_TIME_CONTRIBUTOR', 'NONE']);

/** Commits were pushed to it: GitHub's word, and that of Gitea. */
const SYNC_ACTIONS: ReadonlySet<string> = new Set(['synchronize', 'synchronized']);
const HEAD_ACTIONS: ReadonlySet<string> = new Set(['opened', 'reopened', ...SYNC_ACTIONS]);

/** GitHub names the base as it was; Gitea its ref. */
function isBaseChanged({ base, ref }: Readonly<Record<string, unknown>>): boolean {
  return base !== undefined || ref !== undefined;
}

/** A required check passes with `neutral` and `skipped`, too: an error is neither. */
export const CONCLUSIONS: Readonly<Record<Exclude<CommitState, 'pending'>, string>> = {
  success: 'success',
  failure: 'failure',
  error: 'cancelled',
};

/** A check run as the status that it stands for. */
export function shownRun(run: Readonly<Record<string, unknown>>): ShownStatus {
  const conclusion = textOf(run['conclusion']);
  const known = Object.entries(CONCLUSIONS).find(([, name]) => name === conclusion);
  const state = run['status'] === 'completed' ? (known?.[0] ?? conclusion ?? '') : 'pending';
  return { state, description: textOf(objectOf(run['output'])['title']) ?? '' };
}

/** The body of a status, which Gitea copied from GitHub. */
export function statusBody(status: CommitStatus): Readonly<Record<string, string>> {
  return {
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    context: contextOf(status),
  };
}
