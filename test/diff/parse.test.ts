import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { DIFF } from '../../src/diff/bytes.ts';
import { type DiffFile, type Hunk, LINE, LineCursor, type LineKind } from '../../src/diff/diff.ts';
import { parseDiff } from '../../src/diff/parse.ts';
import { addedLines } from './added-lines.ts';

const FIXTURES = join('test', 'fixtures', 'diffs');
const HEADER = '--- a/x.js\n+++ b/x.js\n';
const HUNK = '@@ -0,0 +1 @@\n+ok\n';

for (const name of readdirSync(FIXTURES).filter((file) => !file.endsWith('.json'))) {
  test(`parseDiff reads ${name}`, (t) => {
    const { files, problems } = parseDiff(readFileSync(join(FIXTURES, name)));
    const expected = JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), 'utf8'));
    t.deepEqual({ files: files.map(summary), problems }, expected);
  });
}

/** What the fixtures tell of a file; a hunk is [oldStart, newStart, additions, deletions]. */
function summary(file: DiffFile) {
  const { path, oldPath, change, content, oldMode, newMode, diffLine, additions, deletions } = file;
  return {
    path,
    oldPath,
    change,
    content,
    oldMode,
    newMode,
    diffLine,
    additions,
    deletions,
    hunks: file.hunks.map((hunk) => [hunk.oldStart, hunk.newStart, hunk.additions, hunk.deletions]),
  };
}

test('parseDiff gives the byte ranges of headers and hunk bodies', (t) => {
  const text = 'diff -u x y\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n@@ -5,0 +6 @@\n+c\n';
  const [file] = parseDiff(Buffer.from(text)).files;
  t.is(text.slice(file?.headerStart, file?.headerEnd), 'diff -u x y\n--- a/x\n+++ b/x\n');
  const bodies = file?.hunks.map(({ start, end }) => text.slice(start, end));
  t.deepEqual(bodies, ['-a\n+b\n', '+c\n']);
});

test('parseDiff reads shared memory, at any offset', (t) => {
  const text = '--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+a\n';
  const shared = new Uint8Array(new SharedArrayBuffer(text.length + 3), 3);
  shared.set(Buffer.from(text));
  const diff = parseDiff(shared);
  t.deepEqual(addedLines(shared, diff), ['x:1:a']);
});

test('parseDiff reads a line of several megabytes', (t) => {
  const long = 'x'.repeat(8 * 1024 * 1024);
  const bytes = Buffer.from(`--- a/x\n+++ b/x\n@@ -0,0 +1,2 @@\n+${long}\n+end\n`);
  const diff = parseDiff(bytes);
  t.deepEqual(diff.problems, []);
  t.deepEqual(addedLines(bytes, diff), [`x:1:${long}`, 'x:2:end']);
});

test('parseDiff gives no file for text that is not a diff', (t) => {
  for (const text of [
    '',
    '\n',
    'hello\nworld\n',
    '+a\n-b\n',
    '@@ nothing\n',
    '| diff --git a b\n',
  ]) {
    const expected = { files: [], problems: [], additions: 0, deletions: 0 };
    t.deepEqual(parseDiff(Buffer.from(text)), expected, text);
  }
});

