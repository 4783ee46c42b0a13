import type { DecisionRequest } from '../../../src/model/decision.ts';
import type { Principal } from '../../../src/model/principal.ts';
import type { RfcRecord } from '../../../src/model/records.ts';
import { reopenedRecord } from '../../../src/pushes/push-record.ts';
import type { TrailStore } from '../../../src/store/contract/trail.ts';
import { blockedRecord, decisionOn, findingWith, MANAGER } from '../fixtures/decisions.ts';
import { recordText } from '../fixtures/records.ts';
import { judged } from './push-steps.ts';
import { type Check, fails, type Harness, insert, NOW, read } from './steps.ts';

/** Long ago and far ahead: the clock of the machine that runs the tests is between. */
const [PAST, FUTURE] = ['2020-01-01T00:00:00.000Z', '2120-01-01T00:00:00.000Z'] as const;

const person = (id: string, over: Partial<Principal> = {}): Principal => ({
  id,
  name: 'Alice',
  credential: 'session',
  role: 'admin',
  tenant_id: 'default',
  ...over,
});
const BOB = person('bob');
const TOKEN = person('override-token:1234', { credential: 'override-token' });

/** Emergency overrides, and their reviews by somebody else. */
export function checkEmergencies(check: Check): void {
  checkReviews(check);
  checkReviewers(check);
  checkNothingToReview(check);
  checkLists(check);
  checkMoment(check);
  checkRefusal(check);
  checkReopened(check);
}

async function blocked({ store }: Pick<Harness, 'store'>, over: Partial<RfcRecord> = {}) {
  const record = blockedRecord({ rfc_id: 'RFC-1', ...over }, [findingWith('a')]);
  await insert(store, record);
  return record;
}

/** An RFC with an emergency override of MANAGER. */
async function emergency(
  harness: Pick<Harness, 'store' | 'trail'>,
  rfc_id: string,
  over: Partial<DecisionRequest> = {},
  tenant_id = 'default',
) {
  const record = await blocked(harness, { rfc_id, tenant_id });
  const asked = { review_due_at: FUTURE, ...over };
  await harness.trail.decide(decisionOn(record, `op-${rfc_id}`, asked));
  return record;
}

async function listed(trail: TrailStore, limit = 50, cursor: string | null = null) {
  const page = await trail.listEmergencies({ tenant_id: 'default', limit, cursor });
  const rows = page.emergencies.map(({ summary, overdue }) => {
    const { rfc_id, emergency: found } = JSON.parse(summary);
    return [rfc_id, found.due_at, overdue];
  });
  return { rows, next: page.next_cursor };
}

const counted = (trail: TrailStore, tenant_id: string | null = 'default') =>
  trail.countEmergencies({ tenant_id });

