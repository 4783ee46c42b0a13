import test from 'ava';
import { verifyTrail } from '../../../src/audit/verify.ts';
import { type AuditEvent, plainEvent } from '../../../src/model/audit.ts';
import { CraError } from '../../../src/model/errors.ts';
import { MONGO_TRAIL } from '../../../src/store/limits.ts';
import { urlForUser } from '../../../src/store/mongo/address.ts';
import { auditCollection } from '../../../src/store/mongo/audit-collection.ts';
import { createMongoAuditSource } from '../../../src/store/mongo/audit-source.ts';
import { until } from '../../daemon.ts';
import { guardedMongod } from '../../mongod/mongod.ts';
import { recordText } from '../fixtures/records.ts';
import { CARRY_INTERRUPTIONS, interruptAt } from './reconcile-interrupt.ts';
import { clientOf, setUp } from './setup-mongod.ts';
import {
  commented,
  decisionInput,
  entriesOf,
  getRecord,
  login,
  moving,
  openPlace,
  openTrail,
  phasesOf,
  putRecord,
  replaceDocument,
} from './trail-harness.ts';

const MIB_IN_GIB = 1 / 1024;

function opsLog(opId: string, text = ''): AuditEvent {
  return {
    kind: 'ops-log',
    phase: 'whole',
    op_id: opId,
    tenant_id: 'default',
    principal: null,
    actor: 'ops',
    rfc_id: null,
    rfc_rev: null,
    repo_name: null,
    reason: null,
    details: { text },
  };
}

test('a server without access control makes an advisory trail', async (t) => {
  const place = await openPlace(t);
  const trail = await openTrail(t, place);
  const status = await trail.auditStatus(null);
  t.like(status, { worm: 'advisory', state: 'up', bytes_max: 64 * 1024 ** 3, seq: 1 });
  t.deepEqual(status.problems, ['a connection has no user: the server does not ask for one']);
  t.like(await place.audit.listCollections().toArray(), [{ options: { capped: true } }]);
});

test('a user with more privileges than needed makes the trail advisory, and every privilege is named', async (t) => {
  const mongod = await guardedMongod();
  const root = clientOf(t, mongod.url);
  const { storeUrl, auditUrl } = await setUp(mongod, { database: 'many' });
  const audit = root.db('many_audit');
  const own = { db: 'many_audit', collection: 'audit' };
  const pwd = 'a password of a test';
  await audit.command({
    createRole: 'remover',
    privileges: [{ resource: own, actions: ['insert', 'find', 'collStats', 'remove'] }],
    roles: [],
  });
  await root.db('many').command({
    createUser: 'writes_both',
    pwd,
    roles: ['readWrite', { role: 'readWrite', db: 'many_audit' }],
  });
  await root.db('many').command({
    createUser: 'reads_both',
    pwd,
    roles: ['readWrite', { role: 'read', db: 'many_audit' }],
  });
  await audit.command({ createUser: 'read_write', pwd, roles: ['readWrite'] });
  await audit.command({ createUser: 'remover', pwd, roles: ['remover'] });
  const auditAs = (user: string) =>
    urlForUser(auditUrl, { database: 'many_audit', user, password: pwd });
  const storeAs = (user: string) => urlForUser(storeUrl, { database: 'many', user, password: pwd });
  const rootAudit = mongod.url.replace('/?', '/many_audit?');
  const cases = [
    [storeUrl, auditUrl, null],
    [storeAs('reads_both'), auditUrl, null],
    [
      storeUrl,
      auditAs('remover'),
      /^remover@many_audit should not hold remove on audit of database many_audit$/,
    ],
    [
      storeUrl,
      auditAs('read_write'),
      /^read_write@many_audit should not hold .* on database many_audit$/,
    ],
    [
      storeAs('writes_both'),
      auditUrl,
      /^writes_both@many should not hold .* on database many_audit$/,
    ],
    [storeUrl, rootAudit, /^root@admin should not hold .* on the cluster$/],
    [mongod.url, auditUrl, /^root@admin should not hold .* on the cluster$/],
    [rootAudit, rootAudit, /^records and trail are written by one user, root@admin$/],
  ] as const;
  for (const [store, trailUrl, problem] of cases) {
    const records = clientOf(t, store).db('many');
    const trail = await openTrail(t, { records, auditUrl: trailUrl });
    const { worm, problems } = await trail.auditStatus(null);
    t.is(worm, problem === null ? 'enforced' : 'advisory', trailUrl);
    if (problem === null) t.deepEqual(problems, []);
    else
      t.true(
        problems.some((line) => problem.test(line)),
        problems.join('\n'),
      );
    await trail.close();
  }
});

