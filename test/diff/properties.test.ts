import test from 'ava';
import fc from 'fast-check';
import { LINE, LineCursor, type ParsedDiff } from '../../src/diff/diff.ts';
import { parseDiff } from '../../src/diff/parse.ts';
import { someRuns } from '../some-cases.ts';
import { addedLines } from './added-lines.ts';

const SHA = '0123456789abcdef0123456789abcdef01234567';
const MAIL = `From ${SHA} Mon Sep 17 00:00:00 2001\nSubject: s\n\n---\n x | 1 +\n\n`;

/** Contents that are easily taken for something else. */
const content = fc.oneof(
  fc.string({ maxLength: 12 }).map((text) => text.replace(/[\r\n]/g, '.')),
  fc.constantFrom(
    '',
    ' ',
    '-- ',
    '-- a/x',
    '++ b/x',
    '@@ -1 +1 @@',
    'diff --git a/x b/x',
    '\\ No',
    '\r',
  ),
);

/** The body lines of a hunk, with their markers. */
const bodyLines = fc.array(
  fc.tuple(fc.constantFrom(' ', '+', '-', '+'), content).map(([marker, text]) => marker + text),
  { minLength: 1, maxLength: 8 },
);

const fileName = fc.constantFrom('x.js', 'src/a b.ts', 'a/b', 'lib/deep/er.py', 'README');

/** A file's part of a valid diff, in one of the ways to write it. */
const filePart = fc
  .record({
    name: fileName,
    style: fc.constantFrom('git', 'pair', 'subversion'),
    hunks: fc.array(bodyLines, { minLength: 1, maxLength: 3 }),
    note: fc.boolean(),
  })
  .map(({ name, style, hunks, note }) => {
    const header = {
      git: `diff --git a/${name} b/${name}\nindex 111..222 100644\n--- a/${name}\n+++ b/${name}\n`,
      pair: `--- a/${name}\t2024-01-01 00:00:00\n+++ b/${name}\t2024-01-02 00:00:00\n`,
      subversion: `Index: ${name}\n=======\n--- ${name}\t(revision 1)\n+++ ${name}\t(new)\n`,
    }[style];
    let line = 1;
    const bodies = hunks.map((lines) => {
      const oldCount = lines.filter((text) => !text.startsWith('+')).length;
      const newCount = lines.filter((text) => !text.startsWith('-')).length;
      line += 100;
      return `@@ -${line},${oldCount} +${line},${newCount} @@\n${lines.join('\n')}\n`;
    });
    const text = header + bodies.join('') + (note ? '\\ No newline at end of file\n' : '');
    const added = hunks.flat().filter((body) => body.startsWith('+'));
    return { text, added: added.map((body) => body.slice(1)) };
  });

const valid = fc
  .record({
    parts: fc.array(filePart, { minLength: 1, maxLength: 4 }),
    frame: fc.constantFrom('none', 'mail', 'log'),
  })
  .map(({ parts, frame }) => {
    const body = parts.map(({ text }) => text).join('');
    if (frame === 'none') return body;
    if (frame === 'log') return `commit ${SHA}\nAuthor: A\n\n    words\n\n${body}`;
    return `${MAIL}${body}-- \n2.39.5\n\n`;
  });

/** Pieces of diffs in any order. */
const pieces = fc
  .array(
    fc.oneof(
      filePart.map(({ text }) => text),
      content.map((text) => `${text}\n`),
      content.map((text) => `+${text}\n`),
      fc.constantFrom(
        '@@ -1,3 +1,4 @@\n',
        '@@@ -1,3 -1,2 +1,4 @@@\n',
        '@@ -1 @@\n',
        'diff --cc x\nindex 1,2..3\n',
        '-- \n2.39.5\n',
        `commit ${SHA}\n`,
        'GIT binary patch\nliteral 1\nAcmZQ\n\n',
        'Binary files a/x and b/x differ\n',
        'rename from x\nrename to y\n',
        'Submodule s 1234567..89abcde:\n',
        '\\ No newline at end of file\n',
      ),
    ),
    { maxLength: 12 },
  )
  .map((texts) => texts.join(''));

const anything = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  pieces.map((text) => Buffer.from(text)),
  fc.tuple(pieces, fc.nat(400)).map(([text, cut]) => Buffer.from(text).subarray(0, cut)),
);

test('parseDiff never throws, and hunks stay within the diff and in order', (t) => {
  fc.assert(
    fc.property(anything, (bytes) => {
      let from = 0;
      for (const file of parseDiff(bytes).files) {
        t.true(from <= file.headerStart && file.headerStart <= file.headerEnd);
        from = file.headerEnd;
        for (const { start, end } of file.hunks) {
          t.true(from <= start && start <= end && end <= bytes.length);
          from = end;
        }
      }
    }),
    { numRuns: someRuns(2000) },
  );
  t.pass();
});

