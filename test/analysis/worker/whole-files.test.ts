import test, { type ExecutionContext } from 'ava';
import { wantedFiles } from '../../../src/analysis/worker/gates.ts';
import { readChange } from '../../../src/cli/change.ts';
import { readClientSettings } from '../../../src/daemon/config/reader.ts';
import { AST_GATE } from '../../../src/gates/limits.ts';
import type { TreeFiles } from '../../../src/model/change.ts';
import { CraError } from '../../../src/model/errors.ts';
import { createRepository, ENVIRONMENT } from '../../cli/fixtures/repository.ts';
import { findingsOf, gateTools, type RunOptions } from './gates-run.ts';

/** Files of a commit, by path. */
type Files = Readonly<Record<string, string>>;

interface Judged {
  /** `severity id file:line`, of findings that are not suppressed. */
  open: string[];
  suppressed: string[];
  excerpts: string[];
  /** The same findings by the hunks alone. */
  byHunks: string[];
}

/** What gates 1 and 2 say of the second of two commits of a real repository. */
async function judge(
  t: ExecutionContext,
  before: Files,
  after: Files,
  options: RunOptions & { edit?: (files: TreeFiles) => TreeFiles } = {},
): Promise<Judged> {
  const { path, git, write, commit } = createRepository(t);
  commit('before', before);
  for (const name of Object.keys(before)) if (!(name in after)) git('rm', '--quiet', name);
  for (const [name, text] of Object.entries(after)) write(name, text);
  git('add', '.');
  const given = { repoName: null, branch: null, message: null };
  const settings = readClientSettings(ENVIRONMENT);
  const change = await readChange({ kind: 'staged', repo: path }, given, settings);
  const { diff } = change.request;
  const wants = wantedFiles(Buffer.from(diff), gateTools(options).rules);
  const read: TreeFiles = (await change.readFiles?.(wants)) ?? null;
  const { edit = (files: TreeFiles) => files } = options;
  const findings = await findingsOf(diff, { ...options, files: edit(read) });
  const short = (some: typeof findings) =>
    some.map(({ severity, id, file, line }) => `${severity} ${id} ${file}:${line}`);
  const hunks = await findingsOf(diff, { ...options, files: null });
  return {
    open: short(findings.filter(({ suppressed }) => suppressed === null)),
    suppressed: short(findings.filter(({ suppressed }) => suppressed !== null)),
    excerpts: findings.map(({ excerpt }) => excerpt ?? ''),
    byHunks: short(hunks),
  };
}

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
  const [open, checked] = [route(''), route('if (!NAMES.test(req.params.name)) return;')];
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
  t.deepEqual(open, [NOTE, ...byHunks]);
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

/** A build in one line, with names as a minifier draws them; `more` is written with them, too. */
function build(names: string, more: (names: string[]) => string = () => ''): string {
  const drawn = [...names];
  const [element, show, text, html] = drawn;
  return (
    `const ${element}=document.getElementById("a");let total=0;` +
    `${'total+=1;'.repeat(AST_GATE.LINE_BYTES_MAX / 8)}function ${show}(${text}){` +
    `const ${html}=${text}+"<br>";${element}.innerHTML=${html}}` +
    `${show}(location.hash.slice(1));${more(drawn)}\n`
  );
}

test('a minified file that is built again has nothing new: its names are drawn anew', async (t) => {
  const after = build('ztyx').replaceAll('total+=1;', 'total+=2;');
  const shorter = build('abcd').replaceAll('total+=1;total+=1;', 'total+=1;');
  for (const before of [build('abcd'), shorter]) {
    const { open, byHunks } = await judge(t, { 'app.js': before }, { 'app.js': after });
    t.deepEqual(byHunks, ['high ast-unparsed app.js:1']);
    t.deepEqual(open, []);
  }
});

/** What a build may bring besides other names, each of which is one finding. */
const BROUGHT: Readonly<Record<string, string>> = {
  'one more sink of the same form': build('ztyx', ([z]) => {
    return `function s(t){const y=t+"<br>";${z}.innerHTML=y}s(location.hash.slice(1));`;
  }),
  'another source': build('ztyx').replace('location.hash', 'location.search'),
  'another step': build('ztyx').replace('const x=y+"<br>"', 'const w=y+"<br>",x=w'),
  'another way to the same sink': build('ztyx').replace('=x}', '=x+y}'),
  'another sink': build('ztyx').replace('.innerHTML', '.outerHTML'),
  'a sink of another class': build('ztyx', ([, t]) => `${t}(eval(location.hash))`),
};

