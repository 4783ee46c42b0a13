import { ENTRY } from '../../../src/audit/limits.ts';
import { type AuditEvent, plainEvent } from '../../../src/model/audit.ts';
import type { RfcRecord } from '../../../src/model/records.ts';
import type { UsageRecord } from '../../../src/model/usage.ts';
import type { QueuedReview, ReservedCall } from '../../../src/store/contract/records.ts';
import { decisionOn } from '../fixtures/decisions.ts';
import { recordText, sampleRecord } from '../fixtures/records.ts';
import { judged, LONG_MS, REPO } from './push-steps.ts';
import { type Check, fails, insert, NOW, read } from './steps.ts';

function usage(usage_id: string, cost_nano_usd: number): UsageRecord {
  return {
    usage_id,
    tenant_id: 'default',
    at_ms: NOW,
    provider: 'a',
    model: 'm',
    context: null,
    input_tokens: 1,
    output_tokens: 2,
    cache_creation_tokens: 3,
    cache_read_tokens: 4,
    cost_nano_usd,
    logged_by: 'gate',
    source: 'gate',
  };
}

/** A call of `daemon-1` that holds so much (nano-dollars) of `day 1`. */
export function call(
  call_id: string,
  nano: number,
  over: Partial<ReservedCall> = {},
): ReservedCall {
  return {
    call_id,
    owner: 'daemon-1',
    started_ms: NOW,
    reserved_nano_usd: nano,
    scopes: [
      { scope: 'day 1', limitNanoUsd: 1_000 },
      { scope: 'rfc 1', limitNanoUsd: null },
    ],
    usage: usage(call_id, nano),
    ...over,
  };
}

/** Budgets, open calls and answers of gate 3. */
export function checkReviews(check: Check): void {
  check('reserves that race never hold more than the budget', async (t, { reviews }) => {
    const calls = Array.from({ length: 40 }, (_, index) => call(`c${index}`, 70 + index));
    const taken = await Promise.all(calls.map((one) => reviews.reserveCall({ call: one })));
    const held = calls.filter((_, index) => taken[index]?.reserved);
    const sum = held.reduce((total, one) => total + one.reserved_nano_usd, 0);
    t.true(sum <= 1_000 && sum > 800, String(sum));
    const scopes = ['day 1', 'rfc 1', 'never used'];
    t.deepEqual(await reviews.spentIn({ scopes }), { nanoUsd: [sum, sum, 0] });
    const [first] = held;
    if (first === undefined) return t.fail();
    t.deepEqual(await reviews.reserveCall({ call: first }), { reserved: true }, 'it is known');
    t.deepEqual(await reviews.spentIn({ scopes }), { nanoUsd: [sum, sum, 0] });
  });

  check(
    'a call is settled once, to the nano, with its usage',
    async (t, { reviews, usage: ledger }) => {
      await reviews.reserveCall({ call: call('c1', 900) });
      const end = { call_id: 'c1', usage: usage('c1', 123), answer: null };
      t.deepEqual(await reviews.settleCall(end), { settled: true });
      t.deepEqual(await reviews.settleCall(end), { settled: false });
      t.deepEqual(await reviews.spentIn({ scopes: ['day 1'] }), { nanoUsd: [123] });
      const total = await ledger.usageTotal({ tenant_id: 'default', sinceMs: NOW - 1 });
      t.like(total, { calls: 1, cost_nano_usd: '123', input_tokens: 1, cache_read_tokens: 4 });
      t.deepEqual(await reviews.reserveCall({ call: call('c2', 877) }), { reserved: true });
      t.deepEqual(await reviews.reserveCall({ call: call('c3', 1) }), { reserved: false });
    },
  );

  check('what a daemon left open costs its reserve at the next start', async (t, harness) => {
    const { reviews } = harness;
    await reviews.reserveCall({ call: call('own', 100) });
    await reviews.reserveCall({ call: call('old', 50, { owner: 'gone', started_ms: NOW - 10 }) });
    await reviews.reserveCall({ call: call('busy', 30, { owner: 'other' }) });
    await harness.reopen();
    const left = { owner: 'daemon-1', beforeMs: NOW };
    t.deepEqual(await harness.reviews.settleLeft(left), { calls: 2 });
    t.deepEqual(await harness.reviews.settleLeft(left), { calls: 0 });
    t.deepEqual(await harness.reviews.spentIn({ scopes: ['day 1'] }), { nanoUsd: [180] });
    const total = await harness.usage.usageTotal({ tenant_id: 'default', sinceMs: NOW - 1 });
    t.like(total, { calls: 2, cost_nano_usd: '150' });
    const end = { call_id: 'busy', usage: usage('busy', 7), answer: null };
    t.deepEqual(await harness.reviews.settleCall(end), { settled: true });
  });

  check(
    'an answer is kept with what it cost, or not at all; the first of a key stays',
    async (t, { reviews }) => {
      const settle = (call_id: string, json: string) =>
        reviews.settleCall({ call_id, usage: usage(call_id, 1), answer: { key: 'k', json } });
      t.deepEqual(await settle('c0', '[0]'), { settled: false });
      t.deepEqual(await reviews.findAnswer({ key: 'k' }), { json: null });
      for (const call_id of ['c1', 'c2', 'c3']) {
        await reviews.reserveCall({ call: call(call_id, 1) });
      }
      await Promise.all([settle('c1', '[1]'), settle('c2', '[1]')]);
      t.deepEqual(await reviews.findAnswer({ key: 'k' }), { json: '[1]' });
      t.deepEqual(await settle('c3', '[3]'), { settled: true });
      t.deepEqual(await reviews.findAnswer({ key: 'k' }), { json: '[1]' });
    },
  );

  checkQueue(check);
  checkMemory(check);
  checkRevisions(check);
  checkMoves(check);
  checkReviewedHeads(check);
}

