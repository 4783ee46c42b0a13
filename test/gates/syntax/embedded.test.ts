import test from 'ava';
import { createCancelFlag } from '../../../src/core/cancel-flag.ts';
import { dialectOf } from '../../../src/gates/syntax/dialect.ts';
import { embeddedCode } from '../../../src/gates/syntax/embedded.ts';
import { inspectFragments } from '../../../src/gates/syntax/inspect.ts';
import { createSyntaxService } from '../../../src/gates/syntax/syntax-service.ts';
import { createClient } from '../../../src/rpc/client.ts';
import { Syntax } from '../../../src/rpc/contract.ts';
import { connectInProcess } from '../../../src/rpc/in-process.ts';
import { createServer, implement } from '../../../src/rpc/server.ts';
import { collect, inspect, KEY, newFile, short } from './code.ts';

/** What the gate says of a diff, guards and all. */
function look(diff: string): string[] {
  const { fragments, unparsed } = collect(diff);
  const found = fragments.flatMap((fragment) => inspect(fragment).findings);
  return [...unparsed, ...found].map(short);
}

/** A hunk in the middle of a file, all of whose lines are added. */
function hunk(path: string, text: string): string {
  const lines = text.split('\n');
  const body = lines.map((line) => `+${line}\n`).join('');
  return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -50,0 +50,${lines.length} @@\n${body}`;
}

/** Hunks that begin in markup: [what, path, text]. Nothing of them is code. */
const MARKUP: [string, string, string][] = [
  [
    'elements within each other before a script',
    'a.html',
    '<h2>Linked <a href="x">src</a></h2>\n<pre class="hmr"></pre>\n<p class="css"></p>\n' +
      '<ul><li><b>exec</b></li></ul>\n<script type="module">\nimport a from "a";\n',
  ],
  [
    'links and words that are sinks elsewhere',
    'docs/a.html',
    '<li><a href="http://a.example/issues">Issue eval</a></li>\n' +
      '<li>for <a href=docs/#s>cookies</a> (exec)\n<dd><input type="text" name="eval" size="30">\n',
  ],
  [
    'a component',
    'a.vue',
    '    <p class="a">\n      <b>eval</b>\n    </p>\n  </div>\n</template>\n',
  ],
];
for (const [what, path, text] of MARKUP) {
  test(`collectFragments does not take markup before the first script for code: ${what}`, (t) => {
    t.deepEqual(
      look(hunk(path, text)).filter((finding) => !finding.includes(' low ')),
      [],
    );
  });
}

/** Code in such files: [what, path, text, findings]. */
const CODE: [string, string, string, string[]][] = [
  ['the rest of a script', 'a.html', 'eval(a)\n</script>\n<p>', ['vuln-02 critical 50']],
  ['no tag at all', 'a.html', 'b()\neval(a)', ['vuln-02 critical 51']],
  ['a tag in a text', 'a.html', 'eval(a); b = "<script>"\nc()', ['vuln-02 critical 50']],
  [
    'a script of data in a text',
    'a.html',
    'b = "<script type=\'text/html\'>"\neval(a)',
    ['vuln-02 critical 51'],
  ],
  [
    'a script of data in a template',
    'a.html',
    'b = `\n<script type="text/html">\n`; eval(a)',
    ['vuln-02 critical 52'],
  ],
  ['a hole in a template', 'a.html', `b = \`\n<p>\${eval(a)}</p>\n\``, ['vuln-02 critical 51']],
  ['what may be a comparison', 'a.html', 'b = c\n<b>eval(a)', ['ast-unparsed high 51']],
  ['a regular expression', 'a.html', 'b = c\n<b>eval(a)</b>/d', ['ast-unparsed high 51']],
  ['a type parameter', 'a.vue', 'b = c\n<const T = "x">(d) => eval(d)', ['ast-unparsed high 51']],
];
for (const [what, path, text, expected] of CODE) {
  test(`collectFragments takes what may be code before the first tag for code: ${what}`, (t) => {
    t.deepEqual(look(hunk(path, text)), expected);
  });
}

