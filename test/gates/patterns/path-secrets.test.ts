import test from 'ava';
import { compileRules } from '../../../src/gates/patterns/compile.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { fake } from '../../../src/rules/fake.ts';
import { findingsOf } from '../../analysis/worker/gates-run.ts';
import { newFile, scanDiff } from './scan-text.ts';

const rules = compileRules(defaultRules);
const TOKEN = fake('ghp_', 36);

const secrets = (diff: string | Buffer) =>
  scanDiff(rules, diff).filter(({ id }) => id.startsWith('secret-'));

const moved = (from: string, to: string, how = 'rename') =>
  `diff --git a/${from} b/${to}\nsimilarity index 100%\n${how} from ${from}\n${how} to ${to}\n`;

const PATHS: [title: string, diff: string | Buffer, shown: string][] = [
  ['of a new file', newFile('a\n', `keys/${TOKEN}.txt`), 'keys/ghp_….txt'],
  ['of a folder', newFile('a\n', `keys/${TOKEN}/a.txt`), 'keys/ghp_…/a.txt'],
  ['of a renamed file', moved('a.txt', `${TOKEN}`), 'ghp_…'],
  ['of a copied file', moved('a.txt', `b/x-${TOKEN}.md`, 'copy'), 'b/x-ghp_….md'],
];

for (const [title, diff, shown] of PATHS) {
  test(`scanRisk finds a token in the name ${title}, and shows none`, (t) => {
    const [finding, ...rest] = secrets(diff);
    t.deepEqual(rest, []);
    t.like(finding, { id: 'secret-github-token', file: shown, line: null, excerpt: null });
    t.regex(finding?.message ?? '', /part of the name/);
  });
}

test('scanRisk finds it in a quoted name', (t) => {
  const name = `k\\303\\274/${TOKEN}`;
  const diff = `diff --git "a/${name}" "b/${name}"\nnew file mode 100644\n`;
  t.is(secrets(diff)[0]?.file, 'k\u00fc/ghp_…');
});

test('scanRisk leaves a name alone that a change takes away or does not bring', (t) => {
  const path = `keys/${TOKEN}.txt`;
  t.deepEqual(secrets(moved(path, 'keys/token.txt')), []);
  t.deepEqual(secrets(`--- a/${path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n`), []);
  t.deepEqual(secrets(`--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`), []);
});

test('runGates shows such a name in no finding, and tells the token once', async (t) => {
  const text = `a = "${TOKEN}"\neval(x)\n`;
  const findings = await findingsOf(newFile(text, `${TOKEN}/a.js`), {
    patterns: [...defaultRules.secret_patterns, ...defaultRules.risk_patterns],
  });
  t.is(findings.filter(({ id }) => id === 'secret-github-token').length, 1);
  t.false(JSON.stringify(findings).includes(TOKEN.slice(6)));
});
