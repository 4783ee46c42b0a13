import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import { createLifecycle } from '../../src/daemon/lifecycle.ts';
import { openSource } from '../../src/daemon/source.ts';
import { createGroups, killGroups } from '../../src/git/process-groups.ts';
import type { SourceThreadData } from '../../src/git/thread-data.ts';
import { workerEntry } from '../../src/rpc/thread-entry.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { type GitHost, startGitHost } from '../hosts/git-host.ts';
import { APP, settingsOf } from './opened.ts';

async function prepare(t: ExecutionContext) {
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
  const opened = await openSource({
    vcs,
    dataDir,
    lifecycle,
    log: createLogger('silent'),
    onFatal: (error) => t.fail(error.message),
  });
  return { source: opened.source, lifecycle };
}

test('the thread serves the contract and shares its diffs', async (t) => {
  const { host, dataDir } = await prepare(t);
  const repository = host.repository('team/app');
  const base = repository.commit([{ name: 'a', data: 'a\n' }]);
  repository.commit([{ name: 'a', data: 'b\n' }]);
  const head = repository.commit([{ name: 'a', data: 'c\n' }]);
  const { source, lifecycle } = await open(t, host, dataDir);
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
  const { host, dataDir } = await prepare(t);
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
  const { host, dataDir } = await prepare(t);
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
  const { host, dataDir } = await prepare(t);
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
