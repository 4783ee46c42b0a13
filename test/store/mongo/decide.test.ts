import { createHash } from 'node:crypto';
import test from 'ava';
import { plainEvent } from '../../../src/model/audit.ts';
import { CraError } from '../../../src/model/errors.ts';
import type { DecideOutput } from '../../../src/store/contract/trail.ts';
import { END_INTERRUPTIONS, INTERRUPTIONS, interruptAt } from './reconcile-interrupt.ts';
import { raceRuns } from './reconcile-race.ts';
import {
  decisionInput,
  entriesOf,
  getRecord,
  openPlace,
  openTrail,
  phasesOf,
  putRecord,
} from './trail-harness.ts';

test('decide writes intent, record and outcome, and answers the same again', async (t) => {
  const place = await openPlace(t);
  const trail = await openTrail(t, place);
  await putRecord(place, { rfc_id: 'RFC-1' });
  const output = await trail.decide(decisionInput('RFC-1', 'op-1'));
  t.is(output.overall_status, 'OVERRIDDEN');
  t.is(output.decision?.decision_id, 'op-1');
  t.false(output.replayed);
  const record = await getRecord(place, 'RFC-1');
  t.is(record?.overall_status, 'OVERRIDDEN');
  t.deepEqual(record?.override_history, [output.decision]);
  t.is(record?.rev, 2);
  t.deepEqual(await phasesOf(place, 'op-1'), ['intent', 'done']);
  const again = await trail.decide(decisionInput('RFC-1', 'op-1'));
  t.deepEqual(again, { ...output, replayed: true });
  t.like((await entriesOf(place, 'op-1'))[1], output.audit);
});

test('decide refuses what the transition table does not allow, without a word in the trail', async (t) => {
  const place = await openPlace(t);
  const trail = await openTrail(t, place);
  await putRecord(place, { rfc_id: 'RFC-1', overall_status: 'REJECTED', rev: 3 });
  const refused = await t.throwsAsync(trail.decide(decisionInput('RFC-1', 'op-1')));
  t.like(refused, { code: 'ABORTED', details: { status: 'REJECTED', rev: 3 } });
  await t.throwsAsync(trail.decide(decisionInput('RFC-2', 'op-2')), {
    code: 'NOT_FOUND',
  } as object);
  const foreign = { ...decisionInput('RFC-1', 'op-3'), tenant_id: 'other' };
  await t.throwsAsync(trail.decide(foreign), { code: 'NOT_FOUND' } as object);
  t.deepEqual(await phasesOf(place, 'op-1'), []);
  t.is((await trail.auditStatus(null)).seq, 1);
});

test('decide refuses another request under a known op_id', async (t) => {
  const place = await openPlace(t);
  const trail = await openTrail(t, place);
  await putRecord(place, { rfc_id: 'RFC-1' });
  await putRecord(place, { rfc_id: 'RFC-2' });
  await trail.decide(decisionInput('RFC-1', 'op-1'));
  const exists = { code: 'ALREADY_EXISTS' } as object;
  await t.throwsAsync(trail.decide(decisionInput('RFC-2', 'op-1')), exists);
  await t.throwsAsync(trail.decide(decisionInput('RFC-1', 'op-1', { action: 'reject' })), exists);
  t.is((await getRecord(place, 'RFC-2'))?.overall_status, 'BLOCKED');
});

test('decide called twice at once with one op_id decides once, on one daemon or two', async (t) => {
  const place = await openPlace(t);
  const one = await openTrail(t, place);
  const two = await openTrail(t, place);
  await putRecord(place, { rfc_id: 'RFC-1' });
  const outputs = await Promise.all(
    [one, one, two, two].map((trail) => trail.decide(decisionInput('RFC-1', 'op-1'))),
  );
  t.deepEqual(outputs.map(({ replayed }) => replayed).sort(), [false, true, true, true]);
  t.is(new Set(outputs.map(({ audit }) => `${audit.chain}:${audit.seq}`)).size, 1);
  t.is((await getRecord(place, 'RFC-1'))?.override_history.length, 1);
});

