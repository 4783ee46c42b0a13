import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createCancelFlag } from '../core/deadline.ts';
import { parseDiff } from '../diff/parse.ts';
import { inspectConfiguration } from '../gates/configuration/inspect.ts';
import { joinFindings } from '../gates/configuration/join-findings.ts';
import { prepareRules } from '../gates/patterns/compile.ts';
import type { ImportProblem } from '../gates/patterns/gitleaks.ts';
import { describeProblem, parseRulesText, resolveRules } from '../gates/patterns/rules-text.ts';
import { runScan } from '../gates/patterns/scan.ts';
import { idleSeverities } from '../gates/patterns/severities.ts';
import { CraError } from '../model/errors.ts';
import { type GateFinding, headlineOf } from '../model/finding.ts';
import { RULES } from '../model/limits.ts';
import type { RuleSet, RulesFile } from '../model/rules.ts';
import { redactFindings } from '../redaction/redact.ts';
import {
  checkRules,
  isToml,
  loadActiveRules,
  readBuiltInRules,
  readRulesText,
} from '../rulebook/active-rules.ts';
import type { DryRunReport } from '../rulebook/rules-dry-run.ts';
import { showRules } from './rules-show.ts';
import { dataOf, withService } from './service-client.ts';
import { CLI, printable, readAll, wholeNumber } from './terminal.ts';

const { rules: defaultRules } = readBuiltInRules();

/** What can be done with rules: arguments in, exit code out. */
const ACTIONS: Readonly<Record<string, (args: string[]) => Promise<number>>> = {
  import: importRules,
  check: checkFile,
  test: testRules,
  'dry-run': dryRunRules,
  show: showRules,
};

/** `cra rules import|check|test|dry-run|show`. Resolves with the exit code of the action. */
export async function run([name, ...args]: string[]): Promise<number> {
  if (name === '--help' || name === '-h') {
    process.stdout.write(HELP);
    return 0;
  }
  const action = name !== undefined && Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined) {
    const what = name === undefined ? 'an action is missing' : `unknown action "${name}"`;
    throw new CraError('INVALID_ARGUMENT', `${what}\n\n${HELP}`);
  }
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(HELP);
    return 0;
  }
  return action(args);
}

/** `cra rules check`: names the problems of a file. Exit code 0, or 1 with problems. */
async function checkFile(args: string[]): Promise<number> {
  const { positionals } = parseArgs({ args, options: {}, allowPositionals: true });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) {
    throw new CraError('INVALID_ARGUMENT', 'give the path of one rules file');
  }
  const source = readRulesText(path);
  const { file, problems } = parseRulesText(source, defaultRules);
  const errors = problems.filter(({ level }) => level === 'error').map(describeProblem);
  const notes = problems.filter(({ level }) => level === 'note').map(describeProblem);
  const rules = file === null ? null : resolved(source.name, file, errors);
  if (rules !== null) {
    const check = await checkRules(rules);
    errors.push(...check.problems, ...check.slow);
    notes.push(...idleSeverities(rules));
  }
  for (const note of notes) process.stdout.write(`note: ${printable(note)}\n`);
  for (const error of errors) process.stdout.write(`error: ${printable(error)}\n`);
  process.stdout.write(`${printable(path)}: ${verdict(rules, errors.length)}\n`);
  return errors.length > 0 ? 1 : 0;
}

/** The rules that the file stands for; null when they cannot be put together: `errors` says why. */
function resolved(name: string, file: RulesFile, errors: string[]): RuleSet | null {
  try {
    return resolveRules(name, file, defaultRules);
  } catch (thrown) {
    if (!(thrown instanceof CraError)) throw thrown;
    errors.push(thrown.message);
    return null;
  }
}

function verdict(rules: RuleSet | null, errors: number): string {
  if (errors > 0) return `${errors} ${errors === 1 ? 'error' : 'errors'}`;
  if (rules === null) return 'no rules';
  const { secret_patterns: secrets, risk_patterns: risks, vulnerability_patterns: vulns } = rules;
  const all = [...secrets, ...risks, ...vulns];
  const untried = all.filter(({ examples }) => examples.match.length === 0).length;
  const rest = untried === 0 ? '' : `; ${untried} without examples`;
  const ids = rules.components?.map(({ id }) => id) ?? [];
  const parts = ids.length === 0 ? '' : `; components: ${printable(ids.join(', '))}`;
  const counts = `${secrets.length} secret, ${risks.length} risk, ${vulns.length} vulnerability`;
  return `ok, ${counts} patterns${rest}${parts}`;
}

/**
 * `cra rules import`: writes the rules file that a gitleaks configuration stands for, and names
 * what is different. Resolves with 0, or 1 when something is left out.
 */
