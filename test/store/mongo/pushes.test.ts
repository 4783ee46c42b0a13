import test from 'ava';
import { type Document, type FindOptions, Timestamp } from 'mongodb';
import { CraError } from '../../../src/model/errors.ts';
import type { PushClaim } from '../../../src/store/contract/pushes.ts';
import type { TrailWriter } from '../../../src/store/contract/trail.ts';
import { defaultAuditUrl } from '../../../src/store/mongo/address.ts';
import type { Collections } from '../../../src/store/mongo/database.ts';
import { createFreshRead } from '../../../src/store/mongo/operations.ts';
import { createBaselineWriter } from '../../../src/store/mongo/pushes/heads.ts';
import { openLandings, PUSH_QUERIES, runsOf } from '../../../src/store/mongo/pushes/queries.ts';
import { countOf, QUERIES } from '../../../src/store/mongo/queries.ts';
import { INDEXES } from '../../../src/store/mongo/schema.ts';
import { until } from '../../daemon.ts';
import { sharedMongod } from '../../mongod/mongod.ts';
import {
  accept,
  adoption,
  claim,
  claimedId,
  LONG_MS,
  pushed,
  REPO,
} from '../conformance/push-steps.ts';
import { fails, insert, read } from '../conformance/steps.ts';
import { decisionOn } from '../fixtures/decisions.ts';
import { judgedPush, samplePush, shaOf } from '../fixtures/pushes.ts';
import { recordText, sampleDraft, sampleRecord } from '../fixtures/records.ts';
import { type OpenedMongo, openTemporary, readEntries } from './harness.ts';
import { planOf } from './plans.ts';
import { openTwo } from './pushes/two-daemons.ts';

const CALL = { stopReason: () => null };

/** The steps of a daemon whose trail does as it is told. */
function stepsWith({ connection }: OpenedMongo, appendEvent: TrailWriter['appendEvent']) {
  const { collections } = connection;
  return createBaselineWriter({ collections, fresh: createFreshRead(connection.db), appendEvent });
}

async function told({ connection }: OpenedMongo) {
  const { databaseName } = connection.db;
  const url = (await sharedMongod()).url.replace('/?', `/${databaseName}?`);
  const entries = await readEntries(defaultAuditUrl(url, databaseName));
  return entries.filter(({ kind }) => kind === 'baseline-adopted');
}

test('a trail that takes no entry leaves no baseline; the next one finishes the first', async (t) => {
  const opened = await openTemporary(t);
  const { pushes } = opened;
  const down = stepsWith(opened, () => {
    throw new CraError('UNAVAILABLE', 'the trail is down');
  });
  await fails(t, down.adoptBaseline(adoption('a'), CALL), 'UNAVAILABLE');
  t.deepEqual(await pushes.findBaseline(REPO), { baseline: null, nameHost: null });
  const heads = { ...REPO, shas: [shaOf('a')] };
  t.deepEqual(await pushes.acceptedHeads(heads), { accepted: [] });
  t.deepEqual(await pushes.newestAccepted({ ...REPO, refs: ['refs/heads/main'] }), {
    accepted: [],
  });
  t.deepEqual(await told(opened), []);
  // It saw the repository first, so what it saw counts.
  const { baseline } = adoption('a');
  t.deepEqual(await pushes.adoptBaseline(adoption('b')), { baseline, adopted: true });
  t.deepEqual(await pushes.findBaseline(REPO), { baseline, nameHost: 'hub' });
  t.is((await pushes.acceptedHeads(heads)).accepted.length, 1);
  const entries = await told(opened);
  t.deepEqual(
    entries.map(({ op_id }) => op_id),
    ['adopt-a'],
  );
});

test('a daemon that dies behind the entry leaves no baseline, and no second entry', async (t) => {
  const opened = await openTemporary(t);
  const { pushes, trail } = opened;
  const dies = stepsWith(opened, async ({ event }) => {
    await trail.appendEvent({ event });
    throw new CraError('UNKNOWN', 'killed');
  });
  await fails(t, dies.adoptBaseline(adoption('a'), CALL), 'UNKNOWN');
  t.deepEqual(await pushes.findBaseline(REPO), { baseline: null, nameHost: null });
  t.is((await told(opened)).length, 1);
  const { baseline } = adoption('a');
  t.deepEqual(await pushes.adoptBaseline(adoption('b')), { baseline, adopted: true });
  t.deepEqual(await pushes.adoptBaseline(adoption('b')), { baseline, adopted: false });
  t.is((await told(opened)).length, 1);
});

