import test from 'ava';
import { RISK_GATE } from '../../../src/limits.ts';
import { compile, newFile, pattern, placesOf, scanText, workOf } from './scan-text.ts';

const RULES = compile(
  pattern({ id: 'secret-tok', regex: 'tok_([A-Z]{12})', keywords: ['tok_'] }),
  pattern({ id: 'risk-x', regex: 'const', keywords: ['const'] }),
);

const JOINED: [title: string, text: string, places: string[]][] = [
  ['with + at the end', 'const t = "tok_ABCD" +\n  "EFGHIJKL";', ['1:12-2']],
  ['with + at the start', "const t = 'tok_ABCD'\n  + 'EFGHIJKL';", ['1:12-2']],
  ['over three lines', 'x("tok_AB" +\n  "CDEF" +\n  "GHIJKL")', ['1:4-3']],
  ['by nothing but a line break', 't = ("tok_ABCD"\n     "EFGHIJKL")', ['1:7-2']],
  ['with a dot, as in PHP', "$t = 'tok_ABCD' .\n  'EFGHIJKL';", ['1:7-2']],
  ['with a backslash', '"tok_ABCD" \\\n"EFGHIJKL"', ['1:2-2']],
  ['on one line', 'const t = "tok_ABCD" + "EFGHIJKL";', ['1:12']],
  ['on one line, in back quotes', 'const t = `tok_ABCD` + `EFGHIJKL`;', ['1:12']],
  ['with CRLF', 'const t = "tok_ABCD" +\r\n  "EFGHIJKL";\r', ['1:12-2']],
  ['in the prefix', 'const t = "to" +\n  "k_ABCDEFGHIJKL";', ['1:12-2']],
];

for (const [title, text, places] of JOINED) {
  test(`scanRisk finds a token joined ${title}, and shows no part of it`, (t) => {
    const findings = scanText(RULES, text);
    const found = placesOf(findings.filter(({ id }) => id === 'secret-tok'));
    t.deepEqual(
      found,
      places.map((place) => `secret-tok ${place}`),
    );
    const shown = JSON.stringify(findings);
    t.false(shown.includes('EFGH') || shown.includes('GHIJKL'), shown);
  });
}

const APART: [title: string, text: string][] = [
  ['separated by commas', '["tok_ABCD",\n "EFGHIJKL"]'],
  ['with a line between', '"tok_ABCD" +\nx +\n"EFGHIJKL"'],
  ['joined by a variable', '"tok_ABCD" + x + "EFGHIJKL"'],
  ['without quotes behind', '"tok_ABCD" +\nEFGHIJKL'],
];

for (const [title, text] of APART) {
  test(`scanRisk joins no literals ${title}`, (t) => {
    t.deepEqual(placesOf(scanText(RULES, text)), []);
  });
}

test('scanRisk joins added lines only', (t) => {
  const diff = (marker: string) =>
    `diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,3 @@\n x\n+"tok_ABCD" +\n${marker}"EFGHIJKL"\n`;
  t.is(scanText(RULES, 'x').length, 0);
  for (const [marker, count] of [
    ['+', 1],
    [' ', 0],
    ['-', 0],
  ] as const) {
    const { findings } = workOf(RULES, Buffer.from(diff(marker)));
    t.is(findings.length, count, marker);
  }
});

test('scanRisk reports a token once that a line holds whole', (t) => {
  const findings = scanText(RULES, '"tok_ABCDEFGHIJKL" +\n  "x"');
  t.deepEqual(placesOf(findings), ['secret-tok 1:2']);
});

test('scanRisk looks at a long statement in parts', (t) => {
  const lines = Math.ceil((2 * RISK_GATE.LITERAL_BYTES_MAX) / 100);
  const statement = `${`"${'x'.repeat(96)}" +\n`.repeat(lines)}"tok_ABCD" +\n"EFGHIJKL"`;
  t.deepEqual(placesOf(scanText(RULES, statement)), [`secret-tok ${lines + 1}:2-${lines + 2}`]);
  const { derivedBytes } = workOf(RULES, newFile(statement));
  t.true(derivedBytes <= statement.length);
});

test('scanRisk joins literals anywhere in a long line, in pieces', (t) => {
  const gap = 'x = 1; '.repeat(RISK_GATE.LITERAL_BYTES_MAX / 5);
  const line = `${gap}f("tok_ABCD" + "EFGHIJKL"); ${gap}g('tok_MNOP' + 'QRSTUVWX'); ${gap}`;
  const columns = [...line.matchAll(/tok_/g)].map(({ index }) => index + 1);
  t.deepEqual(
    placesOf(scanText(RULES, line)),
    columns.map((column) => `secret-tok 1:${column}`),
  );
  const { derivedBytes } = workOf(RULES, newFile(line));
  t.true(derivedBytes < 1.2 * line.length, `${derivedBytes}`);
});
