import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { Timestamp } from 'mongodb';
import { CraError } from '../../../src/model/errors.ts';
import type { RfcStatus } from '../../../src/model/rfc.ts';
import { connectMongo } from '../../../src/store/mongo/database.ts';
import { createFreshRead, fromMongo } from '../../../src/store/mongo/operations.ts';
import { decodeSequence, encodeSequence } from '../../../src/store/mongo/queries.ts';
import { startDaemonProcess, temporaryDir, until } from '../../daemon.ts';
import {
  blocked,
  EXTRA_RULES,
  get,
  harmless,
  isInOrder,
  send,
  statusOf,
  submit,
} from '../../decision-calls.ts';
import { guardedMongod, startMongod } from '../../mongod/mongod.ts';
import { judged, REPO } from '../conformance/push-steps.ts';
import { idOf, insert, list, read } from '../conformance/steps.ts';
import { shaOf } from '../fixtures/pushes.ts';
import { sampleRecord } from '../fixtures/records.ts';
import { canWrite, openMongo } from './harness.ts';
import { clientOf, setUp } from './setup-mongod.ts';

test('while mongod is down calls fail soon, and work again when it is back', async (t) => {
  const mongod = await startMongod();
  t.teardown(mongod.stop);
  const { store, close } = await openMongo(mongod.url);
  t.teardown(close);
  const record = sampleRecord({ rfc_id: 'RFC-1' });
  await insert(store, record);
  const member = await mongod.primary();
  await member.kill();
  const calls = [
    insert(store, sampleRecord({ rfc_id: 'RFC-2' })),
    store.getRfc(idOf(record)),
    store.ping(null),
    list(store, {}),
  ];
  for (const result of await Promise.allSettled(calls)) {
    const code = result.status === 'rejected' ? (result.reason as CraError).code : 'answered';
    t.is(code, 'UNAVAILABLE');
  }
  await member.start();
  await until(() => canWrite(store));
  t.deepEqual(await whenAnswered(() => read(store, record)), record);
  const third = sampleRecord({ rfc_id: 'RFC-3' });
  t.deepEqual(await whenAnswered(() => insert(store, third)), { rev: 1 });
});

/**
 * A call on a connection of the pool that broke with the server may still end UNAVAILABLE, as the
 * driver lets it hang; both calls here may be made again.
 */
async function whenAnswered<Output>(call: () => Promise<Output>): Promise<Output> {
  for (;;) {
    try {
      return await call();
    } catch (thrown) {
      if ((thrown as CraError).code !== 'UNAVAILABLE') throw thrown;
    }
  }
}

test('connectMongo names the host, never the user or the password', async (t) => {
  const password = randomBytes(12).toString('hex');
  const { host } = new URL((await guardedMongod()).url);
  const cases: [url: string, shown: RegExp][] = [
    [`mongodb://alice:${password}@127.0.0.1:9/cra`, /127\.0\.0\.1:9\/cra cannot be used/],
    [`mongodb://alice:${password}@${host}/cra`, new RegExp(`${host}/cra .*refuses the user`)],
    [
      `mongodb://alice:${password}@${host}/cra?w=no&wrong=1`,
      /not a valid MongoDB connection string|cannot be/,
    ],
    [`mongodb://alice:${password}`, /not a valid MongoDB connection string/],
    [`mongodb://alice:${password}@@/`, /not a valid MongoDB connection string/],
  ];
  for (const [url, shown] of cases) {
    const error = await t.throwsAsync(connectMongo(url), { instanceOf: CraError });
    t.regex(error?.message ?? '', shown);
    const told = JSON.stringify([error?.message, error?.stack, error?.cause ?? null]);
    t.false(told.includes(password), told);
    t.false(told.includes('alice'), told);
  }
});

test('fromMongo takes a broken socket for what it is', (t) => {
  const thrown = Object.assign(new Error('This socket has been ended'), { code: 'EPIPE' });
  t.is(fromMongo(thrown).code, 'UNAVAILABLE');
  t.is(fromMongo(new TypeError('ours')).code, 'INTERNAL');
});

/**
 * A primary that does not know yet what a majority has, as one that was just elected: its
 * committed snapshot stands still.
 */
test('a fresh read waits for what a majority read would miss', async (t) => {
  const args = ['--setParameter', 'enableTestCommands=1'];
  const mongod = await startMongod({ args });
  t.teardown(mongod.stop);
  const opened = await openMongo(mongod.url);
  t.teardown(opened.close);
  const { connection, pushes, store, trail } = opened;
  await judged({ pushes, store, trail } as never, { rfc_id: 'RFC-1' });
  const shas = [shaOf('RFC-1')];
  t.is((await pushes.acceptedHeads({ ...REPO, shas })).accepted.length, 1);

  const admin = connection.db.client.db('admin');
  const stall = (mode: string) =>
    admin.command({ configureFailPoint: 'disableSnapshotting', mode });
  await stall('alwaysOn');
  const { rfcs } = connection.collections;
  // The head is revoked, and the caller has been answered that it is durable.
  const rejected = {
    $set: { status: 'REJECTED' as const },
    $unset: { 'push.accepted': '' as const },
  };
  await rfcs.updateOne({ _id: 'RFC-1' }, rejected, { writeConcern: { w: 1, journal: true } });
  const stale = await rfcs.findOne({ _id: 'RFC-1' });
  t.true(stale?.push?.accepted, 'a majority read misses it');
  const fresh = pushes.acceptedHeads({ ...REPO, shas });
  const first = await Promise.race([fresh, rfcs.findOne({ _id: 'RFC-1' })]);
  t.true(first !== null && '_id' in first, 'it does not answer what is stale');
  await stall('off');
  // Any write lets the snapshot go on.
  await connection.collections.meta.updateOne({ _id: 'x' }, { $set: { a: 1 } }, { upsert: true });
  t.deepEqual(await fresh, { accepted: [] });
});