test('an entry that the trail never takes keeps nobody else from adopting', async (t) => {
  const opened = await openTemporary(t);
  const { pushes, trail } = opened;
  const { event } = adoption('a');
  if (event !== null) await trail.appendEvent({ event: { ...event, details: { other: 1 } } });
  await fails(t, pushes.adoptBaseline(adoption('a')), 'ALREADY_EXISTS');
  t.deepEqual(await pushes.findBaseline(REPO), { baseline: null, nameHost: null });
  const { baseline } = adoption('b');
  t.deepEqual(await pushes.adoptBaseline(adoption('b')), { baseline, adopted: true });
});

test('a baseline of 100,000 refs is kept', async (t) => {
  const { pushes } = await openTemporary(t);
  const names = Array.from({ length: 100_000 }, (_, n) => `refs/heads/feature/of-somebody/${n}`);
  const heads = Object.fromEntries(names.map((name) => [name, shaOf(name)]));
  const input = { ...adoption('a'), event: null };
  await pushes.adoptBaseline({ ...input, baseline: { ...input.baseline, heads } });
  const { baseline } = await pushes.findBaseline(REPO);
  t.is(Object.keys(baseline?.heads ?? {}).length, 100_000);
  t.deepEqual(baseline?.heads, heads);
});

const HOUR_MS = 3_600_000;

test('claimPush: two daemons that drain a queue never get the same push', async (t) => {
  const daemons = await openTwo(t);
  const ids = Array.from({ length: 60 }, (_, n) => `RFC-${n}`);
  await Promise.all(
    ids.map((rfc_id, n) =>
      pushed(daemons[0].pushes, { rfc_id, repo_name: `org/r${n % 4}`, ref: `refs/heads/${n}` }),
    ),
  );
  const claims = await Promise.all(
    daemons.map(async ({ pushes }, n) => {
      const got: PushClaim[] = [];
      for (;;) {
        const after = got.at(-1)?.place ?? null;
        const next = await claim(pushes, { owner: `daemon-${n}`, after });
        if (next === null) return got;
        got.push(next);
      }
    }),
  );
  const got = claims.flat().map(({ record }) => record.rfc_id);
  t.deepEqual([...got].sort(), [...ids].sort());
  t.true(claims.every(({ length }) => length > 0));
  t.true(claims.flat().every(({ record }) => record.queue?.attempts === 1 && record.rev === 2));
});

test('a daemon that dies leaves its lease to run out; what it still writes is refused', async (t) => {
  const [one, two] = await openTwo(t);
  const push = await pushed(one.pushes, { rfc_id: 'RFC-1' });
  const first = await claim(one.pushes, { leaseMs: LONG_MS });
  const other = { owner: 'daemon-2', leaseMs: LONG_MS };
  t.is(claimedId(await claim(two.pushes, other)), null);
  const renewed = [{ tenant_id: 'default', rfc_id: 'RFC-1' }];
  // A lease that is short from the start may be over before the other daemon asks.
  await one.pushes.renewPushes({ owner: 'daemon-1', pushes: renewed, leaseMs: 200 });
  let second: PushClaim | null = null;
  await until(async () => {
    second = await claim(two.pushes, other);
    return second !== null;
  });
  t.like((second as PushClaim | null)?.record, { rfc_id: 'RFC-1', rev: 3, queue: { attempts: 2 } });
  // It was not dead after all.
  const late = first?.record ?? push;
  const outcome = recordText(judgedPush(late));
  await fails(t, one.store.completeDraft({ record: outcome, expectedRev: late.rev }), 'ABORTED');
  const progress = recordText({ ...late, rev: late.rev + 1 });
  const save = { record: progress, expectedRev: late.rev, holdMs: 0 };
  await fails(t, one.pushes.savePush(save), 'ABORTED');
  await one.pushes.renewPushes({ owner: 'daemon-1', pushes: renewed, leaseMs: 0 });
  await one.pushes.releasePushes({ owner: 'daemon-1' });
  t.is(await claim(one.pushes), null);
  t.is((await read(one.store, push)).overall_status, 'DRAFT');
});

