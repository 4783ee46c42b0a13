import test, { type ExecutionContext } from 'ava';
import { type Document, MongoClient, Timestamp } from 'mongodb';
import type { CraError } from '../../../src/model/errors.ts';
import type { TaskRecord } from '../../../src/model/task.ts';
import type { UsageRecord } from '../../../src/model/usage.ts';
import type { AddRules } from '../../../src/store/contract/store.ts';
import type { Collections } from '../../../src/store/mongo/database.ts';
import { decisionCollections } from '../../../src/store/mongo/database.ts';
import { DEPLOY_QUERIES } from '../../../src/store/mongo/deploys.ts';
import { type LatestFilter, QUERIES } from '../../../src/store/mongo/queries.ts';
import { RULEBOOK_QUERIES } from '../../../src/store/mongo/rulebook.ts';
import { TASK_QUERIES } from '../../../src/store/mongo/tasks.ts';
import { USAGE_QUERIES } from '../../../src/store/mongo/usage.ts';
import { until } from '../../daemon.ts';
import { databaseUrl, type SharedMongod, sharedMongod, startMongod } from '../../mongod/mongod.ts';
import { fails, insert, NOW, read } from '../conformance/steps.ts';
import { blockedRecord, decisionOn, sampleEvent } from '../fixtures/decisions.ts';
import { sampleFinding } from '../fixtures/records.ts';
import { type OpenedMongo, openMongo, openTemporary } from './harness.ts';
import { planOf } from './plans.ts';
import { interruptAt } from './reconcile-interrupt.ts';
import { openPlace, openTrail, phasesOf, rulesOf } from './trail-harness.ts';

const REPO = { tenant_id: 'default', repo_key: 'a/b', branch: null, commit_sha: null };

