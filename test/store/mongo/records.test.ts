import { tmpdir } from 'node:os';
import test from 'ava';
import {
  type Collection,
  type Document,
  type FindOptions,
  MongoClient,
  ObjectId,
  Timestamp,
} from 'mongodb';
import { SEAL_CHUNK_BYTES, sealDiff } from '../../../src/core/seal.ts';
import type { StatusCode } from '../../../src/model/errors.ts';
import { MONGO, STORE } from '../../../src/store/limits.ts';
import { type Collections, whenReachable } from '../../../src/store/mongo/database.ts';
import { EVENT_QUERIES, PENDING_QUERY } from '../../../src/store/mongo/events.ts';
import { bounded } from '../../../src/store/mongo/operations.ts';
import { QUERIES } from '../../../src/store/mongo/queries.ts';
import { createMongoStore } from '../../../src/store/mongo/records.ts';
import { diffDaysOf, ensureIndexes, INDEXES, keepDiffs } from '../../../src/store/mongo/schema.ts';
import { type Mongod, sharedMongod, startMongod } from '../../mongod/mongod.ts';
import { fillEvents } from '../conformance/events.ts';
import { fails, idOf, idsOf, insert, KEY, list, read, readDiffText } from '../conformance/steps.ts';
import { outcomeOf, recordText, sampleDraft, sampleRecord } from '../fixtures/records.ts';
import { KEYS, type OpenedMongo, openMongo, openTemporary, openTwo } from './harness.ts';
import { planOf } from './plans.ts';

test('each of two daemons reads what the other one wrote', async (t) => {
  const [one, two] = await openTwo(t);
  const record = sampleRecord({ rfc_id: 'RFC-1' });
  const diff = sealDiff(Buffer.from('diff'), KEY, 'RFC-1', SEAL_CHUNK_BYTES);
  await one.store.insertRfc({ record: recordText(record), diff });
  await insert(two.store, sampleRecord({ rfc_id: 'RFC-2' }));
  t.deepEqual(await read(two.store, record), record);
  t.is(await readDiffText(two.store, 'RFC-1'), 'diff');
  t.deepEqual((await list(one.store, {})).summaries.map(idsOf), ['RFC-2', 'RFC-1']);
});

test('insertRfc of one id by two daemons: the same is accepted, of others one wins', async (t) => {
  const [one, two] = await openTwo(t);
  const record = sampleRecord({ rfc_id: 'RFC-1' });
  const same = [one, two].map(({ store }) => insert(store, record));
  t.deepEqual(await Promise.all(same), [{ rev: 1 }, { rev: 1 }]);
  for (let round = 0; round < 10; round += 1) {
    const rfc_id = `RFC-R${round}`;
    const others = [one, two].map(({ store }, n) =>
      insert(store, sampleRecord({ rfc_id, branch: `branch-${n}` })),
    );
    const results = await Promise.allSettled(others);
    t.is(results.filter(({ status }) => status === 'fulfilled').length, 1);
  }
});

test('completeDraft and startAttempt: of two daemons exactly one wins', async (t) => {
  const daemons = await openTwo(t);
  for (let round = 0; round < 20; round += 1) {
    const draft = sampleDraft({ rfc_id: `RFC-${round}` });
    await insert(daemons[round % 2 === 0 ? 0 : 1].store, draft);
    const attempts = await Promise.allSettled(
      daemons.map(({ store }) => store.startAttempt({ ...idOf(draft), expectedRev: 1 })),
    );
    t.is(attempts.filter(({ status }) => status === 'fulfilled').length, 1);
    const outcomes = [1, 2].map((risk_score) => outcomeOf({ ...draft, rev: 2 }, { risk_score }));
    const results = await Promise.allSettled(
      daemons.map(({ store }, n) =>
        store.completeDraft({ record: recordText(outcomes[n] ?? draft), expectedRev: 2 }),
      ),
    );
    const winners = outcomes.filter((_, n) => results[n]?.status === 'fulfilled');
    t.is(winners.length, 1);
    t.deepEqual(await read(daemons[0].store, draft), winners[0]);
  }
});