test('leases are measured by the server, whatever clock a daemon has', async (t) => {
  for (const off of [HOUR_MS, -HOUR_MS]) {
    const [one, two] = await openTwo(t, () => Date.now() + off);
    await pushed(two.pushes, { rfc_id: 'RFC-1' });
    t.is(claimedId(await claim(one.pushes, { leaseMs: 60_000 })), 'RFC-1');
    t.is(await claim(two.pushes, { owner: 'daemon-2' }), null);
    t.like(await two.pushes.queueDepth(null), { open: 1, held: 1 });
    await pushed(one.pushes, { rfc_id: 'RFC-2', ref: 'refs/heads/next' });
    t.is(claimedId(await claim(two.pushes, { owner: 'daemon-2', leaseMs: 60_000 })), 'RFC-2');
    t.is(await claim(one.pushes), null);
  }
});

test('acceptPush: of two daemons that get one body one writes, both answer its RFC', async (t) => {
  const daemons = await openTwo(t);
  for (let round = 0; round < 20; round += 1) {
    // The keys of the store are the first half of a hash.
    const body_hash = `${round}-`.padEnd(64, '0');
    const answers = await Promise.all(
      daemons.map(({ pushes }, n) =>
        accept(pushes, samplePush({ rfc_id: `RFC-${round}-${n}` }), { body_hash }),
      ),
    );
    const outcomes = answers.map(({ outcome }) => outcome).sort();
    t.deepEqual(outcomes, ['new', 'same-body']);
    t.is(new Set(answers.map(({ rfc_id }) => rfc_id)).size, 1);
  }
  t.is((await daemons[0].pushes.queueDepth(null)).open, 20);
});

test('what one daemon accepted the other one reads at once, and its rejection, too', async (t) => {
  const [one, two] = await openTwo(t);
  for (let round = 0; round < 10; round += 1) {
    const rfc_id = `RFC-${round}`;
    const draft = await pushed(one.pushes, { rfc_id });
    const outcome = recordText(judgedPush(draft));
    await one.store.completeDraft({ record: outcome, expectedRev: 1 });
    const repo = { tenant_id: 'default', repo_key: 'org/repo' };
    const shas = [draft.commit_sha ?? ''];
    t.is((await two.pushes.acceptedHeads({ ...repo, shas })).accepted.length, 1);
    await one.trail.decide(decisionOn(draft, `op-${round}`, { action: 'reject' }));
    t.is((await two.pushes.acceptedHeads({ ...repo, shas })).accepted.length, 0);
  }
});

const MAIN = 'refs/heads/main';
const QUERIED = { tenant_id: 'default', repo_key: 'org/r5' };
const OF_REPO = { tenant_id: 'default', 'push.repo': 'org/r5' };
const PLACE = { ...QUERIED, ref: 'refs/heads/main' };
const HELD_UNTIL = new Date('2100-01-01');
const THAN = { ...QUERIED, seq: new Timestamp({ t: 4, i: 1 }) };

interface Plan {
  filter: Document;
  options: FindOptions;
}

