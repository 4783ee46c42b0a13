import { createCipheriv, randomBytes } from 'node:crypto';
import { brotliCompressSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { buildAhoCorasick, forEachMatch, hasMatch, matches } from '../../src/core/aho-corasick.ts';
import { openDiff, type SealedDiff, sealDiff } from '../../src/core/seal.ts';
import { CraError } from '../../src/model/errors.ts';

function build(keywords: readonly string[], caseSensitive = false) {
  return buildAhoCorasick(
    keywords.map((keyword) => Buffer.from(keyword)),
    { caseSensitive },
  );
}

/** Keywords in the text, in order of their ids. */
function find(keywords: readonly string[], text: string, caseSensitive = false): string[] {
  const bytes = Buffer.from(text);
  const found = matches(build(keywords, caseSensitive), bytes, 0, bytes.length);
  return [...found].sort((a, b) => a - b).map((id) => keywords[id] ?? '?');
}

const CASES: [title: string, keywords: string[], text: string, found: string[]][] = [
  ['finds overlapping keywords', ['she', 'he', 'hers', 'his'], 'ushers', ['she', 'he', 'hers']],
  [
    'finds a keyword inside another',
    ['api', 'api_key', 'key'],
    'api_key',
    ['api', 'api_key', 'key'],
  ],
  ['restarts behind a broken start', ['aab'], 'aaaab', ['aab']],
  ['folds ASCII letters', ['token'], 'TOKEN', ['token']],
  ['folds the letters of keywords', ['ToKen'], 'tOkEN', ['ToKen']],
  ['finds keywords of one byte', ['q'], 'abcq', ['q']],
  ['finds characters of several bytes', ['\u202e', 'é'], 'a\u202eb', ['\u202e']],
  ['finds the same keyword twice given', ['ab', 'ab'], 'xaby', ['ab', 'ab']],
  ['finds nothing in nothing', ['a'], '', []],
  ['finds nothing without keywords', [], 'abc', []],
];

for (const [title, keywords, text, found] of CASES) {
  test(`matches ${title}`, (t) => {
    t.deepEqual(find(keywords, text), found);
  });
}

test('matches tells cases apart when asked to', (t) => {
  t.deepEqual(find(['Exec', 'exec'], 'Exec', true), ['Exec']);
});

test('matches keeps to its range', (t) => {
  const automaton = build(['abc']);
  const bytes = Buffer.from('abcabc');
  t.is(matches(automaton, bytes, 1, 5).size, 0);
  t.is(matches(automaton, bytes, 3, 6).size, 1);
  t.false(hasMatch(automaton, bytes, 1, 5));
  t.true(hasMatch(automaton, bytes, 1, 6));
});

test('buildAhoCorasick refuses an empty keyword', (t) => {
  t.throws(() => build(['']), { instanceOf: RangeError });
});

test('buildAhoCorasick takes keywords that use all byte values, and large sets', (t) => {
  const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const whole = buildAhoCorasick([all], { caseSensitive: true });
  t.true(hasMatch(whole, Buffer.concat([Buffer.from('x'), all]), 0, 257));
  const many = Array.from({ length: 5_000 }, (_, index) => `keyword-${index}-end`);
  t.deepEqual(find(many, 'a keyword-4711-end'), ['keyword-4711-end']);
});

test('forEachMatch finds what a search for each keyword finds', (t) => {
  const letters = fc.constantFrom('a', 'b', 'c', 'A', 'é');
  const word = fc.string({ unit: letters, minLength: 1, maxLength: 4 });
  const keywords = fc.array(word, { maxLength: 8 });
  const text = fc.string({ unit: letters, maxLength: 60 });
  fc.assert(
    fc.property(keywords, text, fc.boolean(), (words, haystack, caseSensitive) => {
      const fold = (value: string) =>
        caseSensitive ? value : value.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
      const bytes = Buffer.from(fold(haystack));
      const expected: string[] = [];
      for (const [id, word] of words.entries()) {
        const needle = Buffer.from(fold(word));
        for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + 1)) {
          expected.push(`${id}@${at + needle.length}`);
        }
      }
      const found: string[] = [];
      const original = Buffer.from(haystack);
      const range = { start: 0, end: original.length };
      forEachMatch(build(words, caseSensitive), original, range, (id, end) => {
        found.push(`${id}@${end}`);
      });
      t.deepEqual(found.sort(), expected.sort());
    }),
  );
});

const KEY = randomBytes(32);
const MAX = 1_000_000;

/** Text that compresses like source, of a size. */
function text(size: number): Buffer {
  return Buffer.alloc(size, '+  const answer = compute(question);\n');
}

function isRefused(t: ExecutionContext, open: () => unknown, message?: string) {
  const error = t.throws(open, { instanceOf: CraError }, message);
  t.is(error?.code, 'DATA_LOSS', message);
  return error;
}

for (const size of [0, 1, 99, 100, 101, 200, 250, 100_000]) {
  test(`sealDiff and openDiff: ${size} bytes in chunks of 100 come back`, (t) => {
    for (const diff of [text(size), randomBytes(size)]) {
      const sealed = sealDiff(diff, KEY, 'RFC-1', 100);
      t.is(sealed.bytes, size);
      t.is(sealed.chunks.length, Math.max(1, Math.ceil(size / 100)));
      t.true(diff.equals(openDiff(sealed, KEY, 'RFC-1', MAX)));
    }
  });
}

