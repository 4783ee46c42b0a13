import { plainEvent } from '../../../src/model/audit.ts';
import type { ServiceEvent } from '../../../src/model/event.ts';
import type { EventLane, EventStore } from '../../../src/store/contract/events.ts';
import { EVENT_STORE } from '../../../src/store/limits.ts';
import { decisionOn, MANAGER } from '../fixtures/decisions.ts';
import { outcomeOf, recordText, sampleDraft, sampleRecord } from '../fixtures/records.ts';
import { type Check, fails, insert, NOW, read } from './steps.ts';

const TENANT = 'told';

/** Subscriptions of every harness, of a tenant of their own. */
export const LANES: readonly EventLane[] = [
  {
    id: 'all',
    tenantId: TENANT,
    types: [
      'rfc.blocked',
      'rfc.decided',
      'rfc.emergency',
      'rfc.decision_requested',
      'landed.blocked',
      'coverage.gap',
    ],
    repos: null,
  },
  { id: 'shop', tenantId: TENANT, types: ['rfc.blocked'], repos: ['acme/shop'] },
  { id: 'landings', tenantId: 'default', types: ['landed.blocked'], repos: null },
];

const HOUR_MS = 3_600_000;
/** After every fact of the suite: records and decisions have fixed times. */
const LATER_MS = NOW + 24 * HOUR_MS;

async function claim(events: EventStore, lane: string, nowMs = LATER_MS, limit = 10) {
  const claimed = await events.claimEvents({ lane, leaseMs: 1_000, nowMs, limit });
  return claimed.events;
}

async function idsIn(events: EventStore, lane: string, nowMs = LATER_MS): Promise<string[]> {
  return ((await claim(events, lane, nowMs)) ?? []).map(({ event }) => event.event_id);
}

function gap(place: number, subject = 'repo one', at = NOW): ServiceEvent {
  return {
    event_id: `${subject}.${place}`,
    type: 'coverage.gap',
    tenant_id: TENANT,
    subject,
    place,
    repo: 'acme/one',
    at: new Date(at).toISOString(),
    data: { place },
  };
}

/** Lets a delivery succeed (`dueMs` and `reason` null), fail or end. */
function settle(
  events: EventStore,
  { event_id, subject }: Pick<ServiceEvent, 'event_id' | 'subject'>,
  dueMs: number | null,
  reason: string | null,
) {
  return events.settleEvent({ lane: 'all', event_id, subject, nowMs: LATER_MS, dueMs, reason });
}

/** Events of each state: due, tried again later, given up, delivered. */
export async function fillEvents({ events }: { events: EventStore }): Promise<void> {
  const told = [0, 1, 2, 3].map((place) => gap(place, `repo ${place}`, Date.now()));
  await events.addEvents({ events: told });
  const [, later = gap(1), dead = gap(2), delivered = gap(3)] = told;
  await settle(events, later, LATER_MS, 'it answered 500');
  await settle(events, dead, null, 'it answered 410');
  await settle(events, delivered, null, null);
}

