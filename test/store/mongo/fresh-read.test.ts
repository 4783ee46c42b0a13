import test from 'ava';
import { Timestamp } from 'mongodb';
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
