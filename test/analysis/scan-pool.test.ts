import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { PIPELINE } from '../../src/analysis/limits.ts';
import {
  createAdmission,
  type ScanPoolOptions,
  startScanPool,
} from '../../src/analysis/scan-pool.ts';
import { NO_SECRETS } from '../../src/core/known-secrets.ts';
import type { CraError } from '../../src/model/errors.ts';
import { RPC } from '../../src/rpc/service.ts';
import { readBuiltInKeywords, readBuiltInRules } from '../../src/rulebook/active-rules.ts';
import { nicerThreads, temporaryDir, until } from '../daemon.ts';
import { hastyPatience } from '../rpc/hasty-patience.ts';

const SMALL = { caller: 'a', bytes: 10, waitMs: null, signal: null };
const LARGE = { ...SMALL, bytes: PIPELINE.SMALL_JOB_BYTES };

test('createAdmission lets as many in as there are threads', async (t) => {
  const admission = createAdmission(2);
  const first = await admission.acquire(SMALL);
  await admission.acquire(SMALL);
  let isIn = false;
  const third = admission.acquire(SMALL).then(() => {
    isIn = true;
  });
  t.is(admission.running, 2);
  t.is(admission.waiting, 1);
  t.false(isIn);
  first();
  first();
  await third;
  t.is(admission.running, 2);
});

test('createAdmission keeps one thread for small jobs', async (t) => {
  const admission = createAdmission(2);
  const large = await admission.acquire(LARGE);
  const waiting = admission.acquire(LARGE);
  t.is(admission.waiting, 1);
  // A small job passes the large one that waits.
  const small = await admission.acquire(SMALL);
  t.is(admission.running, 2);
  small();
  t.is(admission.waiting, 1);
  large();
  await waiting;
  t.is(admission.running, 1);
});

test('createAdmission: jobs wait for threads that come up, as many as may wait', async (t) => {
  let come = () => {};
  const ready = new Promise<void>((resolve) => {
    come = resolve;
  });
  let refused = 0;
  const admission = createAdmission(1, () => (refused += 1), {
    prepare: () => ready,
    callsPerThread: () => 1,
  });
  const gone = new AbortController();
  const cancelled = admission.acquire({ ...SMALL, signal: gone.signal });
  const first = admission.acquire({ ...SMALL, waitMs: 1 });
  const others = Array.from({ length: PIPELINE.ADMISSION_QUEUE_MAX - 2 }, () =>
    admission.acquire({ ...SMALL, waitMs: 1 }),
  );
  t.is(admission.waiting, PIPELINE.ADMISSION_QUEUE_MAX);
  await t.throwsAsync(admission.acquire({ ...SMALL, waitMs: 1 }), { message: /busy/ });
  t.is(refused, 1);
  gone.abort();
  come();
  t.like(await t.throwsAsync<CraError>(cancelled), { code: 'CANCELLED' });
  await first;
  t.is(admission.running, 1);
  // Now their wait begins, and nobody leaves the thread.
  for (const other of others) t.like(await t.throwsAsync(other), { code: 'RESOURCE_EXHAUSTED' });
});

/** A pool of one thread whose children are started by this shell script instead of by node. */
function startPoolWith(
  t: ExecutionContext,
  script: (directory: string) => string,
  over: Partial<ScanPoolOptions> = {},
) {
  const directory = temporaryDir(t);
  const node = process.execPath;
  process.execPath = join(directory, 'node');
  writeFileSync(process.execPath, `#!/bin/sh\n${script(directory)}`, { mode: 0o700 });
  const failures: string[] = [];
  const key = new Uint8Array(32);
  const keywords = readBuiltInKeywords();
  const pool = startScanPool({
    threads: 1,
    data: {
      fingerprintKey: key,
      sealKey: key,
      ownSecrets: NO_SECRETS,
      registries: null,
      socketDir: directory,
      keywords,
    },
    rules: readBuiltInRules(),
    onThreadLost: () => t.fail(),
    onStartFailed: ({ message }) => failures.push(message),
    onChildExit: () => undefined,
    ...over,
  });
  t.teardown(async () => {
    process.execPath = node;
    await pool.close();
  });
  return { pool, failures, directory };
}

test.serial(
  'startScanPool makes no thread nicer than a program that does not ask for it',
  async (t) => {
    const { execPath } = process;
    const { pool } = startPoolWith(t, () => `exec ${execPath} "$@"\n`);
    await pool.prepare();
    t.is(nicerThreads(process.pid), 0);
  },
);

test.serial('startScanPool starts a child again that was lost', async (t) => {
  const { execPath } = process;
  // The first two are: the second one at the latest is that of the call that the start waits for.
  const { pool, failures } = startPoolWith(t, (directory) => {
    const lost = (name: string) => `/bin/mkdir ${directory}/${name} 2>/dev/null && kill -9 $$\n`;
    return `${lost('first')}${lost('second')}exec ${execPath} "$@"\n`;
  });
  await pool.prepare();
  t.true(failures.length === 1 || failures.length === 2, `${failures.length} attempts failed`);
  t.is(failures[0], 'the child process ended');
  t.is(pool.childPids().length, 1);
});

test.serial('startScanPool rejects when a child can never start', async (t) => {
  const { pool, failures } = startPoolWith(t, () => 'exit 7\n');
  await t.throwsAsync(pool.prepare(), {
    message: /its AST child was started 3 times and did not come up: the child process ended/,
  });
  t.is(failures.length, 2);
});

test.serial('startScanPool waits as long as the start uses CPU time', async (t) => {
  const { execPath } = process;
  const { patience, looks } = hastyPatience((looked) => looked * RPC.CHILD_HUNG_CPU_MS);
  const wait = (directory: string) =>
    `while [ ! -e ${directory}/go ]; do /bin/sleep 0.02; done; exec ${execPath} "$@"\n`;
  const { pool, failures, directory } = startPoolWith(t, wait, { patience });
  const prepared = pool.prepare();
  await until(() => looks() >= 20);
  writeFileSync(join(directory, 'go'), '');
  await prepared;
  t.deepEqual(failures, []);
});

test.serial('startScanPool rejects when a start uses no CPU time', async (t) => {
  const { patience } = hastyPatience(() => 0);
  const { pool, failures } = startPoolWith(t, () => 'exec /bin/sleep 1000\n', {
    patience,
    onThreadLost: () => undefined,
  });
  await t.throwsAsync(pool.prepare(), {
    message: /was started 3 times and did not come up: it took 60 s of CPU time, or next to none/,
  });
  t.is(failures.length, 2);
});

test('createAdmission answers RESOURCE_EXHAUSTED when the wait is over', async (t) => {
  const admission = createAdmission(1);
  const release = await admission.acquire(SMALL);
  const error = await t.throwsAsync<CraError>(admission.acquire({ ...SMALL, waitMs: 1 }));
  t.is(error.code, 'RESOURCE_EXHAUSTED');
  t.is(admission.waiting, 0);
  release();
  t.is(admission.running, 0);
});

test('createAdmission drops a caller that goes away', async (t) => {
  const admission = createAdmission(1);
  await admission.acquire(SMALL);
  const abort = new AbortController();
  const call = admission.acquire({ ...SMALL, signal: abort.signal });
  abort.abort();
  const error = await t.throwsAsync<CraError>(call);
  t.is(error.code, 'CANCELLED');
  t.is(admission.waiting, 0);
});
