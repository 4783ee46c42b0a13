import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { REVIEW_CLASSES } from '../../src/gates/review/classes.ts';
import { type GateFinding, titleOfId } from '../../src/model/finding.ts';
import { FLOW } from '../../src/model/limits.ts';
import { allPatterns } from '../../src/model/rules.ts';
import { defaultRules } from '../../src/rules/default.ts';
import { SINK_WORDS } from '../../src/rules/wording/sinks.ts';
import { sourceWords } from '../../src/rules/wording/sources.ts';
import { compile, pattern, scanText } from './patterns/scan-text.ts';
import { fragmentOf, inspect, inspectTree } from './syntax/code.ts';

/** Longest title, without the names of the code that is judged. */
const TITLE_CHARS_MAX = 80;
const ROOT = new URL('../../../', import.meta.url).pathname;
const { ODD_WORDS } = (await import(join(ROOT, 'tools/house/style.mjs'))) as { ODD_WORDS: RegExp };

interface Worded {
  readonly of: string;
  readonly title: string;
  readonly message: string;
}

const NOUNS = [
  ...['req.query.id', 'r.PathValue(id)', 'req.headers.id', 'r.Cookie(id)', 'req.files.id'],
  ...['req.body', 'req.body.id', 'socket.recv()', 'location.hash', 'process.argv.id', 'id'],
].map((written) => sourceWords(written).noun);

const SINKS: Worded[] = Object.entries(SINK_WORDS).flatMap(([of, words]) => {
  const { alone, attack, reached }: { alone: string; attack: string; reached?: string } = words;
  const message = `${attack}.`;
  const flows = reached === undefined ? [] : NOUNS.map((noun) => `${noun} \`\` reaches ${reached}`);
  return [alone, ...flows].map((title) => ({ of, title, message }));
});
const RULES: Worded[] = allPatterns(defaultRules).map(({ id, description = '', message }) => ({
  of: id,
  title: description,
  message,
}));
const CLASSES: Worded[] = REVIEW_CLASSES.map(({ id, title, message }) => ({
  of: id,
  title,
  message,
}));

for (const [what, all] of [
  ['sinks of gate 2', SINKS],
  ['rules', RULES],
  ['classes of gate 3', CLASSES],
] as const) {
  test(`${what} have a title and a message that says more`, (t) => {
    t.true(all.length > 20);
    for (const { of, title, message } of all) {
      t.regex(title, /^\S.*[^.\s]$/, of);
      t.true(title.length <= TITLE_CHARS_MAX, `${of}: ${title}`);
      t.regex(message, /^\S.{10,}[.!)]$/, of);
      t.not(message, title, of);
      t.notRegex(`${title} ${message}`, ODD_WORDS, of);
    }
  });
}

test('what an attacker can do at a sink is a clause that begins with the attacker', (t) => {
  for (const { of, message } of SINKS) t.regex(message, /^an attacker /, of);
});

/** Ids of findings that come of no rule, as the sources give them to `plainFinding`. */
function idsInSources(): Set<string> {
  const src = join(ROOT, 'src');
  const texts = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('rules/'))
    .map((path) => readFileSync(join(src, path), 'utf8'))
    .filter((text) => text.includes('plainFinding('));
  const ids = texts.flatMap((text) => [
    ...text.matchAll(/plainFinding\(\{[^}]*?\bid: '([\w-]+)'/g),
    ...text.matchAll(/\b[A-Z_]*_ID = '([\w-]+)'/g),
    ...text.matchAll(/\bUNREAD = '([\w-]+)'/g),
  ]);
  return new Set(ids.map(([, id = '']) => id));
}

test('findings that come of no rule have a title by their id', (t) => {
  const ids = [...idsInSources(), 'binary-file', 'outside-diff', 'diff-unavailable', 'other-host'];
  t.true(ids.length > 20);
  for (const id of ids) {
    const title = titleOfId(id) ?? '';
    t.regex(title, /^[A-Z].*[^.]$/, id);
    t.true(title.length <= TITLE_CHARS_MAX, title);
    t.notRegex(title, ODD_WORDS);
  }
});

