import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { dialectOf, languageOf, mayHoldSink } from '../../../src/gates/syntax/languages.ts';
import type { Fragment, FragmentResult } from '../../../src/rpc/contract.ts';
import { someOf } from '../../some-cases.ts';
import { fragmentOf, inspectTree } from './code.ts';
import { CSHARP, GO, JAVA, KOTLIN, type Language, PYTHON } from './languages.ts';
import { linesNotNeeded } from './needed-lines.ts';

const CASES_MIN = 40;

/** Of so many lines of the catalogue one is taken out; of `npm run proof -- tests` each. */
const LINES_EVERY = Number(process.env['CATALOGUE_LINES_EVERY'] ?? 250);

/** Cases of single lines of the catalogue, which those of the classes do without. */
const LINES = 'lines';

interface Case {
  readonly title: string;
  readonly code: string;
  /** `id severity`; null: no finding. */
  readonly expected: string | null;
}

/** `=== bad title` or `=== bad title :: id severity` or `=== good title`, then the code. */
function casesOf({ name: folder, expected: usual }: Language, name: string): Case[] {
  const url = new URL(`../../../../test/gates/syntax/${folder}/${name}.txt`, import.meta.url);
  return readFileSync(url, 'utf8')
    .split(/^=== /m)
    .slice(1)
    .map((text) => {
      const end = text.indexOf('\n');
      const [title = '', expected = usual[name] ?? ''] = text.slice(0, end).split(' :: ');
      const isBad = title.startsWith('bad ');
      return { title, code: text.slice(end + 1), expected: isBad ? expected : null };
    });
}

/** A case as a whole file and as a hunk. */
function formsOf({ path, before, after, ...language }: Language, code: string) {
  const hunk = language.hunkOf(code);
  const head = before.split('\n').length - 1;
  const added: [number, number][] = [[head, head + hunk.split('\n').length - 1]];
  return [
    fragmentOf(language.fileOf(code), { path }),
    fragmentOf(before + hunk + after, { path, added }),
  ] as const;
}

async function found(fragment: Fragment): Promise<string[]> {
  const { path, text } = fragment;
  if (!mayHoldSink(Buffer.from(text), languageOf(path) ?? 'js')) return [];
  const { findings }: FragmentResult = await inspectTree(fragment);
  return findings.map(({ id, severity }) => `${id} ${severity}`);
}

async function checkCases(t: ExecutionContext, language: Language, name: string): Promise<void> {
  const cases = casesOf(language, name);
  const asHunks = new Set(someOf(cases));
  const wrong: string[] = [];
  for (const one of cases) {
    const { title, code, expected } = one;
    const [file, hunk] = formsOf(language, code);
    const forms = asHunks.has(one) ? { file, hunk } : { file };
    for (const [what, form] of Object.entries(forms)) {
      const ids = await found(form);
      const isRight = expected === null ? ids.length === 0 : ids.join() === expected;
      if (!isRight) wrong.push(`${what}, ${title}: ${ids.join() || 'nothing'}`);
    }
  }
  t.deepEqual(wrong, []);
  if (name === LINES) return;
  t.true(cases.filter(({ expected }) => expected !== null).length >= CASES_MIN);
  t.true(cases.filter(({ expected }) => expected === null).length >= CASES_MIN);
}

for (const language of [PYTHON, GO, JAVA, CSHARP, KOTLIN]) {
  const topics = [...Object.keys(language.expected), LINES];
  for (const name of topics) {
    test(`${language.name}: ${name}, whole files and hunks`, checkCases, language, name);
  }

  test(`${language.name}: each line of the catalogue has a case that needs it`, async (t) => {
    const cases = topics.flatMap((name) => casesOf(language, name));
    const forms = cases.map(({ code }) => formsOf(language, code));
    t.deepEqual(await linesNotNeeded(language.name, forms, LINES_EVERY), []);
  });

  test(`${language.name}: no two cases differ in names and literals only`, (t) => {
    const seen = new Map<string, string>();
    const same: string[] = [];
    for (const name of topics) {
      for (const { title, code } of casesOf(language, name)) {
        const shape = shapeOf(code);
        const other = seen.get(shape);
        if (other !== undefined) same.push(`${title} repeats ${other}`);
        seen.set(shape, title);
      }
    }
    t.deepEqual(same, []);
  });
}

