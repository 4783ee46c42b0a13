import { parseArgs } from 'node:util';
import {
  describeProblem,
  parseRulesText,
  resolveRules,
} from '../gates/patterns/config/rules-text.ts';
import { CraError } from '../model/errors.ts';
import type { RuleSet } from '../model/rules.ts';
import { checkRules } from '../rulebook/active-rules.ts';
import { readRulesText } from '../rulebook/rules-file.ts';
import { defaultRules } from '../rules/default.ts';
import { printable } from './terminal.ts';

/** `cra rules check`: says what is wrong with a file. Exit code 0, or 1 if there is. */
export async function run(args: string[]): Promise<number> {
  const { positionals } = parseArgs({ args, options: {}, allowPositionals: true });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) {
    throw new CraError('INVALID_ARGUMENT', 'give the path of one rules file');
  }
  const source = readRulesText(path);
  const { file, problems } = parseRulesText(source, defaultRules);
  const errors = problems.filter(({ level }) => level === 'error').map(describeProblem);
  const notes = problems.filter(({ level }) => level === 'note').map(describeProblem);
  let rules: RuleSet | null = null;
  if (file !== null) {
    rules = resolveRules(source.name, file, defaultRules);
    errors.push(...(await checkRules(rules)).problems);
  }
  for (const note of notes) process.stdout.write(`note: ${printable(note)}\n`);
  for (const error of errors) process.stdout.write(`error: ${printable(error)}\n`);
  process.stdout.write(`${printable(path)}: ${verdict(rules, errors.length)}\n`);
  return errors.length > 0 ? 1 : 0;
}

function verdict(rules: RuleSet | null, errors: number): string {
  if (errors > 0) return `${errors} ${errors === 1 ? 'error' : 'errors'}`;
  if (rules === null) return 'no rules';
  const { secret_patterns: secrets, risk_patterns: risks, vulnerability_patterns: vulns } = rules;
  const all = [...secrets, ...risks, ...vulns];
  const untried = all.filter(({ examples }) => examples.match.length === 0).length;
  const rest = untried === 0 ? '' : `; ${untried} without examples`;
  return `ok, ${secrets.length} secret, ${risks.length} risk, ${vulns.length} vulnerability patterns${rest}`;
}