test('without a trail or its indexes a daemon does not start, and says what to do', async (t) => {
  const mongod = await guardedMongod();
  const { storeUrl, auditUrl } = await setUp(mongod, { database: 'torn' });
  const records = clientOf(t, storeUrl).db();
  const audit = clientOf(t, mongod.url).db('torn_audit');
  const advice = { message: /run cra setup mongodb/ };
  await audit.collection('audit').dropIndex('operation');
  await t.throwsAsync(openTrail(t, { records, auditUrl }), advice);
  await audit.collection('audit').drop();
  await t.throwsAsync(openTrail(t, { records, auditUrl }), advice);
  const wrong = urlForUser(auditUrl, {
    database: 'torn_audit',
    user: 'cra_audit',
    password: 'wrong',
  });
  await t.throwsAsync(openTrail(t, { records, auditUrl: wrong }), { message: /password is wrong/ });
});

test('a trail whose index has the name of an earlier version opens, and keeps it', async (t) => {
  const mongod = await guardedMongod();
  const urls = await setUp(mongod, { database: 'former' });
  const audit = clientOf(t, mongod.url).db('former_audit').collection('audit');
  await audit.dropIndex('operation');
  await audit.createIndex({ op_id: 1, slot: 1 }, { name: 'deed', unique: true });
  const records = clientOf(t, urls.storeUrl).db();
  const trail = await openTrail(t, { records, auditUrl: urls.auditUrl });
  t.like(await trail.auditStatus(null), { worm: 'enforced', state: 'up' });
  const again = await setUp(mongod, { database: 'former' });
  t.deepEqual([again.steps, again.conflicts], [[], []]);
  t.true(again.present.includes('index deed of former_audit.audit'));
  // An administrator's user makes what is missing, and nothing in place of that one.
  await audit.dropIndex('intents');
  const auditUrl = mongod.url.replace('/?', '/former_audit?');
  const own = await openTrail(t, { records, auditUrl });
  await own.appendEvent({ event: login('login 1') });
  const names = (await audit.indexes()).map(({ name }) => name);
  t.deepEqual(names.sort(), ['_id_', 'deed', 'intents', 'place']);
});

