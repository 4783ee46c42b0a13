import { parseArgs } from 'node:util';
import { parseRulesText, resolveRules } from '../gates/patterns/rules-text.ts';
import { CraError } from '../model/errors.ts';
import { severityRank, titleOfId } from '../model/finding.ts';
import type { Pattern, RuleSet } from '../model/rules.ts';
import { readBuiltInRules, readRulesText } from '../rulebook/active-rules.ts';
import { KIND_PAGES, NOTE_PAGES } from '../rules/wording/pages.ts';
import { printable } from './terminal.ts';

/**
 * `cra rules show`: explains rules by their ids, or lists the rules that hold a text. Resolves with
 * 0 when it shows a rule, else with 1.
 */
export async function showRules(args: string[]): Promise<number> {
  const { values, positionals: ids } = parseArgs({
    args,
    options: OPTIONS,
    allowPositionals: true,
  });
  const { search, file, json } = values;
  if (ids.length > 0 && search !== undefined) {
    throw new CraError('INVALID_ARGUMENT', 'give either ids of rules or --search');
  }
  const patterns = patternsOf(file === undefined ? readBuiltInRules().rules : rulesOf(file));
  if (ids.length > 0) return explain(patterns, ids, json === true);
  const found = patterns.filter((pattern) => search === undefined || holds(pattern, search));
  process.stdout.write(json ? asJson(found) : found.map(lineOf).join(''));
  return found.length > 0 ? 0 : 1;
}

const OPTIONS = {
  search: { type: 'string' },
  file: { type: 'string' },
  json: { type: 'boolean' },
} as const;

function rulesOf(path: string): RuleSet {
  const { rules: builtIn } = readBuiltInRules();
  const { name, ...source } = readRulesText(path);
  const { file } = parseRulesText({ name, ...source }, builtIn);
  if (file === null) throw new CraError('INVALID_ARGUMENT', `${name} has errors: cra rules check`);
  return resolveRules(name, file, builtIn);
}

/** All patterns, the gravest first. */
function patternsOf(rules: RuleSet): readonly Pattern[] {
  const { secret_patterns, risk_patterns, vulnerability_patterns } = rules;
  const all = [...secret_patterns, ...risk_patterns, ...vulnerability_patterns];
  const rank = ({ severity }: Pattern) => severityRank(severity);
  return all.sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1));
}

function holds({ id, description, message, tags = [] }: Pattern, text: string): boolean {
  const wanted = text.toLowerCase();
  return [id, description, message, ...tags].some((one) => one.toLowerCase().includes(wanted));
}

function explain(patterns: readonly Pattern[], ids: readonly string[], isJson: boolean): number {
  const found = patterns.filter(({ id }) => ids.includes(id));
  const others = new Map(ids.map((id) => [id, pageOf(id)]));
  const missing = ids.filter(
    (id) => !found.some((one) => one.id === id) && (isJson || others.get(id) === null),
  );
  const pages = [...others.values()].filter((text) => text !== null);
  process.stdout.write(isJson ? asJson(found) : [...found.map(textOf), ...pages].join('\n'));
  for (const id of missing) {
    const reason = others.get(id) === null ? reasonOf(id) : 'it has no pattern to show as JSON';
    process.stderr.write(`${printable(id)}: ${reason}\n`);
  }
  return missing.length === 0 ? 0 : 1;
}

/** What a finding of gate 2 or a finding without a rule means; null: its id is neither. */
function pageOf(id: string): string | null {
  const note = Object.hasOwn(NOTE_PAGES, id) ? NOTE_PAGES[id] : undefined;
  if (note !== undefined) {
    const [means, act] = note;
    const fields = fieldsOf([
      ['what', means],
      ['fix', act],
    ]);
    return `${id}  ${titleOfId(id) ?? ''}\n${fields.join('')}`;
  }
  const kind = KIND_PAGES.find(({ bad }) => Object.hasOwn(bad, id));
  if (kind === undefined) return null;
  const about = fieldsOf([
    ['finds', kind.finds],
    ['what', kind.why],
    ['fix', kind.fix],
    ['cwe', kind.cwe.join(', ')],
  ]);
  const shown = [exampleOf('finds', kind.bad[id] ?? ''), exampleOf('passes', kind.good)];
  return [`${id}  gate 2\n`, ...about, ...shown].join('');
}

function reasonOf(id: string): string {
  if (id.startsWith('llm-')) return 'a finding of gate 3';
  return 'no such rule; cra rules show --search TEXT lists rules by a text';
}

function lineOf({ id, severity, description }: Pattern): string {
  return `${severity.padEnd(8)}  ${printable(id)}  ${printable(description)}\n`;
}

function textOf(pattern: Pattern): string {
  const { id, severity, description, message, fix, cwe, source, regex, path, examples } = pattern;
  const about = fieldsOf([
    ['what', message],
    ['fix', fix],
    ['cwe', cwe],
    ['source', source],
    ['path', path],
  ]);
  const shown = [
    ...examples.match.map((text) => exampleOf('finds', text)),
    ...examples.noMatch.map((text) => exampleOf('passes', text)),
  ];
  const head = `${printable(id)}  ${severity}  ${printable(description)}\n`;
  return [head, ...about, ...shown, ...fieldsOf([['regex', regex]])].join('');
}

function fieldsOf(fields: readonly (readonly [string, string | undefined])[]): string[] {
  return fields.flatMap(([name, text]) => {
    return text === undefined ? [] : [`  ${name.padEnd(7)} ${printable(text)}\n`];
  });
}

function exampleOf(name: string, text: string): string {
  const lines = text.replace(/\n$/, '').split('\n');
  return `  ${name}\n${lines.map((line) => `    | ${printable(line)}\n`).join('')}`;
}

function asJson(patterns: readonly Pattern[]): string {
  return `${JSON.stringify(patterns, null, 2)}\n`;
}