/** Each query, the index that it must use, and how many documents it may look at. */
const PLANS: [name: string, plan: Plan, index: string, documents: number][] = [
  ['byDelivery', PUSH_QUERIES.byDelivery('d-1'), 'push_delivery', 1],
  ['byBody', PUSH_QUERIES.byBody('b-1'), 'push_body', 1],
  ['firstFree of all', PUSH_QUERIES.firstFree({}), 'push_turns', 1],
  ['firstFree of a ref', PUSH_QUERIES.firstFree(behind('refs/heads/a')), 'push_turns', 1],
  ...runsOf({ after: QUERIED, upTo: null }).map((run): (typeof PLANS)[number] => [
    'firstFree',
    PUSH_QUERIES.firstFree(run),
    'push_turns',
    1,
  ]),
  ...runsOf({ after: null, upTo: QUERIED }).map((run): (typeof PLANS)[number] => [
    'firstFree',
    PUSH_QUERIES.firstFree(run),
    'push_turns',
    1,
  ]),
  ['openOf', PUSH_QUERIES.openOf(PLACE), 'push_turns', 11],
  ['openAmong', PUSH_QUERIES.openAmong('default', ['RFC-1', 'RFC-2']), '_id_', 2],
  ['leasedBy', PUSH_QUERIES.leasedBy('daemon-1'), 'push_open', 20],
  ['acceptedAmong', PUSH_QUERIES.acceptedAmong(QUERIED, ['sha-5', 'sha-6']), 'head_of_commit', 1],
  ['newestAccepted', PUSH_QUERIES.newestAccepted({ ...QUERIED, ref: MAIN }), 'head_of_ref', 1],
  ['newestOfRef', PUSH_QUERIES.newestOfRef({ ...QUERIED, ref: MAIN }), 'push_of_ref', 1],
  ['newestOfCommit', PUSH_QUERIES.newestOfCommit(QUERIED, 'sha-5'), 'live_of_commit', 1],
  ['oldestOfRef', PUSH_QUERIES.oldestOfRef({ ...QUERIED, ref: MAIN }), 'push_of_ref', 1],
  ['newestOfFirst', PUSH_QUERIES.newestOfFirst(OF_REPO), 'push_by_repository', 1],
  ['newestOfName', PUSH_QUERIES.newestOfName(QUERIED), 'push_by_name', 1],
  ['pushesOfCommit', PUSH_QUERIES.pushesOfCommit(QUERIED, 'sha-5'), 'push_of_commit', 1],
  ['judgedOfBranches', PUSH_QUERIES.judgedOfBranches(QUERIED, 'sha-5'), 'push_of_commit', 1],
  ['refused', PUSH_QUERIES.refused('default', ['sha-5', 'sha-6']), 'push_of_commit', 2],
  ['overridden', PUSH_QUERIES.overridden(QUERIED, 5), 'push_overridden', 5],
  ['dependentsOf', PUSH_QUERIES.dependentsOf(QUERIED, 'RFC-1', 5), 'push_rests', 5],
  ['revocations', PUSH_QUERIES.revocations(5), 'fallen', 5],
  ['newestOfFirst of all', PUSH_QUERIES.newestOfFirst({}), 'push_by_repository', 1],
  ['oldestOpen', PUSH_QUERIES.oldestOpen(), 'push_age', 1],
  [
    'due',
    PUSH_QUERIES.due('hub', ['PASSED', 'SUPERSEDED'], Date.now(), 7),
    'statuses_due_by_status',
    7,
  ],
  [
    'speakerOfCommit',
    PUSH_QUERIES.speakerOfCommit(THAN as never, [QUERIED.repo_key], 'sha-5'),
    'live_of_commit',
    1,
  ],
  ['decidedOfCommit', PUSH_QUERIES.decidedOfCommit('default', 'sha-5'), 'decided_of_commit', 1],
  ['refusalsOfName', PUSH_QUERIES.refusalsOfName(QUERIED, null), 'refusal_by_name', 4],
  ['refusalsOfBranch', PUSH_QUERIES.refusalsOfName(QUERIED, 'main'), 'refusal_by_branch', 4],
  ['refusedPushesOfName', PUSH_QUERIES.refusedPushesOfName(QUERIED), 'refusal_pushed', 2],
  ['refusalsOfRef', PUSH_QUERIES.refusalsOfRef({ ...QUERIED, ref: MAIN }), 'refusal_by_ref', 2],
  [
    'refusalsOfCommit',
    PUSH_QUERIES.refusalsOfCommit('default', ['gone-0', 'gone-1'], {}),
    'refusal_by_commit',
    2,
  ],
  [
    'refusalOfCommit',
    PUSH_QUERIES.refusalOfCommit(THAN as never, [QUERIED.repo_key], 'gone-1'),
    'refusal_by_commit',
    1,
  ],
  ['drafts', QUERIES.drafts('daemon-1', 500, {}), 'owned_drafts', 0],
];

function behind(ref: string): Document {
  return { tenant_id: 'default', 'push.repo': QUERIED.repo_key, 'push.ref': { $gt: ref } };
}

