import test from 'ava';
import { createCancelFlag, raise } from '../../../src/core/deadline.ts';
import { AST_GATE } from '../../../src/gates/limits.ts';
import { inspectFragments } from '../../../src/gates/syntax/inspect.ts';
import { CraError, type StatusCode } from '../../../src/model/errors.ts';
import { plainFinding } from '../../../src/model/finding.ts';
import { FINDINGS_PER_RFC_MAX } from '../../../src/model/limits.ts';
import type { Fragment, InspectInput, InspectOutput } from '../../../src/rpc/contract.ts';
import { fragmentOf, inspect, KEY, short } from './code.ts';

interface Call {
  paths: string[];
  timeoutMs: number | undefined;
}

/**
 * A client whose child ends with `code` whenever a fragment's text holds the word "killer", and
 * says `found` of all others.
 */
function fakeClient(
  code: StatusCode,
  onCall: (call: Call) => void = () => undefined,
  cost: { cpuMs?: number; work?: number } = {},
) {
  const calls: Call[] = [];
  return {
    calls,
    async inspect(
      { fragments }: InspectInput,
      options?: { timeoutMs?: number },
    ): Promise<InspectOutput> {
      const call = { paths: fragments.map(({ path }) => path), timeoutMs: options?.timeoutMs };
      calls.push(call);
      onCall(call);
      if (fragments.some(({ text }) => text.includes('killer'))) {
        throw new CraError(code, 'the child process ended');
      }
      const { cpuMs = 0, work = 0 } = cost;
      const results = fragments.map((fragment) => ({ ...resultOf(fragment), work }));
      return { results, cpuMs };
    },
  };
}

function resultOf({ path, startLine, text }: Fragment) {
  const fields = { id: 'vuln-01', gate: 'ast', severity: 'critical', message: 'x' } as const;
  const finding = plainFinding({ ...fields, file: path, line: startLine });
  const unparsed: [number, number][] = text.includes('prose') ? [[1, 3]] : [];
  return { findings: [finding], flows: [''], unparsed, asked: [] };
}

async function run(
  fragments: Fragment[],
  client: ReturnType<typeof fakeClient>,
  cancel: Int32Array<SharedArrayBuffer> = createCancelFlag(),
) {
  const input = { fragments, unparsed: [], client, fingerprintKey: KEY, cancel };
  return (await inspectFragments(input)).findings;
}

function file(path: string, text = 'fine', startLine = 1): Fragment {
  return fragmentOf(text, { path, startLine });
}

test('inspectFragments sends small fragments together and gives their findings', async (t) => {
  const client = fakeClient('UNAVAILABLE');
  const findings = await run([file('a.js'), file('b.js'), file('b.js', 'fine', 9)], client);
  t.deepEqual(
    client.calls.map(({ paths }) => paths),
    [['a.js', 'b.js', 'b.js']],
  );
  t.deepEqual(findings.map(short), [
    'vuln-01 critical 1',
    'vuln-01 critical 1',
    'vuln-01 critical 9',
  ]);
  t.is(client.calls[0]?.timeoutMs, AST_GATE.CALL_CPU_MS);
});

test('inspectFragments sends batches of BATCH_BYTES', async (t) => {
  const client = fakeClient('UNAVAILABLE');
  const text = 'x'.repeat(AST_GATE.BATCH_BYTES / 2);
  await run([file('a.js', text), file('b.js', text), file('c.js', text)], client);
  t.deepEqual(
    client.calls.map(({ paths }) => paths),
    [['a.js', 'b.js'], ['c.js']],
  );
});

for (const code of ['UNAVAILABLE', 'DEADLINE_EXCEEDED', 'INTERNAL'] as const) {
  test(`inspectFragments after ${code} tries each file alone, once, and reports it`, async (t) => {
    const client = fakeClient(code);
    const all = [file('a.js'), file('b.js', 'killer', 5), file('c.js'), file('a.js', 'fine', 7)];
    const findings = await run(all, client);
    t.deepEqual(
      client.calls.map(({ paths }) => paths.join()),
      ['a.js,b.js,c.js,a.js', 'a.js,a.js', 'b.js', 'c.js'],
    );
    t.deepEqual(
      findings.map((finding) => `${finding.file} ${short(finding)}`),
      [
        'a.js vuln-01 critical 1',
        'a.js vuln-01 critical 7',
        'c.js vuln-01 critical 1',
        'b.js ast-unparsed high 5',
      ],
    );
  });
}