function checkReviews(check: Check): void {
  for (const [action, status, review] of [
    ['confirm', 'OVERRIDDEN', 'confirmed'],
    ['object', 'REJECTED', 'objected'],
    ['reject', 'REJECTED', 'rejected'],
    ['delete', null, null],
  ] as const) {
    check(`an emergency override and its end: ${action}`, async (t, harness) => {
      const { trail, store, entries } = harness;
      const asked = { accept_findings: true, review_due_at: PAST };
      const record = await emergency(harness, 'RFC-1', asked);
      const made = await read(store, record);
      t.deepEqual(made.emergency, { decision_id: 'op-RFC-1', due_at: PAST, review: 'due' });
      t.like(made.override_history[0], { action: 'override', emergency: true });
      t.deepEqual((await listed(trail)).rows, [['RFC-1', PAST, true]]);
      t.deepEqual(await counted(trail), { due: 1, overdue: 1 });
      const accepted = async () => {
        const place = { tenant_id: 'default', repo_name: 'Org/Repo' };
        return (await trail.acceptedAmong({ ...place, fingerprints: ['a'.repeat(64)] })).accepted;
      };
      t.is((await accepted()).length, 1);

      const review1 = decisionOn(record, 'op-2', { action, principal: BOB });
      await fails(t, trail.decide({ ...review1, op_id: 'op-3', expectedRev: 7 }), 'ABORTED');
      const answer = await trail.decide(review1);
      t.is(answer.overall_status, status);
      t.deepEqual(await trail.decide(review1), { ...answer, replayed: true });
      t.deepEqual((await listed(trail)).rows, []);
      t.deepEqual(await counted(trail), { due: 0, overdue: 0 });
      t.is((await accepted()).length, action === 'confirm' ? 1 : 0);
      await harness.reopen();
      t.deepEqual(await harness.trail.decide(review1), { ...answer, replayed: true });
      const settled = (await entries()).filter(({ rfc_id, phase }) => rfc_id && SETTLED.has(phase));
      const isReview = action === 'confirm' || action === 'object';
      const kind = isReview ? (`emergency-${action}` as const) : action;
      t.deepEqual(
        settled.map((entry) => entry.kind),
        ['emergency-override', kind],
      );
      const told = (await entries()).filter(({ phase }) => phase === 'whole' || phase === 'intent');
      t.like(told.find((entry) => entry.kind === 'emergency-override')?.details, {
        status_after: 'OVERRIDDEN',
        review_due_at: PAST,
      });
      if (isReview) {
        const details = { status_after: status, reviewed: 'op-RFC-1', review_due_at: PAST };
        t.like(told.find((entry) => entry.kind === kind)?.details, details);
      }
      if (status === null) return;
      const after = await read(harness.store, record);
      t.is(after.emergency?.review, review ?? 'due');
      t.deepEqual(
        after.override_history.map((each) => each.action),
        ['override', action],
      );
      t.is(after.override === null, status === 'REJECTED');
      // Nobody reviews twice.
      const again = decisionOn(record, 'op-4', { action: 'object', principal: BOB });
      const code = status === 'REJECTED' ? 'ABORTED' : 'FAILED_PRECONDITION';
      await fails(t, harness.trail.decide(again), code);
    });
  }
}

const SETTLED = new Set(['whole', 'done']);

function checkReviewers(check: Check): void {
  /** Who overrides, who reviews and how, and why not; null: they may. */
  const CASES: [Principal, Principal, 'confirm' | 'object', RegExp | null, four?: true][] = [
    [MANAGER, BOB, 'confirm', null],
    // Another name and another credential are the same person.
    [MANAGER, person(MANAGER.id, { name: 'Bob' }), 'confirm', /is your own/],
    [MANAGER, person(MANAGER.id, { credential: 'oidc' }), 'object', /is your own/],
    // The same name is not.
    [MANAGER, person('other', { name: MANAGER.name }), 'confirm', null],
    [person('a', { email: 'Ann@x.org' }), person('b', { email: 'ann@X.org' }), 'confirm', /own/],
    [person('a', { email: 'ann@x.org' }), person('b', { email: 'bob@x.org' }), 'confirm', null],
    [MANAGER, TOKEN, 'confirm', /a token names no person/],
    [MANAGER, TOKEN, 'object', null],
    [TOKEN, TOKEN, 'confirm', /is your own/],
    [TOKEN, TOKEN, 'object', /is your own/],
    [TOKEN, BOB, 'confirm', null],
    [person('dev-mode', { credential: 'open' }), BOB, 'confirm', null],
    // Nobody lets a change of their own pass: BOB has submitted it.
    [MANAGER, BOB, 'confirm', /SERVICE_FOUR_EYES: this change is your own/, true],
    [MANAGER, BOB, 'object', null, true],
    [MANAGER, person('carol'), 'confirm', null, true],
  ];
  check('an emergency is reviewed by another person', async (t, harness) => {
    const { store, trail, entries } = harness;
    for (const [index, [by, principal, action, says, four_eyes]] of CASES.entries()) {
      const record = await blocked(harness, { rfc_id: `RFC-${index}`, submitted_by: BOB });
      const common = four_eyes ? { four_eyes } : {};
      const asked = { ...common, review_due_at: FUTURE, principal: by };
      await trail.decide(decisionOn(record, `op-${index}`, asked));
      const review = decisionOn(record, `review-${index}`, { ...common, action, principal });
      if (says === null) {
        const status = action === 'confirm' ? 'OVERRIDDEN' : 'REJECTED';
        t.is((await trail.decide(review)).overall_status, status, `${index}`);
        continue;
      }
      const error = await fails(t, trail.decide(review), 'PERMISSION_DENIED');
      t.regex(error?.message ?? '', says, `${index}`);
      t.is((await read(store, record)).emergency?.review, 'due');
    }
    const refused = CASES.flatMap(([, , , says], n) => (says === null ? [] : [`review-${n}`]));
    const written = new Set((await entries()).map(({ op_id }) => op_id));
    t.deepEqual(
      refused.filter((id) => written.has(id)),
      [],
    );
  });

  check('an emergency of another tenant is unknown', async (t, harness) => {
    await emergency(harness, 'RFC-1', {}, 'other');
    t.deepEqual((await listed(harness.trail)).rows, []);
    t.deepEqual(await counted(harness.trail), { due: 0, overdue: 0 });
    t.deepEqual(await counted(harness.trail, null), { due: 1, overdue: 0 });
    const record = { rfc_id: 'RFC-1', tenant_id: 'default' };
    for (const action of ['confirm', 'object'] as const) {
      const review = decisionOn(record, `op-${action}`, { action, principal: BOB });
      await fails(t, harness.trail.decide(review), 'NOT_FOUND');
    }
  });
}

