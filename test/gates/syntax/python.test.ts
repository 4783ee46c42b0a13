import { readdirSync, readFileSync } from 'node:fs';
import test from 'ava';
import { mayHoldSink } from '../../../src/gates/syntax/prefilter.ts';
import type { FragmentResult } from '../../../src/rpc/contract.ts';
import { fragmentOf, inspectTree } from './code.ts';

/** The finding that a harmful case of a class makes, where it does not say another one. */
const EXPECTED: Readonly<Record<string, string>> = {
  command: 'vuln-01 critical',
  sql: 'vuln-03 critical',
  path: 'vuln-05 critical',
  request: 'vuln-06 critical',
  deserialise: 'vuln-07 critical',
};
const CASES_MIN = 40;

interface Case {
  readonly title: string;
  readonly code: string;
  /** `id severity`; null: no finding. */
  readonly expected: string | null;
}

const FOLDER = new URL('../../../../test/gates/syntax/python/', import.meta.url);

/** `=== bad title` or `=== bad title :: id severity` or `=== good title`, then the code. */
function casesOf(name: string): Case[] {
  return readFileSync(new URL(`${name}.txt`, FOLDER), 'utf8')
    .split(/^=== /m)
    .slice(1)
    .map((text) => {
      const end = text.indexOf('\n');
      const [title = '', expected = EXPECTED[name] ?? ''] = text.slice(0, end).split(' :: ');
      const isBad = title.startsWith('bad ');
      return { title, code: text.slice(end + 1), expected: isBad ? expected : null };
    });
}

const BEFORE = `            self.count += 1
        except ValueError:
            log.debug('none')
        else:
            return {
                'a': 1,
            }

`;
const AFTER = `
def later(level):
    if level > 1:
        other(level,
`;

async function found(text: string, added?: [number, number][]): Promise<string[]> {
  if (!mayHoldSink(Buffer.from(text), 'py')) return [];
  const fragment = fragmentOf(text, { path: 'src/app.py', ...(added && { added }) });
  const { findings }: FragmentResult = await inspectTree(fragment);
  return findings.map(({ id, severity }) => `${id} ${severity}`);
}

for (const name of Object.keys(EXPECTED)) {
  test(`python: ${name}, whole files and hunks`, async (t) => {
    const cases = casesOf(name);
    const wrong: string[] = [];
    for (const { title, code, expected } of cases) {
      const lines = code.split('\n').length - 1;
      const head = BEFORE.split('\n').length - 1;
      const hunk = await found(BEFORE + code + AFTER, [[head, head + lines]]);
      for (const [what, ids] of [
        ['file', await found(code)],
        ['hunk', hunk],
      ] as const) {
        const isRight = expected === null ? ids.length === 0 : ids.join() === expected;
        if (!isRight) wrong.push(`${what}, ${title}: ${ids.join() || 'nothing'}`);
      }
    }
    t.deepEqual(wrong, []);
    t.true(cases.filter(({ expected }) => expected !== null).length >= CASES_MIN);
    t.true(cases.filter(({ expected }) => expected === null).length >= CASES_MIN);
  });
}

test('python: no two cases differ in names and literals only', (t) => {
  const seen = new Map<string, string>();
  const same: string[] = [];
  for (const file of readdirSync(FOLDER)) {
    for (const { title, code } of casesOf(file.replace('.txt', ''))) {
      const shape = shapeOf(code);
      const other = seen.get(shape);
      if (other !== undefined) same.push(`${title} repeats ${other}`);
      seen.set(shape, title);
    }
  }
  t.deepEqual(same, []);
});

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

test('python: hostile text ends in findings, never in the end of the process', async (t) => {
  for (const [name, text, expected] of HOSTILE) {
    const { findings } = await inspectTree(fragmentOf(text, { path: 'a.py' }));
    t.is(findings.map(({ id, severity }) => `${id} ${severity}`).join(), expected, name);
  }
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
