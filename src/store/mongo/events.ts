import type { Document } from 'mongodb';
import type { ServiceEvent } from '../../model/event.ts';
import { type EventLane, lanesOf } from '../contract/events.ts';
import type { StoreDriver } from '../contract/store.ts';
import { EVENT_STORE } from '../limits.ts';
import { deadEvent, dueEvent, type EventRow, eventRow, eventRows } from '../steps/event.ts';
import type { Collections } from './database.ts';
import type { EventDocument, RfcDocument } from './documents.ts';
import { bounded, insertMissing } from './operations.ts';
import { countOf, findAll, findFirst, query } from './queries.ts';

/** Not delivered and not given up; given up. A missing `due_ms` is null. */
export const IS_OPEN_EVENT = { due_ms: { $gte: 0 } };
export const IS_DEAD_EVENT = { reason: { $gt: '' } };

/** Queries on events; test/store/mongo/records.test.ts holds the plan of each. */
export const EVENT_QUERIES = {
  due: (lane: string, nowMs: number) =>
    query<EventDocument>(
      { lane, due_ms: { $gte: 0, $lte: nowMs } },
      'subject place tries failed_ms json',
      { sort: { due_ms: 1 }, limit: EVENT_STORE.CLAIM_WINDOW, hint: 'due' },
    ),
  openOf: (lane: string, subjects: readonly string[]) =>
    query<EventDocument>(
      { lane, subject: { $in: [...subjects] }, ...IS_OPEN_EVENT },
      'subject place due_ms -_id',
      { hint: 'open' },
    ),
  dead: (tenant_id: string, limit: number) =>
    query<EventDocument>({ tenant_id, due_ms: null, ...IS_DEAD_EVENT }, 'tries reason json', {
      sort: { at: -1 },
      limit,
      hint: 'dead_of',
    }),
  deadIn: (lane: string) =>
    query<EventDocument>({ lane, due_ms: null, ...IS_DEAD_EVENT }, '_id', {
      limit: EVENT_STORE.COUNTED_MAX,
      hint: 'dead',
    }),
  waiting: (lane: string, limit: number = EVENT_STORE.COUNTED_MAX) =>
    query<EventDocument>({ lane, ...IS_OPEN_EVENT }, 'at -_id', {
      sort: { at: 1 },
      limit,
      hint: 'waiting',
    }),
} as const;

/** RFCs whose events are still in their documents. */
export const PENDING_QUERY = query({ 'events.event_id': { $gt: '' } }, 'events', {
  limit: EVENT_STORE.CLAIM_WINDOW,
  // A stored name.
  hint: 'untold',
});

/**
 * Part of the `$set` of a pipeline: the events of a change of an RFC stand in its document,
 * written with the change, until `movePending` gives each lane its row.
 */
export function addPending(events: readonly ServiceEvent[], lanes: readonly EventLane[]): Document {
  const added = pendingEvents(events, lanes);
  if (added.length === 0) return {};
  return { events: { $concatArrays: [{ $ifNull: ['$events', []] }, { $literal: added }] } };
}

/** The same of a new document. */
export function pendingEvents(
  events: readonly ServiceEvent[],
  lanes: readonly EventLane[],
): NonNullable<RfcDocument['events']> {
  return events.flatMap((event) => {
    const wanted = lanesOf(event, lanes).map(({ id }) => id);
    const { event_id } = event;
    return wanted.length === 0 ? [] : [{ event_id, lanes: wanted, json: JSON.stringify(event) }];
  });
}

function documentOf({ at_ms, ...row }: EventRow): EventDocument {
  const { lane, event_id } = row;
  const fresh = { due_ms: at_ms, failed_ms: null, tries: 0, reason: null };
  return { _id: { lane, event_id }, ...row, at: new Date(at_ms), ...fresh };
}

/** Gives rows to the events in documents of RFCs; resolves with the number of these RFCs. */
export async function movePending({
  rfcs,
  events,
}: Pick<Collections, 'rfcs' | 'events'>): Promise<number> {
  const found = await bounded(findAll(rfcs, PENDING_QUERY));
  const rows = found
    .flatMap(({ events: each = [] }) => each)
    .flatMap(({ lanes, json }) => lanes.map((lane) => eventRow(lane, JSON.parse(json))));
  await insertMissing(events, rows.map(documentOf));
  const operations = found.map(({ _id, events: each = [] }) => {
    const event_id = { $in: each.map((one) => one.event_id) };
    return { updateOne: { filter: { _id }, update: { $pull: { events: { event_id } } } } };
  });
  if (operations.length > 0) await bounded(rfcs.bulkWrite(operations, { ordered: false }));
  return found.length;
}

/** Part of a write: the events of a subject that would be sent sooner wait until `dueMs`. */
function putOff(lane: string, subject: string, dueMs: number) {
  const filter = { lane, subject, due_ms: { $gte: 0, $lt: dueMs } };
  return { filter, update: { $set: { due_ms: dueMs } }, hint: 'open' };
}

