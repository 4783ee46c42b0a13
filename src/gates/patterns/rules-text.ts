import { parse as parseToml } from 'smol-toml';
import { createCancelFlag } from '../../core/deadline.ts';
import { parseDiff } from '../../diff/parse.ts';
import { CraError } from '../../model/errors.ts';
import { RULES } from '../../model/limits.ts';
import {
  allPatterns,
  type BuiltRules,
  emptyLists,
  idleModes,
  type OwnRows,
  PATTERN_LISTS,
  type Pattern,
  patternsBeside,
  RULES_FILE,
  type RuleSet,
  type RulesFile,
  type RulesText,
  refusedModes,
  rulesRevision,
} from '../../model/rules.ts';
import { createProblemFinder, requireUniqueNames } from '../../model/validate.ts';
import { ownProblems } from '../../rules/catalogue/own.ts';
import { compileRules } from './compile.ts';
import type { CompiledRule, CompiledRules } from './compiled-rules.ts';
import { componentProblems, pathProblem } from './component-paths.ts';
import { type ImportProblem, importGitleaks } from './gitleaks.ts';
import { type ByteRegex, compileRegex } from './regex.ts';
import { runScan } from './scan.ts';
import { severityProblems } from './severities.ts';

/** Reads rules, resolves, compiles and tries them on their own examples. */
export function buildRules(source: RulesText, defaults: RuleSet, cpuTime: CpuTime): BuiltRules {
  try {
    return build(source, defaults, cpuTime);
  } catch (thrown) {
    if (!(thrown instanceof CraError)) throw thrown;
    // The caller names the source before the first problem.
    return { problems: [thrown.message.replace(`${source.name}: `, '')], built: null };
  }
}