test('50 decisions on one RFC by two daemons: one wins, the trail agrees', async (t) => {
  const place = await openPlace(t);
  const trails = [await openTrail(t, place), await openTrail(t, place)] as const;
  await putRecord(place, { rfc_id: 'RFC-1' });
  const settled = await Promise.allSettled(
    Array.from({ length: 50 }, (_, at) =>
      trails[at % 2 === 0 ? 0 : 1].decide(decisionInput('RFC-1', `op-${at}`)),
    ),
  );
  const won = settled.filter((one) => one.status === 'fulfilled');
  const codes = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
  t.is(won.length, 1);
  t.deepEqual(codes, Array(49).fill('ABORTED'));
  const { decision } = (won[0] as PromiseFulfilledResult<DecideOutput>).value;
  const record = await getRecord(place, 'RFC-1');
  t.deepEqual(record?.override_history, [decision]);
  const outcomes = await place.audit.collection('audit').find({ slot: 'outcome' }).toArray();
  const intents = await place.audit.collection('audit').find({ slot: 'intent' }).toArray();
  t.is(outcomes.length, intents.length);
  t.true(intents.length > 1, 'some of them raced');
  const done = outcomes.filter(({ phase }) => phase === 'done');
  t.deepEqual(
    done.map(({ op_id }) => op_id),
    [decision?.decision_id],
  );
  t.true(outcomes.every(({ phase }) => phase === 'done' || phase === 'refused'));
  t.is((await trails[0].auditStatus(null)).open_intents, 0);
});

test('a deletion leaves the hash of the record in the trail, and nothing that is found', async (t) => {
  const place = await openPlace(t);
  const trail = await openTrail(t, place);
  const record = await putRecord(place, { rfc_id: 'RFC-1' });
  const output = await trail.decide(decisionInput('RFC-1', 'op-1', { action: 'delete' }));
  t.like(output, { overall_status: null, decision: null, repo_name: 'Org/Repo' });
  t.is(await getRecord(place, 'RFC-1'), null);
  const [intent] = await entriesOf(place, 'op-1');
  const { details } = JSON.parse(intent?.entry ?? '');
  t.is(details.record_sha256, createHash('sha256').update(JSON.stringify(record)).digest('hex'));
  await t.throwsAsync(trail.decide(decisionInput('RFC-1', 'op-2')), {
    code: 'NOT_FOUND',
  } as object);
  t.deepEqual(await trail.decide(decisionInput('RFC-1', 'op-1', { action: 'delete' })), {
    ...output,
    replayed: true,
  });
  const restOf = (_id: string) => place.records.collection('rfcs').findOne({ _id: _id as never });
  t.is((await restOf('RFC-1'))?.['expires_at'], undefined, 'what it refused stays refused');
  await putRecord(place, { rfc_id: 'RFC-2', overall_status: 'PASSED' });
  await trail.decide(decisionInput('RFC-2', 'op-3', { action: 'delete' }));
  const rest = await restOf('RFC-2');
  t.true(rest?.['expires_at'] instanceof Date, 'what is left is removed one day');
});

test('acceptedAmong knows what decisions accept, until a rejection or deletion', async (t) => {
  const place = await openPlace(t);
  const trail = await openTrail(t, place);
  await putRecord(place, { rfc_id: 'RFC-1' });
  await putRecord(place, { rfc_id: 'RFC-2' });
  const fingerprint = 'f'.repeat(64);
  const ask = (repo_name = 'org/REPO') =>
    trail
      .acceptedAmong({
        tenant_id: 'default',
        repo_name,
        fingerprints: [fingerprint, 'a'.repeat(64)],
      })
      .then(({ accepted }) => accepted);
  t.deepEqual(await ask(), []);
  await trail.decide(decisionInput('RFC-1', 'op-1', { accept_findings: true }));
  await trail.decide(decisionInput('RFC-2', 'op-2', { accept_findings: true }));
  t.like((await ask())[0], { fingerprint, reason: 'a false alarm' });
  t.is((await ask()).length, 1);
  t.deepEqual(await ask('org/other'), []);
  await trail.decide(decisionInput('RFC-1', 'op-3', { action: 'reject' }));
  t.like((await ask())[0], { by: 'Alice (alice), RFC-2' });
  await trail.decide(decisionInput('RFC-2', 'op-4', { action: 'delete' }));
  t.deepEqual(await ask(), []);
});

