import test from 'ava';
import { MongoClient } from 'mongodb';
import type { TrendsView } from '../../../src/store/contract/records.ts';
import { TREND_QUERIES } from '../../../src/store/mongo/trends.ts';
import { databaseUrl, sharedMongod, startMongod } from '../../mongod/mongod.ts';
import { insert, list } from '../conformance/steps.ts';
import { sampleRecord } from '../fixtures/records.ts';
import { type OpenedMongo, openMongo, openTemporary, openTwo } from './harness.ts';
import { planOf } from './plans.ts';

const TREND_DAYS = {
  tenant_id: 'default',
  repo: null,
  since: '2026-11-01',
  until: '2026-11-30',
  by: 'day',
} as const;

test('TREND_QUERIES search an index by all they filter, and neither scan nor sort', async (t) => {
  const { connection } = await openTemporary(t);
  const { rfcs, trends } = connection.collections;
  const due = TREND_QUERIES.due(9);
  const sums = TREND_QUERIES.sums(TREND_DAYS);
  const dueNow = planOf(await rfcs.find(due.filter, due.options).explain('queryPlanner'));
  t.deepEqual(dueNow, { stages: dueNow.stages, indexes: ['trend_due'] });
  const byDay = planOf(await trends.find(sums.filter, sums.options).explain('queryPlanner'));
  t.deepEqual(byDay, { stages: byDay.stages, indexes: ['by_day'] });
  const { filter, options } = TREND_QUERIES.blockedRepositories(TREND_DAYS);
  const blocked = planOf(await trends.find(filter, options).explain('queryPlanner'));
  t.deepEqual(blocked, { stages: blocked.stages, indexes: ['blocked'] });
  for (const { stages } of [dueNow, byDay, blocked]) t.notRegex(stages.join(), /COLLSCAN|SORT/);
});

test('trends: two daemons that count the same records at once count each once', async (t) => {
  const daemons = await openTwo(t);
  const writes = Array.from({ length: 30 }, (_, n) => {
    const { store } = daemons[n % 2] as OpenedMongo;
    return insert(store, sampleRecord({ rfc_id: `RFC-${n}` }));
  });
  await Promise.all([...writes, ...daemons.map(({ store }) => store.trends(TREND_DAYS))]);
  const both = await Promise.all(daemons.map(({ store }) => store.trends(TREND_DAYS)));
  for (const { totals } of both) t.is(totals.passed, 30);
});

test('trends, texts: records from before they were kept are counted after the next start', async (t) => {
  const url = databaseUrl(await sharedMongod());
  const first = await openMongo(url);
  const ids = Array.from({ length: 250 }, (_, n) => `RFC-${n}`);
  await Promise.all(ids.map((rfc_id) => insert(first.store, sampleRecord({ rfc_id }))));
  const before = await untilCounted(first.store);
  t.is(before.totals.passed, ids.length);
  const { db } = first.connection;
  await first.close();
  const client = await new MongoClient(url).connect();
  const stored = client.db(db.databaseName);
  await stored.collection('rfcs').updateMany({}, { $unset: { trend: '', texts: '' } });
  for (const name of ['trends', 'trend_marks']) await stored.collection(name).deleteMany({});
  await stored.collection('meta').deleteOne({ _id: 'trends and texts' as never });
  await client.close();
  const again = await openMongo(url);
  t.teardown(async () => {
    await again.connection.db.dropDatabase();
    await again.close();
  });
  t.deepEqual(await untilCounted(again.store), before);
  const search = { texts: ['word:main'], until: null, since: null, examined: 100 };
  const { summaries, next_cursor } = await list(again.store, { search });
  t.deepEqual([summaries.length, next_cursor !== null], [50, true]);
});

/** A read counts for a while only: what is left it says. */
async function untilCounted(store: OpenedMongo['store']): Promise<TrendsView> {
  for (;;) {
    const found = await store.trends(TREND_DAYS);
    if (found.complete) return found;
  }
}

test('trends: a read that meets a backlog answers soon, and says that it is not complete', async (t) => {
  const mongod = await startMongod({ args: ['--setParameter', 'enableTestCommands=1'] });
  t.teardown(mongod.stop);
  const { store, connection, close } = await openMongo(mongod.url);
  t.teardown(close);
  const setMarks = (mode: string) =>
    connection.db.admin().command({
      configureFailPoint: 'failCommand',
      mode,
      data: {
        failCommands: ['update'],
        namespace: `${connection.db.databaseName}.trend_marks`,
        blockConnection: true,
        blockTimeMS: SLOW_STEP_MS,
      },
    });
  await setMarks('alwaysOn');
  const ids = Array.from({ length: 2_000 }, (_, n) => `RFC-${n}`);
  await Promise.all(ids.map((rfc_id) => insert(store, sampleRecord({ rfc_id }))));
  const { complete, totals } = await store.trends(TREND_DAYS);
  t.false(complete);
  t.true(totals.passed < ids.length);
  await setMarks('off');
  t.is((await untilCounted(store)).totals.passed, ids.length);
});

/** Of the ten steps that 2,000 records take, a read waits for one or two. */
const SLOW_STEP_MS = 1_500;