function build(source: RulesText, defaults: RuleSet, cpuTime: CpuTime): BuiltRules {
  const { file, problems } = parseRulesText(source, defaults);
  const errors = problems.filter(({ level }) => level === 'error').map(describeProblem);
  if (file === null || errors.length > 0) return { problems: errors, built: null };
  const rules = resolveRules(source.name, file, defaults, source.isStored);
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
  let value: unknown;
  try {
    value = isToml ? parseToml(text) : JSON.parse(text);
  } catch (thrown) {
    // A parser may show the place in several lines of the text.
    const reason = (thrown as Error).message.split('\n', 1)[0];
    throw new CraError('INVALID_ARGUMENT', `${name}: ${reason}`, { cause: thrown });
  }
  // TOML itself refuses a key that stands twice.
  if (!isToml) requireUniqueNames(text, value, name);
  return value;
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
 * when a list is left empty (`emptyLists`) and the file does not say `allow_empty`, and for modes
 * that do nothing, unless they were stored before (`isStored`).
 */
export function resolveRules(
  name: string,
  file: RulesFile,
  defaults: RuleSet,
  isStored = false,
): RuleSet {
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
    ...(file.ast === undefined ? {} : { ast: file.ast }),
    ...(file.severities === undefined ? {} : { severities: file.severities }),
    ...(file.binaries === undefined ? {} : { binaries: file.binaries }),
    ...(file.accepted === undefined ? {} : { accepted: file.accepted }),
    ...(file.components === undefined ? {} : { components: file.components }),
    ...(file.freezes === undefined ? {} : { freezes: file.freezes }),
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
  const [grave] = refusedModes(rules);
  if (grave !== undefined) {
    const message =
      `${name}: modes lower ${grave}, which only "allow_weaker": true in pipeline does: ` +
      'vulnerabilities and private keys block';
    throw new CraError('INVALID_ARGUMENT', message);
  }
  const [idle] = isStored ? [] : idleModes(rules);
  if (idle !== undefined) {
    const message =
      `${name}: modes: block does nothing for ${idle}, as no entry before it sets monitor or ` +
      'warn for the same rule and branch: to make findings block, raise them in severities, ' +
      `as in "severities": {"${idle}": "high"}`;
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

/** What trying a rule set brought to light, in sentences that name the rule. */
export interface RulesCheck {
  /** With one of these the rules must not become active. */
  problems: string[];
  /** Ids of the rules that do not compile. */
  failed: string[];
  /** Rules that take too much CPU time. */
  slow: string[];
}

/**
 * Everything that is wrong with a rule set: each rule and each allowlist that does not compile, by
 * itself; if all do, what is wrong with them together; if nothing is, the examples that fail.
 * Rules of `defaults` are not timed, not compiled before they are used, and not tried under its
 * allowlists alone.
 */
export function checkRuleSet(set: RuleSet, defaults: RuleSet, cpuTime: CpuTime): RulesCheck {
  const misplaced = [
    ...componentProblems(set.components ?? []),
    ...requiredReportProblems(set),
    ...severityProblems(set),
    ...catalogueProblems(set.ast?.catalogue ?? []),
    ...(set.binaries?.allowed_paths ?? []).flatMap((path) => {
      const problem = pathProblem(path);
      return problem === null ? [] : [`binaries.allowed_paths: ${problem}`];
    }),
  ];
  if (misplaced.length > 0) return { problems: misplaced, failed: [], slow: [] };
  const known = allPatterns(defaults);
  const whole = compiled(set, known);
  if (typeof whole !== 'string') {
    const slow = findSlowRules(whole.rules, known, cpuTime);
    const tried = withoutProved(whole.rules, set, defaults);
    return { problems: checkExamples(whole, tried), failed: [], slow };
  }
  const failed: string[] = [];
  const problems: string[] = [];
  for (const name of PATTERN_LISTS) {
    for (const pattern of set[name]) {
      const problem = compiled(only(name, [pattern]));
      if (typeof problem !== 'string') continue;
      failed.push(pattern.id);
      problems.push(problem);
    }
  }
  for (const [index, list] of set.allowlists.entries()) {
    const problem = compiled({ ...only('secret_patterns', []), allowlists: [list] });
    if (typeof problem === 'string') problems.push(`allowlists[${index}] ${problem}`);
  }
  return { problems: problems.length > 0 ? problems : [whole], failed, slow: [] };
}

/** A report that is required of a component which no change can touch is never waited for. */
function requiredReportProblems({ components = [], pipeline }: RuleSet): string[] {
  return (pipeline.required_reports ?? []).flatMap(({ tool, component }, index) => {
    if (component === undefined || components.some(({ id }) => id === component)) return [];
    return [
      `pipeline.required_reports[${index}] (${tool}): the rules have no component ${component}`,
    ];
  });
}

/**
 * The rules without the built-in rules, whose examples the tests of the program try; all where
 * other allowlists may hide what one of them finds. To try them takes seconds of CPU.
 */
function withoutProved(
  rules: readonly CompiledRule[],
  { allowlists }: RuleSet,
  defaults: RuleSet,
): readonly CompiledRule[] {
  if (JSON.stringify(allowlists) !== JSON.stringify(defaults.allowlists)) return rules;
  const patterns = rules.map(({ pattern }) => pattern);
  const own = new Set(patternsBeside(allPatterns(defaults), patterns));
  return rules.filter(({ pattern }) => own.has(pattern));
}

/** Problems of rows for gate 2, before they are tried on their examples. */
function catalogueProblems(entries: readonly OwnRows[]): string[] {
  const tries = entries.reduce(
    (sum, { lines, examples }) => sum + lines.length * examples.length,
    0,
  );
  const problems = ownProblems(entries);
  if (tries <= RULES.CATALOGUE_TRIES_MAX) return problems;
  const most = `at most ${RULES.CATALOGUE_TRIES_MAX}`;
  return [...problems, `ast.catalogue: lines times examples of all entries are ${tries}, ${most}`];
}

function only(name: (typeof PATTERN_LISTS)[number], patterns: readonly Pattern[]): RuleSet {
  const pipeline = { block_severities: [], block_score: null };
  const none = { risk_patterns: [], secret_patterns: [], vulnerability_patterns: [] };
  return { version: 1, ...none, [name]: patterns, allowlists: [], pipeline };
}

/** The compiled rules, or why they do not compile. */
function compiled(set: RuleSet, known?: readonly Pattern[]): CompiledRules | string {
  try {
    return compileRules(set, known);
  } catch (thrown) {
    return CraError.fromUnknown(thrown).message;
  }
}

/** Path of examples that name none. */
const EXAMPLE_PATH = 'src/example.txt';

/** Fingerprints of examples are never seen. */
const NO_KEY = new Uint8Array(32);

/**
 * Runs the true and false examples of every rule, or of `tried` among them, the way a diff is
 * scanned: as added lines of a new file, as header lines (target `header`) or, for rules on the
 * path alone, as paths. Returns what is wrong, in sentences that name the rule and the number of
 * the example.
 */
export function checkExamples(
  rules: CompiledRules,
  tried: readonly CompiledRule[] = rules.rules,
): string[] {
  return tried.flatMap((rule) => checkRule(rule, rules));
}

function checkRule(rule: CompiledRule, rules: CompiledRules): string[] {
  const { id, examples, document } = rule.pattern;
  // As whole files, by `tryDocumentRules`.
  if (document !== undefined) return [];
  const problems: string[] = [];
  if (rule.pattern.imported_from === undefined) {
    if (examples.match.length === 0) problems.push('has no example that it must match');
    if (examples.noMatch.length === 0) problems.push('has no example that it must not match');
  } else if (examples.match.length + examples.noMatch.length === 0) return [];
  const path = examples.path ?? EXAMPLE_PATH;
  if (rule.regex !== null && rule.path?.test(Buffer.from(path)) === false) {
    problems.push(`needs an examples.path that its path accepts; ${path} is not accepted`);
  } else {
    for (const [index, text] of examples.match.entries()) {
      if (!fires(rule, rules, text, path)) problems.push(`misses examples.match[${index}]`);
    }
    for (const [index, text] of examples.noMatch.entries()) {
      if (fires(rule, rules, text, path)) problems.push(`matches examples.noMatch[${index}]`);
    }
  }
  return problems.map((problem) => `rule ${id} ${problem}`);
}

function fires(rule: CompiledRule, rules: CompiledRules, text: string, path: string): boolean {
  const bytes = Buffer.from(exampleDiff(rule, text, path));
  const { files } = parseDiff(bytes);
  const cancel = createCancelFlag();
  const { report } = runScan({ bytes, files, rules, fingerprintKey: NO_KEY, cancel });
  return report.rulesHit().has(rule);
}

/** A diff in which the example is all that is new. */
function exampleDiff(rule: CompiledRule, text: string, path: string): string {
  if (rule.regex === null) return `${gitLine(text)}new file mode 100644\nindex 0000000..e69de29\n`;
  if (rule.target === 'header') return `${gitLine(path)}${text}\n`;
  const lines = text.split('\n');
  const body = lines.map((line) => `+${line}\n`).join('');
  const names = `--- /dev/null\n+++ b/${path}\n`;
  return `${gitLine(path)}new file mode 100644\n${names}@@ -0,0 +1,${lines.length} @@\n${body}`;
}

function gitLine(path: string): string {
  return `diff --git a/${path} b/${path}\n`;
}

/** A rule that takes more CPU time than so many reference rules is not run for everybody. */
const COST_RATIO_MAX = 20;
/** Bytes of each hostile text: enough to fill the cache of RE2's automaton several times. */
const TEXT_BYTES = 8 * 1024;
/** Random bytes between what a rule nearly matches. */
const SLICE_BYTES = 64;
/** Matches that a text is searched for. */
const MATCHES_MAX = 32;
/** The fewest bytes read by a scan that says anything of the cost of a byte. */
const READ_BYTES_MIN = TEXT_BYTES / 2;
/** Times that the reference rule is measured on a text; the least counts. */
const REPEATS = 5;
/**
 * CPU time, microseconds, for which a suspect is measured again and again; the least counts. It is
 * longer than other work of the process lasts, such as the collection of garbage: on a busy machine
 * that may run while this thread waits for a core in the middle of a scan.
 */
const SUSPECT_US = 100_000;

/** An expression as most rules have it: a name, an operator and a value, of bounded lengths. */
const REFERENCE = {
  regex: String.raw`(?i)(?:password|secret|token)[\w.-]{0,24}["']?\s{0,8}[:=]\s{0,8}["']?([\w./+-]{64,200})(?:["'\s]|$)`,
  keywords: ['password', 'secret', 'token'],
  examples: { match: [`password: "${'a1'.repeat(20)}"`], noMatch: [] },
};

/**
 * Sentences on the rules that take more than COST_RATIO_MAX times the CPU time of a reference rule
 * on hostile texts. Expressions are linear in the text, but large repetitions may cost thousands
 * of times as much for each byte. Both are measured in this process, one after the other, so that
 * the load and the speed of the machine do not matter. Rules in `known` are passed over.
 */
function findSlowRules(
  rules: readonly CompiledRule[],
  known: readonly Pattern[],
  cpuTime: CpuTime,
): string[] {
  const trusted = new Set(known.map(({ regex }) => regex));
  const common = compileRegex(REFERENCE.regex);
  const costs = hostileTexts(REFERENCE).map((text) => {
    return costOf(common, text, null, cpuTime);
  });
  const reference = Math.max(...costs);
  return rules.flatMap(({ pattern, regex }) => {
    if (regex === null || trusted.has(pattern.regex)) return [];
    const ratio = ratioOf({ pattern, regex }, reference, cpuTime);
    if (ratio <= COST_RATIO_MAX) return [];
    const times = `${Math.round(ratio)} times the CPU time of a common rule`;
    return [
      `rule ${pattern.id}: the regex takes ${times} on hostile text (at most ${COST_RATIO_MAX}): ` +
        'make its repetitions smaller or fewer',
    ];
  });
}

/** CPU time that this process has used so far, microseconds. */
type CpuTime = () => number;

interface Subject {
  pattern: Pick<Pattern, 'keywords' | 'examples'>;
  regex: ByteRegex;
}

/** Of the texts until one shows that the rule is too slow: such a rule takes long to measure. */
function ratioOf(own: Subject, reference: number, cpuTime: CpuTime): number {
  let worst = 0;
  for (const text of hostileTexts(own.pattern)) {
    worst = Math.max(worst, costOf(own.regex, text, reference, cpuTime) / reference);
    if (worst > COST_RATIO_MAX) break;
  }
  return worst;
}

/**
 * CPU time of a scan, microseconds a byte; 0 when a scan reads so little that the calls cost most.
 * A rule that costs little beside `common`, the cost of the reference rule, is measured once;
 * `common` is null for the reference rule itself.
 */
function costOf(regex: ByteRegex, text: Buffer, common: number | null, cpuTime: CpuTime): number {
  let least = Number.POSITIVE_INFINITY;
  let spentUs = 0;
  for (let turn = 1; ; turn += 1) {
    const before = cpuTime();
    const read = scan(regex, text);
    if (read < READ_BYTES_MIN) return 0;
    // The clock has steps of a microsecond: no scan is free.
    const took = Math.max(cpuTime() - before, 1);
    spentUs += took;
    least = Math.min(least, took / read);
    if (common === null ? turn === REPEATS : least <= COST_RATIO_MAX * common) return least;
    // Twice at least: the first scan of a text builds the automaton.
    if (common !== null && turn > 1 && spentUs >= SUSPECT_US) return least;
  }
}

/** Looks for match after match, as a scan of a diff does; returns how many bytes were read. */
function scan(regex: ByteRegex, text: Buffer): number {
  let from = 0;
  for (let count = 0; count < MATCHES_MAX && from < text.length; count += 1) {
    const match = regex.search(text, from);
    if (match === null) return text.length;
    from = Math.max(match.end, match.start + 1);
  }
  return from;
}

/** One letter, random words and tokens, and these between what the rule nearly matches. */
function hostileTexts({ keywords = [], examples }: Subject['pattern']): Buffer[] {
  const random = pseudoRandom();
  const words = Array.from({ length: TEXT_BYTES }, () => String.fromCharCode(32 + (random() % 95)));
  const tokens = words.map((letter) => (/\w/.test(letter) ? letter : 'a')).join('');
  const near = examples.match.map((text) => text.slice(0, -1));
  const parts = [...keywords, ...examples.match.map((text) => text.replace(/\W+/g, ' '))];
  const between = (fills: readonly string[]) =>
    Array.from({ length: TEXT_BYTES / SLICE_BYTES }, (_, index) => {
      const fill = fills[index % fills.length] ?? '';
      return `${fill}${tokens.slice(index * SLICE_BYTES, (index + 1) * SLICE_BYTES)}`;
    }).join('');
  const texts = ['a'.repeat(TEXT_BYTES), words.join(''), tokens, between(near), between(parts)];
  return texts.map((text) => Buffer.from(text).subarray(0, TEXT_BYTES));
}

/** The same numbers each time: D. H. Lehmer's generator with the constants of "MINSTD". */
function pseudoRandom(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state;
  };
}
