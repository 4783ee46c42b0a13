import test from 'ava';
import fc from 'fast-check';
import {
  type GateFinding,
  plainFinding,
  SEVERITIES,
  type Severity,
} from '../../src/model/finding.ts';
import { FINDINGS_PER_RFC_MAX } from '../../src/model/limits.ts';
import type { PipelineSettings } from '../../src/model/rules.ts';
import { assessChange, FACTORS_MAX, scoreChange } from '../../src/verdict/score.ts';
import {
  type ChangeShape,
  EMPTY_SHAPE,
  type MessageHints,
  readMessage,
} from '../../src/verdict/score-model.ts';
import {
  gateToCome,
  nameFindings,
  overallStatus,
  pendingGates,
  skippedGate,
  verdictOfGates,
  verdictOfReview,
} from '../../src/verdict/verdict.ts';
import { someRuns } from '../some-cases.ts';

const SETTINGS: PipelineSettings = { block_severities: ['critical', 'high'], block_score: null };

function finding(severity: Severity, over: Partial<GateFinding> = {}): GateFinding {
  return plainFinding({ id: `risk-${severity}`, gate: 'risk', severity, message: 'm', ...over });
}

function statusOf(findings: GateFinding[], settings = SETTINGS, score = 0) {
  const { gates } = judge(findings, settings);
  return overallStatus(gates, score, settings);
}

function judge(findings: readonly GateFinding[], settings = SETTINGS) {
  return verdictOfGates('RFC-1', findings, { risk: 1, ast: 1 }, settings, skippedGate('no_tier'));
}

const SUPPRESSED = { by: 'cra-ignore', reason: 'why' };

const VERDICTS: [string, GateFinding[], 'PASSED' | 'BLOCKED'][] = [
  ['nothing', [], 'PASSED'],
  ['a critical finding', [finding('critical')], 'BLOCKED'],
  ['a high finding', [finding('high')], 'BLOCKED'],
  ['a high finding of gate 2', [finding('high', { gate: 'ast' })], 'BLOCKED'],
  ['medium, low and info', [finding('medium'), finding('low'), finding('info')], 'PASSED'],
  ['a suppressed critical one', [finding('critical', { suppressed: SUPPRESSED })], 'PASSED'],
];

for (const [title, findings, status] of VERDICTS) {
  test(`overallStatus is ${status} for ${title}`, (t) => {
    t.is(statusOf(findings), status);
  });
}

test('overallStatus blocks by score only where block_score says so', (t) => {
  t.is(statusOf([], SETTINGS, 100), 'PASSED');
  t.is(statusOf([], { ...SETTINGS, block_score: 70 }, 69), 'PASSED');
  t.is(statusOf([], { ...SETTINGS, block_score: 70 }, 70), 'BLOCKED');
});

test('nameFindings keeps the worst 500 and blocks with the number of the others', (t) => {
  const many = Array.from({ length: 600 }, (_, index) => finding('low', { line: index + 1 }));
  const named = nameFindings('RFC-AB', [...many, finding('critical')]);
  t.is(named.length, FINDINGS_PER_RFC_MAX + 1);
  t.is(named[0]?.severity, 'critical');
  const overflow = named.find((entry) => entry.id === 'findings-overflow');
  t.regex(overflow?.message ?? '', /^101 more/);
  t.is(overflow?.severity, 'high');
  t.is(new Set(named.map((entry) => entry.finding_id)).size, named.length);
});

test('nameFindings lists suppressed findings last and does not block for those alone', (t) => {
  const suppressed = { by: 'cra-ignore', reason: 'known' };
  const many = Array.from({ length: 600 }, (_, line) => finding('critical', { line, suppressed }));
  const named = nameFindings('RFC-AB', [...many, finding('low')]);
  t.is(named[0]?.severity, 'low');
  const overflow = named.find((entry) => entry.id === 'findings-overflow');
  t.regex(overflow?.message ?? '', /^101 more suppressed/);
  t.is(overflow?.severity, 'info');
});

const NO_HINTS = readMessage('');

function shapeOf(over: Partial<ChangeShape>): ChangeShape {
  return { ...EMPTY_SHAPE, la: 1, nf: 1, nd: 1, ns: 1, hunks: 1, ...over };
}

const SMALL = shapeOf({ nf_code: 1, code_la: 1, src_la: 1 });
const LARGE = shapeOf({
  la: 900,
  nf: 20,
  nd: 9,
  ns: 3,
  hunks: 70,
  nf_code: 15,
  code_la: 700,
  src_la: 600,
  cx_add: 50,
});

