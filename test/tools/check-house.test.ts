import { resolve } from 'node:path';
import test from 'ava';
import { run, writeTree } from './fixture-tree.ts';

const SCRIPT = resolve('tools/check-house.mjs');

/** A tree that keeps every rule, with things beside them that only look like violations. */
const CLEAN: Readonly<Record<string, string>> = {
  'src/cli/main.ts': '#!/usr/bin/env node\nimport { start } from "../daemon/main.ts";\nstart();\n',
  'src/daemon/main.ts': [
    'import { App } from "../http/server/app.ts";',
    '/** Starts. */',
    'export function start() { return App; }',
  ].join('\n'),
  'src/http/server/app.ts':
    'export { App } from "uWebSockets.js";\nimport { HTTP } from "./limits.ts";\nHTTP.BODIES_MAX;\n',
  'src/http/server/limits.ts': 'export const HTTP = { BODIES_MAX: 1 } as const;\n',
  'src/http/api/rfcs.ts':
    'import { A } from "../../model/limits.ts";\nconst { DEEP_MAX } = A;\nA.WIDE_MAX;\n',
  'src/model/limits.ts': 'export const A = { WIDE_MAX: 1, DEEP_MAX: 2 } as const;\n',
  'src/gates/syntax/parse/parser.ts': 'import { parseSync } from "@swc/core";\nparseSync("");\n',
  'src/gates/patterns/regex.ts': [
    'import RE2 from "re2";',
    'import type { Rule } from "../../rules/rule.ts";',
    'const text = "// TODO in a string"; const url = `/* FIXME: XXX */`;',
    '/** Two lines,',
    ' * and code with a string // inside. */',
    'export const matches = (a: Rule): unknown => [RE2, a, text, url, /\\/\\/ HACK/];',
    'const thing = { fetch: 1, process: (x: { fetch: number }) => x.fetch };',
    `const long = /${'[abc]'.repeat(30)}/;`,
    `// https://example.org/${'path/'.repeat(30)}`,
  ].join('\n'),
  'src/rpc/contract.ts': 'export interface Analysis { a: 1 }\n',
  'src/rules/rule.ts': 'export interface Rule { a: 1 }\n',
  'src/rpc/child.ts': [
    'import { type ChildProcess, fork } from "node:child_process";',
    'import type { Worker } from "node:worker_threads";',
  ].join('\n'),
  'src/cli/git.ts': 'import { spawn } from "node:child_process";\nspawn("git");\n',
  'src/daemon/config/config.ts': 'export const port = process.env["PORT"];\n',
  'workers/ast.ts': 'import "../src/gates/syntax/parse/parser.ts";\n',
  'test/free.test.ts': [
    'import { spawn } from "node:child_process";',
    'import "re2";',
    'process.env["FREE"] = String(spawn);',
    'export function helper() {}',
  ].join('\n'),
};

