import test from 'ava';
import { isRef } from '../../src/hosts/push-payload.ts';
import {
  deliveryKind,
  readPullRequestBody,
  readPushBody,
  readPushEvent,
  readStatusBody,
} from '../../src/hosts/webhook.ts';
import { CraError } from '../../src/model/errors.ts';
import type { Provider } from '../../src/model/push.ts';

const BEFORE = 'a'.repeat(40);
const AFTER = 'b'.repeat(40);

/** As GitHub orders it. */
const DELIVERED = {
  ref: 'refs/heads/main',
  before: BEFORE,
  after: AFTER,
  repository: {
    full_name: 'acme/shop',
    default_branch: 'main',
    html_url: 'https://git.example.com/acme/shop',
  },
  pusher: { name: 'ann' },
};
const COMMITS = [{ id: AFTER, message: 'say ","commits":[" and } and "ref":"refs/heads/other"' }];

function read(text: string | Buffer, provider: Provider | null = 'github', isForm = false) {
  return readPushBody(Buffer.from(text), { provider, isForm });
}

const SAME: Record<string, { payload: object; provider?: Provider }> = {
  'in the order of GitHub': { payload: { ...DELIVERED, commits: COMMITS, head_commit: null } },
  'in the order of Gitea': {
    payload: (({ repository, pusher, ...first }) => ({
      ...first,
      commits: COMMITS,
      repository,
      pusher,
    }))(DELIVERED),
  },
  'in the order of GitLab': {
    payload: {
      object_kind: 'push',
      before: BEFORE,
      after: AFTER,
      ref: 'refs/heads/main',
      user_username: 'bob',
      project: { path_with_namespace: 'a/b', default_branch: 'x' },
      commits: COMMITS,
      total_commits_count: 1,
    },
    provider: 'gitlab',
  },
  'with a list of that name deeper inside': {
    payload: { ...DELIVERED, custom: { first: 1, commits: ['x'] }, deleted: false },
  },
  'with such a list before what is read': {
    payload: { custom: { first: 1, commits: [] }, ...DELIVERED, commits: COMMITS },
  },
  'without commits': { payload: DELIVERED },
};

for (const [title, { payload, provider = 'github' }] of Object.entries(SAME)) {
  test(`readPushBody reads what a whole parse reads: ${title}`, (t) => {
    const text = JSON.stringify(payload);
    const expected = readPushEvent(payload, provider);
    t.not(expected, null);
    t.deepEqual(read(text, provider), expected);
    t.deepEqual(read(JSON.stringify(payload, null, 2), provider), expected);
    const form = new URLSearchParams({ payload: text }).toString();
    t.deepEqual(read(form, provider, true), expected);
    // Without an event header the payload decides.
    t.deepEqual(read(text, null), expected);
    t.deepEqual(read(form, null, true), expected);
  });
}

test('readPushBody without an event header passes over what is not the push of a ref', (t) => {
  const others = [
    { zen: 'Keep it logically awesome.', hook_id: 1 },
    { object_kind: 'merge_request', ref: 'refs/heads/main' },
    { action: 'opened', repository: DELIVERED.repository },
  ];
  for (const payload of others) t.is(read(JSON.stringify(payload), null), null);
  const refless = JSON.stringify({ ...DELIVERED, ref: undefined });
  t.throws(() => read(refless, null), { message: /^ref/ });
});

test('an event header without a value names no event: the payload decides', (t) => {
  const none = new Set<string>();
  for (const [kind, name] of [
    ['hub', 'x-github-event'],
    ['hub', 'x-gitea-event'],
    ['token', 'x-gitlab-event'],
  ] as const) {
    const found = deliveryKind({ values: new Map([[name, '']]), repeated: none }, kind);
    t.is(found.event, null);
    t.true(found.isPush);
  }
});

test('readPushBody refuses a field that stands twice: parsers differ in which of them counts', (t) => {
  const text = JSON.stringify({ ...DELIVERED, commits: COMMITS });
  const twice = `{"ref":"refs/heads/first",${text.slice(1)}`;
  t.throws(() => read(twice), { message: /gives a field twice/ });
});

