import { createHash } from 'node:crypto';
import type { Static } from 'typebox';
import type { AhoCorasick } from '../core/aho-corasick.ts';
import { COMPONENT, type Component } from './components.ts';
import { isGraveRule, SEVERITIES, type Severity } from './finding.ts';
import { FREEZE, FREEZES, type Freeze } from './freeze.ts';
import { PRE_RECEIVE, RULES } from './limits.ts';
import { END, type ReadonlyLists } from './schema.ts';

export const LOCALITIES = ['local', 'eu', 'us', 'any'] as const;
/** Where a model runs, and where the text of a change may go. */
export type Locality = (typeof LOCALITIES)[number];

const OWN_MARKERS = ['off', 'base', 'on'] as const;

/** Values of `pipeline.carry`. */
const CARRIES = ['off', 'same-change'] as const;

/** Comments that suppress findings of other tools, by the name that their manuals use. */
export const FOREIGN_MARKERS = [
  'gitleaks:allow',
  'trufflehog:ignore',
  'ggignore',
  'pragma: allowlist secret',
  'secretlint-disable-line',
  'nosemgrep',
  'nosec',
  'NOSONAR',
  'eslint-disable-line',
] as const;
export type ForeignMarker = (typeof FOREIGN_MARKERS)[number];

const TEXTS = { type: 'array', items: { type: 'string' } } as const;
const SEVERITY = { type: 'string', enum: [...SEVERITIES] } as const;

/** Texts that keep a rule quiet. Field names are gitleaks' own (config/config.go, "Allowlist"). */
const ALLOWLIST = {
  type: 'object',
  additionalProperties: false,
  properties: {
    description: { type: 'string' },
    // Whether one kind of entry is enough (OR, the default) or all kinds must hold (AND).
    condition: { type: 'string', enum: ['OR', 'AND'] },
    // RE2 expressions on the path, and on what `regexTarget` names.
    paths: TEXTS,
    regexes: TEXTS,
    regexTarget: { type: 'string', enum: ['secret', 'match', 'line'] },
    // Lower-case words; a secret that holds one is allowed.
    stopwords: { type: 'array', items: { type: 'string', minLength: 1 } },
  },
} as const;
export type Allowlist = ReadonlyLists<Static<typeof ALLOWLIST>>;

const SCALAR = { type: ['string', 'number', 'boolean'] } as const;
const SCALARS = {
  type: 'array',
  minItems: 1,
  maxItems: RULES.DOCUMENT_TESTS_MAX,
  items: SCALAR,
} as const;
const ONE_OR_MORE = { anyOf: [SCALAR, SCALARS] } as const;

/**
 * What values at a path of a document must be, all of it: without regard to case, and only where
 * they are written as literals or can be resolved to them.
 */
const DOCUMENT_TEST = {
  type: 'object',
  minProperties: 1,
  additionalProperties: false,
  properties: {
    // A value equals an entry.
    is: ONE_OR_MORE,
    // Each value differs from all entries; also holds when the values are missing.
    not: ONE_OR_MORE,
    // RE2: a value matches; values are there, and each fails to match.
    matches: { type: 'string', minLength: 1 },
    misses: { type: 'string', minLength: 1 },
    // RE2: no value matches, nor does the text of an expression; values may be missing.
    unlike: { type: 'string', minLength: 1 },
    // A value is a number above or below this.
    above: { type: 'number' },
    below: { type: 'number' },
    // Least number of values; whether a value is there twice.
    atLeast: { type: 'integer', minimum: 2 },
    repeats: { type: 'boolean' },
    // Whether values are missing: the key is, or it has `null` or an empty list.
    absent: { type: 'boolean' },
    // Stands for values that are missing: the default of the vendor.
    default: SCALAR,
  },
} as const;
export type DocumentTest = ReadonlyLists<Static<typeof DOCUMENT_TEST>>;

/**
 * Tests by paths: keys with `.` between; lists are entered, `*` is any key, `a|b` both keys, `^`
 * the resource.
 */