/** Names in headers: what is read, and the paths that must come out. */
const names: readonly { header: string; oldPath: string | null; newPath: string | null }[] = [
  { header: 'diff --git a/x b b/x b\n', oldPath: 'x b', newPath: 'x b' },
  { header: 'diff --git a/x b/x b/x b/x\n', oldPath: 'x b/x', newPath: 'x b/x' },
  { header: 'diff --git "a/\\303\\251\\t" "b/\\303\\251\\t"\n', oldPath: 'é\t', newPath: 'é\t' },
  { header: 'diff --git "a/\\377" "b/\\377"\n', oldPath: '\ufffd', newPath: '\ufffd' },
  { header: 'diff --git a/é b/é\n', oldPath: 'é', newPath: 'é' },
  { header: 'diff --git src/x src/x\n', oldPath: 'src/x', newPath: 'src/x' },
  { header: 'diff --git a/x a/x\n', oldPath: 'a/x', newPath: 'a/x' },
  { header: 'diff --git i/x w/x\n', oldPath: 'x', newPath: 'x' },
  { header: 'diff --git old/x y newer/x y\n', oldPath: 'x y', newPath: 'x y' },
  { header: 'diff --git b/x a/x\n', oldPath: 'x', newPath: 'x' },
  { header: 'diff --git a/x b/y\nrename from x\nrename to y\n', oldPath: 'x', newPath: 'y' },
  { header: 'diff --git x y\ncopy from "x\\""\ncopy to y\n', oldPath: 'x"', newPath: 'y' },
  {
    header: 'diff --git a/x "b/\\""\nrename from x\nrename to "\\""\n',
    oldPath: 'x',
    newPath: '"',
  },
  { header: 'diff --git a/x b/x\nnew file mode 100644\n', oldPath: null, newPath: 'x' },
  { header: 'diff --git a/x b/x\ndeleted file mode 100644\n', oldPath: 'x', newPath: null },
  { header: 'diff --cc x y\nindex 1,2..3\n', oldPath: 'x y', newPath: 'x y' },
  { header: 'diff --combined "\\303\\251"\nindex 1,2..3\n', oldPath: 'é', newPath: 'é' },
  {
    header: 'Binary files a/x and y and b/x and y differ\n',
    oldPath: 'x and y',
    newPath: 'x and y',
  },
  { header: 'Binary files /dev/null and b/x differ\n', oldPath: null, newPath: 'x' },
  { header: 'Files old/d/x and new/d/x differ\n', oldPath: 'd/x', newPath: 'd/x' },
  { header: 'Index: x y\n=======\n', oldPath: 'x y', newPath: 'x y' },
  {
    header: 'Submodule lib/a b 1234567..89abcde:\n  > one\n  < two\n',
    oldPath: 'lib/a b',
    newPath: 'lib/a b',
  },
  { header: 'Submodule lib 0000000...89abcde (new submodule)\n', oldPath: null, newPath: 'lib' },
];

for (const { header, oldPath, newPath } of names) {
  test(`parseDiff names the file of ${JSON.stringify(header)}`, (t) => {
    const { files, problems } = parseDiff(Buffer.from(header));
    t.deepEqual(problems, []);
    t.deepEqual(
      files.map((file) => [file.oldPath, file.newPath, file.path]),
      [[oldPath, newPath, newPath ?? oldPath ?? '']],
    );
  });
}

/** The names of `---` and `+++` lines without a line of git's. */
const pairs: readonly [
  minus: string,
  plus: string,
  oldPath: string | null,
  newPath: string | null,
][] = [
  ['a/src/x.js', 'b/src/x.js', 'src/x.js', 'src/x.js'],
  ['src/x.js\t2024-01-01', 'src/x.js\t2024-01-02', 'src/x.js', 'src/x.js'],
  ['old/src/x.js', 'new/src/x.js', 'src/x.js', 'src/x.js'],
  ['/tmp/1/src/x.js', '/tmp/2/src/x.js', 'src/x.js', 'src/x.js'],
  ['/tmp/x.js', 'src/x.js', '/tmp/x.js', 'src/x.js'],
  ['gold/x.js', 'old/x.js', 'x.js', 'x.js'],
  ['x.js.orig', 'x.js', 'x.js.orig', 'x.js'],
  ['old.js', 'new.js', 'old.js', 'new.js'],
  ['"a/t\\tb"', '"b/t\\tb"', 't\tb', 't\tb'],
  ['a/with blank\t', 'b/with blank\t', 'with blank', 'with blank'],
  ['/dev/null', 'b/x', null, 'x'],
  ['a/x', '/dev/null', 'x', null],
  ['old/x\t1970-01-01 00:00:00.000000000 +0000', 'new/x\t2024-01-01 00:00:00 +0000', null, 'x'],
  ['old/x\t2024-01-01 00:00:00 +0000', 'new/x\t1969-12-31 19:00:00 -0500', 'x', null],
  ['x\t(nonexistent)', 'x\t(working copy)', null, 'x'],
];