/** Events that subscribers are told. */
export function checkOutgoing(check: Check): void {
  check('tells what a change of a status says, in the write of the change', async (t, harness) => {
    const { store, trail, events } = harness;
    const of = { tenant_id: TENANT, repo_name: 'Acme/Shop' };
    const updated_at = '2026-11-21T10:00:00.000Z';
    await insert(store, sampleRecord({ ...of, rfc_id: 'RFC-E0', overall_status: 'PASSED' }));
    const blocked = { ...of, overall_status: 'BLOCKED' as const, updated_at };
    await insert(store, sampleRecord({ ...blocked, rfc_id: 'RFC-E1' }));
    const draft = sampleDraft({ ...of, rfc_id: 'RFC-E2' });
    await insert(store, draft);
    const landed_blocked = { at: updated_at };
    const outcome = outcomeOf(draft, { ...blocked, landed_blocked });
    await store.completeDraft({ record: recordText(outcome), expectedRev: draft.rev });
    t.deepEqual((await idsIn(events, 'shop')).sort(), [
      'RFC-E1.1.rfc.blocked',
      'RFC-E2.2.rfc.blocked',
    ]);
    const [first] = (await claim(events, 'shop')) ?? [];
    t.like(first?.event, { type: 'rfc.blocked', tenant_id: TENANT, repo: 'Acme/Shop' });
    t.like(first?.event.data, { status: 'BLOCKED', findings: { critical: 0 } });
    // The second event of an RFC waits for the first.
    t.deepEqual((await idsIn(events, 'all')).sort(), await idsIn(events, 'shop'));
    await trail.decide(decisionOn({ tenant_id: TENANT, rfc_id: 'RFC-E2' }, 'op-e2'));
    const { overall_status } = await read(store, outcome);
    t.is(overall_status, 'OVERRIDDEN');
    for (const event_id of ['RFC-E2.2.rfc.blocked', 'RFC-E2.2.landed.blocked']) {
      t.true((await idsIn(events, 'all')).includes(event_id), event_id);
      await settle(events, { event_id, subject: 'RFC-E2' }, null, null);
    }
    const told = (await claim(events, 'all'))?.find(({ event }) => event.subject === 'RFC-E2');
    t.is(told?.event.event_id, 'RFC-E2.3.rfc.decided');
    t.like(told?.event.data, { decision: { action: 'override', emergency: false } });
    // A review that leaves the status as it is tells nothing.
    const same = { ...(await read(store, { ...outcome, rfc_id: 'RFC-E1' })), rev: 2 };
    await store.reviseRfc({ record: recordText(same), from: 'BLOCKED', expectedRev: 1 });
    t.deepEqual(await idsIn(events, 'shop'), ['RFC-E1.1.rfc.blocked', 'RFC-E2.2.rfc.blocked']);
  });

  check(
    'tells once that a person is asked to decide, in the write of the request',
    async (t, h) => {
      const { store, trail, events } = h;
      const record = sampleRecord({
        tenant_id: TENANT,
        rfc_id: 'RFC-E3',
        overall_status: 'PASSED',
      });
      await insert(store, record);
      const by = { id: 'ann', name: null };
      const request = { request_id: 'Q-1', asked: 'eve@a.example', by, at: record.updated_at };
      const id = { tenant_id: TENANT, rfc_id: 'RFC-E3' };
      const event = plainEvent({
        kind: 'request',
        op_id: 'op-e3',
        principal: { ...MANAGER, tenant_id: TENANT },
        rfc_id: 'RFC-E3',
        details: {},
      });
      const ask = () => trail.addRemark({ ...id, remark: { kind: 'request', request }, event });
      t.like(await ask(), { rev: record.rev + 1, replayed: false });
      t.like(await ask(), { replayed: true });
      const [told, ...more] = (await claim(events, 'all')) ?? [];
      t.deepEqual(more, []);
      t.is(told?.event.event_id, `RFC-E3.${record.rev + 1}.rfc.decision_requested`);
      t.like(told?.event, { type: 'rfc.decision_requested', subject: 'RFC-E3', at: request.at });
      t.like(told?.event.data, { asked: 'eve@a.example', asked_by: 'ann', status: 'PASSED' });
    },
  );

  check('keeps events in the order of their subject, also after a failure', async (t, harness) => {
    const { events } = harness;
    const told = [gap(1), gap(2), gap(3), gap(1, 'repo two')];
    await events.addEvents({ events: told });
    await events.addEvents({ events: told });
    t.deepEqual(await idsIn(events, 'shop'), []);
    t.deepEqual((await idsIn(events, 'all')).sort(), ['repo one.1', 'repo two.1']);
    await settle(events, gap(1), LATER_MS + HOUR_MS, 'it answered 500');
    t.deepEqual(await idsIn(events, 'all'), ['repo two.1']);
    await events.addEvents({ events: [gap(4)] });
    t.deepEqual(await idsIn(events, 'all'), ['repo two.1'], 'the one that fails goes first');
    const [again] = (await claim(events, 'all', LATER_MS + HOUR_MS)) ?? [];
    await harness.reopen();
    t.deepEqual((await idsIn(harness.events, 'all', LATER_MS + HOUR_MS)).sort(), [
      'repo one.1',
      'repo two.1',
    ]);
    const failed = (await claim(harness.events, 'all', LATER_MS + HOUR_MS))?.find(
      ({ event }) => event.subject === 'repo one',
    );
    t.like(failed, { tries: 1, failedMs: LATER_MS }, again?.event.event_id);
    await settle(harness.events, gap(1), null, 'it answered 410');
    t.true((await idsIn(harness.events, 'all', LATER_MS + HOUR_MS + 1)).includes('repo one.2'));
    const { lanes } = await harness.events.eventDepth({ lanes: ['all', 'none'] });
    t.deepEqual(lanes, [
      { lane: 'all', waiting: 4, oldestMs: NOW, dead: 1 },
      { lane: 'none', waiting: 0, oldestMs: null, dead: 0 },
    ]);
    const dead = await harness.events.listDeadEvents({ tenant_id: TENANT, limit: 10 });
    t.like(dead.events, [{ lane: 'all', event_id: 'repo one.1', tries: 2 }]);
    t.deepEqual((await harness.events.listDeadEvents({ tenant_id: 'x', limit: 9 })).events, []);
  });

  check('lists what is due also beside many events that wait for another', async (t, harness) => {
    const { events } = harness;
    const head = gap(9);
    await events.addEvents({ events: [head] });
    await settle(events, head, LATER_MS + HOUR_MS, 'it answered 500');
    const behind = Array.from({ length: EVENT_STORE.CLAIM_WINDOW + 1 }, (_, n) => gap(n + 10));
    await events.addEvents({ events: behind });
    await events.addEvents({ events: [gap(1, 'repo two', NOW + 1)] });
    t.deepEqual(await idsIn(events, 'all'), ['repo two.1']);
    const anew = LATER_MS + 2 * HOUR_MS;
    t.deepEqual(await idsIn(events, 'all', anew), ['repo two.1', 'repo one.9']);
    await settle(events, head, anew, 'it answered 500');
    t.deepEqual(await idsIn(events, 'all', anew), ['repo two.1', 'repo one.9']);
    for (const delivered of [head, gap(1, 'repo two')]) {
      await settle(events, delivered, null, null);
    }
    t.deepEqual(await idsIn(events, 'all', anew + 1), ['repo one.10']);
    // One that is sent again is the first of its subject, however many wait.
    const span = { fromMs: NOW, toMs: NOW + 1, nowMs: anew };
    await events.replayEvents({ tenant_id: TENANT, lane: 'all', ...span });
    t.deepEqual(await idsIn(events, 'all', anew + 1), ['repo one.9']);
  });

  check('replays what was delivered or given up in a span of time', async (t, { events }) => {
    const times = [NOW, NOW + HOUR_MS, NOW + 2 * HOUR_MS];
    const told = times.map((at, index) => gap(index, `at ${index}`, at));
    await events.addEvents({ events: told });
    for (const [index, event] of told.entries()) {
      await settle(events, event, null, index === 1 ? 'given up' : null);
    }
    t.deepEqual(await idsIn(events, 'all'), []);
    const span = { fromMs: NOW + HOUR_MS, toMs: NOW + 3 * HOUR_MS, nowMs: LATER_MS };
    const replay = { tenant_id: TENANT, lane: null, ...span };
    t.deepEqual(await events.replayEvents({ ...replay, tenant_id: 'default' }), { replayed: 0 });
    t.deepEqual(await events.replayEvents({ ...replay, lane: 'shop' }), { replayed: 0 });
    t.deepEqual(await events.replayEvents(replay), { replayed: 2 });
    t.deepEqual((await idsIn(events, 'all')).sort(), ['at 1.1', 'at 2.2']);
    t.deepEqual((await events.listDeadEvents({ tenant_id: TENANT, limit: 10 })).events, []);
    await fails(t, claim(events, 'all', NOW, 1_000), 'INVALID_ARGUMENT');
  });
}
