import test from 'ava';
import fc from 'fast-check';
import { buildAhoCorasick, forEachMatch, hasMatch, matches } from '../../src/core/aho-corasick.ts';

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
