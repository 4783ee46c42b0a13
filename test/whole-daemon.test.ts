import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readConfig } from '../src/daemon/config/config.ts';
import type { Daemon } from '../src/daemon/main.ts';
import type { DaemonOptions } from '../src/daemon/parts.ts';
import { createLogger } from '../src/telemetry/logger.ts';
import {
  analyze,
  change,
  newFile,
  request,
  startDaemonWithin,
  temporaryDir,
  until,
} from './daemon.ts';

/** The real daemon within this process, so that its times and limits can be set. */
async function start(
  t: ExecutionContext,
  dataDir: string,
  over: Partial<DaemonOptions> = {},
): Promise<{ daemon: Daemon; url: string }> {
  const daemon = await startDaemonWithin({
    config: readConfig({ SERVICE_PORT: '0', SERVICE_DATA_DIR: dataDir, SERVICE_THREADS: '2' }),
    log: createLogger('silent'),
    onFatal: (error) => t.fail(error.message),
    onWornOut: () => t.fail('worn out'),
    ...over,
  });
  // One that a failed test leaves behind keeps the process of the tests alive.
  t.teardown(() => daemon.stop());
  return { daemon, url: `http://127.0.0.1:${daemon.port}/api/cra` };
}

/** Enough files that the gates look at the clock before they are done. */
const LARGE_DIFF = Array.from({ length: 2000 }, (_, index) =>
  newFile(`src/f${index}.py`, 'import os\nprint(os.name)\n'),
).join('');

test.serial(
  'a diff whose answer is due before its gates have ended is a DRAFT, then final',
  async (t) => {
    const { daemon, url } = await start(t, temporaryDir(t), { answerWithinMs: 0 });
    const { body } = await analyze(url, change(LARGE_DIFF));
    t.is(body.data.overall_status, 'DRAFT');
    t.is(body.data.gates.risk.status, 'fail');
    t.is(body.data.gates.risk.findings[0].id, 'gate-pending');
    t.is(body.data.gates.llm.skip_reason, 'pending');
    const waited = await request(`${url}/rfc/${body.data.rfc_id}?wait=30`);
    t.is(waited.body.data.overall_status, 'PASSED');
    t.deepEqual(waited.body.data.stats, body.data.stats);
    t.is(waited.body.data.queue, null);
    t.is(await daemon.stop(), 0);
  },
);

test.serial('a DRAFT that a stop left behind is finished by the next start', async (t) => {
  const dataDir = temporaryDir(t);
  const first = await start(t, dataDir, { answerWithinMs: 0, finishDrafts: false });
  const { body } = await analyze(first.url, change(LARGE_DIFF));
  t.is(body.data.overall_status, 'DRAFT');
  t.is(await first.daemon.stop(), 0);

  const second = await start(t, dataDir);
  const waited = await request(`${second.url}/rfc/${body.data.rfc_id}?wait=30`);
  t.is(waited.body.data.overall_status, 'PASSED');
  t.is(await second.daemon.stop(), 0);
});

test.serial('a DRAFT that is rejected or deleted stays so, and wakes who waits', async (t) => {
  const dataDir = temporaryDir(t);
  const first = await start(t, dataDir, { answerWithinMs: 0 });
  const post = (path: string) =>
    request(`${first.url}/${path}`, { method: 'POST', body: JSON.stringify({ reason: 'no' }) });
  const files = Array.from({ length: 20_000 }, (_, n) => newFile(`f${n}.py`, 'print(1)\n'));
  // One after the other: each is decided about while its gates have hardly begun.
  const draft = async (): Promise<string> => {
    const diff = change(files.join(''));
    let { body } = await analyze(first.url, diff);
    // On a busy machine the thread for large changes is not free again at once.
    while (body.code === 'RESOURCE_EXHAUSTED') ({ body } = await analyze(first.url, diff));
    t.is(body.data?.overall_status, 'DRAFT', JSON.stringify(body).slice(0, 300));
    return body.data.rfc_id;
  };
  const rejected = await draft();
  const waiting = request(`${first.url}/rfc/${rejected}?wait=60`);
  const answer = await post(`reject/${rejected}`);
  t.is(answer.body.data?.overall_status, 'REJECTED', JSON.stringify(answer.body));
  const [decision] = (await waiting).body.data.override_history;
  t.is(decision.action, 'reject');
  const deleted = await draft();
  t.is((await post(`rfc/${deleted}/delete`)).status, 200);
  t.is((await request(`${first.url}/rfc/${deleted}`)).status, 404);
  t.is(await first.daemon.stop(), 0);

  const second = await start(t, dataDir);
  const { data } = (await request(`${second.url}/rfc/${rejected}`)).body;
  t.is(data.overall_status, 'REJECTED');
  t.is(data.queue, null);
  t.is(data.gates.risk.findings[0].id, 'gate-pending', 'it was a DRAFT when it was rejected');
  t.is((await request(`${second.url}/rfc/${deleted}`)).status, 404);
  t.is(await second.daemon.stop(), 0);
});