const DOCUMENT_TESTS = {
  type: 'object',
  minProperties: 1,
  maxProperties: RULES.DOCUMENT_TESTS_MAX,
  additionalProperties: { anyOf: [SCALAR, SCALARS, DOCUMENT_TEST] },
} as const;

export type DocumentTests = ReadonlyLists<Static<typeof DOCUMENT_TESTS>>;

/** Documents that are settings of a server, a tool or a framework. */
export const SETTINGS_KINDS = [
  'nginx',
  'apache',
  'haproxy',
  'sshd',
  'systemd',
  'spring',
  'django',
  'npm',
  'yarn',
  'pip',
  'conda',
  'php',
  'mysql',
  'postgresql',
  'redis',
  'helm',
  'kustomize',
  'cargo',
  'pyproject',
  'traefik',
  'gitlab-runner',
  'containerd',
] as const;
export type SettingsKind = (typeof SETTINGS_KINDS)[number];

/** Kinds of documents with resources. */
export const RESOURCE_KINDS = [
  'terraform',
  'cloudformation',
  'kubernetes',
  'dockerfile',
  'compose',
  'workflow',
  'gitlab',
  'jenkins',
  'azure-pipelines',
  'circleci',
  'bitbucket',
  'drone',
  'migration',
  ...SETTINGS_KINDS,
] as const;
export type ResourceKind = (typeof RESOURCE_KINDS)[number];

/** Stands on a line between the texts before and after a change in an example. */
export const CHANGE_MARK: RegExp = /^=>[ \t]*(?:\n|$)/m;

/** What a rule looks for in resources: docs/reference/configuration-rules.md describes it. */
const DOCUMENT = {
  type: 'object',
  required: ['kind', 'on'],
  additionalProperties: false,
  properties: {
    kind: { type: 'string', enum: [...RESOURCE_KINDS] },
    // Types of resources; with `*` at the end, all that begin like this.
    on: { ...TEXTS, minItems: 1, maxItems: RULES.DOCUMENT_TESTS_MAX },
    // Path of parts of a resource of which each is looked at for itself.
    each: { type: 'string', minLength: 1 },
    // All of them hold; absent: each such resource counts.
    when: DOCUMENT_TESTS,
    // Ids of rules on lines that say the same: of both on one line, the document's
    // stays if it is as grave.
    replaces: { ...TEXTS, minItems: 1, maxItems: RULES.DOCUMENT_TESTS_MAX },
    // Other resources of these types that name the resource make it harmless.
    without: { ...TEXTS, minItems: 1, maxItems: RULES.DOCUMENT_TESTS_MAX },
    // What a change does to a resource; absent: what is there after the change counts. Of a
    // resource that is there before and after it, a value at one of `keys` is another one, or a
    // number is lower or higher than before; without `keys`, `was` and `when` hold.
    change: { type: 'string', enum: ['removed', 'changed', 'lowered', 'raised'] },
    // Tests of the resource as it was before the change.
    was: DOCUMENT_TESTS,
    // Paths by the type of resource.
    keys: {
      type: 'object',
      minProperties: 1,
      maxProperties: RULES.DOCUMENT_TESTS_MAX,
      additionalProperties: { ...TEXTS, minItems: 1, maxItems: RULES.DOCUMENT_TESTS_MAX },
    },
  },
} as const;
export type DocumentCondition = ReadonlyLists<Static<typeof DOCUMENT>>;

/**
 * A rule on text or on documents. Field names are gitleaks' where gitleaks has the field; the rest
 * is ours. At least one of `regex`, `path` and `document` is there.
 */
