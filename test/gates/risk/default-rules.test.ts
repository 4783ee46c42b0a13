import test from 'ava';
import { checkRuleSet } from '../../../src/gates/risk/rule-check.ts';
import { defaultRules } from '../../../src/gates/risk/rules/default.ts';

test('the built-in rules compile and pass their own examples', (t) => {
  t.deepEqual(checkRuleSet(defaultRules), { problems: [], failed: [] });
});
