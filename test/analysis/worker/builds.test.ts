import test from 'ava';
import { parseDiff } from '../../../src/diff/parse.ts';
import { AST_GATE } from '../../../src/gates/limits.ts';
import { wantedForSyntax } from '../../../src/gates/syntax/whole-files.ts';
import { gateTools } from './gates-run.ts';
import { judge } from './judge-commits.ts';

const NOTE = 'low ast-hunks-only app.js:null';

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

test('a minified file that is built again has nothing new: its names are drawn again', async (t) => {
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

test('a text that becomes minified counts as unread', async (t) => {
  const lines = build('abcd').replaceAll(';', ';\n');
  // A long line of data does not make a file one that nobody reads.
  const data = `const data="${'x'.repeat(AST_GATE.LINE_BYTES_MAX / 2)}";\n`;
  for (const before of [lines, data + lines]) {
    const { open } = await judge(t, { 'app.js': before }, { 'app.js': build('ztyx') });
    t.deepEqual(open, [NOTE, 'high ast-unparsed app.js:1']);
  }
});

test('a build under another digest is a change of the build before', async (t) => {
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

/** A change of one line of a file that people read, which exposes what stands far below. */
const [READ_BEFORE, READ_AFTER] = ['"x"', 'location.hash'].map(
  (source) =>
    `let text = ${source};\n${'started();\n'.repeat(40)}document.body.innerHTML = text;\n`,
) as [string, string];

test('builds under other digests do not use up the bounds of files that people changed', async (t) => {
  const { syntax } = gateTools();
  // The first version that is parsed uses up all.
  const costly: typeof syntax = {
    async inspect(input, options) {
      const { results, cpuMs } = await syntax.inspect(input, options);
      const work = AST_GATE.WHOLE_WORK_MAX / 2;
      return { results: results.map((one) => ({ ...one, work })), cpuMs };
    },
  };
  const names = ['4f3a9c1b', '91c07d2e'].map((digest) => [0, 1].map((n) => `a/${n}.${digest}.js`));
  const files = (version: number, text: string) => ({
    ...Object.fromEntries((names[version] ?? []).map((name) => [name, small(FLAW, version)])),
    'src/app.js': text,
  });
  const options = { syntax: costly };
  const { open } = await judge(t, files(0, READ_BEFORE), files(1, READ_AFTER), options);
  t.true(open.includes('critical vuln-04 src/app.js:42'), open.join());
  t.deepEqual(
    open.filter((one) => one.includes('ast-hunks-only')),
    [],
  );
});

test('files that people changed are asked for before builds under other digests', (t) => {
  const pairs = Array.from({ length: AST_GATE.WHOLE_FILES_MAX }, (_, n) => {
    const digest = (letter: string) => `a/${n}.${letter}${String(n).padStart(7, '0')}.js`;
    const old = digest('a');
    const fresh = digest('b');
    return (
      `diff --git a/${old} b/${old}\ndeleted file mode 100644\n--- a/${old}\n+++ /dev/null\n@@ -1 +0,0 @@\n-a()\n` +
      `diff --git a/${fresh} b/${fresh}\nnew file mode 100644\n--- /dev/null\n+++ b/${fresh}\n@@ -0,0 +1 @@\n+b()\n`
    );
  });
  const own = 'diff --git a/z.js b/z.js\n--- a/z.js\n+++ b/z.js\n@@ -1 +1 @@\n-a()\n+b()\n';
  const wanted = wantedForSyntax(parseDiff(Buffer.from(pairs.join('') + own)).files);
  t.is(wanted.length, 2 * AST_GATE.WHOLE_FILES_MAX);
  t.deepEqual(
    wanted.slice(0, 2).map(({ path }) => path),
    ['z.js', 'z.js'],
  );
});
