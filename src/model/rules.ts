import { createHash } from 'node:crypto';
import { SEVERITIES, type Severity } from './finding.ts';
import { RULES } from './limits.ts';

/** Texts that keep a rule quiet. Field names are gitleaks' own (config/config.go, "Allowlist"). */
export interface Allowlist {
  description?: string;
  /** Whether one kind of entry is enough (OR, the default) or all kinds must hold (AND). */
  condition?: 'OR' | 'AND';
  /** RE2 expressions on the path. */
  paths?: readonly string[];
  /** RE2 expressions on what `regexTarget` names. */
  regexes?: readonly string[];
  regexTarget?: 'secret' | 'match' | 'line';
  /** Lower-case words; a secret that holds one is allowed. */
  stopwords?: readonly string[];
}

/** What a pattern is run on. */
export type PatternTarget =
  /** Each added line (default). */
  | 'line'
  /**
   * The new side of a hunk, joined: its context and added lines. A match counts if it holds an
   * added line, or if a line between its ends was removed.
   */
  | 'hunk'
  /** The header of a file: its modes, renames, kind. */
  | 'header';

/**
 * A regex rule. Field names are gitleaks' where gitleaks has the field; the rest is ours.
 * At least one of `regex` and `path` is there.
 */
export interface Pattern {
  /** Unique; `secret-`, `risk-` or `vuln-` first. */
  id: string;
  description: string;
  /** RE2 syntax, on bytes. */
  regex?: string;
  /** RE2 expression that the path must match. */
  path?: string;
  /** Literals, in any case; one must stand on the line (for other targets: in one of the lines
   * of the new side, in the header; without regex: in the path) before the rule runs. */
  keywords?: readonly string[];
  /** Group that holds the secret; 0 or absent: the first group that took part, else the match. */
  secretGroup?: number;
  /** Least Shannon entropy of the secret, bits per byte. */
  entropy?: number;
  /** How little the secret has to look like words: 0.45 keeps names and phrases out, 0 to 1. */
  randomness?: number;
  allowlists?: readonly Allowlist[];
  target?: PatternTarget;
  /** Id that findings carry instead of `id`: `vuln-09` for one of several patterns of it. */
  report_as?: string;
  severity: Severity;
  message: string;
  fix?: string;
  cwe?: string;
  /** Words for lists and exports. */
  tags?: readonly string[];
  /** Link to the document that the rule was written from. */
  source: string;
  /** True and false examples: run whenever the rule is loaded. */
  examples: PatternExamples;
  /** The tool whose rule this was; such a rule may go without examples. */
  imported_from?: 'gitleaks';
}

/** Texts given as added lines of a file at `path` (default: a path the rule accepts). */
export interface PatternExamples {
  path?: string;
  match: readonly string[];
  noMatch: readonly string[];
}

export interface PipelineSettings {
  /** Severities whose unsuppressed findings fail a gate. */
  block_severities: readonly Severity[];
  /** Least risk_score that blocks by itself; null: never. */
  block_score: number | null;
  /**
   * Whether our own markers count: not at all; for high findings only where they stood in the base
   * (`base`, also when absent); or for those as soon as they are written.
   */
  own_markers?: OwnMarkers;
  /**
   * Whether a decision covers the same change when it is merged: `same-change` (default), `off`.
   */
  carry?: (typeof CARRIES)[number];
  /** Markers of other tools that suppress findings like ours; absent: none. */
  foreign_markers?: readonly ForeignMarker[];
  /** Gate 3; what is absent has its default (`reviewSettings`). */
  llm?: Partial<ReviewSettings>;
}

export const LOCALITIES = ['local', 'eu', 'us', 'any'] as const;
/** Where a model runs, and where the text of a change may go. */
export type Locality = (typeof LOCALITIES)[number];

/** How gate 3 counts. Which models there are is not said here, but in the daemon's own settings. */
export interface ReviewSettings {
  /** `shadow`: findings are shown and block nothing. */
  mode: 'enforce' | 'shadow';
  /** Severities whose findings fail gate 3. */
  block_severities: readonly Severity[];
  /** What becomes of a change that was not proven read. */
  on_skipped: 'hold' | 'allow';
  /** Whether a change that gates 1 and 2 block is reviewed, too. */
  on_blocked: boolean;
  /** Whether the confirm tier has a say in findings of severity `high`. */
  confirm: boolean;
  /** Where changes may go, by repository; a repository that is not named: anywhere. */
  residency: Readonly<Record<string, Locality>>;
}

/** The settings of gate 3 with their defaults. */
export function reviewSettings({ llm }: PipelineSettings): ReviewSettings {
  return {
    ...{ mode: 'enforce', block_severities: ['critical', 'high'], on_skipped: 'hold' },
    ...{ on_blocked: false, confirm: true, residency: {}, ...llm },
  };
}

export const OWN_MARKERS = ['off', 'base', 'on'] as const;
export type OwnMarkers = (typeof OWN_MARKERS)[number];

/** Values of `pipeline.carry`. */
export const CARRIES = ['off', 'same-change'] as const;

/** The word of our own markers: `cra-ignore RULE: reason`. */
export const OWN_MARKER = 'cra-ignore';

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

/** A finding that an authorised person has accepted, wherever it moves. */
export interface AcceptedFingerprint {
  /** `fingerprint` of the finding: 64 hex digits, made with the key of one service. */
  fingerprint: string;
  reason: string;
  /** The person who accepted it. */
  by?: string;
  /** Repository in which it holds, as `repo_name`; absent: in all. */
  repo?: string;
}

