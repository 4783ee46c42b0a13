import test from 'ava';
import { INTERRUPTIONS, interruptAt } from './reconcile-interrupt.ts';
import { raceRuns } from './reconcile-race.ts';
import {
  deed,
  getRecord,
  openPlace,
  openTrail,
  phasesOf,
  putRecord,
  until,
} from './trail-harness.ts';

for (const { step, when, nth, action, expected } of INTERRUPTIONS) {
  const left = expected.length === 0 ? 'nothing' : expected.join(', ');
  test(`${action}: a daemon that ends ${when} ${step} ${nth} leaves ${left}`, async (t) => {
    const place = await openPlace(t);
    await putRecord(place, { rfc_id: 'RFC-1' });
    const ended = interruptAt(step, when, nth);
    const first = await openTrail(t, place, { instance: 'one', wrapSteps: ended.wrap });
    void first
      .decide(deed('RFC-1', 'op-1', { action, accept_findings: true }))
      .catch(() => undefined);
    await ended.reached;
    // The same daemon, started again, knows that its own intents are dead.
    const second = await openTrail(t, place, { instance: 'one' });
    await second.reconcile();
    t.deepEqual(await phasesOf(place, 'op-1'), expected);
    t.is((await second.auditStatus(null)).open_intents, 0);
    const isDone = expected.includes('done');
    const record = await getRecord(place, 'RFC-1');
    if (action === 'delete') t.is(record === null, isDone);
    else t.is(record?.overall_status, isDone ? 'OVERRIDDEN' : 'BLOCKED');
    const { accepted } = await second.acceptedAmong({
      tenant_id: 'default',
      repo_name: 'Org/Repo',
      fingerprints: ['f'.repeat(64)],
    });
    t.is(accepted.length, isDone && action === 'override' ? 1 : 0);
    // The same op_id asks again: it is told what happened, or does it now.
    const again = await second.decide(deed('RFC-1', 'op-1', { action, accept_findings: true }));
    t.is(again.replayed, isDone);
  });
}

test('an intent of another daemon is left alone until it is overdue', async (t) => {
  const place = await openPlace(t);
  await putRecord(place, { rfc_id: 'RFC-1' });
  const ended = interruptAt('replaceRecord', 'before');
  const first = await openTrail(t, place, { instance: 'one', wrapSteps: ended.wrap });
  void first.decide(deed('RFC-1', 'op-1')).catch(() => undefined);
  await ended.reached;
  let mono = 0;
  const clock = { now: Date.now, mono: () => mono };
  const second = await openTrail(t, place, { instance: 'two', clock });
  t.is(await second.reconcile(), 0);
  t.is((await second.auditStatus(null)).open_intents, 1);
  mono = 19_999;
  t.is(await second.reconcile(), 0);
  mono = 20_000;
  t.is(await second.reconcile(), 1);
  t.deepEqual(await phasesOf(place, 'op-1'), ['intent', 'aborted']);
});

test('an old intent of another daemon is settled after one more look', async (t) => {
  const place = await openPlace(t);
  await putRecord(place, { rfc_id: 'RFC-1' });
  const ended = interruptAt('append', 'before', 2);
  const old = { now: () => Date.now() - 60_000, mono: () => 0 };
  const first = await openTrail(t, place, { instance: 'one', wrapSteps: ended.wrap, clock: old });
  void first.decide(deed('RFC-1', 'op-1')).catch(() => undefined);
  await ended.reached;
  let mono = 0;
  const second = await openTrail(t, place, { clock: { now: Date.now, mono: () => mono } });
  t.is(await second.reconcile(), 0);
  mono = 5_000;
  t.is(await second.reconcile(), 1);
  t.deepEqual(await phasesOf(place, 'op-1'), ['intent', 'done']);
});

