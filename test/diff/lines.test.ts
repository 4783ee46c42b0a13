import test from 'ava';
import type { Hunk } from '../../src/diff/diff.ts';
import { LINE, LineCursor, type LineKind } from '../../src/diff/lines.ts';
import { parseDiff } from '../../src/diff/parse.ts';

const HEADER = '--- a/x\n+++ b/x\n';

interface Line {
  kind: LineKind;
  text: string;
  newLine: number;
}

const cases: readonly { name: string; diff: string; lines: readonly Line[] }[] = [
  {
    name: 'kinds, contents and numbers of the new file',
    diff: `${HEADER}@@ -10,3 +20,3 @@ where\n one\n-two\n+TWO\n three\n`,
    lines: [
      { kind: LINE.CONTEXT, text: 'one', newLine: 20 },
      { kind: LINE.REMOVED, text: 'two', newLine: 21 },
      { kind: LINE.ADDED, text: 'TWO', newLine: 21 },
      { kind: LINE.CONTEXT, text: 'three', newLine: 22 },
    ],
  },
  {
    name: 'empty lines, with and without their blank',
    diff: `${HEADER}@@ -1,3 +1,4 @@\n \n\n+\n \n`,
    lines: [
      { kind: LINE.CONTEXT, text: '', newLine: 1 },
      { kind: LINE.CONTEXT, text: '', newLine: 2 },
      { kind: LINE.ADDED, text: '', newLine: 3 },
      { kind: LINE.CONTEXT, text: '', newLine: 4 },
    ],
  },
  {
    name: 'carriage returns, which are content',
    diff: `${HEADER}@@ -1 +1,2 @@\n a\r\n+b\r\n`,
    lines: [
      { kind: LINE.CONTEXT, text: 'a\r', newLine: 1 },
      { kind: LINE.ADDED, text: 'b\r', newLine: 2 },
    ],
  },
  {
    name: 'notes about a missing newline, which are no lines',
    diff: `${HEADER}@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ Kein Zeilenumbruch\n`,
    lines: [
      { kind: LINE.REMOVED, text: 'a', newLine: 1 },
      { kind: LINE.ADDED, text: 'b', newLine: 1 },
    ],
  },
  {
    name: 'a last line without a newline',
    diff: `${HEADER}@@ -0,0 +1,2 @@\n+a\n+b`,
    lines: [
      { kind: LINE.ADDED, text: 'a', newLine: 1 },
      { kind: LINE.ADDED, text: 'b', newLine: 2 },
    ],
  },
  {
    name: 'lines that look like headers',
    diff: `${HEADER}@@ -1,2 +1,2 @@\n--- a/y\n+++ b/y\n @@ -1 +1 @@\n`,
    lines: [
      { kind: LINE.REMOVED, text: '-- a/y', newLine: 1 },
      { kind: LINE.ADDED, text: '++ b/y', newLine: 1 },
      { kind: LINE.CONTEXT, text: '@@ -1 +1 @@', newLine: 2 },
    ],
  },
  {
    name: 'two marker columns of a combined diff',
    diff: 'diff --cc x\n@@@ -1,3 -1,3 +1,5 @@@\n  one\n++two\n+ three\n +four\n--five\n- six\n  \n',
    lines: [
      { kind: LINE.CONTEXT, text: 'one', newLine: 1 },
      { kind: LINE.ADDED, text: 'two', newLine: 2 },
      { kind: LINE.ADDED, text: 'three', newLine: 3 },
      { kind: LINE.ADDED, text: 'four', newLine: 4 },
      { kind: LINE.REMOVED, text: 'five', newLine: 5 },
      { kind: LINE.REMOVED, text: 'six', newLine: 5 },
      { kind: LINE.CONTEXT, text: '', newLine: 5 },
    ],
  },
];

for (const { name, diff, lines } of cases) {
  test(`LineCursor gives ${name}`, (t) => {
    const bytes = Buffer.from(diff);
    t.deepEqual(
      walk(
        bytes,
        parseDiff(bytes).files.flatMap((file) => file.hunks),
      ),
      lines,
    );
  });
}

test('LineCursor takes a line with a + in any column as added', (t) => {
  const bytes = Buffer.from('-+hidden\n+\n-\n');
  const hunk: Hunk = {
    start: 0,
    end: bytes.length,
    oldStart: 1,
    newStart: 1,
    additions: 2,
    deletions: 1,
    blankAdditions: 1,
    blankDeletions: 1,
    markers: 2,
  };
  t.deepEqual(walk(bytes, [hunk]), [
    { kind: LINE.ADDED, text: 'hidden', newLine: 1 },
    { kind: LINE.ADDED, text: '', newLine: 2 },
    { kind: LINE.REMOVED, text: '', newLine: 3 },
  ]);
});

test('LineCursor gives nothing for an empty hunk', (t) => {
  const bytes = Buffer.from(`${HEADER}@@ -1,0 +1,0 @@\n`);
  t.deepEqual(
    walk(
      bytes,
      parseDiff(bytes).files.flatMap((file) => file.hunks),
    ),
    [],
  );
});

function walk(bytes: Buffer, hunks: readonly Hunk[]): Line[] {
  const cursor = new LineCursor(bytes);
  const lines: Line[] = [];
  for (const hunk of hunks) {
    cursor.open(hunk);
    while (cursor.next()) {
      const { kind, start, end, newLine } = cursor;
      lines.push({ kind, text: bytes.toString('utf8', start, end), newLine });
    }
  }
  return lines;
}