/** The code with a number for each name of the program's own, in order. */
function shapeOf(code: string): string {
  const names = new Map<string, number>();
  return code
    .replace(/(?<![.\w'"])[a-z_]\w*(?=\s*=[^=]|\s*[,)\]}:]|\s*$)/gm, (name) => {
      names.set(name, names.get(name) ?? names.size);
      return `_${names.get(name)}`;
    })
    .replace(/\s+/g, ' ');
}

const HOSTILE: readonly [name: string, text: string, expected: string][] = [
  ['brackets', `open(${'('.repeat(1e5)}request.GET${')'.repeat(1e5)})`, 'ast-unparsed high'],
  ['open brackets', `open(${'[{('.repeat(5e4)}`, ''],
  ['members', `request.x${'.a'.repeat(1e5)}`, 'ast-unparsed high'],
  ['sums', `open(request.GET['a']${' + "x"'.repeat(3e4)})`, 'ast-unparsed high'],
  ['negations', `${'not '.repeat(5e4)}request`, 'ast-unparsed high'],
  [
    'blocks',
    [...Array(700).keys()].map((n) => `${' '.repeat(n)}if request:`).join('\n'),
    'ast-unparsed high',
  ],
  ['elif', `if request.a:\n  x = 1\n${'elif b:\n  x = request.GET\n'.repeat(5e3)}`, ''],
  ['quotes', `request = ${"'".repeat(2e5)}`, ''],
  ['functions', calls(400), 'ast-unparsed high'],
  [
    'recursion',
    'def f(a):\n  if a: return a\n  return f(a) + f(a)\ndef v(request):\n  open(f(request.GET["x"]))',
    'vuln-05 critical',
  ],
];

/** Functions that each call the next one twice. */
function calls(count: number): string {
  const all = [...Array(count).keys()].map(
    (n) => `def f${n}(a):\n  f${n + 1}(a)\n  f${n + 1}(a)\n`,
  );
  return `${all.join('')}def v(request):\n${'  f0(request.GET["x"])\n'.repeat(400)}`;
}

const HANDLER = 'package a\nfunc h(w http.ResponseWriter, r *http.Request) {\n';
const IMPORTED = HANDLER.replace('\n', '\nimport ("net/http"; "os")\n');

const HOSTILE_GO: readonly [name: string, text: string, expected: string][] = [
  [
    'brackets',
    `${IMPORTED}os.Open(${'('.repeat(1e5)}r.URL${')'.repeat(1e5)})\n}`,
    'ast-unparsed high',
  ],
  ['open brackets', `${IMPORTED}os.Open(${'[{('.repeat(5e3)}`, ''],
  ['members', `${IMPORTED}_ = r.URL${'.a'.repeat(1e5)}\n}`, 'ast-unparsed high'],
  ['sums', `${IMPORTED}os.Open(r.URL.Path${' + "x"'.repeat(3e4)})\n}`, 'ast-unparsed high'],
  ['negations', `${IMPORTED}if ${'!'.repeat(5e4)}r.Close {}\n}`, 'ast-unparsed high'],
  ['blocks', `${IMPORTED}${'{\n'.repeat(700)}x()\n${'}\n'.repeat(701)}`, 'ast-unparsed high'],
  [
    'else if',
    `${IMPORTED}if r.Close {x()}${' else if r.Close {\nx() }'.repeat(5e3)}\n}`,
    'ast-unparsed high',
  ],
  ['types', `${IMPORTED}var x ${'[]'.repeat(1e5)}int\n}`, 'ast-unparsed high'],
  ...['map[a]', 'chan<-'].map((type): [string, string, string] => [
    `types of new: ${type}`,
    `${IMPORTED}os.Open(r.URL.Path)\nx := new(${type.repeat(40)}[b)\n}`,
    'vuln-05 critical',
  ]),
  ['quotes', `${IMPORTED}x := ${"'".repeat(2e5)}\n}`, ''],
  ['raw strings', `${IMPORTED}x := ${'`'.repeat(9_999)}\n}`, ''],
  ['closing brackets', `os.Open(r.URL.Path)\n${'}\n'.repeat(5e4)}`, 'vuln-05 critical'],
  ['NUL', `${IMPORTED}os.Open(r.URL.Path)\n${'\0'.repeat(999)}}`, 'vuln-05 critical'],
  ['halves of characters', `${IMPORTED}os.Open(r.URL.Path) // \ud800\n}`, 'vuln-05 critical'],
  [
    'functions',
    `${IMPORTED}${'f0(r.URL.Path)\n'.repeat(400)}}\n${[...Array(400).keys()]
      .map((n) => `func f${n}(a string) { f${n + 1}(a); f${n + 1}(a) }\n`)
      .join('')}`,
    'ast-unparsed high',
  ],
  [
    'types within types',
    `func h(c *gin.Context) { var x T0; c.Bind(&x); os.Open(x.S) }\n${[...Array(60).keys()]
      .map((n) => `type T${n} struct { A T${n + 1}; B T${n + 1}; S string }\n`)
      .join('')}`,
    'vuln-05 critical',
  ],
  [
    'recursion',
    `${IMPORTED}f(r.URL.Path)\n}\nfunc f(a string) string { os.Open(a); return f(a) + f(a) }`,
    'vuln-05 critical',
  ],
  [
    'doubling',
    `${IMPORTED}x := []string{r.URL.Path}\n${'x = append(x, x...)\n'.repeat(999)}os.Open(x[0])\n}`,
    'vuln-05 critical',
  ],
];

const SERVLET =
  'import jakarta.servlet.http.*;\nimport java.io.*;\nclass A {\nvoid h(HttpServletRequest r) {\n';
const READ = 'new FileInputStream(r.getParameter("a"));';

const HOSTILE_JAVA: readonly [name: string, text: string, expected: string][] = [
  [
    'brackets',
    `${SERVLET}new FileReader(${'('.repeat(1e5)}r${')'.repeat(1e5)});\n}}`,
    'ast-unparsed high',
  ],
  ['open brackets', `${SERVLET}new FileReader(${'[{('.repeat(5e3)}`, ''],
  ['members', `${SERVLET}new FileReader(r${'.a'.repeat(1e5)});\n}}`, 'ast-unparsed high'],
  ['calls', `${SERVLET}new FileReader(r${'.a()'.repeat(1e5)});\n}}`, 'ast-unparsed high'],
  [
    'sums',
    `${SERVLET}new FileReader(r.getPathInfo()${' + "x"'.repeat(3e4)});\n}}`,
    'ast-unparsed high',
  ],
  [
    'negations',
    `${SERVLET}if (${'!'.repeat(5e4)}r.b()) { new FileReader(""); }\n}}`,
    'ast-unparsed high',
  ],
  ['blocks', `${SERVLET}${'{\n'.repeat(700)}${READ}\n${'}\n'.repeat(702)}`, 'ast-unparsed high'],
  [
    'else if',
    `${SERVLET}if (r.b()) {${READ}}${' else if (r.b()) {\nx(); }'.repeat(5e3)}\n}}`,
    'vuln-05 critical,ast-unparsed high',
  ],
  [
    'lambdas',
    `${SERVLET}f(${'x -> '.repeat(5e3)}new FileReader(r.getPathInfo()));\n}}`,
    'ast-unparsed high',
  ],
  [
    'types',
    `${SERVLET}List${'<List'.repeat(1e4)} x; ${READ}\n}}`,
    'vuln-05 critical,ast-unparsed high',
  ],
  ['quotes', `${SERVLET}char x = ${"'".repeat(2e5)}; new FileReader("");\n}}`, ''],
  ['text blocks', `${SERVLET}String x = ${'"'.repeat(9_999)}; new FileReader("");\n}}`, ''],
  ['closing brackets', `${READ}\n${'}\n'.repeat(5e4)}`, ''],
  [
    'functions',
    `${SERVLET}${'f0(r.getPathInfo());\n'.repeat(400)}}\n${[...Array(400).keys()]
      .map((n) => `void f${n}(String a) { f${n + 1}(a); f${n + 1}(a); new FileReader("x"); }\n`)
      .join('')}}`,
    'ast-unparsed high',
  ],
  [
    'types within types',
    `@PostMapping("/") void h(@RequestBody T0 x) { new FileReader(x.s()); }\n${[...Array(60).keys()]
      .map((n) => `record T${n}(T${n + 1} a, T${n + 1} b, String s) {}\n`)
      .join('')}`,
    'vuln-05 critical',
  ],
  [
    'recursion',
    `${SERVLET}f(r.getPathInfo());\n}\nString f(String a) { new FileReader(a); return f(a) + f(a); }\n}`,
    'vuln-05 critical',
  ],
  [
    'doubling',
    `${SERVLET}String x = r.getPathInfo();\n${'x += x;\n'.repeat(999)}new FileReader(x);\n}}`,
    'vuln-05 critical',
  ],
  [
    'a class that extends itself',
    `${SERVLET}new B(r.getPathInfo()).a();\n}\nclass B extends B { B(String a) { this.a = a; new B(a); }\nString a; void a() { this.a(); new FileReader(a); } }\n}`,
    'vuln-05 critical',
  ],
];

const KOTLIN_SERVLET =
  'import jakarta.servlet.http.*\nimport java.io.*\nclass A {\nfun h(r: HttpServletRequest) {\n';

const HOSTILE_KOTLIN: readonly [name: string, text: string, expected: string][] = [
  ['members', `${KOTLIN_SERVLET}FileReader(r${'.a'.repeat(1e5)})\n}}`, 'ast-unparsed high'],
  [
    'sums',
    `${KOTLIN_SERVLET}FileReader(r.pathInfo${' + "x"'.repeat(3e4)})\n}}`,
    'ast-unparsed high',
  ],
  [
    'negations',
    `${KOTLIN_SERVLET}if (${'!'.repeat(5e4)}r.b()) { FileReader("") }\n}}`,
    'ast-unparsed high',
  ],
  [
    'templates',
    `${KOTLIN_SERVLET}val x = ${'"${'.repeat(3e3)}r${'}"'.repeat(3e3)}\nFileReader(x)\n}}`,
    'ast-unparsed high',
  ],
  [
    'lambdas',
    `${KOTLIN_SERVLET}f(${'{ x -> '.repeat(3e3)}FileReader(r.pathInfo)${'}'.repeat(3e3)})\n}}`,
    'ast-unparsed high',
  ],
  ['quotes', `${KOTLIN_SERVLET}val x = ${"'".repeat(2e5)}; FileReader("")\n}}`, ''],
  [
    'recursion',
    `${KOTLIN_SERVLET}f(r.pathInfo)\n}\nfun f(a: String): String { FileReader(a); return f(a) + f(a) }\n}`,
    'vuln-05 critical',
  ],
  [
    'doubling',
    `${KOTLIN_SERVLET}var x = r.pathInfo\n${'x += x\n'.repeat(999)}FileReader(x)\n}}`,
    'vuln-05 critical',
  ],
];

for (const [index, [language, cases]] of (
  [
    [PYTHON, HOSTILE],
    [GO, HOSTILE_GO],
    [JAVA, HOSTILE_JAVA],
    [KOTLIN, HOSTILE_KOTLIN],
  ] as const
).entries()) {
  const title = `${language.name}: hostile text ends in findings, never in the end of the process`;
  test(title, async (t) => {
    for (const [name, text, expected] of someOf(cases, index)) {
      const { findings } = await inspectTree(fragmentOf(text, { path: language.path }));
      t.is(findings.map(({ id, severity }) => `${id} ${severity}`).join(), expected, name);
    }
  });
}

test('golang: generated code, tests and text that is not Go', async (t) => {
  const prose = 'Once upon a time, (there was {a request: of [open things; and so on\n'.repeat(20);
  t.is((await inspectTree(fragmentOf(prose, { path: 'a.go' }))).unparsed.length, 1);
  const table = [...Array(20_000).keys()].map((n) => `\t"k${n}": {${n}, "v"},\n`).join('');
  const made = `// Code generated by x; DO NOT EDIT.\npackage a\n\nvar t = map[string]e{\n${table}}\n`;
  const { findings, unparsed } = await inspectTree(fragmentOf(made, { path: 'a.go' }));
  t.deepEqual([findings, unparsed], [[], []]);
  const text = `${IMPORTED}os.Open(r.URL.Path)\n}\n`;
  const tested = await inspectTree(fragmentOf(text, { path: 'src/a_test.go' }));
  t.deepEqual(
    tested.findings.map(({ id, line }) => `${id} ${line}`),
    ['ast-path 4'],
  );
});

test('python: text that is not Python is ast-unparsed low, Python 2 is read', async (t) => {
  const prose = 'Once upon a time, (there was {a request: of [open things; and so on\n'.repeat(20);
  const { unparsed } = await inspectTree(fragmentOf(prose, { path: 'a.py' }));
  t.is(unparsed.length, 1);
  const old =
    'import os\ndef v(request):\n  print "x"\n  exec "1"\n  os.system(request.GET["c"])\n';
  const two = await inspectTree(fragmentOf(old, { path: 'a.py' }));
  t.deepEqual(two.unparsed, []);
  t.deepEqual(
    two.findings.map(({ id, line }) => `${id} ${line}`),
    ['vuln-01 5'],
  );
});

/** [path, whether gate 2 reads such files]. */
const NAMES: [string, boolean][] = [
  ...['a.es6', 'a.jsm', 'a.mts', 'a.cts', 'a.astro', 'a.mdx', 'a.ejs', 'a.xhtml'].map(
    (path): [string, boolean] => [path, true],
  ),
  ['a.js ', true],
  ['a.js. ', true],
  ['a.js\t', true],
  ['a.vue ', true],
  ['a.js.txt', false],
  ['js', false],
];
for (const [path, expected] of NAMES) {
  test(`dialectOf ${expected ? 'knows' : 'does not know'} ${JSON.stringify(path)}`, (t) => {
    t.is(dialectOf(path) !== null, expected);
  });
}