test('inspectFragments says whether the parser broke, was too slow or has a defect', async (t) => {
  for (const [code, message] of [
    ['UNAVAILABLE', /broke the parser/],
    ['DEADLINE_EXCEEDED', /too long/],
    ['INTERNAL', /a defect of this service/],
  ] as const) {
    const [finding] = await run([file('a.js', 'killer')], fakeClient(code));
    t.regex(finding?.message ?? '', message);
  }
  const late = fakeClient('UNAVAILABLE', () => {
    throw new CraError('UNAVAILABLE', 'not there', { details: { not_started: true } });
  });
  const [finding] = await run([file('a.js')], late);
  t.regex(finding?.message ?? '', /the parser did not start/);
});

test('inspectFragments gives a file its result when the second try goes well', async (t) => {
  let failures = 1;
  const client = fakeClient('UNAVAILABLE', () => {
    if (failures-- > 0) throw new CraError('UNAVAILABLE', 'the child process ended');
  });
  const findings = await run([file('a.js')], client);
  t.deepEqual(findings.map(short), ['vuln-01 critical 1']);
  t.is(client.calls.length, 2);
});

test('inspectFragments sends nothing more of a file that broke the child', async (t) => {
  const client = fakeClient('UNAVAILABLE');
  const text = `killer${'x'.repeat(AST_GATE.BATCH_BYTES)}`;
  const findings = await run([file('a.js', text), file('a.js', text), file('a.js', text)], client);
  t.is(client.calls.length, 2);
  t.deepEqual(findings.map(short), ['ast-unparsed high 1']);
});

test('inspectFragments stops after CHILD_RESTART_MAX_PER_RFC children', async (t) => {
  const client = fakeClient('UNAVAILABLE');
  const files = Array.from({ length: 100 }, (_, index) => file(`${index}.js`, 'killer'));
  const findings = await run(files, client);
  t.is(client.calls.length, AST_GATE.CHILD_RESTART_MAX_PER_RFC);
  t.is(findings.length, 100);
  t.true(findings.every(({ id, severity }) => id === 'ast-unparsed' && severity === 'high'));
  t.regex(findings.at(-1)?.message ?? '', /other code of this change broke the parser too often/);
});

test('inspectFragments counts the CPU time of killed calls, all of it', async (t) => {
  const client = fakeClient('DEADLINE_EXCEEDED');
  const files = Array.from({ length: 100 }, (_, index) => file(`${index}.js`, 'killer'));
  const findings = await run(files, client);
  t.is(client.calls.length, AST_GATE.RFC_CPU_MS / AST_GATE.CALL_CPU_MS);
  t.is(findings.length, 100);
  t.regex(findings.at(-1)?.message ?? '', /time for this change was used up/);
});

test('inspectFragments ends at the same fragment each time when there is too much code', async (t) => {
  const { RFC_WORK_MAX, BATCH_BYTES } = AST_GATE;
  const text = 'x'.repeat(BATCH_BYTES);
  const files = ['a.js', 'b.js', 'c.js'].map((path) => file(path, text));
  for (const cpuMs of [0, 1, 20]) {
    const cost = { cpuMs, work: RFC_WORK_MAX / 2 };
    const findings = await run(files, fakeClient('UNAVAILABLE', undefined, cost));
    t.deepEqual(
      findings.map((finding) => `${finding.file} ${finding.id}`),
      ['a.js vuln-01', 'b.js vuln-01', 'c.js ast-unparsed'],
    );
    t.is(findings[2]?.severity, 'high');
    t.regex(findings[2]?.message ?? '', /more code than is parsed for one change/);
  }
});

