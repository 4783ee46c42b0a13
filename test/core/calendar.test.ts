import test from 'ava';
import { readCalendar } from '../../src/core/calendar.ts';

const WEEKENDS = `DTSTART;TZID=Europe/Berlin:20260605T180000
DTEND;TZID=Europe/Berlin:20260608T060000
RRULE:FREQ=WEEKLY;BYDAY=FR
EXDATE;TZID=Europe/Berlin:20261225T180000`;

const HOLIDAYS = `BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VEVENT
UID:1
DTSTART;VALUE=DATE:20261224
DTEND;VALUE=DATE:20270103
END:VEVENT
BEGIN:VEVENT
UID:2
DTSTART:20261110T220000Z
DURATION:PT4H
END:VEVENT
END:VCALENDAR`;

const OCCURRENCES_MAX = 5_000;

const CASES: readonly [name: string, calendar: string, zone: string, at: string, isIn: boolean][] =
  [
    ['before a weekend in winter', WEEKENDS, 'UTC', '2026-11-20T16:59:59Z', false],
    ['at the start of a weekend in winter', WEEKENDS, 'UTC', '2026-11-20T17:00:00Z', true],
    ['at the start of a weekend in summer', WEEKENDS, 'UTC', '2026-07-10T16:00:00Z', true],
    ['before the end of a weekend', WEEKENDS, 'UTC', '2026-11-23T04:59:59Z', true],
    ['at the end of a weekend', WEEKENDS, 'UTC', '2026-11-23T05:00:00Z', false],
    ['on the weekend when summer time ends', WEEKENDS, 'UTC', '2026-10-26T04:59:00Z', true],
    ['on a weekend that is left out', WEEKENDS, 'UTC', '2026-12-26T12:00:00Z', false],
    ['at the start of whole days', HOLIDAYS, 'Asia/Tokyo', '2026-12-23T15:00:00Z', true],
    ['before whole days', HOLIDAYS, 'Asia/Tokyo', '2026-12-23T14:59:59Z', false],
    ['at the end of whole days', HOLIDAYS, 'Asia/Tokyo', '2027-01-02T15:00:00Z', false],
    ['within times in UTC', HOLIDAYS, 'Asia/Tokyo', '2026-11-11T01:59:59Z', true],
    ['behind times in UTC', HOLIDAYS, 'Asia/Tokyo', '2026-11-11T02:00:00Z', false],
  ];

for (const [name, calendar, zone, at, isIn] of CASES) {
  test(`readCalendar: ${name}`, async (t) => {
    const found = await readCalendar(calendar, zone).at(Date.parse(at), OCCURRENCES_MAX);
    t.is(found !== null, isIn);
  });
}

test('a calendar answers later times from where it stands', async (t) => {
  const calendar = readCalendar(WEEKENDS, 'UTC');
  for (const [, text, , at, isIn] of CASES.filter(([, text]) => text === WEEKENDS)) {
    const later = readCalendar(text, 'UTC');
    await later.at(Date.parse('2026-06-01T00:00:00Z'), OCCURRENCES_MAX);
    t.is((await later.at(Date.parse(at), OCCURRENCES_MAX)) !== null, isIn, at);
  }
  await t.throwsAsync(calendar.at(Date.parse('2026-11-20T17:00:00Z'), 10), {
    message: /more than 10/,
  });
});

const WRONG: readonly [name: string, calendar: string, zone: string, message: RegExp][] = [
  ['no event', 'BEGIN:VCALENDAR\nEND:VCALENDAR', 'UTC', /no event/],
  ['no start', 'DURATION:PT1H', 'UTC', /no DTSTART/],
  ['no end', 'DTSTART:20261110T220000Z', 'UTC', /no DTEND or DURATION/],
  [
    'a zone that does not exist',
    'DTSTART:20261110T220000\nDURATION:PT1H',
    'Mars/Base',
    /no time zone "Mars/,
  ],
  ['hours', 'DTSTART:20261110T220000\nDURATION:PT1H\nRRULE:FREQ=HOURLY', 'UTC', /FREQ=HOURLY/],
  [
    'an event that replaces another one',
    'DTSTART:20261110T220000\nDURATION:PT1H\nRECURRENCE-ID:20261110T220000',
    'UTC',
    /RECURRENCE-ID is not supported/,
  ],
];

for (const [name, calendar, zone, message] of WRONG) {
  test(`readCalendar refuses ${name}`, (t) => {
    t.throws(() => readCalendar(calendar, zone), { message });
  });
}
