import test from 'ava';
import { wantedFiles } from '../../../src/analysis/worker/gates.ts';
import type { TreeFile } from '../../../src/model/change.ts';
import { pattern } from '../../gates/patterns/scan-text.ts';
import { findingsOf, gateTools } from './gates-run.ts';

const BAD = "app.get('/', (req) => require('child_process').exec(req.query.c));\n";
const PYTHON_RULE = pattern({
  id: 'risk-python',
  severity: 'high',
  regex: 'os\\.system',
  keywords: ['os.system'],
  path: '\\.py$',
});

const WORKFLOW_RULE = pattern({
  id: 'risk-checkout',
  severity: 'high',
  regex: '(?s)pull_request_target.*ref:',
  keywords: ['pull_request_target'],
  target: 'hunk',
  path: 'yml$',
});

const link = (path: string, target: string) =>
  `diff --git a/${path} b/${path}\nnew file mode 120000\n--- /dev/null\n+++ b/${path}\n` +
  `@@ -0,0 +1 @@\n+${target}\n\\ No newline at end of file\n`;

function created(path: string, text: string, mode = '100644'): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const added = lines.map((line) => `+${line}\n`).join('');
  return (
    `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n` +
    `@@ -0,0 +1,${lines.length} @@\n${added}`
  );
}

const renamed = (from: string, to: string) =>
  `diff --git a/${from} b/${to}\nsimilarity index 100%\nrename from ${from}\nrename to ${to}\n`;

