import test from 'ava';
import { AST_GATE } from '../../../src/gates/limits.ts';
import { readFragment } from '../../../src/gates/syntax/fragments/fragment-tree.ts';
import { type Dialect, hasJsx } from '../../../src/gates/syntax/languages.ts';
import { findHazard } from '../../../src/gates/syntax/parse/hazard.ts';
import { someOf } from '../../some-cases.ts';
import { fragmentOf, inspect, short } from './code.ts';

/** [code, findings as `id severity line`]. */
type Case = [string, string];

const COMMAND: Case[] = [
  ["exec('ping ' + req.query.host)", 'vuln-01 critical 1'],
  ['exec(`ls $' + '{ctx.request.body.dir}`)', 'vuln-01 critical 1'],
  ['cp.exec(req.body.cmd)', 'vuln-01 critical 1'],
  [
    "const { exec: run } = require('child_process')\nrun('a ' + req.params.b)",
    'vuln-01 critical 2',
  ],
  ["const run = promisify(exec)\nawait run('a ' + request.body.b)", 'vuln-01 critical 2'],
  ["spawn('sh', ['-c', 'ls ' + req.body.dir])", 'vuln-01 critical 1'],
  ["spawn('ls', [req.body.dir], { shell: true })", 'vuln-01 critical 1'],
  ['spawn(req.query.program, [])', 'vuln-01 critical 1'],
  ["const { a } = req.query\nconst b = a.trim()\nexec(['x', b].join(' '))", 'vuln-01 critical 3'],
  ["let c = 'git'\nc += ' ' + event.queryStringParameters.a\nexecSync(c)", 'vuln-01 critical 3'],
  ["const a = req.query.a || 'b'\nexec('x ' + (d ? a : 'c'))", 'vuln-01 critical 2'],
  ["for (const a of req.body.all) exec('rm ' + a)", 'vuln-01 critical 1'],
  ["req.body.all.forEach((a) => exec('rm ' + a))", 'vuln-01 critical 1'],
  ["app.post('/', ({ body }, res) => {\n  exec('a ' + body.b)\n})", 'vuln-01 critical 2'],
  ["const a = JSON.parse(req.body.a)\nexec('x ' + a.b[0])", 'vuln-01 critical 2'],
  ["exec('x ' + req.query.a.replace(/;/g, ''))", 'vuln-01 critical 1'],
  ["const a = schema.parse(req.body)\nexec('x ' + a.b)", 'ast-command high 2'],
  ['exec(`git tag $' + '{name}`)', 'ast-command high 1'],
  ["exec('node ' + process.argv[2])", 'ast-command medium 1'],
];

const CODE: Case[] = [
  ['eval(req.body.code)', 'vuln-02 critical 1'],
  ['eval(code)', 'vuln-02 critical 1'],
  [';(0, eval)(code)', 'vuln-02 critical 1'],
  ["globalThis['eval'](code)", 'vuln-02 critical 1'],
  ["const f = new Function('a', body)", 'vuln-02 critical 1'],
  ["vm.runInNewContext('a' + req.query.b)", 'vuln-02 critical 1'],
  ["import { Script } from 'node:vm'\nnew Script(req.body.a)", 'vuln-02 critical 2'],
  ["setTimeout('f(' + req.query.a + ')', 1)", 'vuln-02 critical 1'],
  ["setInterval('f(' + a + ')', 1)", 'ast-code high 1'],
  ['ejs.render(req.body.template, {})', 'vuln-02 critical 1'],
  ['require(req.query.module)', 'vuln-02 critical 1'],
  ["import('./pages/' + req.query.page)", 'ast-code high 1'],
  ["addEventListener('message', (e) => eval(e.data))", 'vuln-02 critical 1'],
  ['\\u0065val(location.hash)', 'vuln-02 critical 1'],
];