function score(shape: ChangeShape, findings: GateFinding[] = [], message = '') {
  return scoreChange(assessChange(shape, readMessage(message)), findings);
}

const COUNT = fc.oneof(fc.nat(5), fc.nat(200), fc.nat(1_000_000));
const NAMES = Object.keys(EMPTY_SHAPE) as (keyof ChangeShape)[];
const SHAPES = fc
  .tuple(...NAMES.map(() => COUNT))
  .map((counts) => Object.fromEntries(NAMES.map((name, at) => [name, counts[at]])))
  .map((counts) => counts as unknown as ChangeShape);
const FINDINGS = fc.array(
  fc.record({
    severity: fc.constantFrom(...SEVERITIES),
    id: fc.constantFrom('risk-a', 'vuln-01', 'outside-diff'),
  }),
);

test('scoreChange is 0..100, does not depend on order, and no finding lowers it', (t) => {
  fc.assert(
    fc.property(SHAPES, FINDINGS, (shape, drawn) => {
      const findings = drawn.map(({ severity, id }) => finding(severity, { id }));
      const change = assessChange(shape, NO_HINTS);
      const { risk_score, parts } = scoreChange(change, findings);
      t.true(Number.isInteger(risk_score) && risk_score >= 0 && risk_score <= 100);
      t.is(parts.change_risk + parts.findings_risk, risk_score);
      t.true(parts.findings_risk >= 0);
      t.true(parts.factors.length <= FACTORS_MAX);
      t.deepEqual(scoreChange(change, [...findings].reverse()), { risk_score, parts });
      t.true(scoreChange(change, findings.slice(1)).risk_score <= risk_score);
    }),
  );
});

/** Sums of other numbers are rounded in another way; the score has whole points. */
const ROUNDING = 1e-9;

test('assessChange never falls when a change grows', (t) => {
  fc.assert(
    fc.property(SHAPES, SHAPES, (shape, more) => {
      const grown = { ...shape };
      for (const name of NAMES) grown[name] += more[name];
      const before = assessChange(shape, NO_HINTS).chance;
      return assessChange(grown, NO_HINTS).chance >= before - ROUNDING;
    }),
    { numRuns: someRuns(1_000) },
  );
  t.pass();
});

test('assessChange goes by the size of a change', (t) => {
  const small = assessChange(SMALL, NO_HINTS).chance;
  const large = assessChange(LARGE, NO_HINTS).chance;
  t.true(small < 0.12, String(small));
  t.true(large > 0.5, String(large));
});

test('no message moves the score by more than ten points', (t) => {
  const hint = fc.constantFrom(0, 1);
  const hints = fc.record({
    fix: hint,
    revert: hint,
    refactor: hint,
    feature: hint,
    trivial: hint,
  });
  fc.assert(
    fc.property(SHAPES, hints, (shape, claimed) => {
      const silent = assessChange(shape, NO_HINTS).chance;
      const moved = assessChange(shape, claimed).chance;
      t.true(Math.abs(moved - silent) <= 0.1);
    }),
  );
});

test('the factors of a change and the base add up to its chance', (t) => {
  const sumOf = (shape: ChangeShape, hints: MessageHints) => {
    const { chance, factors } = assessChange(shape, hints);
    return 100 * chance - factors.reduce((sum, { points }) => sum + points, 0);
  };
  const base = sumOf(EMPTY_SHAPE, NO_HINTS);
  t.true(base > 10 && base < 50, String(base));
  fc.assert(
    fc.property(SHAPES, fc.boolean(), (shape, isFix) => {
      const hints = readMessage(isFix ? 'Fix a race' : '');
      return Math.abs(sumOf(shape, hints) - base) < 1e-6;
    }),
  );
});

test('scoreChange gives a one-line change with a critical finding at least 85', (t) => {
  const { risk_score, parts } = score(SMALL, [finding('critical')]);
  t.true(risk_score >= 85);
  t.is(parts.change_risk + parts.findings_risk, risk_score);
  t.regex(parts.factors[0] ?? '', /^\+\d+: critical finding risk-critical$/);
  t.true(score(SMALL, [finding('high')]).risk_score >= 50);
});

