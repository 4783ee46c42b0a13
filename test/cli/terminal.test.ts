import test from 'ava';
import fc from 'fast-check';
import { createPaint, printable } from '../../src/cli/terminal.ts';

const CASES: [title: string, text: string, shown: string][] = [
  ['plain text', 'src/a b.ts: naïve 漢字 🙂', 'src/a b.ts: naïve 漢字 🙂'],
  ['an escape sequence', '\x1b[2J\x1b]0;title\x07', '\\x1b[2J\\x1b]0;title\\x07'],
  ['a C1 control', '\u009b31m', '\\x9b31m'],
  ['line breaks', 'a\r\nb', 'a\\x0d\\x0ab'],
  ['a tab', 'a\tb', 'a b'],
  ['a text that is turned around', 'a\u202eb\u2066c', 'a\\u{202e}b\\u{2066}c'],
  ['hidden characters', 'a\u200bb\ufeffc\u{e0041}', 'a\\u{200b}b\\u{feff}c\\u{e0041}'],
  ['line separators', 'a\u2028b\u2029', 'a\\u{2028}b\\u{2029}'],
  ['a lone surrogate', 'a\ud800b', 'a\\u{d800}b'],
];

for (const [title, text, shown] of CASES) {
  test(`printable shows ${title}`, (t) => {
    t.is(printable(text), shown);
  });
}

test('printable leaves nothing that a terminal obeys, whatever the text', (t) => {
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(text, (value) => /^[^\p{Cc}\p{Cf}\p{Cs}]*$/u.test(printable(value))),
    { numRuns: 2_000 },
  );
  t.pass();
});

test('createPaint writes codes only where colours are wanted', (t) => {
  t.is(createPaint(false)('red', 'x'), 'x');
  t.is(createPaint(true)('red', 'x'), '\x1b[31mx\x1b[39m');
});
