import { CraError } from '../domain/errors.ts';
import type { RuleSet } from '../domain/rules.ts';
import { rulesRevision } from '../domain/rules-revision.ts';
import { RULES } from '../limits.ts';
import type { RulesSource } from '../pipeline/job.ts';
import { runInChild } from '../rpc/one-shot.ts';
import { workerEntry } from '../rpc/thread-entry.ts';
import { readRulesFile } from './rules-file.ts';

/** What is wrong with a rule set, as the process that checks it answers. */
export interface RulesCheck {
  /** Sentences that name the rule. */
  problems: string[];
  /** Ids of the rules that cannot be compiled. */
  failed: string[];
}

/**
 * The rules to run under: `defaults`, or those of a file. A file's rules are compiled and tried on
 * their own examples in a process of their own first, so that rules which kill or stall it never
 * reach the threads; throws INVALID_ARGUMENT naming each bad one. The built-in rules are part of
 * the program, whose tests do the same with them: at each start it would take seconds.
 */
export async function loadActiveRules(
  path: string | null,
  defaults: RuleSet,
): Promise<RulesSource> {
  if (path === null) return revisionOf(defaults);
  const rules = readRulesFile(path, defaults);
  const { problems } = await checkRules(rules);
  if (problems.length > 0) {
    const shown = problems.slice(0, RULES.PROBLEMS_SHOWN_MAX).join('; ');
    const more = problems.length - RULES.PROBLEMS_SHOWN_MAX;
    const rest = more > 0 ? `; and ${more} more` : '';
    throw new CraError('INVALID_ARGUMENT', `rules ${path}: ${shown}${rest}`);
  }
  return revisionOf(rules);
}

function revisionOf(rules: RuleSet): RulesSource {
  return { revision: rulesRevision(rules), rules };
}

/** Compiles rules and runs their examples in a process of its own; says what is wrong with them. */
export async function checkRules(rules: RuleSet): Promise<RulesCheck> {
  return (await runInChild(workerEntry('rules'), rules, RULES.CHECK_DEADLINE_MS)) as RulesCheck;
}