/** The rules configuration: the content of the rules file and of a stored revision. */
export interface RuleSet {
  version: 1;
  risk_patterns: readonly Pattern[];
  secret_patterns: readonly Pattern[];
  vulnerability_patterns: readonly Pattern[];
  /** Apply to all secret patterns. */
  allowlists: readonly Allowlist[];
  /** Findings that do not count any more; absent: none. */
  accepted?: readonly AcceptedFingerprint[];
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

function isGrave(severity: Severity): boolean {
  return severity === 'critical' || severity === 'high';
}

/** All patterns of a rule set, in the order in which they are numbered. */
export function allPatterns(rules: RuleSet): Pattern[] {
  return [...rules.secret_patterns, ...rules.risk_patterns, ...rules.vulnerability_patterns];
}

/** Rules as text, and what to call them in messages. */
export interface RulesText {
  /** `rules file PATH`, or `rules` of a request. */
  name: string;
  text: string;
  /** A gitleaks configuration; else JSON. */
  isToml: boolean;
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

/** A rules file: a rule set that may build on the built-in one. */
export interface RulesFile extends Partial<Omit<RuleSet, 'version' | 'pipeline'>> {
  version: 1;
  /** `default-no-secrets`: the built-in rules without those for secrets and their allowlists. */
  extends?: 'default' | 'default-no-secrets';
  disabled_rules?: readonly string[];
  pipeline?: Partial<PipelineSettings>;
}

const TEXTS = { type: 'array', items: { type: 'string' } } as const;

const ALLOWLISTS = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    properties: {
      description: { type: 'string' },
      condition: { type: 'string', enum: ['OR', 'AND'] },
      paths: TEXTS,
      regexes: TEXTS,
      regexTarget: { type: 'string', enum: ['secret', 'match', 'line'] },
      stopwords: { type: 'array', items: { type: 'string', minLength: 1 } },
    },
  },
} as const;

const PATTERNS = {
  type: 'array',
  items: {
    type: 'object',
    required: ['id', 'description', 'severity', 'message', 'source', 'examples'],
    additionalProperties: false,
    properties: {
      id: { type: 'string', minLength: 1 },
      description: { type: 'string' },
      regex: { type: 'string', minLength: 1 },
      path: { type: 'string', minLength: 1 },
      keywords: TEXTS,
      secretGroup: { type: 'integer', minimum: 0 },
      entropy: { type: 'number', minimum: 0, maximum: 8 },
      randomness: { type: 'number', minimum: 0, maximum: 1 },
      allowlists: ALLOWLISTS,
      target: { type: 'string', enum: ['line', 'hunk', 'header'] },
      report_as: { type: 'string' },
      severity: { type: 'string', enum: [...SEVERITIES] },
      message: { type: 'string', minLength: 1 },
      fix: { type: 'string' },
      cwe: { type: 'string' },
      tags: TEXTS,
      source: { type: 'string' },
      examples: {
        type: 'object',
        required: ['match', 'noMatch'],
        additionalProperties: false,
        properties: { path: { type: 'string' }, match: TEXTS, noMatch: TEXTS },
      },
      imported_from: { type: 'string', enum: ['gitleaks'] },
    },
  },
} as const;

/** JSON Schema of the rules file. Unknown fields are refused: a misspelt one would do nothing. */
export const RULES_FILE = {
  type: 'object',
  required: ['version'],
  additionalProperties: false,
  properties: {
    version: { type: 'integer', enum: [1] },
    extends: { type: 'string', enum: ['default', 'default-no-secrets'] },
    disabled_rules: TEXTS,
    risk_patterns: PATTERNS,
    secret_patterns: PATTERNS,
    vulnerability_patterns: PATTERNS,
    allowlists: ALLOWLISTS,
    allow_empty: { type: 'boolean' },
    accepted: {
      type: 'array',
      maxItems: RULES.ACCEPTED_MAX,
      items: {
        type: 'object',
        required: ['fingerprint', 'reason'],
        additionalProperties: false,
        properties: {
          fingerprint: { type: 'string', pattern: '^[0-9a-f]{64}$' },
          reason: { type: 'string', minLength: 1 },
          by: { type: 'string', minLength: 1 },
          repo: { type: 'string', minLength: 1 },
        },
      },
    },
    pipeline: {
      type: 'object',
      additionalProperties: false,
      properties: {
        block_severities: {
          type: 'array',
          items: { type: 'string', enum: [...SEVERITIES] },
        },
        block_score: { type: ['integer', 'null'], minimum: 0, maximum: 100 },
        own_markers: { type: 'string', enum: [...OWN_MARKERS] },
        carry: { type: 'string', enum: [...CARRIES] },
        foreign_markers: {
          type: 'array',
          items: { type: 'string', enum: [...FOREIGN_MARKERS] },
        },
        llm: {
          type: 'object',
          additionalProperties: false,
          properties: {
            mode: { type: 'string', enum: ['enforce', 'shadow'] },
            block_severities: {
              type: 'array',
              items: { type: 'string', enum: [...SEVERITIES] },
            },
            on_skipped: { type: 'string', enum: ['hold', 'allow'] },
            on_blocked: { type: 'boolean' },
            confirm: { type: 'boolean' },
            residency: {
              type: 'object',
              maxProperties: RULES.ACCEPTED_MAX,
              additionalProperties: { type: 'string', enum: [...LOCALITIES] },
            },
          },
        },
      },
    },
  },
} as const;

const REVISION_HEX_DIGITS = 16;

/** The revision of a rule set: a hash of its content, so that equal rules have one revision. */
export function rulesRevision(rules: RuleSet): string {
  const json = JSON.stringify(sorted(rules));
  return createHash('sha256').update(json).digest('hex').slice(0, REVISION_HEX_DIGITS);
}

/** The same value with the keys of every object in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, entry]) => [key, sorted(entry)]));
}
