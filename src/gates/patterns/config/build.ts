import { CraError } from '../../../model/errors.ts';
import {
  type BuiltRules,
  type RuleSet,
  type RulesText,
  rulesRevision,
} from '../../../model/rules.ts';
import { checkRuleSet } from '../rule-check.ts';
import type { CpuTime } from '../rule-cost.ts';
import { describeProblem, parseRulesText, resolveRules } from './rules-text.ts';

/** Reads rules, resolves, compiles and tries them on their own examples. */
export function buildRules(source: RulesText, defaults: RuleSet, cpuTime: CpuTime): BuiltRules {
  try {
    return build(source, defaults, cpuTime);
  } catch (thrown) {
    if (!(thrown instanceof CraError)) throw thrown;
    return { problems: [thrown.message], built: null };
  }
}

function build(source: RulesText, defaults: RuleSet, cpuTime: CpuTime): BuiltRules {
  const { file, problems } = parseRulesText(source, defaults);
  const errors = problems.filter(({ level }) => level === 'error').map(describeProblem);
  if (file === null || errors.length > 0) return { problems: errors, built: null };
  const rules = resolveRules(source.name, file, defaults);
  const check = checkRuleSet(rules, defaults, cpuTime);
  if (check.problems.length > 0) return { problems: check.problems, built: null };
  const json = new TextEncoder().encode(JSON.stringify(rules));
  const fileText = JSON.stringify(file);
  const revision = rulesRevision(rules);
  return { problems: [], built: { rules, revision, json, fileText, slow: check.slow } };
}
