import { isSuppressible } from '../../model/finding.ts';
import { type ForeignMarker, OWN_MARKER } from '../../model/rules.ts';
import { MARKERS } from '../limits.ts';

/** A marker as it stands on its line; offsets count the line's characters. */
export interface MarkerText {
  by: string;
  rules: readonly string[];
  coversNext: boolean;
  /** Where the reason stands; null for a marker of another tool, whose words are not for us. */
  reason: readonly [start: number, end: number] | null;
  /** What is wrong with it, for the author; null: nothing. */
  problem: string | null;
}

/**
 * The marker on a line, or null; ours is `cra-ignore RULE[, RULE...]: reason`. Lines are given with
 * one character a byte (latin1), so that offsets are those of the bytes. Only the exact ASCII word
 * counts, behind a sign that opens a comment in one of the usual languages; nothing is parsed to
 * tell a comment from a string. The first of our own markers counts, else the first of `foreign`
 * that is there.
 */
export function readMarker(line: string, foreign: readonly ForeignMarker[]): MarkerText | null {
  return readOwn(line) ?? readForeign(line, foreign);
}

const COMMENT_SIGN = /\/[/*]|#|--|(?:^|\s)[;%]|\(\*|"""|'''|\{\{!|^\s*(?:\*|'|@?rem\b|dnl\b)/i;
const COMMENT_WORD = /^\s*(?:@?rem|dnl)\b/i;

/** Where the first comment of a line begins; beyond its end when it is absent. */
function commentStart(line: string): number {
  return COMMENT_SIGN.exec(line)?.index ?? Number.POSITIVE_INFINITY;
}

/** Whether nothing but the sign of the comment stands before the marker. */
function isAlone(before: string): boolean {
  return !/[\w\x80-\xff]/.test(before.replace(COMMENT_WORD, ''));
}

function readOwn(line: string): MarkerText | null {
  let at = line.indexOf(OWN_MARKER);
  if (at === -1) return null;
  const comment = commentStart(line);
  for (; at !== -1; at = line.indexOf(OWN_MARKER, at + 1)) {
    const end = at + OWN_MARKER.length;
    const isWord = !/[\w-]/.test(line.charAt(at - 1)) && !/[\w-]/.test(line.charAt(end));
    if (isWord && comment < at) return readBody(line, end, isAlone(line.slice(0, at)));
  }
  return null;
}

/** Signs that end a comment on its line. */
const CLOSING_SIGNS = ['*/', '-->', '%>', '#}', '}}', '*)', '"""', "'''"];

function readBody(line: string, from: number, coversNext: boolean): MarkerText {
  const closings = CLOSING_SIGNS.map((sign) => line.indexOf(sign, from)).filter((at) => at !== -1);
  const end = Math.min(line.length, ...closings);
  const found = line.indexOf(':', from);
  const colon = found === -1 || found > end ? end : found;
  const names = line
    .slice(from, colon)
    .split(',', MARKERS.RULES_PER_MARKER_MAX + 1)
    .map((name) => name.trim());
  const marker = { by: OWN_MARKER, coversNext, rules: [], problem: null };
  const reason = [Math.min(colon + 1, end), end] as const;
  const problem = problemOfNames(names);
  if (problem !== null) return { ...marker, reason, problem };
  const rules = names.filter(isSuppressible);
  if (rules.length === names.length) return { ...marker, reason, rules };
  return { ...marker, reason, rules, problem: NEVER };
}

/** Quotes no name: what stands there may be anything, a secret too. */
const NEVER = 'names what can never be suppressed: only secret-, risk- and ast- rules can';

/** The shape of finding ids, or the beginning of one, its family at least, and `*`. */
const RULE_NAME = /^[a-z]+-(?:[\w.-]*\*|[\w.-]+)$/;

function problemOfNames(names: readonly string[]): string | null {
  if (names.length > MARKERS.RULES_PER_MARKER_MAX) {
    return `names more than ${MARKERS.RULES_PER_MARKER_MAX} rules`;
  }
  return names.every((name) => RULE_NAME.test(name))
    ? null
    : `does not name its rules like this: ${OWN_MARKER} RULE[, RULE]: reason`;
}

const SECRETS = ['secret-*'];
const CODE = ['secret-*', 'risk-*', 'ast-*'];

/** How another tool reads its own marker. */
interface ForeignSyntax {
  /** The first match on the line counts; where `next` takes part it is for the next line. */
  shape: RegExp;
  /** Which findings it is about. */
  rules: readonly string[];
  /** It is for the next line when it stands alone. */
  coversNext?: true;
  /** What the text behind it must hold. */
  names?: RegExp;
}

/** What stands in every marker of a tool. */
export const FOREIGN_WORDS: Readonly<Record<ForeignMarker, string>> = {
  'gitleaks:allow': 'gitleaks:allow',
  'trufflehog:ignore': 'trufflehog:ignore',
  ggignore: 'ggignore',
  'pragma: allowlist secret': 'pragma:',
  'secretlint-disable-line': 'secretlint-disable-',
  nosemgrep: 'nosem',
  nosec: 'nosec',
  NOSONAR: 'NOSONAR',
  'eslint-disable-line': 'eslint-disable-',
};

/** Written from the manuals of the tools. */
const FOREIGN: Readonly<Record<ForeignMarker, ForeignSyntax>> = {
  'gitleaks:allow': { shape: /gitleaks:allow/, rules: SECRETS },
  'trufflehog:ignore': { shape: /trufflehog:ignore/, rules: SECRETS },
  ggignore: { shape: /\bggignore\b/, rules: SECRETS },
  'pragma: allowlist secret': {
    shape: /pragma: ?(?:allow|white)list (?<next>nextline )?secret/,
    rules: SECRETS,
  },
  'secretlint-disable-line': { shape: /secretlint-disable-(?<next>next-)?line\b/, rules: SECRETS },
  nosemgrep: { shape: /\bnosem(?:grep)?\b/, rules: CODE, coversNext: true },
  nosec: { shape: /\bnosec\b/, rules: CODE },
  NOSONAR: { shape: /\bNOSONAR\b/, rules: CODE },
  'eslint-disable-line': {
    shape: /eslint-disable-(?<next>next-)?line\b/,
    rules: CODE,
    // Most of these comments are about style; these rules are about security.
    names: /\b(?:security\/|no-secrets\/|no-(?:implied-)?eval\b|no-new-func\b|no-script-url\b)/,
  },
};

function readForeign(line: string, foreign: readonly ForeignMarker[]): MarkerText | null {
  for (const name of foreign) {
    const { shape, rules, coversNext = false, names } = FOREIGN[name];
    const match = shape.exec(line);
    if (match === null || commentStart(line) > match.index) continue;
    if (names?.test(line.slice(match.index)) === false) continue;
    const isNext = match.groups?.['next'] !== undefined;
    const isForNext = isNext || (coversNext && isAlone(line.slice(0, match.index)));
    return { by: name, rules, coversNext: isForNext, reason: null, problem: null };
  }
  return null;
}
