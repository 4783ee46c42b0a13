import test from 'ava';
import { readPushBody } from '../../src/hosts/delivery-body.ts';
import { readPushEvent } from '../../src/hosts/push-event.ts';
import type { Provider } from '../../src/model/push.ts';

const [BEFORE, AFTER] = ['a'.repeat(40), 'b'.repeat(40)];

/** As GitHub orders it. */
const GITHUB = {
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

function read(text: string | Buffer, provider: Provider = 'github', isForm = false) {
  return readPushBody(Buffer.from(text), isForm, provider);
}

const SAME: Record<string, { payload: object; provider?: Provider }> = {
  'in the order of GitHub': { payload: { ...GITHUB, commits: COMMITS, head_commit: null } },
  'in the order of Gitea': {
    payload: (({ repository, pusher, ...first }) => ({
      ...first,
      commits: COMMITS,
      repository,
      pusher,
    }))(GITHUB),
  },
  'in the order of GitLab': {
    payload: {
      ...{ object_kind: 'push', before: BEFORE, after: AFTER, ref: 'refs/heads/main' },
      ...{ user_username: 'bob', project: { path_with_namespace: 'a/b', default_branch: 'x' } },
      ...{ commits: COMMITS, total_commits_count: 1 },
    },
    provider: 'gitlab',
  },
  'with a list of that name deeper inside': {
    payload: { ...GITHUB, custom: { first: 1, commits: ['x'] }, deleted: false },
  },
  'with such a list before what is read': {
    payload: { custom: { first: 1, commits: [] }, ...GITHUB, commits: COMMITS },
  },
  'without commits': { payload: GITHUB },
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
  });
}

test('readPushBody takes the last of a field that stands twice, as a whole parse does', (t) => {
  const text = JSON.stringify({ ...GITHUB, commits: COMMITS });
  const twice = `{"ref":"refs/heads/first",${text.slice(1)}`;
  t.is(read(twice)?.ref, GITHUB.ref);
});

test('readPushBody refuses what ends early and what is no UTF-8, also behind the commits', (t) => {
  const text = JSON.stringify({ ...GITHUB, commits: COMMITS });
  t.throws(() => read(text.slice(0, -1)), { message: /is not JSON/ });
  t.throws(() => read(text.slice(0, text.indexOf('"commits"'))), { message: /is not JSON/ });
  const broken = Buffer.from(text);
  broken[text.indexOf('say')] = 0xff;
  t.throws(() => read(broken), { message: /must be UTF-8/ });
});
