import test from 'ava';
import { createCancelFlag } from '../../../src/core/deadline.ts';
import { AST_GATE } from '../../../src/gates/limits.ts';
import { embeddedCode } from '../../../src/gates/syntax/fragments/embedded-code.ts';
import { inspectFragments } from '../../../src/gates/syntax/inspect.ts';
import { findHazard, findNamespacedMember } from '../../../src/gates/syntax/parse/hazard.ts';
import { createSyntaxService } from '../../../src/gates/syntax/syntax-service.ts';
import { connectInProcess } from '../../../src/rpc/channel.ts';
import { Syntax } from '../../../src/rpc/contract.ts';
import { createClient, createServer, implement } from '../../../src/rpc/service.ts';
import { collect, fragmentOf, inspect, KEY, newFile, short } from './code.ts';

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
  ["Astro's @else", 'a.astro', '<p>@else {<i/>, eval(b)}</p>', ['vuln-02 critical 1']],
  ["Astro's @if", 'a.astro', '<p>@if (x) {<i/> && eval(b)}</p>', ['vuln-02 critical 1']],
  ["MDX's @else", 'a.mdx', '<p>@else {<i/> && eval(b)}</p>', ['vuln-02 critical 1']],
  ["MDX's module", 'a.mdx', '# A\n\nexport const a = eval(b)\n\nText', ['vuln-02 critical 3']],
  ["MDX's expression", 'a.mdx', '# A\n\nText {eval(b)}', ['vuln-02 critical 3']],
  ["EJS's code", 'a.ejs', '<p>\n<% eval(b) %>', ['vuln-02 critical 2']],
  ["EJS's expression", 'a.ejs', '<p><%= eval(b) -%>', ['vuln-02 critical 1']],
  ["EJS's script", 'a.ejs', '<script>var a = <%- b %>; eval(a)</script>', ['vuln-02 critical 1']],
  ['prose', 'a.mdx', '# A\n\nCall eval(b) and `exec(a)`.\n\n```js\neval(b)\n```\n', []],
  ["Vue's markup of the program's own", 'a.vue', '<p v-html="text">', ['ast-xss medium 1']],
  ['a fixed handler', 'a.html', '<a onclick="eval(\'1\')" href="javascript:void(0)">eval(x)', []],
  ['a tag of a template', 'a.html', "<button>{% translate 'All JWT sessions' %}</button>", []],
  [
    'code between marks of a template in comments',
    'a.html',
    '<script>/*{%*/ eval(location.hash.slice(1)) /*%}*/</script>',
    ['vuln-02 critical 1'],
  ],
  [
    'code between marks of a template in texts',
    'a.html',
    '<script>\nx = ["{%", eval(location.hash.slice(1)), "%}"]\n</script>',
    ['vuln-02 critical 2'],
  ],
  [
    'values and conditions of a template in a script',
    'a.html',
    '<script>\nconst a = {% if b %}true{% else %}false{% endif %};\n' +
      'const c = { d: {{ _("x — y")|tojson }}, {# e #} f: {{ g if h else i }} };\n' +
      'const j = "{{ url_for("k", l="m") }}";\n{{ if .N }}exec(1);{{ end }}\neval(o)\n</script>',
    ['vuln-02 critical 6'],
  ],
  [
    'code between texts like marks beside marks of a template',
    'a.html',
    '<script>{% if a %}b = "{%"; eval(location.hash); "%}";{% endif %}</script>',
    ['vuln-02 critical 1'],
  ],
  [
    'data between texts like marks beside marks of a template',
    'a.html',
    '<script>\n{% if a %}b = "{{", c = location.hash, d = "}}"; eval(c){% endif %}\n</script>',
    ['vuln-02 critical 2'],
  ],
  [
    'a mark that holds a call',
    'a.html',
    '<script>\nconst a = {{ eval(location.hash) }}, b = 1;\n{% c %}\n</script>',
    ['vuln-02 critical 2'],
  ],
  [
    'code between lines like marks {{ }}',
    'a.html',
    '<script>\nvar k="innerHTML", c=location.hash, e=document.body;\n{% raw %}\nvar a = `{{`\ne[k] = c\nvar b = `}}`\n{% endraw %}\n</script>',
    ['vuln-04 critical 5'],
  ],
  [
    'code between lines like marks {# #}',
    'a.html',
    '<script>\nvar k="innerHTML", c=location.hash, e=document.body;\n{% raw %}\nvar a = `{#`\ne[k] = c\nvar b = `#}`\n{% endraw %}\n</script>',
    ['vuln-04 critical 5'],
  ],
  [
    'code between lines like marks {% %}',
    'a.html',
    '<script>\nvar k="innerHTML", c=location.hash, e=document.body;\n{% raw %}\nvar a = `{%`\ne[k] = c\nvar b = `%}`\n{% endraw %}\n</script>',
    ['vuln-04 critical 5'],
  ],
  [
    'code between texts like marks of one line',
    'a.html',
    '<script>\nvar k="innerHTML", c=location.hash, e=document.body;\n{% raw %}\nvar a = "{{ a", z = e[k] = c, b = "b }}"\n{% endraw %}\n</script>',
    ['vuln-04 critical 4'],
  ],
  [
    'a sink by another name between lines like marks',
    'a.html',
    '<script>\nvar k="innerHTML", c=location.hash, e=document.body;\nf = eval\n{% raw %}\nvar a = `{{`\nf(c)\nvar b = `}}`\n{% endraw %}\n</script>',
    ['vuln-02 critical 6'],
  ],
  [
    'data between texts like marks',
    'a.html',
    '<script>\nvar k="innerHTML", c=location.hash, e=document.body;\n{% raw %}\nvar x = ["{{", c, "}}"]\n{% endraw %}\neval(x[1])\n</script>',
    ['vuln-02 critical 6'],
  ],
  ['a handler of nothing', 'a.vue', '<a @click="save(a)" :href="b" title="eval(c)">', []],
];
for (const [what, path, text, expected] of HANDLERS) {
  test(`collectFragments takes the code of markup: ${what}`, (t) => {
    t.deepEqual(look(newFile(path, text)), expected);
  });
}

