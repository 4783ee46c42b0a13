import test from 'ava';
import { type Document, type FindOptions, Timestamp } from 'mongodb';
import type { Collections } from '../../../../src/store/mongo/connection.ts';
import { INDEXES } from '../../../../src/store/mongo/indexes.ts';
import { PUSH_QUERIES, runsOf } from '../../../../src/store/mongo/pushes/queries.ts';
import { QUERIES } from '../../../../src/store/mongo/queries.ts';
import { insert } from '../../conformance/steps.ts';
import { sampleDraft, sampleRecord } from '../../fixtures/records.ts';
import { openTemporary } from '../harness.ts';
import { planOf } from '../plans.ts';

const REPO = { tenant_id: 'default', repo_key: 'org/r5' };
const PLACE = { ...REPO, ref: 'refs/heads/main' };
const HELD_UNTIL = new Date('2100-01-01');
const THAN = { ...REPO, seq: new Timestamp({ t: 4, i: 1 }) };

interface Plan {
  filter: Document;
  options: FindOptions;
}

/** Each query, the index that it must use, and how many documents it may look at. */
const PLANS: [name: string, plan: Plan, index: string, documents: number][] = [
  ['byDelivery', PUSH_QUERIES.byDelivery('d-1'), 'push_delivery', 1],
  ['byBody', PUSH_QUERIES.byBody('b-1'), 'push_body', 1],
  ['firstFree of all', PUSH_QUERIES.firstFree({}), 'push_queue', 1],
  ['firstFree of a ref', PUSH_QUERIES.firstFree(behind('refs/heads/a')), 'push_queue', 1],
  ...runsOf({ after: REPO, upTo: null }).map((run): (typeof PLANS)[number] => [
    'firstFree',
    PUSH_QUERIES.firstFree(run),
    'push_queue',
    1,
  ]),
  ...runsOf({ after: null, upTo: REPO }).map((run): (typeof PLANS)[number] => [
    'firstFree',
    PUSH_QUERIES.firstFree(run),
    'push_queue',
    1,
  ]),
  ['openOf', PUSH_QUERIES.openOf(PLACE), 'push_queue', 11],
  ['openAmong', PUSH_QUERIES.openAmong('default', ['RFC-1', 'RFC-2']), '_id_', 2],
  ['heldBy', PUSH_QUERIES.heldBy('daemon-1'), 'push_open', 20],
  [
    'acceptedAmong',
    PUSH_QUERIES.acceptedAmong(REPO, ['sha-5', 'sha-6']),
    'push_accepted_by_commit',
    1,
  ],
  [
    'newestAccepted',
    PUSH_QUERIES.newestAccepted(REPO, 'refs/heads/main'),
    'push_accepted_by_ref',
    1,
  ],
  ['newestOfRef', PUSH_QUERIES.newestOfRef(REPO, 'refs/heads/main'), 'push_by_ref', 1],
  ['newestOfCommit', PUSH_QUERIES.newestOfCommit(REPO, 'sha-5'), 'live_by_commit', 1],
  ['oldestOfRef', PUSH_QUERIES.oldestOfRef(REPO, 'refs/heads/main'), 'push_by_ref', 1],
  ['newestOfFirst', PUSH_QUERIES.newestOfFirst(REPO), 'push_by_repo', 1],
  ['newestOfFirst of all', PUSH_QUERIES.newestOfFirst({}), 'push_by_repo', 1],
  ['oldestOpen', PUSH_QUERIES.oldestOpen(), 'push_age', 1],
  ['due', PUSH_QUERIES.due('hub', Date.now(), 7), 'statuses_due', 7],
  [
    'speakerOfCommit',
    PUSH_QUERIES.speakerOfCommit(THAN as never, [REPO.repo_key], 'sha-5'),
    'live_by_commit',
    1,
  ],
  ['drafts', QUERIES.drafts('daemon-1', 500), 'owned_drafts', 0],
];