/** [text of a source, its words]. */
const SOURCES: [string, string][] = [
  ['req.query.dir', 'request parameter dir'],
  ['request.getParameter(dir)', 'request parameter dir'],
  ['decode(request.getHeader(X-Obj))', 'request header X-Obj'],
  ['r.URL.RawQuery.f', 'request parameter f'],
  ['c.Query(host, localhost)', 'request parameter host'],
  ['chi.URLParam(r, id)', 'route parameter id'],
  ['r.FormValue(q)', 'request parameter q'],
  ['call.json().name', 'request body field name'],
  ['request.getInputStream()', 'request body null'],
  ['request.files.net.filename', 'uploaded file net'],
  ['request.COOKIES.session', 'cookie session'],
  ['location.hash', 'page address null'],
  ['sock.recv(1024)', 'socket data null'],
  ['process.argv.2', 'command-line argument 2'],
  ['item.getName()', 'user input item.getName()'],
  [
    'new URL(https://feeds.example/jobs).openStream()',
    'user input new URL(https://feeds.example/jobs).openStream()',
  ],
  ['body', 'user input body'],
  ['body of the request', 'request body null'],
  ['data of handle', 'data of handle'],
  ['message of consume', 'message of consume'],
  ['drop event', 'event drop'],
];

for (const [written, expected] of SOURCES) {
  test(`sourceWords of ${written}`, (t) => {
    const { noun, name } = sourceWords(written);
    t.is(`${noun} ${name}`, expected);
  });
}

/**
 * [path, text, fingerprint that versions without titles gave]: acceptances hold fingerprints, so
 * words must not change them.
 */
const FINGERPRINTS: [string, string, string][] = [
  [
    'src/a.ts',
    "exec('ls ' + req.query.dir)",
    '5b5c9e22d7d0ad9c5d1159e73f7876a0842b8c3457435829968cd14046fcef6a',
  ],
  [
    'src/a.ts',
    'const off = false\nhttps.request({ rejectUnauthorized: off })',
    'd97afc89db1693b7df3c0193df3d2ac746d7f24ecfecb3f9be84a5ec28a2c2d3',
  ],
  [
    'src/A.java',
    'class A { void f(HttpServletRequest r) { Runtime.getRuntime().exec(r.getParameter("c")); } }',
    '9069e2c2f25278586b7b34502fe2ba322e48c9dacf7433f8217e90105845ef6e',
  ],
  [
    'src/a.py',
    "import os\nfrom flask import request\nos.system('ls ' + request.args['d'])",
    '8b4340644476c31229f206b9b555a7ae4cf5140b33f56208f21097d1043bab75',
  ],
];

for (const [path, text, expected] of FINGERPRINTS) {
  test(`the fingerprint of ${text.split('\n').at(-1)} in ${path} is that of older versions`, async (t) => {
    const { findings } = await inspectTree(fragmentOf(text, { path }));
    t.deepEqual(
      findings.map(({ fingerprint }) => fingerprint),
      [expected],
    );
  });
}

test('the fingerprint of a rule of gate 1 holds no words, and its description is the title', (t) => {
  const rule = (words: object) => compile(pattern({ id: 'risk-a', regex: 'evil', ...words }));
  const find = (words: object) => scanText(rule(words), 'evil()')[0];
  const [one, other] = [{}, { description: 'Evil call', message: 'It does harm.' }].map(find);
  t.is(one?.fingerprint, other?.fingerprint);
  t.is(other?.title, 'Evil call');
  const long = find({ description: 'x'.repeat(999) });
  t.is(long?.title?.length, FLOW.TITLE_CHARS_MAX);
  t.false('title' in (find({ description: undefined }) ?? {}));
});

test('text of the change in titles and steps is short, and on one line', (t) => {
  const name = `a\u0007${'very long name '.repeat(20)}\u202e`;
  const text = `const x = req.query[${JSON.stringify(name)}]\nexec('ls ' + x)`;
  const [finding] = inspect(fragmentOf(text)).findings;
  const shown = [finding?.title ?? '', ...(finding?.flow ?? []).map(({ what }) => what)];
  t.is(shown.length, 4);
  for (const each of shown) {
    t.true(each.length <= FLOW.WHAT_CHARS_MAX);
    t.notRegex(each, /[\p{Cc}\p{Cf}]/u);
  }
});

