import test from 'ava';
import { Timestamp } from 'mongodb';
import type { RfcStatus } from '../../../src/model/rfc.ts';
import { decodeSequence, encodeSequence } from '../../../src/store/mongo/cursor.ts';
import { createFreshRead } from '../../../src/store/mongo/fresh-read.ts';
import { startMongod } from '../../mongod/mongod.ts';
import { judged, REPO } from '../conformance/push-steps.ts';
import { shaOf } from '../fixtures/pushes.ts';
import { openMongo } from './harness.ts';

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
  // The head is taken back, and whoever did so has heard that it is durable.
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
