import type { EventType, ServiceEvent } from '../../model/event.ts';
import type { Client } from '../../rpc/service.ts';
import { EVENT_STORE } from '../limits.ts';
import { limited, read, write } from './method.ts';

/**
 * Events of subscriptions at rest: a row for each event and each subscription that wants
 * it, kept STORE.RETENTION_DAYS. The promises of `Records` hold here, too.
 *
 * **How to emit an event.** A fact and its event are written in one step:
 * - of an RFC: `eventsOf` (model/event) gives the events of a change of its status; both stores
 *   write them with the record.
 * - in a step of SQLite: `createEventSteps(database, lanes).publish(events)` in the transaction of
 *   the fact.
 * - in MongoDB: `addPending(events, lanes)` in the `$set` of the document of an RFC.
 * - a fact that no store keeps (a check of a host): `addEvents`, before the fact is forgotten.
 *
 * The `event_id` is made of the fact, so that a step that is repeated adds nothing; `subject` and
 * `place` give the order. Events without a subscription are not written.
 */
export const Events = {
  name: 'Events',
  methods: {
    /** Adds events of facts that the store does not keep itself; an event that is known stays. */
    addEvents: write<{ events: ServiceEvent[] }, { ok: true }>(),
    /**
     * Takes a lane for `leaseMs`, or keeps it, and lists what is due in it: of each subject the
     * event before all others that are not delivered, the longest due first. Null: another daemon
     * has the lane. One daemon delivers the events of a lane, so that their order is kept.
     */
    claimEvents: write<ClaimEvents, { events: DueEvent[] | null }>(limited(EVENT_STORE.CLAIM_MAX)),
    /** Notes how a delivery ended. A delivery to be tried again puts off all of its subject. */
    settleEvent: write<SettleEvent, { ok: true }>(),
    /**
     * Makes the events due again that were made in [fromMs, toMs) for a lane (null: for each lane
     * of the tenant), delivered or given up, with the ids that they had.
     */
    replayEvents: write<ReplayEvents, { replayed: number }>(),
    /** Events of a tenant that were given up, the newest first. */
    listDeadEvents: read<{ tenant_id: string; limit: number }, { events: DeadEvent[] }>(
      limited(EVENT_STORE.LIST_MAX),
    ),
    /** What waits in these lanes and what was given up; counted up to EVENT_STORE.COUNTED_MAX. */
    eventDepth: read<{ lanes: string[] }, { lanes: LaneDepth[] }>(),
  },
} as const;

export type EventStore = Client<typeof Events>;

/** What a store has to know of a subscription. */
export interface EventLane {
  /** The id of the subscription. */
  id: string;
  tenantId: string;
  types: readonly EventType[];
  /** Names of repositories, in lower case; null: all, and events of no repository. */
  repos: readonly string[] | null;
}

/** The lanes that an event goes to. */
export function lanesOf(
  { tenant_id, type, repo }: ServiceEvent,
  lanes: readonly EventLane[],
): EventLane[] {
  return lanes.filter(({ tenantId, types, repos }) => {
    if (tenantId !== tenant_id || !types.includes(type)) return false;
    return repos === null || (repo !== null && repos.includes(repo.toLowerCase()));
  });
}

export interface ClaimEvents {
  lane: string;
  leaseMs: number;
  /** Ms since the epoch. */
  nowMs: number;
  /** At most EVENT_STORE.CLAIM_MAX. */
  limit: number;
}

export interface DueEvent {
  event: ServiceEvent;
  /** Deliveries that failed. */
  tries: number;
  /** Ms since the epoch of the first of them; null when absent. */
  failedMs: number | null;
}

export interface SettleEvent {
  lane: string;
  event_id: string;
  subject: string;
  /** Ms since the epoch of the end of the delivery. */
  nowMs: number;
  /** When to try again; null: it was delivered or is given up. */
  dueMs: number | null;
  /** Why it failed, in words of ours; null: it was delivered. */
  reason: string | null;
}

export interface ReplayEvents {
  tenant_id: string;
  /** Of the lanes of the tenant; null: all of them. */
  lane: string | null;
  fromMs: number;
  toMs: number;
  nowMs: number;
}

export interface DeadEvent {
  lane: string;
  event_id: string;
  type: EventType;
  subject: string;
  /** When the fact was, ISO 8601, UTC. */
  at: string;
  tries: number;
  reason: string;
}

export interface LaneDepth {
  lane: string;
  waiting: number;
  /** Ms since the epoch of the oldest event that waits; null: no event waits. */
  oldestMs: number | null;
  dead: number;
}
