import { CraError } from '../../model/errors.ts';
import {
  type Allowlist,
  allPatterns,
  type DocumentCondition,
  type KeywordIndex,
  type Pattern,
  patternsBeside,
  type RuleSet,
} from '../../model/rules.ts';
import { ownTables } from '../../rules/catalogue/own.ts';
import { CALL_TAG } from '../../rules/risk/paths.ts';
import { RISK_GATE } from '../limits.ts';
import type { CompiledRule, CompiledRules, RuleGroup, RuleKind } from './compiled-rules.ts';
import { compilePath, type Matches } from './component-paths.ts';
import { buildKeywordIndex, SkipSearch } from './keyword-search.ts';
import { JOINTS } from './literals.ts';
import {
  type ByteRegex,
  type CompiledAllowlist,
  type CompileRegex,
  compileAllowlist,
  compileRegex,
  compileRegexOnUse,
  countGroups,
} from './regex.ts';
import { compileSeverities } from './severities.ts';
import { INVISIBLE } from './unicode.ts';

const KINDS = [
  ['secret', 'secret_patterns'],
  ['risk', 'risk_patterns'],
  ['vuln', 'vulnerability_patterns'],
] as const;

/**
 * Checks a rule set and compiles all of it, but for `known` rules, which are part of the program:
 * their expressions are compiled when they are first used. Throws INVALID_ARGUMENT that names the
 * first bad rule and what is wrong with it; the limits are in RISK_GATE.
 */
export function compileRules(set: RuleSet, known: readonly Pattern[] = []): CompiledRules {
  const patterns = allPatterns(set);
  if (patterns.length > RISK_GATE.PATTERNS_MAX) {
    throw invalid(null, `more than ${RISK_GATE.PATTERNS_MAX} rules`);
  }
  checkKeywords(patterns);
  const own = new Set(patternsBeside(known, patterns));
  const knownExpressions = new Set(known.flatMap(expressionsOf));
  const compile: CompileRegex = (source) =>
    knownExpressions.has(source) ? compileRegexOnUse(source) : compileRegex(source);
  const compiler = new RuleCompiler(set, compile);
  const ids = new Set<string>();
  const rules = KINDS.flatMap(([kind, list]) => {
    return set[list].map((pattern) => {
      checkId(kind, pattern);
      if (own.has(pattern)) checkPattern(kind, pattern);
      if (ids.has(pattern.id)) throw invalid(pattern, 'another rule has the same id');
      ids.add(pattern.id);
      const rule = compiler.compile(kind, pattern);
      const isKnown = pattern.regex !== undefined && knownExpressions.has(pattern.regex);
      if (!isKnown && rule.regex?.test(Buffer.alloc(0))) {
        throw invalid(pattern, 'the regex matches the empty string');
      }
      if (own.has(pattern)) checkSecretGroup(pattern);
      return rule;
    });
  });
  return sortOut(set, rules, compile);
}

/**
 * Makes a rule set that was checked before (`checkRuleSet`) ready to scan with. An expression is
 * compiled when a text first wakes its rule: few changes need more than some dozens of hundreds.
 * `keywords` are the `textKeywords` of an equal set, which take most of the time to make.
 */
export function prepareRules(set: RuleSet, keywords?: KeywordIndex): CompiledRules {
  const compiler = new RuleCompiler(set, compileRegexOnUse);
  const rules = KINDS.flatMap(([kind, list]) => {
    return set[list].map((pattern) => compiler.compile(kind, pattern));
  });
  return sortOut(set, rules, compileRegexOnUse, keywords);
}

