import { execFileSync } from 'node:child_process';
import test, { type ExecutionContext } from 'ava';
import { type ReplaySummary, treeCpuSeconds } from '../../src/cli/replay-summary.ts';
import { createServiceClient, type ServiceClient } from '../../src/cli/service-client.ts';
import { CLI } from '../../src/cli/terminal.ts';
import { CraError } from '../../src/model/errors.ts';
import { runCommand } from './fixtures/command.ts';
import {
  answer,
  data,
  type FakeReply,
  type FakeRequest,
  type FakeService,
  failure,
  startFakeService,
} from './fixtures/fake-service.ts';
import { createRepository } from './fixtures/repository.ts';

/** Four commits: one file, nothing, two files, a removal. */
function createHistory(t: ExecutionContext) {
  const repository = createRepository(t);
  const first = repository.commit('first', { 'a.ts': 'a\n' });
  const empty = repository.commit('empty');
  const second = repository.commit('second\n\nbody', { 'b.ts': '1\n2\n', 'é.ts': 'x\n' });
  const third = repository.commit('third', { 'a.ts': '' });
  return { path: repository.path, first, empty, second, third };
}

async function replay(service: FakeService, path: string, ...more: string[]) {
  const args = ['replay', '--repo', path, '--server', service.url, '--json', ...more];
  const outcome = await runCommand(args);
  const summary = JSON.parse(outcome.stdout || 'null') as ReplaySummary;
  return { ...outcome, summary };
}

/** The numbers that git has for the commits of `createHistory`. */
const STATS: Record<string, { files: number; additions: number; deletions: number }> = {
  first: { files: 1, additions: 1, deletions: 0 },
  second: { files: 2, additions: 3, deletions: 0 },
  third: { files: 1, additions: 0, deletions: 1 },
};

function title({ change }: FakeRequest): string {
  return change?.commit_message.split('\n')[0] ?? '';
}

test('replay posts each commit that has a diff, oldest first, and sums up', async (t) => {
  const { path, first, second, third } = createHistory(t);
  const service = await startFakeService(t, (request) => {
    const stats = STATS[title(request)];
    return title(request) === 'second'
      ? data(answer({ status: 'BLOCKED', rules: ['secret-x', 'secret-x', 'risk-y'], stats }))
      : data(answer({ rules: ['risk-y'], stats }));
  });
  const { code, summary, stderr } = await replay(
    service,
    path,
    '--concurrency=1',
    '--verify-stats',
    `--pid=${process.pid}`,
  );
  t.is(code, 0, stderr);
  const posted = service.requests.map(({ change }) => change);
  t.deepEqual(
    posted.map((change) => change?.commitSha),
    [first, second, third],
  );
  t.is(posted[1]?.commit_message, 'second\n\nbody');
  t.is(posted[1]?.repo_name, 'shop');
  t.true(posted[1]?.diff.startsWith('diff --git a/b.ts b/b.ts\n'));
  t.is(summary.commits, 3);
  t.deepEqual(summary.verdicts, { PASSED: 2, BLOCKED: 1 });
  t.deepEqual(summary.rules, { 'risk-y': 3, 'secret-x': 2 });
  t.deepEqual(summary.skipped, { empty: 1, too_large: [] });
  t.deepEqual(summary.stats_mismatches, []);
  t.true((summary.latency_ms?.p50 ?? 0) <= (summary.latency_ms?.max ?? -1));
  t.is(typeof summary.server_cpu_seconds, 'number');
  t.is(service.connections(), 1);
});

test('replay takes the newest commits that are asked for, and no more', async (t) => {
  const { path } = createHistory(t);
  const service = await startFakeService(t, () => data(answer({})));
  const { summary } = await replay(service, path, '--commits=2');
  t.is(summary.commits, 2);
  t.deepEqual(service.requests.map(title).sort(), ['second', 'third']);
});

