import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { runCommand } from '../../cli/fixtures/command.ts';
import {
  analyze,
  change,
  type DaemonProcess,
  newFile,
  request,
  startDaemonProcess,
  temporaryDir,
  until,
} from '../../daemon.ts';
import { blocked, harmless, send, statusOf, submit } from '../../decision-calls.ts';
import { databaseUrl, sharedMongod, startMongod } from '../../mongod/mongod.ts';
import { setUp } from './setup-mongod.ts';

/** Starting daemons and compiling rules takes long where others work, too. */
const TEST_MS_MAX = 300_000;

const REASON = { actor: 'ann', reason: 'the key of the vendor example' };

/** Keys that all daemons of a store have in common. */
function sharedKeys(): Record<string, string> {
  const key = () => randomBytes(32).toString('hex');
  return {
    SERVICE_SEAL_KEY: key(),
    SERVICE_FINGERPRINT_KEY: key(),
    SERVICE_CHECKPOINT_KEY: key(),
  };
}

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

/** Two daemons on one store, started at once. */
async function startTwo(t: ExecutionContext) {
  const env = { SERVICE_STORE_URL: databaseUrl(await sharedMongod()), ...sharedKeys() };
  const start = () => startDaemonProcess(t, temporaryDir(t), env);
  const daemons = await Promise.all([start(), start()]);
  /** Stops both and reads the trail. */
  const stopsInOrder = async (kinds: string[]) => {
    t.deepEqual(await Promise.all(daemons.map((daemon) => daemon.stop())), [0, 0]);
    await isInOrder(t, env, kinds);
  };
  return { one: daemons[0], two: daemons[1], stopsInOrder };
}

test.serial('two daemons decide about the same RFCs, each decision once', async (t) => {
  t.timeout(TEST_MS_MAX);
  const { one, two, stopsInOrder } = await startTwo(t);
  const here = await submit(t, one, blocked(1));
  const there = await submit(t, two, harmless(1));
  t.is(await statusOf(two, here), 'BLOCKED');
  t.is(await statusOf(one, there), 'PASSED');
  t.is((await get(one, 'rfcs')).data.length, 2);

  // Of 50 overrides at once one is made.
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      send(n % 2 === 0 ? one : two, `rfc/${here}/override`, REASON),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  t.is(statuses.filter((status) => status === 200).length, 1, statuses.join());
  t.is(statuses.filter((status) => status === 409).length, 49, statuses.join());
  const read = (await get(two, `rfc/${here}`)).data;
  t.is(read.override_history.length, 1);
  await stopsInOrder(['override']);
});

test.serial('rules that were replaced on one daemon are in force on the other', async (t) => {
  t.timeout(TEST_MS_MAX);
  const { one, two, stopsInOrder } = await startTwo(t);
  const ours = change(newFile('a.py', 'KILL_SWITCH = 1\n'));
  const verdict = async (daemon: DaemonProcess) =>
    (await analyze(daemon.url, ours)).body.data.overall_status;
  t.is(await verdict(two), 'PASSED');
  const put = await send(one, 'rules', FILE, PUT);
  t.is(put.body.data?.number, 1, JSON.stringify(put.body));
  await follows(two, 1);
  t.is(await verdict(two), 'BLOCKED');
  const next = await send(two, 'rules', { ...FILE, risk_patterns: [] }, PUT);
  t.is(next.body.data?.number, 2, JSON.stringify(next.body));
  await follows(one, 2);
  t.is(await verdict(one), 'PASSED');
  await stopsInOrder(['rules', 'rules']);
});

/** Waits until the daemon runs under this revision. */
function follows(daemon: DaemonProcess, number: number): Promise<void> {
  return until(async () => (await get(daemon, 'dispatcher/status')).data.rules.number === number);
}