/** Where rules begin: by what they look at and what wakes them. */
function sortOut(
  { ast, binaries, severities }: RuleSet,
  rules: readonly CompiledRule[],
  compile: CompileRegex,
  textKeywords?: KeywordIndex,
): CompiledRules {
  const textRules = rules.filter((rule) => rule.regex !== null && rule.target !== 'header');
  const alwaysRules = textRules.filter((rule) => rule.keywords.length === 0);
  return {
    rules,
    byId: new Map(rules.map((rule) => [rule.pattern.id, rule])),
    textKeywords:
      textKeywords ??
      buildKeywordIndex([
        ...textRules,
        { index: rules.length, keywords: JOINTS },
        { index: rules.length + 1, keywords: INVISIBLE },
      ]),
    contextKeywords: new SkipSearch(
      textRules.filter(({ target, keywords }) => target === 'hunk' && keywords.length > 0),
    ),
    headerRules: group(rules.filter((rule) => rule.regex !== null && rule.target === 'header')),
    pathRules: group(rules.filter(({ regex, path }) => regex === null && path !== null)),
    alwaysRules,
    alwaysPath: anyPath(alwaysRules, compile),
    catalogue: ownTables(ast?.catalogue ?? []),
    callRules: new Set(rules.filter(isOfCalls).map(nameOf)),
    generatedPaths: generatedPaths(ast?.generated_paths ?? [], compile),
    grade: attempt(null, () => compileSeverities(severities)),
    allowsProgram: programPaths(binaries?.allowed_paths ?? []),
  };
}

const isOfCalls = ({ pattern }: CompiledRule) => pattern.tags?.includes(CALL_TAG) === true;
const nameOf = ({ reportId, pattern }: CompiledRule) => `${reportId} ${pattern.cwe}`;

/** One look at a path instead of one for each rule, as most paths suit none of them. */
function anyPath(rules: readonly CompiledRule[], compile: CompileRegex): ByteRegex | null {
  const paths = rules.map(({ pattern }) => pattern.path);
  if (paths.includes(undefined)) return null;
  return compile(paths.map((path) => `(?:${path})`).join('|') || '[^\\s\\S]');
}

function generatedPaths(sources: readonly string[], compile: CompileRegex): ByteRegex | null {
  for (const source of sources) {
    if (source.length > RISK_GATE.REGEX_CHARS_MAX) {
      throw invalid(
        null,
        `an expression of ast.generated_paths has over ${RISK_GATE.REGEX_CHARS_MAX} characters`,
      );
    }
  }
  if (sources.length === 0) return null;
  return attempt(null, () => compile(sources.map((source) => `(?:${source})`).join('|')));
}

function programPaths(paths: readonly string[]): Matches {
  const all = paths.map((path) => attempt(null, () => compilePath(path)));
  return (path) => all.some((matches) => matches(path));
}

function group(rules: readonly CompiledRule[]): RuleGroup {
  const always = rules.filter((rule) => rule.keywords.length === 0);
  return { rules, keywords: buildKeywordIndex(rules), always };
}

/** Compiles the rules of a set one after the other; equal paths and lists are compiled once. */
class RuleCompiler {
  private readonly regex: CompileRegex;
  private readonly paths = new Map<string, ByteRegex>();
  private readonly lists = new Map<string, CompiledAllowlist>();
  private readonly shared: readonly CompiledAllowlist[];
  private count = 0;

  constructor({ allowlists }: RuleSet, regex: CompileRegex) {
    this.regex = regex;
    this.shared = allowlists.map((list) => attempt(null, () => compileAllowlist(list, regex)));
  }

  compile(kind: RuleKind, pattern: Pattern): CompiledRule {
    const { regex: source, path, requires, keywords = [], target = 'line' } = pattern;
    const isPrefiltered = source !== undefined && keywords.length === 0 && target === 'line';
    return attempt(pattern, () => ({
      index: this.count++,
      kind,
      pattern,
      reportId: pattern.report_as ?? pattern.id,
      target,
      regex: source === undefined ? null : this.regex(source),
      prefilter: isPrefiltered ? this.compilePrefilter(source) : null,
      anywhere:
        source !== undefined && keywords.length === 0 && kind === 'secret'
          ? this.compileAnywhere(source)
          : null,
      path: path === undefined ? null : this.compilePath(path),
      requires: requires === undefined ? null : this.compilePath(requires),
      keywords,
      allowlists: [
        ...(pattern.allowlists ?? []).map((list) => this.compileList(list)),
        ...(kind === 'secret' ? this.shared : []),
      ],
    }));
  }

  /** Many rules look at the same files: their expression is compiled, and asked, once. */
  private compilePath(path: string): ByteRegex {
    const regex = this.paths.get(path) ?? this.regex(path);
    this.paths.set(path, regex);
    return regex;
  }