function queued(review_id: string): QueuedReview {
  return { review_id, tenant_id: 'default', rfc_id: 'RFC-1', asked: null, tries: 0 };
}

function checkQueue(check: Check): void {
  check('a review is claimed by one daemon, in the order in which they are due', async (t, h) => {
    const { reviews } = h;
    const add = (id: string, dueMs: number) => reviews.queueReview({ review: queued(id), dueMs });
    t.deepEqual(await add('late', NOW + 10), { queued: true });
    t.deepEqual(await add('early', NOW - 10), { queued: true });
    t.deepEqual(await add('early', NOW - 99), { queued: false });
    const claim = (owner: string, dueBeforeMs = NOW) =>
      reviews.claimReview({ owner, leaseMs: LONG_MS, dueBeforeMs });
    const [one, other] = await Promise.all([claim('a'), claim('b')]);
    const claimed = [one?.review, other?.review].filter((review) => review !== null);
    t.deepEqual(claimed, [queued('early')]);
    const owner = one?.review === null ? 'b' : 'a';
    t.deepEqual(await claim('c', NOW + 10), { review: queued('late') });
    t.deepEqual(await reviews.reviewDepth(null), { reviews: 2 });
    const again = { tries: 3, dueMs: NOW + 5 };
    const end = { review_id: 'early', again };
    t.deepEqual(await reviews.endReview({ ...end, owner: 'c' }), { ended: false });
    t.deepEqual(await reviews.endReview({ ...end, owner }), { ended: true });
    t.deepEqual(await claim('a'), { review: null });
    t.deepEqual(await reviews.expediteReviews({ dueMs: NOW + 2 }), { expedited: 1 });
    t.deepEqual(await claim('a'), { review: null });
    await h.reopen();
    t.deepEqual(await h.reviews.releaseReviews({ owner: 'c' }), { released: 1 });
    const last = { owner: 'd', leaseMs: LONG_MS, dueBeforeMs: NOW + 5 };
    t.deepEqual(await h.reviews.claimReview(last), { review: { ...queued('early'), tries: 3 } });
    const done = { review_id: 'early', owner: 'd', again: null };
    t.deepEqual(await h.reviews.endReview(done), { ended: true });
    t.deepEqual(await h.reviews.reviewDepth(null), { reviews: 1 });
  });

  check('what blocked a line is remembered in its repository alone', async (t, { reviews }) => {
    const place = { tenant_id: 'default', repo_key: 'org/repo' };
    const findings = [
      { line_key: 'l1', kind: 'a', json: '1' },
      { line_key: 'l1', kind: 'b', json: '2' },
      { line_key: 'l2', kind: 'a', json: '3' },
    ];
    await reviews.rememberFindings({ ...place, findings, atMs: NOW });
    await reviews.rememberFindings({
      ...place,
      findings: [{ line_key: 'l1', kind: 'a', json: '9' }],
      atMs: NOW,
    });
    const { found } = await reviews.recallFindings({ ...place, lineKeys: ['l1', 'l3'], atMs: NOW });
    t.deepEqual(found.map(({ json }) => json).sort(), ['1', '2']);
    t.true(found.every(({ line_key, kind }) => line_key === 'l1' && 'ab'.includes(kind)));
    const elsewhere = { ...place, repo_key: 'org/other', lineKeys: ['l1'], atMs: NOW };
    t.deepEqual(await reviews.recallFindings(elsewhere), { found: [] });
  });
}

