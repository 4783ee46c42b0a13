import test from 'ava';
import { AST_GATE } from '../../../src/gates/limits.ts';
import type { FragmentResult } from '../../../src/rpc/contract.ts';
import { someOf } from '../../some-cases.ts';
import { fragmentOf, inspectTree } from './code.ts';

/**
 * Flows that hide behind a bound of the engine: so many harmless things stand before the harmful
 * one that what is kept of them is full. Each is found, or a finding says that something was cut
 * off; the twin without the harmful one says nothing of a flow.
 */

const HEAD = 'import jakarta.servlet.http.*;\nimport java.io.*;\nimport java.util.*;\n';
const DATA = 'r.getParameter("q")';

/** The body of a method that serves a request, with other members of its class. */
function servlet(body: string, members = ''): string {
  return `${HEAD}class A {\nvoid h(HttpServletRequest r, boolean[] c, String[] o) throws Exception {\n${body}\n}\n${members}\n}\n`;
}

function repeat(count: number, line: (n: number) => string): string {
  return [...Array(count).keys()].map(line).join('\n');
}

/** Any of these, by conditions that nobody knows. */
function anyOf(count: number, value: (n: number) => string, last: string): string {
  return `${repeat(count, (n) => `if (c[${n}]) x = ${value(n)}; else`)} x = ${last};`;
}

const SINK = 'new FileReader(x);';

interface Attack {
  readonly name: string;
  /** `harm`: the harmful expression. */
  readonly code: (harm: string) => string;
  /** What stands for it in the twin. */
  readonly harmless?: string;
}

