import { join, resolve } from 'node:path';
import test from 'ava';
import { run, writeTree } from './fixture-tree.ts';

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