const SQL: Case[] = [
  ["db.query('SELECT * FROM a WHERE b = ' + req.params.c)", 'vuln-03 critical 1'],
  [
    "const q = `select a from b where c = '$" + "{req.body.c}'`\nawait pool.query(q)",
    'vuln-03 critical 2',
  ],
  [
    "let q = 'DELETE FROM a WHERE 1=1'\nif (b) q += ` AND b = $" + '{req.query.b}`\nc.execute(q)',
    'vuln-03 critical 3',
  ],
  ["db.query({ text: 'UPDATE a SET b = ' + req.body.b })", 'vuln-03 critical 1'],
  ["knex.raw('a = ' + req.query.a)", 'vuln-03 critical 1'],
  ['prisma.$queryRawUnsafe(req.body.sql)', 'vuln-03 critical 1'],
  ['db.all(`SELECT * FROM a ORDER BY $' + '{req.query.sort}`)', 'vuln-03 critical 1'],
  ["db.query(`SELECT * FROM a WHERE b = '$" + "{name}'`)", 'ast-sql high 1'],
  ['db.query(`SELECT * FROM $' + '{table} WHERE a = ?`, [b])', 'ast-sql medium 1'],
  ['User.find(req.body)', 'vuln-03 critical 1'],
  ['const { body } = req\nUser.findOne({ ...body })', 'vuln-03 critical 2'],
  ["db.a.find({ $where: 'this.b == ' + req.params.c })", 'vuln-03 critical 1'],
  ['db.a.find({ $where: `this.b == $' + '{id}` })', 'ast-sql high 1'],
];

/** Markup is grave where data from outside is seen in it, not where nothing says what it is. */
const MARKUP: Case[] = [
  ["box.innerHTML = '<b>' + location.hash", 'vuln-04 critical 1'],
  ['const a = schema.parse(req.body)\nbox.innerHTML = a.b', 'ast-xss high 2'],
  ["box.innerHTML = '<b>' + label + '</b>'", 'ast-xss medium 1'],
  ["$('#a').append('<b>' + label)", 'ast-xss medium 1'],
  ["$('<b>' + label)", 'ast-xss medium 1'],
  ["export function a(b) {\n  box.innerHTML = '<b>' + b\n}", 'ast-xss high 2'],
  ['export function a(b) {\n  box.innerHTML = b\n}', 'ast-xss medium 2'],
];

for (const [code, expected] of [...COMMAND, ...CODE, ...SQL, ...MARKUP]) {
  test(`inspect finds ${JSON.stringify(code)}`, (t) => {
    const { findings, unparsed } = inspect(fragmentOf(code));
    t.deepEqual(findings.map(short), [expected]);
    t.deepEqual(unparsed, []);
  });
}

/** Parameters of exported functions: whatever the callers give. */
const EXPORTED: Case[] = [
  ["export function a(b) {\n  exec('git ' + b)\n}", 'vuln-01 critical 2'],
  ['exports.a = (b) => cp.execSync(`git $' + '{b}`)', 'vuln-01 critical 1'],
  ["function a(b) {\n  exec('git ' + b)\n}\nmodule.exports = { a }", 'vuln-01 critical 2'],
  ["module.exports = { a(b) { exec('git ' + b) } }", 'vuln-01 critical 1'],
  ["export class A {\n  b(c) { exec('git ' + c) }\n}", 'vuln-01 critical 2'],
  ["import { exec } from 'child_process'\nexport default (a) => exec(a)", 'ast-command high 2'],
  ["export const a = (b) => db.query('SELECT c FROM d WHERE e = ' + b)", 'ast-sql high 1'],
  ["export function a(b: number) {\n  exec('kill ' + b)\n}", ''],
  ["export function a(b: 'x' | 'y') {\n  exec('git ' + b)\n}", ''],
  ["function a(b) {\n  exec('git ' + b)\n}", 'ast-command high 2'],
];
for (const [code, expected] of EXPORTED) {
  test(`inspect weighs parameters in ${JSON.stringify(code)}`, (t) => {
    const { findings } = inspect(fragmentOf(code));
    t.is(findings.map(short).join(), expected);
  });
}

