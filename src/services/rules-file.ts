import { readFileSync } from 'node:fs';
import { CraError } from '../domain/errors.ts';
import { type Pattern, RULES_FILE, type RuleSet, type RulesFile } from '../domain/rules.ts';
import { createValidator } from '../domain/validate.ts';

/**
 * Reads a rules file (JSON). Throws INVALID_ARGUMENT that names the file and what is wrong with
 * it; the rules themselves are compiled and tested elsewhere (`checkRules`).
 */
export function readRulesFile(path: string, defaults: RuleSet): RuleSet {
  const validate = createValidator<RulesFile>(RULES_FILE, 'rules file');
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'));
  } catch (thrown) {
    const message = `rules file ${path}: ${(thrown as Error).message}`;
    throw new CraError('INVALID_ARGUMENT', message, { cause: thrown });
  }
  try {
    return resolveRules(validate(parsed), defaults);
  } catch (thrown) {
    const error = CraError.fromUnknown(thrown);
    const message = `rules file ${path}: ${error.message}`;
    throw new CraError(error.code, message, { details: error.details, cause: thrown });
  }
}

/**
 * The rule set that a file stands for: with `extends: "default"` its patterns come on top of the
 * built-in ones (one with the same id replaces it), less the `disabled_rules`.
 */
function resolveRules(file: RulesFile, defaults: RuleSet): RuleSet {
  const base = file.extends === 'default' ? defaults : EMPTY;
  const disabled = new Set(file.disabled_rules ?? []);
  const merge = (own: readonly Pattern[] | undefined, inherited: readonly Pattern[]) => {
    const replaced = new Set(own?.map((pattern) => pattern.id));
    const kept = inherited.filter((pattern) => !replaced.has(pattern.id));
    return [...kept, ...(own ?? [])].filter((pattern) => !disabled.delete(pattern.id));
  };
  const rules: RuleSet = {
    version: 1,
    risk_patterns: merge(file.risk_patterns, base.risk_patterns),
    secret_patterns: merge(file.secret_patterns, base.secret_patterns),
    vulnerability_patterns: merge(file.vulnerability_patterns, base.vulnerability_patterns),
    allowlists: [...base.allowlists, ...(file.allowlists ?? [])],
    ...(file.accepted === undefined ? {} : { accepted: file.accepted }),
    pipeline: { ...defaults.pipeline, ...file.pipeline },
  };
  const [unknown] = disabled;
  if (unknown !== undefined) {
    throw new CraError('INVALID_ARGUMENT', `disabled_rules: there is no rule ${unknown}`);
  }
  return rules;
}

const EMPTY: Omit<RuleSet, 'pipeline'> = {
  version: 1,
  risk_patterns: [],
  secret_patterns: [],
  vulnerability_patterns: [],
  allowlists: [],
};