test('fresh reads that come while one runs share the next write', async (t) => {
  const mongod = await startMongod();
  t.teardown(mongod.stop);
  const opened = await openMongo(mongod.url);
  t.teardown(opened.close);
  const { connection } = opened;
  const { meta } = connection.collections;
  const fresh = createFreshRead(connection.db);
  const passed = async () => Number((await meta.findOne({ _id: 'barrier' }))?.['passed'] ?? 0);
  const before = await passed();
  const times = await Promise.all(
    Array.from({ length: 100 }, () => fresh(async ({ session }) => session.operationTime)),
  );
  t.true(times.every((time) => time instanceof Timestamp));
  t.true((await passed()) - before <= 3);
  t.true((await passed()) - before >= 1);
});

const NEWEST = { ...REPO, branch: null, commit_sha: null };
const READS = 40;

/**
 * A scan lets others write now and then (after so many steps, or some milliseconds), and goes on
 * with what there is then. Here it does so after every step, and the newest push changes its
 * status all the time, so that it moves within the indexes that the scan goes through.
 */
test('a change of status in mid-scan hides neither the newest RFC nor the newest push', async (t) => {
  const parameters = ['internalQueryExecYieldIterations=1', 'enableTestCommands=1'];
  const args = parameters.flatMap((parameter) => ['--setParameter', parameter]);
  const mongod = await startMongod({ args });
  t.teardown(mongod.stop);
  const { connection, pushes, store, trail, close } = await openMongo(mongod.url);
  t.teardown(close);
  const harness = { pushes, store, trail } as never;
  await judged(harness, { rfc_id: 'RFC-1' });
  await judged(harness, { rfc_id: 'RFC-2' }, { overall_status: 'BLOCKED' });

  const { db, collections } = connection;
  const { rfcs } = collections;
  const data = { namespace: rfcs.namespace, waitForMillis: 5 };
  await db.client
    .db('admin')
    .command({ configureFailPoint: 'setYieldAllLocksWait', mode: 'alwaysOn', data });
  const statuses: RfcStatus[] = ['BLOCKED', 'REJECTED', 'DRAFT', 'APPROVED', 'PASSED'];
  let isDone = false;
  const change = async (from: number) => {
    for (let turn = from; !isDone; turn += 1) {
      const status = statuses[turn % statuses.length] ?? 'BLOCKED';
      await rfcs.updateOne({ _id: 'RFC-2' }, { $set: { status } });
    }
  };
  const changing = [0, 2].map(change);
  const seen = new Set<string>();
  try {
    for (let call = 0; call < READS; call += 1) {
      const { newest, head } = await pushes.prodView(NEWEST);
      seen.add(newest.rfc_id).add(`head ${head?.rfc_id}`);
    }
  } finally {
    isDone = true;
    await Promise.all(changing);
  }
  t.deepEqual([...seen].sort(), ['RFC-2', 'head RFC-2']);
});

test('decodeSequence reads what encodeSequence wrote, and nothing else', (t) => {
  for (const text of ['1:0', '1795284641:4294967295', '4294967295:1']) {
    const cursor = Buffer.from(text).toString('base64url');
    t.is(encodeSequence(decodeSequence(cursor)), cursor);
  }
  for (const text of ['0:1', '1:-1', '1:01', '4294967296:1', '1:4294967296', '1', ':', '1:1 ']) {
    const cursor = Buffer.from(text).toString('base64url');
    t.throws(() => decodeSequence(cursor), { message: /cursor/ }, text);
  }
});

test.serial('a daemon does not start without its MongoDB, and says why', async (t) => {
  const password = randomBytes(12).toString('hex');
  const env = { SERVICE_STORE_URL: `mongodb://cra:${password}@127.0.0.1:9/cra` };
  const error = await t.throwsAsync(startDaemonProcess(t, temporaryDir(t), env));
  t.regex(error?.message ?? '', /exit code [1-9].*127\.0\.0\.1:9\/cra cannot be used/s);
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
  t.is((await send(daemon, `reject/${first}`, { reason: 'it was not valid' })).status, 200);
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

  const put = await send(daemon, 'rules', EXTRA_RULES, PUT);
  t.is(put.body.data?.number, 1, JSON.stringify(put.body));
  await submit(t, daemon, harmless(1));

  const audit = clientOf(t, mongod.url).db('cra_audit');
  const says = (text: string) => until(() => daemon.log.some(({ msg }) => msg === text));
  await audit.command({ collMod: 'audit', validator: { never: true } });
  const late = send(daemon, 'ops-log', { action: 'deploy', description: 'v2' });
  await says('decisions are refused: the audit trail takes no entries');
  await audit.command({ collMod: 'audit', validator: {} });
  await says('the audit trail takes entries again');
  await late;
  t.is(await daemon.stop(), 0);
  await isInOrder(t, { ...env, SERVICE_DATA_DIR: dataDir }, [
    ...['override', 'reject', 'ops-log', 'rules', 'ops-log'],
  ]);
});

const PUT = { method: 'PUT' };