const PATTERN = {
  type: 'object',
  required: ['id', 'description', 'severity', 'message', 'source', 'examples'],
  additionalProperties: false,
  properties: {
    // Unique; `secret-`, `risk-` or `vuln-` first.
    id: { type: 'string', minLength: 1 },
    // One line: the title of its findings.
    description: { type: 'string' },
    // RE2 syntax, on bytes.
    regex: { type: 'string', minLength: 1 },
    // RE2 expression that a line of the new side of the same hunk must match as well: the source
    // of outside data of a rule on what is done with a value. Not for a target of `header`.
    requires: { type: 'string', minLength: 1 },
    // RE2 expression that the path must match.
    path: { type: 'string', minLength: 1 },
    // Looked for in files of configuration read as data, in place of `regex`.
    document: DOCUMENT,
    // Literals, in any case; one must stand on the line (for other targets: in one of the lines
    // of the new side, in the header; without regex: in the path) before the rule runs.
    keywords: TEXTS,
    // Group that holds the secret; 0 or absent: the first that took part, else the match.
    secretGroup: { type: 'integer', minimum: 0 },
    // Least Shannon entropy of the secret, bits per byte.
    entropy: { type: 'number', minimum: 0, maximum: 8 },
    // How little the secret has to look like words: 0.45 keeps names and phrases out.
    randomness: { type: 'number', minimum: 0, maximum: 1 },
    allowlists: { type: 'array', items: ALLOWLIST },
    // What it is run on: each added line (default); the new side of a hunk, joined, where a match
    // counts if it holds an added line, or if a line between its ends was removed; or the header
    // of a file: its modes, renames, kind.
    target: { type: 'string', enum: ['line', 'hunk', 'header'] },
    // Id that findings carry instead of `id`: `vuln-09` for one of several patterns of it.
    report_as: { type: 'string' },
    severity: SEVERITY,
    message: { type: 'string', minLength: 1 },
    fix: { type: 'string' },
    cwe: { type: 'string' },
    // Words for lists and exports.
    tags: TEXTS,
    // Link to the document that the rule was written from.
    source: { type: 'string' },
    // True and false examples, run whenever the rule is loaded: texts as added lines of a file at
    // `path` (default: a path the rule accepts).
    examples: {
      type: 'object',
      required: ['match', 'noMatch'],
      additionalProperties: false,
      properties: { path: { type: 'string' }, match: TEXTS, noMatch: TEXTS },
    },
    // The tool whose rule this was; such a rule may go without examples.
    imported_from: { type: 'string', enum: ['gitleaks'] },
  },
} as const;
export type Pattern = ReadonlyLists<Static<typeof PATTERN>>;
export type PatternTarget = NonNullable<Pattern['target']>;

const PATTERNS = { type: 'array', items: PATTERN } as const;

const DAYS = { type: 'integer', minimum: 1, maximum: RULES.ACCEPTANCE_DAYS_MAX } as const;

/** How gate 3 counts. Which models there are is not said here, but in the daemon's own settings. */
const REVIEW = {
  type: 'object',
  additionalProperties: false,
  properties: {
    // `shadow`: findings are shown and block nothing.
    mode: { type: 'string', enum: ['enforce', 'shadow'] },
    // Severities whose findings fail gate 3.
    block_severities: { type: 'array', items: SEVERITY },
    // What becomes of a change that was not proven read.
    on_skipped: { type: 'string', enum: ['hold', 'allow'] },
    // Whether a change that gates 1 and 2 block is reviewed, too.
    on_blocked: { type: 'boolean' },
    // Whether pull requests of forks, and of authors who are new, are reviewed.
    review_forks: { type: 'string', enum: ['off', 'on'] },
    // Whether the confirm tier has a say in findings of severity `high`.
    confirm: { type: 'boolean' },
    // Where changes may go, by repository; a repository that is not named: anywhere.
    residency: {
      type: 'object',
      maxProperties: RULES.ACCEPTED_MAX,
      additionalProperties: { type: 'string', enum: [...LOCALITIES] },
    },
  },
} as const;
export type ReviewSettings = Required<ReadonlyLists<Static<typeof REVIEW>>>;

