import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { createPasswordCheck } from '../../src/auth/login.ts';
import { type Part, splitStream } from '../../src/cli/git.ts';
import { createPaint, onInterrupt, printable } from '../../src/cli/terminal.ts';
import { readPasswordHash } from '../../src/core/credentials.ts';
import { readClientSettings } from '../../src/daemon/config/reader.ts';
import { buildRules } from '../../src/gates/patterns/rules-text.ts';
import { defaultRules } from '../../src/rules/default.ts';
import { fake } from '../../src/rules/fake.ts';
import { PROGRAM } from '../daemon.ts';
import { someOf } from '../some-cases.ts';
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

test('a command ends in order when its terminal is gone', (t) => {
  const { signal, release } = onInterrupt();
  process.emit('SIGHUP');
  release();
  t.true(signal.aborted);
});

test('rules import writes a rules file that check accepts and test uses', async (t) => {
  const toml = write(t, 'a.toml', TOML);
  const out = join(temporaryFolder(t), 'rules.json');
  const imported = await runCommand(['rules', 'import', toml, '--out', out]);
  t.is(imported.code, 0, imported.stderr);
  t.like(JSON.parse(readFileSync(out, 'utf8')), { extends: 'default-no-secrets', version: 1 });
  const checked = await runCommand(['rules', 'check', out]);
  t.is(checked.code, 0);
  t.regex(checked.stdout, /ok, 1 secret, \d+ risk, \d+ vulnerability patterns; 1 without examples/);
  const components = [{ id: 'web', paths: ['web/**'] }];
  const parted = write(t, 'parts.json', { version: 1, extends: 'default', components });
  t.regex((await runCommand(['rules', 'check', parted])).stdout, /patterns; components: web\n$/);

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
      allow_empty: true,
    },
    [/rule risk-a misses examples.match\[0\]/, /risk-a has no example that it must not match/],
  ],
  [
    'by the time it takes',
    'rules.json',
    {
      version: 1,
      allow_empty: true,
      risk_patterns: [
        {
          id: 'risk-a',
          description: 'a',
          regex: 'a(?:.{0,200}){2}b',
          severity: 'low',
          message: 'a',
          source: 'x',
          examples: { match: ['ab'], noMatch: ['a'] },
        },
      ],
    },
    [/rule risk-a: the regex takes \d+ times the CPU time of a common rule/],
  ],
];

test('rules check wants it said that a class of rules is empty', async (t) => {
  const disabled = defaultRules.vulnerability_patterns.map(({ id }) => id);
  const contents = [
    { version: 1 },
    { version: 1, extends: 'default-no-secrets' },
    { version: 1, extends: 'default', disabled_rules: disabled },
  ];
  for (const content of contents) {
    const build = (file: object) =>
      buildRules({ name: '', text: JSON.stringify(file), isToml: false }, defaultRules, () => 0);
    const refused = build(content);
    t.is(refused.built, null);
    t.regex(refused.problems.join(), /"allow_empty": true/);
    t.deepEqual(build({ ...content, allow_empty: true }).problems, []);
  }
  const refused = await runCommand(['rules', 'check', write(t, 'a.json', contents[0])]);
  t.deepEqual([refused.code, /"allow_empty": true/.test(refused.stdout)], [1, true]);
  const noRules = await runCommand(['rules', 'check', write(t, 'a.toml', 'title = "a"')]);
  t.is(noRules.code, 1, 'a gitleaks configuration without rules');
});