const ATTACKS: readonly Attack[] = [
  {
    name: 'the fifth origin, of which the check says nothing',
    code: (harm) =>
      servlet(
        `String ${repeat(4, (n) => `p${n} = r.getParameter("p${n}")`).replaceAll('\n', ', ')};
String p4 = ${harm};
String x; ${anyOf(4, (n) => `p${n}`, 'p4')}
if (${repeat(4, (n) => `p${n}.matches("[a-z]+")`).replaceAll('\n', ' && ')}) ${SINK}`,
      ),
  },
  {
    name: 'the twelfth origin',
    code: (harm) =>
      servlet(
        `String ${repeat(11, (n) => `p${n} = r.getParameter("p${n}")`).replaceAll('\n', ', ')};
String p11 = ${harm};
String x; ${anyOf(11, (n) => `p${n}`, 'p11')}
if (${repeat(11, (n) => `p${n}.matches("[a-z]+")`).replaceAll('\n', ' && ')}) ${SINK}`,
      ),
  },
  {
    name: 'origins that are safe for more uses, but not for this one',
    code: (harm) =>
      servlet(
        `String x; ${anyOf(6, (n) => `new File(r.getParameter("p${n}")).getName()`, harm)} ${SINK}`,
      ),
  },
  {
    name: 'a parameter behind origins in a function that calls itself',
    code: (harm) =>
      servlet(
        `f(${harm}, r, c, 3);`,
        `void f(String p, HttpServletRequest r, boolean[] c, int n) throws Exception {
String x; ${anyOf(6, (n) => `new File(r.getParameter("p${n}")).getName()`, 'p')}
if (n > 0) f(p, r, c, n - 1); ${SINK} }`,
      ),
  },
  {
    name: 'the sixth constant',
    code: (harm) =>
      servlet(
        `String k; String x = "a"; ${repeat(6, (n) => `if (c[${n}]) k = "k${n}"; else`)} k = "z";
if (k.equals("z")) x = ${harm}; ${SINK}`,
      ),
  },
  {
    name: 'a branch that the end of a long constant chooses',
    code: (harm) =>
      servlet(
        `String k = "${'a'.repeat(5000)}z"; if (k.endsWith("z")) { String x = ${harm}; ${SINK} }`,
      ),
  },
  {
    name: 'a branch that the length of a long constant chooses',
    code: (harm) =>
      servlet(
        `String k = "${'a'.repeat(5000)}z"; if (k.length() == 5001) { String x = ${harm}; ${SINK} }`,
      ),
  },
  {
    name: 'a long constant that is put together chooses a branch',
    code: (harm) =>
      servlet(
        `String k = ${repeat(50, () => `"${'a'.repeat(100)}"`).replaceAll('\n', ' + ')} + "z"; if (k.endsWith("z")) { String x = ${harm}; ${SINK} }`,
      ),
  },
  {
    name: 'the last of twelve objects',
    code: (harm) =>
      servlet(
        `I i; ${repeat(11, (n) => `if (c[${n}]) i = new C${n}(); else`)} i = new C11(); i.run(${harm});`,
        `interface I { void run(String x); }
${repeat(11, (n) => `class C${n} implements I { public void run(String x) { log("${n}"); } }`)}
class C11 implements I { public void run(String x) { ${SINK} } }`,
      ),
  },
  {
    name: 'the last of twelve implementations',
    code: (harm) =>
      servlet(
        `i.run(${harm});`,
        `I i; interface I { void run(String x); }
${repeat(11, (n) => `class C${n} implements I { public void run(String x) { log("${n}"); } }`)}
class C11 implements I { public void run(String x) { ${SINK} } }`,
      ),
  },
  {
    name: 'the last of seventy implementations',
    code: (harm) =>
      servlet(
        `i.run(${harm});`,
        `I i; interface I { void run(String x); }
${repeat(70, (n) => `class C${n} implements I { public void run(String x) { log("${n}"); } }`)}
class C70 implements I { public void run(String x) { ${SINK} } }`,
      ),
  },
  {
    name: 'the last of twelve functions as values',
    code: (harm) =>
      servlet(
        `java.util.function.Consumer<String> f; ${repeat(11, (n) => `if (c[${n}]) f = (y) -> log("${n}"); else`)} f = (x) -> { ${SINK} }; f.accept(${harm});`,
      ),
  },
  {
    name: 'the piece after seventy',
    code: (harm) =>
      servlet(`String x = "a"; ${repeat(70, (n) => `x += o[${n}] + "/";`)} x += ${harm}; ${SINK}`),
  },
  {
    name: 'a text that is too long before the data',
    code: (harm) =>
      servlet(
        `String x = ${repeat(60, () => `"${'a'.repeat(100)}" + o[0]`).replaceAll('\n', ' + ')} + ${harm}; ${SINK}`,
      ),
  },
  {
    name: 'a statement of more than 4,000 characters',
    code: (harm) =>
      `${HEAD}import java.sql.*;\nclass A { void h(HttpServletRequest r, Connection c) throws Exception {
c.createStatement().executeQuery("select ${'abcdefgh, '.repeat(600)} from t where a = '" + ${harm} + "'"); } }`,
    harmless: 'Integer.parseInt("1")',
  },
  {
    name: 'the element of a list after seventy',
    code: (harm) =>
      servlet(
        `new ProcessBuilder(Arrays.asList("sh", ${repeat(70, () => '"-x"').replaceAll('\n', ', ')}, "-c", ${harm}));`,
      ),
  },
  {
    name: 'the element of a list after three hundred',
    code: (harm) =>
      servlet(
        `List<String> l = Arrays.asList(${repeat(300, (n) => `"a${n}"`).replaceAll('\n', ', ')}, ${harm}); for (String x : l) ${SINK}`,
      ),
  },
  {
    name: 'the element of a list that was added after three hundred',
    code: (harm) =>
      servlet(
        `List<String> l = new ArrayList<>(); ${repeat(300, (n) => `l.add("a${n}");`)} l.add(${harm}); for (String x : l) ${SINK}`,
      ),
  },
  {
    name: 'the element of an array after three hundred, by its index',
    code: (harm) =>
      servlet(
        `String[] l = {${repeat(300, (n) => `"a${n}"`).replaceAll('\n', ', ')}, ${harm}}; String x = l[300]; ${SINK}`,
      ),
  },
  {
    name: 'the part of a text after three hundred',
    code: (harm) =>
      servlet(
        `String[] l = "${repeat(300, (n) => `a${n}`).replaceAll('\n', ',')},z".split(","); if (l[300].equals("z")) { String x = ${harm}; ${SINK} }`,
      ),
  },
  {
    name: 'the key of a table after three hundred',
    code: (harm) =>
      servlet(
        `Map<String, String> m = new HashMap<>(); ${repeat(300, (n) => `m.put("a${n}", "b");`)} m.put("z", ${harm}); String x = m.get("z"); ${SINK}`,
      ),
  },
  {
    name: 'what is taken out of a table after three hundred',
    code: (harm) =>
      servlet(
        `Map<String, String> m = new HashMap<>(); ${repeat(300, (n) => `m.put("a${n}", "b");`)} m.put("z", ${harm}); String x = m.remove("z"); ${SINK}`,
      ),
  },
  {
    name: 'the field of an object after three hundred',
    code: (harm) =>
      servlet(
        `B b = new B(); ${repeat(300, (n) => `b.f${n} = "b";`)} b.z = ${harm}; String x = b.z; ${SINK}`,
        `class B { ${repeat(300, (n) => `String f${n};`)} String z; }`,
      ),
  },
  {
    name: 'a place of an array after three hundred',
    code: (harm) =>
      servlet(
        `String[] a = new String[400]; ${repeat(300, (n) => `a[${n}] = "b";`)} a[300] = ${harm}; String x = a[300]; ${SINK}`,
      ),
  },
  {
    name: 'the first of two texts, of which the second is harmless',
    code: (harm) =>
      servlet(
        `String x; if (c[0]) x = ${harm} + "/a"; else x = "https://a.example/?q=" + r.getParameter("p"); new java.net.URL(x).openStream();`,
      ),
  },
  {
    name: 'the second of two texts, of which the first is harmless',
    code: (harm) =>
      servlet(
        `String x = c[0] ? "https://a.example/?q=" + r.getParameter("p") : ${harm} + "/a"; new java.net.URL(x).openStream();`,
      ),
  },
  {
    name: 'the sixth of eight texts, with more behind it',
    code: (harm) =>
      servlet(
        `String x; ${repeat(5, (n) => `if (c[${n}]) x = "https://a${n}.example/" + r.getParameter("p${n}"); else`)} if (c[5]) x = ${harm} + "/a"; ${repeat(2, (n) => `else if (o[${n}] == null) x = "https://b${n}.example/" + r.getParameter("p");`)} x = x + "/end"; new java.net.URL(x).openStream();`,
      ),
  },
  {
    name: 'the last of thirty texts',
    code: (harm) =>
      servlet(
        `String x; ${anyOf(30, (n) => `"https://a${n}.example/" + r.getParameter("p${n}")`, `${harm} + "/a"`)} new java.net.URL(x).openStream();`,
      ),
  },
  {
    name: 'lists within lists',
    code: (harm) =>
      servlet(
        `Object l = ${harm}; ${repeat(9, (n) => `List<Object> l${n} = new ArrayList<>(); l${n}.add(${n === 0 ? 'l' : `l${n - 1}`});`)} String x = String.valueOf(l8); ${SINK}`,
      ),
  },
  {
    name: 'the same data twice in a list, first cleaned',
    code: (harm) =>
      servlet(
        `String p = ${harm}; List<String> l = new ArrayList<>(); l.add(new File(p).getName()); l.add(p); String x = String.join("/", l); ${SINK}`,
      ),
  },
  {
    name: 'the same data twice in a field, first cleaned',
    code: (harm) =>
      servlet(
        `String p = ${harm}; this.x = new File(p).getName(); this.y = x;`,
        `String x; String y; void g(HttpServletRequest r) { String p = ${harm}; this.x = p; } void k() throws Exception { ${SINK} }`,
      ),
  },
  {
    name: 'sixty calls within each other',
    code: (harm) =>
      servlet(
        `f0(${harm});`,
        `${repeat(60, (n) => `void f${n}(String p) throws Exception { f${n + 1}(p); }`)} void f60(String x) throws Exception { ${SINK} }`,
      ),
  },
  {
    name: 'a source behind sixty calls within each other',
    code: (harm) =>
      servlet(
        'f0(r);',
        `${repeat(60, (n) => `void f${n}(HttpServletRequest r) throws Exception { f${n + 1}(r); }`)} void f60(HttpServletRequest r) throws Exception { String x = ${harm}; ${SINK} }`,
      ),
  },
  {
    name: 'a result that comes from behind sixty calls',
    code: (harm) =>
      servlet(
        `String x = f0(r); ${SINK}`,
        `${repeat(60, (n) => `String f${n}(HttpServletRequest r) { return f${n + 1}(r); }`)} String f60(HttpServletRequest r) { return ${harm}; }`,
      ),
  },
  {
    name: 'a result that comes from behind three hundred calls',
    code: (harm) =>
      servlet(
        `String x = f0(r); ${SINK}`,
        `${repeat(300, (n) => `String f${n}(HttpServletRequest r) { return f${n + 1}(r); }`)} String f300(HttpServletRequest r) { return ${harm}; }`,
      ),
  },
  {
    name: 'the seventieth call that a parameter reaches in a function that calls itself',
    code: (harm) =>
      servlet(
        `f("a", ${harm}, 3);`,
        `void f(String p, String x, int n) throws Exception { ${repeat(70, () => 'new FileReader("a" + p.length());\nnew FileReader("b" + new File(p).getName());')} ${SINK} if (n > 0) f(p, x, n - 1); }`,
      ),
  },
  {
    name: 'seventy reaches, then the harmful one, through two functions that call each other',
    code: (harm) =>
      servlet(
        `f(${harm}, 3);`,
        `void f(String p, int n) throws Exception { ${repeat(70, () => 'new FileReader(new File(p).getName());')} if (n > 0) g(p, n - 1); }
void g(String x, int n) throws Exception { if (n > 0) f("a", n - 1); ${SINK} }`,
      ),
  },
  {
    name: 'data that goes through eight fields, against the order of methods',
    code: (harm) =>
      servlet(
        `this.f0 = ${harm};`,
        `void z() throws Exception { String x = this.f8; ${SINK} }
${repeat(8, (n) => `void m${8 - n}() { this.f${8 - n} = this.f${7 - n}; }`)}
${repeat(9, (n) => `String f${n};`)}`,
      ),
  },
  {
    name: 'data that goes through eight variables of a loop, against their order',
    code: (harm) =>
      servlet(
        `String x = "a"; ${repeat(8, (n) => `String v${n} = "b";`)}
while (r.isAsyncStarted()) { ${SINK} x = v0; ${repeat(7, (n) => `v${n} = v${n + 1};`)} v7 = ${harm}; }`,
      ),
  },
  {
    name: 'data that goes through twenty variables of a loop, against their order',
    code: (harm) =>
      servlet(
        `String x = "a"; ${repeat(20, (n) => `String v${n} = "b";`)}
for (String s : o) { ${SINK} x = v0; ${repeat(19, (n) => `v${n} = v${n + 1};`)} v19 = ${harm}; }`,
      ),
  },
  {
    name: 'data that goes through eight variables of a loop within a loop',
    code: (harm) =>
      servlet(
        `String x = "a"; ${repeat(8, (n) => `String v${n} = "b";`)}
for (String s : o) { for (String u : o) { ${SINK} x = v0; ${repeat(7, (n) => `v${n} = v${n + 1};`)} v7 = ${harm}; } }`,
      ),
  },
  {
    name: 'data under a name of which another one has the first eighty characters',
    code: (harm) =>
      servlet(
        `String a = r.getParameter("${'a'.repeat(90)}1"); String x = ${harm}; if (a.matches("[a-z]+")) ${SINK}`,
      ).replace(DATA, `r.getParameter("${'a'.repeat(90)}2")`),
  },
  {
    name: 'a long chain of names before the usual one of a database',
    code: (harm) =>
      servlet(
        `svc.a.b.c.d.e.f.g.h.i.j.k.jdbcTemplate.queryForList("select a from b where c = '" + ${harm} + "'");`,
      ),
  },
  {
    name: 'a source in the first of two functions that call each other',
    code: (harm) =>
      `${HEAD}class A { boolean c; String f(HttpServletRequest r) { if (c) return ${harm}; return g(r); }
String g(HttpServletRequest r) { return f(r); }
void h(HttpServletRequest r) throws Exception { String x = g(r); ${SINK} } }`,
  },
  {
    name: 'a source in the last of three functions that call each other',
    code: (harm) =>
      `${HEAD}class A { boolean c; String f(HttpServletRequest r) { return g(r); }
String g(HttpServletRequest r) { if (c) return f(r); return k(r); }
String k(HttpServletRequest r) { if (c) return g(r); return ${harm}; }
void h(HttpServletRequest r) throws Exception { String x = f(r); ${SINK} } }`,
  },
  {
    name: 'the second of two builders',
    code: (harm) =>
      servlet(
        `StringBuilder a = new StringBuilder("a"); StringBuilder b = new StringBuilder(${harm}); StringBuilder x = c[0] ? a : b; new FileReader(x.toString());`,
      ),
  },
  {
    name: 'a recursion that cleans the data the first time only',
    code: (harm) =>
      servlet(
        `String x = f(${harm}, 3); ${SINK}`,
        `String f(String p, int n) { if (n == 0) return new File(p).getName(); if (n == 1) return p; return f(p, n - 1); }`,
      ),
  },
];

