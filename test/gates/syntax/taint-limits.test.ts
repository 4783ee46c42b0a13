import test from 'ava';
import { FINDINGS_PER_RFC_MAX } from '../../../src/limits.ts';
import { fragmentOf, inspect, short } from './code.ts';

/** Code made to cost more than its length: [what it does, code]. It must end, and end soon. */
const HOSTILE: [string, string][] = [
  [
    'doubles a list with each line',
    doubling((one, next) => `const ${next} = [...${one}, ...${one}]`),
  ],
  [
    'doubles an object with each line',
    doubling((one, next, n) => `const ${next} = { ...${one}, ...${one}, k${n}: 1 }`),
  ],
  [
    'doubles a text with each line',
    doubling((one, next) => `const ${next} = ${one} + 'x' + ${one}`),
  ],
  [
    'doubles a template with each line',
    doubling((one, next) => `const ${next} = \`\${${one}} \${x} \${${one}}\``),
  ],
  [
    'calls two of the functions before it from each function',
    doubling(
      (one, next) => `function ${next}(q) { ${one}(q); return ${one}(q) + ${one}(q) }`,
      '(q) => q',
    ),
  ],
  [
    'calls itself',
    `function f(q) { f(q.a); g(q); return f(f(q)) }\nfunction g(q) { f(q); g(f(q)) }`,
  ],
  ['calls one function often', `const f = (q) => q + 1\n${'f(req.query.a)\n'.repeat(5_000)}`],
  [
    'narrows and assigns many members',
    Array.from({ length: 4_000 }, (_, n) => `a.b${n} = 1; if (a.c${n} === 'x') a.d = a.b${n}`).join(
      '\n',
    ),
  ],
  ['pushes in a loop', `const a = [];\n${'for (const b of a) a.push(...a, b)\n'.repeat(2_000)}`],
  [
    'nests functions that copy keys',
    `${'function f(a, b) { for (const k in b) { a[k] = b[k];\n'.repeat(60)}${'} }'.repeat(60)}`,
  ],
  [
    'checks long conditions',
    `if (${Array.from({ length: 1_000 }, (_, n) => `a${n}.startsWith(b${n})`).join(' && ')}) c()`,
  ],
];

/** Forty lines, each of which uses the name of the one before more than once. */
function doubling(
  line: (one: string, next: string, n: number) => string,
  first = 'req.query',
): string {
  const lines = [`const v0 = ${first}`];
  for (let n = 1; n <= 40; n += 1) lines.push(line(`v${n - 1}`, `v${n}`, n));
  return lines.join('\n');
}

for (const [what, code] of HOSTILE) {
  test(`inspect stays within its limits for code that ${what}`, (t) => {
    const text = `${code}\neval(req.query.last)`;
    const last = text.split('\n').length;
    const { findings } = inspect(fragmentOf(text));
    // What is due to the text itself is looked at to its end, whatever came before.
    t.true(findings.map(short).includes(`vuln-02 critical ${last}`));
  });
}

test('inspect follows calls through four functions of the fragment and tells of more', (t) => {
  const chain = (length: number, body = 'exec(a)', source = 'req.query.a') => {
    const inner = `function f1(a) { ${body} }`;
    const outer = Array.from(
      { length: length - 1 },
      (_, n) => `function f${n + 2}(a) { f${n + 1}(a) }`,
    );
    return [inner, ...outer, `f${length}(${source})`].join('\n');
  };
  t.deepEqual(inspect(fragmentOf(chain(4))).findings.map(short), ['vuln-01 critical 1']);
  for (const length of [5, 6, 20]) {
    const { findings } = inspect(fragmentOf(chain(length)));
    t.deepEqual(findings.map(short), [`ast-unparsed high ${length - 4}`]);
    t.regex(findings[0]?.message ?? '', /more often or deeper than is followed/);
  }
  // Without data from outside, or a sink that it may reach, there is nothing to tell.
  t.deepEqual(inspect(fragmentOf(`${chain(6, 'b(a)')}\nexec('ls')`)).findings, []);
  t.deepEqual(inspect(fragmentOf(chain(6, 'exec(a)', '1'))).findings, []);
  t.deepEqual(inspect(fragmentOf(chain(6, 'exec(a)', 'process.argv[2]'))).findings, []);
});

test('inspect names the way from source to sink, and calls in between', (t) => {
  const text =
    "function run(command) {\n  const all = 'ls ' + command\n  exec(all)\n}\n" +
    'const dir = req.query.dir\nrun(dir)';
  const [finding] = inspect(fragmentOf(text)).findings;
  t.is(
    finding?.message,
    'a shell command in exec (line 3) is made from data from outside: req.query.dir (line 5), ' +
      'by way of command (line 1), all (line 2)',
  );
  t.regex(finding?.fix ?? '', /execFile/);
});

test('inspect keeps the worst finding of a place', (t) => {
  const text =
    "function run(a) {\n  exec('ls ' + a)\n}\nrun(b)\nrun(req.query.c)\nrun(process.argv[2])";
  t.deepEqual(inspect(fragmentOf(text)).findings.map(short), ['vuln-01 critical 2']);
});

test('inspect keeps the worst findings when there are more than it lists', (t) => {
  const lesser = Array.from({ length: 2 * FINDINGS_PER_RFC_MAX + 10 }, () => "exec('ls ' + b)");
  const text = `${lesser.join('\n')}\neval(c)`;
  const found = inspect(fragmentOf(text)).findings.map(short);
  t.is(found.length, 2 * FINDINGS_PER_RFC_MAX + 1);
  t.true(found.includes(`vuln-02 critical ${lesser.length + 1}`));
  t.regex(found.at(-1) ?? '', /^findings-overflow high/);
});

test('inspect stops when it has more of the gravest findings than are listed, and tells', (t) => {
  const most = 2 * FINDINGS_PER_RFC_MAX;
  const text = 'eval(a)\n'.repeat(most + 100);
  const found = inspect(fragmentOf(text)).findings.map(short);
  t.is(found.length, most + 1);
  t.is(found.at(-1), `findings-overflow high ${most + 1}`);
});