for (const [minus, plus, oldPath, newPath] of pairs) {
  test(`parseDiff names the file of --- ${minus} and +++ ${plus}`, (t) => {
    const hunk = newPath === null ? '@@ -1 +0,0 @@\n-a\n' : '@@ -0,0 +1 @@\n+a\n';
    const { files, problems } = parseDiff(Buffer.from(`--- ${minus}\n+++ ${plus}\n${hunk}`));
    t.deepEqual(problems, []);
    t.deepEqual(
      files.map((file) => [file.oldPath, file.newPath]),
      [[oldPath, newPath]],
    );
  });
}

/** Limits: a text that goes past one, and what the problem says. */
const limits: readonly { name: string; text: () => string; says: RegExp; problems?: number }[] = [
  {
    name: 'FILES_MAX',
    text: () => 'diff --git a/x b/x\n'.repeat(DIFF.FILES_MAX + 1),
    says: /more than 100000 files; the rest was not read/,
  },
  {
    name: 'HUNKS_MAX',
    text: () => `diff --git a/x b/x\n${'@@ -1 +1 @@\n-\n+\n'.repeat(DIFF.HUNKS_MAX + 1)}`,
    says: /more than 500000 hunks; the rest was not read/,
  },
  {
    name: 'HEADER_LINES_MAX',
    text: () => `diff --git a/x b/x\n${'index 1..2\n'.repeat(DIFF.HEADER_LINES_MAX)}`,
    says: /header has more than 64 lines/,
  },
  {
    name: 'PATH_BYTES_MAX',
    text: () => {
      const name = 'x'.repeat(DIFF.PATH_BYTES_MAX + 1);
      return `diff --git a/${name} b/${name}\n`;
    },
    says: /longer than 4096 bytes/,
  },
  {
    name: 'PROBLEMS_MAX',
    text: () => 'Only in x: y\n'.repeat(DIFF.PROBLEMS_MAX + 50),
    says: /more problems than the 100 that are listed/,
    problems: DIFF.PROBLEMS_MAX,
  },
  {
    name: 'PARENTS_MAX',
    text: () => {
      const ats = '@'.repeat(DIFF.PARENTS_MAX + 2);
      return `diff --cc x\n${ats}${' -1,0'.repeat(DIFF.PARENTS_MAX + 1)} +1 ${ats}\n`;
    },
    says: /hunk header is not readable/,
  },
];

for (const { name, text, says, problems } of limits) {
  test(`parseDiff reports what is past DIFF.${name}`, (t) => {
    const diff = parseDiff(Buffer.from(text()));
    t.true(
      diff.problems.some(({ message }) => says.test(message)),
      JSON.stringify(diff.problems.at(-1)),
    );
    if (problems !== undefined) t.is(diff.problems.length, problems);
    for (const file of diff.files) t.true(file.path.length <= DIFF.PATH_BYTES_MAX);
  });
}

