import test from 'ava';
import { type Document, type FindOptions, ObjectId, Timestamp } from 'mongodb';
import type { Collections } from '../../../src/store/mongo/connection.ts';
import { INDEXES } from '../../../src/store/mongo/indexes.ts';
import { QUERIES } from '../../../src/store/mongo/queries.ts';
import { openTemporary } from './harness.ts';
import { planOf } from './plans.ts';

const ID = { tenant_id: 'default', rfc_id: 'RFC-1' };
const PAGE = {
  tenant_id: 'default',
  repo_key: null,
  status: null,
  before: new Timestamp({ t: 5, i: 1 }),
  limit: 51,
};

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
  ['list from the newest on', 'rfcs', QUERIES.list({ ...PAGE, before: null }), 'by_tenant'],
  ['list by repository', 'rfcs', QUERIES.list({ ...PAGE, repo_key: 'a/b' }), 'by_repo'],
  ['list by status', 'rfcs', QUERIES.list({ ...PAGE, status: 'BLOCKED' }), 'by_status'],
  [
    'list by both',
    'rfcs',
    QUERIES.list({ ...PAGE, repo_key: 'a/b', status: 'BLOCKED' }),
    'by_repo_status',
  ],
  ['drafts', 'rfcs', QUERIES.drafts('daemon-1', 500), 'owned_drafts'],
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

test('ensureIndexes leaves exactly those of the table', async (t) => {
  const { collections } = (await openTemporary(t)).connection;
  for (const [name, expected] of Object.entries(INDEXES)) {
    const found = await collections[name as keyof Collections].indexes();
    t.deepEqual(
      found.map((index) => index.name).sort(),
      ['_id_', ...expected.map((index) => index.name)].sort(),
    );
  }
  const retention = (await collections.diffs.indexes()).find(({ name }) => name === 'retention');
  t.is(retention?.['expireAfterSeconds'], 30 * 24 * 3600);
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