const DAY_MS = 24 * 3_600_000;

/** Names of entries: line and kind. */
const ENTRIES: readonly [string, string][] = [
  ['l1', 'backdoor'],
  ['l1', 'unread g1'],
  ['l2', 'unread g1'],
  ['g1', 'unread'],
];

function checkMemory(check: Check): void {
  const place = { tenant_id: 'default', repo_key: 'org/repo' };
  const lineKeys = ['l1', 'l2', 'g1'];
  const findings = ENTRIES.map(([line_key, kind]) => ({ line_key, kind, json: `{"${kind}":1}` }));

  check('what is remembered is there for 30 days, after a restart too', async (t, h) => {
    await h.reviews.rememberFindings({ ...place, findings, atMs: NOW });
    await h.reopen();
    const at = async (days: number, ms: number) => {
      const atMs = NOW + days * DAY_MS + ms;
      return (await h.reviews.recallFindings({ ...place, lineKeys, atMs })).found.length;
    };
    t.deepEqual([await at(0, 0), await at(29, 0), await at(30, 0)], [4, 4, 4]);
    t.deepEqual([await at(30, 1), await at(400, 0)], [0, 0]);
    const again = { ...place, findings: findings.slice(0, 1), atMs: NOW + 10 * DAY_MS };
    await h.reviews.rememberFindings(again);
    t.deepEqual([await at(30, 1), await at(40, 0), await at(40, 1)], [1, 1, 0]);
  });

  check(
    'forgetFindings removes the entries that it names, and no others',
    async (t, { reviews }) => {
      const others = [
        { ...place, tenant_id: 'other' },
        { ...place, repo_key: 'org/other' },
      ];
      for (const each of [place, ...others]) {
        await reviews.rememberFindings({ ...each, findings, atMs: NOW });
      }
      const recall = async (where: typeof place) => {
        const { found } = await reviews.recallFindings({ ...where, lineKeys, atMs: NOW });
        return found.map(({ line_key, kind }) => `${line_key} ${kind}`).sort();
      };
      const all = ENTRIES.map((entry) => entry.join(' ')).sort();
      const named = [
        { line_key: 'g1', kind: 'unread' },
        { line_key: 'g1', kind: 'backdoor' },
        { line_key: 'l9', kind: 'unread' },
      ];
      t.deepEqual(await reviews.forgetFindings({ ...place, findings: named }), { forgotten: 1 });
      t.deepEqual(
        await recall(place),
        all.filter((entry) => entry !== 'g1 unread'),
      );
      t.deepEqual(await reviews.forgetFindings({ ...place, findings: named }), { forgotten: 0 });
      t.deepEqual(await reviews.forgetFindings({ ...place, findings: [] }), { forgotten: 0 });
      for (const each of others) t.deepEqual(await recall(each), all);
      const tooMany = Array.from({ length: 501 }, (_, n) => ({ line_key: `l${n}`, kind: 'a' }));
      await fails(t, reviews.forgetFindings({ ...place, findings: tooMany }), 'INVALID_ARGUMENT');
      const keys = tooMany.map(({ line_key }) => line_key);
      const recalled = reviews.recallFindings({ ...place, lineKeys: keys, atMs: NOW });
      await fails(t, recalled, 'INVALID_ARGUMENT');
    },
  );
}

