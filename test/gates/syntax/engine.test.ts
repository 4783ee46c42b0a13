import test from 'ava';
import { fragmentOf, inspect } from './code.ts';

function found(text: string): string {
  const { findings } = inspect(fragmentOf(text));
  return findings.map(({ id, severity, line }) => `${id} ${severity} ${line}`).join(', ');
}

const ROUTE = "app.get('/', (req, res) => ";

/** Ways that data takes to a shell: [what, code, line of the call]. */
const FLOWS: [string, string, number][] = [
  [
    'a recursion whose constants decide when it ends',
    `function run(d, n) { if (n === 0) { exec(d); return; } run(d, n - 1); }\n${ROUTE}run(req.query.d, 3));`,
    1,
  ],
  [
    'a recursion within a conditional expression',
    `function run(d, n) { return n === 0 ? exec(d) : run(d, n - 1); }\n${ROUTE}run(req.query.d, 9));`,
    1,
  ],
  [
    'a recursion of two functions',
    `function a(d, n) { if (n === 0) exec(d); else b(d, n); }\nfunction b(d, n) { a(d, n - 1); }\n${ROUTE}a(req.query.d, 5));`,
    1,
  ],
  [
    'a field that the constructor fills',
    `class A { constructor(q) { this.q = q; } run() { exec('ls ' + this.q); } }\n${ROUTE}new A(req.query.d).run());`,
    1,
  ],
  [
    'a field that a method fills',
    `class A { set(v) { this.q = v; } run() { exec('ls ' + this.q); } }\n${ROUTE}{ const a = new A(); a.set(req.query.d); a.run(); });`,
    1,
  ],
  [
    'a static method',
    `class A { static run(d) { exec('ls ' + d); } }\n${ROUTE}A.run(req.query.d));`,
    1,
  ],
  [
    'a method of a base',
    `class B { run(d) { exec('ls ' + d); } }\nclass A extends B {}\n${ROUTE}new A().run(req.query.d));`,
    1,
  ],
  [
    'the constructor of a base',
    `class B { constructor(d) { this.d = d; } }\nclass A extends B { go() { exec('ls ' + this.d); } constructor(d) { super(d); } }\n${ROUTE}new A(req.query.d).go());`,
    2,
  ],
  [
    'a getter',
    `class A { constructor(d) { this.d = d; } get cmd() { return 'ls ' + this.d; } }\n${ROUTE}exec(new A(req.query.d).cmd));`,
    2,
  ],
  [
    'a setter',
    `class A { set cmd(v) { exec('ls ' + v); } }\n${ROUTE}{ new A().cmd = req.query.d; });`,
    1,
  ],
  [
    'a private method and field',
    `class A { #d; constructor(d) { this.#d = d; } #go() { exec('ls ' + this.#d); } run() { this.#go(); } }\n${ROUTE}new A(req.query.d).run());`,
    1,
  ],
  [
    'a service that is injected by its type',
    "class S { run(d) { exec('ls ' + d); } }\nexport class C { constructor(private readonly s: S) {} @Get() get(@Query('d') d: string) { return this.s.run(d); } }",
    1,
  ],
  ['what is thrown', `${ROUTE}{ try { throw req.query.d; } catch (e) { exec('ls ' + e); } });`, 1],
  [
    'the list of arguments',
    `function run() { exec('ls ' + arguments[0]); }\n${ROUTE}run(req.query.d));`,
    1,
  ],
  [
    'what a function is called on',
    `function run() { exec('ls ' + this.d); }\n${ROUTE}run.call({ d: req.query.d }));`,
    1,
  ],
  [
    'a function that sees a parameter of the one around it',
    `const make = (d) => () => exec('ls ' + d);\n${ROUTE}make(req.query.d)());`,
    1,
  ],
  [
    'a promise',
    `const load = async (req) => req.query.d;\napp.get('/', async (req, res) => exec('ls ' + (await load(req))));`,
    2,
  ],
  [
    'a check that lets everything pass',
    `const ok = (d) => true;\n${ROUTE}{ if (!ok(req.query.d)) return; exec('ls ' + req.query.d); });`,
    2,
  ],
  [
    'a pattern of all characters',
    `${ROUTE}{ if (!/^[ -~]+$/.test(req.query.d)) return; exec('ls ' + req.query.d); });`,
    1,
  ],
];
for (const [what, code, line] of FLOWS) {
  test(`engine follows ${what}`, (t) => {
    t.is(found(code), `vuln-01 critical ${line}`);
  });
}

/** The same forms, where no data from outside comes to the call. */
const HARMLESS: [string, string][] = [
  [
    'a branch that is never taken',
    `${ROUTE}{ const on = false; let d = 'x'; if (on) d = req.query.d; exec('ls ' + d); });`,
  ],
  ['another key', `${ROUTE}{ const o = { a: req.query.d, b: 'x' }; exec('ls ' + o.b); });`],
  ['another element', `${ROUTE}{ const l = ['x', req.query.d]; exec('ls ' + l[0]); });`],
  ['a name with a new value', `${ROUTE}{ let d = req.query.d; d = 'x'; exec('ls ' + d); });`],
  [
    'a check in a function of the file',
    `const ok = (d) => /^[a-z]+$/.test(d);\n${ROUTE}{ if (!ok(req.query.d)) return; exec('ls ' + req.query.d); });`,
  ],
];
for (const [what, code] of HARMLESS) {
  test(`engine tells apart ${what}`, (t) => {
    t.is(found(code), '');
  });
}

test('engine ends loops and functions that call themselves', (t) => {
  const loop = `${ROUTE}{ let d = ''; while (more()) { exec('ls ' + d); d = req.query.d; } });`;
  t.is(found(loop), 'vuln-01 critical 1');
  const recursive = `const run = (d, n) => n === 0 ? exec('ls ' + d) : run(d, n - 1);\n${ROUTE}run(req.query.d, depth));`;
  t.is(found(recursive), 'vuln-01 critical 1');
});

test('engine asks for results of calls of other files only where a rule judges a fixed value', (t) => {
  const text = `import { header, cipher } from './names';\n${ROUTE}{\n  res.setHeader(header(), 'a');\n  crypto.createCipheriv(cipher(), key, iv);\n});`;
  const { asked } = inspect(fragmentOf(text));
  t.deepEqual(
    asked.map(({ name }) => name),
    ['./names.cipher'],
  );
});
