import test from 'ava';
import { type AnalyzeAnswer, exitCode, isAnswer } from '../../src/cli/answer.ts';
import { formatReport } from '../../src/cli/report.ts';
import { createPaint } from '../../src/cli/terminal.ts';
import { STATUSES } from '../../src/model/rfc.ts';
import { answer, finding } from './fixtures/fake-service.ts';

const PLAIN = createPaint(false);
const SCORE = { change_risk: 5, findings_risk: 80, factors: ['critical finding x'], model: 'm' };

function withFindings(...findings: unknown[]): AnalyzeAnswer {
  const made = answer({ status: 'BLOCKED' });
  made.gates.risk = { ...made.gates.risk, status: 'fail', findings: findings as never };
  return made as AnalyzeAnswer;
}

test('formatReport shows verdict, score, gates and the findings of each file', (t) => {
  const made = withFindings(
    finding('risk-a', { severity: 'low', line: 7, column: null }),
    finding('vuln-02', { severity: 'critical', cwe: 'CWE-95', excerpt: 'eval(x)', fix: 'Do not.' }),
    finding('diff-x', { file: null, line: null, column: null, severity: 'medium' }),
    finding('risk-b', {
      file: 'z.ts',
      severity: 'info',
      suppressed: { by: 'marker', reason: 'known' },
    }),
  );
  t.is(
    formatReport(made, { score: SCORE, server: null }, PLAIN),
    `BLOCKED  risk 7/100  (1 file, +1 -0)
  why    critical finding x
  gates  risk fail (4 findings), ast pass, llm pass

(the change as a whole)
  -         medium   diff-x: found diff-x

src/a.ts
  3:9       critical vuln-02 (CWE-95): found vuln-02
            | eval(x)
            fix: Do not.
  7         low      risk-a: found risk-a

z.ts
  3:9       info     risk-b: found risk-b
            suppressed by marker: known
`,
  );
});

test('formatReport says where an RFC is kept and that a DRAFT is not decided', (t) => {
  const draft = answer({ status: 'DRAFT', id: 'RFC-7' }) as AnalyzeAnswer;
  const text = formatReport(draft, { score: null, server: 'http://cra' }, PLAIN);
  t.regex(text, /^DRAFT /);
  t.regex(text, /RFC-7 at http:\/\/cra/);
  t.regex(text, /--wait/);
});

test('formatReport lets no text of the change reach the terminal as it is', (t) => {
  const evil = '\x1b[2J\u202e\r\n';
  const suppressed = { by: evil, reason: evil };
  const texts = { id: evil, message: evil, file: evil, excerpt: evil, fix: evil, cwe: evil };
  const made = withFindings(finding('x', { ...texts, suppressed }));
  made.gates.llm.skip_reason = evil;
  const score = { ...SCORE, factors: [evil] };
  const lines = formatReport(made, { score, server: evil }, PLAIN).split('\n');
  t.true(lines.every((line) => /^[^\p{Cc}\p{Cf}]*$/u.test(line)));
  t.is(lines.length, 11);
});

test('formatReport has colours only where they are wanted', (t) => {
  const made = withFindings(finding('x'));
  const context = { score: null, server: null };
  t.true(formatReport(made, context, createPaint(true)).includes('\x1b[31m'));
  t.false(formatReport(made, context, PLAIN).includes('\x1b'));
});

test('exitCode is 0 only for a change that may go on', (t) => {
  const codes = STATUSES.map((status) => [status, exitCode(status)]);
  t.deepEqual(Object.fromEntries(codes), {
    BLOCKED: 1,
    DRAFT: 2,
    REJECTED: 1,
    OVERRIDDEN: 0,
    APPROVED: 0,
    PASSED: 0,
    SUPERSEDED: 1,
  });
});

const good = answer({ rules: ['x'] });
const gates = (value: unknown) => ({ ...good, gates: { ...good.gates, risk: value } });
const one = (value: unknown) => gates({ ...good.gates.risk, findings: [value] });

const UNREADABLE: [title: string, data: unknown][] = [
  ['null', null],
  ['an array', []],
  ['a text', 'PASSED'],
  ['an unknown status', { ...good, overall_status: 'FINE' }],
  ['no gates', { ...good, gates: null }],
  ['a gate without findings', gates({ status: 'pass', skip_reason: null })],
  ['a finding that is null', one(null)],
  ['a finding with a number as message', one(finding('x', { message: 7 }))],
  ['a finding with a text as line', one(finding('x', { line: '\x1b' }))],
  ['a finding with an odd suppression', one(finding('x', { suppressed: true }))],
  ['no stats', { ...good, stats: undefined }],
];

for (const [title, data] of UNREADABLE) {
  test(`isAnswer refuses ${title}`, (t) => {
    t.false(isAnswer(data));
  });
}

test('isAnswer takes an answer, with fields that it does not know', (t) => {
  t.true(isAnswer({ ...good, more: 1 }));
});
