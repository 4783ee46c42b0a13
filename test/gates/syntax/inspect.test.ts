import test from 'ava';
import { createCancelFlag, raise } from '../../../src/core/cancel-flag.ts';
import { inspectFragments } from '../../../src/gates/syntax/inspect.ts';
import { AST_GATE, FINDINGS_PER_RFC_MAX } from '../../../src/limits.ts';
import { CraError, type StatusCode } from '../../../src/model/errors.ts';
import { plainFinding } from '../../../src/model/finding.ts';
import type { Fragment, InspectInput, InspectOutput } from '../../../src/rpc/contract.ts';
import { fragmentOf, KEY, short } from './code.ts';

interface Call {
  paths: string[];
  timeoutMs: number | undefined;
}

/**
 * A client whose child ends with `code` whenever a fragment's text holds the word "killer", and
 * says `found` of all others.
 */
function fakeClient(code: StatusCode, onCall: (call: Call) => void = () => undefined) {
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
      return { results: fragments.map(resultOf) };
    },
  };
}

function resultOf({ path, startLine, text }: Fragment): InspectOutput['results'][number] {
  const fields = { id: 'vuln-01', gate: 'ast', severity: 'critical', message: 'x' } as const;
  const finding = plainFinding({ ...fields, file: path, line: startLine });
  const unparsed: [number, number][] = text.includes('prose') ? [[1, 3]] : [];
  return { findings: [finding], unparsed };
}

function run(
  fragments: Fragment[],
  client: ReturnType<typeof fakeClient>,
  options: { now?: () => number; cancel?: Int32Array<SharedArrayBuffer> } = {},
) {
  const cancel = options.cancel ?? createCancelFlag();
  const now = options.now ?? (() => 0);
  return inspectFragments({ fragments, unparsed: [], client, fingerprintKey: KEY, cancel, now });
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
  t.is(client.calls[0]?.timeoutMs, AST_GATE.FILE_DEADLINE_MS);
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

test('inspectFragments says whether the parser broke or was too slow', async (t) => {
  const messages = [];
  for (const code of ['UNAVAILABLE', 'DEADLINE_EXCEEDED'] as const) {
    const [finding] = await run([file('a.js', 'killer')], fakeClient(code));
    messages.push(finding?.message);
  }
  t.regex(messages[0] ?? '', /broke the parser/);
  t.regex(messages[1] ?? '', /too long/);
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
});

test('inspectFragments ends with the time of the RFC: the rest is ast-unparsed, high', async (t) => {
  let time = 0;
  const client = fakeClient('UNAVAILABLE', () => {
    time += AST_GATE.RFC_BUDGET_MS - 500;
  });
  const text = 'x'.repeat(AST_GATE.BATCH_BYTES);
  const files = ['a.js', 'b.js', 'c.js'].map((path) => file(path, text));
  const findings = await run(files, client, { now: () => time });
  t.deepEqual(
    client.calls.map(({ timeoutMs }) => timeoutMs),
    [AST_GATE.FILE_DEADLINE_MS, 500],
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
      return { results: fragments.map(() => ({ findings, unparsed: [] })) };
    },
  };
  const text = 'x'.repeat(AST_GATE.BATCH_BYTES);
  const fragments = ['a.js', 'b.js', 'c.js'].map((path) => file(path, text, 7));
  const cancel = createCancelFlag();
  const input = { fragments, unparsed: [], client, fingerprintKey: KEY, cancel };
  const findings = await inspectFragments(input);
  t.deepEqual(calls, [1]);
  t.is(findings.length, FINDINGS_PER_RFC_MAX + 1);
  const last = findings.at(-1);
  t.like(last, { id: 'findings-overflow', severity: 'high', file: 'b.js', line: 7 });
  t.regex(last?.message ?? '', /^2 more places were not looked at/);
});

test('inspectFragments reports text that is no program as low, at its first lost line', async (t) => {
  const findings = await run([file('a.js', 'a\nprose\nb', 10)], fakeClient('UNAVAILABLE'));
  t.deepEqual(findings.map(short), ['vuln-01 critical 10', 'ast-unparsed low 11']);
  t.is(findings[1]?.excerpt, 'prose');
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
  const findings = await inspectFragments({
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
  const client = { inspect: async () => ({ results: [] }) };
  const fragments = [file('a.js')];
  const cancel = createCancelFlag();
  const input = { fragments, unparsed: [], client, fingerprintKey: KEY, cancel };
  t.deepEqual((await inspectFragments(input)).map(short), ['ast-unparsed high 1']);
});

test('inspectFragments throws CANCELLED when the flag is raised, also between batches', async (t) => {
  const cancel = createCancelFlag();
  const client = fakeClient('UNAVAILABLE', () => raise(cancel));
  const text = 'x'.repeat(AST_GATE.BATCH_BYTES);
  const error = await t.throwsAsync(
    run([file('a.js', text), file('b.js', text)], client, { cancel }),
    { instanceOf: CraError },
  );
  t.is((error as CraError | undefined)?.code, 'CANCELLED');
  t.is(client.calls.length, 1);
});

test('inspectFragments passes a cancelled call on', async (t) => {
  const error = await t.throwsAsync(run([file('a.js', 'killer')], fakeClient('CANCELLED')));
  t.is((error as CraError | undefined)?.code, 'CANCELLED');
});