/** Modes of a rule below the usual one, `block`. */
export const WEAK_MODES = ['monitor', 'warn'] as const;
export type WeakMode = (typeof WEAK_MODES)[number];

/** What findings of some rules do to a verdict; the last entry that names one counts. */
const MODE = {
  type: 'object',
  required: ['rules', 'mode'],
  additionalProperties: false,
  properties: {
    // Ids; with `*` at the end, all ids that begin like this (`risk-*`).
    rules: { ...TEXTS, minItems: 1, maxItems: RULES.MODES_MAX },
    // `monitor`: listed; `warn`: listed, and counted in the commit status; `block`: as usual.
    mode: { type: 'string', enum: [...WEAK_MODES, 'block'] },
    // Names, perhaps with `*` at the end; absent: everywhere.
    branches: { ...TEXTS, minItems: 1, maxItems: RULES.MODES_MAX },
  },
} as const;

/** The tool of a report, as in ids of its findings (`ext-TOOL-...`). */
const TOOL = {
  type: 'string',
  pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
  maxLength: RULES.TOOL_CHARS_MAX,
} as const;

/** A report that a change waits for (docs/reference/reports.md). */
const REQUIRED_REPORT_RULE = {
  type: 'object',
  required: ['tool', 'within'],
  additionalProperties: false,
  properties: {
    tool: TOOL,
    // Only of changes that touch this component; absent: of all.
    component: { type: 'string', minLength: 1 },
    // Seconds since the change came.
    within: { type: 'integer', minimum: 1, maximum: RULES.REPORT_WITHIN_SECONDS_MAX },
  },
} as const;

/** Which results of reports have a severity: all whose fields are these. */
const REPORT_SEVERITY = {
  type: 'object',
  required: ['severity'],
  additionalProperties: false,
  properties: {
    tool: TOOL,
    // Of SARIF: of the result, else of its rule.
    level: { type: 'string', enum: ['error', 'warning', 'note', 'none'] },
    // One of the `tags` of the result or its rule, without regard to case.
    tag: { type: 'string', minLength: 1 },
    // At least so much `security-severity` of the result or its rule.
    score: { type: 'number', minimum: 0, maximum: 10 },
    severity: SEVERITY,
  },
} as const;
/** A row of the severities of reports. */
export type ReportSeverity = Readonly<Static<typeof REPORT_SEVERITY>>;

/** What a report may say of its own results: who suppressed them, and what was there before. */
const REPORT_HONOURS = ['suppressions', 'baseline'] as const;

/** How reports of other tools count (docs/reference/reports.md). */
const REPORTS = {
  type: 'object',
  additionalProperties: false,
  properties: {
    // What suppresses a finding of a report; absent: nothing that the report says.
    honours: { type: 'array', items: { type: 'string', enum: [...REPORT_HONOURS] } },
    // The first row that fits a result counts, before the rows of the program.
    severities: { type: 'array', maxItems: RULES.REPORT_SEVERITIES_MAX, items: REPORT_SEVERITY },
  },
} as const;
export type ReportSettings = ReadonlyLists<Static<typeof REPORTS>>;