/** The methods of Events for the daemon `instance`. */
export function createEventService(
  collections: Collections,
  lanes: readonly EventLane[],
  instance: string,
): StoreDriver['events'] {
  const { events, meta } = collections;

  /** On the server's clock; whether the daemon has the lane now. */
  async function takeLane(lane: string, leaseMs: number): Promise<boolean> {
    const owner = { $literal: instance };
    const isFree = { $lt: [{ $ifNull: ['$until', new Date(0)] }, '$$NOW'] };
    const isOurs = { $or: [{ $eq: ['$owner', owner] }, isFree] };
    const until = { $add: ['$$NOW', leaseMs] };
    const taken = {
      owner: { $cond: [isOurs, owner, '$owner'] },
      until: { $cond: [isOurs, until, '$until'] },
    };
    const found = await meta.findOneAndUpdate({ _id: `events:${lane}` }, [{ $set: taken }], {
      upsert: true,
      returnDocument: 'after',
    });
    return found?.['owner'] === instance;
  }

  /**
   * Of each subject the first event, of the events that are due longest. An event that came while
   * the first of its subject was put off waits with it from here on, so that it fills no claim.
   */
  async function headsIn(lane: string, nowMs: number): Promise<EventDocument[]> {
    const due = await findAll(events, EVENT_QUERIES.due(lane, nowMs));
    const subjects = [...new Set(due.map(({ subject }) => subject))];
    const open = await findAll(events, EVENT_QUERIES.openOf(lane, subjects));
    const first = new Map<string, (typeof open)[number]>();
    for (const event of open) {
      const known = first.get(event.subject);
      if (known === undefined || event.place < known.place) first.set(event.subject, event);
    }
    const heads = due.filter(({ subject, place }) => first.get(subject)?.place === place);
    const late = [...first.values()].filter(({ due_ms }) => Number(due_ms) > nowMs);
    if (heads.length > 0 || late.length === 0) return heads;
    const operations = late.map(({ subject, due_ms }) => ({
      updateMany: putOff(lane, subject, Number(due_ms) + 1),
    }));
    await bounded(events.bulkWrite(operations, { ordered: false }));
    return await headsIn(lane, nowMs);
  }

  return {
    async addEvents({ events: added }) {
      await insertMissing(events, eventRows(added, lanes).map(documentOf));
      return { ok: true };
    },
    async claimEvents({ lane, leaseMs, nowMs, limit }) {
      if (!(await takeLane(lane, leaseMs))) return { events: null };
      await movePending(collections);
      const heads = await headsIn(lane, nowMs);
      return { events: heads.slice(0, limit).map(dueEvent) };
    },
    async settleEvent({ lane, event_id, subject, nowMs, dueMs, reason }) {
      const _id = { lane, event_id };
      const failed = { tries: { $add: ['$tries', reason === null ? 0 : 1] }, reason };
      if (dueMs === null) {
        await events.updateOne({ _id }, [{ $set: { ...failed, due_ms: null } }]);
        return { ok: true };
      }
      const failed_ms = { $ifNull: ['$failed_ms', nowMs] };
      const again = [{ $set: { ...failed, failed_ms, due_ms: dueMs } }];
      await events.updateOne({ _id, ...IS_OPEN_EVENT }, again);
      const { filter, update, hint } = putOff(lane, subject, dueMs + 1);
      await events.updateMany({ ...filter, _id: { $ne: _id } }, update, { hint });
      return { ok: true };
    },
    async replayEvents({ tenant_id, lane, fromMs, toMs, nowMs }) {
      const at = { $gte: new Date(fromMs), $lt: new Date(toMs) };
      const of = lane === null ? { tenant_id } : { tenant_id, lane };
      const due_ms = { $min: [nowMs, { $toLong: '$at' }] };
      const again = { due_ms, failed_ms: null, tries: 0, reason: null };
      const ended = { ...of, at, due_ms: null };
      const { modifiedCount } = await bounded(
        events.updateMany(ended, [{ $set: again }], { hint: 'retention' }),
      );
      return { replayed: modifiedCount };
    },
    async listDeadEvents({ tenant_id, limit }) {
      const found = await findAll(events, EVENT_QUERIES.dead(tenant_id, limit));
      return { events: found.map(({ _id: { lane }, ...row }) => deadEvent({ ...row, lane })) };
    },
    async eventDepth({ lanes: names }) {
      const depths = names.map(async (lane) => {
        const [oldest, waiting, dead] = await Promise.all([
          findFirst(events, EVENT_QUERIES.waiting(lane, 1)),
          countOf(events, EVENT_QUERIES.waiting(lane)),
          countOf(events, EVENT_QUERIES.deadIn(lane)),
        ]);
        // An event that came or went in between is counted next time.
        const isEmpty = oldest === null || waiting === 0;
        return { lane, waiting, oldestMs: isEmpty ? null : oldest.at.getTime(), dead };
      });
      return { lanes: await Promise.all(depths) };
    },
  };
}