test('replay waits for a DRAFT and counts its final verdict', async (t) => {
  const { path } = createHistory(t);
  let polls = 0;
  const service = await startFakeService(t, ({ change, path: at }) => {
    if (change !== null) return data(answer({ status: 'DRAFT', id: `RFC-${change.branch}` }));
    t.is(at, `/api/cra/rfc/RFC-main?wait=${CLI.POLL_SECONDS}`);
    polls += 1;
    return data(answer({ status: polls % 2 === 1 ? 'DRAFT' : 'BLOCKED' }));
  });
  const { code, summary } = await replay(service, path, '--concurrency=1');
  t.deepEqual([code, summary.drafts, summary.stuck.length, polls], [0, 3, 0, 6]);
  t.deepEqual(summary.verdicts, { BLOCKED: 3 });
});

test('replay sends again after 503 and says how often', async (t) => {
  const { path } = createHistory(t);
  let busy = 5;
  const full = failure(503, 'busy', { 'retry-after': '0' });
  const service = await startFakeService(t, () => (busy-- > 0 ? full : data(answer({}))));
  const { code, summary } = await replay(service, path);
  t.deepEqual([code, summary.commits, summary.retries_after_503], [0, 3, 5]);
});

const FAILURES: [title: string, reply: FakeReply, kind: string][] = [
  ['a failure of the service', failure(500, 'internal error'), '500'],
  ['a refusal', failure(400, 'diff: holds no file'), '400'],
  ['a connection that is cut', 'drop', 'ECONNRESET'],
  ['an answer of something else', data({ hello: 1 }), 'unreadable'],
  ['a page of a proxy', { status: 502, text: '<html>' }, '502'],
];

for (const [what, reply, kind] of FAILURES) {
  test(`replay counts and names ${what}, and exits with 2`, async (t) => {
    const { path, second } = createHistory(t);
    const service = await startFakeService(t, (request) =>
      title(request) === 'second' ? reply : data(answer({})),
    );
    const { code, summary } = await replay(service, path, '--concurrency=1');
    t.is(code, 2);
    t.deepEqual(summary.errors, { [kind]: 1 });
    t.deepEqual(
      summary.failed.map(({ sha }) => sha),
      [second],
    );
    t.is(summary.commits, 2);
  });
}

test('replay gives up on a service that does not answer any more', async (t) => {
  const repository = createRepository(t);
  const commits = CLI.FAILURES_IN_A_ROW_MAX + 5;
  for (let i = 0; i < commits; i += 1) repository.commit(`c${i}`, { 'a.ts': `${i}\n` });
  const service = await startFakeService(t, () => 'drop');
  const { code, summary, stderr } = await replay(service, repository.path, '--concurrency=1');
  t.is(code, 2);
  t.is(summary.failed.length, CLI.FAILURES_IN_A_ROW_MAX);
  t.regex(stderr, /does not answer: ECONNRESET/);
});

test('replay says at once that there is no service', async (t) => {
  const { path } = createHistory(t);
  const { code, stdout, stderr } = await runCommand(['replay', '--repo', path], {
    env: { CRA_BASE_URL: 'http://127.0.0.1:1' },
  });
  t.deepEqual([code, stdout], [2, '']);
  t.regex(stderr, /http:\/\/127\.0\.0\.1:1 does not answer: ECONNREFUSED/);
});

test('replay --verify-stats lists every number that differs and exits with 2', async (t) => {
  const { path, second } = createHistory(t);
  const service = await startFakeService(t, (request) => {
    const stats = { ...(STATS[title(request)] ?? { files: 0, additions: 0, deletions: 0 }) };
    if (title(request) === 'second') stats.additions += 1;
    return data(answer({ stats }));
  });
  const { code, summary } = await replay(service, path, '--verify-stats');
  t.is(code, 2);
  t.deepEqual(summary.stats_mismatches, [{ sha: second, field: 'additions', service: 4, git: 3 }]);
});

test('replay skips a commit above the limit and names it', async (t) => {
  const repository = createRepository(t);
  // Every byte of it takes six as JSON.
  const content = `${'\x01'.repeat(1023)}\n`.repeat(CLI.DIFF_BYTES_MAX / 1024 / 5);
  const large = repository.commit('large', { 'a.txt': content });
  repository.commit('small', { 'b.txt': 'b\n' });
  const service = await startFakeService(t, () => data(answer({})));
  const { code, summary } = await replay(service, repository.path);
  t.is(code, 0);
  t.deepEqual(
    summary.skipped.too_large.map(({ sha }) => sha),
    [large],
  );
  t.deepEqual(service.requests.map(title), ['small']);
});