function checkNothingToReview(check: Check): void {
  check('an override without emergency is not reviewed', async (t, harness) => {
    const { trail, store } = harness;
    const plain = await blocked(harness, { rfc_id: 'RFC-plain' });
    const isBlocked = decisionOn(plain, 'op-0', { action: 'confirm', principal: BOB });
    await fails(t, trail.decide(isBlocked), 'ABORTED');
    await trail.decide(decisionOn(plain, 'op-1'));
    const carried = blockedRecord({
      rfc_id: 'RFC-carried',
      overall_status: 'OVERRIDDEN',
      carried_from: ['RFC-origin'],
    });
    await insert(store, carried);
    for (const [record, says] of [
      [plain, /not an emergency/],
      [carried, /carried from RFC-origin, review that one/],
    ] as const) {
      for (const action of ['confirm', 'object'] as const) {
        const review = decisionOn(record, `${record.rfc_id} ${action}`, { action, principal: BOB });
        const error = await fails(t, trail.decide(review), 'FAILED_PRECONDITION');
        t.regex(error?.message ?? '', says);
      }
      t.is((await read(store, record)).overall_status, 'OVERRIDDEN');
    }
    t.deepEqual((await listed(trail)).rows, []);
  });

  check('of 20 racing reviews exactly one wins', async (t, harness) => {
    const { trail, store, entries } = harness;
    const record = await emergency(harness, 'RFC-1');
    const reviews = Array.from({ length: 20 }, (_, n) => {
      const action = n % 2 === 0 ? 'confirm' : 'object';
      return decisionOn(record, `op-${n}`, { action, principal: person(`person-${n}`) });
    });
    const results = await Promise.allSettled(reviews.map((review) => trail.decide(review)));
    t.is(results.filter(({ status }) => status === 'fulfilled').length, 1);
    t.is((await read(store, record)).override_history.length, 2);
    const done = (await entries()).filter(({ phase }) => SETTLED.has(phase));
    t.is(done.filter(({ kind }) => /^emergency-(confirm|object)$/.test(kind)).length, 1);
  });
}

