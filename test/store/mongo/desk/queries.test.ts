import test from 'ava';
import { type Document, Timestamp } from 'mongodb';
import type { Collections } from '../../../../src/store/mongo/connection.ts';
import { DESK_QUERIES } from '../../../../src/store/mongo/desk/queries.ts';
import { rulesCollection } from '../../../../src/store/mongo/desk/rules-book.ts';
import { type LatestFilter, QUERIES } from '../../../../src/store/mongo/queries.ts';
import { openTemporary } from '../harness.ts';
import { planOf } from '../plans.ts';

const REPO = { tenant_id: 'default', repo_key: 'a/b', branch: null, commit_sha: null };

const LATEST: [string, LatestFilter, string][] = [
  ['of a repository', REPO, 'by_repo_status'],
  ['of a branch', { ...REPO, branch: 'main' }, 'live_by_branch'],
  ['of a commit', { ...REPO, commit_sha: 'a1' }, 'live_by_commit'],
  ['of a commit on a branch', { ...REPO, branch: 'main', commit_sha: 'a1' }, 'live_by_commit'],
];

test('the latest record is found by a few keys, whatever was superseded', async (t) => {
  const { collections } = (await openTemporary(t)).connection;
  await fill(collections);
  for (const [name, narrow, index] of LATEST) {
    const { filter, options } = QUERIES.latest(narrow);
    t.is((await collections.rfcs.findOne(filter, options))?.json, 'live', name);
    const explained = await collections.rfcs.find(filter, options).explain('executionStats');
    const { stages, indexes } = planOf(explained);
    t.deepEqual([...new Set(indexes)], [index], name);
    t.false(stages.includes('SORT') || stages.includes('COLLSCAN'), name);
    const { totalKeysExamined, totalDocsExamined } = explained['executionStats'];
    t.true(totalKeysExamined <= 8, `${name}: ${totalKeysExamined} keys`);
    t.true(totalDocsExamined <= 2, `${name}: ${totalDocsExamined} documents`);
  }
});

/** 300 superseded records above 300 that passed, of one branch and commit. */
async function fill({ rfcs }: Collections): Promise<void> {
  const documents = Array.from({ length: 600 }, (_, n) => ({
    _id: `RFC-${n}`,
    tenant_id: 'default',
    repo_key: 'a/b',
    branch: 'main',
    commit_sha: 'a1',
    status: n < 300 ? 'PASSED' : 'SUPERSEDED',
    json: n === 299 ? 'live' : '',
    seq: new Timestamp({ t: 4, i: n + 1 }),
  }));
  await rfcs.insertMany(documents as never);
}

test('queries on tasks, usage and rules search an index, and neither scan nor sort', async (t) => {
  const { db, collections } = (await openTemporary(t)).connection;
  const { tasks, usage, usageHours } = collections;
  const open = DESK_QUERIES.openTask('default', 'F-1');
  const pending = DESK_QUERIES.pendingTasks('default', new Timestamp({ t: 1, i: 1 }), 10);
  const between = DESK_QUERIES.usageBetween({ tenant_id: 'default', fromMs: 1, toMs: 2 });
  const newest = DESK_QUERIES.newestRules();
  const list = DESK_QUERIES.listRules(7, 10);
  const rules = rulesCollection(db);
  await rules.insertOne({ _id: 1, op_id: 'op' });
  const plans: [string, Promise<Document>, string][] = [
    ['open task', tasks.find(open.filter, open.options).explain(), 'open'],
    ['pending tasks', tasks.find(pending.filter, pending.options).explain(), 'pending'],
    ['usage at the edge', usage.find(between).explain(), 'by_time'],
    ['hours', usageHours.find(DESK_QUERIES.usageHours('default', 1)).explain(), 'by_hour'],
    ['newest rules', rules.find(newest.filter, newest.options).explain(), '_id_'],
    ['rules', rules.find(list.filter, list.options).explain(), '_id_'],
  ];
  for (const [name, explained, index] of plans) {
    const { stages, indexes } = planOf(await explained);
    t.deepEqual(indexes, [index], name);
    t.false(stages.includes('SORT') || stages.includes('COLLSCAN'), name);
  }
});

test('the server removes sessions that are over', async (t) => {
  const { sessions, connection } = await openTemporary(t);
  const kept = connection.collections.sessions;
  const ended = (await kept.indexes()).find(({ name }) => name === 'ended');
  t.deepEqual([ended?.key, ended?.['expireAfterSeconds']], [{ ends: 1 }, 0]);
  const principal = { id: 'x', name: 'X', credential: 'session', role: 'admin' } as const;
  const session = {
    session_id: 'a',
    principal: { ...principal, tenant_id: 'default' },
    created_at: '2026-11-21T12:00:00.000Z',
    last_seen_at: '2026-11-21T12:00:00.000Z',
    expires_at: '2026-11-22T00:00:00.000Z',
  };
  await sessions.createSession({ session });
  t.deepEqual((await kept.findOne({}))?.ends, new Date(session.expires_at));
});
