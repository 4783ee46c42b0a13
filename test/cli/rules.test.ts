import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { fake } from '../../src/rules/fake.ts';
import { runCommand } from './fixtures/command.ts';
import { temporaryFolder } from './fixtures/repository.ts';

const TOML = `
[[rules]]
id = "acme"
description = "An Acme token"
regex = '''acme_[0-9A-Za-z]{20}'''
keywords = ["acme_"]
`;

const BROKEN = `${TOML}
[[rules]]
id = "ahead"
regex = '''(?=a)b'''
[[rules]]
id = "empty"
regex = '''a*'''
[[rules]]
id = "pair"
regex = '''c'''
[[rules.required]]
id = "acme"
`;

const TOKEN = fake('acme_', 20);

const DIFF = `diff --git a/a.py b/a.py
--- a/a.py
+++ b/a.py
@@ -7,2 +7,3 @@
 one
+token = "${TOKEN}"
-two ${TOKEN}
 three
`;

function write(t: ExecutionContext, name: string, content: unknown): string {
  const path = join(temporaryFolder(t), name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

test('rules import writes a rules file that check accepts and test uses', async (t) => {
  const toml = write(t, 'a.toml', TOML);
  const out = join(temporaryFolder(t), 'rules.json');
  const imported = await runCommand(['rules', 'import', toml, '--out', out]);
  t.is(imported.code, 0, imported.stderr);
  t.like(JSON.parse(readFileSync(out, 'utf8')), { extends: 'default-no-secrets', version: 1 });
  const checked = await runCommand(['rules', 'check', out]);
  t.is(checked.code, 0);
  t.regex(checked.stdout, /ok, 1 secret, \d+ risk, \d+ vulnerability patterns; 1 without examples/);

  for (const path of [toml, out]) {
    const found = await runCommand(['rules', 'test', path, '--diff', '-'], { stdin: DIFF });
    t.is(found.code, 1, found.stderr);
    t.regex(found.stdout, /^a\.py:8:10 {2}high {2}secret-acme: An Acme token\n/);
    t.false(found.stdout.includes(TOKEN));
  }
});

test('rules import leaves out what cannot be run, names it and exits with 1', async (t) => {
  const { code, stdout, stderr } = await runCommand([
    'rules',
    'import',
    write(t, 'a.toml', BROKEN),
  ]);
  t.is(code, 1);
  const { secret_patterns: patterns } = JSON.parse(stdout) as { secret_patterns: { id: string }[] };
  t.deepEqual(
    patterns.map(({ id }) => id),
    ['secret-acme'],
  );
  t.regex(stderr, /error: rule pair: is left out: composite/);
  t.regex(stderr, /error: rule secret-ahead: .*\(\?=/);
  t.regex(stderr, /error: rule secret-empty: the regex matches the empty string/);
});

/** [what, file name, content, what is told]. */
const BAD: [string, string, unknown, RegExp[]][] = [
  [
    'of gitleaks',
    'a.toml',
    BROKEN,
    [/rule pair/, /rule secret-ahead/, /rule secret-empty/, /3 err/],
  ],
  [
    'by their form',
    'rules.json',
    {
      version: 1,
      risk_patterns: [
        { id: 'risk-a', severity: 'grave', description: '', source: '', examples: {} },
        { id: 'risk-b', regexp: 'b' },
      ],
    },
    [/rule risk-a: message: is required/, /rule risk-a: severity: must be/, /rule risk-b: /],
  ],
  [
    'by their examples',
    'rules.json',
    {
      version: 1,
      risk_patterns: [
        {
          id: 'risk-a',
          description: 'a',
          regex: 'abc',
          severity: 'low',
          message: 'a',
          source: 'x',
          examples: { match: ['ab'], noMatch: [] },
        },
      ],
    },
    [/rule risk-a misses examples.match\[0\]/, /risk-a has no example that it must not match/],
  ],
];

for (const [what, name, content, told] of BAD) {
  test(`rules check names every rule that is wrong ${what}`, async (t) => {
    const { code, stdout, stderr } = await runCommand(['rules', 'check', write(t, name, content)]);
    t.is(code, 1, stderr);
    for (const line of told) t.regex(stdout, line);
  });
}

const UNREADABLE: [string, string, string, RegExp][] = [
  ['no JSON', 'rules.json', '{', /JSON/],
  ['no TOML', 'a.toml', '[[rules', /TOML/],
  ['nothing there', 'none.json', '', /JSON/],
];

for (const [what, name, content, message] of UNREADABLE) {
  test(`rules check exits with 2 for ${what}`, async (t) => {
    const { code, stderr } = await runCommand(['rules', 'check', write(t, name, content)]);
    t.is(code, 2);
    t.regex(stderr, message);
  });
}

test('rules test matches a text under the built-in rules, masked', async (t) => {
  const text = `key = "${fake('ghp_', 36)}"`;
  const found = await runCommand(['rules', 'test', '--text', text, '--json', '--path', 'a b.py']);
  t.is(found.code, 1, found.stderr);
  const [finding] = JSON.parse(found.stdout) as { file: string; line: number; excerpt: string }[];
  t.like(finding, { file: 'a b.py', line: 1 });
  t.false(found.stdout.includes(text));
  const none = await runCommand(['rules', 'test', '--text', '-'], { stdin: 'x = 1\n' });
  t.is(none.code, 0, none.stderr);
  t.is(none.stdout, 'no rule matches\n');
});

const USAGE = [
  ['rules'],
  ['rules', 'nothing'],
  ['rules', 'import', 'a.json'],
  ['rules', 'check'],
  ['rules', 'test'],
  ['rules', 'test', '--text', 'a', '--diff', 'b'],
  ['rules', 'test', '--diff', '-', '--path', 'a'],
];

for (const args of USAGE) {
  test(`cra ${args.join(' ')} is wrong usage`, async (t) => {
    const { code, stderr } = await runCommand(args, { stdin: DIFF });
    t.is(code, 2);
    t.regex(stderr, /^cra rules: /);
  });
}