const PIPELINE = {
  type: 'object',
  additionalProperties: false,
  properties: {
    // Severities whose unsuppressed findings fail a gate.
    block_severities: { type: 'array', items: SEVERITY },
    // Least risk_score that blocks by itself; null: never.
    block_score: { type: ['integer', 'null'], minimum: 0, maximum: 100 },
    // Whether our own markers count: not at all; for high findings only where they stood in the
    // base (`base`, also when absent); or for those as soon as they are written.
    own_markers: { type: 'string', enum: [...OWN_MARKERS] },
    // Whether a decision covers the same change when it is merged: `same-change` (default), `off`.
    carry: { type: 'string', enum: [...CARRIES] },
    // Markers of other tools that suppress findings like ours; absent: no others.
    foreign_markers: { type: 'array', items: { type: 'string', enum: [...FOREIGN_MARKERS] } },
    // Rules that do not block, or not everywhere: how a new rule is rolled out.
    modes: { type: 'array', maxItems: RULES.MODES_MAX, items: MODE },
    // Modes count for vulnerabilities and private keys, too.
    allow_weaker: { type: 'boolean' },
    // What refuses a push before it is public (`cra pre-receive`): secrets of `block_severities`
    // always; besides, critical findings of these rules. `bypass`: who may push all the same, as
    // the host names them, with `git push -o cra.reason="..."`.
    pre_receive: {
      type: 'object',
      additionalProperties: false,
      properties: {
        rules: { ...TEXTS, maxItems: PRE_RECEIVE.LIST_MAX },
        bypass: { ...TEXTS, maxItems: PRE_RECEIVE.LIST_MAX },
      },
    },
    // By severity the most days for which a decision may accept findings; absent: any time.
    max_acceptance_days: {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(SEVERITIES.map((name) => [name, DAYS])) as Record<
        Severity,
        typeof DAYS
      >,
    },
    // Days until somebody else must have reviewed an emergency override; absent: 3.
    emergency_review_days: {
      type: 'integer',
      minimum: 1,
      maximum: RULES.EMERGENCY_REVIEW_DAYS_MAX,
    },
    // Whether a review that is overdue refuses further emergencies of its tenant.
    refuse_overdue_emergencies: { type: 'boolean' },
    // Gate 3; absent fields have defaults (`reviewSettings`).
    llm: REVIEW,
    // Tools without whose reports a change has no verdict.
    required_reports: {
      type: 'array',
      minItems: 1,
      maxItems: RULES.REQUIRED_REPORTS_MAX,
      items: REQUIRED_REPORT_RULE,
    },
    // What becomes of a change whose report did not come in time: BLOCKED (`hold`, also when
    // absent), or judged without it (`allow`).
    on_missing_report: { type: 'string', enum: ['hold', 'allow'] },
    reports: REPORTS,
  },
} as const;
type PipelineInFile = ReadonlyLists<Static<typeof PIPELINE>>;
export type PipelineSettings = PipelineInFile &
  Required<Pick<PipelineInFile, 'block_severities' | 'block_score'>>;

/** Languages whose catalogue rules may add to; TypeScript is JavaScript there. */
export const OWN_LANGUAGES = ['javascript', 'python', 'go', 'java', 'csharp', 'kotlin'] as const;
export type OwnLanguage = (typeof OWN_LANGUAGES)[number];

/** Rows for the catalogue of gate 2, as docs/reference/catalogue.md describes them. */
const OWN_ROWS = {
  type: 'object',
  required: ['language', 'lines', 'examples'],
  additionalProperties: false,
  properties: {
    language: { type: 'string', enum: [...OWN_LANGUAGES] },
    // As it is imported, and perhaps keys of a package: `com.acme.db types=Db receivers=db`.
    // Absent: the rows are about the language (`route JobHandler`).
    package: { type: 'string', minLength: 1, maxLength: RULES.CATALOGUE_LINE_CHARS_MAX },
    lines: {
      type: 'array',
      minItems: 1,
      maxItems: RULES.CATALOGUE_LINES_MAX,
      items: { type: 'string', minLength: 1, maxLength: RULES.CATALOGUE_LINE_CHARS_MAX },
    },
    // Files, run whenever the rules are loaded: `bad` must have a finding, `good` must not.
    examples: {
      type: 'array',
      minItems: 1,
      maxItems: RULES.CATALOGUE_EXAMPLES_MAX,
      items: {
        type: 'object',
        required: ['bad', 'good'],
        additionalProperties: false,
        properties: {
          bad: { type: 'string', minLength: 1, maxLength: RULES.CATALOGUE_EXAMPLE_CHARS_MAX },
          good: { type: 'string', minLength: 1, maxLength: RULES.CATALOGUE_EXAMPLE_CHARS_MAX },
        },
      },
    },
  },
} as const;
export type OwnRows = ReadonlyLists<Static<typeof OWN_ROWS>>;

