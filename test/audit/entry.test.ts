import test from 'ava';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { follow, NO_ENTRY, newChain, place } from '../../src/audit/chain.ts';
import { readEntry } from '../../src/audit/entry.ts';
import { leafHash } from '../../src/audit/merkle.ts';
import { AUDIT } from '../../src/limits.ts';
import type { AuditEvent } from '../../src/model/audit.ts';
import { EVENT } from './trail.ts';

const TIME = { nowMs: Date.parse('2026-11-21T10:00:00.123Z'), monoMs: 12.7 };
const CHAIN = '20261121T100000Z-1';

test('place puts an event behind the newest entry', (t) => {
  const first = place(newChain(CHAIN), EVENT, TIME);
  t.is(first.entry.seq, 1);
  t.is(first.entry.prev, NO_ENTRY);
  t.is(first.entry.ts, '2026-11-21T10:00:00.123Z');
  t.is(first.entry.mono_ms, 12);
  const second = place(first.state, EVENT, TIME);
  t.is(second.entry.prev, leafHash(first.text).toString('hex'));
  t.is(second.state.size, 2);
  t.deepEqual(follow(first.state, second.text), second.state);
  t.deepEqual(readEntry(second.text), { entry: second.entry, problem: null });
});

const DEEP = JSON.parse('['.repeat(40) + ']'.repeat(40)) as AuditEvent['details'][string];
const REFUSED: Readonly<Record<string, object>> = {
  'a lone surrogate': { reason: 'a\ud800' },
  'a lone surrogate as a name': { details: { '\udfff': 1 } },
  'a fraction': { details: { score: 0.5 } },
  'a number that is none': { details: { score: Number.NaN } },
  'a field that is not there': { reason: undefined },
  'a value that is not there': { details: { a: [undefined] } },
  'a field that no entry has': { more: 1 },
  'an unknown kind': { kind: 'other' },
  'an unknown role': { principal: { ...EVENT.principal, role: 'root' } },
  'too much text': { reason: 'x'.repeat(AUDIT.ENTRY_BYTES_MAX) },
  'deep nesting': { details: { deep: DEEP } },
  'no op_id': { op_id: '' },
};
for (const [name, change] of Object.entries(REFUSED)) {
  test(`place refuses ${name}`, (t) => {
    const event = { ...EVENT, ...change } as AuditEvent;
    t.throws(() => place(newChain(CHAIN), event, TIME), { code: 'INVALID_ARGUMENT' });
  });
}

test('newChain refuses a name that a checkpoint could not hold', (t) => {
  for (const name of ['', 'a b', 'a\nb', '-a', 'x'.repeat(101)]) {
    t.throws(() => newChain(name), { instanceOf: RangeError });
  }
});

test('readEntry takes the canonical form alone', (t) => {
  const { text } = place(newChain(CHAIN), EVENT, TIME);
  const entry = JSON.parse(text) as Record<string, unknown>;
  const { actor, ...rest } = entry;
  const wrong = [
    ` ${text}`,
    `${text}\n`,
    JSON.stringify({ ...rest, actor }),
    text.replace('Zoë', 'Zo\\u00eb'),
    text.replace('"seq":1', '"seq":1.0'),
    text.replace('"seq":1', '"seq":1e0'),
    text.replace('"seq":1', '"seq":1,"seq":1'),
    text.replace('hotfix', '\\ud800'),
    text.replace('hotfix', 'hot\\/fix'),
    text.replace('hotfix', 'hot\ud800fix'),
    text.replace('"details":{', '"details":{"z":1,'),
    text.slice(0, -1),
    'null',
    '[]',
    '',
  ];
  for (const one of wrong) {
    const { entry: read, problem } = readEntry(one);
    t.is(read, null, one);
    t.is(typeof problem, 'string');
  }
});

test('readEntry takes details that the canonical form orders in its own way', (t) => {
  // JavaScript lists names that are numbers first and by value, RFC 8785 by their characters.
  const details = { '10': 1, '9': 2, __proto__: null, a: ['\u20ac', '\u0001', '\\ud800', -0] };
  const { text } = place(newChain(CHAIN), { ...EVENT, details }, TIME);
  t.true(text.includes('"10":1,"9":2'));
  t.is(readEntry(text).problem, null);
});

test('readEntry and the library agree on what is canonical', (t) => {
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.string({ unit: 'binary', maxLength: 3 }), tie('value'), { maxKeys: 4 }),
    ),
  })).value;
  const names = fc.dictionary(fc.string({ maxLength: 3 }), value, { maxKeys: 5 });
  const { text } = place(newChain(CHAIN), EVENT, TIME);
  const entry = JSON.parse(text) as object;
  fc.assert(
    fc.property(names, (details) => {
      const plain = JSON.stringify({ ...entry, details });
      let canonical: string | null = null;
      try {
        canonical = canonicalize({ ...entry, details }) ?? null;
      } catch {
        // A lone surrogate.
      }
      t.is(readEntry(plain).problem === null, plain === canonical);
      if (canonical !== null) t.is(readEntry(canonical).problem, null);
    }),
    { numRuns: 500 },
  );
});
