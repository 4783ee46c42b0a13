import { copyFileSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { run, writeTree } from './fixture-tree.ts';

/** The project's own settings, in a tree of a few files. */
const SETTINGS = ['biome.json', 'knip.json', 'package.json', 'tsconfig.json', '.gitignore'];

/** One offence a file and the rule of Biome that names it. */
const BIOME: readonly { path: string; text: string; rule: string }[] = [
  { path: 'src/a-enum.ts', text: 'export enum A {\n  B = 1,\n}\n', rule: 'style/noEnum' },
  {
    path: 'src/a-namespace.ts',
    text: 'export namespace A {\n  export const b = 1;\n}\n',
    rule: 'style/noNamespace',
  },
  { path: 'src/any.ts', text: 'export const a: any = 1;\n', rule: 'suspicious/noExplicitAny' },
  {
    path: 'src/bang.ts',
    text: 'export const a = (b: string | null) => b!.length;\n',
    rule: 'style/noNonNullAssertion',
  },
  { path: 'src/default.ts', text: 'export default 1;\n', rule: 'style/noDefaultExport' },
  { path: 'src/BadName.ts', text: 'export const a = 1;\n', rule: 'style/useFilenamingConvention' },
  {
    path: 'src/barrel.ts',
    text: "export { a } from './any.ts';\n",
    rule: 'performance/noBarrelFile',
  },
  {
    path: 'src/cycle-one.ts',
    text: "import { two } from './cycle-two.ts';\n\nexport const one = (): number => two();\n",
    rule: 'suspicious/noImportCycles',
  },
  {
    path: 'src/cycle-two.ts',
    text: "import { one } from './cycle-one.ts';\n\nexport const two = (): number => one();\n",
    rule: 'suspicious/noImportCycles',
  },
  {
    path: 'src/protocol.ts',
    text: "import { join } from 'path';\n\nexport const a = join('b');\n",
    rule: 'style/useNodejsImportProtocol',
  },
  {
    path: 'src/type-import.ts',
    text: "import { Stats } from 'node:fs';\n\nexport const a = (b: Stats) => b;\n",
    rule: 'style/useImportType',
  },
  {
    path: 'src/floating.ts',
    text: 'async function later() {}\n\nexport function now() {\n  later();\n}\n',
    rule: 'nursery/noFloatingPromises',
  },
  {
    path: 'src/misused.ts',
    text: [
      'async function isLate() {\n  return true;\n}\n',
      'export function now() {\n  return isLate() ? 1 : 2;\n}\n',
    ].join('\n'),
    rule: 'nursery/noMisusedPromises',
  },
  { path: 'src/say.ts', text: "console.log('a');\n", rule: 'suspicious/noConsole' },
  { path: 'src/env.ts', text: 'export const a = process.env;\n', rule: 'style/noProcessEnv' },
  {
    path: 'src/fields.ts',
    text: 'export class A {\n  constructor(private b: number) {\n    this.b;\n  }\n}\n',
    rule: 'style/noParameterProperties',
  },
  {
    path: 'test/focus.test.ts',
    text: "import test from 'ava';\n\ntest.only('a', (t) => t.pass());\n",
    rule: 'suspicious/noFocusedTests',
  },
  { path: 'src/format.ts', text: 'export const a = "double"\n', rule: 'format' },
];

function projectTree(t: ExecutionContext, files: Readonly<Record<string, string>>): string {
  const root = writeTree(t, files);
  for (const name of SETTINGS) copyFileSync(resolve(name), join(root, name));
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
  return root;
}

const tool = (name: string) => resolve('node_modules/.bin', name);

test('biome names each offence of style by file and rule', async (t) => {
  const files = Object.fromEntries(BIOME.map(({ path, text }) => [path, text]));
  const root = projectTree(t, files);
  const args = ['ci', '--colors=off', '--max-diagnostics=none', '--reporter=json', '.'];
  const { code, output } = await run(tool('biome'), args, root);
  t.not(code, 0);
  const report = JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1));
  const named = new Set<string>();
  for (const { category, severity, location } of report.diagnostics) {
    if (severity === 'error') named.add(`${location.path} ${category.replace('lint/', '')}`);
  }
  for (const { path, rule } of BIOME) t.true(named.has(`${path} ${rule}`), `${path} ${rule}`);
});