function checkRevisions(check: Check): void {
  check('a review moves a verdict once, at its rev, and nothing else', async (t, { store }) => {
    const held = sampleRecord({ rfc_id: 'RFC-1', overall_status: 'BLOCKED', rev: 4 });
    await insert(store, held);
    const passed: RfcRecord = { ...held, overall_status: 'PASSED', rev: 5 };
    const revise = (record: RfcRecord, from: RfcRecord['overall_status'], expectedRev: number) =>
      store.reviseRfc({ record: recordText(record), from, expectedRev });
    await fails(t, revise(passed, 'BLOCKED', 3), 'INVALID_ARGUMENT');
    await fails(t, revise({ ...passed, rev: 4 }, 'BLOCKED', 3), 'ABORTED');
    const draft: RfcRecord = { ...passed, overall_status: 'DRAFT' };
    await fails(t, revise(draft, 'BLOCKED', 4), 'INVALID_ARGUMENT');
    await fails(t, revise({ ...passed, tenant_id: 'other' }, 'BLOCKED', 4), 'NOT_FOUND');
    t.deepEqual(await revise(passed, 'BLOCKED', 4), { rev: 5 });
    t.deepEqual(await read(store, held), passed);
    await fails(t, revise(passed, 'BLOCKED', 4), 'ABORTED');
    const same: RfcRecord = { ...passed, risk_score: 99, rev: 6 };
    t.deepEqual(await revise(same, 'PASSED', 5), { rev: 6 });
    await fails(
      t,
      revise({ ...same, overall_status: 'REJECTED', rev: 7 }, 'PASSED', 6),
      'INVALID_ARGUMENT',
    );
  });
}