test('listDrafts leaves a draft to its daemon until the lease is over', async (t) => {
  const [one, two] = await openTwo(t);
  const { rfcs } = one.connection.collections;
  const draft = sampleDraft({ rfc_id: 'RFC-1' });
  await insert(one.store, draft);
  const seenBy = async ({ store }: OpenedMongo) => {
    const { drafts } = await store.listDrafts({ limit: 10 });
    return drafts.map(idsOf);
  };
  t.deepEqual([await seenBy(one), await seenBy(two)], [['RFC-1'], []]);
  // A daemon that died before its first attempt: the lease runs from the insert.
  const longAgo = new Date(Date.now() - 10 * 60_000);
  const { t: seconds = 0, i = 0 } = (await rfcs.findOne({ _id: 'RFC-1' }))?.seq ?? {};
  const seq = new Timestamp({ t: seconds - 600, i });
  await rfcs.updateOne({ _id: 'RFC-1' }, { $set: { seq } });
  t.deepEqual([await seenBy(one), await seenBy(two)], [['RFC-1'], ['RFC-1']]);
  // An attempt of the other one takes the lease.
  await two.store.startAttempt({ ...idOf(draft), expectedRev: 1 });
  t.deepEqual([await seenBy(one), await seenBy(two)], [[], ['RFC-1']]);
  const lease = (await rfcs.findOne({ _id: 'RFC-1' }))?.lease_until?.getTime() ?? 0;
  t.true(lease > Date.now() + 60_000, 'the lease lasts longer than an attempt');
  await rfcs.updateOne({ _id: 'RFC-1' }, { $set: { lease_until: longAgo } });
  t.deepEqual([await seenBy(one), await seenBy(two)], [['RFC-1'], ['RFC-1']]);
});

test('a tombstone is not read, not listed and not written again', async (t) => {
  const [{ store, connection }] = await openTwo(t);
  const { rfcs } = connection.collections;
  const draft = sampleDraft({ rfc_id: 'RFC-1' });
  const diff = sealDiff(Buffer.from('diff'), KEY, 'RFC-1', SEAL_CHUNK_BYTES);
  await store.insertRfc({ record: recordText(draft), diff });
  await rfcs.updateOne({ _id: 'RFC-1' }, { $set: { deleted: true } });
  await fails(t, store.getRfc(idOf(draft)), 'NOT_FOUND');
  await fails(t, store.getSarif(idOf(draft)), 'NOT_FOUND');
  await fails(t, store.getDiff(idOf(draft)), 'NOT_FOUND');
  await fails(t, store.startAttempt({ ...idOf(draft), expectedRev: 1 }), 'NOT_FOUND');
  const outcome = recordText(outcomeOf(draft));
  await fails(t, store.completeDraft({ record: outcome, expectedRev: 1 }), 'NOT_FOUND');
  await fails(t, insert(store, draft), 'ALREADY_EXISTS');
  t.deepEqual((await list(store, {})).summaries, []);
  t.deepEqual((await store.listDrafts({ limit: 10 })).drafts, []);
});

test('a daemon with other keys than the first one does not start', async (t) => {
  const [{ connection }] = await openTwo(t);
  const url = (await sharedMongod()).url.replace('/?', `/${connection.db.databaseName}?`);
  for (const name of ['seal', 'fingerprint'] as const) {
    const keys = { ...KEYS, [name]: 'another' };
    const options = {
      url,
      now: Date.now,
      instance: 'daemon-3',
      dataDir: tmpdir(),
      diffDays: 30,
      keys,
    };
    const error = await fails(t, createMongoStore(options), 'FAILED_PRECONDITION');
    t.regex(error?.message ?? '', new RegExp(`SERVICE_${name.toUpperCase()}_KEY`));
  }
});

const ID = { tenant_id: 'default', rfc_id: 'RFC-1' };
const PAGE = {
  tenant_id: 'default',
  repo_key: null,
  status: null,
  component: null,
  places: { $lt: new Timestamp({ t: 5, i: 1 }) },
  limit: 51,
};
const ENTRIES = { tenant_id: 'default', text: 'word:a', places: PAGE.places };
const TIME = '2026-11-21T11:00:00.000Z';

interface Plan {
  filter: Document;
  options: FindOptions;
}