for (const [what, after] of Object.entries(BROUGHT)) {
  test(`in a minified file that is built again ${what} is new`, async (t) => {
    const { open } = await judge(t, { 'app.js': build('abcd') }, { 'app.js': after });
    t.is(open.length, 1);
    t.regex(open[0] ?? '', /^critical vuln-0[24] app\.js:1$/);
  });
}

test('what a check kept from a sink in a minified file is new once it is gone', async (t) => {
  const guarded = (names: string) =>
    build(names, ([element]) => {
      const check = 'if(!["a","b"].includes(location.search))throw 1;';
      return `${check}${element}.innerHTML=location.search;`;
    });
  const after = guarded('ztyx').replace(/if\(!.*?throw 1;/, '');
  const { open } = await judge(t, { 'app.js': guarded('abcd') }, { 'app.js': after });
  t.deepEqual(open, ['critical vuln-04 app.js:1']);
});

test('a text that becomes minified is one that nobody has read', async (t) => {
  const lines = build('abcd').replaceAll(';', ';\n');
  // A long line of data does not make a file one that nobody reads.
  const data = `const data="${'x'.repeat(AST_GATE.LINE_BYTES_MAX / 2)}";\n`;
  for (const before of [lines, data + lines]) {
    const { open } = await judge(t, { 'app.js': before }, { 'app.js': build('ztyx') });
    t.deepEqual(open, [NOTE, 'high ast-unparsed app.js:1']);
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

test('a build under another digest is a change of the one that it replaces', async (t) => {
  const after = build('ztyx').replaceAll('total+=1;', 'total+=2;');
  const more = build('ztyx', ([, show]) => `${show}(eval(location.search))`);
  for (const [old, path] of [
    ['static/app.4f3a9c1b.js', 'static/app.91c07d2e.js'],
    ['static/app-Bq3xK9_z.js', 'static/app-x0ZtR4sW.js'],
  ] as const) {
    const before = { [old]: build('abcd') };
    const same = await judge(t, before, { [path]: after });
    t.deepEqual(same.byHunks, [`high ast-unparsed ${path}:1`]);
    t.deepEqual(same.open, []);
    t.deepEqual((await judge(t, before, { [path]: more })).open, [`critical vuln-02 ${path}:1`]);
    const two = { ...before, [old.replace(/[43]/, '5')]: build('efgh') };
    t.deepEqual((await judge(t, two, { [path]: after })).open, same.byHunks);
  }
});

/** Lines of a small build, with room for a digit that makes versions unlike. */
const small = (flaw: string, version: number) =>
  `let total=0;${`total+=${version};`.repeat(200)}${flaw}\n`;
const FLAW = 'document.body.innerHTML=location.hash;';

const READ = `${FLAW}\n${'started();\n'.repeat(40)}`;

/** New files that replace no other: [what, name before, name after, text before, text after]. */
const UNRELATED: [string, string, string, string, string][] = [
  ['a word and a digit', 'app-internal1.js', 'app-customer2.js', small(FLAW, 1), small(FLAW, 2)],
  ['two words', 'app.internal-v1.js', 'app.external-v2.js', small(FLAW, 1), small(FLAW, 2)],
  ['a date', 'app-20240101.js', 'app-20250101.js', small(FLAW, 1), small(FLAW, 2)],
  ['hexadecimal letters', 'app-deadbeef.js', 'app-cafebabe.js', small(FLAW, 1), small(FLAW, 2)],
  ['too few characters', 'app.4f3a9c1.js', 'app.91c07d2.js', small(FLAW, 1), small(FLAW, 2)],
  [
    'a base that people read',
    'app.4f3a9c1b.js',
    'app.91c07d2e.js',
    READ,
    `${FLAW}\n${small('', 2)}`,
  ],
  [
    'a new text that people read',
    'app.4f3a9c1b.js',
    'app.91c07d2e.js',
    `${FLAW}\n${small('', 1)}`,
    READ,
  ],
];
for (const [what, old, path, before, after] of UNRELATED) {
  test(`a new file is no build of the one that is deleted: ${what}`, async (t) => {
    const { open, byHunks } = await judge(t, { [old]: before }, { [path]: after });
    t.deepEqual(open, [`critical vuln-04 ${path}:1`]);
    t.deepEqual(byHunks, open);
  });
}
