import test, { type ExecutionContext } from 'ava';
import type { Annotation, CommitStatus } from '../../src/hosts/host.ts';
import { openStatusApi } from '../../src/hosts/status-api.ts';
import { fake } from '../../src/rules/fake.ts';
import { addComment, type PullHostKind, startPullHost } from './pull-host.ts';

const TOKEN = fake('token-', 40);
const SHA = 'a1'.repeat(20);
const NEWER = 'b2'.repeat(20);
const KINDS: PullHostKind[] = ['gitea', 'gitlab'];

const STATUS: CommitStatus = {
  repo: 'acme/shop',
  sha: SHA,
  branch: 'feature/a',
  state: 'failure',
  description: '1 critical, 0 high, score 80',
  targetUrl: 'https://cra.example/cra#approve-RFC-1',
  inPullRequest: true,
};

const NOW = Date.parse('2026-11-21T10:00:00.000Z');

async function open(t: ExecutionContext, kind: PullHostKind) {
  const host = await startPullHost(t, { kind, token: TOKEN });
  host.pulls.set(3, SHA);
  const settings = {
    id: kind,
    provider: kind,
    url: 'https://host.example',
    apiUrl: host.apiUrl,
    token: TOKEN,
    username: 'cra',
    webhookSecrets: [],
    tenantId: 'default',
  };
  const start = () => {
    const post = openStatusApi(settings, { deadlineMs: 5_000, now: () => NOW });
    if (post === null) throw new Error('it has an API and a token');
    return (summary: string, over: Over = {}) => {
      const { sha = SHA, annotations = [], isQuiet = false, ...pull } = over;
      const report = { summary, annotations, isQuiet };
      return post(
        { ...STATUS, ...pull, sha, report },
        { signal: new AbortController().signal, onCall: () => undefined },
      );
    };
  };
  return { host, send: start(), start };
}

interface Over {
  sha?: string;
  annotations?: Annotation[];
  isQuiet?: boolean;
  pullRequest?: number;
}

function annotation(line: number, message = 'a shell gets it'): Annotation {
  return {
    path: 'src/a.js',
    startLine: line,
    endLine: line,
    level: 'failure',
    title: 'critical: OS command injection',
    message,
  };
}

for (const kind of KINDS) {
  test(`${kind}: a pull request has one comment of ours, which says the newest verdict`, async (t) => {
    const { host, send, start } = await open(t, kind);
    t.deepEqual(await send('**BLOCKED**'), { outcome: 'posted' });
    t.regex(
      host.comments[0]?.body ?? '',
      /^<!-- cra\/gate .+ -->\n\nCommit `a1a1a1a1a1a1`: \*\*BLOCKED\*\*$/,
    );
    t.deepEqual(await send('**OVERRIDDEN**'), { outcome: 'posted' });
    host.pulls.set(3, NEWER);
    // After a restart, too.
    t.deepEqual(await start()('**PASSED**', { sha: NEWER }), { outcome: 'posted' });
    t.is(host.comments.length, 1);
    t.regex(host.comments[0]?.body ?? '', /`b2b2b2b2b2b2`: \*\*PASSED\*\*/);
  });

  test(`${kind}: a comment that says it already is left alone`, async (t) => {
    const { host, send } = await open(t, kind);
    await send('**BLOCKED**');
    await send('**BLOCKED**');
    t.is(host.requests.filter((request) => !request.startsWith('GET')).length, 1);
  });

  test(`${kind}: a comment whose answer was lost is not doubled`, async (t) => {
    const { host, send } = await open(t, kind);
    const lost = { status: 502, isDone: true, times: 1 };
    host.faults.push({ ...lost, path: /reviews$|notes$/, method: 'POST' });
    t.is((await send('**BLOCKED**')).outcome, 'down');
    t.is((await send('**BLOCKED**')).outcome, 'posted');
    host.faults.push({ ...lost, path: /\/\d+$/, method: kind === 'gitea' ? 'DELETE' : 'PUT' });
    t.is((await send('**PASSED**')).outcome, 'down');
    t.is((await send('**PASSED**')).outcome, 'posted');
    t.is(host.comments.length, 1);
    t.regex(host.comments[0]?.body ?? '', /PASSED/);
  });

  test(`${kind}: with nothing to say a pull request gets no comment, and an older one is put right`, async (t) => {
    const { host, send } = await open(t, kind);
    t.is((await send('**PASSED**', { isQuiet: true })).outcome, 'posted');
    t.is(host.comments.length, 0);
    await send('**BLOCKED**');
    await send('**PASSED**', { isQuiet: true });
    t.is(host.comments.length, 1);
    t.regex(host.comments[0]?.body ?? '', /PASSED/);
  });

  test(`${kind}: the comment of another account is left alone, whatever it begins with`, async (t) => {
    const { host, send } = await open(t, kind);
    const marker =
      kind === 'gitea' ? `<!-- cra/gate ${'0'.repeat(32)} 0 -->` : '<!-- cra/gate verdict -->';
    addComment(host, `${marker}\n\n**PASSED**`, { author: 8 });
    addComment(host, 'a note of ours about something else');
    t.is((await send('**BLOCKED**')).outcome, 'posted');
    t.is(host.comments.length, 3);
    t.regex(host.comments[0]?.body ?? '', /PASSED/);
  });

  test(`${kind}: a commit that is no head says nothing: another one speaks for the pull request`, async (t) => {
    const { host, send } = await open(t, kind);
    t.deepEqual(await send('**BLOCKED**', { sha: NEWER }), { outcome: 'no pull request' });
    t.is(host.comments.length, 0);
  });

  test(`${kind}: a pull request that is known is not looked for, unless it has another head`, async (t) => {
    const { host, send } = await open(t, kind);
    t.is((await send('**BLOCKED**', { pullRequest: 3 })).outcome, 'posted');
    const isSearch = (path: string) => /pulls\?|merge_requests\?/.test(path);
    t.deepEqual(host.requests.filter(isSearch), []);
    host.pulls.set(4, NEWER);
    t.is((await send('**PASSED**', { sha: NEWER, pullRequest: 3 })).outcome, 'posted');
    t.is((await send('**PASSED**', { sha: NEWER, pullRequest: 99 })).outcome, 'posted');
    t.deepEqual(
      host.comments.map(({ pull }) => pull),
      [3, 4],
    );
  });

  test(`${kind}: two comments of daemons that raced become one`, async (t) => {
    const { host, send } = await open(t, kind);
    await send('**BLOCKED**');
    addComment(host, host.comments[0]?.body ?? '');
    await send('**PASSED**');
    t.is(host.comments.length, 1);
  });

  test(`${kind}: among more comments than are read none is added`, async (t) => {
    const { host, send } = await open(t, kind);
    for (let count = 0; count < 301; count += 1) addComment(host, 'hello', { author: 8 });
    const result = await send('**BLOCKED**');
    t.is(result.outcome, 'refused');
    t.is(host.comments.length, 301);
    t.is(host.requests.length, 5);
  });
}

