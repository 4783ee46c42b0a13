import test from 'ava';
import { createCancelFlag, raise } from '../../../src/core/deadline.ts';
import { AST_GATE } from '../../../src/gates/limits.ts';
import { createSyntaxService } from '../../../src/gates/syntax/syntax-service.ts';
import { findingsIn } from '../../analysis/worker/gates-run.ts';
import { CONTEXT, collect, fragmentOf, inspect, KEY, newFile, short } from './code.ts';

function hunk(path: string, body: string): string {
  return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n${body}`;
}

test('collectFragments takes the new side with context, line numbers and added ranges', (t) => {
  const diff = hunk(
    'lib/a.js',
    '@@ -10,4 +20,6 @@ function x() {\n one\n-gone(1)\n+exec(a)\n+two\n \n+three\n four\n',
  );
  const { fragments, unparsed } = collect(diff);
  t.deepEqual(fragments, [
    {
      path: 'lib/a.js',
      text: 'one\nexec(a)\ntwo\n\nthree\nfour\n',
      startLine: 20,
      added: [
        [1, 3],
        [4, 5],
      ],
    },
  ]);
  t.deepEqual(unparsed, []);
});

test('collectFragments reads the extensions of JavaScript and TypeScript only', (t) => {
  const taken = ['js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx', 'JS', 'd.ts', 'es6'];
  const left = ['json', 'py', 'jsonc', 'tsv', 'txt', 'map', 'js.map'];
  const diff = [...taken, ...left].map((end) => newFile(`a.${end}`, 'eval(x)')).join('');
  const paths = collect(diff).fragments.map(({ path }) => path);
  t.deepEqual(
    paths,
    taken.map((end) => `a.${end}`),
  );
});

test('collectFragments does not take the word of a mode for it that a file is a symlink', (t) => {
  const header = 'diff --git a/a.js b/a.js\nindex 1..2 120000\n--- a/a.js\n+++ b/a.js\n';
  t.is(collect(`${header}@@ -1 +1 @@\n-x\n+eval(x)\n`).fragments.length, 1);
});

/** Markup with scripts: [what, path, text of a new file, what is left of it]. */
const EMBEDDED: [string, string, string, string | null][] = [
  ['a component', 'a.vue', '<p>\n<script lang="ts">\neval(a)\n</script>\n', '\n\neval(a)\n;\n'],
  ['two scripts', 'a.svelte', '<script>eval(a)</script><script>b()</script>', 'eval(a); b();'],
  ['a page', 'a.html', '<p>eval(x)\n<SCRIPT type="module">\neval(a)\n</SCRIPT>', '\n\neval(a)\n;'],
  ['data in a page', 'a.htm', '<script type="application/ld+json">"eval(x)"</script>', null],
  ['data with an id', 'a.htm', '<script id="d" type="text/html">"eval(x)"</script>', null],
  ['data by another name', 'a.htm', '<script data-type="text/html">eval(x)</script>', 'eval(x);'],
  ['data in a value', 'a.htm', `<script a=' type="text/html"'>eval(x)</script>`, 'eval(x);'],
  ['a second type', 'a.htm', '<script type=module type="text/html">eval(x)</script>', 'eval(x);'],
  ['a block', 'a.html', '@if (b) {\n<p [innerHTML]="a | eval(x)">\n}', null],
  ['no script', 'a.vue', '<p>eval(x)</p>', null],
  ['prose', 'a.html', 'eval(x)', null],
  ['a script without an end', 'a.html', '<script>\neval(a)', '\neval(a)'],
];
for (const [what, path, text, expected] of EMBEDDED) {
  test(`collectFragments takes the scripts of markup: ${what}`, (t) => {
    const [fragment] = collect(newFile(path, text)).fragments;
    const code =
      fragment?.text
        .replace(/ +/g, ' ')
        .replace(/^ | (?=\n|$)/gm, '')
        .trimEnd() ?? null;
    t.is(code, expected?.trimEnd() ?? null);
    t.is(fragment?.text.indexOf('eval') ?? -1, expected === null ? -1 : text.lastIndexOf('eval'));
  });
}

test('collectFragments takes what stands before the first tag for a script if it holds a sink', (t) => {
  const at = (body: string) =>
    collect(hunk('a.vue', `@@ -10,1 +10,2 @@\n${body}`)).fragments.map(({ text }) => text.trim());
  t.deepEqual(at(' a()\n+eval(b)\n'), ['a()\neval(b)']);
  t.deepEqual(at(' eval(b)\n+</script>\n <p>\n'), ['eval(b)\n;']);
  t.deepEqual(at(' <p>\n+<script>eval(b)\n'), ['eval(b)']);
  t.deepEqual(at('+eval(b) // <script>\n a()\n'), ['eval(b) // <script>\na()']);
  t.deepEqual(at('+<script a="<">eval(b)\n </script>\n'), ['eval(b)\n;']);
  // A word of Angular's blocks alone is text.
  const [block] = collect(newFile('a.svelte', '@else {eval(b)}')).fragments;
  t.is(block?.text.trim(), ';(eval(b));');
});

test('collectFragments makes each hunk its own fragment and drops those without a sink', (t) => {
  const body =
    '@@ -1,1 +1,2 @@\n a\n+eval(x)\n@@ -10,1 +11,2 @@\n a\n+foo(x)\n@@ -20,1 +22,2 @@\n a\n+exec(x)\n';
  const { fragments } = collect(hunk('a.js', body));
  t.deepEqual(
    fragments.map(({ startLine }) => startLine),
    [1, 22],
  );
});

test('collectFragments skips hunks that add nothing, or hold their sink in removed lines', (t) => {
  t.is(collect(hunk('a.js', '@@ -1,2 +1,1 @@\n-eval(x)\n a\n')).fragments.length, 0);
  t.is(collect(hunk('a.js', '@@ -1,2 +1,2 @@\n-eval(x)\n+b\n a\n')).fragments.length, 0);
  t.is(collect(hunk('a.js', '@@ -1,2 +1,2 @@\n eval(x)\n-c\n+b\n')).fragments.length, 1);
});

/** [what, code, whether it may hold a sink]. */
const WORDS: [string, string, boolean][] = [
  ['exec', 'exec(a)', true],
  ['a member', 'cp.execSync(a)', true],
  ['part of a word', 'execute_all(a); myexec(a); executor(a)', false],
  ['eval', 'window["eval"](a)', true],
  ['medieval', 'medieval(a)', false],
  ['new Function', 'new Function(a)', true],
  ['a type', 'let a: Function; function f() {}', false],
  ['a timer with a function', 'setTimeout(() => a, 1); setTimeout(resolve, 1)', false],
  ['a timer with a text', 'setTimeout("a()" + b, 1)', true],
  ['require of a literal', 'require("a"); import("b")', false],
  ['require of a name', 'require(a)', true],
  ['require of a sum', 'require("./" + a)', true],
  ['upper-case SQL', 'q("SELECT a FROM b")', true],
  ['lower-case SQL', 'q("update a set b = 1")', true],
  ['calls that are not updates', 'update(a); set.add(b)', false],
  ['find with a function', 'a.find((x) => x); a.find(function () {})', false],
  ['find with a request', 'a.find(req.body)', true],
  ['find with a spread', 'a.findOne({ ...req.body })', true],
  ['$where', 'a({ $where: b })', true],
  ['escaped letters', '\\u0065val(x)', true],
  ['escaped letters in braces', '\\u{65}val(x)', true],
  ['escaped letters of a key', 'a["\\x65xec"](b)', true],
  ['letters of two texts', "c['ex' + 'ec'](a)", true],
  ['letters of two texts on two lines', "const n = 'ex' +\n  'ec'; c[n](a)", true],
  ['a computed call of a sum', 'c[a + b](d)', true],
  ['a computed call of a call', 'c[a(b)](d)', true],
  ['a computed call of a name', 'c[a](d); c["a"](d)', false],
  ['a computed method', 'class A {\n  [Symbol.iterator]() {}\n}', false],
  ['long texts side by side', "a('a long text, ' + 'and more of it')", false],
  ['lists that are joined', "a(['b', 'c'].join('\\n'))", false],
  ['the constructor of an object', 'a.constructor.name; class B { constructor() {} }', false],
  ['a constructor that is called', 'a.constructor(b)', true],
  ['letters of attributes', '&#8217; &#x2014; &#10;', false],
  ['other escapes', 'a("\\u2028 \\x1b[0m")', false],
  ['plain code', 'const a = b.map((c) => c.d)', false],
];
for (const [what, code, expected] of WORDS) {
  test(`collectFragments prefilter: ${what} is ${expected ? 'kept' : 'dropped'}`, (t) => {
    t.is(collect(newFile('a.ts', code)).fragments.length, expected ? 1 : 0);
  });
}

test('collectFragments keeps CRLF, counts lines right and reads a diff without a last newline', (t) => {
  const diff = hunk('a.js', '@@ -1,2 +1,3 @@\n a\r\n+exec(b)\r\n+c\n\\ No newline at end of file');
  const [fragment] = collect(diff).fragments;
  t.is(fragment?.text, 'a\r\nexec(b)\r\nc\n');
  t.deepEqual(fragment?.added, [[1, 3]]);
});

test('collectFragments reads combined diffs: a line is added if any parent lacks it', (t) => {
  const diff =
    'diff --cc a.js\nindex 1,2..3\n--- a/a.js\n+++ b/a.js\n' +
    '@@@ -1,2 -1,2 +1,3 @@@\n  a\n- b\n++exec(x)\n +d\n';
  const [fragment] = collect(diff).fragments;
  t.is(fragment?.text, 'a\nexec(x)\nd\n');
  t.deepEqual(fragment?.added, [[1, 3]]);
});

test('collectFragments never throws on bytes that are not text', (t) => {
  const bytes = Buffer.concat([
    Buffer.from('--- a/a.js\n+++ b/a.js\n@@ -1,1 +1,2 @@\n a\n+exec("'),
    Buffer.from([0, 0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80]),
    Buffer.from('" + x)\n'),
  ]);
  const [fragment] = collect(bytes).fragments;
  t.regex(fragment?.text ?? '', /exec\("\0\ufffd/);
});

test('collectFragments cuts a text above FRAGMENT_BYTES_MAX to regions around sinks', (t) => {
  const filler = Array.from(
    { length: 9_000 },
    (_, index) => `const name${index} = call(${index}, 0)`,
  );
  filler[4_000] = 'exec(first + x)';
  filler[4_050] = 'exec(second + x)';
  filler[8_000] = 'eval(third)';
  const text = filler.join('\n');
  t.true(text.length > AST_GATE.FRAGMENT_BYTES_MAX);
  const { fragments, unparsed } = collect(newFile('big.js', text));
  t.deepEqual(unparsed, []);
  t.is(fragments.length, 2);
  const [one, two] = fragments;
  t.is(one?.startLine, 3_901);
  t.is(one?.text.split('\n')[100], 'exec(first + x)');
  t.is(one?.text.split('\n')[150], 'exec(second + x)');
  t.deepEqual(one?.added, [[0, 251]]);
  t.is(two?.text.split('\n')[8_001 - (two?.startLine ?? 0)], 'eval(third)');
  t.true(fragments.every((part) => part.text.length <= AST_GATE.FRAGMENT_BYTES_MAX));
});

test('collectFragments splits regions that are themselves too large', (t) => {
  const line = `exec(a${' + "0123456789"'.repeat(1_000)})`;
  const text = Array.from({ length: 100 }, () => line).join(';\n');
  const { fragments } = collect(newFile('big.js', text));
  t.true(fragments.length > 1);
  t.true(fragments.every((part) => Buffer.byteLength(part.text) <= AST_GATE.FRAGMENT_BYTES_MAX));
  const lines = fragments.reduce((sum, part) => sum + part.text.split('\n').length, 0);
  t.true(lines >= 100);
});

test('collectFragments empties overlong lines and reports lines with a sink', (t) => {
  const long = 'x'.repeat(AST_GATE.LINE_BYTES_MAX);
  const text = `exec(a + b)\nconst data = "${long}"\nexec("${long}" + c)\nexec(d)`;
  const { fragments, unparsed } = collect(newFile('a.js', text));
  t.deepEqual(
    fragments.map((fragment) => fragment.text),
    ['exec(a + b)\n\n\nexec(d)\n'],
  );
  t.deepEqual(
    unparsed.map(({ id, severity, line }) => [id, severity, line]),
    [['ast-unparsed', 'high', 3]],
  );
});

test('collectFragments reports a hazard beside a sink, at its line, and sends nothing of it', (t) => {
  const { fragments, unparsed } = collect(newFile('a.js', `exec(a)\nb\n${'('.repeat(300)}`));
  t.is(fragments.length, 0);
  const [finding] = unparsed;
  t.like(finding, { id: 'ast-unparsed', severity: 'high', gate: 'ast', file: 'a.js', line: 3 });
  t.regex(finding?.message ?? '', /brackets nest deeper than 256/);
  t.regex(finding?.fingerprint ?? '', /^[0-9a-f]{64}$/);
});

test('collectFragments lets a hazard without a sink pass: nothing is parsed', (t) => {
  t.like(collect(newFile('a.js', '('.repeat(50_000))), { fragments: [], unparsed: [] });
});

test('collectFragments knows the rest of a comment by its prose, and nothing else', (t) => {
  const nested = ` * ${'('.repeat(300)}\n`;
  const hunk = (path: string, lines: string) =>
    `--- a/${path}\n+++ b/${path}\n@@ -40,0 +41,99 @@\n${lines.replace(/^(?=.)/gm, '+')}`;
  const prose = ` * the exec of a\n * plain old command is\n${nested} */\nexec(a + b);\n`;
  const read = collect(hunk('a.d.ts', prose));
  t.deepEqual(read.unparsed, []);
  t.deepEqual(
    read.fragments.map(({ text }) => text.trim()),
    ['exec(a + b);'],
  );
  const doubtful = {
    'elements hold prose as well': hunk('a.js', prose),
    'no words side by side': hunk('a.ts', prose.replace('plain old command is', 'eval(a)')),
    'words of the language': hunk('a.ts', prose.replace('plain old command is', 'new a as any')),
    'it may be a template': hunk('a.ts', prose.replace('old', '`old` x')),
    'the first line may be a string': hunk(
      'a.ts',
      prose.replace(/ \* the.*\n/, '').replace(' *', ' * exec'),
    ),
  };
  for (const [why, diff] of Object.entries(doubtful)) {
    const [finding] = collect(diff).unparsed;
    t.is(finding?.severity, 'high', why);
  }
});

test('collectFragments throws CANCELLED when the flag is raised', (t) => {
  const cancel = createCancelFlag();
  raise(cancel);
  t.throws(() => collect(newFile('a.js', 'eval(x)'), cancel), { message: /cancelled/ });
});

const CODE = "app.get('/', (req, res) => { require('child_process').exec(req.query.cmd) })";
const LINE_ENDS = [
  ['LF', '\n'],
  ['CR', '\r'],
  ['LS', '\u2028'],
  ['PS', '\u2029'],
] as const;

for (const [name, end] of LINE_ENDS) {
  test(`${name} ends a comment, and the code behind it is looked at`, async (t) => {
    for (const line of ['// made by a tool', '#!/usr/bin/env node', 'f() // x']) {
      const findings = await findingsIn(`${line}${end}${CODE}\n`, { patterns: [] }, 'src/a.js');
      t.deepEqual(
        findings.map(({ id, severity }) => `${severity} ${id}`),
        ['critical vuln-01'],
        line,
      );
    }
  });
}

test('createSyntaxService answers one result per fragment, in order', async (t) => {
  const fragments = ['eval(a)', 'b()', 'eval(c)'].map((text) => fragmentOf(text));
  const { results } = await createSyntaxService().inspect(
    { fragments, fingerprintKey: KEY },
    CONTEXT,
  );
  t.deepEqual(
    results.map(({ findings }) => findings.length),
    [1, 0, 1],
  );
});

test('inspect fills every field of a finding', (t) => {
  const text = "  const { host } = req.query\n  cp.exec(\n    'ping ' + host,\n  )\n";
  const [finding] = inspect(fragmentOf(text, { startLine: 41, path: 'lib/a.js' })).findings;
  t.like(finding, {
    id: 'vuln-01',
    gate: 'ast',
    severity: 'critical',
    message:
      'An attacker can run any command on the server: request parameter `host` (line 41) reaches ' +
      '`exec` (line 42).',
    title: 'Request parameter `host` reaches a shell command',
    file: 'lib/a.js',
    line: 42,
    end_line: 43,
    column: 6,
    excerpt: 'cp.exec(',
    cwe: 'CWE-78',
    suppressed: null,
  });
  t.regex(finding?.fix ?? '', /execFile/);
  t.regex(finding?.fingerprint ?? '', /^[0-9a-f]{64}$/);
});

/** [what, text, line, column in bytes]. */
const PLACES: [string, string, number, number][] = [
  ['ASCII', 'a()\n  eval(b)', 2, 3],
  ['two-byte characters before it', "'é'; eval(b)", 1, 7],
  ['four-byte characters before it', "'𝒳'; eval(b)", 1, 9],
  ['characters on the lines before', "'é𝒳漢'\n\n  eval(b)", 3, 3],
  ['CRLF', 'a()\r\n  eval(b)\r\n', 2, 3],
  ['a byte order mark', '\ufeffeval(b)', 1, 4],
  ['a hashbang', '#!/usr/bin/env node\neval(b)', 2, 1],
  ['the rest of a comment', ' * é\n */ eval(b)', 2, 5],
  ['the rest of a template', 'é text`); eval(b)\n', 1, 12],
  ['stray closers', '  }\n})\n  eval(b)\n', 3, 3],
  ['a broken line before it', '%%% [[ ](\neval(b)\n', 2, 1],
  ['a chain over lines', 'a\n  .b()\n  .$queryRawUnsafe(req.body.c)', 3, 4],
  ['line separators that are not newlines', "'\u2028'; eval(b)", 1, 8],
];
for (const [what, text, line, column] of PLACES) {
  test(`inspect gives the exact place: ${what}`, (t) => {
    const [finding] = inspect(fragmentOf(text)).findings;
    t.deepEqual([finding?.line, finding?.column], [line, column]);
    const shown = text.split('\n')[line - 1] ?? '';
    t.true(shown.includes(finding?.excerpt?.trim() ?? '-'));
  });
}