const shebang = (path: string, line: string, removed = '') =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n` +
  `@@ -1,${removed === '' ? 1 : 2} +1,2 @@\n${removed}+${line}\n import os\n`;

const binary = (path: string, mode: string) =>
  `diff --git a/${path} b/${path}\nnew file mode ${mode}\nindex 0000000..1111111\n` +
  `Binary files /dev/null and b/${path} differ\n`;

function head(path: string, text: string | Buffer | null, state: TreeFile['state'] = 'read') {
  const bytes = text === null ? null : Buffer.from(text);
  return [{ side: 'head', path, state, bytes }] satisfies TreeFile[];
}

function base(path: string, text: string): TreeFile {
  return { side: 'base', path, state: 'read', bytes: Buffer.from(text) };
}

const WORKFLOW = '.github/workflows/a.yml';
const PRIVILEGED = 'on: pull_request_target\njobs:\n  a: 1\n  b: 1\n  ref: mine\n';

function workflow(hunk: string): string {
  return `diff --git a/${WORKFLOW} b/${WORKFLOW}\n--- a/${WORKFLOW}\n+++ b/${WORKFLOW}\n${hunk}`;
}

const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1');

/** Findings as `severity id file:line`. `files` null: the diff was posted, there is no tree. */
const CASES: { title: string; diff: string; files: TreeFile[] | null; expected: string[] }[] = [
  {
    title: 'a link named like code to a new file of the diff is judged under its name',
    diff: link('server.js', './docs/../notes.txt') + created('notes.txt', `// a\n${BAD}`),
    files: null,
    expected: ['high outside-diff server.js:null', 'critical vuln-01 server.js:2'],
  },
  {
    title: 'a link to a link to a new file is followed',
    diff: link('bin/server.js', '../run') + link('run', 'notes.txt') + created('notes.txt', BAD),
    files: null,
    expected: ['high outside-diff bin/server.js:null', 'critical vuln-01 bin/server.js:1'],
  },
  {
    title: 'a link to a file of the tree is judged under its name',
    diff: link('server.js', 'notes.txt'),
    files: head('server.js', BAD),
    expected: ['high outside-diff server.js:null', 'critical vuln-01 server.js:1'],
  },
  {
    title: 'a link to what is neither in the diff nor in the tree blocks',
    diff: link('server.js', 'notes.txt'),
    files: null,
    expected: ['high outside-diff server.js:null'],
  },
  {
    title: 'a link that leads out of the tree blocks',
    diff: link('server.js', '/etc/passwd'),
    files: head('server.js', null, 'outside'),
    expected: ['high outside-diff server.js:null'],
  },
  {
    title: 'a link to a part of a file blocks',
    diff:
      link('server.js', 'notes.txt') +
      'diff --git a/notes.txt b/notes.txt\n--- a/notes.txt\n+++ b/notes.txt\n@@ -5 +5 @@\n-a\n+b\n',
    files: null,
    expected: ['high outside-diff server.js:null'],
  },
  {
    title: 'two links that lead to each other block',
    diff: link('a.js', 'b.js') + link('b.js', 'a.js'),
    files: null,
    expected: ['high outside-diff a.js:null', 'high outside-diff b.js:null'],
  },
  {
    title: 'a link with a name that is not that of code is left alone',
    diff: link('docs/latest.md', '../v2/docs.md'),
    files: null,
    expected: [],
  },
  {
    title: 'a link without an ending to a script is judged as that script',
    diff: link('bin/run', '../notes.txt'),
    files: head('bin/run', '#!/usr/bin/env -S python3 -u\nos.system(x)\n'),
    expected: ['high risk-python bin/run:2'],
  },
  {
    title: 'a file that becomes code by its name is read whole where there is a tree',
    diff: renamed('notes.txt', 'server.js'),
    files: head('server.js', BAD),
    expected: ['critical vuln-01 server.js:1'],
  },
  {
    title: 'a file that becomes code by its name and could not be read blocks',
    diff: renamed('notes.txt', 'server.js'),
    files: head('server.js', null, 'too-large'),
    expected: ['high outside-diff server.js:null'],
  },
  {
    title: 'a first line that makes a script of an older file has all of it read',
    diff: shebang('tool', '#!/usr/bin/python3.12'),
    files: head('tool', '#!/usr/bin/python3.12\nimport os\n\n\nos.system(x)\n'),
    expected: ['high risk-python tool:5'],
  },
  {
    title: 'a first line that makes a script of an older file blocks without a tree',
    diff: shebang('tool', '#!/usr/bin/env python'),
    files: null,
    expected: ['high outside-diff tool:null'],
  },
  {
    title: 'another version of the same interpreter changes nothing',
    diff: shebang('tool', '#!/usr/bin/python3.12', '-#!/usr/bin/python2\n'),
    files: null,
    expected: [],
  },
  {
    title: 'a script that loses its ending is read whole',
    diff: renamed('notes.txt', 'bin/tool'),
    files: head('bin/tool', '#!/usr/bin/python\nos.system(x)\n'),
    expected: ['high risk-python bin/tool:2'],
  },
  {
    title: 'a new script without an ending is judged in the language of its first line',
    diff: created('tool', '#!/usr/bin/env python\nos.system(x)\n'),
    files: null,
    expected: ['high risk-python tool:2'],
  },
  {
    title: 'lines that are added far below the first line of a script are judged likewise',
    diff: 'diff --git a/tool b/tool\n--- a/tool\n+++ b/tool\n@@ -8 +8 @@\n-a\n+os.system(x)\n',
    files: head('tool', `#!/usr/bin/python\n${'os.system(1)\n'.repeat(8)}`),
    expected: ['high risk-python tool:8'],
  },
  {
    title: 'a link to a file of another kind blocks: its later changes would not be read as code',
    diff: link('server.js', 'notes.txt'),
    files: head('server.js', 'ok();\n'),
    expected: ['high outside-diff server.js:null'],
  },
  {
    title: 'a link to a file of the same kind is judged and no more',
    diff: link('server.js', 'lib/main.mjs'),
    files: head('server.js', 'ok();\n'),
    expected: [],
  },
  {
    title: 'a link to a script that is read as one by its first line is judged and no more',
    diff: link('server.py', 'bin/server'),
    files: head('server.py', '#!/usr/bin/env python3\nok()\n'),
    expected: [],
  },
  {
    title: 'a link named like markup is judged as markup',
    diff: link('index.html', 'notes.txt'),
    files: head('index.html', '<script>\neval(location.hash);\n</script>\n'),
    expected: ['critical vuln-02 index.html:2'],
  },
  {
    title: 'a file that becomes markup by its name is read whole',
    diff: renamed('notes.txt', 'index.html'),
    files: head('index.html', '<script>\neval(location.hash);\n</script>\n'),
    expected: ['critical vuln-02 index.html:2'],
  },
  {
    title: 'a file of one language that becomes another is read whole',
    diff: renamed('a.py', 'a.js'),
    files: head('a.js', BAD),
    expected: ['critical vuln-01 a.js:1'],
  },
  {
    title: 'a file that becomes JavaScript by its name blocks without a tree',
    diff: renamed('a.py', 'a.js'),
    files: null,
    expected: ['high outside-diff a.js:null'],
  },
  {
    title: 'a file that is read alike under both names is left alone',
    diff: renamed('a.js', 'a.ts') + renamed('b.yml', 'b.yaml') + renamed('c.txt', 'c.md'),
    files: [],
    expected: [],
  },
  {
    title: 'code that leaves the tests is judged as code that runs',
    diff: renamed('test/server.js', 'src/server.js'),
    files: head('src/server.js', BAD),
    expected: ['critical vuln-01 src/server.js:1'],
  },
  {
    title: 'lines far below the first line of a script of any ending are judged likewise',
    diff: 'diff --git a/t.cgi b/t.cgi\n--- a/t.cgi\n+++ b/t.cgi\n@@ -8 +8 @@\n-a\n+os.system(x)\n',
    files: head('t.cgi', `#!/usr/bin/python\n${'os.system(1)\n'.repeat(8)}`),
    expected: ['high risk-python t.cgi:8'],
  },
  {
    title: 'the same in a file whose name begins with a dot',
    diff: 'diff --git a/.hook b/.hook\n--- a/.hook\n+++ b/.hook\n@@ -8 +8 @@\n-a\n+os.system(x)\n',
    files: head('.hook', `#!/usr/bin/python\n${'os.system(1)\n'.repeat(8)}`),
    expected: ['high risk-python .hook:8'],
  },
  {
    title: 'lines that may belong to a script block where the file is too large to be read',
    diff: 'diff --git a/tool b/tool\n--- a/tool\n+++ b/tool\n@@ -8 +8 @@\n-a\n+os.system(x)\n',
    files: head('tool', null, 'too-large'),
    expected: ['high outside-diff tool:null'],
  },
  {
    title: 'a workflow of which the diff leaves out lines is read whole',
    diff: 'diff --git a/.github/workflows/a.yml b/.github/workflows/a.yml\n--- a/.github/workflows/a.yml\n+++ b/.github/workflows/a.yml\n@@ -1 +1 @@\n-on: push\n+on: pull_request_target\n',
    files: head('.github/workflows/a.yml', 'on: pull_request_target\njobs:\n  ref: mine\n'),
    expected: ['high risk-checkout .github/workflows/a.yml:1'],
  },
  {
    title: 'what a workflow had before is not new, whatever is added in its middle',
    diff: workflow('@@ -3 +3 @@\n-  a: 1\n+  a: 2\n'),
    files: [...head(WORKFLOW, PRIVILEGED.replace('1', '2')), base(WORKFLOW, PRIVILEGED)],
    expected: [],
  },
  {
    title: 'what the base lacks is new, and so is what is added at either end',
    diff: workflow('@@ -1 +1 @@\n-on: push\n+on: pull_request_target\n'),
    files: [
      ...head(WORKFLOW, PRIVILEGED),
      base(WORKFLOW, PRIVILEGED.replace('pull_request_target', 'push')),
    ],
    expected: [`high risk-checkout ${WORKFLOW}:1`],
  },
  {
    title: 'one more checkout at the end of a workflow that has one',
    diff: workflow('@@ -5,0 +6 @@\n+  ref: yours\n'),
    files: [...head(WORKFLOW, `${PRIVILEGED}  ref: yours\n`), base(WORKFLOW, PRIVILEGED)],
    expected: [`high risk-checkout ${WORKFLOW}:1`],
  },
  {
    title: 'a workflow that is too long for rules over several lines blocks',
    diff: created('.github/workflows/a.yml', `on: push\n${'#\n'.repeat(100_000)}`),
    files: null,
    expected: ['high outside-diff .github/workflows/a.yml:null'],
  },
  {
    title: 'a binary file that becomes executable blocks',
    diff: 'diff --git a/tool b/tool\nold mode 100644\nnew mode 100755\n',
    files: head('tool', '\x7fELF\0\0'),
    expected: ['high binary-file tool:null'],
  },
  {
    title: 'an executable binary file blocks',
    diff: binary('bin/tool', '100755'),
    files: null,
    expected: ['high binary-file bin/tool:null'],
  },
  {
    title: 'an executable binary file that is shown as text blocks',
    diff: created('bin/tool', '\x7fELF\0\0', '100755'),
    files: null,
    expected: ['high binary-file bin/tool:null'],
  },
  {
    title: 'data that is binary and not executable is pointed out',
    diff: binary('bin/tool', '100644'),
    files: null,
    expected: ['medium binary-file bin/tool:null'],
  },
  {
    title: 'text that is named like an image blocks',
    diff: created('logo.png', 'curl example.com\n'),
    files: null,
    expected: ['high binary-file logo.png:null'],
  },
  {
    title: 'an image that is shown as text is noted',
    diff: created('logo.png', '\x89PNG\0\0'),
    files: null,
    expected: ['info binary-file logo.png:null'],
  },
  {
    title: 'binary content that is named like an image, but is not one, blocks',
    diff: binary('logo.png', '100644'),
    files: head('logo.png', '#!/bin/sh\nrm -r /\n\0'),
    expected: ['high binary-file logo.png:null'],
  },
  {
    title: 'an image is noted, though it is executable',
    diff: binary('logo.png', '100755'),
    files: head('logo.png', PNG),
    expected: ['info binary-file logo.png:null'],
  },
];