/** Rows of the rules for the catalogue of one language: text that `readTable` reads. */
export interface OwnTable {
  language: OwnLanguage;
  text: string;
}

/** What the rules say to gate 2 of the files of a repository. */
const AST = {
  type: 'object',
  additionalProperties: false,
  properties: {
    // RE2 expressions on paths of files that a generator writes: a line that is too long for the
    // parser is `ast-unparsed`, medium, there.
    generated_paths: TEXTS,
    // Sources, sinks, sanitizers and handlers of the owner's own packages.
    catalogue: { type: 'array', maxItems: RULES.CATALOGUE_ENTRIES_MAX, items: OWN_ROWS },
  },
} as const;
type AstSettings = ReadonlyLists<Static<typeof AST>>;

/** Severities of findings by rule: everywhere, or by globs (`db/prod/**`) and `re:` expressions. */
const SEVERITY_MAP = {
  type: 'object',
  maxProperties: RULES.MODES_MAX,
  additionalProperties: {
    anyOf: [
      SEVERITY,
      {
        type: 'object',
        minProperties: 1,
        maxProperties: RULES.PATHS_MAX,
        additionalProperties: SEVERITY,
      },
    ],
  },
} as const;
export type SeverityMap = Readonly<Record<string, Severity | Readonly<Record<string, Severity>>>>;

/** What the rules say of binary files. */
const BINARIES = {
  type: 'object',
  additionalProperties: false,
  properties: {
    // Globs, or RE2 expressions after `re:`: where programs (`.jar`, `.so`) belong, so that a new
    // or changed one is `binary-file`, medium, there; elsewhere it is high.
    allowed_paths: {
      type: 'array',
      maxItems: RULES.PATHS_MAX,
      items: { type: 'string', minLength: 1, maxLength: RULES.PATH_CHARS_MAX },
    },
  },
} as const;
type BinarySettings = ReadonlyLists<Static<typeof BINARIES>>;

/** A finding that an authorised person has accepted, wherever it moves. */
const ACCEPTED = {
  type: 'object',
  required: ['fingerprint', 'reason'],
  additionalProperties: false,
  properties: {
    // `fingerprint` of the finding, made with the key of one service.
    fingerprint: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    reason: { type: 'string', minLength: 1 },
    // The person who accepted it.
    by: { type: 'string', minLength: 1 },
    // Repository in which it holds, as `repo_name`; absent: in all.
    repo: { type: 'string', minLength: 1 },
    // When it ends; absent: never.
    expires_at: { type: 'string', pattern: END },
  },
} as const;
export type AcceptedFingerprint = Static<typeof ACCEPTED>;

/** JSON Schema of the rules file. Unknown fields are refused: a misspelt one would do nothing. */
export const RULES_FILE = {
  type: 'object',
  required: ['version'],
  additionalProperties: false,
  properties: {
    version: { type: 'integer', enum: [1] },
    // `default-no-secrets`: the built-in rules without secret rules and their allowlists.
    extends: { type: 'string', enum: ['default', 'default-no-secrets'] },
    disabled_rules: TEXTS,
    risk_patterns: PATTERNS,
    secret_patterns: PATTERNS,
    vulnerability_patterns: PATTERNS,
    // Apply to all secret patterns.
    allowlists: { type: 'array', items: ALLOWLIST },
    // Empty lists (`emptyLists`) are meant; without this such rules are refused.
    allow_empty: { type: 'boolean' },
    ast: AST,
    binaries: BINARIES,
    // By id, or by the beginning of ids with `*` behind.
    severities: SEVERITY_MAP,
    // Findings that do not count any more.
    accepted: { type: 'array', maxItems: RULES.ACCEPTED_MAX, items: ACCEPTED },
    // Parts of repositories that have verdicts of their own.
    components: { type: 'array', maxItems: RULES.COMPONENTS_MAX, items: COMPONENT },
    // Times in which deploys are held.
    freezes: { type: 'array', maxItems: FREEZES.MAX, items: FREEZE },
    pipeline: PIPELINE,
  },
} as const;

