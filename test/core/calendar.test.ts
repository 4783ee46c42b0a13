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

const NIGHTS = `DTSTART;TZID=Europe/Berlin:20261120T180000
DURATION:PT12H
RRULE:FREQ=DAILY;UNTIL=20261122T170000Z`;

/** A calendar with a zone of its own; summer time begins in the first night. */
const WITH_ZONE = `BEGIN:VCALENDAR
BEGIN:VTIMEZONE
TZID:Europe/Berlin
BEGIN:DAYLIGHT
DTSTART:19810329T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
END:DAYLIGHT
BEGIN:STANDARD
DTSTART:19961027T030000
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
DTSTART;TZID=Europe/Berlin:20260328T220000
DTEND;TZID=Europe/Berlin:20260329T060000
RRULE:FREQ=WEEKLY
END:VEVENT
END:VCALENDAR`;

const DATES = `DTSTART;TZID=Europe/Berlin:20261101T000000
DURATION:P1D
RDATE;TZID=Europe/Berlin:20261201T000000
RDATE;TZID=Europe/Berlin:20261203T000000
EXDATE;VALUE=DATE:20261203`;

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
    ['on the last night of an end in UTC', NIGHTS, 'UTC', '2026-11-23T04:59:59Z', true],
    ['behind the last night of an end in UTC', NIGHTS, 'UTC', '2026-11-23T17:00:00Z', false],
    ['before the end of a night that is short', WITH_ZONE, 'UTC', '2026-03-29T03:59:59Z', true],
    ['at the end of a night that is short', WITH_ZONE, 'UTC', '2026-03-29T04:00:00Z', false],
    ['on the start of dates without a rule', DATES, 'UTC', '2026-11-01T12:00:00Z', true],
    ['on a date', DATES, 'UTC', '2026-12-01T12:00:00Z', true],
    ['on a date that is left out', DATES, 'UTC', '2026-12-03T12:00:00Z', false],
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

test('a time that a calendar covers begins at one moment, whatever the clock of its zone did since', async (t) => {
  const start = '2026-10-23T16:00:00.000Z';
  for (const at of ['2026-10-24T12:00:00Z', '2026-10-26T04:00:00Z']) {
    const found = await readCalendar(WEEKENDS, 'UTC').at(Date.parse(at), OCCURRENCES_MAX);
    t.is(new Date(found?.startMs ?? 0).toISOString(), start);
    t.is(new Date(found?.endMs ?? 0).toISOString(), '2026-10-26T05:00:00.000Z');
  }
});

test('events that overlap are one time, days that follow each other are not', async (t) => {
  const event = (from: string, to: string) =>
    `BEGIN:VEVENT\nDTSTART;VALUE=DATE:${from}\nDTEND;VALUE=DATE:${to}\nEND:VEVENT\n`;
  const events = [event('20261103', '20261105'), event('20261101', '20261104')];
  const text = `BEGIN:VCALENDAR\n${events.join('')}${event('20261105', '20261106')}END:VCALENDAR`;
  const calendar = readCalendar(text, 'UTC');
  const days: (string | null)[] = [];
  for (const day of ['02', '03', '04', '05', '06']) {
    const found = await calendar.at(Date.parse(`2026-11-${day}T12:00:00Z`), OCCURRENCES_MAX);
    const dayOf = (ms: number) => new Date(ms).toISOString().slice(8, 10);
    days.push(found && `${dayOf(found.startMs)}-${dayOf(found.endMs)}`);
  }
  t.deepEqual(days, ['01-04', '01-05', '01-05', '05-06', null]);
});

test('a rule that fits no time ends, and a rule that seldom does is found', async (t) => {
  const rule = (text: string) => `DTSTART:20260101T000000\nDURATION:P1D\nRRULE:${text}`;
  const never = [
    'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31',
    'FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=1,2,3,4;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=WEEKLY;BYMONTH=13',
    'FREQ=YEARLY;BYMONTH=4;BYDAY=1MO;BYMONTHDAY=15',
  ];
  for (const text of never) t.throws(() => readCalendar(rule(text), 'UTC'), undefined, text);
  const leap = readCalendar(rule('FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29'), 'UTC');
  t.not(await leap.at(Date.parse('2028-02-29T12:00:00Z'), OCCURRENCES_MAX), null);
  const friday = readCalendar(rule('FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13'), 'UTC');
  t.not(await friday.at(Date.parse('2026-11-13T12:00:00Z'), OCCURRENCES_MAX), null);
  const once = readCalendar(`${rule('FREQ=DAILY;COUNT=2')}\nEXDATE:20260101T000000`, 'UTC');
  t.is(await once.at(Date.parse('2026-01-01T12:00:00Z'), OCCURRENCES_MAX), null);
  t.not(await once.at(Date.parse('2026-01-02T12:00:00Z'), OCCURRENCES_MAX), null);
});

const BERLIN = 'DTSTART;TZID=Europe/Berlin:20261110T220000';

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
  [
    'an end in another zone',
    `${BERLIN}\nDTEND:20261110T230000Z`,
    'UTC',
    /DTEND is not in Europe\/Berlin, the time zone of DTSTART/,
  ],
  [
    'a date in another zone',
    `${BERLIN}\nDURATION:PT1H\nRDATE:20261210T210000Z`,
    'UTC',
    /RDATE is not in Europe\/Berlin/,
  ],
  [
    'a date left out in another zone',
    `${BERLIN}\nDURATION:PT1H\nRRULE:FREQ=DAILY\nEXDATE:20261210T210000Z`,
    'UTC',
    /EXDATE is not in Europe\/Berlin/,
  ],
  [
    'a period',
    'DTSTART:20261110T220000Z\nDURATION:PT1H\nRDATE;VALUE=PERIOD:20261210T210000Z/PT3H',
    'UTC',
    /RDATE with a period/,
  ],
  [
    'a long interval',
    'DTSTART:20261110T220000Z\nDURATION:PT1H\nRRULE:FREQ=DAILY;INTERVAL=10000000',
    'UTC',
    /INTERVAL is more than 1000/,
  ],
  [
    'weeks by their numbers',
    'DTSTART:20261110T220000Z\nDURATION:PT1H\nRRULE:FREQ=YEARLY;BYWEEKNO=51',
    'UTC',
    /BYWEEKNO is not supported/,
  ],
];

for (const [name, calendar, zone, message] of WRONG) {
  test(`readCalendar refuses ${name}`, (t) => {
    t.throws(() => readCalendar(calendar, zone), { message });
  });
}