/** Each query, and the index that it must use. */
const PLANS: [string, keyof Collections, Plan, string][] = [
  ['view', 'rfcs', QUERIES.view(ID), '_id_'],
  ['views', 'rfcs', QUERIES.views(['RFC-1', 'RFC-2']), '_id_'],
  ['diff', 'rfcs', QUERIES.diff(ID), '_id_'],
  ['known', 'rfcs', QUERIES.known(['RFC-1', 'RFC-2']), '_id_'],
  ['draftAt', 'rfcs', { filter: QUERIES.draftAt('RFC-1', 'default', 1), options: {} }, '_id_'],
  ['list', 'rfcs', QUERIES.list(PAGE), 'by_tenant'],
  ['list from the newest on', 'rfcs', QUERIES.list({ ...PAGE, places: {} }), 'by_tenant'],
  ['scores', 'rfcs', QUERIES.scores('default', {}, 10), 'by_tenant'],
  ['list by repository', 'rfcs', QUERIES.list({ ...PAGE, repo_key: 'a/b' }), 'by_repo'],
  ['list by status', 'rfcs', QUERIES.list({ ...PAGE, status: 'BLOCKED' }), 'by_status'],
  [
    'list by both',
    'rfcs',
    QUERIES.list({ ...PAGE, repo_key: 'a/b', status: 'BLOCKED' }),
    'by_repo_status',
  ],
  ['list by component', 'rfcs', QUERIES.list({ ...PAGE, component: 'web' }), 'by_component'],
  ['withText', 'rfcs', QUERIES.withText(ENTRIES, 10), 'by_text'],
  ['lastExamined', 'rfcs', QUERIES.lastExamined(ENTRIES, 10), 'by_text'],
  ['listByTexts', 'rfcs', QUERIES.listByTexts(ENTRIES, ['word:b'], PAGE), 'by_text'],
  ['textsOf', 'rfcs', QUERIES.textsOf('default', [PAGE.places.$lt]), 'by_tenant'],
  ['nearest until', 'rfcs', QUERIES.nearest('default', 'until', TIME), 'by_time'],
  ['nearest since', 'rfcs', QUERIES.nearest('default', 'since', TIME), 'by_time'],
  ['ofStatus', 'rfcs', QUERIES.ofStatus('default', 'BLOCKED', 10), 'by_status'],
  ['gone', 'rfcs', QUERIES.gone('default', 'BLOCKED', 10), 'gone'],
  ['oldestBlocked', 'rfcs', QUERIES.oldestBlocked('default'), 'by_status'],
  ['drafts', 'rfcs', QUERIES.drafts('daemon-1', 500, {}), 'owned_drafts'],
  ['ofCommit', 'rfcs', QUERIES.ofCommit('default', 'a/b', 'c', 20), 'live_of_commit'],
  ['untold', 'rfcs', PENDING_QUERY, 'untold'],
  ['events due', 'events', EVENT_QUERIES.due('a', 5), 'due'],
  ['events open', 'events', EVENT_QUERIES.openOf('a', ['b', 'c']), 'open'],
  ['events waiting', 'events', EVENT_QUERIES.waiting('a'), 'waiting'],
  ['events dead', 'events', EVENT_QUERIES.dead('a', 5), 'dead_of'],
  ['events dead of a lane', 'events', EVENT_QUERIES.deadIn('a'), 'dead'],
  ['chunks', 'diffs', QUERIES.chunks(new ObjectId()), '_id_'],
];

test('every query searches an index, and neither scans nor sorts', async (t) => {
  const { db } = (await openTemporary(t)).connection;
  for (const [name, collection, { filter, options }, index] of PLANS) {
    const cursor = db.collection(collection).find(filter, options);
    const { stages, indexes } = planOf(await cursor.explain('queryPlanner'));
    t.deepEqual(indexes, [index], name);
    t.false(stages.includes('COLLSCAN'), name);
    t.false(stages.includes('SORT'), name);
  }
});

test('a list looks at as many keys as it shows', async (t) => {
  const { db, collections } = (await openTemporary(t)).connection;
  await fill(collections);
  for (const [name, collection, { filter, options }] of PLANS.slice(5, 10)) {
    const cursor = db.collection(collection).find(filter, { ...options, limit: 3 });
    const { executionStats } = await cursor.explain('executionStats');
    t.true(executionStats.totalKeysExamined <= 4, `${name}: ${executionStats.totalKeysExamined}`);
  }
});

test('the check of plans bites: a query without an index scans and sorts', async (t) => {
  const { rfcs } = (await openTemporary(t)).connection.collections;
  const plan = await rfcs.find({ rev: 1 }).sort({ created_at: 1 }).explain('queryPlanner');
  const { stages } = planOf(plan);
  t.true(stages.includes('COLLSCAN'));
  t.true(stages.includes('SORT'));
});

