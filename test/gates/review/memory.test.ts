import { createHmac } from 'node:crypto';
import test from 'ava';
import type { ReviewFinding } from '../../../src/gates/review/answer.ts';
import {
  type KeyedPlan,
  keyPlan,
  lineKey,
  type MemoryEntry,
  UNREAD,
} from '../../../src/gates/review/memory.ts';
import { planReview } from '../../../src/gates/review/prompt.ts';
import type { ReviewHunk, ReviewLine } from '../../../src/model/review.ts';

const KEY = new Uint8Array(32).fill(7);
const A = 'src/a.js';

function added(texts: readonly string[], path = A): ReviewHunk {
  const lines = texts.map((text, at): ReviewLine => ({ number: at + 1, side: 'added', text }));
  return { path, priority: 1, lines };
}

function keyed(...hunks: ReviewHunk[]): { plan: ReturnType<typeof planReview>; keyed: KeyedPlan } {
  const plan = planReview(hunks);
  const keys = plan.chunks.map((chunk) =>
    chunk.hunks.flatMap(({ path, lines }) => lines.map((line) => lineKey(KEY, line, path))),
  );
  return { plan, keyed: keyPlan(plan, keys, KEY) };
}

/** Whether `now` is the same text as `before`, of which no model gave a valid answer. */
function isHeld(before: ReviewHunk[], now: ReviewHunk[]): boolean {
  const first = keyed(...before);
  const stored = first.plan.chunks.flatMap((chunk) =>
    first.keyed.unreadEntries(chunk, 'refused', []),
  );
  return unreadIn(stored, now);
}

function unreadIn(stored: readonly MemoryEntry[], now: ReviewHunk[]): boolean {
  const { plan, keyed: again } = keyed(...now);
  const recall = (keys: readonly string[]) => stored.filter((one) => keys.includes(one.line_key));
  const recalled = recall(again.keys);
  const texts = again.unread(recalled, recall(again.groupsOf(recalled)));
  return plan.chunks.some((chunk) => texts.some(({ lines }) => again.hasLine(chunk, lines)));
}

const LINES = Array.from({ length: 100 }, (_, at) => `statement number ${at} of the file;`);
const OTHERS = Array.from({ length: 100 }, (_, at) => `something else, at ${at};`);

const SAME: readonly [string, ReviewHunk[], ReviewHunk[], boolean][] = [
  ['all lines', [added(LINES)], [added(LINES)], true],
  ['in reverse', [added(LINES)], [added(LINES.toReversed())], true],
  ['four fifths, same path', [added(LINES)], [added(LINES.slice(20))], true],
  ['a fifth, same path', [added(LINES)], [added(LINES.slice(80))], false],
  ['all lines, another path', [added(LINES)], [added(LINES, 'b.js')], true],
  ['four fifths, another path', [added(LINES)], [added(LINES.slice(25), 'b.js')], false],
  ['among many others', [added(LINES)], [added([...OTHERS, ...LINES], 'b.js')], true],
  [
    'over two files',
    [added(LINES)],
    [added(LINES.slice(50)), added(LINES.slice(0, 50), 'c')],
    true,
  ],
  ['other lines, same path', [added(LINES)], [added(OTHERS)], false],
  ['three lines, same path', [added(LINES.slice(97))], [added(LINES.slice(97))], true],
  ['three lines, another path', [added(LINES.slice(97))], [added(LINES.slice(97), 'b.js')], false],
  ['four lines, another path', [added(LINES.slice(96))], [added(LINES.slice(96), 'b.js')], true],
  ['removed instead of added', [added(LINES)], [{ ...added(LINES), lines: removed(LINES) }], false],
  ['short lines, same path', [added(['}', 'go()'])], [added(['go()', '}'])], true],
  ['short lines, another path', [added(['}', 'go()'])], [added(['go()', '}'], 'b.js')], false],
  ['one of two files', [added(LINES), added(OTHERS, 'b.js')], [added(OTHERS, 'b.js')], true],
  ['a blank line, same path', [added([''])], [added([''])], true],
  ['a blank line, another path', [added([''])], [added([''], 'b.js')], false],
  ['a blank line among others', [added([''])], [added(['', ...LINES])], false],
];

/** Characters that nobody sees: lines with them are the same lines. */
const UNSEEN = [
  ...['\u00ad', '\u034f', '\u115f', '\u1160', '\u17b4', '\u180b', '\u180f', '\u200b', '\u2060'],
  ...['\u3164', '\ufe00', '\ufe0f', '\ufeff', '\uffa0', '\u{1d173}', '\u{e0041}', '\u{e0100}'],
  ...['\u{e0fff}', '\u061c', '\u202e'],
];

for (const character of UNSEEN) {
  const code = character.codePointAt(0)?.toString(16);
  test(`a line with U+${code} is the same line`, (t) => {
    const text = LINES[0] ?? '';
    const key = lineKey(KEY, { side: 'added', text }, A);
    for (const other of [text + character, character + text, [...text].join(character)]) {
      t.is(lineKey(KEY, { side: 'added', text: other }, A), key);
    }
    t.true(isHeld([added(LINES)], [added(LINES.map((one) => one + character))]));
  });
}