  /** Many built-in rules have an equal list. */
  private compileList(list: Allowlist): CompiledAllowlist {
    const key = JSON.stringify(list);
    const compiled = this.lists.get(key) ?? compileAllowlist(list, this.regex);
    this.lists.set(key, compiled);
    return compiled;
  }

  /**
   * With `m` the anchors of the expression hold at every line of a joined text, unless it asks for
   * the ends of the text or takes the flag back.
   */
  private compilePrefilter(source: string): ByteRegex | null {
    const isFixed = /\\[Az]|\(\?[A-Za-z]*-[A-Za-z]*m/.test(source);
    return isFixed ? null : this.regex(`(?m:${source})`);
  }

  private compileAnywhere(source: string): ByteRegex | null {
    const loose = withoutAssertions(source);
    return loose === null ? null : this.regex(loose);
  }
}

/** An escape, a class of characters, or any other character of an expression. */
const SIGN = /\\[\s\S]|\[\^?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])+\]|[\s\S]/g;
/** What looks at the place between two characters. */
const ASSERTIONS: ReadonlySet<string> = new Set(['^', '$', '\\b', '\\B', '\\A', '\\z']);

/**
 * The expression without its assertions: it matches wherever the expression does, whatever stands
 * around that. Null where that is not sure.
 */
