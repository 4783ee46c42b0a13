import test from 'ava';
import { findingsOf } from '../analysis/worker/gates-run.ts';
import { pattern } from '../gates/patterns/scan-text.ts';

const TOKEN = 'tok_12345678';

/** A change of a handler that gets `before` as context and `added` as its new line. */
function handler(before: string, added: string, after = ''): string {
  return [
    '--- a/a.js',
    '+++ b/a.js',
    '@@ -1,4 +1,5 @@',
    " const { exec } = require('child_process')",
    " app.get('/', (req, res) => {",
    ` ${before}`,
    `+${added}`,
    ` ${after}`,
    '',
  ].join('\n');
}

const CHANGES: [string, string][] = [
  ['on a line around', handler('', '  const c = req.query.c', `  exec("x -t ${TOKEN} " + c)`)],
  ['in a name on a line around', handler(`  const c = req.headers.${TOKEN}`, '  exec("x " + c)')],
  ['in a name on an added line', handler('', `  exec("x " + req.headers.${TOKEN})`)],
  [
    'where an excerpt ends',
    handler('', '  const c = req.query.c', `  exec(c + "${' x'.repeat(85)} ${TOKEN}")`),
  ],
];

for (const [where, diff] of CHANGES) {
  test(`gate 2 shows no secret ${where}`, async (t) => {
    const findings = await findingsOf(diff);
    t.true(findings.some(({ id }) => id === 'vuln-01'));
    t.false(JSON.stringify(findings).includes(TOKEN.slice(4)));
  });
}

test('gate 2 shows no beginning of a secret whose end is far away', async (t) => {
  const long = pattern({ id: 'secret-long', regex: 'key_[0-9]+\\.end', keywords: ['key_'] });
  for (const digits of [300, 700]) {
    const secret = `key_${'7'.repeat(digits)}.end`;
    const diff = handler('', `  exec("${secret} " + req.query.c)`);
    const findings = await findingsOf(diff, { patterns: [long] });
    t.deepEqual(findings.map(({ id }) => id).sort(), ['secret-long', 'vuln-01']);
    t.false(JSON.stringify(findings).includes('77777777'), String(digits));
  }
});

test('what gate 2 says and shows is whole where there is no secret', async (t) => {
  const [finding] = await findingsOf(handler('', '  exec("x " + req.query.c)'));
  t.like(finding, {
    id: 'vuln-01',
    excerpt: 'exec("x " + req.query.c)',
    message:
      'a shell command in exec (line 4) is made from data from outside: req.query.c (line 4)',
  });
});

test('an excerpt of gate 2 is cut', async (t) => {
  const long = handler('', `  exec(req.query.c, "${'word '.repeat(300)}")`);
  const [finding] = await findingsOf(long);
  t.is(finding?.excerpt?.length, 200);
});

test('gate 2 shows no secret in findings beyond those that are listed', async (t) => {
  const calls = Array.from({ length: 600 }, () => `+exec("x -t ${TOKEN} " + c)`);
  const diff = `--- /dev/null\n+++ b/a.js\n@@ -0,0 +1,${calls.length} @@\n${calls.join('\n')}\n`;
  const findings = await findingsOf(diff);
  t.is(findings.filter(({ gate }) => gate === 'ast').length, calls.length);
  t.false(JSON.stringify(findings).includes(TOKEN.slice(4)));
});