/** Code that markup runs: [what, path, text of a new file, findings]. */
const HANDLERS: [string, string, string, string[]][] = [
  ['a handler', 'a.html', '<p>\n<a onclick="eval(b.value)">', ['vuln-02 critical 2']],
  ['a handler that returns', 'a.html', "<a onclick='return eval(b)'>", ['vuln-02 critical 1']],
  ['a handler without quotes', 'a.html', '<body onload=eval(name)>', ['vuln-02 critical 1']],
  ['a handler in entities', 'a.html', '<a onclick="&#101;val(b)">', ['vuln-02 critical 1']],
  ['an address', 'a.html', '<a href="javascript:eval(b)">', ['vuln-02 critical 1']],
  ['an odd address', 'a.html', '<a href=" JaVa&Tab;script:eval(b)">', ['vuln-02 critical 1']],
  ['a handler on lines', 'a.html', '<a\n onclick="\n b()\n eval(c)"\n>', ['vuln-02 critical 4']],
  ["Vue's event", 'a.vue', '<a @click.stop="eval(b)">', ['vuln-02 critical 1']],
  ["Vue's long event", 'a.vue', '<a v-on:click="eval(b)">', ['vuln-02 critical 1']],
  ["Vue's binding", 'a.vue', '<a :title="eval(b)">', ['vuln-02 critical 1']],
  ["Vue's markup", 'a.vue', '<p v-html="location.hash">', ['vuln-04 critical 1']],
  ["Vue's expression", 'a.vue', '<p>{{ eval(b) }}', ['vuln-02 critical 1']],
  ["Svelte's event", 'a.svelte', '<a on:click={() => eval(b)}>', ['vuln-02 critical 1']],
  ["Svelte's markup", 'a.svelte', '<p>{@html location.hash}', ['vuln-04 critical 1']],
  ["Astro's own code", 'a.astro', '---\nconst a = eval(b)\n---\n<p>{a}', ['vuln-02 critical 2']],
  ["Astro's expression", 'a.astro', '---\n---\n<p>{eval(b)}</p>', ['vuln-02 critical 3']],
  ["Astro's script", 'a.astro', '---\n---\n<script>eval(b)</script>', ['vuln-02 critical 3']],
  ["MDX's module", 'a.mdx', '# A\n\nexport const a = eval(b)\n\nText', ['vuln-02 critical 3']],
  ["MDX's expression", 'a.mdx', '# A\n\nText {eval(b)}', ['vuln-02 critical 3']],
  ["EJS's code", 'a.ejs', '<p>\n<% eval(b) %>', ['vuln-02 critical 2']],
  ["EJS's expression", 'a.ejs', '<p><%= eval(b) -%>', ['vuln-02 critical 1']],
  ["EJS's script", 'a.ejs', '<script>var a = <%- b %>; eval(a)</script>', ['vuln-02 critical 1']],
  ['prose', 'a.mdx', '# A\n\nCall eval(b) and `exec(a)`.\n\n```js\neval(b)\n```\n', []],
  ["Vue's markup of the program's own", 'a.vue', '<p v-html="text">', ['ast-xss medium 1']],
  ['a fixed handler', 'a.html', '<a onclick="eval(\'1\')" href="javascript:void(0)">eval(x)', []],
  ['a handler of nothing', 'a.vue', '<a @click="save(a)" :href="b" title="eval(c)">', []],
];
for (const [what, path, text, expected] of HANDLERS) {
  test(`collectFragments takes the code of markup: ${what}`, (t) => {
    t.deepEqual(look(newFile(path, text)), expected);
  });
}

test('inspectFragments shows the line of the file where code was taken out of markup', async (t) => {
  const text = '<p>\n  <a title="b" onclick="eval(c)">d</a>\n';
  const client = createClient(
    Syntax,
    connectInProcess(createServer([implement(Syntax, createSyntaxService())])),
  );
  const collected = collect(newFile('a.html', text));
  const cancel = createCancelFlag();
  const input = { ...collected, client, fingerprintKey: KEY, cancel };
  const [finding] = await inspectFragments(input);
  t.is(finding?.excerpt, '<a title="b" onclick="eval(c)">d</a>');
  t.is(finding?.line, 2);
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

test('collectFragments reads files by names with blanks and quotes', (t) => {
  const head = 'diff --git "a/x\\303\\244.js " "b/x\\303\\244.js "\n';
  const names = '--- "a/x\\303\\244.js "\n+++ "b/x\\303\\244.js "\n';
  t.deepEqual(look(`${head}${names}@@ -1,0 +1,1 @@\n+eval(a)\n`), ['vuln-02 critical 1']);
  t.deepEqual(look('--- a/x.js \n+++ b/x.js \n@@ -1,0 +1,1 @@\n+eval(a)\n'), [
    'vuln-02 critical 1',
  ]);
});

/** First lines: [line, whether it names an engine]. */
const SHEBANGS: [string, boolean][] = [
  ['#!/usr/bin/env node', true],
  ['#!/usr/bin/env -S node --no-warnings', true],
  ['#!/usr/local/bin/node', true],
  ['#!/usr/bin/env -S deno run -A', true],
  ['#!/usr/bin/env bun', true],
  ['#!/bin/sh', false],
  ['# node', false],
];
for (const [line, expected] of SHEBANGS) {
  test(`collectFragments ${expected ? 'reads' : 'leaves'} a file that begins with ${line}`, (t) => {
    const found = look(newFile('bin/run', `${line}\neval(a)\nconst b: string = c`));
    t.deepEqual(found, expected ? ['vuln-02 critical 2'] : []);
  });
}

test('collectFragments reads later hunks of a file that its first line makes a script', (t) => {
  const diff =
    'diff --git a/run b/run\n--- a/run\n+++ b/run\n@@ -1,1 +1,2 @@\n #!/usr/bin/env node\n+a()\n' +
    '@@ -50,1 +51,2 @@\n b()\n+eval(c)\n';
  t.deepEqual(look(diff), ['vuln-02 critical 52']);
});

/** Text made to cost more than its length: [what, path, one piece of it]. */
const HOSTILE: [string, string, string][] = [
  ['tags in code', 'a.html', 'x <script '],
  ['scripts of data', 'a.html', '<script type="text/html">\n'],
  ['attributes without an end', 'a.html', " onx=\"' onx=' "],
  ['braces', 'a.svelte', ' on:x={ {{ {a '],
  ['elements', 'a.vue', '<b><a :b="c" '],
  ['EJS', 'a.ejs', '<%= a <% '],
  ['fences', 'a.astro', '---\n'],
  ['paragraphs', 'a.mdx', '```\n\n'],
  ['references', 'a.html', ' onx="&#101;&#x65&quot" '],
];
for (const [what, path, piece] of HOSTILE) {
  test(`embeddedCode takes a hostile megabyte in its stride: ${what}`, (t) => {
    const text = `eval(a)\n${piece.repeat(Math.ceil(1_000_000 / piece.length))}`;
    for (const isStart of [true, false]) {
      const { code } = embeddedCode(path, text, isStart);
      t.is(code.split('\n').length, text.split('\n').length);
    }
  });
}