function behind(ref: string): Document {
  return { ...REPO, 'push.ref': { $gt: ref } };
}

test('every query on pushes searches an index, and looks at what it shows', async (t) => {
  const { rfcs } = (await openTemporary(t)).connection.collections;
  await fill(rfcs);
  for (const [name, { filter, options }, index, documents] of PLANS) {
    const { readConcern: _local, ...plain } = options;
    const explained = await rfcs.find(filter, plain).explain('executionStats');
    const { stages, indexes } = planOf(explained);
    t.deepEqual(indexes, [index], name);
    t.false(stages.includes('COLLSCAN'), name);
    t.false(stages.includes('SORT'), name);
    const { totalDocsExamined } = explained['executionStats'];
    t.true(totalDocsExamined <= documents, `${name}: ${totalDocsExamined} documents`);
  }
});

test('what is counted is counted by an index alone', async (t) => {
  const { rfcs } = (await openTemporary(t)).connection.collections;
  await fill(rfcs);
  const counts = [PUSH_QUERIES.open(), PUSH_QUERIES.statusesDue()];
  for (const { filter, hint } of counts) {
    const pipeline = [{ $match: filter }, { $group: { _id: 1, n: { $sum: 1 } } }];
    const explained = await rfcs.aggregate(pipeline, { hint }).explain('executionStats');
    const stats = explained['executionStats'] ?? explained['stages'][0].$cursor.executionStats;
    t.is(stats.totalDocsExamined, 0, hint);
  }
  // Who is held is told by the clock of the server, for those that the index does not rule out.
  const { filter, hint } = PUSH_QUERIES.held();
  t.is(await rfcs.countDocuments(filter, { hint }), 20);
});

test('a record that is no push is in no index of pushes', async (t) => {
  const { store, connection } = await openTemporary(t);
  const { db, collections } = connection;
  await insert(store, sampleRecord({ rfc_id: 'RFC-1' }));
  await insert(store, sampleDraft({ rfc_id: 'RFC-2' }));
  const keys = async () => (await db.command({ validate: 'rfcs' }))['keysPerIndex'];
  const names = (INDEXES.rfcs ?? []).map((index) => index.name ?? '');
  const ofPushes = names.filter((name) => /^push_|^statuses/.test(name));
  t.is(ofPushes.length, 10);
  const before = await keys();
  t.is(before['by_tenant'], 2);
  for (const name of ofPushes) t.is(before[name], 0, name);
  // The check bites: a push is in those of its state.
  await fill(collections.rfcs);
  const after = await keys();
  for (const name of ofPushes) t.true(after[name] > 0, name);
});

/** 10 pushes of a ref of 100 repositories: 9 judged, 1 waits; and of 20 the newest is held. */
async function fill(rfcs: Collections['rfcs']): Promise<void> {
  const documents = Array.from({ length: 1_000 }, (_, n) => {
    const repo = n % 100;
    const isOpen = n >= 900;
    const isHeld = isOpen && repo < 20 && repo !== 5;
    const due = isHeld || n === 925 ? HELD_UNTIL : new Date(0);
    const isDue = n < 500;
    return {
      _id: `RFC-F${n}`,
      tenant_id: 'default',
      repo_key: `org/r${repo}`,
      commit_sha: `sha-${n}`,
      status: isOpen ? 'DRAFT' : n % 200 < 100 ? 'PASSED' : 'SUPERSEDED',
      rev: 1,
      owner: null,
      seq: new Timestamp({ t: 4, i: n + 1 }),
      push: {
        ...{ ref: 'refs/heads/main', delivery: `d-${n}`, body: `b-${n}`, due },
        owner: due === HELD_UNTIL ? 'daemon-1' : null,
        ...(!isOpen && n % 200 < 100 ? { accepted: true } : {}),
      },
      ...(isDue ? { vcs: { host: 'hub', due: new Date(n), posted: null } } : {}),
    };
  });
  await rfcs.insertMany(documents as never);
}