test('readPushBody refuses a field that stands behind the commits once more, however spelled', (t) => {
  const text = JSON.stringify({ ...DELIVERED, commits: COMMITS });
  const spelled = (field: string) => [
    `"${field}"`,
    `"\\u00${field.charCodeAt(0).toString(16)}${field.slice(1)}"`,
    `"${field.slice(0, -1)}\\u00${field
      .charCodeAt(field.length - 1)
      .toString(16)
      .toUpperCase()}"`,
    `"${field}" `,
  ];
  for (const field of ['ref', 'before', 'after', 'repository', 'pusher']) {
    for (const name of spelled(field)) {
      const twice = `${text.slice(0, -1)},${name}:${JSON.stringify('a'.repeat(40))}}`;
      t.throws(() => read(twice), { message: /gives a field twice/ }, twice.slice(-80));
    }
  }
});

test('readPushBody refuses what ends early and what is not UTF-8, also behind the commits', (t) => {
  const text = JSON.stringify({ ...DELIVERED, commits: COMMITS });
  t.throws(() => read(text.slice(0, -1)), { message: /is not JSON/ });
  t.throws(() => read(text.slice(0, text.indexOf('"commits"'))), { message: /is not JSON/ });
  const broken = Buffer.from(text);
  broken[text.indexOf('say')] = 0xff;
  t.throws(() => read(broken), { message: /must be UTF-8/ });
});

const SHA = 'a'.repeat(40);
const ZERO = '0'.repeat(40);

const GITHUB = {
  ref: 'refs/heads/feature/x',
  before: ZERO,
  after: SHA,
  repository: {
    id: 42,
    full_name: 'Acme/Shop',
    default_branch: 'main',
    html_url: 'https://git.example.com/Acme/Shop',
  },
  pusher: { name: 'ann', email: 'ann@example.com' },
};

function headers(given: Record<string, string>) {
  return { values: new Map(Object.entries(given)), repeated: new Set<string>() };
}

test('a push of GitHub and its family', (t) => {
  t.deepEqual(readPushEvent(GITHUB, 'github'), {
    ref: 'refs/heads/feature/x',
    repoFullName: 'Acme/Shop',
    repositoryId: '42',
    before: null,
    after: SHA,
    defaultBranch: 'main',
    pusher: 'ann',
    pusherEmail: 'ann@example.com',
    origin: 'https://git.example.com',
    says: 'moved',
    pullRequest: null,
  });
});

test('an address by which a host hides that of a person names nobody', (t) => {
  const emailOf = (email: string) =>
    readPushEvent({ ...GITHUB, pusher: { name: 'ann', email } }, 'github')?.pusherEmail;
  const hidden = [
    ...['123+ann@users.noreply.github.com', 'ann@users.noreply.github.com', 'noreply@github.com'],
    ...['12-ann@users.noreply.gitlab.com', 'ann@noreply.example.org', 'no-reply@example.org'],
    ...['ANN@Users.NoReply.GitHub.com', '[REDACTED]'],
  ];
  for (const email of hidden) t.is(emailOf(email), null, email);
  for (const email of ['ann@example.com', 'noreplyann@example.com']) t.is(emailOf(email), email);
});

test('a push of GitLab: nested groups, 64 digits, a deleted ref', (t) => {
  const event = readPushEvent(
    {
      object_kind: 'push',
      ref: 'refs/heads/main',
      before: SHA.repeat(2).slice(0, 64),
      after: '0'.repeat(64),
      user_username: 'bob',
      user_email: '',
      project: {
        path_with_namespace: 'a/b/c/d',
        default_branch: 'main',
        web_url: 'http://g:8080/',
      },
    },
    'gitlab',
  );
  t.is(event?.repoFullName, 'a/b/c/d');
  t.is(event?.pusherEmail, null);
  t.is(event?.after, null);
  t.is(event?.before?.length, 64);
  t.is(event?.origin, 'http://g:8080');
  t.is(readPushEvent({ object_kind: 'project_create' }, 'gitlab'), null);
});

