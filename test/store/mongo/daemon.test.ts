import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { runCommand } from '../../cli/fixtures/command.ts';
import { type DaemonProcess, request, startDaemonProcess, temporaryDir } from '../../daemon.ts';
import { blocked, harmless, send, statusOf, submit } from '../../decision-calls.ts';
import { startMongod } from '../../mongod/mongod.ts';
import { setUp } from './setup-mongod.ts';

test.serial('a daemon does not start without its MongoDB, and says why', async (t) => {
  const password = randomBytes(12).toString('hex');
  const env = { SERVICE_STORE_URL: `mongodb://cra:${password}@127.0.0.1:9/cra` };
  const error = await t.throwsAsync(startDaemonProcess(t, temporaryDir(t), env));
  t.regex(error?.message ?? '', /exit code [1-9].*127\.0\.0\.1:9\/cra can not be used/s);
  t.false(error?.message.includes(password));
});

test('the data directory keeps the name of the daemon', async (t) => {
  const { openDataDir } = await import('../../../src/daemon/data-dir.ts');
  const dataDir = temporaryDir(t);
  const given = { fingerprint: null, seal: new Uint8Array(32).fill(3), checkpoint: null };
  const first = openDataDir(dataDir, given);
  t.deepEqual(openDataDir(dataDir, given), first);
  t.deepEqual(first.keys.seal, given.seal);
  t.regex(readFileSync(join(dataDir, 'instance'), 'utf8'), /^[0-9a-f-]{36}\n$/);
});

/** Starting daemons and compiling rules takes long where others work, too. */
const TEST_MS_MAX = 300_000;

const REASON = { actor: 'ann', reason: 'the key of the vendor example' };

async function get(daemon: DaemonProcess, path: string) {
  const { status, body } = await request(`${daemon.url}/${path}`);
  return { status, data: body.data };
}

/** The trail as `cra audit verify` reads it from the database: exit code 0. */
async function isInOrder(t: ExecutionContext, env: Record<string, string>, kinds: string[]) {
  const { code, stdout, stderr } = await runCommand(['audit', 'verify', '--json'], { env });
  t.is(code, 0, stdout + stderr);
  const { flaw, summary, warnings } = JSON.parse(stdout);
  t.deepEqual([flaw, summary.openIntents, warnings], [null, 0, []], stdout);
  const exported = await runCommand(['audit', 'export'], { env });
  const lines = exported.stdout.trim().split('\n');
  const told = lines.map((line) => JSON.parse(line)).filter(({ phase }) => SETTLED.has(phase));
  t.deepEqual(
    told.map(({ kind }) => kind).filter((kind) => !/boot|checkpoint/.test(kind)),
    kinds,
  );
}

const SETTLED = new Set(['whole', 'done']);

test.serial('a daemon on MongoDB does all that one on SQLite does', async (t) => {
  t.timeout(TEST_MS_MAX);
  const mongod = await startMongod({ auth: true });
  t.teardown(mongod.stop);
  const { storeUrl, auditUrl } = await setUp(mongod, { database: 'cra' });
  const dataDir = temporaryDir(t);
  const env = { SERVICE_STORE_URL: storeUrl, SERVICE_AUDIT_URL: auditUrl };
  const daemon = await startDaemonProcess(t, dataDir, env);

  const status = await get(daemon, 'dispatcher/status');
  t.like(status.data.store, { state: 'up', driver: 'mongodb' });
  t.like(status.data.audit, { state: 'up', worm: 'enforced' });

  const first = await submit(t, daemon, blocked(1));
  t.false((await get(daemon, 'prod-check/acme/shop')).data.allowed);
  t.is((await send(daemon, `rfc/${first}/override`, REASON)).status, 200);
  t.is(await statusOf(daemon, first), 'OVERRIDDEN');
  t.true((await get(daemon, 'prod-check/Acme/Shop?branch=main')).data.allowed);
  t.is((await get(daemon, 'prod-check/acme/none')).status, 404);
  t.is((await send(daemon, `reject/${first}`, { reason: 'it was none' })).status, 200);
  const logged = await send(daemon, 'ops-log', { action: 'deploy', description: 'v1' });
  t.is(logged.status, 200, JSON.stringify(logged.body));

  const second = await submit(t, daemon, blocked(2));
  const finding = (await get(daemon, `rfc/${second}`)).data.gates.risk.findings[0];
  const made = await send(daemon, 'claude-task', { findingId: finding.finding_id });
  t.true(made.body.data.created, JSON.stringify(made.body));
  t.is((await get(daemon, 'pending-tasks')).data.length, 1);
  const { taskId } = made.body.data;
  const fixed = await send(daemon, 'task-status', { taskId, status: 'done', markFixed: true });
  t.is(fixed.body.data.status, 'done', JSON.stringify(fixed.body));
  t.deepEqual((await get(daemon, 'pending-tasks')).data, []);
  t.truthy((await get(daemon, `rfc/${second}`)).data.gates.risk.findings[0].resolved);

  const usage = { provider: 'one', model: 'm', input_tokens: 3, output_tokens: 4, cost_usd: 0.1 };
  for (let n = 0; n < 3; n += 1) t.is((await send(daemon, 'usage/log', usage)).status, 200);
  const total = await get(daemon, 'usage/total?hours=1');
  t.like(total.data, { calls: 3, input_tokens: 9, output_tokens: 12, cost_usd: 0.3 });
  const today = new Date().toISOString().slice(0, 10);
  t.is((await get(daemon, `usage/summary?since=${today}`)).data.total.calls, 3);

  const put = await send(daemon, 'rules', FILE, PUT);
  t.is(put.body.data?.number, 1, JSON.stringify(put.body));
  await submit(t, daemon, harmless(1));
  t.is(await daemon.stop(), 0);
  await isInOrder(t, { ...env, SERVICE_DATA_DIR: dataDir }, [
    ...['override', 'reject', 'ops-log', 'rules'],
  ]);
});

const PUT = { method: 'PUT' };
const RULE = {
  id: 'risk-acme-kill-switch',
  description: 'The kill switch is touched',
  regex: 'KILL_SWITCH\\s*=',
  keywords: ['kill_switch'],
  severity: 'high',
  message: 'the kill switch changes',
  source: 'https://wiki.example/kill-switch',
  examples: { match: ['KILL_SWITCH = 1'], noMatch: ['kill_switches = 1'] },
};
const FILE = { version: 1, extends: 'default', risk_patterns: [RULE] };
