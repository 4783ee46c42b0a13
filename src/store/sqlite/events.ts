import type { ServiceEvent } from '../../model/event.ts';
import type { EventLane } from '../contract/events.ts';
import type { StoreReader, StoreWriter } from '../contract/store.ts';
import { EVENT_STORE, STORE } from '../limits.ts';
import { deadEvent, dueEvent, eventRows } from '../steps/event.ts';
import { type Connection, insertInto, prepared, sql } from './connection.ts';
import type { Steps } from './group-commit.ts';

const IS_DEAD = 'due_ms IS NULL AND reason IS NOT NULL';

/** Statements on events. */
export const EVENT_QUERIES = {
  addEvent: insertInto(
    'event',
    'lane event_id tenant_id subject place at_ms due_ms tries json',
    'ON CONFLICT (lane, event_id) DO NOTHING',
  ),
  waitForSubject: `
    UPDATE event SET due_ms = max(due_ms, coalesce((
      SELECT due_ms + 1 FROM event AS earlier INDEXED BY event_open
      WHERE earlier.lane = event.lane AND earlier.subject = event.subject
        AND earlier.place < event.place AND earlier.due_ms IS NOT NULL
      ORDER BY earlier.place LIMIT 1), 0))
    WHERE lane = ? AND event_id = ?`,
  // The window bounds a claim. The first event of it can be sent: no event is due before the ones
  // of its subject before it.
  dueEvents: sql<{ json: string; tries: number; failed_ms: number | null }>(`
    SELECT json, tries, failed_ms FROM (
      SELECT lane, subject, place, json, tries, failed_ms FROM event INDEXED BY event_due
      WHERE lane = ? AND due_ms <= ? ORDER BY due_ms LIMIT ${EVENT_STORE.CLAIM_WINDOW}
    ) AS due
    WHERE NOT EXISTS (
      SELECT 1 FROM event AS earlier INDEXED BY event_open
      WHERE earlier.lane = due.lane AND earlier.subject = due.subject
        AND earlier.place < due.place AND earlier.due_ms IS NOT NULL)
    LIMIT ?`),
  endEvent: `
    UPDATE event SET due_ms = NULL, reason = ?, tries = tries + ?
    WHERE lane = ? AND event_id = ?`,
  failEvent: `
    UPDATE event SET tries = tries + 1, failed_ms = coalesce(failed_ms, ?), reason = ?, due_ms = ?
    WHERE lane = ? AND event_id = ? AND due_ms IS NOT NULL`,
  putOffSubject: `
    UPDATE event INDEXED BY event_open SET due_ms = max(due_ms, ?)
    WHERE lane = ? AND subject = ? AND due_ms IS NOT NULL AND event_id <> ?`,
  replayEvents: `
    UPDATE event INDEXED BY event_by_time
    SET due_ms = min(at_ms, ?), failed_ms = NULL, tries = 0, reason = NULL
    WHERE at_ms >= ? AND at_ms < ? AND tenant_id = ? AND lane = coalesce(?, lane)
      AND due_ms IS NULL`,
  dropEvents: 'DELETE FROM event INDEXED BY event_by_time WHERE at_ms < ?',
  deadEvents: sql<{ lane: string; json: string; tries: number; reason: string }>(`
    SELECT lane, json, tries, reason FROM event INDEXED BY event_dead_of
    WHERE tenant_id = ? AND ${IS_DEAD} ORDER BY at_ms DESC LIMIT ?`),
  waitingEvents: sql<{ count: number; oldest: number | null }>(`
    SELECT count(*) AS count, min(at_ms) AS oldest FROM (
      SELECT at_ms FROM event INDEXED BY event_waiting
      WHERE lane = ? AND due_ms IS NOT NULL ORDER BY at_ms LIMIT ${EVENT_STORE.COUNTED_MAX})`),
  countDead: sql<{ count: number }>(`
    SELECT count(*) AS count FROM (
      SELECT 1 FROM event INDEXED BY event_dead
      WHERE lane = ? AND ${IS_DEAD} LIMIT ${EVENT_STORE.COUNTED_MAX})`),
} as const;

/** The writing steps of Events; `publish` is a part of the step that writes a fact. */
export function createEventSteps(database: Connection, lanes: readonly EventLane[]) {
  const queries = prepared(database, EVENT_QUERIES);

  function publish(events: readonly ServiceEvent[]): void {
    for (const { lane, event_id, ...row } of eventRows(events, lanes)) {
      const atMs = BigInt(row.at_ms);
      const times = [BigInt(row.place), atMs, atMs, 0n];
      const about = [row.tenant_id, row.subject];
      const { changes } = queries.addEvent.run(lane, event_id, ...about, ...times, row.json);
      if (changes === 1) queries.waitForSubject.run(lane, event_id);
    }
  }

  const steps: Steps<StoreWriter['events']> = {
    addEvents({ events }) {
      publish(events);
      return { ok: true };
    },
    // The one daemon of the database has every lane.
    claimEvents({ lane, nowMs, limit }) {
      queries.dropEvents.run(BigInt(nowMs - STORE.RETENTION_MS));
      const rows = queries.dueEvents.all(lane, BigInt(nowMs), limit);
      return { events: rows.map(dueEvent) };
    },
    settleEvent({ lane, event_id, subject, nowMs, dueMs, reason }) {
      if (dueMs === null) {
        queries.endEvent.run(reason, reason === null ? 0 : 1, lane, event_id);
        return { ok: true };
      }
      queries.failEvent.run(BigInt(nowMs), reason, BigInt(dueMs), lane, event_id);
      queries.putOffSubject.run(BigInt(dueMs + 1), lane, subject, event_id);
      return { ok: true };
    },
    replayEvents({ tenant_id, lane, fromMs, toMs, nowMs }) {
      const span = [BigInt(nowMs), BigInt(fromMs), BigInt(toMs)];
      return { replayed: queries.replayEvents.run(...span, tenant_id, lane).changes };
    },
  };
  return { steps, publish };
}

/** The reading methods of Events. */
export function createEventReader(database: Connection): StoreReader['events'] {
  const queries = prepared(database, EVENT_QUERIES);
  return {
    listDeadEvents({ tenant_id, limit }) {
      return { events: queries.deadEvents.all(tenant_id, limit).map(deadEvent) };
    },
    eventDepth({ lanes }) {
      return {
        lanes: lanes.map((lane) => {
          const { count = 0, oldest = null } = queries.waitingEvents.get(lane) ?? {};
          const dead = queries.countDead.get(lane)?.count ?? 0;
          return { lane, waiting: count, oldestMs: oldest, dead };
        }),
      };
    },
  };
}