test('fingerprints that a slow writer accepts after a rejection do not count', async (t) => {
  const place = await openPlace(t);
  const trail = await openTrail(t, place);
  await putRecord(place, { rfc_id: 'RFC-1' });
  await trail.decide(decisionInput('RFC-1', 'op-1', { accept_findings: true }));
  const accepted = place.records.collection('accepted');
  const documents = await accepted.find().toArray();
  t.is(documents.length, 1);
  await trail.decide(decisionInput('RFC-1', 'op-2', { action: 'reject' }));
  await accepted.insertMany(documents);
  const fingerprints = ['f'.repeat(64)];
  const input = { tenant_id: 'default', repo_name: 'Org/Repo', fingerprints };
  t.deepEqual(await trail.acceptedAmong(input), { accepted: [] });
});

test('appendEvent writes one entry for one op_id', async (t) => {
  const place = await openPlace(t);
  const trail = await openTrail(t, place);
  const event = {
    kind: 'ops-log',
    phase: 'whole',
    op_id: 'op-1',
    tenant_id: 'default',
    principal: null,
    actor: 'ops',
    rfc_id: null,
    rfc_rev: null,
    repo_name: null,
    reason: null,
    details: { command: 'restart' },
  } as const;
  const places = await Promise.all([1, 2, 3].map(() => trail.appendEvent({ event })));
  t.deepEqual(
    places.map(({ seq }) => seq),
    [2, 2, 2],
  );
  t.deepEqual(
    places.map(({ replayed }) => replayed),
    [false, true, true],
  );
  const other = { ...event, kind: 'login' } as const;
  await t.throwsAsync(trail.appendEvent({ event: other }), { code: 'ALREADY_EXISTS' } as object);
  const intent = { ...event, op_id: 'op-2', phase: 'intent' } as const;
  await t.throwsAsync(trail.appendEvent({ event: intent }), { instanceOf: CraError });
  const odd = { ...event, op_id: 'op-3', reason: '\ud800' };
  await t.throwsAsync(trail.appendEvent({ event: odd }), { code: 'INVALID_ARGUMENT' } as object);
  // One that can't be an entry takes nobody with it, and leaves no gap.
  const [, fourth] = await Promise.allSettled([
    trail.appendEvent({ event: odd }),
    trail.appendEvent({ event: { ...event, op_id: 'op-4' } }),
  ]);
  t.like(fourth, { value: { seq: 3 } });
});

test('listBlocked gives the oldest first, page by page', async (t) => {
  const place = await openPlace(t);
  const trail = await openTrail(t, place);
  for (let at = 1; at <= 5; at += 1) {
    const created_at = `2026-11-2${at}T00:00:00.000Z`;
    await putRecord(place, {
      rfc_id: `RFC-${at}`,
      created_at,
      repo_name: at === 3 ? 'a/b' : 'C/d',
    });
  }
  await trail.decide(decisionInput('RFC-1', 'op-1'));
  await trail.decide(decisionInput('RFC-4', 'op-4', { action: 'delete' }));
  const all = {
    tenant_id: 'default',
    repo: null,
    before: null,
    limit: 2,
    cursor: null,
    summaries: false,
  };
  const first = await trail.listBlocked(all);
  t.deepEqual(first.rfcIds, ['RFC-2', 'RFC-3']);
  const second = await trail.listBlocked({ ...all, cursor: first.next_cursor });
  t.deepEqual(second, { rfcIds: ['RFC-5'], summaries: [], next_cursor: null });
  t.deepEqual((await trail.listBlocked({ ...all, repo: 'c/D', limit: 9 })).rfcIds, [
    'RFC-2',
    'RFC-5',
  ]);
  const before = '2026-11-23T00:00:00.000Z';
  t.deepEqual((await trail.listBlocked({ ...all, before })).rfcIds, ['RFC-2']);
  t.deepEqual((await trail.listBlocked({ ...all, tenant_id: 'other' })).rfcIds, []);
});

for (const { step, when, nth, action, expected } of INTERRUPTIONS) {
  const left = expected.length === 0 ? 'nothing' : expected.join(', ');
  test(`${action}: a daemon that ends ${when} ${step} ${nth} leaves ${left}`, async (t) => {
    const place = await openPlace(t);
    await putRecord(place, { rfc_id: 'RFC-1' });
    const ended = interruptAt(step, when, nth);
    const first = await openTrail(t, place, { instance: 'one', wrapSteps: ended.wrap });
    void first
      .decide(decisionInput('RFC-1', 'op-1', { action, accept_findings: true }))
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
    const again = await second.decide(
      decisionInput('RFC-1', 'op-1', { action, accept_findings: true }),
    );
    t.is(again.replayed, isDone);
  });
}