test('LineCursor gives lines within their hunk, as many as the hunk counts', (t) => {
  fc.assert(
    fc.property(anything, (bytes) => {
      const diff = parseDiff(bytes);
      const cursor = new LineCursor(bytes);
      const total = { [LINE.CONTEXT]: 0, [LINE.ADDED]: 0, [LINE.REMOVED]: 0 };
      for (const hunk of diff.files.flatMap((file) => file.hunks)) {
        const counts = { [LINE.CONTEXT]: 0, [LINE.ADDED]: 0, [LINE.REMOVED]: 0 };
        let from = hunk.start;
        cursor.open(hunk);
        while (cursor.next()) {
          t.true(from <= cursor.start && cursor.start <= cursor.end && cursor.end <= hunk.end);
          t.false(bytes.subarray(cursor.start, cursor.end).includes(0x0a));
          from = cursor.end;
          counts[cursor.kind] += 1;
          total[cursor.kind] += 1;
        }
        t.is(counts[LINE.ADDED], hunk.additions);
        t.is(counts[LINE.REMOVED], hunk.deletions);
      }
      t.is(total[LINE.ADDED], diff.additions);
      t.is(total[LINE.REMOVED], diff.deletions);
      t.is(diff.additions, sum(diff, 'additions'));
      t.is(diff.deletions, sum(diff, 'deletions'));
    }),
    { numRuns: someRuns(2000) },
  );
  t.pass();
});

test('parseDiff finds no problem in valid diffs, and every added line', (t) => {
  fc.assert(
    fc.property(fc.array(filePart, { minLength: 1, maxLength: 4 }), (parts) => {
      const { seen, diff } = contents(parts.map(({ text }) => text).join(''));
      t.deepEqual(diff.problems, []);
      t.is(diff.files.length, parts.length);
      t.deepEqual(
        seen,
        parts.flatMap(({ added }) => added),
      );
    }),
    { numRuns: someRuns(1000) },
  );
});

test('parseDiff gives for two diffs in a row the files of both', (t) => {
  fc.assert(
    fc.property(valid, valid, (one, other) => {
      const both = parseDiff(Buffer.from(one + other));
      const first = parseDiff(Buffer.from(one));
      const second = parseDiff(Buffer.from(other));
      const shift = { bytes: Buffer.byteLength(one), lines: one.split('\n').length - 1 };
      t.deepEqual(both.problems, []);
      t.deepEqual(both.files, [...first.files, ...second.files.map((file) => moved(file, shift))]);
    }),
    { numRuns: someRuns(1000) },
  );
});

test('parseDiff loses no added line without a problem when a line is dropped', (t) => {
  fc.assert(
    fc.property(valid, fc.nat(), (text, choice) => {
      const lines = text.split('\n').slice(0, -1);
      const [dropped = ''] = lines.splice(choice % lines.length, 1);
      const rest = `${lines.join('\n')}\n`;
      const { seen: before } = contents(text);
      const { seen: after, diff } = contents(rest);
      if (diff.problems.length > 0) return;
      const lost = before
        .filter((line) => !take(after, line))
        // Without the header of its hunk, `--- a/x` and `+++ b/x` begin another file's part.
        .filter((line) => !(dropped.startsWith('@@') && line === '++ b/x'));
      t.true(lost.every((line) => dropped === `+${line}`) && lost.length <= 1, rest);
    }),
    { numRuns: someRuns(4000) },
  );
  t.pass();
});

function sum(diff: ParsedDiff, what: 'additions' | 'deletions'): number {
  return diff.files.reduce((total, file) => total + file[what], 0);
}

function moved(file: ParsedDiff['files'][number], shift: { bytes: number; lines: number }) {
  return {
    ...file,
    headerStart: file.headerStart + shift.bytes,
    headerEnd: file.headerEnd + shift.bytes,
    diffLine: file.diffLine + shift.lines,
    hunks: file.hunks.map((hunk) => ({
      ...hunk,
      start: hunk.start + shift.bytes,
      end: hunk.end + shift.bytes,
    })),
  };
}

/** The added lines without their places. */
function contents(text: string): { seen: string[]; diff: ParsedDiff } {
  const bytes = Buffer.from(text);
  const diff = parseDiff(bytes);
  const seen = addedLines(bytes, diff).map((line) => line.replace(/^[^:]*:\d+:/s, ''));
  return { seen, diff };
}

/** Takes one `line` out of `lines`; whether there was one. */
function take(lines: string[], line: string): boolean {
  const at = lines.indexOf(line);
  if (at !== -1) lines.splice(at, 1);
  return at !== -1;
}