for (const [what, name, content, told] of someOf(BAD)) {
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

for (const [what, name, content, message] of someOf(UNREADABLE)) {
  test(`rules check exits with 2 for ${what}`, async (t) => {
    const { code, stderr } = await runCommand(['rules', 'check', write(t, name, content)]);
    t.is(code, 2);
    t.regex(stderr, message);
  });
}

test('rules test runs rules on documents, and says when one cannot be read', async (t) => {
  const run = (text: string) => runCommand(['rules', 'test', '--text', text, '--path', 'main.tf']);
  const bucket = 'resource "aws_s3_bucket" "a" {\n  acl = "public-read"\n}';
  const found = await run(bucket);
  t.is(found.code, 1);
  t.regex(found.stdout, /main\.tf:2:\d+ {2}high {2}risk-terraform-bucket-public-acl/);
  const unread = await run('resource "a" {');
  t.is(unread.code, 0);
  t.regex(unread.stderr, /main\.tf: this file was not checked as Terraform: line 2 is not HCL/);
});

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

test('rules show explains rules, and lists them by a text', async (t) => {
  const shown = await runCommand(['rules', 'show', 'risk-pipe-to-shell', 'nope', 'vuln-01']);
  t.is(shown.code, 1);
  t.regex(shown.stdout, /^risk-pipe-to-shell {2}\w+ {2}\S[\s\S]*\n {2}source {2}https:/);
  t.regex(shown.stdout, /\n {2}finds\n {4}\| \S/);
  t.regex(shown.stdout, /\n {2}passes\n {4}\| \S/);
  t.regex(shown.stderr, /^nope: no such rule; .*\n$/);
  t.regex(shown.stdout, /\nvuln-01 {2}gate 2\n {2}finds {3}Data from outside becomes a shell/);
  const note = await runCommand(['rules', 'show', 'binary-file']);
  t.is(note.code, 0, note.stderr);
  t.regex(note.stdout, /^binary-file {2}\S.*\n {2}what {4}A binary file has no lines/);
  const own = write(t, 'rules.json', {
    version: 1,
    allow_empty: true,
    risk_patterns: ['risk-kill-switch', 'risk-runbook'].map((id) => ({
      id,
      description: id,
      regex: 'abc',
      severity: 'low',
      message: 'a',
      source: 'x',
      examples: { match: ['abc'], noMatch: ['a'] },
    })),
  });
  const listed = await runCommand(['rules', 'show', '--file', own, '--search', 'KILL', '--json']);
  t.is(listed.code, 0, listed.stderr);
  t.deepEqual(
    (JSON.parse(listed.stdout) as { id: string }[]).map(({ id }) => id),
    ['risk-kill-switch'],
  );
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

for (const args of someOf(USAGE)) {
  test(`cra ${args.join(' ')} is wrong usage`, async (t) => {
    const { code, stderr } = await runCommand(args, { stdin: DIFF });
    t.is(code, 2);
    t.regex(stderr, /^cra rules: /);
  });
}

const PASSWORD = fake('pass-phrase ', 20);

/** Runs the command with this on standard input. */
async function hashPassword(input: string, ...args: string[]) {
  const child = spawn(process.execPath, [PROGRAM, 'hash-password', ...args]);
  const out = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    out.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    out.stderr += chunk;
  });
  // It may end without reading.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { ...out, code };
}

test('cra hash-password prints a hash that the login takes, another one each time', async (t) => {
  const first = await hashPassword(`${PASSWORD}\n`);
  t.is(first.code, 0);
  t.regex(first.stdout, /^\$scrypt\$ln=17,r=8,p=1\$\S+\n$/);
  const known = readPasswordHash(first.stdout.trim());
  if (known === null) return t.fail();
  const check = createPasswordCheck(known);
  t.true(await check(PASSWORD));
  t.false(await check(`${PASSWORD}\n`));
  t.not((await hashPassword(PASSWORD)).stdout, first.stdout);
});

const REFUSED: [string, string, string[], RegExp][] = [
  ['a short password', 'short\n', [], /15 characters/],
  ['nothing', '', [], /15 characters/],
  ['two lines', `${PASSWORD}\n${PASSWORD}\n`, [], /one line/],
  ['more than a password', PASSWORD.repeat(100), [], /larger than 1024 bytes/],
];

for (const [title, input, args, message] of someOf(REFUSED)) {
  test(`cra hash-password refuses ${title}`, async (t) => {
    const { code, stdout, stderr } = await hashPassword(input, ...args);
    t.is(code, 2);
    t.is(stdout, '');
    t.regex(stderr, message);
    t.false(stderr.includes(PASSWORD));
  });
}

test('cra hash-password takes no password as an argument', async (t) => {
  const { code, stdout } = await hashPassword('', PASSWORD);
  t.is(code, 2);
  t.true(stdout.startsWith('usage: cra hash-password'));
});

test('readClientSettings has the defaults that --help names', (t) => {
  const { baseUrl, token, rulesPath, wantsColour } = readClientSettings({});
  t.deepEqual(
    { baseUrl, token, rulesPath, wantsColour },
    { baseUrl: 'http://127.0.0.1:3011', token: '', rulesPath: null, wantsColour: true },
  );
});

test('readClientSettings takes the token from a file', (t) => {
  const path = join(temporaryFolder(t), 'token');
  writeFileSync(path, 'secret\n');
  t.is(readClientSettings({ CRA_API_TOKEN_FILE: path }).token, 'secret');
  const both = { CRA_API_TOKEN_FILE: path, CRA_API_TOKEN: 'x' };
  t.throws(() => readClientSettings(both), { message: /given twice/ });
});

test('readClientSettings wants no colours with NO_COLOR or on a dumb terminal', (t) => {
  t.false(readClientSettings({ NO_COLOR: '1' }).wantsColour);
  t.true(readClientSettings({ NO_COLOR: '' }).wantsColour);
  t.false(readClientSettings({ TERM: 'dumb' }).wantsColour);
});

test('readClientSettings keeps from git what would change its output', (t) => {
  const { gitEnvironment } = readClientSettings({
    PATH: '/bin',
    GIT_INDEX_FILE: 'index.lock',
    GIT_EXTERNAL_DIFF: 'x',
    GIT_DIFF_OPTS: '-u0',
    GIT_PAGER: 'x',
  });
  t.deepEqual(gitEnvironment, {
    PATH: '/bin',
    GIT_INDEX_FILE: 'index.lock',
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
  });
});

const DELIMITER = 'abab';

async function split(chunks: readonly string[], bytesMax = 1000): Promise<Part[]> {
  const stream = Readable.from(
    chunks.map((chunk) => Buffer.from(chunk)),
    { objectMode: true },
  );
  const parts: Part[] = [];
  for await (const part of splitStream(stream, Buffer.from(DELIMITER), () => bytesMax)) {
    parts.push(part);
  }
  return parts;
}

test('splitStream gives the parts of the whole text, however it is cut into chunks', async (t) => {
  const pieces = fc.constantFrom('a', 'b', 'ab', 'aba', DELIMITER, 'x', '');
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 30 }), async (chunks) => {
      const parts = await split(chunks);
      t.deepEqual(
        parts.map((part) => part.bytes.toString()),
        chunks.join('').split(DELIMITER),
      );
    }),
    { numRuns: 500 },
  );
});

