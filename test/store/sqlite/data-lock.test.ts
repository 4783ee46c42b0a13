import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { CraError } from '../../../src/model/errors.ts';
import { lockDataDir } from '../../../src/store/sqlite/data-lock.ts';
import { createSqliteReader } from '../../../src/store/sqlite/reader.ts';
import { openWriter, temporaryFor } from './harness.ts';

/** Another process that holds the lock. */
async function startHolder(t: ExecutionContext, dataDir: string): Promise<ChildProcess> {
  const child = fork(new URL('lock-child.js', import.meta.url), [dataDir]);
  t.teardown(() => void child.kill('SIGKILL'));
  t.deepEqual(await once(child, 'message'), ['locked', undefined]);
  return child;
}

function refusal(t: ExecutionContext, dataDir: string): string {
  const open = () => openWriter({ dataDir });
  const error = t.throws(open, { instanceOf: CraError });
  t.is(error?.code, 'FAILED_PRECONDITION');
  return error?.message ?? '';
}

test('lockDataDir: a second process is refused and told the pid, until kill -9', async (t) => {
  const dataDir = temporaryFor(t);
  const child = await startHolder(t, dataDir);
  const expected = `data directory ${dataDir} is in use by another cra (pid ${child.pid})`;
  t.is(refusal(t, dataDir), expected);
  t.is(refusal(t, dataDir), expected, 'a refused daemon does not break the lock');
  t.false(existsSync(join(dataDir, 'cra.db')), 'a refused daemon touches nothing');
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  const writer = openWriter({ dataDir });
  await writer.close();
});

test('lockDataDir: a second writer of the same process is refused as well', async (t) => {
  const dataDir = temporaryFor(t);
  const writer = openWriter({ dataDir });
  t.regex(refusal(t, dataDir), new RegExp(`pid ${process.pid}`));
  await writer.close();
  const next = openWriter({ dataDir });
  await next.close();
});

test('lockDataDir: what is held here is refused to another process', async (t) => {
  const dataDir = temporaryFor(t);
  const lock = lockDataDir(dataDir);
  const child = fork(new URL('lock-child.js', import.meta.url), [dataDir], { silent: true });
  const [code] = await once(child, 'exit');
  t.not(code, 0);
  lock.release();
  await startHolder(t, dataDir);
});

test('createSqliteWriter gives the lock back when it can not open', async (t) => {
  const dataDir = temporaryFor(t);
  const { close } = openWriter({ dataDir });
  await close();
  rmSync(join(dataDir, 'diffs'), { recursive: true });
  const broken = () => openWriter({ dataDir, now: () => Number.NaN });
  t.throws(broken, { instanceOf: CraError });
  const lock = lockDataDir(dataDir);
  lock.release();
});

test('createSqliteWriter and createSqliteReader name the directory that can not be used', (t) => {
  for (const open of [openWriter, createSqliteReader]) {
    const error = t.throws(() => open({ dataDir: '/dev/null/x', now: Date.now }), {
      instanceOf: CraError,
      message: /^data directory \/dev\/null\/x can not be used: ./,
    });
    t.true(['UNAVAILABLE', 'INTERNAL'].includes(error?.code ?? ''), error?.code);
  }
});