test('the newest family of hosts that a delivery names is who sent it', (t) => {
  const gitea = { 'x-gitea-event': 'push', 'x-gitea-delivery': 'g', 'x-github-event': 'push' };
  t.like(deliveryKind(headers(gitea), 'hub'), { provider: 'gitea', deliveryId: 'g', isPush: true });
  const forgejo = { ...gitea, 'x-forgejo-event': 'create', 'x-forgejo-delivery': 'f' };
  const kind = deliveryKind(headers(forgejo), 'hub');
  t.like(kind, { provider: 'forgejo', deliveryId: 'f', isPush: false });
  const gitlab = { 'x-gitlab-event': 'Tag Push Hook', 'idempotency-key': 'k' };
  t.like(deliveryKind(headers(gitlab), 'token'), { provider: 'gitlab', deliveryId: 'k' });
  t.is(deliveryKind(headers({ 'x-github-event': 'ping' }), 'hub').deliveryId, null);
});

const WRONG: Record<string, object> = {
  'no ref': { ref: undefined },
  'a ref that is an option': { ref: '--upload-pack=x' },
  'a ref with ..': { ref: 'refs/heads/a..b' },
  'a ref with a newline': { ref: 'refs/heads/a\nb' },
  'a commit that is not an id': { after: 'HEAD' },
  'a commit that is an option': { after: '--output=/tmp/x' },
  'a commit in upper case': { after: 'A'.repeat(40) },
  'no commit': { after: null },
  'a name with ..': { repository: { full_name: 'a/../b' } },
  'a name with one part': { repository: { full_name: 'shop' } },
  'a name that is a URL': { repository: { full_name: 'https://evil.example.com/x' } },
  'a name that begins with -': { repository: { full_name: '-x/shop' } },
  'a name with a blank': { repository: { full_name: 'a b/shop' } },
  'no repository': { repository: null },
};

for (const [title, change] of Object.entries(WRONG)) {
  test(`refused as malformed: ${title}`, (t) => {
    const error = t.throws(() => readPushEvent({ ...GITHUB, ...change }, 'github'), {
      instanceOf: CraError,
    });
    t.is(error?.code, 'INVALID_ARGUMENT');
    t.truthy(error?.details['field']);
  });
}

test('names that hosts give to repositories are taken', (t) => {
  for (const full_name of ['acme/.github', 'a/b/c', 'A-b_c/d.e', '_x/1']) {
    t.is(
      readPushEvent({ ...GITHUB, repository: { full_name } }, 'github')?.repoFullName,
      full_name,
    );
  }
  for (const full_name of [
    'acme/.',
    'acme/shop.git',
    'acme/shop.GIT',
    'a.git/shop',
    './acme',
    'acme/a..b',
    'acme/-x',
    'acme/',
    '/acme',
    'a//b',
  ]) {
    t.throws(
      () => readPushEvent({ ...GITHUB, repository: { full_name } }, 'github'),
      undefined,
      full_name,
    );
  }
});

test('payloads that are not objects are malformed, not a crash', (t) => {
  for (const payload of [null, 1, 'text', [], [[]], { ref: {} }]) {
    t.throws(() => readPushEvent(payload, 'github'), { instanceOf: CraError });
  }
});

test('names of refs are accepted as git accepts them', (t) => {
  for (const ref of ['refs/heads/a', 'refs/heads/a/b-c_d.e', 'refs/tags/v1', 'refs/heads/ä']) {
    t.true(isRef(ref), ref);
  }
  const bad = ['refs/heads/', 'refs/heads/.a', 'refs/heads/a.lock', 'refs/heads/a/.b', 'heads/a'];
  for (const ref of [...bad, 'refs/heads/a@{1}', 'refs/heads/a\\b', 'refs/heads/\ud800']) {
    t.false(isRef(ref), ref);
  }
});

const REPOSITORY = { id: 42, ...DELIVERED.repository };
const PULL = {
  number: 7,
  title: 'Add it',
  html_url: 'https://git.example.com/acme/shop/pull/7',
  user: { login: 'eve' },
  head: { ref: 'main', sha: AFTER, repo: { id: 43 } },
  base: { ref: 'main', repo: REPOSITORY },
};
const OPENED = {
  action: 'opened',
  number: 7,
  pull_request: PULL,
  repository: REPOSITORY,
  sender: { login: 'ann' },
};

/** Reads the webhook of a pull request with another head, other fields of it, or others yet. */
function readPull(pull: object = {}, more: object = {}) {
  const payload = { ...OPENED, pull_request: { ...PULL, ...pull }, ...more };
  const redact = (text: string) => text.replaceAll('secret', '***');
  const kind = { provider: 'github' as const, isForm: false, redact };
  return readPullRequestBody(Buffer.from(JSON.stringify(payload)), kind);
}

