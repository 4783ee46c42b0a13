import test from 'ava';
import { AST_GATE } from '../../../src/gates/limits.ts';
import type { TreeFiles } from '../../../src/model/change.ts';
import { CraError } from '../../../src/model/errors.ts';
import { gateTools } from './gates-run.ts';
import { judge } from './judge-commits.ts';

/** So many lines that do nothing. */
function filler(lines: number): string {
  return Array.from({ length: lines }, (_, index) => `total += ${index};\n`).join('');
}

const HEAD = `import express from 'express';
import { exec } from 'node:child_process';
const app = express();
let total = 0;
`;

const GUARDED = `${HEAD}const ALLOWED = ['ls', 'pwd'];
app.get('/run', (req, res) => {
  const { name } = req.query;
  if (!ALLOWED.includes(name)) return res.sendStatus(400);
${filler(40)}
  exec(name);
  res.end();
});
`;

test('a check that is taken away exposes the sink far below it', async (t) => {
  const after = GUARDED.replace(/ {2}if .*\n/, '');
  const { open, byHunks } = await judge(t, { 'app.js': GUARDED }, { 'app.js': after });
  t.deepEqual(open, ['critical vuln-01 app.js:49']);
  t.deepEqual(byHunks, []);
});

const FAR = `${HEAD}let command = 'ls';
app.get('/set', (req, res) => {
  res.end();
});
${filler(300)}
export function run() {
  exec(command);
}
`;

test('a source is seen 300 lines before its sink', async (t) => {
  const after = FAR.replace('  res.end();\n', '  command = req.query.command;\n  res.end();\n');
  const { open, byHunks } = await judge(t, { 'app.js': FAR }, { 'app.js': after });
  t.deepEqual(open, ['critical vuln-01 app.js:312']);
  t.deepEqual(byHunks, []);
});

const HELPER = `${HEAD}function run(command) {
  exec(command);
}
run('ls');
${filler(100)}
app.get('/list/:folder', (req, res) => {
  res.end();
});
`;

test('a parameter of a route that reaches a sink through a function that stood there', async (t) => {
  const call = '  run("ls " + req.params.folder);\n  res.end();\n';
  const after = HELPER.replace('  res.end();\n', call);
  const { open, byHunks } = await judge(t, { 'app.js': HELPER }, { 'app.js': after });
  t.deepEqual(open, ['critical vuln-01 app.js:6']);
  t.deepEqual(byHunks, []);
});

const ROUTE = `app.get('/run', (req, res) => {
  exec(req.query.name);
  res.end('done');
});
`;
const OPEN = `${HEAD}
${ROUTE}
${filler(20)}`;

test('what stood in the base is not new: another edit, a move, a rename', async (t) => {
  const before = { 'app.js': OPEN };
  const edited = OPEN.replace("res.end('done')", "res.end('it is done')");
  t.deepEqual((await judge(t, before, { 'app.js': edited })).open, []);
  const moved = `${OPEN.replace(ROUTE, '')}${ROUTE}`;
  const { open, byHunks } = await judge(t, before, { 'app.js': moved });
  t.deepEqual(open, []);
  t.true(byHunks.length > 0, 'the hunks alone show it as new');
  t.deepEqual((await judge(t, before, { 'server/main.js': `${OPEN}// end\n` })).open, []);
});

test('one more of what stood there is new, and so is another source', async (t) => {
  const again = `${OPEN}app.get('/again', (req, res) => {\n  exec(req.query.name);\n});\n`;
  const more = await judge(t, { 'app.js': OPEN }, { 'app.js': again });
  t.deepEqual(more.open, ['critical vuln-01 app.js:32']);
  const from = 'const value = req.query.name;\n  exec(value);';
  const base = OPEN.replace('exec(req.query.name);', from);
  const other = base.replace('req.query.name', 'req.body.name');
  const changed = await judge(t, { 'app.js': base }, { 'app.js': other });
  t.deepEqual(changed.open, ['critical vuln-01 app.js:8']);
});

test('a check that is added makes a milder finding, which is not new', async (t) => {
  const route = (check: string) =>
    `import { NAMES } from './names.js';\n${HEAD}app.get('/run/:name', (req, res) => {\n` +
    `  ${check}\n  exec(req.params.name);\n});\n`;
  const open = route('');
  const checked = route('if (!NAMES.test(req.params.name)) return;');
  const added = await judge(t, {}, { 'app.js': checked });
  t.deepEqual(added.open, ['high ast-command app.js:8']);
  const weaker = await judge(t, { 'app.js': open }, { 'app.js': checked });
  t.deepEqual(weaker.open, []);
  const undone = await judge(t, { 'app.js': checked }, { 'app.js': open });
  t.deepEqual(undone.open, ['critical vuln-01 app.js:8']);
});