test('scoreChange counts a rule once and combines rules by noisy-or', (t) => {
  const change = { chance: 0.2, factors: [] };
  const of = (...findings: GateFinding[]) => scoreChange(change, findings).risk_score;
  t.is(of(), 20);
  t.is(of(finding('medium')), 36);
  t.is(of(finding('medium'), finding('medium')), 36);
  t.is(of(finding('medium'), finding('low')), 39);
  t.is(of(finding('high', { id: 'risk-a' }), finding('high', { id: 'risk-b' })), 80);
  t.is(of(finding('info')), 20);
});

test('scoreChange gives hardly a point for what was not looked at, whatever its severity', (t) => {
  const change = { chance: 0.2, factors: [] };
  for (const id of ['outside-diff', 'scan-crashed', 'ast-unparsed', 'llm-unreviewed']) {
    t.is(scoreChange(change, [finding('critical', { id })]).risk_score, 22, id);
    t.is(scoreChange(change, [finding('info', { id })]).risk_score, 20, id);
  }
  t.is(scoreChange(change, [finding('critical', { id: 'vuln-01' })]).risk_score, 88);
});

test('scoreChange ignores suppressed findings', (t) => {
  const suppressed = finding('critical', { suppressed: { by: 'cra-ignore', reason: 'why' } });
  t.deepEqual(score(SMALL, [suppressed]), score(SMALL));
});

test('scoreChange names the strongest factors with sign and value, strongest first', (t) => {
  const { factors, model } = score(LARGE, [finding('low')], 'Add a cart').parts;
  t.is(factors.length, FACTORS_MAX);
  for (const factor of factors) t.regex(factor, /^(?:\+|-)[1-9]\d*: \S/);
  t.true(factors.some((factor) => factor.endsWith(': 900 non-blank lines added')));
  const points = factors.map((factor) => Math.abs(Number.parseInt(factor, 10)));
  t.deepEqual(
    points,
    [...points].sort((a, b) => b - a),
  );
  t.regex(model, /^\S+-\d+$/);
});

test('scoreChange has words for one line and for one file', (t) => {
  const { factors } = score(SMALL).parts;
  t.true(factors.includes(factors.find((factor) => / 1 non-blank line added/.test(factor)) ?? ''));
  t.false(factors.some((factor) => /\b1 (?:lines|files|directories|places)\b/.test(factor)));
});

const NONE: MessageHints = { fix: 0, revert: 0, refactor: 0, feature: 0, trivial: 0 };

const MESSAGES: readonly (readonly [string, Partial<MessageHints>])[] = [
  ['', {}],
  ['Raise the limit', {}],
  ['Fix a crash in the parser', { fix: 1 }],
  ['Raise the limit\n\nFixes #12: a race', { fix: 1 }],
  ['Prefix the keys', {}],
  ['Revert "Enable TLS"', { revert: 1, feature: 1 }],
  ['Clean up the loader', { refactor: 1 }],
  ['Add retries', { feature: 1 }],
  ['Raise the limit\n\nAdd retries, rename things, typo', {}],
  ['typo in docs', { trivial: 1 }],
];

for (const [message, hints] of MESSAGES) {
  test(`readMessage of ${JSON.stringify(message)}`, (t) => {
    t.deepEqual(readMessage(message), { ...NONE, ...hints });
  });
}
const VULNERABILITIES = Array.from({ length: 1_100 }, (_, index) =>
  finding('critical', { id: `vuln-0${1 + (index % 3)}`, gate: 'ast', line: index + 1 }),
);

test('verdictOfGates fails a gate whose findings are all beyond the list', (t) => {
  const secrets = VULNERABILITIES.map((one) => ({ ...one, id: 'vuln-04', gate: 'risk' as const }));
  const { gates, hard_limits } = judge([...secrets, finding('high', { id: 'ast-a', gate: 'ast' })]);
  t.deepEqual(gates.ast.findings, []);
  t.is(gates.ast.status, 'fail');
  t.deepEqual(hard_limits, ['vuln-04']);
});

test('verdictOfGates lists vulnerabilities first, and names each in hard_limits', (t) => {
  const secrets = Array.from({ length: 1_100 }, () => finding('critical', { file: 'a' }));
  const high = VULNERABILITIES.slice(0, 3).map((one) => ({ ...one, severity: 'high' as const }));
  const { gates, hard_limits } = judge([...secrets, ...high]);
  t.deepEqual(
    gates.ast.findings.map(({ id }) => id),
    ['vuln-01', 'vuln-02', 'vuln-03'],
  );
  t.deepEqual(hard_limits, ['vuln-01', 'vuln-02', 'vuln-03']);
  t.is(gates.risk.findings.length + gates.ast.findings.length, FINDINGS_PER_RFC_MAX + 1);
});

