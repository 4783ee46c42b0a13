import test from 'ava';
import type { AddRules } from '../../../../src/store/contract/rulebook.ts';
import { createRulesReader, rulesCollection } from '../../../../src/store/mongo/desk/rules-book.ts';
import { fails } from '../../conformance/steps.ts';
import { sampleEvent } from '../../fixtures/decisions.ts';
import { interruptAt } from '../reconcile-interrupt.ts';
import { openPlace, openTrail, phasesOf } from '../trail-harness.ts';

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
    const rules = createRulesReader(rulesCollection(place.records));
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
  const rules = createRulesReader(rulesCollection(place.records));
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
  const { entries } = await rules.list(10, null);
  t.deepEqual(
    entries.map(({ number }) => number),
    [2],
  );
  // Whoever knew nothing of it is told.
  const stale = await fails(t, other.addRules(change(0, 'c')), 'ABORTED');
  t.is(stale?.details['number'], 2);
  t.deepEqual(await phasesOf(place, 'op-c'), []);
});

test('a slow writer whose revision was there all along is told so', async (t) => {
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
  const rules = createRulesReader(rulesCollection(place.records));
  t.true((await rules.at(1)).text === text);
});