for (const { title, diff, files, expected } of CASES) {
  test(title, async (t) => {
    const findings = await findingsOf(diff, { patterns: [PYTHON_RULE, WORKFLOW_RULE], files });
    const seen = findings.map(
      ({ severity, id, file, line }) => `${severity} ${id} ${file}:${line}`,
    );
    t.deepEqual(seen, expected);
    if (files === null) return;
    const wanted = wantedFiles(Buffer.from(diff), gateTools().rules);
    const isHead = ({ side }: { side: string }) => side === 'head';
    t.deepEqual(
      wanted.filter(isHead).map(({ path }) => path),
      files.filter(isHead).map(({ path }) => path),
      'and they were asked for',
    );
    for (const { side, path } of files) {
      t.true(
        wanted.some((one) => one.side === side && one.path === path),
        `${side} ${path}`,
      );
    }
  });
}

test('wantedFiles asks for the base of what has markers or is read whole', (t) => {
  const marked =
    'diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1,2 @@\n a\n+b # cra-ignore risk-a: x\n';
  const diff = Buffer.from(renamed('notes.txt', 'server.js') + marked + created('b.py', 'a\n'));
  t.deepEqual(wantedFiles(diff, gateTools().rules), [
    { side: 'head', path: 'server.js' },
    { side: 'base', path: 'notes.txt' },
    { side: 'base', path: 'a.py' },
    { side: 'head', path: 'a.py' },
  ]);
});