/** A rules file: a rule set that may build on the built-in one. */
export type RulesFile = ReadonlyLists<Static<typeof RULES_FILE>>;

/** The settings of gate 3 with their defaults. */
export function reviewSettings({ llm }: PipelineSettings): ReviewSettings {
  return {
    mode: 'enforce',
    block_severities: ['critical', 'high'],
    on_skipped: 'hold',
    on_blocked: false,
    review_forks: 'off',
    confirm: true,
    residency: {},
    ...llm,
  };
}

/** The word of our own markers: `cra-ignore RULE: reason`. */
export const OWN_MARKER = 'cra-ignore';

/** The rules configuration: the content of the rules file and of a stored revision. */
export interface RuleSet {
  version: 1;
  risk_patterns: readonly Pattern[];
  secret_patterns: readonly Pattern[];
  vulnerability_patterns: readonly Pattern[];
  /** Apply to all secret patterns. */
  allowlists: readonly Allowlist[];
  /** Absent: no file is known to be generated. */
  ast?: AstSettings;
  /** Absent: programs are allowed nowhere. */
  binaries?: BinarySettings;
  /** Absent: each rule has its own. */
  severities?: SeverityMap;
  /** Findings that do not count any more; left out when empty. */
  accepted?: readonly AcceptedFingerprint[];
  /** Parts of repositories that have verdicts of their own; left out when empty. */
  components?: readonly Component[];
  /** Times in which deploys are held; left out when empty. */
  freezes?: readonly Freeze[];
  /** Empty lists (`emptyLists`) are meant; without this such rules are refused. */
  allow_empty?: boolean;
  pipeline: PipelineSettings;
}

/** The lists of patterns. */
export const PATTERN_LISTS = [
  'secret_patterns',
  'risk_patterns',
  'vulnerability_patterns',
] as const;

/**
 * The lists that are left without what they are for: no pattern is looked for, or
 * (`block_severities`) no finding blocks, however grave.
 */
export function emptyLists(rules: RuleSet): string[] {
  const { block_severities, block_score } = rules.pipeline;
  const blocks = block_score !== null || block_severities.some(isGrave);
  const empty = PATTERN_LISTS.filter((name) => rules[name].length === 0);
  return blocks ? empty : [...empty, 'block_severities'];
}

/** Vulnerabilities and private keys that modes would lower without `allow_weaker`. */
export function refusedModes({ pipeline, components = [] }: RuleSet): string[] {
  const { modes = [], allow_weaker } = pipeline;
  if (allow_weaker === true) return [];
  const all = [...modes, ...components.flatMap(modesOf)];
  return all.flatMap(({ rules, mode }) => (mode === 'block' ? [] : rules.filter(isGraveRule)));
}

/**
 * Entries of modes that say `block` where no entry before them says less of the same rule and
 * branch: a severity blocks, a mode only takes that back.
 */
export function idleModes({ pipeline, components = [] }: RuleSet): string[] {
  const { modes = [] } = pipeline;
  const lists = [modes, ...components.map((one) => [...modes, ...modesOf(one)])];
  const idle = lists.flatMap((list, index) =>
    list.flatMap((entry, at) => {
      // The entries that a component's list shares with all were looked at already.
      if (entry.mode !== 'block' || (index > 0 && at < modes.length)) return [];
      const weaker = list.slice(0, at).filter((one) => one.mode !== 'block' && meets(one, entry));
      return entry.rules.filter((rule) => !weaker.some(({ rules }) => meet(rules, [rule])));
    }),
  );
  return [...new Set(idle)];
}

type Mode = NonNullable<PipelineSettings['modes']>[number];

function meets(one: Mode, other: Mode): boolean {
  return meet(one.branches ?? ['*'], other.branches ?? ['*']);
}

