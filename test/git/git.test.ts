import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { createLifecycle } from '../../src/daemon/lifecycle.ts';
import { openGit } from '../../src/daemon/threads.ts';
import { parseDiff } from '../../src/diff/parse.ts';
import { PLAIN } from '../../src/git/environment.ts';
import { createGit, GitFailure, type GitOptions } from '../../src/git/git.ts';
import { createGroups, killGroups } from '../../src/git/launcher.ts';
import { GIT } from '../../src/git/limits.ts';
import type { SourceThreadData } from '../../src/git/source.ts';
import { CraError } from '../../src/model/errors.ts';
import { workerEntry } from '../../src/rpc/thread-entry.ts';
import { fake } from '../../src/rules/fake.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { temporaryDir } from '../daemon.ts';
import type { Blob } from '../diff/repository.ts';
import { makeAuthority } from '../hosts/authority.ts';
import { startConnectProxy } from '../hosts/connect-proxy.ts';
import { type GitHost, startGitHost } from '../hosts/git-host.ts';
import { APP, openWithHost, settingsOf } from './opened.ts';

/** Git whose `x` is a script: a stand-in for commands that behave badly. */
function prepare(t: ExecutionContext) {
  const directory = mkdtempSync(join(tmpdir(), 'cra-git-run-'));
  const groups = createGroups();
  const git = createGit(directory, groups);
  t.teardown(async () => {
    await git.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const run = (script: string, options: Partial<GitOptions> = {}) =>
    git.run(['-c', `alias.x=!${script}`, 'x'], {
      env: PLAIN,
      bytesMax: 1_000,
      stop: () => null,
      ...options,
    });
  return { git, groups, run };
}

test('git gets an environment made from nothing', async (t) => {
  const { run } = prepare(t);
  process.env['CRA_TEST_AMBIENT'] = 'seen';
  const { bytes } = await run('env');
  const text = bytes.toString();
  t.false(text.includes('CRA_TEST_AMBIENT'));
  for (const setting of ['HOME=/nonexistent', 'GIT_CONFIG_NOSYSTEM=1', 'GIT_TERMINAL_PROMPT=0']) {
    t.true(text.includes(`${setting}\n`), setting);
  }
});

test('a failure has the end of what git said, in whole lines', async (t) => {
  const { run } = prepare(t);
  const flood =
    'yes "remote: something else" | head -n 5000 >&2; echo fatal: early EOF >&2; exit 128';
  const error = await t.throwsAsync(run(flood), { instanceOf: GitFailure });
  t.true(error.stderr.endsWith('remote: something else\nfatal: early EOF\n'));
  t.true(error.stderr.startsWith('remote: '));
  t.true(error.stderr.length <= 2 * GIT.ERROR_BYTES_MAX);
});

test('output above the bound is a failure, or cut where that is asked for', async (t) => {
  const { run } = prepare(t);
  t.like(await t.throwsAsync(run('yes')), { code: 'OUT_OF_RANGE' });
  const { bytes, isCut } = await run('yes', { cut: true });
  t.deepEqual([bytes.length, isCut], [1_000, true]);
  const whole = await run('yes | head -n 500', { cut: true });
  t.deepEqual([whole.bytes.length, whole.isCut], [1_000, false]);
});

test('git is ended with all that it started', async (t) => {
  const { run, groups } = prepare(t);
  const mark = `${700_000 + (process.pid % 90_000)}`;
  const script = `sh -c "sleep ${mark} & sleep ${mark}"`;
  let isOver = false;
  const stopped = new CraError('CANCELLED', 'over');
  const called = run(script, { stop: () => (isOver ? stopped : null) });
  while (sleepers(mark) < 2) await wait(10);
  isOver = true;
  t.is(await t.throwsAsync(called), stopped);
  while (sleepers(mark) > 0) await wait(10);
  t.true(new Int32Array(groups).every((pid) => pid === 0));
});

function sleepers(mark: string): number {
  return readdirSync('/proc').filter((pid) => {
    try {
      return (
        /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1') === `sleep\0${mark}\0`
      );
    } catch {
      return false;
    }
  }).length;
}

test('git that is ended by others is UNAVAILABLE, and so is missing git', async (t) => {
  const { run, git } = prepare(t);
  const killed = await t.throwsAsync(run('kill -9 $PPID'));
  t.like(killed, { code: 'UNAVAILABLE', details: { reason: 'git -c was ended by SIGKILL' } });
  const missing = await t.throwsAsync(run('true', { env: { PATH: '/nonexistent' } }));
  t.like(missing, { code: 'UNAVAILABLE', message: 'git is not installed' });
  await git.close();
  t.like(await t.throwsAsync(run('true')), { code: 'UNAVAILABLE' });
});

async function prepareHost(t: ExecutionContext) {
  const host = await startGitHost();
  const dataDir = mkdtempSync(join(tmpdir(), 'cra-git-thread-'));
  t.teardown(async () => {
    await host.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return { host, dataDir };
}

/** The source as a daemon opens it. */
async function open(t: ExecutionContext, host: GitHost, dataDir: string) {
  const lifecycle = createLifecycle({ onStep: () => undefined });
  const vcs = { hosts: [settingsOf(host)], mirrorBytesMax: 2 ** 30 };
  const opened = openGit({
    config: { dataDir, vcs },
    lifecycle,
    log: createLogger('silent'),
    telemetry: { gitCalled: () => undefined },
    onFatal: (error) => t.fail(error.message),
  });
  await opened.ready;
  return { source: opened.source, lifecycle };
}

test('the thread serves the contract and shares its diffs', async (t) => {
  const { host, dataDir } = await prepareHost(t);
  const repository = host.repository('team/app');
  const base = repository.commit([{ name: 'a', data: 'a\n' }]);
  repository.commit([{ name: 'a', data: 'b\n' }]);
  const head = repository.commit([{ name: 'a', data: 'c\n' }]);
  const stopped = join(dataDir, `import-${'0'.repeat(64)}`);
  mkdirSync(stopped);
  const { source, lifecycle } = await open(t, host, dataDir);
  t.false(existsSync(stopped), 'a start removes stopped imports');
  const synced = await source.sync({ ...APP, wants: [head], refs: ['refs/heads/main'] });
  t.deepEqual(synced, { refs: { 'refs/heads/main': head }, missing: [], problem: null });
  const { diff, history, commits } = await source.diff({ ...APP, base, head });
  t.true(diff.buffer instanceof SharedArrayBuffer);
  t.true(history?.buffer instanceof SharedArrayBuffer);
  t.is(commits, 2);
  t.true(Buffer.from(diff).includes('-a\n+c\n'));
  t.is(await lifecycle.stop(), 0);
});

test('a stop ends what runs', async (t) => {
  const { host, dataDir } = await prepareHost(t);
  host.repository('team/app');
  host.behave({ kind: 'hang' });
  const { source, lifecycle } = await open(t, host, dataDir);
  const called = source.listRefs(APP);
  const refused = t.throwsAsync(called);
  await host.nextRequest();
  t.true(gitsOf(host.url).length > 0);
  t.is(await lifecycle.stop(), 0);
  t.like(await refused, { code: 'UNAVAILABLE' });
  t.deepEqual(gitsOf(host.url), []);
});

test('a thread that is terminated leaves no process once its groups are ended', async (t) => {
  const { host, dataDir } = await prepareHost(t);
  host.repository('team/app');
  host.behave({ kind: 'hang' });
  const groups = createGroups();
  const workerData: SourceThreadData = {
    mirrorDir: join(dataDir, 'mirrors'),
    hosts: [settingsOf(host)],
    mirrorBytesMax: 2 ** 30,
    groups,
  };
  const worker = new Worker(workerEntry('git'), { workerData });
  await new Promise((resolve) => worker.once('message', resolve));
  const request = { kind: 'request', id: 1, service: 'Source', method: 'listRefs', input: APP };
  worker.postMessage([{ ...request, timeoutMs: 60_000 }]);
  await host.nextRequest();
  t.true(gitsOf(host.url).length > 0);
  await worker.terminate();
  killGroups(groups);
  while (gitsOf(host.url).length > 0) await wait(10);
  t.pass();
});

test('a daemon that is killed leaves no git: who started it ends with the channel', async (t) => {
  const { host, dataDir } = await prepareHost(t);
  host.repository('team/app');
  host.behave({ kind: 'hang' });
  const workerData: SourceThreadData = {
    mirrorDir: join(dataDir, 'mirrors'),
    hosts: [settingsOf(host)],
    mirrorBytesMax: 2 ** 30,
    groups: createGroups(),
  };
  const worker = new Worker(workerEntry('git'), { workerData });
  await new Promise((resolve) => worker.once('message', resolve));
  const request = { kind: 'request', id: 1, service: 'Source', method: 'listRefs', input: APP };
  worker.postMessage([{ ...request, timeoutMs: 60_000 }]);
  await host.nextRequest();
  t.true(gitsOf(host.url).length > 0);
  // Nobody ends the groups, as after kill -9.
  await worker.terminate();
  while (gitsOf(host.url).length > 0) await wait(10);
  t.pass();
});

/** Processes that speak to a host; one that has ended has no command line any more. */
function gitsOf(url: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(url);
    } catch {
      return false;
    }
  });
}

const MAIN = 'refs/heads/main';
const PASSWORD = fake('pass-', 24);

test('a host whose certificate a private authority signed is refused without ca_file', async (t) => {
  const { server } = makeAuthority(temporaryDir(t));
  const { host, source } = await openWithHost(t, { tls: server });
  host.repository('team/app').commit([{ name: 'a', data: 'a\n' }]);
  const error = await t.throwsAsync(source.listRefs(APP));
  t.like(error, {
    code: 'UNAVAILABLE',
    details: {
      reason: 'the certificate of the host is not trusted: name a private authority in ca_file',
    },
  });
  t.deepEqual(host.requests, []);
});

test('with the ca_file of its authority a host is fetched from', async (t) => {
  const { server, caFile } = makeAuthority(temporaryDir(t));
  const { host, source } = await openWithHost(t, { tls: server, settings: { caFile } });
  const head = host.repository('team/app').commit([{ name: 'a', data: 'a\n' }]);
  const synced = await source.sync({ ...APP, wants: [head], refs: [MAIN] });
  t.deepEqual(synced, { refs: { [MAIN]: head }, missing: [], problem: null });
});

test('the ca_file of another authority, and a missing one, do not do', async (t) => {
  const { server } = makeAuthority(temporaryDir(t));
  const { caFile } = makeAuthority(temporaryDir(t), 'Another Authority');
  const cases: [string, RegExp][] = [
    [caFile, /certificate of the host is not trusted/],
    [`${caFile}.gone`, /^the certificates that git trusts cannot be read/],
  ];
  for (const [path, reason] of cases) {
    const { source } = await openWithHost(t, { tls: server, settings: { caFile: path } });
    const error = await t.throwsAsync(source.listRefs(APP));
    t.regex(String((error as { details?: { reason?: string } }).details?.reason), reason);
  }
});

test('git goes through the proxy, with its password, and not where no_proxy says so', async (t) => {
  const { server, caFile } = makeAuthority(temporaryDir(t));
  const proxy = await startConnectProxy(t, { username: 'cra', password: PASSWORD });
  const https_proxy = `http://cra:${PASSWORD}@${proxy.address}`;
  const open = (settings: object) =>
    openWithHost(t, { tls: server, settings: { caFile, ...settings } });
  const { host, source } = await open({ proxy: { https_proxy } });
  const head = host.repository('team/app').commit([{ name: 'a', data: 'a\n' }]);
  const synced = await source.sync({ ...APP, wants: [head], refs: [MAIN] });
  t.is(synced.problem, null);
  t.is(synced.refs?.[MAIN], head);
  t.true(proxy.asked.length > 0);
  t.deepEqual([...new Set(proxy.asked)], [new URL(host.url).host]);

  proxy.asked.length = 0;
  const direct = await open({ proxy: { https_proxy, no_proxy: 'example.com,127.0.0.1' } });
  direct.host.repository('team/app').commit([{ name: 'a', data: 'a\n' }]);
  t.is(Object.keys((await direct.source.listRefs(APP)).refs).length, 1);
  t.deepEqual(proxy.asked, []);
});

test('a proxy that refuses is reported without its address and password', async (t) => {
  const { server, caFile } = makeAuthority(temporaryDir(t));
  const proxy = await startConnectProxy(t, { username: 'cra', password: PASSWORD });
  const wrong = `${PASSWORD}-wrong`;
  const gone = `http://cra:${wrong}@127.0.0.1:1`;
  for (const https_proxy of [
    `http://cra:${wrong}@${proxy.address}`,
    gone,
    `http://cra:${wrong}@proxy.invalid:3128`,
    `socks5h://cra:${wrong}@127.0.0.1:1`,
  ]) {
    const settings = { caFile, proxy: { https_proxy } };
    const { source } = await openWithHost(t, { tls: server, settings });
    const error = await t.throwsAsync(source.listRefs(APP));
    const { message, details } = error as Error & { details: { reason: string } };
    t.log(details.reason);
    t.false(`${message} ${JSON.stringify(details)}`.includes(PASSWORD));
    t.regex(details.reason, /proxy|cannot be connected to/);
  }
});

const RUNS = 8;

const name = fc.constantFrom(
  'a.js',
  'b.py',
  'dir/c.txt',
  'dir/ d "e".md',
  'x b/x',
  'n\u00c3\u00af',
);
const line = fc.constantFrom(
  'one',
  'two',
  '--- a/x',
  '+++ b/x',
  '@@ -1 +1 @@',
  'diff --git a b',
  '',
);
const content = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));
const blob: fc.Arbitrary<Blob> = fc.oneof(
  fc.record({ name, data: content, mode: fc.constantFrom('100644' as const, '100755' as const) }),
  fc.record({ name, data: fc.constant(null) }),
  fc.record({ name, data: fc.constant('target'), mode: fc.constant('120000' as const) }),
);
/** The last change of a name counts: a commit has each file once. */
const files = fc.uniqueArray(blob, { minLength: 1, maxLength: 5, selector: (one) => one.name });

test('diff has the bytes of git diff by hand, whatever the history', async (t) => {
  const { host, source } = await openWithHost(t);
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(files, { minLength: 2, maxLength: 4 }), async (commits) => {
      const repository = host.repository(`team/app-${count++}`);
      const app = { ...APP, repo_full_name: `team/app-${count - 1}` };
      const ids = commits.map((one) => repository.commit(one));
      const base = ids[0] ?? '';
      const head = ids.at(-1) ?? '';
      const changed = await source.diff({ ...app, base, head });
      const options = ['--no-color', '--full-index', '-M', '--submodule=short'];
      const expected = repository.git('-c', 'core.quotePath=false', 'diff', ...options, base, head);
      t.deepEqual(Buffer.from(changed.diff), expected);
      t.is(changed.commits, ids.length - 1);
      const { problems } = parseDiff(changed.history ?? new Uint8Array());
      t.deepEqual(problems, []);
    }),
    { numRuns: RUNS },
  );
});
