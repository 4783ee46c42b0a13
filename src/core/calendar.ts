import { setImmediate } from 'node:timers/promises';
import ICAL from 'ical.js';

/** A time without a gap that a calendar covers, as ms since the epoch. */
export interface Occurrence {
  startMs: number;
  endMs: number;
  /** Of the event that began first. */
  zone: string;
}

/** The events of a calendar. */
export interface Calendar {
  /**
   * The time that covers a time (ms since the epoch), or null; occurrences that overlap are one, as
   * far as they have begun. Times of one calendar are asked for in their order. Throws when there
   * are more than `occurrencesMax` until then, or when a rule has none for too long.
   */
  at(ms: number, occurrencesMax: number): Promise<Occurrence | null>;
}

/** Ms of occurrences that are computed without a pause for other work. */
const SLICE_MS = 4;

/**
 * Reads a calendar of RFC 5545: events (VEVENT, perhaps within a VCALENDAR), or the properties of
 * one event. Times without a zone are of `zone`, a name of the IANA database. Throws an Error in
 * words for its author.
 */
export function readCalendar(text: string, zone: string): Calendar {
  const events = eventsOf(text).map((event) => openEvent(event, zone));
  if (events.length === 0) throw new Error('it has no event');
  let covered: Occurrence | null = null;
  let count = 0;
  return {
    async at(ms, occurrencesMax) {
      let sliceEnd = performance.now() + SLICE_MS;
      for (;;) {
        const [event] = events
          .filter(({ next }) => (next?.startMs ?? Number.POSITIVE_INFINITY) <= ms)
          .sort((a, b) => (a.next?.startMs ?? 0) - (b.next?.startMs ?? 0));
        if (!event?.next) break;
        covered = joined(covered, event.next);
        count += 1;
        if (count > occurrencesMax) {
          throw new Error(`it has more than ${occurrencesMax} occurrences`);
        }
        event.advance();
        if (performance.now() < sliceEnd) continue;
        await setImmediate();
        sliceEnd = performance.now() + SLICE_MS;
      }
      return covered !== null && covered.startMs <= ms && ms < covered.endMs ? covered : null;
    },
  };
}

/** One after the other has a gap, be it of no length: a day that repeats each day ends each day. */
function joined(before: Occurrence | null, next: Occurrence): Occurrence {
  if (before === null || before.endMs <= next.startMs) return next;
  return { ...before, endMs: Math.max(before.endMs, next.endMs) };
}

/** Reads a time as the clock of a zone shows it, as ms of a clock in UTC. */
export type ZoneClock = (ms: number) => number;

/** Throws RangeError: there is no such zone. */
export function openClock(zone: string): ZoneClock {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (ms) => {
    const parts = format.formatToParts(ms);
    const value = (type: string) => Number(parts.find((part) => part.type === type)?.value);
    const day = [value('year'), value('month') - 1, value('day')] as const;
    return Date.UTC(...day, value('hour'), value('minute'), value('second'));
  };
}

/**
 * Ms since the epoch when a clock shows a time: the first time it does, and, for a time that the
 * change to summer time leaves out, by the offset before (RFC 5545, 3.3.5).
 */