test('ensureIndexes leaves exactly the indexes of the table', async (t) => {
  const { collections, db } = (await openTemporary(t)).connection;
  for (const [name, expected] of Object.entries(INDEXES)) {
    const found = await collections[name as keyof Collections].indexes();
    t.deepEqual(
      found.map((index) => index.name).sort(),
      ['_id_', ...expected.map((index) => index.name)].sort(),
    );
  }
  t.is(await diffDaysOf(collections), 30);
  // As another setting says, and as before.
  await ensureIndexes(db, collections, 60);
  await ensureIndexes(db, collections, null);
  t.is(await diffDaysOf(collections), 60);
});

test('ensureIndexes changes how long diffs are kept, whatever the user may and others do', async (t) => {
  const { collections, db } = (await openTemporary(t)).connection;
  const failOnce = (failCommand: string, errorCode: number) =>
    db.admin().command({
      configureFailPoint: 'failCommand',
      mode: { times: 1 },
      data: { failCommands: [failCommand], errorCode, namespace: `${db.databaseName}.diffs` },
    });
  // As of a user with the role `readWrite`: the index is made again.
  await failOnce('collMod', 13);
  await ensureIndexes(db, collections, 60);
  t.is(await diffDaysOf(collections), 60);
  // And another daemon makes it between the two commands.
  await keepDiffs(collections);
  await failOnce('createIndexes', 85);
  await ensureIndexes(db, collections, 7);
  t.is(await diffDaysOf(collections), 7);
  // By themselves, many at once.
  await keepDiffs(collections);
  await Promise.all([7, 90, 30, 60].map((days) => ensureIndexes(db, collections, days)));
  t.true([7, 90, 30, 60].includes((await diffDaysOf(collections)) ?? 0));
});

test('an index of an older version that differs by its name alone is replaced', async (t) => {
  const { collections, db } = (await openTemporary(t)).connection;
  for (const [name, indexes] of Object.entries(INDEXES)) {
    const collection = collections[name as keyof Collections] as unknown as Collection;
    for (const index of indexes) {
      await collection.dropIndex(index.name ?? '');
      await collection.createIndexes([{ ...index, name: `older_${index.name}` }]);
    }
  }
  // Two daemons that start at the same time.
  await Promise.all([1, 2].map(() => ensureIndexes(db, collections, 30)));
  for (const [name, expected] of Object.entries(INDEXES)) {
    const found = await collections[name as keyof Collections].indexes();
    t.deepEqual(
      found.map((index) => index.name).sort(),
      ['_id_', ...expected.map((index) => index.name)].sort(),
    );
  }
});

async function fill({ rfcs }: Collections): Promise<void> {
  const documents = Array.from({ length: 200 }, (_, n) => ({
    _id: `RFC-${n}`,
    tenant_id: n % 2 === 0 ? 'default' : 'other',
    repo_key: n % 4 === 0 ? 'a/b' : 'a/c',
    status: n % 8 === 0 ? 'BLOCKED' : 'PASSED',
    seq: new Timestamp({ t: 4, i: n + 1 }),
  }));
  await rfcs.insertMany(documents as never);
}

test('bounded gives up what never ends, and lets the rest through', async (t) => {
  const never = new Promise<never>(() => undefined);
  await fails(t, bounded(never, 1), 'UNAVAILABLE');
  t.is(await bounded(Promise.resolve(7)), 7);
  await t.throwsAsync(bounded(Promise.reject(new RangeError('own'))), { message: 'own' });
});

test('a method that never ends is UNAVAILABLE, and before the call of it is over', async (t) => {
  const methods = { hang: () => new Promise<never>(() => undefined), answer: async () => 7 };
  const watch = { requirePrimary: () => undefined };
  const { hang, answer } = whenReachable(watch, methods, 1);
  await fails(t, hang(), 'UNAVAILABLE');
  t.is(await answer(), 7);
  t.true(MONGO.ANSWER_MS < STORE.CALL_DEADLINE_MS);
});

/** Has `failCommand`: the server fails as it would, without the cause. */
function startWithFailPoints(): Promise<Mongod> {
  return startMongod({ args: ['--setParameter', 'enableTestCommands=1'] });
}

