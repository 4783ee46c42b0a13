import test from 'ava';
import fc from 'fast-check';
import { RISK_GATE } from '../../../src/limits.ts';
import type { GateFinding } from '../../../src/model/finding.ts';
import type { Pattern } from '../../../src/model/rules.ts';
import { compile, pattern, scanDiff, scanText } from './scan-text.ts';

/** Expressions that RE2 and JavaScript read alike, on ASCII. */
const PATTERNS: Pattern[] = [
  pattern({ id: 'secret-a', regex: 'key=([a-z0-9]+)', keywords: ['key'] }),
  pattern({ id: 'secret-b', regex: '^\\s*tok_[a-z]{2,4}\\b', keywords: ['tok_', 'zzz'] }),
  pattern({ id: 'risk-c', regex: '\\bx+$' }),
  pattern({ id: 'risk-d', regex: '(?:key|tok)[^ ]{1,3} ', keywords: ['KEY', 'ok_'] }),
  pattern({ id: 'risk-e', regex: '[a-z]=|;$', keywords: ['=', ';'] }),
];

const fragment = fc.constantFrom(
  'key',
  'KEY',
  '=',
  'tok_',
  'x',
  'xx',
  ' ',
  ';',
  'a1',
  'zzz',
  '\t',
  // No quotes: string literals that follow each other would be joined.
  '|',
);
const lineText = fc.array(fragment, { maxLength: 8 }).map((parts) => parts.join(''));
const bodyLine = fc.record({
  marker: fc.constantFrom('+', '+', ' ', '-'),
  text: lineText,
  cr: fc.boolean(),
});
const hunk = fc.array(bodyLine, { minLength: 1, maxLength: 12 });

interface BodyLine {
  marker: string;
  text: string;
  cr: boolean;
}

/** The diff of one file with hunks 100 lines apart. */
function diffOf(hunks: readonly BodyLine[][]): string {
  let text = 'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n';
  for (const [index, lines] of hunks.entries()) {
    const count = (without: string) => lines.filter(({ marker }) => marker !== without).length;
    const start = 100 * (index + 1);
    text += `@@ -${start},${count('+')} +${start},${count('-')} @@\n`;
    for (const { marker, text: content, cr } of lines)
      text += `${marker}${content}${cr ? '\r' : ''}\n`;
  }
  return text;
}

/** What every rule finds on every added line, one by one, with JavaScript's own engine. */
function naive(hunks: readonly BodyLine[][]): string[] {
  const found = new Set<string>();
  for (const [index, lines] of hunks.entries()) {
    let number = 100 * (index + 1);
    for (const { marker, text } of lines) {
      if (marker === '+') {
        for (const rule of PATTERNS)
          for (const hit of naiveLine(rule, text, number)) found.add(hit);
      }
      if (marker !== '-') number += 1;
    }
  }
  return [...found].sort();
}

function naiveLine(rule: Pattern, text: string, number: number): string[] {
  const isWoken = (rule.keywords ?? ['']).some((word) =>
    text.toLowerCase().includes(word.toLowerCase()),
  );
  if (!isWoken) return [];
  const seen = new Set<string>();
  const hits: string[] = [];
  for (const match of text.matchAll(new RegExp(rule.regex ?? '', 'g'))) {
    const value = rule.id.startsWith('secret-') ? (match[1] ?? match[0]) : match[0];
    // The same text is reported once a line.
    if (!seen.has(value)) hits.push(`${rule.id} ${number}:${match.index + 1}`);
    seen.add(value);
  }
  return hits;
}

function listed(findings: readonly GateFinding[]): string[] {
  return findings.map(({ id, line, column }) => `${id} ${line}:${column}`).sort();
}

test('scanRisk finds what a plain search of every line finds, at the same line and column', (t) => {
  const rules = compile(...PATTERNS);
  fc.assert(
    fc.property(fc.array(hunk, { minLength: 1, maxLength: 3 }), (hunks) => {
      t.deepEqual(listed(scanDiff(rules, diffOf(hunks))), naive(hunks));
    }),
    { numRuns: 500 },
  );
});