test('readPullRequestBody reads a fork by the ref of its host, a branch by its name', (t) => {
  const fork = readPull();
  t.like(fork, { ref: 'refs/pull/7/head', after: AFTER, before: null, pusher: 'eve' });
  t.like(fork, { repoFullName: 'acme/shop', repositoryId: '42', defaultBranch: 'main' });
  t.deepEqual(fork?.pullRequest, {
    number: 7,
    title: 'Add it',
    author: 'eve',
    from_fork: true,
    first_time: false,
    base_branch: 'main',
    url: PULL.html_url,
  });
  const own = readPull({ head: { ref: 'next', sha: AFTER, repo: REPOSITORY } });
  t.like(own, { ref: 'refs/heads/next' });
  t.false(own?.pullRequest?.from_fork);
  const gone = readPull({ head: { ref: 'next', sha: AFTER, repo: null } });
  t.like(gone, { ref: 'refs/pull/7/head' }, 'its fork was deleted');
  const unnamed = { ...OPENED.repository, id: undefined };
  t.like(readPull({ head: { ...PULL.head, repo: unnamed } }, { repository: unnamed }), {
    ref: 'refs/pull/7/head',
  });
});

test('readPullRequestBody reads what brings a head or another base, and passes over the rest', (t) => {
  const read = (action: string, changes?: object) => readPull({}, { action, changes });
  for (const action of ['opened', 'reopened', 'synchronize', 'synchronized']) {
    t.is(read(action)?.after, AFTER, action);
  }
  t.is(read('synchronize')?.pusher, 'ann', 'who pushed to it');
  t.is(read('edited', { base: { ref: { from: 'main' } } })?.after, AFTER);
  t.is(read('edited', { title: { from: 'Add' } }), null);
  for (const action of ['closed', 'labeled', 'review_requested', '']) t.is(read(action), null);
  t.is(readPull({}, { action: ['opened'] }), null);
});

test('readPullRequestBody bounds, redacts and flattens texts, and keeps links of the host', (t) => {
  const titled = (title: unknown) => readPull({ title })?.pullRequest?.title;
  t.is(titled('a\r\nb\u0000c\u2028d'), 'a b c d');
  t.is(titled(`${'x'.repeat(300)}secret`)?.length, 256);
  t.is(titled(`${'x'.repeat(250)}secret`), `${'x'.repeat(250)}***`, 'redacted before it is cut');
  t.is(titled('x'.repeat(1_000_000))?.length, 256);
  t.true(titled(`${'x'.repeat(255)}😀`)?.isWellFormed());
  for (const none of [undefined, null, 7, {}]) t.is(titled(none), '');
  t.is(readPull({ user: { login: 'a\nb' } })?.pullRequest?.author, null);
  const links = [
    'javascript:alert(1)',
    'https://evil.example/acme/shop/pull/7',
    `${PULL.html_url}/${'x'.repeat(2_000)}`,
    7,
  ];
  for (const html_url of links) t.is(readPull({ html_url })?.pullRequest?.url, null);
});

const WRONG_PULLS: Record<string, object> = {
  'no number': { number: undefined },
  'a number beyond what is whole': { number: 1e99 },
  'a number that is a text': { number: '7/../../heads/main' },
  'a number below one': { number: 0 },
  'a fraction': { number: 7.5 },
  'no head': { head: undefined },
  'a head that is not an id': { head: { ...PULL.head, sha: 'main' } },
  'a head that is an option': { head: { ...PULL.head, sha: '--upload-pack=x' } },
  'an own branch with ..': { head: { ref: 'a..b', sha: AFTER, repo: REPOSITORY } },
  'no own branch': { head: { sha: AFTER, repo: REPOSITORY } },
  'a base with a line break': { base: { ref: 'main\nx' } },
  'no base': { base: null },
};
for (const [what, change] of Object.entries(WRONG_PULLS)) {
  test(`readPullRequestBody refuses ${what}`, (t) => {
    t.throws(() => readPull(change), { instanceOf: CraError });
  });
}

