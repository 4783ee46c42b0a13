import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createHealth, type Health } from '../core/health.ts';
import { type Clock, createPause, systemClock } from '../core/rate-limit.ts';
import { CraError } from '../model/errors.ts';
import type { DueEvent, EventStore, LaneDepth } from '../store/contract/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import { type Delivered, deliver } from './deliver.ts';
import { EVENTS } from './limits.ts';
import { messageOf } from './message.ts';
import type { Subscription } from './subscription.ts';

/**
 * Delivers events to their subscribers. What is due is in the store, so that a crash loses nothing
 * and may repeat what was under way: each event arrives at least once, the events of a subject in
 * their order. A subscription that fails holds up no other.
 */
export interface EventOutbox {
  /** Begins to deliver. To be called once the service listens: events link to its address. */
  start(): void;
  /** Each subscription of a tenant (null: of all). */
  state(tenantId: string | null): SubscriptionState[];
  /** Lets deliveries under way end for a while, then breaks them off; they stay due. */
  stop(): Promise<void>;
}

export interface SubscriptionState {
  subscription: string;
  /** `limited`: the receiver asked to wait; `elsewhere`: another daemon delivers. */
  state: Health['state'] | 'elsewhere';
  /** Events that the receiver took, and events given up, of this daemon since its start. */
  delivered: number;
  given_up: number;
  /** In the store, as counted last; null: not counted yet. */
  waiting: number | null;
  oldest_seconds: number | null;
  /** Given up within the retention, and not replayed. */
  dead: number | null;
  /** Why the last delivery failed, also when that is over; null when absent. */
  error: string | null;
}

export interface EventOutboxOptions {
  subscriptions: readonly Subscription[];
  store: EventStore;
  /** Where people reach the service, without `/api/cra`. */
  baseUrl(): string;
  log: Logger;
  clock?: Clock;
  /** Of one delivery. */
  deadlineMs?: number;
}

/** Creates the outbox, with a lane for each subscription. */
export function createEventOutbox(options: EventOutboxOptions): EventOutbox {
  const { subscriptions, store, log } = options;
  const clock = options.clock ?? systemClock;
  const lanes = subscriptions.map((subscription) => createLane(subscription, options, clock));
  let depths: readonly LaneDepth[] = [];
  let timer: NodeJS.Timeout | undefined;

  async function count(): Promise<void> {
    try {
      depths = (await store.eventDepth({ lanes: subscriptions.map(({ id }) => id) })).lanes;
    } catch (error) {
      log.warn({ err: error }, 'the events that wait were not counted');
    }
  }

  return {
    start() {
      if (lanes.length === 0) return;
      for (const lane of lanes) lane.start();
      void count();
      timer = setInterval(() => void count(), EVENTS.DEPTH_INTERVAL_MS);
    },
    state: (tenantId) =>
      lanes
        .filter(({ subscription }) => tenantId === null || subscription.tenantId === tenantId)
        .map(({ subscription, state }) => {
          const depth = depths.find(({ lane }) => lane === subscription.id);
          const oldestMs = depth?.oldestMs ?? null;
          return {
            ...state(),
            waiting: depth?.waiting ?? null,
            oldest_seconds:
              oldestMs === null ? null : Math.max(0, Math.round((clock.now() - oldestMs) / 1_000)),
            dead: depth?.dead ?? null,
          };
        }),
    async stop() {
      clearInterval(timer);
      await Promise.all(lanes.map((lane) => lane.stop()));
    },
  };
}