/** Expressions of markup with braces within: [path, text of a new file, lines of findings]. */
const NESTED: [string, string, string][] = [
  ['a.svelte', '{eval(b, {})}\n{#if eval(b)}{:else if eval(c)}', '1 2 2'],
  ['a.svelte', '{#each eval(b) as c, d (e)}\n{@const {f} = eval(b)}', '1 2'],
  ['a.svelte', '<p>{{a: {b: eval(c)}}}\n{{{eval(c)}}}', '1 2'],
  ['a.svelte', `{@html \`<b>\${location.hash}</b>\`}`, '1'],
  ['a.svelte', '<p>{@html\n a({}) + location.hash}\n{eval(b)}', '1 3'],
  ['a.astro', '{a && <p b={c}>{a(eval(b), {\n c: {} })}</p>}\n{eval(b)}', '1 3'],
  ['a.astro', '<p a="{" b={eval(c)} d="}">', '1'],
  ['a.mdx', 'Text {a(() => {\n  const c = b;\n  return eval(c) })}', '3'],
  ['a.mdx', "A `{` {eval(b)} `}` {'{'} {eval(b)} {'}'}", '1 1'],
  ['a.mdx', 'A <!-- { --> {eval(b)} <!-- } --> \\{ {eval(b)} \\}', '1 1'],
  ['a.mdx', `{a("b",\n {}, \`\${eval(b)}\`)}`, '2'],
  ['a.vue', '<p>{{ a({ b: eval(c) }) }}', '1'],
];
for (const [path, text, lines] of NESTED) {
  test(`collectFragments takes the code within braces of ${path}: ${JSON.stringify(text)}`, (t) => {
    const found = look(newFile(path, text)).map((finding) => / critical (.*)/.exec(finding)?.[1]);
    t.is(found.join(' '), lines);
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
  const [finding] = (await inspectFragments(input)).findings;
  t.is(finding?.excerpt, '<a title="b" onclick="eval(c)">d</a>');
  t.is(finding?.line, 2);
});

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

type Form = (count: number) => string;

function nest(open: string, inner: string, close: string): Form {
  return (count) => open.repeat(count) + inner + close.repeat(count);
}

/** Nesting with which @swc/core 1.16 ends its process at some size: a crash of its stack. */
const CRASHES: Record<string, Form> = {
  parentheses: nest('(', '1', ')'),
  arrays: nest('[', '', ']'),
  blocks: nest('{', '', '}'),
  objects: (count) => `x=${nest('{a:', '1', '}')(count)}`,
  unary: nest('!', '1', ''),
  ternary: (count) => `x=${nest('a?b:', 'c', '')(count)}`,
  ifs: nest('if(a)', ';', ''),
  'else if': (count) => `if(a);${nest('else if(a);', '', '')(count)}`,
  arrows: (count) => `x=${nest('a=>', '1', '')(count)}`,
  calls: (count) => `f${'()'.repeat(count)}`,
  members: (count) => `a${'.b'.repeat(count)}`,
  plus: (count) => `x=1${'+1'.repeat(count)}`,
  power: (count) => `x=1${'**1'.repeat(count)}`,
  assignments: nest('a=', '1', ''),
  templates: (count) => `x=${nest('`$' + '{', '1', '}`')(count)}`,
  elements: (count) => `x=${nest('<a>', '', '</a>')(count)}`,
  types: (count) => `type T=${nest('A<', 'A', '>')(count)}`,
  news: nest('new ', 'a', ''),
  awaits: nest('await ', 'a', ''),
  functions: nest('function f(){', '', '}'),
  labels: (count) => `${Array.from({ length: count }, (_, index) => `l${index}:`).join('')};`,
  'open parentheses': nest('(', '', ''),
  'open types': (count) => `let a:${'('.repeat(count)}`,
  'less than': (count) => `x=${'a<'.repeat(count)}`,
  indexes: (count) => `a${'[0]'.repeat(count)}`,
  'tagged templates': (count) => `x=a${'``'.repeat(count)}`,
  whiles: nest('while(a)', ';', ''),
  dos: (count) => `${'do '.repeat(count)};${'while(a);'.repeat(count)}`,
  'optional members': (count) => `a${'?.b'.repeat(count)}`,
  'function types': (count) => `type T=${'()=>'.repeat(count)}A`,
  'conditional types': (count) => `type T=${'A extends B?C:'.repeat(count)}D`,
  keyof: (count) => `type T=${'keyof '.repeat(count)}A`,
  casts: (count) => `x=${'<A>'.repeat(count)}a`,
  'generic arrows': (count) => `x=${'<T>()=>'.repeat(count)}1`,
  'template types': (count) => `type T=${nest('`$' + '{', 'A', '}`')(count)}`,
  patterns: (count) => `let ${nest('{a:', 'b', '}')(count)}=c`,
  imports: nest('import(', 'a', ')'),
  // Something is put behind the text that ends all of them.
  'open ternaries': (count) => `x=${'a?'.repeat(count)}b`,
  'open type arguments': (count) => `let x: ${'A<'.repeat(count)}B`,
  // Something is put before the text that opens all of them.
  'stray braces': nest('', '', '}\n'),
  'stray parentheses': nest('', '', ')\n'),
  'stray ends of functions': nest('', '', '  })\n'),
  'stray ends of lists': nest('', 'a', ']\n'),
  'stray ends of elements': nest('', '', '</a>\n'),
};
const SIZES = [20, 100, 300, 650, 1_000, 4_000, 50_000];
/** Sizes at which every one of them must be stopped: half of what the stack bears. */
const STOPPED_FROM = 4_000;

for (const [name, form] of Object.entries(CRASHES)) {
  test(`findHazard stops ${name} before the parser dies of them`, (t) => {
    for (const size of SIZES) {
      for (const text of [form(size), form(size).replace(/([^\w\s])/g, '$1\n')]) {
        const code = `${text}\nexec(x)\n`;
        const stopped = findHazard(code, true) !== null && findHazard(code, false) !== null;
        if (size >= STOPPED_FROM) t.true(stopped, `${size}`);
        else if (!stopped && size <= 650 && text === form(size)) survives(code, t.pass);
      }
    }
  });
}

/** The guards let it through, so the parser of this very process must survive it. */
function survives(code: string, pass: () => void): void {
  for (const path of ['a.js', 'a.ts', 'a.tsx']) {
    const isJsx = path !== 'a.ts';
    if (findHazard(code, isJsx) === null) inspect(fragmentOf(code, { path }));
  }
  pass();
}

/** Nesting for which the parser's time doubles with every level. */
const EXPONENTIAL: Record<string, Form> = {
  'classes in extends': (count) => `x=${'class extends '.repeat(count)}A${'{}'.repeat(count)}`,
  'classes in functions in extends': nest('class A extends function(){throw ', '1', '}{}'),
  'generic parentheses': (count) => `x=${nest('<T>(', 'a', ')')(count)}`,
  'conditional arrows': (count) => `x=${'a?(b):c=>'.repeat(count)}d`,
  'defaults with less-than': (count) => `x=${'(a=a<'.repeat(count)}b`,
  'defaults in patterns': (count) => `x=${'({a=f<'.repeat(count)}b`,
  'casts in functions': (count) => `x=${nest('<T>function(){return ', '1', '}')(count)}`,
};
test('inspect survives as many stray closers as the guards let through', (t) => {
  const { BRACKET_DEPTH_MAX } = AST_GATE;
  for (const [closer, size] of [
    ['}\n', 1],
    [')\n', 1],
    ['})\n', 2],
    [']\n', 1],
  ] as const) {
    const text = `exec(a)\n${closer.repeat(Math.floor(BRACKET_DEPTH_MAX / size) - 2)}${'(['.repeat(100)}`;
    survives(text, t.pass);
    t.is(findHazard(text, false), null);
  }
});

test('inspect reports type arguments that close too often as ast-unparsed, high', (t) => {
  const { findings } = inspect(fragmentOf(`exec(a)\n${'b\n>\n'.repeat(2_000)}`));
  t.true(findings.some(({ id, severity }) => id === 'ast-unparsed' && severity === 'high'));
});

for (const [name, form] of Object.entries(EXPONENTIAL)) {
  test(`findHazard stops ${name}, which take exponential time`, (t) => {
    for (const size of [20, 60, 200]) t.not(findHazard(`${form(size)}\nexec(x)`, false), null);
  });
}

/** JSX that makes @swc/core 1.16 abort. */
const ABORTS = [
  'x=<a:b.c/>',
  'x = < a : b . c />',
  'x=<a/**/:b/* c */./**/c/>',
  'x=<a//\n:b.c/>',
  'x=<a\n:\nb\n.\nc/>',
  'x=<é:b.c/>',
  'x=<\\u0061:b.c/>',
  'x=<a-b:c-d.e/>',
  'x=<a></a:b.c>',
  'return <a:b.c/>',
  'f(<a:b.c',
  'a < b ? c : d.e\nx=<a:b.c/>',
];
for (const code of ABORTS) {
  test(`findHazard stops ${JSON.stringify(code)} where JSX is read`, (t) => {
    t.not(findHazard(code, true), null);
    t.not(findNamespacedMember(code, false), null);
  });
}

test('inspect parses what only looks like such JSX', (t) => {
  const codes = ['switch(a){case b<c: d.e()}', 'x = a ? b<c:d.e', 'x = y ? a < b : c.d'];
  for (const code of codes.slice(0, 1)) {
    t.is(findHazard(code, true), null);
    t.deepEqual(inspect(fragmentOf(`${code}\neval(z)`, { path: 'a.js' })).unparsed, []);
  }
  t.is(findHazard('const r = y ? a < b : c.d', true), null);
  t.is(findHazard('<p>{a < b ? c : d.e}</p>', true), null);
});

test('inspect parses a string that reads like such JSX, and no such JSX beside it', (t) => {
  const link = "headers.Link = '</css/a.css>; as=style, <https://img.acme.com>; rel=preconnect'";
  t.is(findHazard(link, true), null);
  const { findings, unparsed } = inspect(fragmentOf(`${link}\neval(z)`, { path: 'a.js' }));
  t.deepEqual([findings.map(short), unparsed], [['vuln-02 critical 2'], []]);
  t.not(findHazard(`${link}\nx=<a:b.c/>`, true), null);
});

/** Ordinary code, however large, is not a hazard. */
const ORDINARY: Record<string, string> = {
  'many statements without semicolons': 'a.b.c = d + e * f\n'.repeat(3_000),
  'many statements on one line': 'a.b=c+d;'.repeat(3_000),
  'a long list': `x = [${'a.b + c, '.repeat(3_000)}]`,
  'a long object': `x = {${'a: b.c - d,\n'.repeat(3_000)}}`,
  'many functions': 'function f(a, b) {\n  return a < b\n}\n'.repeat(2_000),
  'many generics': 'const a: Array<Map<string, Set<B>>> = new C<D>()\n'.repeat(1_000),
  'many conditions': 'if (a < b) { c() } else if (d > e) { f() }\n'.repeat(2_000),
  'many classes': 'class A extends B {\n  c = 1\n}\n'.repeat(1_000),
  'siblings of JSX': `x = <ul>${'<li a="b" c={d}>It\'s (e</li>\n'.repeat(2_000)}</ul>`,
  'typed JSX': 'x = (<A<B | null> c={(d) => e} />);\n'.repeat(300),
  'a long promise chain': `x${'\n  .then((a) => b(a))'.repeat(300)}`,
  'a long text': `x = 'a'${" +\n  'b'".repeat(500)}`,
  'ternary arrows': 'const a =\n  b\n    ? (): C => d\n    : (): C => e\n'.repeat(200),
  'generic arrows': 'export const a = <T,>(b: T) => <U,>(c: U) => d(b, c)\n'.repeat(200),
};
for (const [name, code] of Object.entries(ORDINARY)) {
  test(`findHazard lets ${name} pass`, (t) => {
    t.is(findHazard(code, true), null);
    if (!code.includes('</') && !code.includes('/>')) t.is(findHazard(code, false), null);
  });
}

test('findHazard is linear on text made to be read again and again', (t) => {
  // A quadratic scan of any of these would take longer than the test may.
  for (const bit of ["'\\'", '/[', '</*', '<a "', '`$', '<a.b:', '((', '{a<', '*/', '<a']) {
    findHazard(bit.repeat(Math.floor(2_000_000 / bit.length)), true);
    findNamespacedMember(bit.repeat(Math.floor(2_000_000 / bit.length)), false);
  }
  t.pass();
});
