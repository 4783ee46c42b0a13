import { CraError } from '../../model/errors.ts';
import { allPatterns, PATTERN_LISTS, type Pattern, type RuleSet } from '../../model/rules.ts';
import { type CompiledRules, compileRules } from './compile.ts';
import { checkExamples } from './examples.ts';
import { type CpuTime, findSlowRules } from './rule-cost.ts';

/** What trying a rule set brought to light, in sentences that name the rule. */
export interface RulesCheck {
  /** With one of these the rules must not become active. */
  problems: string[];
  /** Ids of the rules that do not compile. */
  failed: string[];
  /** Rules that take too much CPU time. */
  slow: string[];
}

/**
 * Everything that is wrong with a rule set: each rule and each allowlist that does not compile, by
 * itself; if all do, what is wrong with them together; if nothing is, the examples that fail.
 * Rules that `defaults` has, too, are not timed.
 */
export function checkRuleSet(set: RuleSet, defaults: RuleSet, cpuTime: CpuTime): RulesCheck {
  const whole = compiled(set);
  if (typeof whole !== 'string') {
    const slow = findSlowRules(whole.rules, allPatterns(defaults), cpuTime);
    return { problems: checkExamples(whole), failed: [], slow };
  }
  const failed: string[] = [];
  const problems: string[] = [];
  for (const name of PATTERN_LISTS) {
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
  return { problems: problems.length > 0 ? problems : [whole], failed, slow: [] };
}

function only(name: (typeof PATTERN_LISTS)[number], patterns: readonly Pattern[]): RuleSet {
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