test('a file that leaves the tests is judged as what it becomes', async (t) => {
  const { open } = await judge(t, { 'test/app.js': OPEN }, { 'app.js': `${OPEN}// end\n` });
  t.deepEqual(open, ['critical vuln-01 app.js:7']);
  const { open: back } = await judge(
    t,
    { 'app.js': OPEN, 'test/x.js': '' },
    { 'test/app.js': `${OPEN}// end\n`, 'test/x.js': '' },
  );
  t.deepEqual(back, []);
});

test('markers hold and secrets are hidden on lines that the diff does not show', async (t) => {
  const sink = '  exec(command, { key: "tok_12345678" });';
  const base = FAR.replace('  exec(command);', sink);
  const change = (text: string) =>
    text.replace('  res.end();\n', '  command = req.query.command;\n  res.end();\n');
  const plain = await judge(t, { 'test/a.js': base }, { 'test/a.js': change(base) });
  t.deepEqual(plain.open, ['medium ast-command test/a.js:312']);
  t.false(plain.excerpts.join('').includes('12345678'), plain.excerpts.join(' '));
  const marked = base.replace(sink, `${sink} // cra-ignore ast-*: a proxy filters it`);
  const quiet = await judge(t, { 'test/a.js': marked }, { 'test/a.js': change(marked) });
  t.deepEqual(quiet.suppressed, ['medium ast-command test/a.js:312']);
  t.deepEqual(quiet.open, ['info marker-used null:null']);
});

test('a script in markup and one without an ending are compared as wholes', async (t) => {
  const page = (source: string) =>
    `<script>\nlet text = ${source};\n</script>\n${'<p>text</p>\n'.repeat(60)}` +
    '<script>\ndocument.body.innerHTML = text;\n</script>\n';
  const pages = [{ 'a.html': page("'x'") }, { 'a.html': page('location.hash') }] as const;
  t.deepEqual((await judge(t, ...pages)).open, ['critical vuln-04 a.html:65']);
  const script = `#!/usr/bin/env node\n${GUARDED}`;
  const after = script.replace(/ {2}if .*\n/, '');
  const { open } = await judge(t, { run: script }, { run: after });
  t.deepEqual(open, ['critical vuln-01 run:50']);
});

const NOTE = 'low ast-hunks-only app.js:null';

test('what cannot be judged as a whole is judged by its hunks, and says so', async (t) => {
  const without = (text: string) => text.replace(/ {2}if .*\n/, '');
  const large = `${filler(20_000)}${GUARDED}`;
  const edited = without(large).replace('total += 0;', 'eval(location.hash);');
  const { open, byHunks } = await judge(t, { 'app.js': large }, { 'app.js': edited });
  t.deepEqual(byHunks, ['critical vuln-02 app.js:1']);
  t.deepEqual([...open].sort(), ['critical vuln-01 app.js:20049', ...byHunks, NOTE]);
  // One function with more than is parsed at once.
  const call = (index: number) => `total += [${index},\n${index}].length`;
  const calls = Array.from({ length: 20_000 }, (_, index) => call(index)).join(' +\n');
  const one = `${GUARDED}${calls};\n`;
  const changed = without(one).replace('[0,', 'eval(location.hash) + [0,');
  const whole = await judge(t, { 'app.js': one }, { 'app.js': changed });
  t.deepEqual(whole.open, [NOTE, 'critical vuln-02 app.js:52']);
  const broken = `${GUARDED}\nconst = ;\n`;
  const parts = await judge(t, { 'app.js': broken }, { 'app.js': without(broken) });
  t.deepEqual(parts.open, [NOTE]);
  const mended = await judge(t, { 'app.js': broken }, { 'app.js': without(GUARDED) });
  t.deepEqual(mended.open, [NOTE], 'nobody knows what the base had');
  for (const missing of ['base', 'head']) {
    const edit = (files: TreeFiles) => (files ?? []).filter(({ side }) => side !== missing);
    const unread = await judge(t, { 'app.js': GUARDED }, { 'app.js': without(GUARDED) }, { edit });
    t.deepEqual(unread.open, [NOTE]);
  }
});

test('past the bounds of a change its files are judged by their hunks', async (t) => {
  const { syntax } = gateTools();
  const costly: typeof syntax = {
    async inspect(input, options) {
      const { results, cpuMs } = await syntax.inspect(input, options);
      const work = AST_GATE.WHOLE_WORK_MAX;
      return { results: results.map((one) => ({ ...one, work })), cpuMs };
    },
  };
  const breaking: typeof syntax = {
    async inspect(input, options) {
      const isWhole = input.fragments.some(({ text }) => text.includes('app.get'));
      if (isWhole) throw new CraError('UNAVAILABLE', 'the child process ended');
      return syntax.inspect(input, options);
    },
  };
  const after = GUARDED.replace(/ {2}if .*\n/, '');
  for (const client of [costly, breaking]) {
    const options = { syntax: client };
    const { open } = await judge(t, { 'app.js': GUARDED }, { 'app.js': after }, options);
    t.deepEqual(open, [NOTE]);
  }
});

