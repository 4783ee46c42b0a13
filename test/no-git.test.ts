import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readConfig } from '../src/daemon/config/config.ts';
import { startDaemon } from '../src/daemon/main.ts';
import { createLogger } from '../src/telemetry/logger.ts';
import { request, temporaryDir } from './daemon.ts';

const REASON = 'git 2.39 or newer is not installed on the service';

/** A daemon that looks for git in that folder alone. */
async function start(t: ExecutionContext, gitPath: string, env: Record<string, string> = {}) {
  const dataDir = temporaryDir(t);
  const problems: unknown[] = [];
  const log = createLogger('silent');
  log.error = ((fields: { problem?: unknown }) => {
    if (fields.problem !== undefined) problems.push(fields.problem);
  }) as typeof log.error;
  const daemon = await startDaemon({
    config: readConfig({ SERVICE_PORT: '0', SERVICE_DATA_DIR: dataDir, ...env }),
    log,
    onFatal: (error) => t.fail(error.message),
    onWornOut: () => t.fail('worn out'),
    gitPath,
  });
  t.teardown(() => daemon.stop());
  return { url: `http://127.0.0.1:${daemon.port}/api/cra`, problems };
}

/** A folder with a git that calls itself by that version. */
function folderWithGit(t: ExecutionContext, version: string): string {
  const folder = join(temporaryDir(t), 'bin');
  mkdirSync(folder);
  writeFileSync(join(folder, 'git'), `#!/bin/sh\necho 'git version ${version}'\n`);
  chmodSync(join(folder, 'git'), 0o755);
  return folder;
}

test('a git that is too old is none, and is named', async (t) => {
  const { url, problems } = await start(t, folderWithGit(t, '2.38.9'));
  t.deepEqual(problems, [`${REASON}: it says "git version 2.38.9"`]);
  const { body } = await request(`${url}/dispatcher/status`);
  t.deepEqual(body.data.git, { state: 'down', version: '2.38.9' });
});

test('the version of a good git is shown', async (t) => {
  const { url, problems } = await start(t, folderWithGit(t, '2.47.1.windows.1'));
  t.deepEqual(problems, []);
  const { body } = await request(`${url}/dispatcher/status`);
  t.deepEqual(body.data.git, { state: 'up', version: '2.47.1' });
});