/** Look-alikes: nothing to be said of them. */
const HARMLESS = [
  '/a(b)/.exec(req.url)',
  "const re = new RegExp('x')\nre.exec(`$" + '{req.url}`)',
  'User.find({ id: 1 }).exec()',
  "import { exec } from './db'\nexec('x' + req.query.a)",
  "function exec(a) {}\nexec('x' + req.query.a)",
  "exec('ls -la')",
  "const DIR = '/tmp'\nexec('ls ' + DIR)",
  "function f() {\n  exec('ls ' + DIR)\n}\nconst DIR = '/tmp'",
  'exec(`node $' + '{__dirname}/x.js`)',
  'exec(`$' + '{GIT} status`)',
  "execFile('convert', [req.body.url, 'out.png'])",
  "spawn('convert', [req.body.url, 'out.png'])",
  'const actor = spawn(machine, { input: req.body })',
  'exec(`kill $' + '{Number(req.params.pid)}`)',
  "const port = parseInt(req.query.port, 10)\nexec('lsof -i :' + port)",
  "const ALLOWED = ['x', 'y']\nif (!ALLOWED.includes(req.query.a)) return\nexec('run ' + req.query.a)",
  "const names = new Set(['x', 'y'])\nif (names.has(a)) exec('run ' + a)",
  "if (a !== 'x' && a !== 'y') throw new Error()\nexec('run ' + a)",
  "switch (req.query.a) {\n  case 'x':\n    exec('run ' + req.query.a)\n}",
  "exec('run ' + COMMANDS[req.query.a])",
  "if (!/^[a-z0-9-]+$/.test(a)) throw new Error()\nexec('git ' + a)",
  "import shellescape from 'shell-escape'\nexec(`echo $" + '{shellescape([req.query.a])}`)',
  "let a = req.query.a\na = 'b'\nexec('run ' + a)",
  "eval('1 + 1')",
  "new Function('return this')()",
  "new Function('return ' + JSON.stringify(req.body))",
  "page.$eval('a', (el) => el.href)",
  'redis.eval(script, 1, key)',
  'setTimeout(() => run(req.query.x), 10)',
  "ejs.render('<%= a %>', { a: req.query.a })",
  "res.render('index', { a: req.query.a })",
  "_.template('a <%= b %>')({ b: req.query.b })",
  "require('./x')",
  'import(`./locales/$' + '{language}.js`)',
  "db.query('SELECT * FROM a WHERE b = ?', [req.params.b])",
  'sql`select * from a where b = $' + '{req.params.b}`',
  'prisma.$queryRaw`SELECT $' + '{req.query.a}`',
  "$('ul').find(req.query.a)",
  'users.find((user) => user.id === req.params.id)',
  'User.findOne({ name: String(req.body.name) })',
  'User.findById(req.params.id)',
  'client.query({ query: gql`{ a }`, variables: req.body })',
  'db.query(`SELECT * FROM a WHERE b IN ($' + "{ids.map(() => '?').join(',')})`, ids)",
  "const TABLE = 'users'\ndb.query(`SELECT * FROM $" + '{TABLE} WHERE a = ?`, [1])',
  "db.query('SELECT * FROM a LIMIT ' + Number(req.query.n))",
  'db.query(`SELECT * FROM a WHERE b = $' + '{db.escape(req.query.b)}`)',
  "log.info('update ' + req.query.a + ' set')",
  'logger.query(`q=$' + '{req.query.q}`)',
  "if (typeof req.body !== 'string') return\nUser.find(req.body)",
];
for (const code of HARMLESS) {
  test(`inspect leaves ${JSON.stringify(code)} alone`, (t) => {
    const { findings, unparsed } = inspect(fragmentOf(code));
    t.deepEqual(findings.map(short), []);
    t.deepEqual(unparsed, []);
  });
}

/** What surrounds a hunk in the middle of nested code: [lines before, lines after]. */
const SURROUNDINGS: [string, string][] = [
  ['      level: 1\n    }\n  })\n', ''],
  ['  }\n\n  async method() {\n', '\n    if (x) {\n      y(\n'],
  [' * a comment\n */\nfoo(async function () {\n', '\n})\n\nbar({\n'],
  ['    return\n  }\n', '\n} catch (error) {\n  z()\n'],
];
for (const [index, [before, after]] of SURROUNDINGS.entries()) {
  const line = before.split('\n').length - 1;
  const embed = (code: string) => fragmentOf(`${before}${code}${after}`, { startLine: 100 });
  test(`inspect finds the same in a hunk, form ${index + 1}`, (t) => {
    for (const [code, expected] of [...COMMAND, ...CODE, ...SQL, ...MARKUP]) {
      if (/^(?:import|export) /m.test(code)) continue;
      const [id, severity, at] = expected.split(' ');
      const { findings, unparsed } = inspect(embed(code));
      t.deepEqual(findings.map(short), [`${id} ${severity} ${Number(at) + 99 + line}`], code);
      t.deepEqual(unparsed, [], code);
    }
  });
  test(`inspect leaves the same alone in a hunk, form ${index + 1}`, (t) => {
    for (const code of HARMLESS) {
      if (/^(?:import|export) /m.test(code)) continue;
      const { findings, unparsed } = inspect(embed(code));
      t.deepEqual(findings.map(short), [], code);
      t.deepEqual(unparsed, [], code);
    }
  });
}