test('a flow has its source, its sink, and at most the steps that fit between', (t) => {
  const names = Array.from({ length: 40 }, (_, index) => `v${index}`);
  const lines = names.map((name, index) => `const ${name} = ${names[index - 1] ?? 'req.query.a'}`);
  const text = [...lines, "exec('ls ' + v39)"].join('\n');
  const flow = inspect(fragmentOf(text)).findings[0]?.flow ?? [];
  t.true(flow.length > 3 && flow.length <= FLOW.STEPS_MAX);
  t.is(flow[0]?.what, 'request parameter `a`');
  t.like(flow.at(-1), { line: 41, column: 1, what: 'shell command of `exec`' });
});

/** A method whose data comes through a call, a function of another file, and a field. */
const JAVA = `class A {
  void f(HttpServletRequest r) throws Exception {
    String dir = r.getParameter("dir");
    String clean = normalize(dir);
    Runtime.getRuntime().exec(clean);
  }
  private String normalize(String p) { return Tools.fold(p); }
}`;

test('a flow says how each step got the data, and where', async (t) => {
  const { findings } = await inspectTree(fragmentOf(JAVA, { path: 'src/A.java' }));
  t.deepEqual(
    findings[0]?.flow?.map(({ file, line, column, what }) => `${file} ${line}:${column} ${what}`),
    [
      'src/A.java 3:18 request parameter `dir`',
      'src/A.java 3:12 assigned to `dir`',
      'src/A.java 7:35 passed to `normalize` as `p`',
      'src/A.java 7:53 returned by `fold`',
      'src/A.java 4:12 assigned to `clean`',
      'src/A.java 5:26 shell command of `exec`',
    ],
  );
});

/** A function that calls itself is judged by its summary. */
const SUMMARISED = `class A {
  void f(HttpServletRequest r) throws Exception { walk(r.getParameter("dir"), 3); }
  void walk(String path, int n) throws Exception {
    if (n > 0) walk(path, n - 1);
    Runtime.getRuntime().exec(path);
  }
}`;

test('a flow through a function that calls itself names the parameter', async (t) => {
  const { findings } = await inspectTree(fragmentOf(SUMMARISED, { path: 'src/A.java' }));
  const steps = findings[0]?.flow?.map(({ line, what }) => `${line} ${what}`) ?? [];
  t.deepEqual(steps, [
    '2 request parameter `dir`',
    '3 passed to `walk` as `path`',
    '5 shell command of `exec`',
  ]);
});

test('a fixed value has no flow, and what is put together says so', (t) => {
  const first = (text: string): GateFinding | undefined => inspect(fragmentOf(text)).findings[0];
  const fixed = first('const off = false\nhttps.request({ rejectUnauthorized: off })');
  t.false('flow' in (fixed ?? {}));
  t.is(fixed?.title, 'TLS certificates are not verified');
  const built = first('export function f() { exec("ls " + other()) }');
  t.is(built?.title, 'Shell command is built from variable text');
  t.regex(built?.message ?? '', /^If a part of it comes from outside, an attacker can run any/);
  const weak = first('export function f(dir) { exec("ls " + dir) }');
  t.is(weak?.title, 'Parameter `dir` reaches a shell command');
  t.regex(weak?.message ?? '', /^If a caller of this exported function passes data from outside, /);
});

test('steps have a bound together, and findings without say so', (t) => {
  const path = `src/${'a'.repeat(4_000)}.ts`;
  const text = `const a = req.query.a\n${'exec(a)\n'.repeat(200)}`;
  const { findings, flows } = inspect(fragmentOf(text, { path }));
  const without = findings.filter(({ flow }) => flow === undefined);
  t.true(without.length > 0 && without.length < findings.length);
  t.true(without.every(({ message }) => message.endsWith('There is no room to list its steps.')));
  t.true(flows.every((flow) => flow !== ''));
});
