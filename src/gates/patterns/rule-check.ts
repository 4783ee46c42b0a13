import { CraError } from '../../model/errors.ts';
import type { Pattern, RuleSet } from '../../model/rules.ts';
import { type CompiledRules, compileRules } from './compile.ts';
import { checkExamples } from './examples.ts';

const LISTS = ['secret_patterns', 'risk_patterns', 'vulnerability_patterns'] as const;

/**
 * Everything that is wrong with a rule set: each rule and each allowlist that does not compile, by
 * itself; if all do, what is wrong with them together; if nothing is, the examples that fail.
 * Sentences name the rule. `failed`: ids of the rules that do not compile.
 */
export function checkRuleSet(set: RuleSet): { problems: string[]; failed: string[] } {
  const whole = compiled(set);
  if (typeof whole !== 'string') return { problems: checkExamples(whole), failed: [] };
  const failed: string[] = [];
  const problems: string[] = [];
  for (const name of LISTS) {
    for (const pattern of set[name]) {
      const problem = compiled(only(name, [pattern]));
      if (typeof problem !== 'string') continue;
      failed.push(pattern.id);
      problems.push(problem);
    }
  }
  for (const [index, list] of set.allowlists.entries()) {
    const problem = compiled({ ...only('secret_patterns', []), allowlists: [list] });
    if (typeof problem === 'string') problems.push(`allowlists[${index}] ${problem}`);
  }
  return { problems: problems.length > 0 ? problems : [whole], failed };
}

function only(name: (typeof LISTS)[number], patterns: readonly Pattern[]): RuleSet {
  const pipeline = { block_severities: [], block_score: null };
  const none = { risk_patterns: [], secret_patterns: [], vulnerability_patterns: [] };
  return { version: 1, ...none, [name]: patterns, allowlists: [], pipeline };
}

/** The compiled rules, or why they do not compile. */
function compiled(set: RuleSet): CompiledRules | string {
  try {
    return compileRules(set);
  } catch (thrown) {
    return CraError.fromUnknown(thrown).message;
  }
}