/** Texts that are cheap to write and must stay cheap to read: each is read within the timeout. */
const floods: readonly { name: string; line: string; before?: string }[] = [
  { name: 'blank lines', line: '\n' },
  { name: 'blank lines behind a hunk', line: '\n', before: `${HEADER}${HUNK}` },
  { name: 'old names', line: '--- \n' },
  { name: 'pairs', line: '--- a\n+++ b\n' },
  { name: 'undeclared lines', line: '+\n', before: `${HEADER}@@ -0,0 +0,0 @@\n` },
  { name: 'signatures', line: '-- \n', before: `${HEADER}${HUNK}` },
  { name: 'hunk headers', line: '@@ -1,5 +1,5 @@\n', before: HEADER },
  { name: 'header lines', line: 'index 1..2\n', before: 'diff --git a/x b/x\n' },
  { name: 'names in one line', line: ' a/x', before: 'diff --git a/x' },
  { name: 'blanks between names', line: `${' '.repeat(30_000)}/\n`, before: 'diff --git a/' },
  { name: 'ands in one line', line: ' and ', before: 'Binary files ' },
  { name: 'escapes in one name', line: '\\303', before: 'diff --git "a/' },
  { name: 'directories in one name', line: 'a/', before: '--- x\n+++ ' },
  { name: 'digits in one number', line: '9', before: `${HEADER}@@ -` },
  { name: 'marks in one line', line: '@', before: HEADER },
  { name: 'indents in one line', line: 'X' },
  { name: 'submodule words in one line', line: ' a 1234567', before: 'Submodule ' },
  { name: 'commands of ed', line: '1,2c\n' },
  {
    name: 'binary data',
    line: 'AcmZQ\n',
    before: 'diff --git a/x b/x\nGIT binary patch\nliteral 1\n',
  },
];

for (const { name, line, before = '' } of floods) {
  test(`parseDiff reads a flood of ${name}`, (t) => {
    const bytes = Buffer.from(before + line.repeat(FLOOD_BYTES / line.length), 'latin1');
    const diff = parseDiff(bytes);
    t.is(
      diff.additions,
      diff.files.reduce((sum, file) => sum + file.additions, 0),
    );
  });
}

const FLOOD_BYTES = 4_000_000;

const PLAIN_HEADER = '--- a/x\n+++ b/x\n';

interface Line {
  kind: LineKind;
  text: string;
  newLine: number;
}

const cases: readonly { name: string; diff: string; lines: readonly Line[] }[] = [
  {
    name: 'kinds, contents and numbers of the new file',
    diff: `${PLAIN_HEADER}@@ -10,3 +20,3 @@ where\n one\n-two\n+TWO\n three\n`,
    lines: [
      { kind: LINE.CONTEXT, text: 'one', newLine: 20 },
      { kind: LINE.REMOVED, text: 'two', newLine: 21 },
      { kind: LINE.ADDED, text: 'TWO', newLine: 21 },
      { kind: LINE.CONTEXT, text: 'three', newLine: 22 },
    ],
  },
  {
    name: 'empty lines, with and without their blank',
    diff: `${PLAIN_HEADER}@@ -1,3 +1,4 @@\n \n\n+\n \n`,
    lines: [
      { kind: LINE.CONTEXT, text: '', newLine: 1 },
      { kind: LINE.CONTEXT, text: '', newLine: 2 },
      { kind: LINE.ADDED, text: '', newLine: 3 },
      { kind: LINE.CONTEXT, text: '', newLine: 4 },
    ],
  },
  {
    name: 'carriage returns, which are content',
    diff: `${PLAIN_HEADER}@@ -1 +1,2 @@\n a\r\n+b\r\n`,
    lines: [
      { kind: LINE.CONTEXT, text: 'a\r', newLine: 1 },
      { kind: LINE.ADDED, text: 'b\r', newLine: 2 },
    ],
  },
  {
    name: 'notes about a missing newline, which are not lines',
    diff: `${PLAIN_HEADER}@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ Kein Zeilenumbruch\n`,
    lines: [
      { kind: LINE.REMOVED, text: 'a', newLine: 1 },
      { kind: LINE.ADDED, text: 'b', newLine: 1 },
    ],
  },
  {
    name: 'a last line without a newline',
    diff: `${PLAIN_HEADER}@@ -0,0 +1,2 @@\n+a\n+b`,
    lines: [
      { kind: LINE.ADDED, text: 'a', newLine: 1 },
      { kind: LINE.ADDED, text: 'b', newLine: 2 },
    ],
  },
  {
    name: 'lines that look like headers',
    diff: `${PLAIN_HEADER}@@ -1,2 +1,2 @@\n--- a/y\n+++ b/y\n @@ -1 +1 @@\n`,
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
  const bytes = Buffer.from(`${PLAIN_HEADER}@@ -1,0 +1,0 @@\n`);
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