test('splitStream keeps no more than the limit and says how much there was', async (t) => {
  const parts = await split(['0123', '456789', 'abab', '0'], 5);
  t.deepEqual(
    parts.map(({ bytes, size }) => [bytes.toString(), size]),
    [
      ['01234', 10],
      ['0', 1],
    ],
  );
});

const CASES: [title: string, text: string, shown: string][] = [
  ['plain text', 'src/a b.ts: naïve 漢字 🙂', 'src/a b.ts: naïve 漢字 🙂'],
  ['an escape sequence', '\x1b[2J\x1b]0;title\x07', '\\x1b[2J\\x1b]0;title\\x07'],
  ['a C1 control', '\u009b31m', '\\x9b31m'],
  ['line breaks', 'a\r\nb', 'a\\x0d\\x0ab'],
  ['a tab', 'a\tb', 'a b'],
  ['a text that is turned around', 'a\u202eb\u2066c', 'a\\u{202e}b\\u{2066}c'],
  ['hidden characters', 'a\u200bb\ufeffc\u{e0041}', 'a\\u{200b}b\\u{feff}c\\u{e0041}'],
  ['line separators', 'a\u2028b\u2029', 'a\\u{2028}b\\u{2029}'],
  ['a lone surrogate', 'a\ud800b', 'a\\u{d800}b'],
  ['a workflow command', '::error file=a::b', '\\x3a:error file=a::b'],
  ['a workflow command behind blanks', '\t ::stop-commands::x', '  \\x3a:stop-commands::x'],
  ['colons elsewhere', 'std::string', 'std::string'],
];

for (const [title, text, shown] of CASES) {
  test(`printable shows ${title}`, (t) => {
    t.is(printable(text), shown);
  });
}

test('printable leaves nothing that a terminal obeys, whatever the text', (t) => {
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(text, (value) => /^[^\p{Cc}\p{Cf}\p{Cs}]*$/u.test(printable(value))),
    { numRuns: 2_000 },
  );
  t.pass();
});

test('createPaint writes codes only where colours are wanted', (t) => {
  t.is(createPaint(false)('red', 'x'), 'x');
  t.is(createPaint(true)('red', 'x'), '\x1b[31mx\x1b[39m');
});