function checkLists(check: Check): void {
  check('listEmergencies gives due reviews, the earliest date first', async (t, harness) => {
    const { trail } = harness;
    const dates = ['2120-01-03', PAST, '2120-01-01', '2120-01-02', '2120-01-02'];
    for (const [n, date] of dates.entries()) {
      const review_due_at = new Date(date).toISOString();
      await emergency(harness, `RFC-${n}`, { review_due_at });
    }
    await emergency(harness, 'RFC-other', {}, 'other');
    const all: unknown[] = [];
    let pages = 0;
    for (let cursor: string | null | undefined; cursor !== null; pages += 1) {
      const page = await listed(trail, 2, cursor ?? null);
      all.push(...page.rows.map(([id, , overdue]) => `${id} ${overdue}`));
      cursor = page.next;
    }
    t.is(pages, 3);
    const order = ['RFC-1 true', ...['2', '3', '4', '0'].map((n) => `RFC-${n} false`)];
    t.deepEqual(all, order);
    t.deepEqual(await counted(trail), { due: 5, overdue: 1 });
    t.deepEqual(await counted(trail, null), { due: 6, overdue: 1 });
    await fails(t, listed(trail, 0), 'INVALID_ARGUMENT');
    await fails(t, listed(trail, 101), 'INVALID_ARGUMENT');
    for (const cursor of ['x', Buffer.from('["never","1"]').toString('base64url')]) {
      await fails(t, listed(trail, 1, cursor), 'INVALID_ARGUMENT');
    }
  });
}

function checkMoment(check: Check): void {
  check('a review becomes overdue while the store is open', async (t, harness) => {
    const { trail } = harness;
    const dueMs = Date.now() + 1_000;
    await emergency(harness, 'RFC-1', { review_due_at: new Date(dueMs).toISOString() });
    for (;;) {
      const { due, overdue } = await counted(trail);
      t.is(due, 1);
      // It may become so in between, but never early.
      if (Date.now() < dueMs - 200) t.is(overdue, 0);
      if (overdue === 1) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    t.true((await listed(trail)).rows[0]?.[2]);
  });
}

function checkRefusal(check: Check): void {
  check('an overdue review refuses further emergencies where that is set', async (t, harness) => {
    const { store, trail, entries } = harness;
    const refusing = { refuse_overdue: true, review_due_at: FUTURE } as const;
    const first = decisionOn(await blocked(harness), 'op-1', { ...refusing, review_due_at: PAST });
    const answer = await trail.decide(first);
    const record = await blocked(harness, { rfc_id: 'RFC-2' });
    const again = decisionOn(record, 'op-2', refusing);
    const error = await fails(t, trail.decide(again), 'FAILED_PRECONDITION');
    t.regex(error?.message ?? '', /RFC-1 was due at 2020-01-01T00:00:00\.000Z/);
    t.like(error?.details, { rfc_id: 'RFC-1', due_at: PAST });
    t.is((await read(store, record)).overall_status, 'BLOCKED');
    t.false((await entries()).some(({ op_id }) => op_id === 'op-2'));
    // The first one is repeated all the same; other tenants and settings are not concerned.
    t.deepEqual(await trail.decide(first), { ...answer, replayed: true });
    const foreign = await blocked(harness, { rfc_id: 'RFC-3', tenant_id: 'other' });
    t.is((await trail.decide(decisionOn(foreign, 'op-3', refusing))).overall_status, 'OVERRIDDEN');
    const lenient = await blocked(harness, { rfc_id: 'RFC-4' });
    const allowed = decisionOn(lenient, 'op-4', { review_due_at: FUTURE });
    t.is((await trail.decide(allowed)).overall_status, 'OVERRIDDEN');
    await trail.decide(decisionOn(first, 'op-5', { action: 'confirm', principal: BOB }));
    t.is((await trail.decide(again)).overall_status, 'OVERRIDDEN');
  });
}

function checkReopened(check: Check): void {
  check('a push that is judged again has no review due', async (t, harness) => {
    const { pushes, store, trail } = harness;
    const push = await judged(harness, { rfc_id: 'RFC-1' }, { overall_status: 'BLOCKED' });
    await trail.decide(decisionOn(push, 'op-1', { review_due_at: PAST }));
    t.deepEqual(await counted(trail), { due: 1, overdue: 1 });
    const made = await read(store, push);
    const next = reopenedRecord(made, 'RFC-0, on which it depended, was revoked', new Date(NOW));
    await pushes.reopenPush({ record: recordText(next), expectedRev: made.rev, atMs: NOW });
    t.deepEqual(await counted(trail), { due: 0, overdue: 0 });
    t.is((await read(store, push)).emergency, undefined);
    const review = decisionOn(push, 'op-2', { action: 'object', principal: BOB });
    await fails(t, trail.decide(review), 'ABORTED');
  });
}