test('tsc refuses what the settings of the project forbid', async (t) => {
  const root = projectTree(t, {
    'src/unused.ts': 'function unused() {}\nexport const a = 1;\n',
    'src/index-access.ts': 'export const first = (list: string[]): string => list[0];\n',
    'src/implicit.ts': 'export const same = (a) => a;\n',
    'src/optional.ts': 'interface A { b?: number }\nexport const a: A = { b: undefined };\n',
    'src/erasable.ts': 'export enum A { B = 1 }\n',
  });
  const { code, output } = await run(tool('tsc'), ['--noEmit', '--pretty', 'false'], root);
  t.not(code, 0);
  for (const [path, error] of [
    ['src/unused.ts', 'TS6133'],
    ['src/index-access.ts', 'TS2322'],
    ['src/implicit.ts', 'TS7006'],
    ['src/optional.ts', 'TS2375'],
    ['src/erasable.ts', 'TS1294'],
  ]) {
    t.regex(output, new RegExp(`^${path}\\(.*${error}`, 'm'));
  }
});

test('knip names a dead file, a dead export, and a package that nothing declares', async (t) => {
  const root = projectTree(t, {
    'src/cli/main.ts': "import { used } from '../used.ts';\nimport 'left-pad';\n\nused();\n",
    'src/used.ts': 'export function used() {}\nexport function dead() {}\n',
    'src/orphan.ts': 'export const a = 1;\n',
  });
  const { code, output } = await run(tool('knip'), ['--reporter', 'compact'], root);
  t.not(code, 0);
  t.regex(output, /src\/orphan\.ts/);
  t.regex(output, /src\/used\.ts: dead/);
  t.regex(output, /left-pad/);
});

test('npm warns of no package: uws-pack includes what Node 20 needs, whatever it says', (t) => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  t.deepEqual(packages['node_modules/uWebSockets.js'].engines, { node: '>=20' });
});

const SCRIPT = resolve('tools/tap-count.mjs');

const CASES: readonly { title: string; files: readonly string[]; last: string; code: number }[] = [
  {
    title: 'passes',
    files: ['ok 1 - a\nok 2 - b # c\n\n1..2\n'],
    last: '2 passed, 0 failed',
    code: 0,
  },
  {
    title: 'a failure',
    files: ['ok 1 - a\nnot ok 2 - b\n1..2\n'],
    last: '1 passed, 1 failed',
    code: 1,
  },
  {
    title: 'a skipped test',
    files: ['ok 1 - a # SKIP\n1..1\n'],
    last: '0 passed, 1 failed',
    code: 1,
  },
  {
    title: 'a test to do',
    files: ['not ok 1 - a # TODO\n1..1\n'],
    last: '0 passed, 1 failed',
    code: 1,
  },
  { title: 'a broken-off run', files: ['ok 1 - a\n'], last: '1 passed, 1 failed', code: 1 },
  {
    title: 'fewer tests than planned',
    files: ['ok 1 - a\n1..2\n'],
    last: '1 passed, 1 failed',
    code: 1,
  },
  { title: 'no test at all', files: ['1..0\n'], last: '0 passed, 1 failed', code: 1 },
  {
    title: 'output that looks like a result',
    files: ['ok 1 - a\n#   not ok 2\n  not ok 2\nok 7 - x\nok 2 - b\n1..2\n'],
    last: '2 passed, 0 failed',
    code: 0,
  },
  {
    title: 'two runs',
    files: ['ok 1 - a\n1..1\n', 'ok 1 - a\nnot ok 2 - b\n1..2\n'],
    last: '2 passed, 1 failed',
    code: 1,
  },
  { title: 'nothing', files: [], last: '0 passed, 0 failed', code: 1 },
];

for (const { title, files, last, code } of CASES) {
  test(`tap-count sums up ${title}`, async (t) => {
    const named = files.map((text, index) => [`${index}.tap`, text] as const);
    const root = writeTree(t, Object.fromEntries(named));
    const paths = named.map(([name]) => join(root, name));
    const result = await run(process.execPath, [SCRIPT, ...paths], root);
    t.is(result.output.trimEnd().split('\n').at(-1), last);
    t.is(result.code, code);
  });
}

test('tap-count shows what a run says of a failure, and nothing of a pass', async (t) => {
  const tap =
    'ok 1 - a\n  of a\nnot ok 2 - b\n  ---\n    message: |\n      why\n\n      how\n  ...\n\nok 3 - c\n' +
    '  of c\n1..3\n';
  const root = writeTree(t, { 'run.tap': tap });
  const { output } = await run(process.execPath, [SCRIPT, join(root, 'run.tap')], root);
  t.is(
    output,
    'failed: b\n  ---\n    message: |\n      why\n\n      how\n  ...\n2 passed, 1 failed\n',
  );
});