/** What grew with the square of the text, or doubled at each step. */
const BOMBS: readonly (readonly [name: string, text: string, members?: string])[] = [
  ['a text with itself', repeat(5_000, () => 'k = k.concat(k);')],
  ['a text that is replaced by two', repeat(3_000, () => 'k = k.replace("a", "aa");')],
  ['places of an array', repeat(15_000, (n) => `o[${n}] = "b";`)],
  ['fields of an object', `B b = new B(); ${repeat(12_000, (n) => `b.f${n} = "x";`)}`],
  ['elements of a list', `var l = new ArrayList<String>(); ${repeat(9_000, () => 'l.add("b");')}`],
  ['keys of a table', `var m = new HashMap<>(); ${repeat(9_000, (n) => `m.put("${n}", k);`)}`],
  ['loops', `${repeat(60, () => 'while (r.isAsyncStarted()) {')} k = k + "a"; ${'}'.repeat(60)}`],
  [
    'loops that move data',
    `String ${repeat(60, (n) => `v${n} = k`).replaceAll('\n', ', ')}; v0 = ${DATA};
${repeat(59, (n) => `for (String s${n} : o) { v${n + 1} = v${n};`)} ${'}'.repeat(59)}`,
  ],
  ['sources', repeat(4_000, (n) => `if (c[${n}]) k = r.getParameter("p${n}");`)],
  [
    'functions',
    'B.f0(k);',
    repeat(3_000, (n) => `static String f${n}(String p) { return f${n + 1}(p); }`),
  ],
  [
    'replaced texts',
    '',
    repeat(2_000, (n) => `String f${n}(String p) { return p.replace("a", "b"); }`),
  ],
  ['objects', `B b = null; ${repeat(3_000, (n) => `if (c[${n}]) b = new B();`)} b.run(k);`],
];

test.serial(
  'what doubles or grows with the square of a text is evaluated in steps that it pays for',
  async (t) => {
    for (const [name, code, members = ''] of someOf(BOMBS)) {
      const text = servlet(
        `String k = "a"; ${code} String x = ${DATA}; ${SINK}`,
        `class B { void run(String p) { } ${members} }`,
      );
      const { user } = process.cpuUsage();
      const said = await found(text);
      const ms = (process.cpuUsage().user - user) / 1_000;
      t.true(
        said.some((one) => /^(?:vuln-\d+ critical|ast-unparsed high)/.test(one)),
        `${name}: ${said}`,
      );
      // The child is ended after AST_GATE.CALL_CPU_MS; these take a tenth of it.
      t.true(ms < AST_GATE.CALL_CPU_MS, `${name}: ${ms} ms`);
    }
  },
);

/** A tokenizer: each round of its loops makes nodes that may be the next of all others. */
const LINKED = `const { exec } = require('child_process');
function Token(type, content, alias) {
  this.type = type; this.content = content; this.alias = alias; this.length = content.length | 0;
}
function List() {
  var head = { value: null, prev: null, next: null };
  var tail = { value: null, prev: head, next: null };
  head.next = tail;
  this.head = head; this.tail = tail; this.length = 0;
}
function addAfter(list, node, value) {
  var next = node.next;
  var made = { value: value, prev: node, next: next };
  node.next = made;
  next.prev = made;
  list.length++;
  return made;
}
function removeAfter(list, node, count) {
  var next = node.next;
  for (var i = 0; i < count && next !== list.tail; i++) next = next.next;
  node.next = next;
  next.prev = node;
}
function tokenize(text, grammar) {
  var list = new List();
  addAfter(list, list.head, text);
  match(text, list, grammar, list.head, 0);
  var all = [];
  for (var node = list.head.next; node !== list.tail; node = node.next) all.push(node.value);
  return all;
}
function match(text, list, grammar, start, at, again) {
  for (var name in grammar) {
    var patterns = [].concat(grammar[name]);
    for (var j = 0; j < patterns.length; ++j) {
      if (again && again.cause == name + j) return;
      for (var node = start.next, pos = at; node !== list.tail;
          pos += node.value.length, node = node.next) {
        if (again && pos >= again.reach) break;
        var str = node.value;
        if (str instanceof Token) continue;
        var count = 1;
        var found = patterns[j].exec(str);
        if (!found) continue;
        var to = found.index + found[0].length;
        var p = pos;
        while (found.index >= p) { node = node.next; p += node.value.length; }
        for (var k = node; k !== list.tail && p < to; k = k.next) { count++; p += k.value.length; }
        var before = str.slice(0, found.index);
        var after = str.slice(to);
        var from = node.prev;
        if (before) from = addAfter(list, from, before);
        removeAfter(list, from, count);
        node = addAfter(list, from, new Token(name, tokenize(found[0], patterns[j]), found[0]));
        if (after) addAfter(list, node, after);
        if (count > 1) {
          var next = { cause: name + j, reach: pos + str.length };
          match(text, list, grammar, node.prev, pos, next);
          if (again && next.reach > again.reach) again.reach = next.reach;
        }
      }
    }
  }
}
app.post('/', (req, res) => { for (const one of tokenize(req.body.text, GRAMMAR)) exec('ls ' + one); });`;

test.serial('nodes that nested loops link in a list are followed within the CPU', async (t) => {
  const { user } = process.cpuUsage();
  const { findings } = await inspectTree(fragmentOf(LINKED));
  const ms = (process.cpuUsage().user - user) / 1_000;
  t.true(findings.some(({ id, severity }) => id === 'vuln-01' && severity === 'critical'));
  t.false(findings.some(({ message }) => message.includes('more objects or functions')));
  t.true(ms < AST_GATE.CALL_CPU_MS, `${ms} ms`);
});

const MANY = 70;

/** A variable that is one of many values, the first of which is the harmful one. */
function oneOfMany(bad: string, good: (index: number) => string): string {
  return repeat(MANY, (n) => `if (c[${n}]) x = ${n === 0 ? bad : good(n)};`);
}

const FIRST_OF_MANY: Readonly<Record<string, string>> = {
  'an object with data': `class B { constructor(q) { this.q = q; } }
app.get('/', (req) => { let x;\n${oneOfMany('new B(req.query.d)', (n) => `new B('${n}')`)}exec('ls ' + x.q); });`,
  'a function that runs data': `app.get('/', (req) => { let x;\n${oneOfMany('(a) => exec(a)', (n) => `(a) => use(a, ${n})`)}x(req.query.d); });`,
};

for (const [name, text] of Object.entries(FIRST_OF_MANY)) {
  test(`the first of more values than are kept is found or reported: ${name}`, async (t) => {
    const { findings } = await inspectTree(fragmentOf(text));
    const said = findings.map(({ id, severity }) => `${id} ${severity}`);
    t.true(
      said.some((one) => /^(?:vuln-01 critical|ast-unparsed high)$/.test(one)),
      said.join(),
    );
    const { findings: twin } = await inspectTree(
      fragmentOf(text.replaceAll(/req\.query\.d/g, "'a'")),
    );
    t.deepEqual(twin, []);
  });
}

test('classes that extend each other in a circle are walked once for each method', async (t) => {
  const msOf = async (count: number) => {
    const classes = repeat(
      count,
      (n) => `class C${n} extends C${(n + 1) % count} { run(a) { this.x = a; super.run(a); } }`,
    );
    const text = `${classes}app.get('/', (req) => { new C0().run(req.query.a); exec(req.query.a); });`;
    const { user } = process.cpuUsage();
    const { findings } = await inspectTree(fragmentOf(text));
    t.true(findings.some(({ id }) => id === 'vuln-01' || id === 'ast-unparsed'));
    return (process.cpuUsage().user - user) / 1_000;
  };
  // By the same process, as a busy machine gives less for its time: with a walk for each look-up it
  // grew with the third power, 64 times for four times as many.
  const few = Math.max(await msOf(250), 50);
  const many = await msOf(1_000);
  t.true(many < 30 * few, `${few} ms, ${many} ms`);
});

test('data that a function puts into an object is followed behind many calls', async (t) => {
  const pads = repeat(40, (n) => `    pad(${n});`);
  const text = `import javax.servlet.http.*;
import java.nio.file.*;
public class A extends HttpServlet {
  static class Box {
    private String v;
    void set(String k, HttpServletRequest q) { v = q.getParameter(k); }
    String get(String k) { return v; }
  }
  static int pad(int x) { return x + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9; }
  private Box fill(HttpServletRequest q, String k) {
${pads}
    Box b = new Box(); b.set(k, q); return b;
  }
  protected void doGet(HttpServletRequest q, HttpServletResponse r) throws java.io.IOException {
    Box b = fill(q, "name");
    r.getOutputStream().write(Files.readAllBytes(Paths.get("/data/" + b.get("name"))));
  }
}
`;
  t.deepEqual(await found(text), ['vuln-05 critical', 'vuln-04 critical']);
});

async function found(text: string): Promise<string[]> {
  const { findings } = await inspectTree(fragmentOf(text, { path: 'src/A.java' }));
  return findings.map(
    ({ id, severity, message }) => `${id} ${severity}${id === 'ast-unparsed' ? ` ${message}` : ''}`,
  );
}

for (const { name, code, harmless = '"harmless"' } of ATTACKS) {
  test(`what is hidden behind a bound is found or reported: ${name}`, async (t) => {
    const bad = await found(code(DATA));
    t.true(
      bad.some((one) => /^(?:vuln-\d+ critical|ast-unparsed high)/.test(one)),
      bad.join(),
    );
    const good = await found(code(harmless));
    t.false(
      good.some((one) => one.startsWith('vuln-')),
      good.join(),
    );
    t.log(bad.join(), '|', good.join());
  });
}

/** What javac takes and the grammar does not know, with a sink in it. */
const UNKNOWN_FORMS: readonly string[] = [
  'x = STR."a\\{new FileReader(r.getParameter("q"))}" @@ 1;',
  'new FileReader(r.getParameter("q")) #;',
  'when (c) { new FileReader(r.getParameter("q")) } is $ ;',
  'var x = switch c { case 1 => new FileReader(r.getParameter("q")) };',
  'let x := new FileReader(r.getParameter("q"));',
  'match (c) with | 1 -> new FileReader(r.getParameter("q"));',
  'x = c ?: new FileReader(r.getParameter("q")) ?? 1;',
  'x = `a {new FileReader(r.getParameter("q"))}`;',
  'unless (c) new FileReader(r.getParameter("q")) end;',
  'new FileReader(r.getParameter("q")) |> done();',
];

test('a sink in syntax that the grammar does not know is found or reported', async (t) => {
  for (const form of UNKNOWN_FORMS) {
    const bad = await found(servlet(form));
    t.true(
      bad.some((one) => /^(?:vuln-\d+ critical|ast-unparsed high)/.test(one)),
      `${form}: ${bad}`,
    );
  }
});

test('syntax that the grammar does not know is not reported where no sink is named', async (t) => {
  for (const form of UNKNOWN_FORMS) {
    const good = await found(servlet(form.replaceAll('FileReader', 'Harmless')));
    t.deepEqual(good, [], form);
  }
});

/** Handlers whose body is put together of `x`, which is data, and a call that is a sink. */
const DEEP: readonly {
  readonly path: string;
  readonly handler: (body: string) => string;
  readonly sink: (value: string) => string;
}[] = [
  {
    path: 'src/app.ts',
    handler: (body) =>
      `app.get('/', (req) => { const x = req.query.x; const n = x.length;\n${body}\n});`,
    sink: (value) => `require('child_process').exec(${value});`,
  },
  {
    path: 'src/main/java/A.java',
    handler: (body) => servlet(`String x = ${DATA}; int n = o.length;\n${body}`),
    sink: (value) => `new FileReader(${value});`,
  },
  {
    path: 'a.go',
    handler: (body) =>
      `package a\nimport (\n"net/http"\n"os/exec"\n)\nfunc H(w http.ResponseWriter, r *http.Request) {\n` +
      `x := r.FormValue("x")\nn := len(x)\n${body}\n}\n`,
    sink: (value) => `exec.Command("sh", "-c", ${value})`,
  },
  {
    path: 'A.cs',
    handler: (body) =>
      `using System.Diagnostics;\npublic class A : Controller {\n` +
      `[HttpGet] public void H(string x, int n) {\n${body}\n}\n}\n`,
    sink: (value) => `Process.Start("sh", ${value});`,
  },
  {
    path: 'a.py',
    handler: (body) =>
      `import os\nfrom flask import request\n@app.route('/')\ndef h():\n x = request.args.get('x')\n` +
      ` n = len(x)\n ${body}\n`,
    sink: (value) => `os.system(${value})`,
  },
];

/** Runs it with about three quarters of the stack. */
function withLessStack<T>(inner: () => T): T {
  let frames = 0;
  const use = (left: number): T => {
    frames += 1;
    return left === 0 ? inner() : use(left - 1);
  };
  try {
    use(Number.POSITIVE_INFINITY);
  } catch {
    // All of it is used.
  }
  return use(Math.floor(frames / 4));
}

for (const { path, handler, sink } of DEEP) {
  const isPython = path.endsWith('.py');
  const deep = (count: number) => {
    const tests = [...Array(count).keys()].map((n) => `n == ${n}`);
    const branches = isPython
      ? tests.map((one) => `if ${one}:\n  n = 1\n `).join('el')
      : tests.map((one) => `if (${one}) { n = 1; }`).join(' else ');
    return {
      elseIf: `${branches}${isPython ? 'else:\n  ' : ' else { '}${sink('x')}${isPython ? '' : ' }'}`,
      sum: sink(`x${' + "a"'.repeat(count)}`),
      members: sink(`x${'.a'.repeat(3 * count)}`),
      brackets: sink(`${'('.repeat(count)}x${')'.repeat(count)}`),
      calls: sink(`${'f('.repeat(count)}x${')'.repeat(count)}`),
    };
  };
  const look = (body: string) => inspectTree(fragmentOf(handler(body), { path }));
  const said = ({ findings }: FragmentResult) =>
    findings.map(({ id, message }) => (id === 'ast-unparsed' ? message : id));

  test(`chains of 400 are followed: ${path}`, async (t) => {
    const { elseIf, sum } = deep(400);
    for (const body of [elseIf, sum]) t.regex(said(await look(body)).join(), /^vuln-0\d$/);
  });

  test(`what nests too deep is the same with less of the stack: ${path}`, async (t) => {
    for (const [form, body] of Object.entries(deep(250))) {
      const [all, less] = [await look(body), await withLessStack(() => look(body))].map(said);
      t.deepEqual(less, all, form);
      t.regex(all?.join() ?? '', /^(?:vuln-0\d|ast-command)$|deeper than \d+ levels/, form);
    }
  });
}