test('a trail that fills up alarms, refuses decisions, and still takes outcomes', async (t) => {
  const mongod = await guardedMongod();
  const urls = await setUp(mongod, { database: 'small', cappedGib: MIB_IN_GIB });
  const records = clientOf(t, urls.storeUrl).db();
  const place = {
    records,
    auditUrl: urls.auditUrl,
    audit: clientOf(t, mongod.url).db('small_audit'),
  };
  await putRecord(place, { rfc_id: 'RFC-1' });
  await putRecord(place, { rfc_id: 'RFC-2' });
  const held = interruptAt('replaceRecord', 'before');
  const trail = await openTrail(t, place, { wrapSteps: held.wrap });
  const answer = trail.decide(decisionInput('RFC-1', 'op-1'));
  await held.reached;

  let entries = 0;
  const fillTo = async (share: number) => {
    for (;;) {
      const { bytes, bytes_max } = await trail.auditStatus(null);
      if (bytes / Number(bytes_max) >= share) return;
      entries += 1;
      await trail.appendEvent({ event: opsLog(`log-${entries}`, 'x'.repeat(30_000)) });
    }
  };
  t.deepEqual((await trail.auditStatus(null)).problems, []);
  await fillTo(MONGO_TRAIL.ALARM_FILL);
  const alarmed = await trail.auditStatus(null);
  t.is(alarmed.state, 'up');
  t.deepEqual(await trail.decisionState(null), { state: 'up', reasons: [] });
  t.regex(alarmed.problems.join(), /^the audit trail is 7\d % full: an administrator/);
  await fillTo(MONGO_TRAIL.REFUSE_FILL);
  const full = await trail.auditStatus(null);
  t.is(full.state, 'full');
  t.regex(full.problems.join(), /^the audit trail is 9\d % full: decisions are refused/);
  t.like(await trail.decisionState(null), { state: 'full', reasons: full.problems });
  const refused = { message: 'the audit trail is full: nothing was changed' };
  await t.throwsAsync(trail.decide(decisionInput('RFC-2', 'op-2')), refused);
  await t.throwsAsync(trail.appendEvent({ event: opsLog('one more') }), refused);
  held.release();
  t.like(await answer, { overall_status: 'OVERRIDDEN' });
  t.deepEqual(await phasesOf(place, 'op-1'), ['intent', 'done']);
  t.deepEqual(await phasesOf(place, 'op-2'), []);
  await trail.close();

  // Measured, not only counted: a fresh daemon finds it as full.
  const next = await openTrail(t, place);
  t.is((await next.auditStatus(null)).state, 'full');
  await place.audit.command({ collMod: 'audit', cappedSize: 4 * 1024 ** 2 });
  const larger = await openTrail(t, place);
  t.like(await larger.decide(decisionInput('RFC-2', 'op-2')), { overall_status: 'OVERRIDDEN' });
});

test('a trail that lost its first entries says so', async (t) => {
  const mongod = await guardedMongod();
  const urls = await setUp(mongod, { database: 'lossy', cappedGib: MIB_IN_GIB });
  const records = clientOf(t, urls.storeUrl).db();
  const place = { records, auditUrl: urls.auditUrl };
  const first = await openTrail(t, place);
  await first.appendEvent({ event: opsLog('one') });
  await first.close();
  // Somebody with the writer's password floods it.
  const flood = clientOf(t, urls.auditUrl).db().collection('audit');
  const document = (seq: number) => ({
    _id: `flood:${seq}`,
    chain: 'flood',
    seq,
    op_id: `flood ${seq}`,
    slot: 'whole',
    phase: 'whole',
    kind: 'ops-log',
    ts: new Date(),
    entry: 'x'.repeat(60_000),
  });
  for (let seq = 1; seq <= 20; seq += 1) await flood.insertOne(document(seq) as never);
  const second = await openTrail(t, place);
  const { problems, worm } = await second.auditStatus(null);
  t.is(worm, 'enforced');
  t.regex(problems.join('\n'), /has lost entries: the oldest is \d+ of chain flood/);
});

test('a chain that another boot names and that is gone is reported', async (t) => {
  const place = await openPlace(t);
  const first = await openTrail(t, place);
  const { chain } = await first.auditStatus(null);
  await first.close();
  await (await openTrail(t, place)).close();
  // Without access control capped collections let entries be removed.
  await place.audit.collection('audit').deleteMany({ chain });
  const third = await openTrail(t, place);
  const { problems } = await third.auditStatus(null);
  t.true(
    problems.includes(
      `entries of the trail that were there are gone: chain ${chain}; run cra audit verify`,
    ),
  );
});

