import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import test from 'ava';
import { createCancelFlag } from '../../../src/core/deadline.ts';
import { readFragment } from '../../../src/gates/syntax/fragments/fragment-tree.ts';
import { inspectFragments } from '../../../src/gates/syntax/inspect.ts';
import type { Dialect } from '../../../src/gates/syntax/languages.ts';
import type { InspectInput } from '../../../src/rpc/contract.ts';
import { collect, inspect, KEY, newFile } from './code.ts';

interface Form {
  readonly title: string;
  /** Calls `run`. */
  readonly code: string;
}

/** `=== title`, then the code; `<U+2028>` is that character. */
function formsOf(name: string): Form[] {
  const url = new URL(`../../../../test/gates/syntax/${name}.txt`, import.meta.url);
  return readFileSync(url, 'utf8')
    .split(/^=== /m)
    .slice(1)
    .map((text) => {
      const end = text.indexOf('\n');
      const code = text
        .slice(end + 1, -1)
        .replace(/<U\+([\dA-F]{4})>/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
      return { title: text.slice(0, end), code };
    });
}

/** For each code the ways in which this Node compiles it. */
const ORACLE = `
  const vm = require('node:vm');
  const works = (compile) => { try { compile(); return true; } catch { return false; } };
  const forms = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
  console.log(JSON.stringify(forms.map((code) => [
    works(() => new vm.Script(code)) ? 'script' : '',
    works(() => vm.compileFunction(code, ['exports', 'require', 'module'])) ? 'commonjs' : '',
    works(() => new vm.SourceTextModule(code)) ? 'module' : '',
  ].filter(Boolean))));`;

function waysOf(codes: readonly string[]): string[][] {
  const options = ['--experimental-vm-modules', '--no-warnings', '-e', ORACLE];
  const output = execFileSync(process.execPath, options, { input: JSON.stringify(codes) });
  return JSON.parse(output.toString()) as string[][];
}

/** How much of a code is in trees: all, or that with the call of `run`; null: neither. */
function readAs(code: string, dialect: Dialect): 'whole' | 'call' | null {
  const { trees, unparsed } = readFragment(code, [[0, code.split('\n').length]], dialect);
  const text = JSON.stringify(trees.map(({ module }) => module));
  if (!text.includes('"value":"run"')) return null;
  return unparsed.length === 0 ? 'whole' : 'call';
}

const client = {
  async inspect({ fragments }: InspectInput) {
    return { results: fragments.map((fragment) => inspect(fragment)), cpuMs: 0 };
  },
};

/** What is said of a new file in which `eval` stands for `run`. */
async function saidOf(path: string, code: string): Promise<string[]> {
  const text = code.replaceAll(/\brun\b(?=\s*\()/g, 'eval');
  const collected = collect(newFile(path, text));
  const cancel = createCancelFlag();
  const { findings } = await inspectFragments({
    ...collected,
    client,
    fingerprintKey: KEY,
    cancel,
  });
  return findings.map(({ id, severity }) => `${id} ${severity}`);
}

/** Forms that Node 22 runs no more: <https://github.com/nodejs/node/pull/52104>. */
const UNTIL_NODE_20: ReadonlySet<string> = new Set(['import assertions']);

function isRunHere({ title }: { title: string }): boolean {
  return Number.parseInt(process.versions.node, 10) < 22 || !UNTIL_NODE_20.has(title);
}

test('what Node runs is read whole', (t) => {
  const forms = formsOf('forms');
  t.true(forms.length > 200);
  const ways = waysOf(forms.map(({ code }) => code));
  const invalid = forms.filter((form, index) => isRunHere(form) && ways[index]?.length === 0);
  t.deepEqual(invalid, [], 'each form is one that Node runs');
  const cut = forms.filter(({ code }) => readAs(code, 'js') !== 'whole');
  t.deepEqual(cut, []);
});

test('what Node runs is read whole between other statements', (t) => {
  const forms = formsOf('forms').map(({ title, code }) => ({
    title,
    code: `var before = 1\n;${code}\n;after(before)`,
  }));
  const ways = waysOf(forms.map(({ code }) => code));
  const valid = forms.filter((_, index) => (ways[index]?.length ?? 0) > 0);
  t.true(valid.length > 180);
  t.deepEqual(
    valid.filter(({ code }) => readAs(code, 'js') !== 'whole'),
    [],
  );
});

test('TypeScript is read whole, or what the parser refuses is reported high', async (t) => {
  const forms = formsOf('forms-typescript');
  t.true(forms.length > 120);
  const wrong: string[] = [];
  let whole = 0;
  for (const { title, code } of forms) {
    const read = readAs(code, 'ts');
    if (read === 'whole') whole += 1;
    if (read !== null) continue;
    if (!(await saidOf('src/a.ts', code)).includes('ast-unparsed high')) wrong.push(title);
  }
  t.deepEqual(wrong, []);
  t.true(whole > 85, `${whole}`);
});

/** Lines that the parser refuses, with a sink that no single one of them shows. */
const SPLIT: readonly string[] = [
  'a ?? b || eval\n(q) ?? c',
  'x = a ?? b || child_process\n  .exec(q)',
  'const a;\nconst b; eval\n(q); const c;',
  'new a?.b(c); document\n  .write(q); new d?.e()',
  'a?.b`c`; el\n  .innerHTML = q; a?.b`c`',
  'const [...a,] = new\n Function\n(q); const [...b,] = c',
  'throw\neval\n(q); throw\na',
  '/a/gg; db\n .query("select " + q); /b/gg',
  'a = 1_; vm\n  .runInNewContext(q); b = 2_',
  'switch (a) { default: b; default: eval\n(q) }',
];

test('lines that the parser refuses are reported high where they make a sink together', async (t) => {
  for (const code of SPLIT) {
    const said = await saidOf('src/a.js', code);
    t.true(
      said.some((one) => /^(?:ast-unparsed high|vuln-\d+|ast-\w+ )/.test(one)),
      `${code}: ${said}`,
    );
  }
});

test('text that is wrong on purpose is medium among tests', async (t) => {
  const code = 'a ?? b || run(q)';
  t.deepEqual(await saidOf('src/a.ts', code), ['ast-unparsed high']);
  t.deepEqual(await saidOf('test/fixtures/a.ts', code), ['ast-unparsed medium']);
});

test('no repair makes a text that ends the process', (t) => {
  for (const code of [
    'f() = 1; x = <++b:c.d/>',
    'f()++; x = <--b:c.d/>',
    'f() = 1; return <++a:b.c></a:b.c>',
    'function f() { await g; x = <await b:c.d/> }',
  ]) {
    t.deepEqual(readFragment(code, [[0, 1]], 'js').unparsed, [0], code);
  }
});