test('verdictOfGates counts what is suppressed beyond the list, and llm as a limit', (t) => {
  const many = VULNERABILITIES.map((one) => ({ ...one, id: 'ast-a', suppressed: SUPPRESSED }));
  const llm = { ...skippedGate('no_tier'), status: 'fail' as const };
  const { gates, hard_limits } = verdictOfGates('RFC-1', many, { risk: 1, ast: 1 }, SETTINGS, llm);
  t.is(gates.ast.suppressed_count, 1_100);
  t.is(gates.ast.status, 'pass');
  t.deepEqual(hard_limits, ['llm']);
  t.is(overallStatus(gates, 0, SETTINGS), 'BLOCKED');
});

const [FOUND] = nameFindings('RFC-1', [finding('high', { gate: 'llm', id: 'llm-injection' })]);
const withReview = (llm: NonNullable<PipelineSettings['llm']>) => ({ ...SETTINGS, llm });

test('verdictOfReview fails for an open finding, not for a suppressed one, and never in shadow', (t) => {
  if (FOUND === undefined) return t.fail();
  const judged = (found: typeof FOUND, settings = SETTINGS) => {
    const { status, skip_reason, suppressed_count } = verdictOfReview([found], null, settings, 1);
    return [status, skip_reason, suppressed_count];
  };
  t.deepEqual(judged(FOUND), ['fail', null, 0]);
  t.deepEqual(judged({ ...FOUND, suppressed: SUPPRESSED }), ['pass', null, 1]);
  t.deepEqual(judged(FOUND, withReview({ mode: 'shadow' })), ['skipped', 'shadow', 0]);
});

test('what no model has read is held, which blocks, unless the rules allow it', (t) => {
  const outcome = (settings: PipelineSettings) => {
    const llm = verdictOfReview([], 'timeout', settings, 1);
    const { gates } = judge([]);
    return [llm.status, llm.skip_reason, overallStatus({ ...gates, llm }, 0, settings)];
  };
  t.deepEqual(outcome(SETTINGS), ['skipped', 'timeout', 'BLOCKED']);
  t.deepEqual(outcome(withReview({ on_skipped: 'allow' })), ['skipped', 'timeout', 'PASSED']);
});

test('the gates of a DRAFT do not pass', (t) => {
  const { risk, ast, llm } = pendingGates('RFC-1');
  t.deepEqual([risk.status, ast.status, llm.status], ['fail', 'fail', 'skipped']);
});

test('gateToCome asks no model about forks and new authors, unless the rules say so', (t) => {
  const gates = pendingGates('RFC-1');
  const ran = {
    risk: { ...gates.risk, status: 'pass' as const },
    ast: { ...gates.ast, status: 'pass' as const },
  };
  const pull = {
    number: 7,
    title: 'Add it',
    author: 'eve',
    from_fork: false,
    first_time: false,
    base_branch: 'main',
    url: null,
  };
  const reasonOf = (change: Partial<typeof pull> | null, review_forks?: 'on' | 'off') => {
    const llm = review_forks === undefined ? {} : { review_forks };
    const pull_request = change === null ? undefined : { ...pull, ...change };
    const wish = { reviews: true, pull_request };
    return gateToCome(ran, 0, { ...SETTINGS, llm }, wish).skip_reason;
  };
  t.is(reasonOf(null), 'pending');
  t.is(reasonOf({}), 'pending', 'a branch of the repository');
  t.is(reasonOf({ from_fork: true }), 'review_forks');
  t.is(reasonOf({ first_time: true }), 'review_forks');
  t.is(reasonOf({ from_fork: true, first_time: true }, 'on'), 'pending');
  t.is(gateToCome(ran, 0, SETTINGS, { reviews: false }).skip_reason, 'no_tier');
  // A change that no model has read does not pass where gate 3 is enforced.
  const heldUnder = (llm: object) => {
    const pull_request = { ...pull, from_fork: true };
    return gateToCome(ran, 0, { ...SETTINGS, llm }, { reviews: true, pull_request }).held;
  };
  t.true(heldUnder({}));
  t.is(heldUnder({ on_skipped: 'allow' }), undefined);
  t.is(heldUnder({ mode: 'shadow' }), undefined);
});