test('inspect clips excerpts to 512 characters', (t) => {
  const [finding] = inspect(fragmentOf(`eval(a, '${'b'.repeat(600)}')`)).findings;
  t.is(finding?.excerpt?.length, 512);
});

test('inspect reports added lines without a tree', (t) => {
  const { findings, unparsed } = inspect(fragmentOf('a()\n%%% x [[ ](\n%% y ]] (\neval(b)\n'));
  t.deepEqual(unparsed, [[1, 3]]);
  t.deepEqual(findings.map(short), ['vuln-02 critical 4']);
});

test('inspect reads files of no known kind as scripts: only those are sent', (t) => {
  const found = inspect(fragmentOf('const a: string = b\neval(a)', { path: 'bin/run' }));
  t.deepEqual(found.findings.map(short), ['vuln-02 critical 2']);
  const prose = fragmentOf('# no program', { path: 'bin/run' });
  t.like(inspect(prose), { findings: [], unparsed: [[0, 1]] });
});

test('inspect reports what was kept from the parser as ast-unparsed, high', (t) => {
  const { findings } = inspect(fragmentOf('eval(a)\nx=<b:c.d/>\n', { path: 'a.jsx' }));
  t.deepEqual(findings.map(short), ['vuln-02 critical 1', 'ast-unparsed high 2']);
});