/** What each failure of the server is to callers; none of these is tried again by the driver. */
const CASES: [title: string, failure: object, code: StatusCode][] = [
  ['disk full', { errorCode: 14031 }, 'RESOURCE_EXHAUSTED'],
  ['out of memory', { errorCode: 146 }, 'RESOURCE_EXHAUSTED'],
  ['not allowed', { errorCode: 13 }, 'UNAVAILABLE'],
  ['took too long', { errorCode: 50 }, 'UNAVAILABLE'],
  ['read from a snapshot that is gone', { errorCode: 239 }, 'UNAVAILABLE'],
  ['something else', { errorCode: 8 }, 'UNKNOWN'],
  // Last, as its record is written: it is counted, which updates it.
  ['not confirmed', { writeConcernError: { code: 64, errmsg: 'waiting' } }, 'UNAVAILABLE'],
];

test('failures of the server become the codes of the store, and nothing is acknowledged', async (t) => {
  const mongod = await startWithFailPoints();
  t.teardown(mongod.stop);
  const { records, connection, store, close } = await openMongo(mongod.url);
  t.teardown(close);
  const admin = connection.db.admin();
  // The counter of trends, which looks into `rfcs` by itself, meets none of them.
  const failOnce = (command: string, collection: string, failure: object) =>
    admin.command({
      configureFailPoint: 'failCommand',
      mode: { times: 1 },
      data: {
        failCommands: [command],
        namespace: `${connection.db.databaseName}.${collection}`,
        ...failure,
      },
    });
  const call = { stopReason: () => null };
  const draft = sampleDraft({ rfc_id: 'RFC-DRAFT' });
  const diff = sealDiff(Buffer.from('diff'), KEY, draft.rfc_id, SEAL_CHUNK_BYTES);
  await store.insertRfc({ record: recordText(draft), diff });
  for (const [n, [title, failure, code]] of CASES.entries()) {
    t.log(title);
    const record = recordText(sampleRecord({ rfc_id: `RFC-${n}` }));
    await failOnce('insert', 'rfcs', failure);
    // Not by the client of the store, which would look whether it happened all the same.
    await fails(t, Promise.resolve(records.insertRfc({ record, diff: null }, call)), code);
    const outcome = { record: recordText(outcomeOf(draft)), expectedRev: 1 };
    if (!('errorCode' in failure)) continue;
    await failOnce('update', 'rfcs', failure);
    await fails(t, store.completeDraft(outcome), code);
    await failOnce('find', 'diffs', failure);
    await fails(t, store.getDiff(idOf(draft)), code);
  }
});

test('a write whose reply is lost, or that meets an election, is done once', async (t) => {
  const mongod = await startWithFailPoints();
  t.teardown(mongod.stop);
  const { connection, store, close } = await openMongo(mongod.url);
  t.teardown(close);
  const admin = connection.db.admin();
  const failures = [
    { closeConnection: true },
    { errorCode: 10_107, errorLabels: ['RetryableWriteError'] },
  ];
  for (const [n, failure] of failures.entries()) {
    const record = sampleRecord({ rfc_id: `RFC-${n}` });
    await admin.command({
      configureFailPoint: 'failCommand',
      mode: { times: 1 },
      data: { failCommands: ['insert'], ...failure },
    });
    t.deepEqual(await insert(store, record), { rev: 1 });
    t.deepEqual(await read(store, record), record);
  }
});

test('a start waits for indexes that take longer to build than the driver waits', async (t) => {
  const mongod = await startWithFailPoints();
  t.teardown(mongod.stop);
  const client = await new MongoClient(mongod.url).connect();
  t.teardown(() => client.close());
  await client.db('admin').command({
    configureFailPoint: 'failCommand',
    mode: { times: 2 },
    data: { failCommands: ['createIndexes'], closeConnection: true, appName: 'cra' },
  });
  const { store, close } = await openMongo(mongod.url);
  t.teardown(close);
  t.deepEqual(await insert(store, sampleRecord({ rfc_id: 'RFC-1' })), { rev: 1 });
});

test('of two daemons one delivers the events of a subscription, until its lease ends', async (t) => {
  const [one, two] = await openTwo(t);
  await fillEvents(one);
  const claim = ({ events }: typeof one, leaseMs: number) =>
    events.claimEvents({ lane: 'all', leaseMs, nowMs: Date.now(), limit: 10 });
  t.not((await claim(one, 60_000)).events, null);
  t.is((await claim(two, 60_000)).events, null);
  t.not((await claim(one, 1)).events, null, 'its own lease does not keep it out');
  let taken = await claim(two, 60_000);
  while (taken.events === null) taken = await claim(two, 60_000);
  t.true(taken.events.length > 0);
  t.is((await claim(one, 60_000)).events, null);
});
