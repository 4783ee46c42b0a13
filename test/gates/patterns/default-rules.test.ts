import test from 'ava';
import { checkRuleSet } from '../../../src/gates/patterns/rules-text.ts';
import { defaultRules } from '../../../src/rules/default.ts';

test('the built-in rules compile and pass their own examples', (t) => {
  t.deepEqual(
    checkRuleSet(defaultRules, defaultRules, () => 0),
    { problems: [], failed: [], slow: [] },
  );
});