test('replay ends on SIGINT with the summary so far', async (t) => {
  const { path } = createHistory(t);
  let interrupt: () => void = () => undefined;
  const service = await startFakeService(t, (request) => {
    if (title(request) !== 'second') return data(answer({}));
    interrupt();
    return 'hang';
  });
  const args = ['replay', '--repo', path, '--server', service.url, '--concurrency=1'];
  const { code, stdout } = await runCommand(args, {
    onStart: (child) => {
      interrupt = () => child.kill('SIGINT');
    },
  });
  t.is(code, 2);
  t.regex(stdout, /^shop: 1 commits, /);
  t.regex(stdout, /broken off 1 not answered/);
});

test('replay shows a summary for people', async (t) => {
  const { path } = createHistory(t);
  const service = await startFakeService(t, (request) =>
    title(request) === 'third'
      ? failure(500, 'internal error')
      : data(answer({ rules: ['\x1b[2J'] })),
  );
  const args = ['replay', '--repo', path, '--server', service.url];
  const { code, stdout } = await runCommand(args);
  t.is(code, 2);
  t.regex(stdout, /^shop: 2 commits, /);
  t.regex(stdout, /verdicts +PASSED 2\n/);
  t.regex(stdout, /top rules +\\x1b\[2J 2\n/);
  t.regex(stdout, /errors +500 1\n/);
  t.regex(stdout, /failed +[0-9a-f]{40} HTTP 500: internal error/);
});

const USAGE: [args: string[], says: RegExp][] = [
  [[], /--repo is required/],
  [['--repo', '/'], /not a git repository/],
  [['--repo', '/', '--commits', '0'], /--commits must be a whole number from 1/],
  [['--repo', '/', '--concurrency', '1e9'], /--concurrency must be a whole number/],
  [['--repo', '/', '--pid', '-1'], /--pid/],
  [['--repo', '/', '--all', '--commits', '3'], /exclude each other/],
  [['--nope'], /--nope/],
];

for (const [args, says] of USAGE) {
  test(`replay ${args.join(' ')} exits with 2 and says why`, async (t) => {
    const { code, stdout, stderr } = await runCommand(['replay', ...args]);
    t.deepEqual([code, stdout], [2, '']);
    t.regex(stderr, says);
    t.notRegex(stderr, / at .*\.js/);
  });
}

test('replay --help shows examples', async (t) => {
  const { code, stdout } = await runCommand(['replay', '--help']);
  t.is(code, 0);
  t.regex(stdout, /cra replay --repo \. --all/);
});

const BURN = 'while (process.cpuUsage().user < 300_000) {}';

test('treeCpuSeconds counts a process and the children it has had', (t) => {
  const before = treeCpuSeconds(process.pid);
  execFileSync(process.execPath, ['-e', BURN]);
  const after = treeCpuSeconds(process.pid);
  t.not(before, null);
  t.true((after ?? 0) - (before ?? 0) >= 0.25, `${before} ${after}`);
});

test('treeCpuSeconds of a process that is not there is null', (t) => {
  t.is(treeCpuSeconds(2 ** 30), null);
});

const BODY = Buffer.from('{"diff":"x"}');
const { signal } = new AbortController();

function connect(t: ExecutionContext, baseUrl: string, token = ''): ServiceClient {
  const client = createServiceClient({ baseUrl, token, connections: 1 });
  t.teardown(client.close);
  return client;
}

test('a service client keeps its connection and sends its token', async (t) => {
  const service = await startFakeService(t, () => data({ answer: 1 }));
  const client = connect(t, service.url, 'secret');
  for (let i = 0; i < 3; i += 1) {
    const reply = await client.analyze(BODY, signal);
    t.deepEqual([reply.status, reply.data, reply.error], [200, { answer: 1 }, null]);
  }
  t.is(service.connections(), 1);
  t.is(service.requests[0]?.headers.authorization, 'Bearer secret');
  t.is(service.requests[0]?.path, '/api/cra/analyze');
});

test('a service client keeps the path of the address', async (t) => {
  const service = await startFakeService(t, () => data(1));
  await connect(t, `${service.url}/tools`).rfc('RFC-1/..', 30, signal);
  t.is(service.requests[0]?.path, '/tools/api/cra/rfc/RFC-1%2F..?wait=30');
});

test('a service client tries again after 503, as often as allowed', async (t) => {
  let busy = 3;
  const full = failure(503, 'busy', { 'retry-after': '0' });
  const service = await startFakeService(t, () => (busy-- > 0 ? full : data('done')));
  const client = connect(t, service.url);
  const reply = await client.analyze(BODY, signal);
  t.deepEqual([reply.data, reply.retries, service.requests.length], ['done', 3, 4]);
  busy = CLI.RETRIES_MAX + 100;
  const refused = await client.analyze(BODY, signal);
  t.deepEqual([refused.status, refused.error], [503, 'HTTP 503: busy']);
  t.is(refused.retries, CLI.RETRIES_MAX);
});

test('a service client sends again on a kept connection that the server closed', async (t) => {
  let drops = 0;
  const service = await startFakeService(t, ({ path }) => {
    if (path.endsWith('/first') || drops > 0) return data('ok');
    drops += 1;
    return 'drop';
  });
  const client = connect(t, service.url);
  await client.rfc('first', 0, signal);
  const reply = await client.analyze(BODY, signal);
  t.deepEqual([reply.data, service.requests.length], ['ok', 3]);
});

const REPLIES: [title: string, reply: FakeReply, error: string][] = [
  ['a refusal', failure(400, 'diff: is missing'), 'HTTP 400: diff: is missing'],
  ['a refusal with escape sequences', failure(400, '\x1b[2J'), 'HTTP 400: \\x1b[2J'],
  [
    'a page of a proxy',
    { status: 502, text: '<html>' },
    'HTTP 502; a proxy answers, which does not reach the service: is it running?',
  ],
  [
    'text that is not JSON',
    { status: 200, text: 'ok' },
    'HTTP 200; what answers there is not a cra service: check the address in --server or CRA_BASE_URL',
  ],
  [
    'a redirect',
    { status: 302, text: '', headers: { location: 'http://x/' } },
    'HTTP 302; it is at another address: write http://x in --server or CRA_BASE_URL',
  ],
];

for (const [title, reply, error] of REPLIES) {
  test(`a service client gives the error of ${title}`, async (t) => {
    const service = await startFakeService(t, () => reply);
    const got = await connect(t, service.url).analyze(BODY, signal);
    t.deepEqual([got.data, got.error], [null, error]);
  });
}

test('a service that hangs up, or is not there, is UNAVAILABLE', async (t) => {
  const service = await startFakeService(t, () => 'drop');
  const dropped = await t.throwsAsync(connect(t, service.url).analyze(BODY, signal), {
    instanceOf: CraError,
  });
  t.deepEqual([dropped.code, dropped.details['why']], ['UNAVAILABLE', 'ECONNRESET']);
  const absent = await t.throwsAsync(connect(t, 'http://127.0.0.1:1').health(signal));
  t.regex(absent.message, /http:\/\/127\.0\.0\.1:1 does not answer: ECONNREFUSED/);
});

test('an interrupt ends a request and the wait after a 503', async (t) => {
  const interrupt = new AbortController();
  const service = await startFakeService(t, () => {
    setImmediate(() => interrupt.abort());
    return failure(503, 'busy', { 'retry-after': '3600' });
  });
  const client = connect(t, service.url);
  const error = await t.throwsAsync(client.analyze(BODY, interrupt.signal), {
    instanceOf: CraError,
  });
  t.is(error.code, 'CANCELLED');
});

for (const url of ['', 'localhost:3011', 'file:///etc/passwd', 'ftp://x/']) {
  test(`createServiceClient refuses the address "${url}"`, (t) => {
    const options = { baseUrl: url, token: '', connections: 1 };
    t.throws(() => createServiceClient(options), { message: /must be like http/ });
  });
}