/** Whether a name, perhaps with `*` at its end, may stand for the same as one of the others. */
function meet(some: readonly string[], others: readonly string[]): boolean {
  const start = (name: string) => (name.endsWith('*') ? name.slice(0, -1) : null);
  return some.some((one) =>
    others.some((other) => {
      const open = start(one);
      const end = start(other);
      if (open === null && end === null) return one === other;
      if (open !== null && end !== null) return open.startsWith(end) || end.startsWith(open);
      return open === null ? one.startsWith(end ?? '') : other.startsWith(open);
    }),
  );
}

/** The modes of a component as entries of `pipeline.modes`. */
export function modesOf({ modes = {} }: Component): NonNullable<PipelineSettings['modes']> {
  return Object.entries(modes).map(([rule, mode]) => ({ rules: [rule], mode }));
}

function isGrave(severity: Severity): boolean {
  return severity === 'critical' || severity === 'high';
}

/** All patterns of a rule set, in the order in which they are numbered. */
export function allPatterns(rules: RuleSet): Pattern[] {
  return [...rules.secret_patterns, ...rules.risk_patterns, ...rules.vulnerability_patterns];
}

/** The patterns that `known` does not hold, by identity or as a copy. */
export function patternsBeside(
  known: readonly Pattern[],
  patterns: readonly Pattern[],
): readonly Pattern[] {
  const byId = new Map(known.map((pattern) => [pattern.id, pattern]));
  return patterns.filter((pattern) => {
    const other = byId.get(pattern.id);
    // Patterns of another process are copies.
    return pattern !== other && JSON.stringify(pattern) !== JSON.stringify(other);
  });
}

/** Rules as text, and what to call them in messages. */
export interface RulesText {
  /** `rules file PATH`, or `rules` of a request. */
  name: string;
  text: string;
  /** A gitleaks configuration; else JSON. */
  isToml: boolean;
  /** They were accepted before: what only a later version refuses is let be. */
  isStored?: boolean;
}

/** What the process that tries rules is asked. */
export type RulesJob = { kind: 'check'; rules: RuleSet } | { kind: 'build'; source: RulesText };

/** The result of reading a text of rules. */
export interface BuiltRules {
  /** Sentences; with one of them the rules must not become active. */
  problems: string[];
  /** Null when there are problems. */
  built: {
    rules: RuleSet;
    revision: string;
    /** The rule set as JSON: what `GET rules` answers. */
    json: Uint8Array;
    /** The rules file as JSON, also of a gitleaks configuration. */
    fileText: string;
    /** Sentences on rules that take too much CPU time. */
    slow: string[];
  } | null;
}

const REVISION_HEX_DIGITS = 16;

/** The keywords of many rules in one automaton, and which rules each of its outputs wakes. */
export interface KeywordIndex {
  readonly automaton: AhoCorasick;
  /** Rules woken by output `o`: `ruleIds` from `ruleStart[o]` up to `ruleStart[o + 1]`. */
  readonly ruleStart: Int32Array;
  readonly ruleIds: Int32Array;
}

/** The index of the text keywords of one revision of the rules, made beforehand. */
export interface PreparedKeywords {
  readonly revision: string;
  readonly index: KeywordIndex;
}

/** The revision of a rule set: a hash of its content, so that equal rules have one revision. */
export function rulesRevision(rules: RuleSet): string {
  // Of severities the later one counts where two are alike, so their order is content.
  const { severities, ...rest } = rules;
  const ordered = severities === undefined ? rules : { ...rest, severities: inOrder(severities) };
  const json = JSON.stringify(sorted(ordered));
  return createHash('sha256').update(json).digest('hex').slice(0, REVISION_HEX_DIGITS);
}

function inOrder(severities: SeverityMap): unknown {
  return Object.entries(severities).map(([rule, value]) => {
    return [rule, typeof value === 'string' ? value : Object.entries(value)];
  });
}

/** The same value with the keys of every object in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, entry]) => [key, sorted(entry)]));
}