test('deliveryKind knows events about pull requests', (t) => {
  const kind = (event: string) =>
    deliveryKind({ values: new Map([['x-github-event', event]]), repeated: new Set() }, 'hub');
  t.like(kind('pull_request'), { isPullRequest: true, isPush: false });
  t.like(kind('pull_request_review'), { isPullRequest: false, isPush: false });
  t.like(kind('push'), { isPullRequest: false, isPush: true, isStatus: false });
  t.like(kind('status'), { isStatus: true, isPush: false });
});

/** https://docs.github.com/en/webhooks/webhook-events-and-payloads#status; Gitea's is the same. */
const STATUS = {
  sha: 'c3'.repeat(20),
  context: 'cra/gate',
  state: 'success',
  description: null,
  sender: { login: 'ann' },
  repository: { id: 42, full_name: 'acme/shop', html_url: 'https://github.com/acme/shop' },
};

function readStatus(over: object, provider: Provider = 'github') {
  const body = Buffer.from(JSON.stringify({ ...STATUS, ...over }));
  return readStatusBody(body, { provider, isForm: false });
}

test('readStatusBody reads statuses under our names alone', (t) => {
  t.deepEqual(readStatus({}), {
    repoFullName: 'acme/shop',
    repositoryId: '42',
    origin: 'https://github.com',
    sha: STATUS.sha,
    component: null,
    state: 'success',
    description: '',
    sender: 'ann',
    appIds: null,
  });
  t.is(readStatus({ context: 'cra/gate/web' }, 'gitea')?.component, 'web');
  for (const context of ['cra/gates', 'ci', '', null, 7]) t.is(readStatus({ context }), null);
  const pipeline = (status: string) =>
    readStatus(
      {
        object_kind: 'pipeline',
        object_attributes: { sha: 'a'.repeat(40), status },
        user: { username: 'mallory' },
        project: { id: 7, path_with_namespace: 'acme/web/shop', web_url: 'https://lab.example/x' },
      },
      'gitlab',
    );
  t.deepEqual(pipeline('success'), {
    component: null,
    repoFullName: 'acme/web/shop',
    repositoryId: '7',
    sha: 'a'.repeat(40),
    state: 'success',
    description: null,
    sender: 'mallory',
    origin: 'https://lab.example',
    appIds: null,
  });
  for (const status of ['failed', 'running', 'canceled']) t.is(pipeline(status), null, status);
  t.is(readStatus({ sender: { login: 'a\u001b[2J' } })?.sender, null);
  for (const wrong of [{ sha: 'main' }, { sha: 1 }, { repository: { full_name: '../x' } }]) {
    t.throws(() => readStatus(wrong), { code: 'INVALID_ARGUMENT' });
  }
});

/** https://docs.github.com/en/webhooks/webhook-events-and-payloads#check_run */
const CHECK_RUN = {
  action: 'completed',
  check_run: {
    name: 'cra/gate',
    head_sha: STATUS.sha,
    status: 'completed',
    conclusion: 'cancelled',
    output: { title: 'all is well' },
    app: { id: 7, client_id: 'Iv1' },
  },
  sender: { login: 'other[bot]' },
  repository: STATUS.repository,
};

test('readStatusBody reads check runs under our names, as the statuses that they stand for', (t) => {
  const read = (over: object, action = 'completed') =>
    readStatusBody(
      Buffer.from(
        JSON.stringify({
          ...CHECK_RUN,
          action,
          check_run: { ...CHECK_RUN.check_run, ...over },
        }),
      ),
      { provider: 'github', isForm: false },
    );
  t.like(read({}), {
    repoFullName: 'acme/shop',
    sha: STATUS.sha,
    component: null,
    state: 'error',
    description: 'all is well',
    sender: 'other[bot]',
    appIds: ['7', 'Iv1'],
  });
  t.is(read({ name: 'cra/gate/web' })?.component, 'web');
  t.is(read({ conclusion: 'neutral' })?.state, 'neutral');
  t.like(read({ status: 'queued', conclusion: null }, 'created'), { state: 'pending' });
  t.like(read({ output: null, conclusion: 7, app: null }), { state: '', description: '' });
  t.is(read({ name: 'ci' }), null);
  t.is(read({}, 'rerequested'), null);
  for (const wrong of [{ head_sha: 'main' }, { head_sha: null }]) {
    t.throws(() => read(wrong), { code: 'INVALID_ARGUMENT' });
  }
});
