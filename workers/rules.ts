import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildRules, checkRuleSet } from '../src/gates/patterns/rules-text.ts';
import { type Pattern, patternsBeside, type RuleSet, type RulesJob } from '../src/model/rules.ts';
import { serveOneShot } from '../src/rpc/thread-entry.ts';
import { readBuiltInRules } from '../src/rulebook/active-rules.ts';

function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Rules that kill or stall this process cost nothing else. */
serveOneShot(async (input) => {
  const job = input as RulesJob;
  const { rules: defaultRules } = readBuiltInRules();
  if (job.kind === 'check') {
    const check = checkRuleSet(job.rules, defaultRules, cpuTime);
    if (check.problems.length > 0) return check;
    return { ...check, problems: await tryParsed(job.rules, defaultRules) };
  }
  const answer = buildRules(job.source, defaultRules, cpuTime);
  // Rows that were accepted before are let be: another engine may do without them.
  if (answer.built === null || job.source.isStored === true) return answer;
  const problems = await tryParsed(answer.built.rules, defaultRules);
  return problems.length === 0 ? answer : { problems, built: null };
});

/**
 * Problems of freezes, and of rules on documents and of rows for gate 2 by their examples; without
 * them no parser is loaded. The rules of the program are tried by its own tests.
 */
async function tryParsed(
  { ast, risk_patterns, freezes = [] }: RuleSet,
  defaults: RuleSet,
): Promise<string[]> {
  if (freezes.length > 0) {
    const { freezeProblems } = await import('../src/deploys/freezes.ts');
    const wrong = await freezeProblems(freezes, Date.now());
    if (wrong.length > 0) return wrong;
  }
  const documents = risk_patterns.filter(({ document }) => document !== undefined);
  const problems = await tryDocuments(patternsBeside(defaults.risk_patterns, documents));
  const rows = ast?.catalogue ?? [];
  if (problems.length > 0 || rows.length === 0) return problems;
  const { tryOwnRows } = await import('../src/gates/syntax/own-examples.ts');
  return tryOwnRows(rows, (name) => readFile(fileURLToPath(import.meta.resolve(name))));
}

async function tryDocuments(patterns: readonly Pattern[]): Promise<string[]> {
  if (patterns.length === 0) return [];
  const { tryDocumentRules } = await import('../src/gates/configuration/document-examples.ts');
  return tryDocumentRules(patterns);
}
