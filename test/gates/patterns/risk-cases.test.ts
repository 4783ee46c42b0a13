import test from 'ava';
import { compileRules } from '../../../src/gates/patterns/compile.ts';
import { defaultRules } from '../../../src/rules/default.ts';
import { riskPatternGroups } from '../../../src/rules/risk.ts';
import { codeCases } from './risk-cases-code.ts';
import { operationCases } from './risk-cases-operations.ts';
import { scanText } from './scan-text.ts';

const RULES = compileRules({ ...defaultRules, secret_patterns: [] });
const CASES = { ...operationCases, ...codeCases };

test('every group of risk rules has labelled cases of its own', (t) => {
  t.deepEqual(Object.keys(CASES).sort(), Object.keys(riskPatternGroups).sort());
});

for (const [group, { found, quiet }] of Object.entries(CASES)) {
  test(`risk rules of ${group}: all true cases are found, no false one is`, (t) => {
    t.true(found.length >= 5 && quiet.length >= 5);
    const missed = found.filter(([id, path, text]) => {
      return !scanText(RULES, text, path).some((finding) => finding.id === id);
    });
    const alarms = quiet.flatMap(([path, text]) => {
      return scanText(RULES, text, path).map(({ id }) => `${id}: ${path}: ${text}`);
    });
    t.deepEqual(missed, []);
    t.deepEqual(alarms, []);
  });
}

test('risk rules on the labelled cases: 134 of 134 true ones found, 0 of 114 false ones', (t) => {
  const all = Object.values(CASES);
  t.is(
    all.reduce((sum, { found }) => sum + found.length, 0),
    134,
  );
  t.is(
    all.reduce((sum, { quiet }) => sum + quiet.length, 0),
    114,
  );
});