test.serial('a DRAFT whose attempts keep ending is BLOCKED in the end', async (t) => {
  const dataDir = temporaryDir(t);
  const options = { answerWithinMs: 0, finishDrafts: false };
  const first = await start(t, dataDir, options);
  const { body } = await analyze(first.url, change(LARGE_DIFF));
  await first.daemon.stop();

  const dying = await start(t, dataDir, { attemptsMax: 0 });
  const waited = await request(`${dying.url}/rfc/${body.data.rfc_id}?wait=30`);
  t.is(waited.body.data.overall_status, 'BLOCKED');
  t.is(waited.body.data.gates.risk.findings[0].id, 'scan-crashed');
  t.is(await dying.daemon.stop(), 0);
});

test.serial(
  'a diff that ends its scan thread is stored as BLOCKED, and the pool is whole again',
  async (t) => {
    let isWornOut = false;
    const { daemon, url } = await start(t, temporaryDir(t), {
      threadOldSpaceMiB: 48,
      threadLossesMax: 1,
      onWornOut() {
        isWornOut = true;
      },
    });
    // Small as a text, large as a list of files.
    const files = Array.from({ length: 99_000 }, (_, index) => `--- /dev/null\n+++ b/f${index}\n`);
    const [lost, other] = await Promise.all([
      analyze(url, change(files.map((file) => `${file}@@ -0,0 +1 @@\n+x\n`).join(''))),
      analyze(url, change(newFile('a.py', 'x = 1\n'))),
    ]);
    t.is(lost.body.data?.overall_status, 'BLOCKED', JSON.stringify(lost.body).slice(0, 300));
    t.is(lost.body.data.gates.risk.findings[0].id, 'scan-crashed');
    t.is(other.body.data.overall_status, 'PASSED');
    t.true(daemon.threadsReplaced > 0);
    t.true(isWornOut, 'a daemon that lost so many threads asks for a restart');
    const next = await Promise.all(
      [1, 2].map(() => analyze(url, change(newFile('a.py', 'x = 1')))),
    );
    t.deepEqual(
      next.map((answer) => answer.body.data.overall_status),
      ['PASSED', 'PASSED'],
    );
    t.is(await daemon.stop(), 0);
  },
);

const REASON = 'git 2.39 or newer is not installed on the service';

/** A daemon that looks for git in that folder alone. */
async function startWithGit(
  t: ExecutionContext,
  gitPath: string,
  env: Record<string, string> = {},
) {
  const dataDir = temporaryDir(t);
  const problems: unknown[] = [];
  const log = createLogger('silent');
  log.error = ((fields: { problem?: unknown }) => {
    if (fields.problem !== undefined) problems.push(fields.problem);
  }) as typeof log.error;
  const daemon = await startDaemonWithin({
    config: readConfig({
      SERVICE_PORT: '0',
      SERVICE_DATA_DIR: dataDir,
      SERVICE_THREADS: '1',
      ...env,
    }),
    log,
    onFatal: (error) => t.fail(error.message),
    onWornOut: () => t.fail('worn out'),
    gitPath,
    gitLookMs: 50,
  });
  t.teardown(() => daemon.stop());
  return { url: `http://127.0.0.1:${daemon.port}/api/cra`, problems };
}

/** A folder with a git that calls itself by that version. */
function folderWithGit(t: ExecutionContext, version: string): string {
  const folder = join(temporaryDir(t), 'bin');
  mkdirSync(folder);
  writeGit(folder, version);
  return folder;
}

/** A git that does `first` before it says its version. */
function writeGit(folder: string, version: string, first = ':'): void {
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${first}\necho 'git version ${version}'\n`);
  chmodSync(join(folder, 'git'), 0o755);
}

test('a start that is asked to stop ends before its parts are ready', async (t) => {
  const gitPath = temporaryDir(t);
  const pipe = join(gitPath, 'pipe');
  execFileSync('mkfifo', [pipe]);
  writeGit(gitPath, '2.39.5', `read -r line < '${pipe}'`);
  const { daemon, url } = await start(t, temporaryDir(t), {
    gitPath,
    stopAsked: Promise.resolve(),
  });
  t.is((await request(`${url}/health`)).status, 200);
  const answers = writeFile(pipe, 'go on\n');
  t.is(await daemon.stop(), 0);
  await answers;
});

test('a git that is too old is not used, and is named', async (t) => {
  const { url, problems } = await startWithGit(t, folderWithGit(t, '2.38.9'));
  t.deepEqual(problems, [`${REASON}: it says "git version 2.38.9"`]);
  const { body } = await request(`${url}/dispatcher/status`);
  t.deepEqual(body.data.git, { state: 'down', version: '2.38.9' });
});

test('the version of a good git is shown, and that it is removed or replaced meanwhile', async (t) => {
  const folder = folderWithGit(t, '2.47.1.windows.1');
  const { url, problems } = await startWithGit(t, folder);
  t.deepEqual(problems, []);
  const state = async () => (await request(`${url}/dispatcher/status`)).body.data.git;
  t.deepEqual(await state(), { state: 'up', version: '2.47.1' });
  rmSync(join(folder, 'git'));
  await until(async () => (await state()).state === 'down');
  t.deepEqual(await state(), { state: 'down', version: null });
  t.deepEqual(problems, [`${REASON}: there is no git in ${folder}`]);
  writeGit(folder, '2.50.0');
  await until(async () => (await state()).state === 'up');
  t.deepEqual(await state(), { state: 'up', version: '2.50.0' });
});
