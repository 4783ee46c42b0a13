import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { PLAIN } from '../../src/git/environment.ts';
import { createGit, GitFailure, type GitOptions } from '../../src/git/git.ts';
import { createGroups } from '../../src/git/process-groups.ts';
import { GIT } from '../../src/limits.ts';
import { CraError } from '../../src/model/errors.ts';

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
  t.true(error.said.endsWith('remote: something else\nfatal: early EOF\n'));
  t.true(error.said.startsWith('remote: '));
  t.true(error.said.length <= 2 * GIT.ERROR_BYTES_MAX);
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

test('git that is ended by others is UNAVAILABLE, and so is one that is missing', async (t) => {
  const { run, git } = prepare(t);
  const killed = await t.throwsAsync(run('kill -9 $PPID'));
  t.like(killed, { code: 'UNAVAILABLE', details: { reason: 'git -c was ended by SIGKILL' } });
  const missing = await t.throwsAsync(run('true', { env: { PATH: '/nonexistent' } }));
  t.like(missing, { code: 'UNAVAILABLE', message: 'git is not installed' });
  await git.close();
  t.like(await t.throwsAsync(run('true')), { code: 'UNAVAILABLE' });
});