async function importRules(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    options: IMPORT_OPTIONS,
    allowPositionals: true,
  });
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
  process.stderr.write(
    `${count} ${count === 1 ? 'rule' : 'rules'} imported${values.out ? ` to ${values.out}` : ''}\n`,
  );
  return problems.some(({ level }) => level === 'error') ? 1 : 0;
}

const IMPORT_OPTIONS = { out: { type: 'string', short: 'o' } } as const;

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

const HELP = `usage: cra rules import FILE.toml [--out FILE.json]
       cra rules check FILE
       cra rules test [FILE] (--text TEXT | --diff DIFF) [--path PATH] [--json]
       cra rules dry-run FILE [--server URL] [--limit N] [--json]
       cra rules show [RULE...] [--search TEXT] [--file FILE] [--json]

import  Turns a gitleaks configuration into a rules file. What cannot be done the same way is
        named with its rule; rules that cannot be run are left out.
        Exit code: 0 every rule was imported, 1 some were left out, 2 the command failed.
check   Reads a rules file (JSON, or a gitleaks .toml), compiles every rule and runs its examples.
        Names every problem of its fields with the rule; without such problems every expression that
        does not compile, and then every example that fails. Exit code: 0 the service accepts it,
        1 it does not, 2 it cannot be read, or the command failed.
test    Lists the rules of FILE (default: the built-in ones) that match, and where. Secrets are
        masked. Exit code: 0 no rule matches, 1 at least one does, 2 the command failed.
  --text TEXT   a text, as the added lines of a new file; - reads it from standard input
  --path PATH   the name of that file (default: src/example.txt)
  --diff DIFF   the path of a unified diff; - reads it from standard input
  --json        print the findings as JSON
dry-run Asks a running service which verdicts of its newest RFCs the rules of FILE would change;
        nothing is stored. Says what was looked at, and what was left out and why. The token is
        CRA_API_TOKEN. Exit code: 0 no verdict would change, 1 some would, 2 the command failed.
  --server URL  address of the service (default: CRA_BASE_URL)
  --limit N     how many RFCs (default: 50, at most 100)
  --json        print the answer of the service as JSON
show    Explains rules by their ids: what is wrong, what to do, the source, and examples that they
        find and pass. Without ids lists rules, the gravest first. Exit code: 0 there is such a
        rule, 1 there is not, 2 the command failed.
  --search TEXT only rules whose id, title, text or tags hold the text
  --file FILE   the rules of a rules file (default: the built-in ones)
  --json        print the rules as JSON

  cra rules show risk-pipe-to-shell
  cra rules import .gitleaks.toml --out rules.json && SERVICE_RULES_PATH=rules.json cra serve
  git diff main... | cra rules test rules.json --diff -
`;

/** Where `--text` is looked at: a path that no rule on paths has an opinion about. */
const EXAMPLE_PATH = 'src/example.txt';

/** Fingerprints are of no use without the key of a service, so they are not shown. */
const NO_KEY = new Uint8Array(32);

/**
 * `cra rules test`: lists the rules that match a text or a diff, and where.
 * Resolves with 0 when none does, 1 when some do.
 */
async function testRules(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const [file = null, ...more] = positionals;
  if (more.length > 0) throw usage(`unknown argument "${more[0]}"`);
  const diff = await readSource(values);
  const { rules } = await loadActiveRules(file);
  const { files, problems } = parseDiff(diff);
  if (files.length === 0) throw usage('the text is not a unified diff');
  for (const { diffLine, message } of problems) {
    process.stderr.write(`line ${diffLine} of the diff could not be read: ${printable(message)}\n`);
  }
  const compiled = prepareRules(rules);
  const cancel = createCancelFlag();
  const input = { bytes: diff, files, rules: compiled, fingerprintKey: NO_KEY };
  const { report, work } = runScan({ ...input, cancel });
  const documents = await inspectConfiguration({ ...input, trees: null });
  const shown = redactFindings(documents.findings, compiled, work, report.redactor());
  const isOfRule = ({ id }: GateFinding) => compiled.rules.some((rule) => rule.reportId === id);
  for (const { file, message } of shown.filter((one) => !isOfRule(one))) {
    process.stderr.write(`${printable(file ?? '-')}: ${printable(message)}\n`);
  }
  const ofDocuments = shown.filter(isOfRule);
  const found = joinFindings(report.findings(), ofDocuments, documents, compiled);
  const findings = report.hidePaths(found).map((one) => compiled.grade(one));
  process.stdout.write(values.json ? asJson(findings) : asText(findings));
  return findings.length > 0 ? 1 : 0;
}

