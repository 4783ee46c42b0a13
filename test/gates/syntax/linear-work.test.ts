import test from 'ava';
import { type Dialect, hasJsx } from '../../../src/gates/syntax/dialect.ts';
import { readFragment } from '../../../src/gates/syntax/fragment-tree.ts';
import { findHazard } from '../../../src/gates/syntax/hazard.ts';
import { AST_GATE } from '../../../src/limits.ts';

/** Lines that make the reader guess, cut and try again: [what, dialect, lines]. */
const HOSTILE: [string, Dialect, string][] = [
  ['prose', 'js', "It is, no (program) at all; isn't it?\n"],
  ['stray closers', 'js', `${'const name = call(argument, another)\n'.repeat(4)}})\n]\n`],
  ['brackets that do not match', 'ts', 'a(b[c)\nd}\n'],
  ['backticks', 'js', 'a `b\nc\n'],
  ['starts of comments', 'js', ' * a\n */ b /*\n'],
  ['holes of templates', 'ts', 'a $'.concat('{b}\n} c\n')],
  ['tags without an end', 'tsx', '<a b={c}\n</d>\n/>\n'],
  ['cases', 'js', 'case a:\n}\ndefault:\n'],
  ['type parameters', 'ts', '  A extends B = C,\n> = (\n'],
  ['decorators', 'ts', '@a(b)\n})\nc d = "some longer text"\n'],
  ['a broken line after each good one', 'js', 'a(1)\n%%% x [[ ](\n'],
  ['continuations', 'js', '} else {\n.a(b)\n} catch (\n: c\n'],
  ['quotes', 'js', 'a = \'b"\n"c\'\n'],
];

for (const [what, dialect, lines] of HOSTILE) {
  test(`readFragment gives the parser at most twice the work for twice the text: ${what}`, (t) => {
    let before: number | null = null;
    let doublings = 0;
    for (let length = 1_000; length <= 128_000; length *= 2) {
      const text = `exec(a + b)\n${lines.repeat(Math.ceil(length / lines.length))}`;
      // From here on the guards keep it from the parser.
      if (findHazard(text, hasJsx(dialect)) !== null) break;
      const { parsedLength } = readFragment(text, [[0, text.split('\n').length]], dialect);
      t.true(parsedLength <= budget(text.length), `${length}: ${parsedLength}`);
      // A quarter more for the text around, and for a guess more or less.
      if (before !== null) t.true(parsedLength <= 2.5 * before, `${length}: ${parsedLength}`);
      if (before !== null) doublings += 1;
      before = parsedLength;
    }
    t.true(doublings >= 1);
  });
}

/** Each of two dialects has so many calls, and so much text with one call that passes it. */
function budget(length: number): number {
  const { PARSE_CALLS_MAX, PARSE_LENGTH_MAX } = AST_GATE;
  // What is put around a text is bounded by the brackets that it closes and leaves open.
  const longest = 3 * length + 1_000;
  return 2 * Math.min(PARSE_CALLS_MAX * longest, PARSE_LENGTH_MAX + longest);
}
