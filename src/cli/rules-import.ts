import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { ImportProblem } from '../gates/patterns/config/gitleaks-config.ts';
import {
  describeProblem,
  parseRulesText,
  resolveRules,
} from '../gates/patterns/config/rules-text.ts';
import { CraError } from '../model/errors.ts';
import type { RulesFile } from '../model/rules.ts';
import { checkRules } from '../rulebook/active-rules.ts';
import { isToml, readRulesText } from '../rulebook/rules-file.ts';
import { defaultRules } from '../rules/default.ts';
import { printable } from './terminal.ts';

/**
 * `cra rules import`: writes the rules file that a gitleaks configuration stands for, and names
 * what is different. Resolves with 0, or 1 when something is left out.
 */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0 || !isToml(path)) {
    throw new CraError('INVALID_ARGUMENT', 'give the path of one gitleaks configuration, a .toml');
  }
  const source = readRulesText(path);
  const { file, problems } = parseRulesText(source, defaultRules);
  if (file === null) {
    report(problems);
    throw new CraError('INVALID_ARGUMENT', `${path}: the values above have no place in a rule`);
  }
  const compiled = await withoutBroken(source.name, file, problems);
  report(problems);
  const json = `${JSON.stringify(compiled, null, 2)}\n`;
  if (values.out === undefined) process.stdout.write(json);
  else writeFileSync(values.out, json);
  const count = compiled.secret_patterns?.length ?? 0;
  process.stderr.write(`${count} rules imported${values.out ? ` to ${values.out}` : ''}\n`);
  return problems.some(({ level }) => level === 'error') ? 1 : 0;
}

const OPTIONS = { out: { type: 'string', short: 'o' } } as const;

/** Leaves out the rules that RE2 refuses; adds why to `problems`. */
async function withoutBroken(
  name: string,
  file: RulesFile,
  problems: ImportProblem[],
): Promise<RulesFile> {
  const check = await checkRules(resolveRules(name, file, defaultRules));
  for (const message of check.problems) problems.push({ rule: null, message, level: 'error' });
  const failed = new Set(check.failed);
  const patterns = (file.secret_patterns ?? []).filter(({ id }) => !failed.has(id));
  return { ...file, secret_patterns: patterns };
}

function report(problems: readonly ImportProblem[]): void {
  for (const problem of problems) {
    process.stderr.write(`${problem.level}: ${printable(describeProblem(problem))}\n`);
  }
}