const OPTIONS = {
  text: { type: 'string' },
  diff: { type: 'string' },
  path: { type: 'string' },
  json: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

async function readSource({ text, diff, path }: Values): Promise<Buffer> {
  if ((text === undefined) === (diff === undefined)) throw usage('give either --text or --diff');
  if (diff !== undefined) {
    if (path !== undefined) throw usage('--path goes with --text; a diff has its own paths');
    return diff === '-' ? readStdin() : readFileSync(diff);
  }
  const content = text === '-' ? (await readStdin()).toString('utf8') : (text ?? '');
  return Buffer.from(newFileDiff(content, path ?? EXAMPLE_PATH));
}

function readStdin(): Promise<Buffer> {
  return readAll(process.stdin, CLI.DIFF_BYTES_MAX, 'standard input');
}

/** A diff that adds a file with this text. The name is quoted as git does it for odd ones. */
function newFileDiff(text: string, path: string): string {
  const lines = text.replace(/\n$/, '').split('\n');
  const before = JSON.stringify(`a/${path}`);
  const after = JSON.stringify(`b/${path}`);
  const head = `diff --git ${before} ${after}\nnew file mode 100644\n--- /dev/null\n+++ ${after}\n`;
  return `${head}@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`;
}

function asText(findings: readonly GateFinding[]): string {
  if (findings.length === 0) return 'no rule matches\n';
  return findings.map(lineOf).join('');
}

function lineOf(finding: GateFinding): string {
  const { id, severity, file, line, column, excerpt } = finding;
  const place = [file, line, column].filter((part) => part !== null).join(':');
  const shown = excerpt === null ? '' : `    | ${printable(excerpt)}\n`;
  return `${printable(place || '-')}  ${severity}  ${id}: ${printable(headlineOf(finding))}\n${shown}`;
}

function asJson(findings: readonly GateFinding[]): string {
  const shown = findings.map(({ fingerprint: _unkeyed, ...rest }) => rest);
  return `${JSON.stringify(shown, null, 2)}\n`;
}

function usage(message: string): CraError {
  return new CraError('INVALID_ARGUMENT', message);
}

/**
 * `cra rules dry-run`: prints which verdicts of a service's newest RFCs a rules file would change.
 * Resolves with 0 when none would, else with 1.
 */
async function dryRunRules(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    options: DRY_RUN_OPTIONS,
    allowPositionals: true,
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw usage('give the path of one rules file');
  if (isToml(path)) throw usage('turn it into a rules file first: cra rules import');
  const limit =
    values.limit === undefined
      ? null
      : wholeNumber('limit', values.limit, RULES.DRY_RUN_RFCS_DEFAULT, RULES.DRY_RUN_RFCS_MAX);
  const body = Buffer.from(readRulesText(path).text);
  const report = await withService(values, async (client, signal) => {
    return dataOf(await client.tryRules(body, limit, signal)) as DryRunReport;
  });
  process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : trialText(report));
  return report.changed.length === 0 ? 0 : 1;
}

const DRY_RUN_OPTIONS = {
  server: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** What a reason of a dry run means, by its name in the answer. */
const LEFT_OUT: Readonly<Record<DryRunReport['left_out'][number]['reason'], string>> = {
  draft: 'draft, no verdict yet',
  superseded: 'superseded, another push was judged',
  unread: 'unread, the change itself could not be read',
  'diff-not-kept': 'diff-not-kept, the submitted diff was deleted by its retention',
  'commit-gone': 'commit-gone, neither mirror nor host has the commits',
  'mirror-unavailable': 'mirror-unavailable, the host is down or not configured',
  deleted: 'deleted meanwhile',
  time: 'time, no thread was free in a minute; try again, or with a smaller --limit',
  bytes: 'bytes, the diffs before were too large in sum; try with a smaller --limit',
};

function trialText({ looked_at: seen, checked, left_out, changed }: DryRunReport): string {
  const when = seen.rfcs === 0 ? '' : `, made from ${seen.from} to ${seen.until}`;
  const lines = [
    `looked at the newest ${seen.rfcs} RFCs${when}`,
    `checked ${checked}: ${seen.from_store} submitted, ${seen.from_mirror} pushed`,
    ...left_out.map(({ reason, count, detail }) => {
      return `left out ${count}: ${LEFT_OUT[reason]}${detail === null ? '' : ` (${detail})`}`;
    }),
    `${changed.length} would have another verdict`,
    ...changed.map(({ rfc_id, repo_name, from, to, new_rules, gone_rules, components }) => {
      const signed = [...new_rules.map((id) => `+${id}`), ...gone_rules.map((id) => `-${id}`)];
      const parts = components.map((one) => `${one.id}: ${one.from} -> ${one.to}`);
      return [`${rfc_id} ${repo_name} ${from} -> ${to}`, ...signed, ...parts].join(' ');
    }),
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}