/** What is added to the clean tree, and what must then be said, all of it and nothing else. */
const VIOLATIONS: readonly { path: string; text: string; says: readonly string[] }[] = [
  {
    path: 'src/model/rfc.ts',
    text: '\nimport { x } from "../http/server/app.ts";\n',
    says: ['src/model/rfc.ts:2 imports: model may not import http/server'],
  },
  {
    path: 'src/store/sqlite/store.ts',
    text: 'const late = () => import("../../auth/tokens.ts");\n',
    says: ['src/store/sqlite/store.ts:1 imports: store may not import auth'],
  },
  {
    path: 'src/diff/path.ts',
    text: 'export * from "../gates/patterns/regex.ts";\n',
    says: ['src/diff/path.ts:1 imports: diff may not import gates/patterns'],
  },
  {
    path: 'src/gates/coverage.ts',
    text: 'import { Analysis } from "../rpc/contract.ts";\n',
    says: ['src/gates/coverage.ts:1 imports: gates may only `import type` from rpc'],
  },
  {
    path: 'src/verdict/score.ts',
    text: 'type T = import("../analysis/job.ts").Job;\n',
    says: ['src/verdict/score.ts:1 imports: verdict may not import analysis'],
  },
  {
    path: 'src/usage/usage.ts',
    text: 'import "../../test/free.test.ts";\nimport "../limits.js";\n',
    says: [
      'src/usage/usage.ts:1 imports: usage may not import test/free.test.ts',
      'src/usage/usage.ts:2 imports: say "../limits.js" with its .ts extension',
    ],
  },
  {
    path: 'src/http/server/lazy.ts',
    text: 'const load = (name: string) => import(name);\n',
    says: ['src/http/server/lazy.ts:1 imports: import() must name its module as a plain string'],
  },
  {
    path: 'src/newfolder/thing.ts',
    text: 'const a = 1;\n',
    says: [
      'src/newfolder/thing.ts:1 imports: this folder has no row in the import table ' +
        '(tools/house/layers.mjs)',
    ],
  },
  ...[
    ['src/http/api/all-routes.ts', 'uWebSockets.js'],
    ['src/rpc/service.ts', 'piscina'],
    ['src/gates/syntax/words.ts', 're2'],
    ['src/gates/patterns/tree.ts', '@swc/core'],
    ['src/store/store.ts', 'mongodb'],
    ['src/store/mongo/rfcs.ts', 'better-sqlite3'],
    ['src/auth/authenticate.ts', 'jose'],
    ['src/analysis/job.ts', 'pino'],
    ['src/analysis/pool.ts', 'node:worker_threads'],
    ['src/decisions/spawn.ts', 'child_process'],
    ['src/decisions/require.ts', 'node:module'],
  ].map(([path = '', name = '']) => ({
    path,
    text: `import x from "${name}";\n`,
    says: [`${path}:1 fence: ${name} may not be imported here`],
  })),
  {
    path: 'src/rpc/spawn.ts',
    text: 'import { exec } from "node:child_process";\n',
    says: [
      'src/rpc/spawn.ts:1 fence: only fork, ChildProcess of node:child_process may be imported, ' +
        'not exec',
    ],
  },
  {
    path: 'src/daemon/lifecycle.ts',
    text: 'const a = process.env["A"];\nconst b = process["env"];\nconst { env } = process;\n',
    says: [1, 2, 3].map(
      (line) =>
        `src/daemon/lifecycle.ts:${line} fence: process.env is read in src/daemon/config and by src/mcp/settings.ts only`,
    ),
  },
  {
    path: 'workers/scan.ts',
    text: 'import { a } from "../src/gates/deep.ts";\n',
    says: [
      'workers/scan.ts:1 reach: reaches @swc/core (it can end its whole process) by ' +
        'workers/scan.ts -> src/gates/deep.ts -> src/gates/syntax/parse/parser.ts',
    ],
  },
  { path: 'src/gates/deep.ts', text: 'import "./syntax/parse/parser.ts";\n', says: [] },
  {
    path: 'src/verdict/remote.ts',
    text: 'import fs from "node:fs";\nconst a = fetch("http://x");\nprocess.exit(1);\n',
    says: [
      'src/verdict/remote.ts:1 pure: node:fs is I/O',
      'src/verdict/remote.ts:2 pure: fetch is I/O',
      'src/verdict/remote.ts:3 pure: process is I/O',
    ],
  },
  {
    path: 'src/http/server/utils.ts',
    text: 'const a = 1;\n',
    says: [
      'src/http/server/utils.ts:1 name: "utils" says nothing: name the file by the noun that it holds',
    ],
  },
  {
    path: 'bench/index.ts',
    text: 'const a = 1;\n',
    says: ['bench/index.ts:1 name: "index" says nothing: name the file by the noun that it holds'],
  },
  {
    path: 'src/http/server/wide.ts',
    text: `\n\n// ${'wide '.repeat(20)}é\n`,
    says: ['src/http/server/wide.ts:3 columns: 104 columns, at most 100'],
  },
  {
    path: 'workers/store.ts',
    text: 'const a = `\n`; // TODO: later\n',
    says: ['workers/store.ts:2 comment: TODO in a comment: do it, or say why it is as it is'],
  },
  {
    path: 'src/model/odd.ts',
    text: '/** Told by them. */\nconst a = "desk";\nconst b = "it is no file";\n// There\n// is no b.\n// Null: none, as there are none.\n/** Those of b. */\nconst c = "Those of b";\n',
    says: [
      'src/model/odd.ts:1 word: "Told": use the field\'s own term',
      'src/model/odd.ts:3 word: "is no": use the field\'s own term',
      'src/model/odd.ts:5 word: "is no": use the field\'s own term',
      'src/model/odd.ts:6 word: "Null: none": use the field\'s own term',
      'src/model/odd.ts:7 word: "/** Those": use the field\'s own term',
      'src/model/odd.ts:8 word: "Those of": use the field\'s own term',
    ],
  },
  {
    path: 'workers/saved.ts',
    text: [
      'const [a, b] = [1, 2];',
      'for (let [low, high] = [0, 9]; low < high; low += 1);',
      'const [first, second] = [...String(a)];',
      'const all = { ...{ a, b }, ...(first ? { second } : {}) };',
    ].join('\n'),
    says: [
      'workers/saved.ts:1 form: variables declared as a list: declare each by itself',
      'workers/saved.ts:4 form: a spread object literal: write its properties where they stand',
    ],
  },
  {
    path: 'src/heads/back.ts',
    text: '\nimport type { There } from "./there.ts";\nexport type Back = There;\n',
    says: ['src/heads/back.ts:2 circle: it imports itself through src/heads/there.ts'],
  },
  {
    path: 'src/heads/there.ts',
    text: 'import type { Back } from "./back.ts";\nexport type There = Back | null;\n',
    says: [],
  },
  {
    path: 'docs/why/odd.md',
    text: '# Odd\n\nThere is no trail.\nIt was none.\n',
    says: ['docs/why/odd.md:4 word: "was none": use the field\'s own term'],
  },
  {
    path: 'test/odd.test.ts',
    text: 'import test from "ava";\ntest("a deed is done", (t) => t.pass());\n',
    says: ['test/odd.test.ts:2 word: "deed": use the field\'s own term'],
  },
  {
    path: 'tools/tool.mjs',
    text: '/*\n * HACK\n */\n',
    says: ['tools/tool.mjs:1 comment: HACK in a comment: do it, or say why it is as it is'],
  },
  {
    path: 'test/focus.test.ts',
    text: 'import test from "ava";\ntest.serial.only("a", (t) => t.pass());\n',
    says: ['test/focus.test.ts:2 only: .only leaves the other tests out'],
  },
  {
    path: 'src/auth/bare.ts',
    text: [
      '/** Of something else. */',
      'const a = 1;',
      'export function bare() {}',
      'export class Bare {}',
      '// No docstring.',
      'export const arrow = () => a;',
    ].join('\n'),
    says: [
      'src/auth/bare.ts:3 docstring: bare is exported without a docstring',
      'src/auth/bare.ts:4 docstring: Bare is exported without a docstring',
      'src/auth/bare.ts:6 docstring: arrow is exported without a docstring',
    ],
  },
  {
    path: 'src/git/sync.ts',
    text: 'import { HTTP } from "../http/server/limits.ts";\nHTTP.BODIES_MAX;\n',
    says: ['src/git/sync.ts:1 imports: git may not import http/server/limits'],
  },
  {
    path: 'src/model/limits.ts',
    text: [
      'export const A = { WIDE_MAX: 1, DEEP_MAX: 2,',
      '  IDLE_MAX: 3 } as const;',
      'export const COUNT_MAX = 3;',
    ].join('\n'),
    says: [
      'src/model/limits.ts:2 limit: A.IDLE_MAX is enforced nowhere',
      'src/model/limits.ts:3 limit: COUNT_MAX is enforced nowhere',
    ],
  },
  {
    path: 'src/auth/broken.ts',
    text: 'const = 1;\n',
    says: ['src/auth/broken.ts:1 syntax: cannot be parsed'],
  },
];

test('check-house says nothing about a tree that keeps the rules', async (t) => {
  const root = writeTree(t, CLEAN);
  const { code, output } = await run(process.execPath, [SCRIPT, root], root);
  t.is(output, '');
  t.is(code, 0);
});

test('check-house names each violation by file, line and rule, and nothing else', async (t) => {
  const added = Object.fromEntries(VIOLATIONS.map(({ path, text }) => [path, text]));
  const root = writeTree(t, { ...CLEAN, ...added });
  const { code, output } = await run(process.execPath, [SCRIPT, root], root);
  const expected = VIOLATIONS.flatMap(({ says }) => says);
  t.deepEqual(output.trimEnd().split('\n'), [...expected].sort());
  t.is(code, 1);
});

test('check-house fails where there is nothing to check', async (t) => {
  const root = writeTree(t, { 'readme.txt': '' });
  const { code } = await run(process.execPath, [SCRIPT, root], root);
  t.is(code, 1);
});