test('sealDiff gives each chunk an ArrayBuffer of its own', (t) => {
  for (const chunk of sealDiff(text(1_000), KEY, 'RFC-1', 100).chunks) {
    t.is(chunk.byteLength, chunk.buffer.byteLength);
  }
});

test('sealDiff hides the text, never repeats itself and compresses', (t) => {
  const secret = 'AKIA0123456789ABCDEF';
  const diff = Buffer.concat([Buffer.from(secret), text(10_000)]);
  const [first, second] = [1, 2].map(() => sealDiff(diff, KEY, 'RFC-1', MAX).chunks[0] ?? diff);
  t.false(Buffer.from(first ?? diff).includes(secret));
  t.notDeepEqual(first, second);
  t.true((first ?? diff).length < 1_000);
});

test('openDiff refuses another key, another owner, another size', (t) => {
  const sealed = sealDiff(text(250), KEY, 'RFC-1', 100);
  isRefused(t, () => openDiff(sealed, randomBytes(32), 'RFC-1', MAX));
  isRefused(t, () => openDiff(sealed, KEY, 'RFC-2', MAX));
  isRefused(t, () => openDiff(sealed, KEY, 'RFC-1', 249));
  for (const bytes of [249, 251, 0, -1, 0.5, Number.NaN, Number.MAX_SAFE_INTEGER]) {
    isRefused(t, () => openDiff({ ...sealed, bytes }, KEY, 'RFC-1', MAX), `bytes ${bytes}`);
  }
});

test('openDiff refuses chunks that were swapped, dropped, repeated or of another diff', (t) => {
  const { chunks, bytes } = sealDiff(text(300), KEY, 'RFC-1', 100);
  const [a, b, c] = chunks as [Uint8Array, Uint8Array, Uint8Array];
  const [d] = sealDiff(text(300), KEY, 'RFC-2', 100).chunks as [Uint8Array];
  const forms = { swapped: [b, a, c], short: [a, b], long: [a, b, c, c], other: [d, b, c] };
  for (const [form, moved] of Object.entries({ ...forms, repeated: [a, a, c], empty: [] })) {
    isRefused(t, () => openDiff({ chunks: moved, bytes }, KEY, 'RFC-1', MAX), form);
  }
});

test('openDiff refuses every flipped bit and every cut', (t) => {
  const sealed = sealDiff(text(120), KEY, 'RFC-1', 100);
  const lengths = sealed.chunks.map((chunk) => chunk.length);
  const place = fc.nat(lengths.length - 1).chain((index) =>
    fc.record({
      index: fc.constant(index),
      at: fc.nat((lengths[index] ?? 1) - 1),
      bit: fc.nat(7),
      isCut: fc.boolean(),
    }),
  );
  const property = fc.property(place, ({ index, at, bit, isCut }) => {
    const chunks = sealed.chunks.map((chunk) => chunk.slice());
    const chunk = chunks[index] ?? new Uint8Array();
    chunk[at] = (chunk[at] ?? 0) ^ (1 << bit);
    if (isCut) chunks[index] = chunk.subarray(0, at);
    try {
      openDiff({ ...sealed, chunks }, KEY, 'RFC-1', MAX);
      return false;
    } catch (thrown) {
      return thrown instanceof CraError && thrown.code === 'DATA_LOSS';
    }
  });
  t.notThrows(() => fc.assert(property, { numRuns: 300 }));
});

/** One chunk of the documented form, made by hand with the key. */
function forge(plain: Uint8Array, bytes: number): SealedDiff {
  const context = Buffer.alloc(13 + 5);
  context.writeUInt8(1, 0);
  context.writeUInt32LE(1, 5);
  context.writeUInt32LE(bytes, 9);
  context.write('RFC-1', 13);
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', KEY, nonce).setAAD(context);
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return { chunks: [Buffer.concat([nonce, cipher.getAuthTag(), body])], bytes };
}

test('openDiff reads the documented layout: nonce, tag, AES-256-GCM over brotli', (t) => {
  const sealed = forge(brotliCompressSync('diff'), 4);
  t.is(Buffer.from(openDiff(sealed, KEY, 'RFC-1', MAX)).toString(), 'diff');
});

test('openDiff stops a chunk that inflates beyond its promise', (t) => {
  const bomb = brotliCompressSync(Buffer.alloc(4 * 1024 * 1024));
  t.true(bomb.length < 1_000);
  for (const bytes of [0, 1, 1_000]) {
    const error = isRefused(t, () => openDiff(forge(bomb, bytes), KEY, 'RFC-1', MAX));
    t.like(error?.cause, { code: 'ERR_BUFFER_TOO_LARGE' }, 'it was never held in memory');
  }
  isRefused(t, () => openDiff(forge(brotliCompressSync('dif'), 4), KEY, 'RFC-1', MAX));
  isRefused(t, () => openDiff(forge(Buffer.from('no brotli'), 4), KEY, 'RFC-1', MAX));
});

test('sealDiff and openDiff refuse a key that is not 32 bytes', (t) => {
  const sealed = sealDiff(text(10), KEY, 'RFC-1', 100);
  const short = KEY.subarray(0, 16);
  t.is(t.throws(() => sealDiff(text(10), short, 'RFC-1', 100))?.message, 'internal error');
  t.is(t.throws(() => openDiff(sealed, short, 'RFC-1', MAX))?.message, 'internal error');
});
