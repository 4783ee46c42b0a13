import test from 'ava';
import { findHazard, findNamespacedMember } from '../../../src/gates/syntax/hazard.ts';
import { AST_GATE } from '../../../src/limits.ts';
import { fragmentOf, inspect } from './code.ts';

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

/** Ordinary code, however large, is no hazard. */
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