test('inspectFragments ends with the CPU time of the RFC: the rest is ast-unparsed', async (t) => {
  const cost = { cpuMs: AST_GATE.RFC_CPU_MS - 500 };
  const client = fakeClient('UNAVAILABLE', undefined, cost);
  const text = 'x'.repeat(AST_GATE.BATCH_BYTES);
  const files = ['a.js', 'b.js', 'c.js'].map((path) => file(path, text));
  const findings = await run(files, client);
  t.deepEqual(
    client.calls.map(({ timeoutMs }) => timeoutMs),
    [AST_GATE.CALL_CPU_MS, 500],
  );
  t.deepEqual(
    findings.map((finding) => `${finding.file} ${finding.id}`),
    ['a.js vuln-01', 'b.js vuln-01', 'c.js ast-unparsed'],
  );
  t.regex(findings[2]?.message ?? '', /time for this change was used up/);
});

test('inspectFragments looks at no more when an RFC can list no more vulnerabilities', async (t) => {
  const calls: number[] = [];
  const fields = { id: 'vuln-02', gate: 'ast', severity: 'critical', message: 'x' } as const;
  const client = {
    async inspect({ fragments }: InspectInput): Promise<InspectOutput> {
      calls.push(fragments.length);
      const findings = Array.from({ length: FINDINGS_PER_RFC_MAX }, () => plainFinding(fields));
      return {
        results: fragments.map(() => ({ findings, flows: [], unparsed: [], asked: [], work: 0 })),
        cpuMs: 0,
      };
    },
  };
  const text = 'x'.repeat(AST_GATE.BATCH_BYTES);
  const fragments = ['a.js', 'b.js', 'c.js'].map((path) => file(path, text, 7));
  const cancel = createCancelFlag();
  const input = { fragments, unparsed: [], client, fingerprintKey: KEY, cancel };
  const { findings } = await inspectFragments(input);
  t.deepEqual(calls, [1]);
  t.is(findings.length, FINDINGS_PER_RFC_MAX + 1);
  const last = findings.at(-1);
  t.like(last, { id: 'findings-overflow', severity: 'high', file: 'b.js', line: 7 });
  t.regex(last?.message ?? '', /^2 more places were not looked at/);
});

test('inspectFragments reports text that is not a program as low, at its first lost line', async (t) => {
  const findings = await run([file('a.js', 'a\nprose\nb', 10)], fakeClient('UNAVAILABLE'));
  t.deepEqual(findings.map(short), ['vuln-01 critical 10', 'ast-unparsed low 11']);
  t.is(findings[1]?.excerpt, 'prose');
});

test('a lost line that may hold a sink by itself blocks, wherever it stands among them', async (t) => {
  const lost = file('a.js', 'a\nprose\nb = eval(prose)\n', 10);
  const findings = await run([lost], fakeClient('UNAVAILABLE'));
  const shown = [...findings.map(short), findings[1]?.excerpt];
  t.deepEqual(shown, ['vuln-01 critical 10', 'ast-unparsed high 12', 'b = eval(prose)']);
});

test('inspectFragments keeps one ast-unparsed a file: the worst, then the first', async (t) => {
  const fields = { id: 'ast-unparsed', gate: 'ast', message: 'x' } as const;
  const unparsed = [
    plainFinding({ ...fields, severity: 'low', file: 'a.js', line: 1 }),
    plainFinding({ ...fields, severity: 'high', file: 'a.js', line: 9 }),
    plainFinding({ ...fields, severity: 'high', file: 'a.js', line: 5 }),
    plainFinding({ ...fields, severity: 'low', file: 'b.js', line: 2 }),
  ];
  const cancel = createCancelFlag();
  const client = fakeClient('UNAVAILABLE');
  const { findings } = await inspectFragments({
    fragments: [],
    unparsed,
    client,
    fingerprintKey: KEY,
    cancel,
  });
  t.deepEqual(findings.map(short), ['ast-unparsed high 5', 'ast-unparsed low 2']);
  t.is(client.calls.length, 0);
});

test('inspectFragments reports fragments that got no result', async (t) => {
  const client = { inspect: async () => ({ results: [], cpuMs: 0 }) };
  const fragments = [file('a.js')];
  const cancel = createCancelFlag();
  const input = { fragments, unparsed: [], client, fingerprintKey: KEY, cancel };
  t.deepEqual((await inspectFragments(input)).findings.map(short), ['ast-unparsed high 1']);
});