const LATEST: [string, LatestFilter, string][] = [
  ['of a repository', REPO, 'by_repo_status'],
  ['of a branch', { ...REPO, branch: 'main' }, 'live_by_branch'],
  ['of a commit', { ...REPO, commit_sha: 'a1' }, 'live_of_commit'],
  ['of a commit on a branch', { ...REPO, branch: 'main', commit_sha: 'a1' }, 'live_of_commit'],
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

test('queries on tasks, usage, rules and deploys search an index, and neither scan nor sort', async (t) => {
  const { db, collections } = (await openTemporary(t)).connection;
  const { tasks, usage, usageHours, deployReports, scoreCurves } = collections;
  const open = TASK_QUERIES.openTask('default', 'F-1');
  const pending = TASK_QUERIES.pendingTasks('default', new Timestamp({ t: 1, i: 1 }), 10);
  const between = USAGE_QUERIES.usageBetween({ tenant_id: 'default', fromMs: 1, toMs: 2 });
  const reports = DEPLOY_QUERIES.reportsBelow({ tenant_id: 'default', place: 'p' }, '2', 10);
  const commit = { tenant_id: 'default', place: 'p', sha: 'a', result: 'succeeded' };
  const reportsOf = DEPLOY_QUERIES.reportsOf(commit, '2', 10);
  const place = DEPLOY_QUERIES.nextPlace('default', 'p');
  const curves = DEPLOY_QUERIES.newestCurves('default', 2);
  const newest = RULEBOOK_QUERIES.newestRules();
  const list = RULEBOOK_QUERIES.listRules(7, 10);
  const { rules } = decisionCollections(db);
  await rules.insertOne({ _id: 1, op_id: 'op' });
  const plans: [string, Promise<Document>, string][] = [
    ['open task', tasks.find(open.filter, open.options).explain(), 'open'],
    ['pending tasks', tasks.find(pending.filter, pending.options).explain(), 'pending'],
    ['usage at the edge', usage.find(between).explain(), 'by_time'],
    ['hours', usageHours.find(USAGE_QUERIES.usageHours('default', 1)).explain(), 'by_hour'],
    ['reports', deployReports.find(reports.filter, reports.options).explain(), 'by_place'],
    ['of a commit', deployReports.find(reportsOf.filter, reportsOf.options).explain(), 'by_commit'],
    ['place', deployReports.find(place.filter, place.options).explain(), 'by_place'],
    ['curves', scoreCurves.find(curves.filter, curves.options).explain(), 'newest'],
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

function change(expected: number, name: string): AddRules {
  const entry = {
    revision: name,
    source: 'api',
    text_sha256: 'ab',
    added_at: '2026-11-21T12:00:00.000Z',
    added_by: 'somebody',
    comment: '',
  } as const;
  const event = sampleEvent(`op-${name}`, { kind: 'rules', details: { revision: name } });
  return { expected, text: `{"name":"${name}"}`, entry, event };
}

/** Where a daemon ends, what the trail says then, and the number of the next revision. */
const INTERRUPTIONS = [
  { when: 'before', nth: 1, expected: [], next: 1 },
  { when: 'after', nth: 1, expected: ['intent', 'aborted'], next: 2 },
  { when: 'before', nth: 2, expected: ['intent', 'done'], next: 2 },
  { when: 'after', nth: 2, expected: ['intent', 'done'], next: 2 },
] as const;

for (const { when, nth, expected, next } of INTERRUPTIONS) {
  test(`rules: a daemon that ends ${when} entry ${nth} leaves ${expected.join(', ')}`, async (t) => {
    const place = await openPlace(t);
    const rules = rulesOf(place.records);
    const ended = interruptAt('append', when, nth);
    const first = await openTrail(t, place, { instance: 'one', wrapSteps: ended.wrap });
    void first.addRules(change(0, 'a')).catch(() => undefined);
    await ended.reached;
    const second = await openTrail(t, place, { instance: 'one' });
    await second.reconcile();
    t.deepEqual(await phasesOf(place, 'op-a'), expected);
    const { newest } = await rules.newest(0);
    t.is(newest?.revision, (expected as readonly string[]).includes('done') ? 'a' : undefined);
    const { entry } = await second.addRules(change(newest?.number ?? 0, 'b'));
    t.is(entry.number, next);
    t.is((await rules.newest(0)).text, '{"name":"b"}');
    t.is((await second.auditStatus(null)).open_intents, 0);
  });
}

test('a slow writer whose number was fenced off loses, and says so', async (t) => {
  const place = await openPlace(t);
  const rules = rulesOf(place.records);
  const held = interruptAt('append', 'after', 1);
  const slow = await openTrail(t, place, { instance: 'one', wrapSteps: held.wrap });
  const late = slow.addRules(change(0, 'a'));
  await held.reached;
  const other = await openTrail(t, place, { instance: 'one' });
  t.is(await other.reconcile(), 1);
  t.is((await other.addRules(change(0, 'b'))).entry.number, 2);
  held.release();
  const error = await fails(t, late, 'UNAVAILABLE');
  t.false(error?.details['changed']);
  t.deepEqual(await phasesOf(place, 'op-a'), ['intent', 'aborted']);
  t.is((await rules.newest(0)).newest?.revision, 'b');
  await fails(t, rules.at(1), 'NOT_FOUND');
  const { entries } = await rules.list(10);
  t.deepEqual(
    entries.map(({ number }) => number),
    [2],
  );
  // A change that expects an older revision is refused.
  const stale = await fails(t, other.addRules(change(0, 'c')), 'ABORTED');
  t.is(stale?.details['number'], 2);
  t.deepEqual(await phasesOf(place, 'op-c'), []);
});

test('a slow writer whose revision was there all along learns that', async (t) => {
  const place = await openPlace(t);
  const held = interruptAt('append', 'before', 2);
  const slow = await openTrail(t, place, { instance: 'one', wrapSteps: held.wrap });
  const late = slow.addRules(change(0, 'a'));
  await held.reached;
  const other = await openTrail(t, place, { instance: 'one' });
  t.is(await other.reconcile(), 1);
  held.release();
  t.is((await late).entry.number, 1);
  t.deepEqual(await phasesOf(place, 'op-a'), ['intent', 'done']);
});

test('a rules file of many megabytes comes back as it was', async (t) => {
  const place = await openPlace(t);
  const trail = await openTrail(t, place);
  const text = JSON.stringify({ words: Array.from({ length: 900_000 }, (_, n) => `w${n}`) });
  t.true(text.length > 8_000_000);
  await trail.addRules({ ...change(0, 'large'), text });
  const rules = rulesOf(place.records);
  t.true((await rules.at(1)).text === text);
});

const AT = '2026-11-21T12:00:00.000Z';

function task(over: Partial<TaskRecord>): TaskRecord {
  return {
    taskId: 'T-1',
    findingId: 'F-1',
    title: 'a title',
    severity: 'high',
    description: '',
    suggestedFix: '',
    filePath: 'src/a.ts',
    lineHint: 1,
    tenant_id: 'default',
    rfc_id: 'RFC-1',
    repo_name: 'acme/shop',
    status: 'pending',
    created_at: AT,
    created_by: 'somebody',
    updated_at: AT,
    rev: 1,
    ...over,
  };
}

async function openTwo(t: ExecutionContext) {
  const url = databaseUrl(await sharedMongod());
  const one = await openMongo(url, Date.now, 'daemon-1');
  const two = await openMongo(url, Date.now, 'daemon-2');
  t.teardown(async () => {
    await one.connection.db.dropDatabase();
    await one.close();
    await two.close();
  });
  return [one, two] as const;
}

test('two daemons make one open task of a finding, and close and reopen it', async (t) => {
  const daemons = await openTwo(t);
  for (let round = 0; round < 10; round += 1) {
    const findingId = `F-${round}-1`;
    const rfc_id = `RFC-${round}`;
    const blocked = blockedRecord({ rfc_id }, [{ ...sampleFinding(1), finding_id: findingId }]);
    await insert(daemons[0].store, blocked);
    const made = await Promise.all(
      [...daemons, ...daemons].map(({ tasks }, n) =>
        tasks.createTask({ task: task({ taskId: `T-${round}-${n}`, rfc_id, findingId }) }),
      ),
    );
    t.is(made.filter(({ created }) => created).length, 1);
    const task_id = made[0]?.task.taskId ?? '';
    t.true(made.every((one) => one.task.taskId === task_id));
    const close = { tenant_id: 'default', task_id, status: 'done', resolvedBy: null, at: AT };
    const closed = await Promise.all(
      daemons.map(({ tasks }) => tasks.updateTask({ ...close, status: 'done' })),
    );
    t.deepEqual(
      closed.map((one) => one.task.rev),
      [2, 2],
    );
  }
});

test('a finding is resolved whatever else happens to its RFC', async (t) => {
  const [one, two] = await openTwo(t);
  for (let round = 0; round < 20; round += 1) {
    const findings = [1, 2].map((n) => ({ ...sampleFinding(n), finding_id: `F-${round}-${n}` }));
    const blocked = blockedRecord({ rfc_id: `RFC-${round}` });
    const gates = { ...blocked.gates, risk: { ...blocked.gates.risk, findings } };
    const record = { ...blocked, gates };
    await insert(one.store, record);
    for (const n of [1, 2]) {
      const ids = { taskId: `T-${round}-${n}`, findingId: `F-${round}-${n}` };
      await one.tasks.createTask({ task: task({ ...ids, rfc_id: record.rfc_id }) });
    }
    const close = { tenant_id: 'default', status: 'done', resolvedBy: 'agent', at: AT } as const;
    const [decision] = await Promise.allSettled([
      two.trail.decide(decisionOn(record, `op-${round}`)),
      one.tasks.updateTask({ ...close, task_id: `T-${round}-1` }),
      two.tasks.updateTask({ ...close, task_id: `T-${round}-2` }),
    ]);
    const after = await read(one.store, record);
    t.deepEqual(
      after.gates.risk.findings.map(({ resolved }) => resolved?.by),
      ['agent', 'agent'],
    );
    // A decision on what was just changed is refused as a whole.
    const isDecided = decision.status === 'fulfilled';
    if (!isDecided) t.is((decision.reason as CraError).code, 'ABORTED');
    t.is(after.overall_status, isDecided ? 'OVERRIDDEN' : 'BLOCKED');
    t.is(after.rev, record.rev + (isDecided ? 3 : 2));
  }
});

const ALL = { tenant_id: 'default', sinceMs: 0 };
const HOUR_MS = 3_600_000;

function record(n: number, over: Partial<UsageRecord> = {}): UsageRecord {
  return {
    usage_id: `U-${n}`,
    tenant_id: 'default',
    at_ms: NOW + (n % 3) * HOUR_MS,
    provider: 'one',
    model: `m${n % 2}`,
    input_tokens: n,
    output_tokens: 2 * n,
    cache_creation_tokens: 0,
    cache_read_tokens: 1,
    cost_nano_usd: 1_000_000_007 * n,
    context: null,
    logged_by: 'somebody',
    source: n % 2 === 0 ? ('api' as const) : ('gate' as const),
    ...over,
  };
}

/** Two daemons on one database of `mongod`. */
async function openDaemons(t: ExecutionContext, mongod: SharedMongod) {
  const url = databaseUrl(mongod);
  const open = (instance: string) => openMongo(url, Date.now, instance);
  const opened = [await open('daemon-1'), await open('daemon-2')] as const;
  t.teardown(async () => {
    await opened[0].connection.db.dropDatabase().catch(() => false);
    for (const each of opened) await each.close();
  });
  return opened;
}

test('usage that several daemons write at once counts once', async (t) => {
  const daemons = await openDaemons(t, await sharedMongod());
  const records = Array.from({ length: 300 }, (_, n) => record(n));
  // Each writes all of it, beginning elsewhere, and repeats itself.
  const calls = daemons.flatMap(({ usage }, n) =>
    [...records.slice(n * 150), ...records.slice(0, n * 150), ...records.slice(0, 20)].map((one) =>
      usage.logUsage({ record: one }),
    ),
  );
  await Promise.all(calls);
  await holds(t, daemons[0], records);
  const { usage } = daemons[0].connection.collections;
  t.deepEqual(await usage.distinct('source'), ['api', 'gate']);
});

/** Both the sums of hours and those at an edge are those of the records. */
async function holds(
  t: ExecutionContext,
  daemon: OpenedMongo,
  records: readonly UsageRecord[],
): Promise<void> {
  const cost = String(records.reduce((sum, one) => sum + BigInt(one.cost_nano_usd), 0n));
  const expected = { calls: records.length, cost_nano_usd: cost };
  t.like(await daemon.usage.usageTotal(ALL), expected, 'by hours');
  const edge = { ...ALL, sinceMs: NOW - 1 };
  t.like(await daemon.usage.usageTotal(edge), expected, 'with an edge');
  t.is(await daemon.connection.collections.usage.countDocuments(), records.length);
}

test('sums outgrow 64 bits without losing a digit', async (t) => {
  const [daemon] = await openDaemons(t, await sharedMongod());
  const largest = Array.from({ length: 1100 }, (_, n) =>
    record(n, { at_ms: NOW, model: 'm', cost_nano_usd: Number.MAX_SAFE_INTEGER }),
  );
  await Promise.all(largest.map((one) => daemon.usage.logUsage({ record: one })));
  await holds(t, daemon, largest);
  const total = await daemon.usage.usageTotal(ALL);
  t.true(BigInt(total?.cost_nano_usd ?? 0) > 2n ** 63n);
});

const FAILURES: [string, object][] = [
  ['is not answered', { closeConnection: true }],
  ['is not confirmed by the majority', { writeConcernError: { code: 64, errmsg: 'waiting' } }],
  ['meets a step-down', { errorCode: 10107 }],
];

test.serial('a commit whose outcome nobody knows counts once', async (t) => {
  const mongod = await startMongod({ args: ['--setParameter', 'enableTestCommands=1'] });
  t.teardown(mongod.stop);
  const client = new MongoClient(mongod.url);
  t.teardown(() => client.close());
  const [daemon] = await openDaemons(t, mongod);
  const written: UsageRecord[] = [];
  for (const [n, [name, failure]] of FAILURES.entries()) {
    await client.db('admin').command({
      configureFailPoint: 'failCommand',
      // The driver itself tries it once again.
      mode: { times: 2 },
      data: { failCommands: ['commitTransaction'], ...failure },
    });
    written.push(record(n + 1));
    await t.notThrowsAsync(daemon.usage.logUsage({ record: record(n + 1) }), name);
    await holds(t, daemon, written);
  }
  await client.db('admin').command({ configureFailPoint: 'failCommand', mode: 'off' });
});

test.serial('usage is refused while nobody takes it, and can be logged again', async (t) => {
  const mongod = await startMongod();
  t.teardown(mongod.stop);
  const [daemon] = await openDaemons(t, mongod);
  const member = await mongod.primary();
  await member.kill();
  const refused = daemon.usage.logUsage({ record: record(1) });
  await fails(t, refused, 'UNAVAILABLE');
  await member.start();
  await mongod.primary();
  const again = () => daemon.usage.logUsage({ record: record(1) });
  await until(() => again().then(isDone, isNotDone));
  await holds(t, daemon, [record(1)]);
});

const isDone = () => true;
const isNotDone = () => false;