test('inspect reports only what the diff touches: sink, source or the text between', (t) => {
  const text = "const a = req.query.a\nconst b = 'x ' + a\nfoo()\nexec(b)\nbar()";
  const touched = (line: number) =>
    inspect(fragmentOf(text, { added: [[line, line + 1]] })).findings.map(short);
  t.deepEqual(touched(0), ['vuln-01 critical 4']);
  t.deepEqual(touched(1), ['vuln-01 critical 4']);
  t.deepEqual(touched(2), []);
  t.deepEqual(touched(3), ['vuln-01 critical 4']);
  t.deepEqual(touched(4), []);
});

test('inspect follows values from one part of a hunk into the next', (t) => {
  const text = 'const a = req.query.a\n%%% x [[ ](\nexec(`x $' + '{a}`)\n';
  const { findings, unparsed } = inspect(fragmentOf(text));
  t.deepEqual(findings.map(short), ['vuln-01 critical 3']);
  t.deepEqual(unparsed, [[1, 2]]);
});

test('inspect lowers findings in tests, fixtures and built files by one step', (t) => {
  for (const path of ['test/a.ts', 'a/__tests__/b.js', 'src/a.spec.ts', 'dist/a.js', 'a.min.js']) {
    const { findings } = inspect(fragmentOf('eval(req.body.a)', { path }));
    t.deepEqual(findings.map(short), ['ast-code high 1'], path);
  }
  const { findings } = inspect(fragmentOf('eval(req.body.a)', { path: 'src/latest/contest.ts' }));
  t.deepEqual(findings.map(short), ['vuln-02 critical 1']);
});

/** One call of each class that is critical in production: [code, id below critical]. */
const CRITICAL: [string, string][] = [
  ["exec('a ' + req.query.b)", 'ast-command'],
  ["db.query('SELECT * FROM a WHERE b = ' + req.query.b)", 'ast-sql'],
  ['User.findOne(req.body)', 'ast-nosql'],
  ["res.send('<b>' + req.query.a)", 'ast-xss'],
  ["fs.readFile('/a/' + req.query.b, c)", 'ast-path'],
  ['fetch(req.query.a)', 'ast-ssrf'],
  ["require('node-serialize').unserialize(req.body.a)", 'ast-deserialise'],
  ['libxmljs.parseXml(req.body.a, { noent: true })', 'ast-xxe'],
  ['a[req.query.b][req.query.c] = 1', 'ast-prototype'],
  ['const a = false\ntls.connect({ rejectUnauthorized: a })', 'ast-crypto'],
  ["jwt.sign({ a: 1 }, 'b')", 'ast-token'],
];
for (const [code, id] of CRITICAL) {
  test(`a vuln-NN is always critical; in a test directory it is ${id}`, (t) => {
    const [found] = inspect(fragmentOf(code)).findings;
    t.is(found?.severity, 'critical');
    t.regex(found?.id ?? '', /^vuln-/);
    const [lowered] = inspect(fragmentOf(code, { path: 'test/s.js' })).findings;
    t.is(`${lowered?.id} ${lowered?.severity}`, `${id} high`);
  });
}

/** What only a script may hold, and what a runtime refuses: it is judged as if it ran. */
const SLOPPY = [
  "const a = () => { await b; exec('ls ' + req.query.a) }",
  "function a() { exec('ls ' + await req.query.a) }",
  "class A { b() { await exec('ls ' + req.query.a) } }",
  "async function a(b = await exec('ls ' + req.query.a)) {}",
  "function a() { await (exec('ls ' + req.query.a)) }",
  "function a() { var b = 010; exec('ls ' + req.query.a) }",
  "function a() { with (b) exec('ls ' + req.query.a) }",
  "var await = 1; exec('ls ' + req.query.a)",
  "var yield = 1; exec('ls ' + req.query.a, yield)",
  "function a(b) { delete b; exec('ls ' + req.query.a) }",
  "function a() { arguments = 1; exec('ls ' + req.query.a) }",
  "function a() { eval = 1; exec('ls ' + req.query.a) }",
  "var arguments = 1; exec('ls ' + req.query.a)",
  "function a(eval) { exec('ls ' + req.query.a) }",
  "try { b() } catch (arguments) { exec('ls ' + req.query.a) }",
  "function eval() { exec('ls ' + req.query.a) }",
  "b: function a() { exec('ls ' + req.query.a) }",
  "if (new.target === undefined) exec('ls ' + req.query.a)",
  "{ using b = c(); exec('ls ' + req.query.a) }",
];
for (const code of SLOPPY) {
  test(`inspect judges what is not a module: ${code}`, (t) => {
    const { findings, unparsed } = inspect(fragmentOf(code, { path: 'src/a.js' }));
    t.deepEqual(findings.map(short), ['vuln-01 critical 1']);
    t.deepEqual(unparsed, []);
  });
}

