import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildRules, checkRuleSet } from '../src/gates/patterns/rules-text.ts';
import type { RuleSet, RulesJob } from '../src/model/rules.ts';
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
    return { ...check, problems: await tryRows(job.rules) };
  }
  const answer = buildRules(job.source, defaultRules, cpuTime);
  // Rows that were accepted before are let be: another engine may do without them.
  if (answer.built === null || job.source.isStored === true) return answer;
  const problems = await tryRows(answer.built.rules);
  return problems.length === 0 ? answer : { problems, built: null };
});

/** Problems of rows for gate 2, by their examples; without rows no parser is loaded. */
async function tryRows({ ast }: RuleSet): Promise<string[]> {
  const rows = ast?.catalogue ?? [];
  if (rows.length === 0) return [];
  const { tryOwnRows } = await import('../src/gates/syntax/own-examples.ts');
  return tryOwnRows(rows, (name) => readFile(fileURLToPath(import.meta.resolve(name))));
}