test('a version that was read before is not sent again, and counts as it did', async (t) => {
  const { syntax } = gateTools();
  const after = GUARDED.replace(/ {2}if .*\n/, '');
  for (const work of [1, AST_GATE.WHOLE_WORK_MAX]) {
    const sent: string[] = [];
    const client: typeof syntax = {
      async inspect(input, options) {
        sent.push(...input.fragments.map(({ text }) => text));
        const { results, cpuMs } = await syntax.inspect(input, options);
        return { results: results.map((one) => ({ ...one, work })), cpuMs };
      },
    };
    const change = (path: string) =>
      judge(t, { [path]: GUARDED }, { [path]: after }, { syntax: client });
    const first = await change('app.js');
    const wholes = () => sent.filter((text) => text === after || text === GUARDED).length;
    const before = wholes();
    t.true(before > 0);
    const second = await change('app.js');
    t.deepEqual(second.open, first.open);
    t.is(wholes(), before);
    await change('main.js');
    t.true(wholes() > before, 'the name of a file is part of what is found in it');
  }
});

test('files without a word of some sink in the new version are not parsed', async (t) => {
  const deaf = {
    inspect: async () => {
      throw new Error('nothing was to be parsed');
    },
  };
  const { open } = await judge(
    t,
    { 'app.js': GUARDED, 'b.js': 'let a = 1;\n' },
    { 'app.js': 'let total = 0;\n', 'b.js': 'let a = 2;\n' },
    { syntax: deaf },
  );
  t.deepEqual(open, []);
});

test('a version that differs in its first comments alone is not parsed', async (t) => {
  const { syntax } = gateTools();
  const parsed = async (path: string, before: string, after: string) => {
    let calls = 0;
    const client: typeof syntax = {
      inspect(input, options) {
        calls += 1;
        return syntax.inspect(input, options);
      },
    };
    const tools = { syntax: client };
    const { open } = await judge(t, { [path]: before }, { [path]: after }, tools);
    return { open, isParsed: calls > 0 };
  };
  const gap = '\n'.repeat(20);
  const js = `${gap}${OPEN}`;
  const py = `${gap}import os\nfrom flask import request\nos.system(request.args['a'])\n`;
  for (const [path, before, after] of [
    ['app.js', `// Copyright 2025\n${js}`, `// Copyright 2026 \u00a9\n// more\n${js}`],
    ['app.js', `/*\n * Copyright 2025\n */\n${js}`, `/*\n * Copyright 2026\n **/\n${js}`],
    ['app.js', `#!/usr/bin/env node\n${js}`, `#!/usr/bin/env node\n// Copyright\n${js}`],
    ['app.py', `#!/bin/python\n# 2025\n${py}`, `#!/bin/python\n# 2026\n${py}`],
  ] as const) {
    t.deepEqual(await parsed(path, before, after), { open: [], isParsed: false }, after);
  }
  for (const [path, before, after] of [
    ['app.js', `/* 2025 */\n${js}`, `/* 2026 */ exec(name);\n${js}`],
    ['app.js', `/* a\n// b */ exec(name);\n${js}`, `/* a */\n// b */ exec(name);\n${js}`],
    ['app.js', `// a\n${js}`, `// a\u2028exec(name);\n${js}`],
    ['app.js', `// a\n${js}`, `// a\rexec(name);\n${js}`],
    ['app.js', `x = \`\n// 2025\n\`;\n${js}`, `x = \`\n// 2026\n\`;\n${js}`],
    ['app.py', `# coding: utf-8\n${py}`, `# coding: utf-7\n${py}`],
    ['app.py', `"""\n# 2025\n"""\n${py}`, `"""\n# 2026\n"""\n${py}`],
  ] as const) {
    t.true((await parsed(path, before, after)).isParsed, after.slice(0, 40));
  }
});

const PICKED: readonly [string, string, string, string, string][] = [
  [
    'app.py',
    '# 2025\nimport os\nfrom flask import request\nfrom names import pick\nos.system(pick(request))\n',
    'names.py',
    "def pick(asked):\n    return 'a'\n",
    "def pick(asked):\n    return asked.args['name']\n",
  ],
  [
    'app.js',
    `// 2025\nimport { pick } from './names.js';\n${HEAD}app.get('/', (req) => exec(pick(req)));\n`,
    'names.js',
    "export const pick = (asked) => 'a';\n",
    'export const pick = (asked) => asked.query.name;\n',
  ],
];

for (const [path, text, helper, before, after] of PICKED) {
  test(`${path}: with other first comments, data that a changed file brings`, async (t) => {
    const { open } = await judge(
      t,
      { [path]: text, [helper]: before },
      { [path]: text.replace('2025', '2026'), [helper]: after },
    );
    t.is(open.join().replace(/:\d+$/, ''), `critical vuln-01 ${helper}`);
  });
}

test('the comment that a file begins with may be long', async (t) => {
  const comment = `/*${'* a\n'.repeat(900_000)}*/\n`;
  const { open } = await judge(
    t,
    { 'app.js': `${comment}let a = 1;\n` },
    { 'app.js': `// 2026\n${comment}let a = 1;\n` },
  );
  t.deepEqual(open, []);
});