test('a trail that is taken away while it runs is down, and up again after', async (t) => {
  const place = await openPlace(t);
  const trail = await openTrail(t, place);
  await until(async () => (await trail.auditStatus(null)).state === 'up');
  await place.audit.command({ collMod: 'audit', validator: { never: true } });
  const late = trail.appendEvent({ event: opsLog('late') });
  await until(async () => (await trail.decisionState(null)).state === 'down');
  t.regex((await trail.decisionState(null)).reasons.join(), /^the trail does not take entries: /);
  t.is((await trail.auditStatus(null)).state, 'down');
  await t.throwsAsync(late, { message: /cannot be written: nothing was changed/ });
  await place.audit.command({ collMod: 'audit', validator: {} });
  await until(async () => (await trail.auditStatus(null)).state === 'up');
  // The late one has come to stand there with the place that it had.
  t.like(await trail.appendEvent({ event: opsLog('late') }), { seq: 2 });
  t.like(await trail.appendEvent({ event: opsLog('next') }), { seq: 3 });
});

const CUTS = [
  { name: 'emptied', filter: () => ({}), keepsNote: true },
  { name: 'emptied, and the note removed', filter: () => ({}), keepsNote: false },
  {
    name: 'cut at its end',
    filter: (chain: string) => ({ chain, seq: { $gt: 2 } }),
    keepsNote: true,
  },
];

for (const { name, filter, keepsNote } of CUTS) {
  test(`a trail that was ${name} is found at the next start`, async (t) => {
    const place = await openPlace(t);
    for (const rfc_id of ['RFC-1', 'RFC-2', 'RFC-3']) await putRecord(place, { rfc_id });
    const first = await openTrail(t, place);
    await first.decide(decisionInput('RFC-1', 'op-1'));
    await first.decide(decisionInput('RFC-3', 'op-3', { action: 'delete' }));
    const { chain } = await first.auditStatus(null);
    await first.close();
    const keptNote = keepsNote ? (first.notes.at(-1) ?? null) : null;
    await place.audit.collection('audit').deleteMany(filter(chain));

    const second = await openTrail(t, place, { keptNote });
    const refusal = await t.throwsAsync(second.decide(decisionInput('RFC-2', 'op-2')));
    t.like(refusal, { code: 'UNAVAILABLE', details: { code: 'trail-check', changed: false } });
    t.is((await getRecord(place, 'RFC-2'))?.overall_status, 'BLOCKED');
    t.is((await second.auditStatus(null)).state, 'refused');
    const asked = { chain: keepsNote ? chain : 'unknown', actor: 'ann', reason: 'restored' };
    await second.acceptGap(asked);
    t.is((await second.decide(decisionInput('RFC-2', 'op-2'))).overall_status, 'OVERRIDDEN');
    await second.close();
    const third = await openTrail(t, place, { keptNote });
    await until(async () => (await third.auditStatus(null)).state === 'up');
    await third.close();
    const source = createMongoAuditSource(auditCollection(place.audit), async () => place.records);
    const undocumented = source.undocumented({ kind: 'all' });
    const { records } = source;
    const options = {
      open: null,
      nowMs: Date.now(),
      claims: null,
      kept: [],
      undocumented,
      records,
    };
    t.is((await verifyTrail(source, options)).flaw, null);
  });
}

/** A DRAFT and the verdict that carries the decision on another RFC to it. */
async function carried(place: Parameters<typeof putRecord>[0]) {
  const draft = await putRecord(place, { rfc_id: 'RFC-1', overall_status: 'DRAFT' });
  const next = { ...draft, overall_status: 'OVERRIDDEN' as const, carried_from: ['RFC-0'], rev: 2 };
  const event = plainEvent({
    kind: 'carry',
    op_id: 'carry RFC-1 2',
    principal: null,
    rfc_id: 'RFC-1',
    rfc_rev: 2,
    repo_name: draft.repo_name,
    details: { carried_from: ['RFC-0'] },
  });
  return { draft, input: { record: recordText(next), expectedRev: 1, event } };
}

