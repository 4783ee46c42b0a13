import { gzipSync } from 'node:zlib';
import type { Random } from '../random.ts';

/** What no program expects in a field. */
const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e308,
  -1e-308,
  Number.MAX_SAFE_INTEGER,
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udc00\ud800',
  '\u202e\u200b\ufeff',
  '__proto__',
  'constructor',
  '../../../../etc/passwd',
  "'; DROP TABLE rfc; --",
  '$'.concat('{jndi:ldap://x}'),
  '<img src=x onerror=alert(1)>',
  '%s%s%n',
  '\r\nX-Injected: yes\r\n\r\n',
  '(a+)+$',
  '2026-02-30',
  '9999999999-01-01',
  'x'.repeat(1_000),
  'é'.repeat(70_000),
  '\u{1f600}'.repeat(300),
  [],
  [[]],
  {},
  { $gt: '' },
  { $where: 'sleep(1000)' },
  { toString: 1, valueOf: null, length: -1 },
  [null, null],
  Array.from({ length: 2_000 }, () => 'RFC-0'),
];

/** In a path, where an id should be; percent-encoded or not. */
const SEGMENTS: readonly string[] = [
  '',
  '.',
  '..',
  '%2e%2e',
  '%2F',
  '%252F',
  '%00',
  '%FF',
  '%C0%AF',
  '%F0%9F%98%80',
  '%',
  '%zz',
  '*',
  ':rfc_id',
  '{rfc_id}',
  'RFC-',
  'RFC-0.sarif',
  '.sarif',
  'RFC-%0D%0AX:%20y',
  ';a=b',
  '\\..\\',
  '__proto__',
  'constructor',
  'x'.repeat(3_000),
  '\u00e9',
  '-1',
  '1e3',
  '9'.repeat(400),
  "' OR 1=1 --".replaceAll(' ', '%20'),
];

const QUERIES: readonly string[] = [
  '',
  '&&&&',
  '=',
  '%',
  '%00=%00',
  'wait=-1',
  'wait=1e9',
  'wait=00000000000000000001',
  'limit=99999999999999999999',
  'limit=1&limit=2',
  'limit[]=1',
  'limit=0x10',
  'cursor=',
  'cursor=%00',
  'cursor=MQ',
  'cursor=OTk5OTk5OTk5OTk5OTk5OQ',
  'cursor=%F0%9F%98%80',
  'status=blocked',
  'status=BLOCKED%00',
  'repo=%FF%FE',
  'hours=-0',
  'hours=999999999999999',
  'since=0000-00-00',
  'since=2026-02-30',
  'since=-271821-04-20',
  'before=0',
  'before=9007199254740993',
  'dry_run=TRUE',
  'dry_run=true&limit=1',
  'comment=%0D%0A',
  'access_token=abc',
  '__proto__=1&constructor=2&toString=3',
  `x=${'y'.repeat(9_000)}`,
  'branch=&sha=',
  'sha=zzzz',
];

/** A value for any field. */
function oddValue(random: Random): unknown {
  return random.pick(VALUES);
}

/** A segment of a path. */
export function oddSegment(random: Random): string {
  return random.pick(SEGMENTS);
}

/** A query, without `?`. */
export function oddQuery(random: Random): string {
  return random.pick(QUERIES);
}

/** A body of JSON as bytes that are wrong in one way or another, or not at all. */
export function oddBytes(text: string, random: Random): Buffer {
  const plain = Buffer.from(text);
  const at = random.between(0, plain.length + 1);
  switch (random.between(0, 16)) {
    case 0:
      return plain.subarray(0, at);
    case 1:
      return Buffer.concat([plain.subarray(0, at), Buffer.from([0xff]), plain.subarray(at)]);
    case 2:
      return Buffer.concat([Buffer.from('\ufeff'), plain]);
    case 3:
      return Buffer.from(text, 'utf16le');
    case 4:
      return Buffer.from(`${'['.repeat(random.between(1, 120_000))}${text}`);
    case 5:
      return Buffer.from(`{"a":${'{"a":'.repeat(random.between(1, 40_000))}1`);
    case 6:
      return Buffer.from(text.replace('{', '{"__proto__":{"reason":"x"},"reason":1,"reason":2,'));
    case 7:
      return Buffer.from(text.replace(/:/, ':NaN,"x":'));
    case 8:
      return Buffer.from(text.replace(/:/, ':1e999999,"x":'));
    case 9:
      return gzipSync(plain);
    case 10:
      return Buffer.from(random.pick(['', ' ', 'null', '""', '0', '[]', '{}', 'true', '\0']));
    case 11:
      return Buffer.concat([plain, plain]);
    default:
      return plain;
  }
}

/** The value with one part of it replaced, taken out, doubled or added. */
export function mutate(value: unknown, random: Random): unknown {
  const isLeaf = typeof value !== 'object' || value === null;
  if (isLeaf || random.next() < 0.15) return oddValue(random);
  if (Array.isArray(value)) {
    const at = random.between(0, value.length + 1);
    if (at === value.length) return [...value, oddValue(random)];
    if (random.next() < 0.2) return value.toSpliced(at, 1);
    return value.map((entry, index) => (index === at ? mutate(entry, random) : entry));
  }
  const entries = Object.entries(value);
  const at = random.between(0, entries.length + 1);
  const changed = entries.flatMap(([key, entry], index): [string, unknown][] => {
    if (index !== at) return [[key, entry]];
    if (random.next() < 0.2) return [];
    return [[key, mutate(entry, random)]];
  });
  if (at === entries.length)
    changed.push([JSON.stringify(oddValue(random)).slice(1, 200), oddValue(random)]);
  return Object.fromEntries(changed);
}
