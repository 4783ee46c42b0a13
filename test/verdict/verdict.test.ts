import test from 'ava';
import { FINDINGS_PER_RFC_MAX } from '../../src/limits.ts';
import {
  type GateFinding,
  type GateName,
  plainFinding,
  type Severity,
} from '../../src/model/finding.ts';
import type { PipelineSettings } from '../../src/model/rules.ts';
import { nameFindings } from '../../src/verdict/findings.ts';
import { gateResult, overallStatus, skippedGate } from '../../src/verdict/verdict.ts';

const SETTINGS: PipelineSettings = { block_severities: ['critical', 'high'], block_score: null };

function finding(severity: Severity, over: Partial<GateFinding> = {}): GateFinding {
  return plainFinding({ id: `risk-${severity}`, gate: 'risk', severity, message: 'm', ...over });
}

function statusOf(findings: GateFinding[], settings = SETTINGS, score = 0) {
  const named = nameFindings('RFC-1', findings);
  const gate = (name: GateName) => gateResult(name, named, 1, settings);
  return overallStatus(
    { risk: gate('risk'), ast: gate('ast'), llm: skippedGate('none') },
    score,
    settings,
  );
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
