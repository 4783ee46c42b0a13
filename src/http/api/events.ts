import { ACCESS } from '../../auth/access.ts';
import type { EventOutbox } from '../../events/outbox.ts';
import { CraError, invalidField } from '../../model/errors.ts';
import { EVENT_TYPES } from '../../model/event.ts';
import { COUNT, END, endTime, exactly, TEXT, TEXT_OR_NULL, TIME } from '../../model/schema.ts';
import type { EventStore } from '../../store/contract/events.ts';
import { EVENT_STORE } from '../../store/limits.ts';
import type { Handler, Route } from '../server/dispatch.ts';
import { dataReply } from '../server/reply.ts';
import { createBodyReader, GET, POST } from './endpoint.ts';

const COUNT_OR_NULL = { type: ['integer', 'null'], minimum: 0 } as const;

/** A subscription to events and its deliveries. */
export const SUBSCRIPTION_STATE = exactly({
  subscription: TEXT,
  state: {
    type: 'string',
    enum: ['up', 'down', 'limited', 'elsewhere'],
    description: 'limited: the receiver asked to wait; elsewhere: another daemon delivers',
  },
  delivered: { ...COUNT, description: 'By this daemon since its start' },
  given_up: { ...COUNT, description: 'By this daemon since its start' },
  waiting: { ...COUNT_OR_NULL, description: 'Of all daemons; null: not counted yet' },
  oldest_seconds: { ...COUNT_OR_NULL, description: 'Age of the oldest event that waits' },
  dead: { ...COUNT_OR_NULL, description: 'Events that were given up and not replayed' },
  error: { ...TEXT_OR_NULL, description: 'Of the last delivery that failed' },
});

const DEAD_EVENT = exactly({
  lane: { ...TEXT, description: 'Id of the subscription' },
  event_id: TEXT,
  type: { type: 'string', enum: [...EVENT_TYPES] },
  subject: { ...TEXT, description: 'The RFC, deploy or repository' },
  at: TIME,
  tries: COUNT,
  reason: TEXT,
});

const EVENTS_ANSWER = exactly({
  subscriptions: { type: 'array', items: SUBSCRIPTION_STATE },
  dead: {
    type: 'array',
    items: DEAD_EVENT,
    maxItems: EVENT_STORE.LIST_MAX,
    description: 'The newest events that were given up',
  },
});

const MOMENT = { type: 'string', pattern: END, description: 'A day, or a time in UTC' } as const;

const REPLAY = {
  type: 'object',
  required: ['from'],
  properties: {
    from: MOMENT,
    to: { ...MOMENT, description: 'Exclusive; absent: now' },
    subscription: { ...TEXT, description: 'Absent: every subscription of the tenant' },
  },
} as const;

/** Endpoints of events and their deliveries. */
export const EVENT_ROUTES = [
  {
    ...GET,
    name: 'events',
    path: '/api/cra/events',
    summary: 'Subscriptions to events, how their deliveries go, and events that were given up',
    auth: ACCESS.read,
    query: null,
    data: EVENTS_ANSWER,
  },
  {
    ...POST,
    name: 'events-replay',
    path: '/api/cra/events/replay',
    summary: 'Deliver the events of a span of time again',
    auth: ACCESS.replayEvents,
    body: REPLAY,
    data: exactly({ replayed: COUNT }),
    refusals: [404],
  },
] as const satisfies readonly Route[];

/** Their handlers; `now` is ms since the epoch. */
export function createEventHandlers(
  outbox: Pick<EventOutbox, 'state'>,
  store: Pick<EventStore, 'listDeadEvents' | 'replayEvents'>,
  now: () => number,
): Record<(typeof EVENT_ROUTES)[number]['name'], Handler> {
  const readReplay = createBodyReader(REPLAY);
  return {
    async events({ principal: { tenant_id } }) {
      const { events: dead } = await store.listDeadEvents({
        tenant_id,
        limit: EVENT_STORE.LIST_MAX,
      });
      return dataReply(JSON.stringify({ subscriptions: outbox.state(tenant_id), dead }));
    },
    async 'events-replay'({ principal: { tenant_id }, request }) {
      const { from, to, subscription: lane = null } = await readReplay(request);
      const nowMs = now();
      const fromMs = momentOf('from', from);
      const toMs = to === undefined ? nowMs : momentOf('to', to);
      if (toMs <= fromMs) throw invalidField('to', 'must be later than from');
      if (lane !== null && !outbox.state(tenant_id).some((one) => one.subscription === lane)) {
        throw new CraError('NOT_FOUND', 'no subscription has this id');
      }
      const replay = { tenant_id, lane, fromMs, toMs, nowMs };
      return dataReply(JSON.stringify(await store.replayEvents(replay)));
    },
  };
}

function momentOf(field: string, text: string): number {
  const time = endTime(text);
  if (time === null) throw invalidField(field, 'must be a day or a time in UTC, ISO 8601');
  return Date.parse(time);
}
