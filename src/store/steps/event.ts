import type { ServiceEvent } from '../../model/event.ts';
import { type DeadEvent, type DueEvent, type EventLane, lanesOf } from '../contract/events.ts';

/** A row of an event: one for each subscription that wants it. */
export interface EventRow {
  lane: string;
  event_id: string;
  tenant_id: string;
  subject: string;
  place: number;
  /** Ms since the epoch of the fact, and when it is due: at once. */
  at_ms: number;
  /** JSON of the ServiceEvent. */
  json: string;
}

/** The rows of events. */
export function eventRows(events: readonly ServiceEvent[], lanes: readonly EventLane[]) {
  return events.flatMap((event) => lanesOf(event, lanes).map(({ id }) => eventRow(id, event)));
}

/** The row of an event for one subscription. */
export function eventRow(lane: string, event: ServiceEvent): EventRow {
  const { event_id, tenant_id, subject, place, at } = event;
  const row = { lane, event_id, tenant_id, subject, place };
  return { ...row, at_ms: Date.parse(at), json: JSON.stringify(event) };
}

/** An event that is due, from its row. */
export function dueEvent(row: { json: string; tries: number; failed_ms: number | null }): DueEvent {
  const { json, tries, failed_ms: failedMs } = row;
  return { event: JSON.parse(json) as ServiceEvent, tries, failedMs };
}

/** An event that was given up, from its row. */
export function deadEvent(row: {
  lane: string;
  json: string;
  tries: number;
  reason: string | null;
}): DeadEvent {
  const { lane, json, tries, reason } = row;
  const { event_id, type, subject, at } = JSON.parse(json) as ServiceEvent;
  return { lane, event_id, type, subject, at, tries, reason: reason ?? '' };
}