test('scanRisk finds the same in long lines, wherever windows and pieces end', (t) => {
  const token = pattern({ id: 'risk-t', regex: '\\btok_[a-z]{3,9}\\b', keywords: ['tok_'] });
  const woken = compile(token);
  const always = compile({ ...token, keywords: [] });
  const gap = fc.oneof(
    fc.integer({ min: 0, max: 20 }),
    fc.integer({ min: RISK_GATE.LINE_WINDOW_BYTES - 20, max: RISK_GATE.LINE_WINDOW_BYTES + 20 }),
    fc.integer({ min: 0, max: RISK_GATE.LINE_PIECE_BYTES }),
  );
  const word = fc.constantFrom(
    'tok_abc',
    'tok_abcdefghi',
    'tok_ab',
    'xtok_abc',
    'tok_abcdefghij',
    ' ',
  );
  const filler = fc.constantFrom('.', 'é', 'x ');
  const part = fc.tuple(gap, word, filler);
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 12 }), (parts) => {
      // Numbered, as the same text is reported once a line.
      const line = parts
        .map(([size, text, fill], index) => `${fill.repeat(size)}${text} ${index}`)
        .join(' ');
      const expected: string[] = [];
      const seen = new Set<string>();
      for (const match of line.matchAll(/(?<!\w)tok_[a-z]{3,9}(?!\w)/g)) {
        const column = Buffer.byteLength(line.slice(0, match.index)) + 1;
        if (!seen.has(match[0])) expected.push(`risk-t 1:${column}`);
        seen.add(match[0]);
      }
      t.deepEqual(listed(scanText(woken, line)), expected.sort());
      t.deepEqual(listed(scanText(always, line)), expected.sort());
    }),
    { numRuns: 60 },
  );
});

test('scanRisk finds multi-line matches wherever the pieces of a long hunk end', (t) => {
  const block = pattern({
    id: 'secret-k',
    regex: 'BEGIN\\n((?:[a-z0-9]+\\n)+)END',
    target: 'hunk',
    keywords: ['begin'],
  });
  const rules = compile(block);
  const gap = fc.integer({ min: 0, max: RISK_GATE.HUNK_WINDOW_BYTES });
  const length = fc.integer({ min: 1, max: 400 });
  fc.assert(
    fc.property(fc.array(fc.tuple(gap, length), { minLength: 1, maxLength: 5 }), (blocks) => {
      const lines: string[] = [];
      const expected: string[] = [];
      for (const [index, [size, count]] of blocks.entries()) {
        for (let left = size; left > 0; left -= 80) lines.push('-'.repeat(Math.min(left, 79)));
        expected.push(`secret-k ${lines.length + 1}:1-${lines.length + count + 2}`);
        lines.push('BEGIN');
        for (let line = 0; line < count; line += 1) lines.push(`b${index}l${line}`.padEnd(64, 'q'));
        lines.push('END');
      }
      const found = scanText(rules, lines.join('\n'));
      t.deepEqual(
        found.map(({ id, line, column, end_line }) => `${id} ${line}:${column}-${end_line}`),
        expected,
      );
    }),
    { numRuns: 25 },
  );
});

const AT_BOUNDARIES: [title: string, regex: string, text: string, columns: number[]][] = [
  ['whole words', '\\btok_[a-z]{3,9}\\b', ' tok_abcdefghi ', [1]],
  ['no parts of words', '\\btok_[a-z]{3,9}\\b', 'xtok_abcdefghi ', []],
  ['runs once', '(?:ab)+', '-abababababab-', [1]],
  ['neighbours each', '[a-d]x', '-axbxcxdx-', [1, 3, 5, 7]],
  ['no false start', '^tok_[a-z]+', 'tok_abcdefghi ', []],
];

for (const [title, regex, text, columns] of AT_BOUNDARIES) {
  test(`scanRisk finds ${title} where two pieces of a line meet`, (t) => {
    // Woken by every dot, so that one window covers the line.
    const rules = compile(pattern({ id: 'risk-t', regex, keywords: ['.'] }));
    const pieceEnd = RISK_GATE.LINE_PIECE_BYTES;
    for (const boundary of [pieceEnd - RISK_GATE.LINE_WINDOW_BYTES, pieceEnd]) {
      for (let at = boundary - text.length; at <= boundary; at += 1) {
        const line = '.'.repeat(at) + text + '.'.repeat(pieceEnd);
        const expected = columns.map((column) => `risk-t 1:${at + column + 1}`);
        t.deepEqual(listed(scanText(rules, line)), expected, `${at}`);
      }
    }
  });
}
