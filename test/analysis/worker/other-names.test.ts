import test from 'ava';
import type { GateFinding } from '../../../src/model/finding.ts';
import { pattern } from '../../gates/patterns/scan-text.ts';
import { findingsOf } from './gates-run.ts';

const BAD = "app.get('/', (req) => require('child_process').exec(req.query.c));";
const HUNK = `@@ -1 +1,2 @@\n // a\n+${BAD}\n`;
const NEW_HUNK = `@@ -0,0 +1 @@\n+${BAD}\n`;

const PATTERNS = [
  pattern({
    id: 'risk-python',
    severity: 'high',
    regex: 'child_process',
    path: '\\.py$',
    keywords: ['child_process'],
  }),
  pattern({ id: 'risk-hook', severity: 'high', path: '^\\.husky/' }),
];

const worst = (findings: readonly GateFinding[]) =>
  findings
    .filter(({ id }) => id !== 'diff-unreadable' && id !== 'outside-diff')
    .map(({ id, file }) => `${id} ${file}`);

/** A header with two names, of which one is that of JavaScript, and what is found besides. */
const HEADERS: [title: string, diff: string, file: string][] = [
  ['a copy with .new', `--- a/a.js\n+++ b/a.js.new\n${HUNK}`, 'a.js.new'],
  ['a copy with .orig', `--- a/a.js\n+++ b/a.js.orig\n${HUNK}`, 'a.js.orig'],
  ['a copy with ~', `--- a.js\n+++ a.js~\n${HUNK}`, 'a.js~'],
  [
    'a copy with .bak, the other way',
    `--- a/a.js.bak\n+++ b/a.js.1\n${HUNK}`.replace('a.js.bak', 'a.js'),
    'a.js.1',
  ],
  ['two files', `--- a/a.js\n+++ b/a.txt\n${HUNK}`, 'a.txt'],
  ['two files, without prefixes', `--- a.js\n+++ notes\n${HUNK}`, 'notes'],
  ['quoted names', `--- "a/\\141.js"\n+++ "b/a.js.new"\n${HUNK}`, 'a.js.new'],
  ['one quoted name', `--- "a/\\141.js"\n+++ b/a.txt\n${HUNK}`, 'a.txt'],
  [
    'names with times',
    `--- a.js\t2026-01-01 00:00:00\n+++ a.js.new\t2026-01-02 00:00:00\n${HUNK}`,
    'a.js.new',
  ],
  ['diff --git against +++', `diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.txt\n${HUNK}`, 'a.txt'],
  [
    'diff --git against both',
    `diff --git a/a.js b/a.js\n--- a/a.txt\n+++ b/a.txt\n${HUNK}`,
    'a.txt',
  ],
  [
    'diff --git of two names',
    `diff --git a/a.js b/a.txt\n--- a/a.txt\n+++ b/a.txt\n${HUNK}`,
    'a.txt',
  ],
  [
    'a new file by another name',
    `diff --git a/a.js b/a.js\nnew file mode 100644\n--- /dev/null\n+++ b/a.txt\n${NEW_HUNK}`,
    'a.txt',
  ],
  [
    'a rename against ---',
    `diff --git a/a.txt b/b.txt\nrename from a.txt\nrename to b.txt\n--- a/a.js\n+++ b/b.txt\n${HUNK}`,
    'b.txt',
  ],
  [
    'a rename against +++',
    `diff --git a/a.txt b/b.txt\nrename from a.txt\nrename to b.txt\n--- a/a.txt\n+++ b/b.js\n${HUNK}`,
    'b.txt',
  ],
  [
    'a rename of code to text',
    `diff --git a/a.js b/b.txt\nrename from a.js\nrename to b.txt\n--- a/a.js\n+++ b/b.txt\n${HUNK}`,
    'b.txt',
  ],
  ["Subversion's header", `Index: a.js\n=======\n--- a.txt\n+++ a.txt\n${HUNK}`, 'a.txt'],
];

for (const [title, diff, file] of HEADERS) {
  test(`a diff with two names is judged under both: ${title}`, async (t) => {
    const found = worst(await findingsOf(diff, { patterns: PATTERNS }));
    t.deepEqual(found, [`vuln-01 ${file}`]);
  });
}

test('rules limited to a path see both names, and each finding stands once', async (t) => {
  // The line is JavaScript: as Python it is code that the gate could not read.
  const found = async (diff: string) =>
    worst(await findingsOf(diff, { patterns: PATTERNS })).filter(
      (one) => !one.startsWith('ast-unparsed'),
    );
  const py = `--- a/a.py\n+++ b/a.py.new\n${HUNK}`;
  t.deepEqual(await found(py), ['risk-python a.py.new']);
  t.deepEqual(await found(py.replace('b/a.py.new', 'b/b.py')), ['risk-python b.py']);
  const hook = `--- a/.husky/push\n+++ b/.husky/push.new\n${HUNK}`;
  t.deepEqual(await found(hook), ['risk-hook .husky/push.new']);
  const once = `--- a/a.js\n+++ b/b.js\n${HUNK}`;
  t.deepEqual(await found(once), ['vuln-01 b.js']);
});

test('the graver one of two names counts', async (t) => {
  const diff = `--- a/src/a.js\n+++ b/test/a.js\n${HUNK}--- a/test/b.txt\n+++ b/test/b.txt\n@@ -1 +1,2 @@\n a\n+b\n`;
  const [first] = (await findingsOf(diff)).filter(({ id }) => id.startsWith('vuln-'));
  t.is(first?.severity, 'critical');
  t.is(first?.file, 'test/a.js');
});

test('binary files are weighed by both names', async (t) => {
  const differ = (one: string, other: string) => `Binary files ${one} and ${other} differ\n`;
  const severities = async (diff: string) =>
    (await findingsOf(diff)).filter(({ id }) => id === 'binary-file').map((one) => one.severity);
  t.deepEqual(await severities(differ('a/a.js', 'b/a.js.new')), ['high']);
  t.deepEqual(await severities(differ('a/logo.png', 'b/logo.png')), ['info']);
  t.deepEqual(await severities(differ('a/a.js', 'b/logo.png')), ['high']);
});

test('one name is one name: renames of one kind, prefixes and quotes', async (t) => {
  const found = async (diff: string) => (await findingsOf(diff)).map(({ id }) => id);
  const text = (from: string, to: string) => `--- ${from}\n+++ ${to}\n${HUNK}`;
  t.deepEqual(await found(text('a/a.txt', 'b/a.txt')), []);
  t.deepEqual(await found(text('old/a.txt', 'new/a.txt')), []);
  t.deepEqual(await found(text('"a/a\\t.txt"', '"b/a\\t.txt"')), []);
  const rename = 'diff --git a/a.md b/b.txt\nrename from a.md\nrename to b.txt\n';
  t.deepEqual(await found(rename + text('a/a.md', 'b/b.txt')), []);
});