export function withoutAssertions(source: string): string | null {
  const signs = source.match(SIGN) ?? [];
  // Where a class begins with `]`, and where an assertion is repeated, this reading ends.
  const isOdd = signs.some((sign, at) => {
    const isRepeated = ASSERTIONS.has(sign) && /^[*+?{]/.test(signs[at + 1] ?? '');
    return isRepeated || sign === '[' || /^\[\^?\]/.test(sign);
  });
  return isOdd ? null : signs.map((sign) => (ASSERTIONS.has(sign) ? '(?:)' : sign)).join('');
}

const ID_SHAPE = /^(?:secret|risk|vuln)-[A-Za-z0-9][A-Za-z0-9._-]*$/;
const VULN_IDS = /^vuln-(?:0[1-9]|10)$/;

/** Of a known rule, too: an id says in which list its rule was checked. */
function checkId(kind: RuleKind, pattern: Pattern): void {
  const { id } = pattern;
  if (!ID_SHAPE.test(id) || id.length > RISK_GATE.ID_CHARS_MAX) {
    throw invalid(pattern, 'an id is secret-, risk- or vuln- and letters, digits, ".", "_", "-"');
  }
  if (!id.startsWith(`${kind}-`)) {
    throw invalid(pattern, `it stands among the ${kind} patterns, so its id starts with ${kind}-`);
  }
}

function checkPattern(kind: RuleKind, pattern: Pattern): void {
  const { id, regex, path, requires, report_as, document } = pattern;
  // A rule on documents may say what a rule on lines has said before, under the same id.
  const isSame = document !== undefined && report_as?.startsWith('risk-') === true;
  if (report_as !== undefined && !isSame && !VULN_IDS.test(report_as)) {
    throw invalid(pattern, 'report_as is one of vuln-01 to vuln-10');
  }
  if (kind === 'vuln' && !VULN_IDS.test(report_as ?? id)) {
    throw invalid(pattern, 'it needs a report_as from vuln-01 to vuln-10');
  }
  if (VULN_IDS.test(report_as ?? id) && pattern.severity !== 'critical') {
    throw invalid(pattern, 'vuln-01 to vuln-10 are always critical');
  }
  if (regex === undefined && path === undefined && document === undefined) {
    throw invalid(pattern, 'needs a regex, a path or a document');
  }
  if (document !== undefined) checkDocument(pattern, document);
  if (regex === undefined && (pattern.target ?? 'line') !== 'line') {
    throw invalid(pattern, `a target of "${pattern.target}" needs a regex`);
  }
  if (requires !== undefined && (regex === undefined || pattern.target === 'header')) {
    throw invalid(pattern, 'requires is for a regex on lines or hunks');
  }
  for (const source of expressionsOf(pattern)) {
    if (source.length > RISK_GATE.REGEX_CHARS_MAX) {
      throw invalid(
        pattern,
        `an expression is longer than ${RISK_GATE.REGEX_CHARS_MAX} characters`,
      );
    }
  }
}

/** A rule on documents has nothing of a rule on text, and expressions that compile. */
function checkDocument(pattern: Pattern, document: DocumentCondition): void {
  const { when, on, each, without, change, was, keys } = document;
  const { regex, path, requires, target, secretGroup, entropy } = pattern;
  if ([regex, path, requires, target, secretGroup, entropy].some((one) => one !== undefined)) {
    throw invalid(pattern, 'a rule on documents has no regex, path, requires, target or secret');
  }
  if (on.some((type) => type.indexOf('*') !== -1 && type.indexOf('*') < type.length - 1)) {
    throw invalid(pattern, 'a type of document.on has "*" at its end only');
  }
  if (change === undefined && (was !== undefined || keys !== undefined)) {
    throw invalid(pattern, 'document.was and document.keys are for a rule with document.change');
  }
  if (change !== undefined && (each !== undefined || without !== undefined)) {
    throw invalid(pattern, 'a rule with document.change has no each or without');
  }
  if (change === 'removed' && (when !== undefined || keys !== undefined)) {
    throw invalid(pattern, 'of a resource that is removed, only document.was can be tested');
  }
  if ((change === 'lowered' || change === 'raised') && keys === undefined) {
    throw invalid(pattern, `document.change ${change} needs document.keys`);
  }
  for (const test of [...Object.values(when ?? {}), ...Object.values(was ?? {})]) {
    if (typeof test !== 'object' || !('matches' in test || 'misses' in test || 'unlike' in test)) {
      continue;
    }
    for (const source of [test.matches, test.misses, test.unlike]) {
      if (source === undefined) continue;
      if (source.length > RISK_GATE.REGEX_CHARS_MAX) {
        throw invalid(
          pattern,
          `an expression is longer than ${RISK_GATE.REGEX_CHARS_MAX} characters`,
        );
      }
      attempt(pattern, () => compileRegex(source));
    }
  }
}

function checkSecretGroup(pattern: Pattern): void {
  const { regex, secretGroup = 0 } = pattern;
  if (secretGroup === 0) return;
  const groups = regex === undefined ? 0 : countGroups(regex);
  if (secretGroup < 0 || secretGroup > groups) {
    throw invalid(pattern, `secretGroup ${secretGroup}, but the regex has ${groups} groups`);
  }
}

function expressionsOf({ regex, path, requires, allowlists = [] }: Pattern): string[] {
  const lists = allowlists.flatMap(({ paths = [], regexes = [] }) => [...paths, ...regexes]);
  return [regex, path, requires, ...lists].filter((source) => source !== undefined);
}

function checkKeywords(patterns: readonly Pattern[]): void {
  const distinct = new Set<string>();
  let count = 0;
  for (const pattern of patterns) {
    for (const keyword of pattern.keywords ?? []) {
      if (keyword === '' || keyword.includes('\n')) {
        throw invalid(pattern, 'a keyword is empty or holds a line break');
      }
      if (Buffer.byteLength(keyword) > RISK_GATE.KEYWORD_BYTES_MAX) {
        throw invalid(pattern, `a keyword is longer than ${RISK_GATE.KEYWORD_BYTES_MAX} bytes`);
      }
      distinct.add(keyword);
      count += 1;
    }
  }
  if (count > RISK_GATE.KEYWORDS_MAX) {
    throw invalid(null, `more than ${RISK_GATE.KEYWORDS_MAX} keywords`);
  }
  const all = Buffer.from([...distinct].join(''));
  if (all.length * (new Set(all).size + 1) > RISK_GATE.KEYWORD_TABLE_CELLS_MAX) {
    throw invalid(null, 'the keywords together are too long');
  }
}

/** Runs a step of compilation; what it throws becomes an error that names the rule. */
function attempt<T>(pattern: Pattern | null, step: () => T): T {
  try {
    return step();
  } catch (thrown) {
    throw invalid(pattern, thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function invalid(pattern: Pattern | null, why: string): CraError {
  const rule = pattern === null ? null : pattern.id.slice(0, RISK_GATE.ID_CHARS_MAX);
  const message = rule === null ? `rules: ${why}` : `rule ${rule}: ${why}`;
  return new CraError('INVALID_ARGUMENT', message, { details: { rule, why } });
}
