import { createHmac } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import test from 'ava';
import { readConfig } from '../../src/daemon/config/config.ts';
import { fake } from '../../src/rules/fake.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { request, startDaemonWithin, temporaryDir, until } from '../daemon.ts';
import { send, startBlocked, statusOf } from '../decision-calls.ts';
import type { Fault } from '../hosts/status-host.ts';
import { HOLE } from '../pushes/daemon/bad-code.ts';
import { type HostId, houseForAll } from '../pushes/daemon/house.ts';
import { PushedRepository } from '../pushes/daemon/pushed-repository.ts';

const OVERRIDE = { actor: 'ann', reason: 'an example' };
const ENTRY = { action: 'deploy', description: 'v1' };

test.serial('a trail that cannot be written is 503: nothing was changed', async (t) => {
  const { daemon, rfcId, database } = await startBlocked(t);
  database.exec('BEGIN IMMEDIATE');
  const both = Promise.all([
    send(daemon, `rfc/${rfcId}/override`, OVERRIDE),
    send(daemon, 'ops-log', ENTRY),
    send(daemon, 'bulk-override', { reason: 'r', rfc_ids: [rfcId] }),
  ]);
  t.is((await request(`${daemon.url}/health`)).status, 200);
  t.is(await statusOf(daemon, rfcId), 'BLOCKED');
  for (const { status, body, headers } of await both) {
    t.is(status, 503, JSON.stringify(body));
    t.regex(body.error, /nothing was changed/);
    t.truthy(headers.get('retry-after'));
  }
  database.exec('ROLLBACK');
  t.is(await statusOf(daemon, rfcId), 'BLOCKED');
  t.is((await send(daemon, `rfc/${rfcId}/override`, OVERRIDE)).status, 200);
  t.is(await daemon.stop(), 0);
});

const SECRET = fake('hook-', 40);
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
    config: readConfig({ SERVICE_PORT: '0', SERVICE_DATA_DIR: dataDir, ...env }),
    log,
    onFatal: (error) => t.fail(error.message),
    onWornOut: () => t.fail('worn out'),
    gitPath,
  });
  t.teardown(() => daemon.stop());
  return { url: `http://127.0.0.1:${daemon.port}/api/cra`, problems };
}

test('without git the service starts, says so, and a push waits, then is BLOCKED', async (t) => {
  const env = { CRA_WEBHOOK_SECRET: SECRET };
  const { url, problems } = await startWithGit(t, temporaryDir(t), env);
  t.is(problems.length, 1);
  t.regex(String(problems[0]), new RegExp(`^${REASON}: there is no git in /`));
  const { body: status } = await request(`${url}/dispatcher/status`);
  t.deepEqual(status.data.git, { state: 'down', version: null });

  const body = JSON.stringify({
    ref: 'refs/heads/main',
    before: 'a'.repeat(40),
    after: 'b'.repeat(40),
    deleted: false,
    repository: {
      full_name: 'acme/shop',
      default_branch: 'main',
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

const house = houseForAll(test, {
  times: { retryMs: [], graceMs: 500, pollMs: 200, sweepMs: 3_600_000 },
});

/** What each host is told of a commit that is not accepted. */
const FAILED = { hub: 'failure', tea: 'failure', lab: 'failed' } as const;

/** Verdicts and decisions while a host takes no statuses, and what it shows when it does again. */
async function outage(t: ExecutionContext, host: HostId, fault: Fault): Promise<void> {
  const receiver = house().statuses[host];
  const repo = new PushedRepository(house(), `acme/${host}-${fault}`, host);
  repo.commit({ 'README.md': 'read me\n' });
  const good = await repo.push({ 'a.txt': 'one\n' });
  await repo.shows(good.sha, 'success');

  receiver.retryAfterSeconds = 1;
  await receiver.setFault(fault);
  const bad = await repo.push({ 'run.js': HOLE });
  t.is((await repo.verdict(bad)).overall_status, 'BLOCKED');
  t.false(await repo.isAllowed());
  const superseded = await repo.push({ 'b.txt': '2\n' });
  const rejected = await repo.push({ 'run.js': null });
  t.is((await repo.verdict(rejected)).overall_status, 'PASSED');
  t.not((await repo.verdict(superseded)).overall_status, 'PASSED');
  await repo.decide(rejected.rfcId, 'reject');
  const last = await repo.push({ 'c.txt': '3\n' });
  t.is((await repo.verdict(last)).overall_status, 'PASSED');
  t.deepEqual(repo.statesOf(last.sha), []);

  await receiver.setFault('none');
  receiver.letGo();
  await repo.shows(last.sha, 'success');
  await repo.shows(bad.sha, FAILED[host]);
  await repo.shows(rejected.sha, FAILED[host]);
  for (const { sha } of [bad, superseded]) t.false(repo.statesOf(sha).includes('success'));
  t.true(repo.statesOf(good.sha).every((state) => state === 'pending' || state === 'success'));
}

/** Of each host those that read differently there; the outbox is tried on all of them. */
const FAULTS: Record<HostId, Fault[]> = {
  hub: ['down', 'secondary-limit'],
  tea: [500, 'breaks-off'],
  lab: ['slow', 'html'],
};

for (const [host, faults] of Object.entries(FAULTS)) {
  test(`${host} fails (${faults.join(', ')}): verdicts go on, the newest status wins`, async (t) => {
    for (const fault of faults) await outage(t, host as HostId, fault);
  });
}