test('inspect evaluates loops for what one round leaves to the next', (t) => {
  const text = "let a = ''\nfor (const b of c) {\n  exec('x ' + a)\n  a = req.query.a\n}";
  t.deepEqual(inspect(fragmentOf(text)).findings.map(short), ['vuln-01 critical 3']);
});

test('inspect bounds the findings of a fragment', (t) => {
  const { findings } = inspect(fragmentOf('eval(a)\n'.repeat(5_000)));
  t.is(findings.length, 1_001);
  t.like(findings.at(-1), { id: 'findings-overflow', severity: 'high', line: 1_001 });
});

/** Lines that make the reader guess, cut and try again: [what, dialect, lines]. */
const HOSTILE: [string, Dialect, string][] = [
  ['prose', 'js', "It is, no (program) at all; isn't it?\n"],
  ['stray closers', 'js', `${'const name = call(argument, another)\n'.repeat(4)}})\n]\n`],
  ['brackets that do not match', 'ts', 'a(b[c)\nd}\n'],
  ['backticks', 'js', 'a `b\nc\n'],
  ['starts of comments', 'js', ' * a\n */ b /*\n'],
  ['holes of templates', 'ts', 'a $'.concat('{b}\n} c\n')],
  ['tags without an end', 'tsx', '<a b={c}\n</d>\n/>\n'],
  ['cases', 'js', 'case a:\n}\ndefault:\n'],
  ['type parameters', 'ts', '  A extends B = C,\n> = (\n'],
  ['decorators', 'ts', '@a(b)\n})\nc d = "some longer text"\n'],
  ['a broken line after each good one', 'js', 'a(1)\n%%% x [[ ](\n'],
  ['continuations', 'js', '} else {\n.a(b)\n} catch (\n: c\n'],
  ['quotes', 'js', 'a = \'b"\n"c\'\n'],
];

for (const [what, dialect, lines] of someOf(HOSTILE)) {
  test(`readFragment gives the parser at most twice the work for twice the text: ${what}`, (t) => {
    let before: number | null = null;
    let doublings = 0;
    for (let length = 1_000; length <= 128_000; length *= 2) {
      const text = `exec(a + b)\n${lines.repeat(Math.ceil(length / lines.length))}`;
      // From here on the guards keep it from the parser.
      if (findHazard(text, hasJsx(dialect)) !== null) break;
      const { parsedLength } = readFragment(text, [[0, text.split('\n').length]], dialect);
      t.true(parsedLength <= budget(text.length), `${length}: ${parsedLength}`);
      // A quarter more for the text around, and for a guess more or less.
      if (before !== null) t.true(parsedLength <= 2.5 * before, `${length}: ${parsedLength}`);
      if (before !== null) doublings += 1;
      before = parsedLength;
    }
    t.true(doublings >= 1);
  });
}

/** Each of two dialects has so many calls, and so much text with one call that passes it. */
function budget(length: number): number {
  const { PARSE_CALLS_MAX, PARSE_LENGTH_MAX } = AST_GATE;
  // What is put around a text is bounded by the brackets that it closes and leaves open.
  const longest = 3 * length + 1_000;
  return 2 * Math.min(PARSE_CALLS_MAX * longest, PARSE_LENGTH_MAX + longest);
}

test('fingerprints survive moves and white space, not other code, sources, files or keys', (t) => {
  const print = (text: string, startLine = 1) =>
    inspect(fragmentOf(text, { startLine })).findings.map(({ fingerprint }) => fingerprint);
  const [one] = print("exec('a ' + b)");
  t.deepEqual(print("\n\n  exec(\n    'a ' + b)", 70), print("exec( 'a ' + b)"));
  t.deepEqual(print("foo()\nexec('a ' + b)", 9), [one]);
  t.notDeepEqual(print("exec('a ' + c)"), [one]);
  const from = (source: string) => print(`const a = schema.parse(${source})\nexec('x' + a.b)`);
  t.notDeepEqual(from('req.query'), from('req.body'), 'it is another way to the same call');
});
