import { setImmediate } from 'node:timers/promises';
import ICAL from 'ical.js';

/** A time that a calendar covers: local times of its zone, as ms of a clock in UTC. */
export interface Occurrence {
  startMs: number;
  endMs: number;
  zone: string;
}

/** The events of a calendar. */
export interface Calendar {
  /**
   * The occurrence that covers a time (ms since the epoch), or null. Times of one calendar are
   * asked for in their order. Throws when there are more than `occurrencesMax` until then.
   */
  at(ms: number, occurrencesMax: number): Promise<Occurrence | null>;
}

/** Occurrences that are computed without a pause for other work. */
const SLICE = 40;

/**
 * Reads a calendar of RFC 5545: events (VEVENT, perhaps within a VCALENDAR), or the properties of
 * one event. Times without a zone are of `zone`, a name of the IANA database. Throws an Error in
 * words for its author.
 */
export function readCalendar(text: string, zone: string): Calendar {
  const events = eventsOf(text).map((event) => createEvent(event, zone));
  if (events.length === 0) throw new Error('it has no event');
  return {
    async at(ms, occurrencesMax) {
      for (const event of events) {
        const found = await event(ms, occurrencesMax);
        if (found !== null) return found;
      }
      return null;
    },
  };
}

/** A time as the clock of a zone shows it, as ms of a clock in UTC; RangeError: no such zone. */
export function localMs(ms: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(ms);
  const value = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const day = [value('year'), value('month') - 1, value('day')] as const;
  return Date.UTC(...day, value('hour'), value('minute'), value('second'));
}

function eventsOf(text: string): ICAL.Component[] {
  const lines = text.trim().replace(/\r?\n/g, '\r\n');
  const isWhole = /^BEGIN:/i.test(lines);
  const wrapped = isWhole ? lines : `BEGIN:VEVENT\r\n${lines}\r\nEND:VEVENT`;
  const root = new ICAL.Component(ICAL.parse(wrapped));
  return root.name === 'vevent' ? [root] : root.getAllSubcomponents('vevent');
}

/** Other properties would change which times are meant. */
const UNSUPPORTED = ['recurrence-id', 'exrule'];
/** Rules that repeat more often have too many occurrences to look through. */
const FREQUENCIES = new Set(['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY']);

function createEvent(component: ICAL.Component, fallback: string) {
  const [refused] = UNSUPPORTED.filter((name) => component.hasProperty(name));
  if (refused !== undefined) throw new Error(`${refused.toUpperCase()} is not supported`);
  const start = component.getFirstProperty('dtstart');
  if (start === null) throw new Error('an event has no DTSTART');
  const event = new ICAL.Event(component);
  const zone = zoneOf(start, fallback);
  const lengthMs = event.duration.toSeconds() * SECOND_MS;
  if (!(lengthMs > 0)) throw new Error('an event has no DTEND or DURATION after its DTSTART');
  for (const { freq } of component.getAllProperties('rrule').map(ruleOf)) {
    if (!FREQUENCIES.has(freq)) throw new Error(`FREQ=${freq} is not supported`);
  }
  const iterator = event.isRecurring() ? event.iterator() : null;
  const once = iterator === null ? [event.startDate] : [];
  const next = () => (iterator === null ? once.shift() : iterator.next()) ?? null;
  /** The newest occurrences that have begun and not ended, and the first that has not begun. */
  let open: Occurrence[] = [];
  let count = 0;
  let isOver = false;

  return async (ms: number, occurrencesMax: number): Promise<Occurrence | null> => {
    const now = localMs(ms, zone);
    while (!isOver && (open.at(-1)?.startMs ?? Number.NEGATIVE_INFINITY) <= now) {
      const time = next();
      if (time === null) isOver = true;
      else {
        const startMs = fieldsMs(time);
        open.push({ startMs, endMs: startMs + lengthMs, zone });
      }
      count += 1;
      if (count > occurrencesMax) throw new Error(`it has more than ${occurrencesMax} occurrences`);
      if (count % SLICE === 0) await setImmediate();
    }
    open = open.filter(({ endMs }) => endMs > now);
    return open.find(({ startMs }) => startMs <= now) ?? null;
  };
}

const SECOND_MS = 1_000;

function ruleOf(property: ICAL.Property): ICAL.Recur {
  return property.getFirstValue() as ICAL.Recur;
}

function zoneOf(start: ICAL.Property, fallback: string): string {
  const value = start.getFirstValue() as ICAL.Time;
  const named = start.getFirstParameter('tzid');
  const zone = value.zone === ICAL.Timezone.utcTimezone ? 'UTC' : (named ?? fallback);
  try {
    localMs(0, zone);
    return zone;
  } catch {
    throw new Error(`the IANA database has no time zone "${zone}"`);
  }
}

function fieldsMs({ year, month, day, hour, minute, second }: ICAL.Time): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
