import { readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { languageOf, mayHoldSink } from '../../../src/gates/syntax/languages.ts';
import type { FragmentResult } from '../../../src/rpc/contract.ts';
import { fragmentOf, inspectTree } from './code.ts';

/** A language, and how its cases become files and hunks. */
interface Language {
  readonly name: string;
  readonly path: string;
  /** The finding that a harmful case of a class makes, where it does not say another one. */
  readonly expected: Readonly<Record<string, string>>;
  readonly fileOf: (code: string) => string;
  readonly hunkOf: (code: string) => string;
  /** What a hunk shows before and behind it. */
  readonly before: string;
  readonly after: string;
}

const EXPECTED = {
  command: 'vuln-01 critical',
  sql: 'vuln-03 critical',
  path: 'vuln-05 critical',
  request: 'vuln-06 critical',
};

const PYTHON: Language = {
  name: 'python',
  path: 'src/app.py',
  expected: { ...EXPECTED, deserialise: 'vuln-07 critical' },
  fileOf: (code) => code,
  hunkOf: (code) => code,
  before: `            self.count += 1
        except ValueError:
            log.debug('none')
        else:
            return {
                'a': 1,
            }

`,
  after: `
def later(level):
    if level > 1:
        other(level,
`,
};

/** Packages of the cases by their names; a hunk does not show its imports. */
const IMPORTS = new Map(
  [
    'archive/tar archive/zip bufio bytes context crypto/sha256 crypto/tls database/sql embed',
    'compress/gzip encoding/base64 encoding/gob encoding/hex encoding/json encoding/xml errors fmt html io',
    'io/fs io/ioutil log net net/http net/http/httputil net/rpc net/smtp net/url os os/exec path',
    'path/filepath plugin regexp slices strconv strings sync syscall text/template time',
    'github.com/antchfx/htmlquery github.com/antchfx/xmlquery github.com/antchfx/xpath',
    'github.com/aws/aws-lambda-go/events github.com/beevik/etree github.com/dop251/goja',
    'github.com/flosch/pongo2/v6 github.com/gin-gonic/gin github.com/go-chi/chi/v5',
    'github.com/go-resty/resty/v2 github.com/gofiber/fiber/v2 github.com/google/uuid',
    'github.com/gorilla/mux github.com/gorilla/websocket github.com/hashicorp/go-retryablehttp',
    'github.com/jackc/pgx/v5 github.com/jackc/pgx/v5/pgxpool github.com/jmoiron/sqlx',
    'github.com/julienschmidt/httprouter github.com/labstack/echo/v4 github.com/lib/pq',
    'github.com/Masterminds/squirrel github.com/robertkrimen/otto github.com/uptrace/bun',
    'github.com/traefik/yaegi/interp github.com/valyala/fasthttp golang.org/x/crypto/ssh',
    'google.golang.org/grpc gopkg.in/yaml.v3 gorm.io/gorm xorm.io/xorm',
    'al.essio.dev/pkg/shellescape github.com/kballard/go-shellquote',
    'github.com/cyphar/filepath-securejoin github.com/yuin/gopher-lua github.com/kataras/iris/v12',
    'github.com/emicklei/go-restful/v3 github.com/gocolly/colly/v2 github.com/go-git/go-git/v5',
    'github.com/mmcdole/gofeed github.com/gosimple/slug rogchap.com/v8go github.com/d5/tengo/v2',
    'github.com/vmihailenco/msgpack/v5 github.com/BurntSushi/toml crypto/hmac',
  ]
    .flatMap((line) => line.split(' '))
    .map((path) => [nameOfPackage(path), path]),
);

function nameOfPackage(path: string): string {
  const last =
    path
      .replace(/[/.]v\d+$/, '')
      .split('/')
      .at(-1) ?? '';
  return last.replace(/^go-(?!git|restful)|^filepath-|^gopher-/, '').replace(/^go-/, '');
}

/** A case is functions, or the body of a handler behind its parameters (those of net/http). */
function withFunction(code: string): string {
  if (/^(?:func|type|var|const) /m.test(code)) return code;
  const [first = ''] = code.split('\n', 1);
  const head = first.startsWith('(') ? first : '(w http.ResponseWriter, r *http.Request)';
  const body = first.startsWith('(') ? code.slice(first.length + 1) : code;
  return `func handle${head} {\n${body.replace(/^(?=.)/gm, '\t')}}\n`;
}

const GO: Language = {
  name: 'golang',
  path: 'src/app.go',
  expected: { ...EXPECTED, deserialise: 'ast-deserialise high' },
  fileOf(code) {
    const whole = withFunction(code);
    const used = [...IMPORTS].filter(([name]) => new RegExp(`\\b${name}\\.`).test(whole));
    const lines = used.map(([, path]) => `\t"${path}"\n`).join('');
    return `package app\n\nimport (\n${lines})\n\n${whole}`;
  },
  hunkOf: withFunction,
  before: `\t\t\treturn err
\t\t}
\t} else if a.count > 0 {
\t\tdefer func() {
\t\t\ta.count = 0
\t\t}()
\t}
\treturn nil
}

`,
  after: `
func later(level int) error {
\tif level > 1 {
\t\tother(level,
`,
};

const CASES_MIN = 40;

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

async function found(path: string, text: string, added?: [number, number][]): Promise<string[]> {
  if (!mayHoldSink(Buffer.from(text), languageOf(path) ?? 'js')) return [];
  const fragment = fragmentOf(text, { path, ...(added && { added }) });
  const { findings }: FragmentResult = await inspectTree(fragment);
  return findings.map(({ id, severity }) => `${id} ${severity}`);
}

async function checkCases(t: ExecutionContext, language: Language, name: string): Promise<void> {
  const cases = casesOf(language, name);
  const wrong: string[] = [];
  const { path, before, after } = language;
  for (const { title, code, expected } of cases) {
    const hunk = language.hunkOf(code);
    const head = before.split('\n').length - 1;
    const added: [number, number][] = [[head, head + hunk.split('\n').length - 1]];
    for (const [what, ids] of [
      ['file', await found(path, language.fileOf(code))],
      ['hunk', await found(path, before + hunk + after, added)],
    ] as const) {
      const isRight = expected === null ? ids.length === 0 : ids.join() === expected;
      if (!isRight) wrong.push(`${what}, ${title}: ${ids.join() || 'nothing'}`);
    }
  }
  t.deepEqual(wrong, []);
  t.true(cases.filter(({ expected }) => expected !== null).length >= CASES_MIN);
  t.true(cases.filter(({ expected }) => expected === null).length >= CASES_MIN);
}

for (const language of [PYTHON, GO]) {
  for (const name of Object.keys(language.expected)) {
    test(`${language.name}: ${name}, whole files and hunks`, checkCases, language, name);
  }

  test(`${language.name}: no two cases differ in names and literals only`, (t) => {
    const seen = new Map<string, string>();
    const same: string[] = [];
    for (const name of Object.keys(language.expected)) {
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
    'def f(a):\n  return f(a) + f(a)\ndef v(request):\n  open(f(request.GET["x"]))',
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

for (const [language, cases] of [
  [PYTHON, HOSTILE],
  [GO, HOSTILE_GO],
] as const) {
  const title = `${language.name}: hostile text ends in findings, never in the end of the process`;
  test(title, async (t) => {
    for (const [name, text, expected] of cases) {
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
