import { createHmac } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readConfig } from '../src/daemon/config/config.ts';
import { startDaemon } from '../src/daemon/main.ts';
import { fake } from '../src/rules/fake.ts';
import { createLogger } from '../src/telemetry/logger.ts';
import { request, temporaryDir, until } from './daemon.ts';

const SECRET = fake('hook-', 40);
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

test('without git the service starts, says so, and a push waits, then is BLOCKED', async (t) => {
  const env = { CRA_WEBHOOK_SECRET: SECRET };
  const { url, problems } = await start(t, temporaryDir(t), env);
  t.is(problems.length, 1);
  t.regex(String(problems[0]), new RegExp(`^${REASON}: there is none in /`));
  const { body: status } = await request(`${url}/dispatcher/status`);
  t.deepEqual(status.data.git, { state: 'down', version: null });

  const body = JSON.stringify({
    ...{ ref: 'refs/heads/main', before: 'a'.repeat(40), after: 'b'.repeat(40), deleted: false },
    repository: {
      ...{ full_name: 'acme/shop', default_branch: 'main' },
      html_url: 'https://github.com/acme/shop',
    },
    pusher: { name: 'ann' },
  });
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  const taken = await request(`${url}/webhook`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': 'd-1',
      'x-hub-signature-256': `sha256=${signature}`,
    },
    body,
  });
  t.is(taken.status, 200);
  const id = taken.body.data.rfc_id as string;
  const rfc = async () => (await request(`${url}/rfc/${id}`)).body.data;
  await until(async () => (await rfc()).push.waiting_for === REASON);
  await until(async () => (await rfc()).overall_status === 'BLOCKED');
  const [finding] = (await rfc()).gates.risk.findings;
  t.is(finding.id, 'diff-unavailable');
  t.true(finding.message.endsWith(REASON));
});

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
