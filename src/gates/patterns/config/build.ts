import { CraError } from '../../../model/errors.ts';
import {
  type BuiltRules,
  type RuleSet,
  type RulesText,
  rulesRevision,
} from '../../../model/rules.ts';
import { checkRuleSet } from '../rule-check.ts';
import { describeProblem, parseRulesText, resolveRules } from './rules-text.ts';

/** Reads rules, resolves, compiles and tries them on their own examples. */
export function buildRules(source: RulesText, defaults: RuleSet): BuiltRules {
  try {
    return build(source, defaults);
  } catch (thrown) {
    if (!(thrown instanceof CraError)) throw thrown;
    return { problems: [thrown.message], built: null };
  }
}

function build(source: RulesText, defaults: RuleSet): BuiltRules {
  const { file, problems } = parseRulesText(source, defaults);
  const errors = problems.filter(({ level }) => level === 'error').map(describeProblem);
  if (file === null || errors.length > 0) return { problems: errors, built: null };
  const rules = resolveRules(source.name, file, defaults);
  const failures = checkRuleSet(rules).problems;
  if (failures.length > 0) return { problems: failures, built: null };
  const json = new TextEncoder().encode(JSON.stringify(rules));
  const built = { rules, revision: rulesRevision(rules), json, fileText: JSON.stringify(file) };
  return { problems: [], built };
}