test('inspect reports a tree that is too deep to follow as ast-unparsed, high', (t) => {
  const { findings } = inspect(fragmentOf(`${'while(a)'.repeat(1_990)};\neval(b)`));
  t.true(findings.map(short).includes('ast-unparsed high 1'));
});

for (const [what, pad, expected] of [
  ['follows data behind many calls without any', 'same(1);\n', 'vuln-01 critical'],
  [
    'says so when calls with data keep it from following one',
    'same(req.query.x);\n',
    'ast-unparsed high',
  ],
] as const) {
  test(`inspect ${what}`, (t) => {
    const text = [
      'function same(a) { return a; }',
      'function run(c) { exec(c); }',
      `app.get('/', (req, res) => {\n${pad.repeat(350)} run('ls ' + req.query.dir); });`,
    ].join('\n');
    const { findings } = inspect(fragmentOf(text));
    t.deepEqual(
      findings.map(({ id, severity }) => `${id} ${severity}`),
      [expected],
    );
  });
}

test('collectFragments sees a sink whose words stand on several lines of a diff', (t) => {
  const removed = (text: string) =>
    'diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n' +
    `@@ -1,3 +1,3 @@\n ${text}\n-a\n+b\n-c\n+  .write(q)\n`;
  for (const diff of [
    newFile('a.js', 'document\n  .write(q)'),
    newFile('a.js', 'document\n\n\n  .\n  write(q)'),
    removed('document').replace('+b\n', ''),
  ]) {
    t.is(collect(diff).fragments.length, 1, diff);
  }
});