test('every query on pushes searches an index, and looks at what it shows', async (t) => {
  const { rfcs } = (await openTemporary(t)).connection.collections;
  await fill(rfcs);
  for (const [name, { filter, options }, index, documents] of PLANS) {
    const { readConcern: _local, ...plain } = options;
    const explained = await rfcs.find(filter, plain).explain('executionStats');
    const { stages, indexes } = planOf(explained);
    t.deepEqual([...new Set(indexes)], [index], name);
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
  for (const { filter, options } of counts) {
    const hint = String(options.hint);
    const pipeline = [{ $match: filter }, { $group: { _id: 1, n: { $sum: 1 } } }];
    const explained = await rfcs.aggregate(pipeline, { hint }).explain('executionStats');
    const stats = explained['executionStats'] ?? explained['stages'][0].$cursor.executionStats;
    t.is(stats.totalDocsExamined, 0, hint);
  }
  // Who is held is told by the clock of the server, for those that the index does not rule out.
  t.is(await countOf(rfcs, PUSH_QUERIES.leased()), 20);
});

test('landings and what ended them are found by indexes', async (t) => {
  const { rfcs } = (await openTemporary(t)).connection.collections;
  await fill(rfcs);
  await rfcs.updateMany({ status: 'SUPERSEDED' }, { $set: { status: 'BLOCKED', landed: true } });
  const pipeline = openLandings(rfcs.collectionName, 10);
  const explained = await rfcs.aggregate(pipeline, { hint: 'landed' }).explain('executionStats');
  const { stages } = explained as unknown as { stages: Document[] };
  const lookup = stages.find((stage) => stage['$lookup'] !== undefined);
  t.is(Number(lookup?.['collectionScans']), 0);
  t.deepEqual(lookup?.['indexesUsed'], ['head_of_ref']);
});

test('a record that is not a push is in no index of pushes', async (t) => {
  const { store, connection } = await openTemporary(t);
  const { db, collections } = connection;
  await insert(store, sampleRecord({ rfc_id: 'RFC-1' }));
  await insert(store, sampleDraft({ rfc_id: 'RFC-2' }));
  const keys = async () => (await db.command({ validate: 'rfcs' }))['keysPerIndex'];
  const names = (INDEXES.rfcs ?? []).map((index) => index.name ?? '');
  const ofPushes = names.filter((name) => /^push_|^head_|^statuses|^fallen/.test(name));
  t.is(ofPushes.length, 16);
  const before = await keys();
  t.is(before['by_tenant'], 2);
  for (const name of ofPushes) t.is(before[name], 0, name);
  // The check bites: a push is in those of its state.
  await fill(collections.rfcs);
  const after = await keys();
  const rare = ['push_overridden', 'push_head', 'push_rests', 'fallen'];
  const filled = ofPushes.filter((name) => !rare.includes(name));
  for (const name of filled) t.true(after[name] > 0, name);
});

/**
 * 10 pushes of a ref of 100 repositories: 9 judged, 1 waits; and of 20 the newest is held. What is
 * left of 4 deleted RFCs, 2 of them pushes; and one that was rejected.
 */
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
        repo: `org/r${repo}`,
        ref: 'refs/heads/main',
        delivery: `d-${n}`,
        body: `b-${n}`,
        due,
        owner: due === HELD_UNTIL ? 'daemon-1' : null,
        ...(!isOpen && n % 200 < 100 ? { accepted: true } : {}),
      },
      ...(isDue ? { vcs: { host: 'hub', due: new Date(n), posted: null } } : {}),
    };
  });
  const gone = Array.from({ length: 4 }, (_, n) => ({
    _id: `RFC-G${n}`,
    tenant_id: 'default',
    repo_key: QUERIED.repo_key,
    branch: 'main',
    commit_sha: `gone-${n}`,
    status: 'GONE',
    deleted: true,
    rev: 2,
    owner: null,
    seq: new Timestamp({ t: 5, i: n + 1 }),
    refusal: {
      json: '{}',
      at: new Date(n),
      ...(n < 2 ? { repo: QUERIED.repo_key, ref: 'refs/heads/main' } : {}),
    },
  }));
  const rejected = {
    _id: 'RFC-R',
    tenant_id: 'default',
    repo_key: 'org/other',
    commit_sha: 'sha-5',
    status: 'REJECTED',
    rev: 2,
    owner: null,
    seq: new Timestamp({ t: 5, i: 9 }),
  };
  await rfcs.insertMany([...documents, ...gone, rejected] as never);
}