test('inspectFragments throws CANCELLED when the flag is raised, also between batches', async (t) => {
  const cancel = createCancelFlag();
  const client = fakeClient('UNAVAILABLE', () => raise(cancel));
  const text = 'x'.repeat(AST_GATE.BATCH_BYTES);
  const error = await t.throwsAsync(run([file('a.js', text), file('b.js', text)], client, cancel), {
    instanceOf: CraError,
  });
  t.is((error as CraError | undefined)?.code, 'CANCELLED');
  t.is(client.calls.length, 1);
});

test('inspectFragments passes a cancelled call on', async (t) => {
  const error = await t.throwsAsync(run([file('a.js', 'killer')], fakeClient('CANCELLED')));
  t.is((error as CraError | undefined)?.code, 'CANCELLED');
});

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

test('inspect follows calls through twenty functions of the fragment and reports more', (t) => {
  const chain = (length: number, body = 'exec(a)', source = 'req.query.a') => {
    const inner = `function f1(a) { ${body} }`;
    const outer = Array.from(
      { length: length - 1 },
      (_, n) => `function f${n + 2}(a) { f${n + 1}(a) }`,
    );
    return [inner, ...outer, `f${length}(${source})`].join('\n');
  };
  for (const length of [4, 5, 20]) {
    const { findings } = inspect(fragmentOf(chain(length)));
    t.deepEqual(findings.map(short), ['vuln-01 critical 1'], `${length}`);
  }
  for (const length of [60, 200]) {
    const { findings } = inspect(fragmentOf(chain(length)));
    t.deepEqual(findings.map(short), [`ast-unparsed high ${length - 20}`]);
    t.regex(findings[0]?.message ?? '', /more often or deeper than is followed/);
  }
  // Without data from outside, or a sink that it may reach, there is nothing to tell.
  t.deepEqual(inspect(fragmentOf(`${chain(6, 'b(a)')}\nexec('ls')`)).findings, []);
  t.deepEqual(inspect(fragmentOf(chain(6, 'exec(a)', '1'))).findings, []);
  const operator = inspect(fragmentOf(chain(6, 'exec(a)', 'process.argv[2]'))).findings;
  t.deepEqual(operator.map(short), ['ast-command medium 1']);
});

test('a function that walks a tree and gives back another one is looked at to its end', (t) => {
  const many = 'args: (node as any).args.map((a: Raw) => walk(a, ids, seen))';
  const text = `import { exec } from 'node:child_process';
export function resolve(raw: Raw, ids: ReadonlyMap<string, string>) {
  const seen = new Set<string>();
  const tree = walk(raw, ids, seen);
  return { tree, seen: Array.from(seen).sort() };
}
function walk(node: Raw, ids: ReadonlyMap<string, string>, seen: Set<string>): Tree {
  switch (node.t) {
    case 'num': return node as Tree;
    case 'op': return { t: 'op', op: (node as any).op, ${many} };
    case 'if': return {
      t: 'if',
      cond: walk((node as any).cond, ids, seen),
      then: walk((node as any).then, ids, seen),
      else: walk((node as any).else, ids, seen),
    };
    case 'and': return { t: 'and', ${many} };
    case 'or': return { t: 'or', ${many} };
    case 'call': return { t: 'call', fn: (node as any).fn, ${many} };
  }
}
`;
  const found = (more: string) =>
    inspect(fragmentOf(text + more, { path: 'a.ts' })).findings.map(({ id }) => id);
  t.deepEqual(found(''), []);
  t.deepEqual(found("app.post('/a', (req) => exec(resolve(req.body, ids).tree.fn));\n"), [
    'vuln-01',
  ]);
});

test('inspect names the way from source to sink, and calls in between', (t) => {
  const text =
    "function run(command) {\n  const all = 'ls ' + command\n  exec(all)\n}\n" +
    'const dir = req.query.dir\nrun(dir)';
  const [finding] = inspect(fragmentOf(text)).findings;
  t.is(finding?.title, 'Request parameter `dir` reaches a shell command');
  t.is(
    finding?.message,
    'An attacker can run any command on the server: request parameter `dir` (line 5) reaches ' +
      '`exec` (line 3).',
  );
  t.deepEqual(
    finding?.flow?.map(({ line, what }) => `${line} ${what}`),
    [
      '5 request parameter `dir`',
      '5 assigned to `dir`',
      '1 passed to `run` as `command`',
      '2 assigned to `all`',
      '3 shell command of `exec`',
    ],
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
