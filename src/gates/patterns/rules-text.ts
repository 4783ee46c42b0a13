import { parse as parseToml } from 'smol-toml';
import { CraError } from '../../model/errors.ts';
import {
  type BuiltRules,
  emptyLists,
  type Pattern,
  RULES_FILE,
  type RuleSet,
  type RulesFile,
  type RulesText,
  rulesRevision,
} from '../../model/rules.ts';
import { createProblemFinder } from '../../model/validate.ts';
import { type ImportProblem, importGitleaks } from './gitleaks.ts';
import { type CpuTime, checkRuleSet } from './rule-check.ts';

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

/** A rules file as it stands: its rules are neither resolved nor compiled. */
interface RawRulesFile {
  /** Null when the problems leave nothing to work with. */
  file: RulesFile | null;
  problems: ImportProblem[];
}

/**
 * Reads rules and lists everything that their form alone makes wrong. Throws INVALID_ARGUMENT only
 * where there is nothing to list: the text is neither JSON nor TOML.
 */
export function parseRulesText(source: RulesText, defaults: RuleSet): RawRulesFile {
  const parsed = parseText(source);
  const imported = source.isToml ? importGitleaks(parsed, defaults) : null;
  const file = imported?.file ?? parsed;
  const problems = [...(imported?.problems ?? [])];
  for (const { field, problem } of createProblemFinder(RULES_FILE, 'rules file')(file)) {
    const rule = ruleAt(file, field);
    const name = rule === null ? field : field.split('.').slice(2).join('.') || 'it';
    problems.push({ rule, message: `${name}: ${problem}`, level: 'error' });
  }
  const isUsable = problems.length === (imported?.problems.length ?? 0);
  return { file: isUsable ? (file as RulesFile) : null, problems };
}

/** A problem as a sentence that names its rule. */
export function describeProblem({ rule, message }: ImportProblem): string {
  return rule === null ? message : `rule ${rule}: ${message}`;
}

function parseText({ name, text, isToml }: RulesText): unknown {
  try {
    return isToml ? parseToml(text) : JSON.parse(text);
  } catch (thrown) {
    // A parser may show the place in several lines of the text.
    const reason = (thrown as Error).message.split('\n', 1)[0];
    throw new CraError('INVALID_ARGUMENT', `${name}: ${reason}`, { cause: thrown });
  }
}

/** The id of the pattern that a field such as `risk_patterns.3.regex` belongs to, if it has one. */
function ruleAt(file: unknown, field: string): string | null {
  const [list, index, ...rest] = field.split('.');
  if (!list?.endsWith('_patterns') || index === undefined) return null;
  const entries = (file as Record<string, unknown>)[list];
  const entry: unknown = Array.isArray(entries) ? entries[Number(index)] : null;
  const id = typeof entry === 'object' && entry !== null && 'id' in entry ? entry.id : null;
  return rest[0] !== 'id' && typeof id === 'string' ? id.slice(0, 100) : null;
}

/**
 * The rule set that a file stands for: with `extends` its patterns come on top of the built-in
 * ones (one with the same id replaces it), less the `disabled_rules`. Throws INVALID_ARGUMENT, also
 * when a list is left empty (`emptyLists`) and the file does not say `allow_empty`.
 */
export function resolveRules(name: string, file: RulesFile, defaults: RuleSet): RuleSet {
  const base = baseOf(file, defaults);
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
    ...(file.allow_empty === true ? { allow_empty: true } : {}),
    pipeline: { ...defaults.pipeline, ...file.pipeline },
  };
  const [unknown] = disabled;
  if (unknown !== undefined) {
    const message = `${name}: disabled_rules: there is no rule ${unknown}`;
    throw new CraError('INVALID_ARGUMENT', message);
  }
  const [empty] = emptyLists(rules);
  if (empty !== undefined && file.allow_empty !== true) {
    const message =
      `${name}: no ${empty} are left, so nothing of that class would ` +
      `${empty === 'block_severities' ? 'block' : 'be found'}: add ` +
      '"extends": "default", or "allow_empty": true if that is meant';
    throw new CraError('INVALID_ARGUMENT', message);
  }
  return rules;
}

function baseOf(file: RulesFile, defaults: RuleSet): Omit<RuleSet, 'pipeline'> {
  if (file.extends === undefined) return EMPTY;
  return file.extends === 'default'
    ? defaults
    : { ...defaults, secret_patterns: [], allowlists: [] };
}

const EMPTY: Omit<RuleSet, 'pipeline'> = {
  version: 1,
  risk_patterns: [],
  secret_patterns: [],
  vulnerability_patterns: [],
  allowlists: [],
};