test('gitea: findings are comments of the review at their lines', async (t) => {
  const { host, send } = await open(t, 'gitea');
  await send('**BLOCKED**', { annotations: [annotation(3), annotation(9)] });
  await send('**BLOCKED**', { annotations: [annotation(9)] });
  t.is(host.comments.length, 1);
  const body = '**`critical: OS command injection`**\n\n`a shell gets it`';
  t.deepEqual(host.comments[0]?.lines, [{ path: 'src/a.js', line: 9, body }]);
});

test('gitea: a review whose lines people answered stays with their words', async (t) => {
  const { host, send } = await open(t, 'gitea');
  await send('**BLOCKED**', { annotations: [annotation(3)] });
  const [first] = host.comments;
  if (first !== undefined) first.answers = 1;
  await send('**PASSED**', { isQuiet: true });
  t.is(host.comments.length, 2);
});

test('gitea: what a failed call left pending does not become a part of the next review', async (t) => {
  const { host, send } = await open(t, 'gitea');
  const left = addComment(host);
  left.isPending = true;
  left.lines.push({ path: 'src/a.js', line: 3, body: 'half' });
  await send('**BLOCKED**', { annotations: [annotation(3)] });
  t.is(host.comments.length, 1);
  t.is(host.comments[0]?.lines.length, 1);
});

test('gitlab: findings are discussions at their lines, resolved when they are gone', async (t) => {
  const { host, send } = await open(t, 'gitlab');
  host.outside.add(50);
  const first = [annotation(3), annotation(9, 'another way'), annotation(50, 'not in the diff')];
  t.is((await send('**BLOCKED**', { annotations: first })).outcome, 'posted');
  const lines = () => host.comments.filter((one) => one.lines.length > 0);
  t.deepEqual(
    lines().map((one) => [one.lines[0]?.line, one.resolvedBy]),
    [
      [3, null],
      [9, null],
    ],
  );
  // It moved with its line; the other one is gone.
  await send('**BLOCKED**', { annotations: [annotation(4)] });
  t.deepEqual(
    lines().map((one) => one.resolvedBy),
    [null, 7],
  );
  await send('**BLOCKED**', { annotations: first.slice(0, 2) });
  t.deepEqual(
    lines().map((one) => one.resolvedBy),
    [null, null],
  );
  const [person] = lines();
  if (person !== undefined) person.resolvedBy = 8;
  await send('**BLOCKED**', { annotations: first.slice(0, 2) });
  t.is(person?.resolvedBy, 8);
});

const REFUSALS = [
  { status: 401, outcome: 'refused', says: /token/ },
  { status: 403, outcome: 'refused', says: /may not comment/ },
  {
    status: 403,
    message: 'You have exceeded a secondary rate limit',
    outcome: 'limited',
    says: /limits/,
  },
  { status: 404, outcome: 'later', says: /does not know/ },
  { status: 409, outcome: 'later', says: /does not know/ },
  { status: 422, outcome: 'refused', says: /does not take/ },
  { status: 429, outcome: 'limited', says: /limits/ },
  { status: 500, outcome: 'later', says: /failed/ },
  { status: 503, outcome: 'down', says: /failed/ },
] as const;

for (const kind of KINDS) {
  for (const { outcome, says, ...fault } of REFUSALS) {
    test(`${kind}: ${fault.status} "${'message' in fault ? fault.message : ''}" is ${outcome}`, async (t) => {
      const { host, send } = await open(t, kind);
      host.faults.push({ ...fault, path: /notes$|reviews$/, method: 'POST', times: 1 });
      const result = await send('**BLOCKED**');
      t.is(result.outcome, outcome);
      if ('reason' in result) t.regex(result.reason, says);
      t.is((await send('**BLOCKED**')).outcome, 'posted');
      t.is(host.comments.length, 1);
    });
  }

  test(`${kind}: a token that may not read its own account is told so`, async (t) => {
    const { host, send } = await open(t, kind);
    host.faults.push({ path: /\/user$/, status: 403, times: 1 });
    const result = await send('**BLOCKED**');
    t.is(result.outcome, 'refused');
    if ('reason' in result) t.regex(result.reason, /own account/);
  });
}