function createLane(
  subscription: Subscription,
  { store, baseUrl, log, deadlineMs = EVENTS.DELIVERY_MS }: EventOutboxOptions,
  clock: Clock,
) {
  const { id: lane, url } = subscription;
  const pause = createPause(clock);
  const stopping = new AbortController();
  const pool = { keepAlive: true, maxSockets: EVENTS.PARALLEL_MAX };
  const agent = url.startsWith('https:') ? new HttpsAgent(pool) : new HttpAgent(pool);
  const health = createHealth({
    clock,
    pauseMsMin: EVENTS.PAUSE_MS_MIN,
    pauseMsMax: EVENTS.PAUSE_MS_MAX,
    onQuiet: (reason, waitMs) =>
      log.warn({ subscription: lane, reason, waitMs }, 'the receiver takes no events now'),
    onBack: () => log.info({ subscription: lane }, 'the receiver takes events again'),
  });
  let isStopping = false;
  let isElsewhere = false;
  let failuresInRow = 0;
  const sums = { delivered: 0, given_up: 0 };

  /** Claims and delivers; how long (ms) until the next round. */
  async function round(): Promise<number> {
    const quietMs = health.quietMs();
    if (quietMs > 0) return quietMs;
    const nowMs = clock.now();
    const endsAt = nowMs + (2 / 3) * EVENTS.LEASE_MS;
    // A receiver that was down is tried with one event first.
    const isTrial = health.state === 'down';
    const limit = isTrial ? 1 : EVENTS.CLAIM_MAX;
    const claim = { lane, leaseMs: EVENTS.LEASE_MS, nowMs, limit };
    const { events } = await store.claimEvents(claim);
    isElsewhere = events === null;
    if (events === null || events.length === 0) return EVENTS.POLL_INTERVAL_MS;
    const work = async () => {
      for (let due = events.shift(); due !== undefined; due = events.shift()) {
        if (isStopping || health.quietMs() > 0 || clock.now() > endsAt) return;
        await deliverOne(due);
      }
    };
    const works = Array.from({ length: EVENTS.PARALLEL_MAX }, work);
    const failure = (await Promise.allSettled(works)).find(({ status }) => status === 'rejected');
    if (failure?.status === 'rejected') throw failure.reason;
    return 0;
  }

  async function deliverOne(due: DueEvent): Promise<void> {
    const nowMs = clock.now();
    const message = messageOf(due.event, subscription, { baseUrl: baseUrl(), nowMs });
    const { signal } = stopping;
    const end = await deliver(subscription, message, { agent, signal, nowMs, deadlineMs });
    // Broken off by a stop: nothing is known of it.
    if (end.outcome !== 'delivered' && signal.aborted) return;
    noteHealth(end);
    await store.settleEvent(settlement(due, end));
  }

  function noteHealth(end: Delivered): void {
    if (end.outcome === 'delivered') {
      failuresInRow = 0;
      sums.delivered += 1;
      health.onSuccess();
      return;
    }
    const { reason, retryAfterMs: waitMs } = end;
    if (end.outcome === 'refused') {
      failuresInRow = 0;
      health.onSuccess();
      health.onProblem({ outcome: 'failed', reason });
      return;
    }
    failuresInRow += 1;
    const isDown = failuresInRow >= EVENTS.FAILURES_MAX || health.state === 'down';
    const outcome = isDown ? 'down' : waitMs > 0 ? 'limited' : 'failed';
    health.onProblem({ outcome, reason, waitMs });
  }

  function settlement({ event, tries, failedMs }: DueEvent, end: Delivered) {
    const { event_id, subject } = event;
    const nowMs = clock.now();
    const settled = { lane, event_id, subject, nowMs };
    if (end.outcome === 'delivered') return { ...settled, dueMs: null, reason: null };
    const { outcome, reason, retryAfterMs } = end;
    const isOver = failedMs !== null && nowMs - failedMs >= EVENTS.GIVE_UP_MS;
    if (outcome === 'gone' || isOver) {
      sums.given_up += 1;
      log.warn({ subscription: lane, eventId: event_id, reason }, 'an event is given up');
      return { ...settled, dueMs: null, reason };
    }
    return { ...settled, dueMs: nowMs + Math.max(retryAfterMs, retryMs(tries)), reason };
  }

  async function run(): Promise<void> {
    while (!isStopping) await pause.wait(await round().catch(onStoreError));
  }

  function onStoreError(thrown: unknown): number {
    const err = CraError.fromUnknown(thrown);
    if (!isStopping) log.error({ err, subscription: lane }, 'events cannot be read or noted');
    return EVENTS.POLL_INTERVAL_MS;
  }

  let running: Promise<void> | null = null;
  return {
    subscription,
    start() {
      running ??= run();
    },
    state: () => ({
      subscription: lane,
      state: isElsewhere ? ('elsewhere' as const) : health.state,
      ...sums,
      error: health.lastError?.reason ?? null,
    }),
    async stop() {
      isStopping = true;
      pause.wake();
      const revoke = clock.after(EVENTS.STOP_MS, () => stopping.abort());
      await running;
      revoke();
      agent.destroy();
    },
  };
}

/** The pause (ms) before the next try of an event that failed so many times before. */
function retryMs(tries: number): number {
  return Math.min(EVENTS.RETRY_MS_MAX, EVENTS.RETRY_MS_MIN * 2 ** Math.min(tries, 20));
}