function checkMoves(check: Check): void {
  check('moveRfc moves a verdict with its entry, or writes nothing', async (t, harness) => {
    const { store, trail } = harness;
    const held = sampleRecord({ rfc_id: 'RFC-1', overall_status: 'BLOCKED', rev: 4 });
    await insert(store, held);
    const passed: RfcRecord = { ...held, overall_status: 'PASSED', rev: 5 };
    const event = (op_id: string, details = {}) =>
      plainEvent({ kind: 'review', op_id, principal: null, rfc_id: 'RFC-1', details });
    const move = (record: RfcRecord, own: AuditEvent, expectedRev = record.rev - 1) =>
      trail.moveRfc({ record: recordText(record), from: 'BLOCKED', expectedRev, event: own });
    const entries = async () => (await harness.entries()).filter(({ kind }) => kind === 'review');
    await fails(t, move({ ...passed, rev: 4 }, event('move 1')), 'ABORTED');
    await fails(t, move(passed, event('move 2'), 3), 'INVALID_ARGUMENT');
    await fails(t, move({ ...passed, tenant_id: 'other' }, event('move 3')), 'NOT_FOUND');
    const large = event('move 4', { text: 'x'.repeat(ENTRY.ENTRY_BYTES_MAX) });
    await fails(t, move(passed, large), 'INVALID_ARGUMENT');
    t.deepEqual(await entries(), []);
    t.deepEqual(await read(store, held), held);

    t.deepEqual(await move(passed, event('move 5')), { rev: 5 });
    t.deepEqual(await read(store, held), passed);
    const written = await entries();
    t.true(written.every(({ op_id }) => op_id === 'move 5'));
    t.true(['whole', 'done'].includes(written.at(-1)?.phase ?? ''));
    await fails(t, move(passed, event('move 5')), 'ABORTED');
    t.is((await entries()).length, written.length);

    const principal = held.submitted_by;
    const about = { rfc_id: 'RFC-1', principal, tenant_id: held.tenant_id, details: {} };
    const planned = (op_id: string) => plainEvent({ kind: 'terraform-plan', op_id, ...about });
    const given = (record: RfcRecord, from: 'PASSED' | 'BLOCKED', op_id: string) => {
      const input = { record: recordText(record), from, expectedRev: record.rev - 1 };
      return trail.moveRfc({ ...input, event: planned(op_id) });
    };
    const same: RfcRecord = { ...passed, risk_score: 90, rev: 6 };
    t.deepEqual(await given(same, 'PASSED', 'plan 1'), { rev: 6 });
    const recalled: RfcRecord = { ...same, overall_status: 'BLOCKED', rev: 7 };
    t.deepEqual(await given(recalled, 'PASSED', 'plan 2'), { rev: 7 });
    t.deepEqual(await read(store, held), recalled);
    const plans = (await harness.entries()).filter(({ kind }) => kind === 'terraform-plan');
    t.deepEqual([...new Set(plans.map(({ op_id }) => op_id))], ['plan 1', 'plan 2']);
  });

  check('of a move and a decision at once one wins, and the trail says which', async (t, h) => {
    for (const n of [1, 2, 3, 4, 5]) {
      const held = sampleRecord({ rfc_id: `RFC-${n}`, overall_status: 'BLOCKED', rev: 1 });
      await insert(h.store, held);
      const record = recordText({ ...held, overall_status: 'PASSED', rev: 2 });
      const about = { rfc_id: held.rfc_id, principal: null, details: {} };
      const event = plainEvent({ kind: 'review', op_id: `m-${n}`, ...about });
      const [moved, decided] = await Promise.allSettled([
        h.trail.moveRfc({ record, from: 'BLOCKED', expectedRev: 1, event }),
        h.trail.decide(decisionOn(held, `op-${n}`, { action: 'reject' })),
      ]);
      const { overall_status } = await read(h.store, held);
      // A rejection may also follow the move; a move never follows the rejection.
      t.is(overall_status, decided.status === 'fulfilled' ? 'REJECTED' : 'PASSED');
      const made = (await h.entries()).filter(
        ({ op_id, phase }) => op_id === `m-${n}` && (phase === 'whole' || phase === 'done'),
      );
      t.is(made.length, moved.status === 'fulfilled' ? 1 : 0);
    }
  });
}

function checkReviewedHeads(check: Check): void {
  check('a review accepts the head of a push, and takes it back', async (t, harness) => {
    const { store, pushes } = harness;
    const held = await judged(harness, { rfc_id: 'RFC-1' }, { overall_status: 'BLOCKED' });
    const sha = held.commit_sha ?? '';
    const move = async (to: 'PASSED' | 'BLOCKED', rev: number) => {
      const from = to === 'PASSED' ? 'BLOCKED' : 'PASSED';
      const record = recordText({ ...held, overall_status: to, rev: rev + 1 });
      await store.reviseRfc({ record, from, expectedRev: rev });
      return (await pushes.acceptedHeads({ ...REPO, shas: [sha] })).accepted.length;
    };
    t.is(await move('PASSED', held.rev), 1);
    t.deepEqual((await pushes.revocations({ limit: 10 })).revocations, []);
    t.is(await move('BLOCKED', held.rev + 1), 0);
    const { revocations } = await pushes.revocations({ limit: 10 });
    t.like(revocations[0], { id: 'RFC-1', sha, is_rejected: false });
  });
}