function whenShown(localMs: number, clock: ZoneClock): number {
  const [first, second] = [localMs - DAY_MS, localMs + DAY_MS].map(
    (near) => localMs - (clock(near) - near),
  ) as [number, number];
  return clock(first) === localMs || clock(second) !== localMs ? first : second;
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
const INTERVAL_MAX = 1_000;
/** Days, years and candidates that a rule is looked through for its next occurrence. */
const STEPS_MAX = 20_000;

/** The occurrences of one event in their order. */
interface OpenEvent {
  /** Null: there are no more. */
  next: Occurrence | null;
  advance(): void;
}

function openEvent(component: ICAL.Component, fallback: string): OpenEvent {
  const [refused] = UNSUPPORTED.filter((name) => component.hasProperty(name));
  if (refused !== undefined) throw new Error(`${refused.toUpperCase()} is not supported`);
  const start = component.getFirstProperty('dtstart');
  if (start === null) throw new Error('an event has no DTSTART');
  const zone = zoneOf(start, fallback);
  const clock = clockOf(zone);
  setFloating(component, zone, fallback);
  const event = new ICAL.Event(component);
  const lengthMs = event.duration.toSeconds() * SECOND_MS;
  if (!(lengthMs > 0)) throw new Error('an event has no DTEND or DURATION after its DTSTART');
  const rules = component.getAllProperties('rrule').map(ruleOf);
  for (const rule of rules) boundRule(rule, { isDay: event.startDate.isDate, clock });
  const iterator = event.isRecurring() ? event.iterator() : null;
  // ical.js leaves out the start itself where there are dates and no rule.
  const starts = rules.length === 0 ? [event.startDate] : [];
  const opened: OpenEvent = {
    next: null,
    advance() {
      const time = starts.shift() ?? iterator?.next() ?? null;
      const startMs = time === null ? null : fieldsMs(time);
      opened.next = startMs === null ? null : occurrenceOf(startMs, startMs + lengthMs);
    },
  };
  const occurrenceOf = (startMs: number, endMs: number) => ({
    startMs: whenShown(startMs, clock),
    endMs: whenShown(endMs, clock),
    zone,
  });
  opened.advance();
  if (opened.next === null) throw new Error('an event has no occurrence: its RRULE fits no time');
  return opened;
}

const SECOND_MS = 1_000;
const DAY_MS = 86_400 * SECOND_MS;

/**
 * Makes all times of an event times without a zone, as the clock of its start shows them: so its
 * length and its rules are computed, whatever an hour is left out or comes twice.
 */
function setFloating(component: ICAL.Component, zone: string, fallback: string): void {
  for (const name of ['dtstart', 'dtend', 'rdate', 'exdate']) {
    for (const property of component.getAllProperties(name)) {
      for (const value of property.getValues()) {
        if (!(value instanceof ICAL.Time)) {
          throw new Error(`${name.toUpperCase()} with a period is not supported`);
        }
        // A day has no zone.
        if (!value.isDate && zoneOf(property, fallback, value) !== zone) {
          throw new Error(`${name.toUpperCase()} is not in ${zone}, the time zone of DTSTART`);
        }
        value.zone = ICAL.Timezone.localTimezone;
      }
    }
  }
}

/**
 * Bounds the search for the next occurrence of a rule: ical.js looks for ever. Its end is in UTC
 * where its start has a zone (RFC 5545, 3.3.10): here it becomes a time without one, too.
 */
function boundRule(rule: ICAL.Recur, { isDay, clock }: { isDay: boolean; clock: ZoneClock }): void {
  const { freq, interval, until } = rule;
  if (!FREQUENCIES.has(freq)) throw new Error(`FREQ=${freq} is not supported`);
  if (interval > INTERVAL_MAX) throw new Error(`INTERVAL is more than ${INTERVAL_MAX}`);
  if ('BYWEEKNO' in rule.parts) throw new Error('BYWEEKNO is not supported');
  if (until?.isDate === true && !isDay) {
    rule.until = timeOf(fieldsMs(until) + DAY_MS - SECOND_MS);
  } else if (until?.isDate === false) {
    const isUtc = until.zone === ICAL.Timezone.utcTimezone;
    rule.until = timeOf(isUtc ? clock(fieldsMs(until)) : fieldsMs(until));
  }
  rule.iterator = (dtstart) => new BoundedIterator({ rule, dtstart });
}

/** Counts what ical.js does to find an occurrence. */
class BoundedIterator extends ICAL.RecurIterator {
  // Not a field: the constructor of ical.js begins to search.
  declare steps: number | undefined;

  override next(again?: boolean): ICAL.Time {
    this.steps = 0;
    return super.next(again);
  }

  override increment_monthday(days: number): void {
    this.count(days);
    super.increment_monthday(days);
  }

  override check_contracting_rules(): boolean {
    this.count(1);
    return super.check_contracting_rules();
  }

  override expand_year_days(year: number): number {
    this.count(STEPS_OF_YEAR);
    return super.expand_year_days(year);
  }

  private count(steps: number): void {
    this.steps = (this.steps ?? 0) + steps;
    if (this.steps > STEPS_MAX) throw new Error('a RRULE has no occurrence for too long a time');
  }
}

/** What it costs to list the days of a year, in days. */
const STEPS_OF_YEAR = 20;

function timeOf(localMs: number): ICAL.Time {
  const time = ICAL.Time.fromJSDate(new Date(localMs), true);
  time.zone = ICAL.Timezone.localTimezone;
  return time;
}

function ruleOf(property: ICAL.Property): ICAL.Recur {
  return property.getFirstValue() as ICAL.Recur;
}

function zoneOf(
  property: ICAL.Property,
  fallback: string,
  value = property.getFirstValue() as ICAL.Time,
): string {
  if (value.zone === ICAL.Timezone.utcTimezone) return 'UTC';
  return String(property.getFirstParameter('tzid') ?? fallback);
}

function clockOf(zone: string): ZoneClock {
  try {
    return openClock(zone);
  } catch {
    throw new Error(`the IANA database has no time zone "${zone}"`);
  }
}

function fieldsMs({ year, month, day, hour, minute, second }: ICAL.Time): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