function removed(texts: readonly string[]): ReviewLine[] {
  return texts.map((text, at) => ({ number: at + 1, side: 'removed', text }));
}

for (const [about, before, now, expected] of SAME) {
  test(`${expected ? 'the same' : 'another'} text: ${about}`, (t) => {
    t.is(isHeld(before, now), expected);
  });
}

test('a line has the key that earlier versions gave it', (t) => {
  const formerly = (words: string) =>
    createHmac('sha256', KEY).update(`line\0added\0${words}`).digest('hex').slice(0, 16);
  const keyOf = (text: string) => lineKey(KEY, { side: 'added', text }, A);
  t.is(keyOf("\trun('tar ' +  name)  "), formerly("run('tar ' + name)"));
  const { keyed: now } = keyed(added(["run('tar ' + name)"]));
  const json = JSON.stringify({ class: 'backdoor', severity: 'critical' });
  const entry = { line_key: formerly("run('tar ' + name)"), kind: 'backdoor', json };
  t.like(now.carried([entry])[0], { class: 'backdoor', path: A, line: 1, isCarried: true });
});

const EQUAL: readonly [string, string][] = [
  ['a  =  b + 1;', ' a = b + 1;\t'],
  ['load(\u200bfile)', 'load(file)'],
  ['load(\ufefffile)', 'load(file)'],
  ["token = '[secret 1]'", "token = '[secret 12]'"],
];

for (const [one, other] of EQUAL) {
  test(`the same line: ${JSON.stringify([one, other])}`, (t) => {
    const keys = [one, other].map((text) => lineKey(KEY, { side: 'added', text }, A));
    t.is(keys[0], keys[1]);
    t.not(keys[0], '');
  });
}

test('an unread text is forgotten with one entry, whatever is left of its lines', (t) => {
  const { plan, keyed: first } = keyed(added(LINES));
  const stored = plan.chunks.flatMap((chunk) => first.unreadEntries(chunk, 'truncated', []));
  t.true(unreadIn(stored, [added(LINES)]));
  t.true(stored.length <= 17, 'a bounded part of a file is kept');
  const rest = stored.filter(({ kind }) => kind !== UNREAD);
  t.is(rest.length, stored.length - 1);
  t.false(unreadIn(rest, [added(LINES)]));
});

test('a line of many unread texts is not kept for ever more of them, and tells none apart', (t) => {
  const licence = Array.from(
    { length: 12 },
    (_, at) => `// line ${at} of the licence of all files`,
  );
  const own = (n: number) => [1, 2, 3, 4, 5].map((at) => `statement ${at} of file number ${n};`);
  let stored: MemoryEntry[] = [];
  for (let n = 0; n < 200; n += 1) {
    const { plan, keyed: next } = keyed(added([...licence, ...own(n)], `src/${n}.js`));
    const recalled = stored.filter((one) => next.keys.includes(one.line_key));
    stored = [
      ...stored,
      ...plan.chunks.flatMap((chunk) => next.unreadEntries(chunk, 'refused', recalled)),
    ];
    t.true(recalled.length <= 20 * licence.length);
  }
  for (const n of [0, 10, 100, 199]) {
    t.true(unreadIn(stored, [added([...licence, ...own(n)], `src/${n}.js`)]), `${n}`);
  }
  t.false(unreadIn(stored, [added([...licence, ...own(999)], 'src/999.js')]));
});

test('a text of lines of many unread texts is held as it is', (t) => {
  const texts = Array.from({ length: 25 }, (_, n) =>
    keyed(added(LINES.slice(0, 8), `src/${n}.js`)),
  );
  let stored: MemoryEntry[] = [];
  for (const { plan, keyed: next } of texts) {
    stored = [
      ...stored,
      ...plan.chunks.flatMap((chunk) => next.unreadEntries(chunk, 'refused', stored)),
    ];
  }
  t.true(unreadIn(stored, [added(LINES.slice(0, 8), 'src/24.js')]));
});

test('entries of one kind say nothing to the other, and reasons that pass are not remembered', (t) => {
  const { plan, keyed: first } = keyed(added(LINES));
  const [chunk] = plan.chunks;
  if (chunk === undefined) return t.fail();
  t.deepEqual(first.carried(first.unreadEntries(chunk, 'refused', [])), []);
  t.false(unreadIn(first.unreadEntries(chunk, 'unavailable', []), [added(LINES)]));
  const finding: ReviewFinding = {
    class: 'backdoor',
    severity: 'critical',
    path: null,
    line: null,
    side: null,
    text: '',
    why: '',
  };
  const entry = first.entryOf(finding);
  if (entry === null) return t.fail();
  t.deepEqual(first.groupsOf([entry]), []);
  t.like(first.carried([entry])[0], { path: null, line: null, severity: 'critical' });
});
