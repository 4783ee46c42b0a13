import test from 'ava';
import { historyFindings } from '../../../src/analysis/worker/history.ts';
import { createCancelFlag } from '../../../src/core/cancel-flag.ts';
import type { GateFinding } from '../../../src/model/finding.ts';
import { findingsOf, gateTools } from './gates-run.ts';

const FIRST = 'a'.repeat(40);
const SECOND = 'b'.repeat(64);
const TOKEN = 'tok_12345678';

function newFile(path: string, text: string): string {
  const lines = text.split('\n').slice(0, -1);
  const head = `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n`;
  return `${head}@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`;
}

function patches(...commits: [sha: string, patch: string][]): Buffer {
  return Buffer.from(commits.map(([sha, patch]) => `commit ${sha}\n\n${patch}`).join(''), 'latin1');
}

function past(history: Buffer, shown: readonly GateFinding[] = []): Promise<GateFinding[]> {
  return historyFindings(history, shown, gateTools(), createCancelFlag());
}

test('a secret of a commit is found, and says in which one it is', async (t) => {
  const history = patches(
    [FIRST, newFile('readme.md', 'nothing\n')],
    [SECOND, newFile('a.txt', `one\nkey = ${TOKEN}\n`)],
  );
  const [finding, ...others] = await past(history);
  t.deepEqual(others, []);
  t.like(finding, { id: 'secret-token', file: 'a.txt', line: 2, severity: 'medium' });
  t.regex(finding?.message ?? '', /in commit bbbbbbbbbbbb of this push/);
  t.false(JSON.stringify(finding).includes(TOKEN));
});

test('what the result shows is not told twice, nor is one secret of two commits', async (t) => {
  const file = newFile('a.txt', `key = ${TOKEN}\n`);
  const other = newFile('b.txt', `key = ${TOKEN}\n`);
  const shown = await findingsOf(file);
  t.deepEqual(await past(patches([FIRST, file]), shown), []);
  t.is((await past(patches([FIRST, file], [SECOND, other]))).length, 1);
});

test('only secrets count: what else was taken out again is gone', async (t) => {
  t.deepEqual(await past(patches([FIRST, newFile('a.sql', 'DROP TABLE users;\n')])), []);
});

test('a line that looks like the head of a commit hides nothing behind it', async (t) => {
  const head = `commit ${SECOND}`;
  for (const line of [`x\r${head}`, head, `\u0085${head}`, ` ${head}`]) {
    const text = `${line}\nkey = ${TOKEN}\n`;
    const found = await past(patches([FIRST, newFile('a.txt', text)]));
    t.is(found.length, 1, JSON.stringify(line));
    t.regex(found[0]?.message ?? '', /in commit aaaaaaaaaaaa/);
  }
});

test('a patch that cannot be read whole blocks', async (t) => {
  const torn = newFile('a.txt', 'one\ntwo\n').replace('@@ -0,0 +1,2 @@', '@@ -0,0 +1,9 @@');
  const [finding] = await past(patches([FIRST, torn]));
  t.like(finding, { id: 'history-unscanned', severity: 'high' });
});

test('a file that should be text and is shown as binary blocks, unless the result shows it', async (t) => {
  const hidden = (path: string) =>
    `diff --git a/${path} b/${path}\nnew file mode 100644\nindex ${'0'.repeat(40)}..${FIRST}\n` +
    `Binary files /dev/null and b/${path} differ\n`;
  const [finding, ...others] = await past(patches([FIRST, hidden('deploy.py') + hidden('a.png')]));
  t.deepEqual(others, []);
  t.like(finding, { id: 'binary-file', severity: 'high', file: 'deploy.py' });
  const shown = await findingsOf(hidden('deploy.py'));
  t.deepEqual(await past(patches([FIRST, hidden('deploy.py')]), shown), []);
});