test('a decision that is fenced off changes nothing and says so; the same op_id tries again', async (t) => {
  const place = await openPlace(t);
  await putRecord(place, { rfc_id: 'RFC-1' });
  const held = interruptAt('replaceRecord', 'before');
  const slow = await openTrail(t, place, { instance: 'one', wrapSteps: held.wrap });
  const answer = slow.decide(deed('RFC-1', 'op-1'));
  await held.reached;
  const other = await openTrail(t, place, { instance: 'one' });
  t.is(await other.reconcile(), 1);
  held.release();
  const given = await t.throwsAsync(answer);
  t.like(given, { code: 'UNAVAILABLE', details: { changed: false } });
  t.deepEqual(await phasesOf(place, 'op-1'), ['intent', 'aborted']);
  t.is((await getRecord(place, 'RFC-1'))?.overall_status, 'BLOCKED');
  const again = await slow.decide(deed('RFC-1', 'op-1'));
  t.like(again, { overall_status: 'OVERRIDDEN', replayed: false });
  t.deepEqual(await phasesOf(place, 'op-1.2'), ['intent', 'done']);
});

test('a decision is found done although its RFC was deleted since', async (t) => {
  const place = await openPlace(t);
  await putRecord(place, { rfc_id: 'RFC-1' });
  const ended = interruptAt('replaceRecord', 'after');
  const first = await openTrail(t, place, { instance: 'one', wrapSteps: ended.wrap });
  void first.decide(deed('RFC-1', 'op-1')).catch(() => undefined);
  await ended.reached;
  const second = await openTrail(t, place, { instance: 'one' });
  await second.decide(deed('RFC-1', 'op-2', { action: 'delete' }));
  await second.reconcile();
  t.deepEqual(await phasesOf(place, 'op-1'), ['intent', 'done']);
});

test('a slow writer against a live reconciler: 100 seeds, the trail is right', async (t) => {
  const place = await openPlace(t);
  t.deepEqual(await raceRuns(t, place, { seeds: 100, isFenced: true }), []);
});

test('without the fence the same runs go wrong', async (t) => {
  const place = await openPlace(t);
  const faults = await raceRuns(t, place, { seeds: 100, isFenced: false });
  t.log(`${faults.length} of 100 runs without the fence are wrong, such as ${faults[0]}`);
  t.true(faults.length > 0);
});

test('a decided RFC without an entry in the trail is told', async (t) => {
  const place = await openPlace(t);
  await putRecord(place, { rfc_id: 'RFC-1' });
  const first = await openTrail(t, place);
  await first.decide(deed('RFC-1', 'op-1'));
  await putRecord(place, { rfc_id: 'RFC-2', overall_status: 'OVERRIDDEN' });
  await putRecord(place, { rfc_id: 'RFC-3', overall_status: 'APPROVED' });
  await first.decide(deed('RFC-3', 'op-3', { action: 'delete' }));
  await first.close();
  const second = await openTrail(t, place);
  const sentence = '1 decided RFC has no entry in the trail, such as RFC-2';
  await until(async () => (await second.auditStatus(null)).problems.includes(sentence));
  t.pass();
});

test('a record that is damaged keeps its own intent open, and no other', async (t) => {
  const place = await openPlace(t);
  const opened = ['RFC-1', 'RFC-2', 'RFC-3'];
  for (const rfc_id of opened) {
    await putRecord(place, { rfc_id });
    const ended = interruptAt('replaceRecord', 'before');
    const trail = await openTrail(t, place, { instance: 'one', wrapSteps: ended.wrap });
    void trail.decide(deed(rfc_id, `op ${rfc_id}`)).catch(() => undefined);
    await ended.reached;
  }
  const damaged = { _id: 'RFC-1' as never };
  await place.records.collection('rfcs').updateOne(damaged, { $set: { json: '{' } });
  const next = await openTrail(t, place, { instance: 'one' });
  await t.throwsAsync(next.reconcile());
  const phases = await Promise.all(opened.map((rfcId) => phasesOf(place, `op ${rfcId}`)));
  t.deepEqual(phases, [['intent'], ['intent', 'aborted'], ['intent', 'aborted']]);
  t.is((await next.auditStatus(null)).open_intents, 1);
});