for (const { step, when, nth, expected } of CARRY_INTERRUPTIONS) {
  const left = expected.length === 0 ? 'nothing' : expected.join(', ');
  test(`carry: a daemon that ends ${when} ${step} ${nth} leaves ${left}`, async (t) => {
    const place = await openPlace(t);
    const { draft, input } = await carried(place);
    const ended = interruptAt(step, when, nth);
    const first = await openTrail(t, place, { instance: 'one', wrapSteps: ended.wrap });
    void first.completePush(input).catch(() => undefined);
    await ended.reached;
    const isDone = expected.includes('done');
    // What becomes of the record meanwhile does not hide what happened.
    if (isDone) await replaceDocument(place, { ...draft, rev: 3 });
    const second = await openTrail(t, place, { instance: 'one' });
    await second.reconcile();
    t.deepEqual(await phasesOf(place, 'carry RFC-1 2'), expected);
    t.is((await getRecord(place, 'RFC-1'))?.rev, isDone ? 3 : 1);
    const [intent, outcome] = await entriesOf(place, 'carry RFC-1 2');
    const about = { kind: 'carry', rfc_id: 'RFC-1', principal: null, actor: null };
    for (const each of [intent, outcome]) if (each) t.like(JSON.parse(each.entry), about);
    ended.release();
  });
}

/** It has the steps of a carry, from the intent on. */
const MOVE_INTERRUPTIONS = CARRY_INTERRUPTIONS.filter(({ step }) => step === 'replaceRecord');

for (const { step, when, nth, expected } of MOVE_INTERRUPTIONS) {
  const left = expected.length === 0 ? 'nothing' : expected.join(', ');
  test(`move: a daemon that ends ${when} ${step} ${nth} leaves ${left}`, async (t) => {
    const place = await openPlace(t);
    const input = await moving(place);
    const ended = interruptAt(step, when, nth);
    const first = await openTrail(t, place, { instance: 'one', wrapSteps: ended.wrap });
    void first.moveRfc(input).catch(() => undefined);
    await ended.reached;
    const second = await openTrail(t, place, { instance: 'one' });
    await second.reconcile();
    t.deepEqual(await phasesOf(place, 'move 1'), expected);
    const status = expected.includes('done') ? 'PASSED' : 'BLOCKED';
    t.is((await getRecord(place, 'RFC-1'))?.overall_status, status);
    ended.release();
  });
}

for (const { step, when, nth, expected } of CARRY_INTERRUPTIONS) {
  const left = expected.length === 0 ? 'nothing' : expected.join(', ');
  const own = step === 'replaceRecord' ? 'amendRecord' : step;
  test(`remark: a daemon that ends ${when} ${own} ${nth} leaves ${left}`, async (t) => {
    const place = await openPlace(t);
    const input = await commented(place);
    const ended = interruptAt(own, when, nth);
    const first = await openTrail(t, place, { instance: 'one', wrapSteps: ended.wrap });
    void first.addRemark(input).catch(() => undefined);
    await ended.reached;
    const second = await openTrail(t, place, { instance: 'one' });
    await second.reconcile();
    t.deepEqual(await phasesOf(place, 'comment 1'), expected);
    const isDone = expected.includes('done');
    const found = (await getRecord(place, 'RFC-1'))?.discussion?.comments ?? [];
    t.is(found.length, isDone ? 1 : 0);
    // The same request again: the remark is there once, and answered.
    const again = await second.addRemark(input);
    t.is(again.replayed, isDone);
    t.is((await getRecord(place, 'RFC-1'))?.discussion?.comments.length, 1);
    ended.release();
  });
}

test('a carry that is fenced off changes nothing; the next rev is another operation', async (t) => {
  const place = await openPlace(t);
  const { input } = await carried(place);
  const held = interruptAt('replaceRecord', 'before');
  const slow = await openTrail(t, place, { instance: 'one', wrapSteps: held.wrap });
  const late = slow.completePush(input);
  await held.reached;
  await (await openTrail(t, place, { instance: 'one' })).reconcile();
  held.release();
  await t.throwsAsync(late, { instanceOf: CraError });
  t.is((await getRecord(place, 'RFC-1'))?.overall_status, 'DRAFT');
  t.deepEqual(await phasesOf(place, 'carry RFC-1 2'), ['intent', 'aborted']);
});