for (const { step, when, nth, expected } of END_INTERRUPTIONS) {
  const left = [...expected].join(', ') || 'nothing';
  test(`endAcceptance: a daemon that ends ${when} ${step} ${nth} leaves ${left}`, async (t) => {
    const place = await openPlace(t);
    await putRecord(place, { rfc_id: 'RFC-1' });
    const ended = interruptAt(step, when, nth);
    const first = await openTrail(t, place, { instance: 'one' });
    await first.decide(decisionInput('RFC-1', 'op-1', { accept_findings: true }));
    const what = { tenant_id: 'default', repo_name: 'Org/Repo', fingerprint: 'f'.repeat(64) };
    const about = { kind: 'acceptance-ended', op_id: 'end-1', principal: null } as const;
    const event = plainEvent({ ...about, reason: 'moved', details: {} });
    const dying = await openTrail(t, place, { instance: 'one', wrapSteps: ended.wrap });
    void dying.endAcceptance({ ...what, event }).catch(() => undefined);
    await ended.reached;
    const second = await openTrail(t, place, { instance: 'one' });
    await second.reconcile();
    t.deepEqual(await phasesOf(place, 'end-1'), [...expected]);
    const among = async () => {
      const { fingerprint, ...repo } = what;
      return (await second.acceptedAmong({ ...repo, fingerprints: [fingerprint] })).accepted.length;
    };
    const isDone = expected.length > 0;
    t.is(await among(), isDone ? 0 : 1);
    t.is((await second.endAcceptance({ ...what, event })).replayed, isDone);
    t.is(await among(), 0);
    t.is((await second.auditStatus(null)).open_intents, 0);
  });
}

test('an intent of another daemon is left alone until it is overdue', async (t) => {
  const place = await openPlace(t);
  await putRecord(place, { rfc_id: 'RFC-1' });
  const ended = interruptAt('replaceRecord', 'before');
  const first = await openTrail(t, place, { instance: 'one', wrapSteps: ended.wrap });
  void first.decide(decisionInput('RFC-1', 'op-1')).catch(() => undefined);
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
  void first.decide(decisionInput('RFC-1', 'op-1')).catch(() => undefined);
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
  const answer = slow.decide(decisionInput('RFC-1', 'op-1'));
  await held.reached;
  const other = await openTrail(t, place, { instance: 'one' });
  t.is(await other.reconcile(), 1);
  held.release();
  const given = await t.throwsAsync(answer);
  t.like(given, { code: 'UNAVAILABLE', details: { changed: false } });
  t.deepEqual(await phasesOf(place, 'op-1'), ['intent', 'aborted']);
  t.is((await getRecord(place, 'RFC-1'))?.overall_status, 'BLOCKED');
  const again = await slow.decide(decisionInput('RFC-1', 'op-1'));
  t.like(again, { overall_status: 'OVERRIDDEN', replayed: false });
  t.deepEqual(await phasesOf(place, 'op-1.2'), ['intent', 'done']);
});

test('a decision is found done although its RFC was deleted since', async (t) => {
  const place = await openPlace(t);
  await putRecord(place, { rfc_id: 'RFC-1' });
  const ended = interruptAt('replaceRecord', 'after');
  const first = await openTrail(t, place, { instance: 'one', wrapSteps: ended.wrap });
  void first.decide(decisionInput('RFC-1', 'op-1')).catch(() => undefined);
  await ended.reached;
  const second = await openTrail(t, place, { instance: 'one' });
  await second.decide(decisionInput('RFC-1', 'op-2', { action: 'delete' }));
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

test('a record that is damaged keeps its own intent open, and no other', async (t) => {
  const place = await openPlace(t);
  const opened = ['RFC-1', 'RFC-2', 'RFC-3'];
  for (const rfc_id of opened) {
    await putRecord(place, { rfc_id });
    const ended = interruptAt('replaceRecord', 'before');
    const trail = await openTrail(t, place, { instance: 'one', wrapSteps: ended.wrap });
    void trail.decide(decisionInput(rfc_id, `op ${rfc_id}`)).catch(() => undefined);
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
