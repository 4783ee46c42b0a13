import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, type Hunk, LINE, LineCursor } from '../../diff/diff.ts';
import type { DecidedFiles, TreeFile, TreeFiles, WantedFile } from '../../model/change.ts';
import { isSuppressible } from '../../model/finding.ts';
import { type ForeignMarker, OWN_MARKER, type PipelineSettings } from '../../model/rules.ts';
import { endTime } from '../../model/schema.ts';
import { MARKERS } from '../limits.ts';

/** A marker as it stands on its line; offsets count the line's characters. */
export interface MarkerText {
  by: string;
  rules: readonly string[];
  coversNext: boolean;
  /** The day on which it ends; null: it does not. */
  until: string | null;
  /** Where the reason stands; null for a marker of another tool, whose words are not for us. */
  reason: readonly [start: number, end: number] | null;
  /** Its problem, for the author; null when it is valid. */
  problem: MarkerMistake | null;
}

/** The problem of a marker, and what its author can do. */
export interface MarkerMistake {
  text: string;
  fix: string;
}

/**
 * The marker on a line, or null; ours is `cra-ignore RULE[, RULE...] [until 2027-03-01]: reason`.
 * Lines are given with
 * one character a byte (latin1), so that offsets count bytes. Only the exact ASCII word
 * counts, behind a sign that opens a comment in one of the usual languages; nothing is parsed to
 * tell a comment from a string. The first of our own markers counts, else the first of `foreign`
 * that is there.
 */
export function readMarker(line: string, foreign: readonly ForeignMarker[]): MarkerText | null {
  return readOwn(line) ?? readForeign(line, foreign);
}

/**
 * The lines with markers that a patch adds, more often than it takes them away, as `brought` of a
 * search has them. Linear in the patch.
 */
export function markersAdded(patch: Buffer, foreign: readonly ForeignMarker[]): string[] {
  const added = new Map<string, number>();
  for (let start = 0; start < patch.length; ) {
    const found = patch.indexOf(LF, start);
    const end = found === -1 ? patch.length : found;
    // Of a merge, each parent has a sign of its own.
    const isShort = end - start <= MARKERS.LINE_BYTES_MAX;
    const line = isShort ? patch.toString('latin1', start, end) : '';
    const [, sign] = /^ *([-+])/.exec(line) ?? [];
    if (sign !== undefined && readMarker(line, foreign) !== null) {
      const text = bareLine(line);
      added.set(text, (added.get(text) ?? 0) + (sign === '+' ? 1 : -1));
    }
    start = end + 1;
  }
  return [...added].flatMap(([text, count]) => (count > 0 ? [text] : []));
}

/** A line without the signs and blanks around its text. */
export function bareLine(line: string): string {
  return line.replace(/^[-+\s]+/, '').trimEnd();
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
  const [named = '', day] = line.slice(from, colon).split(UNTIL, 2);
  const until = day === undefined ? null : day.trim();
  const names = named.split(',', MARKERS.RULES_PER_MARKER_MAX + 1).map((name) => name.trim());
  const marker = { by: OWN_MARKER, coversNext, rules: [], until, problem: null };
  const reason = [Math.min(colon + 1, end), end] as const;
  const isDay = until === null || (until.length === DAY_CHARS && endTime(until) !== null);
  const problem = isDay ? problemOfNames(names) : NO_DAY;
  if (problem !== null) return { ...marker, until: null, reason, problem };
  const rules = names.filter(isSuppressible);
  if (rules.length === names.length) return { ...marker, reason, rules };
  return { ...marker, reason, rules, problem: NEVER };
}

const UNTIL = /\suntil\s/;
const DAY_CHARS = 'YYYY-MM-DD'.length;
const NO_DAY: MarkerMistake = {
  text: 'names no valid day, so it suppresses nothing',
  fix: `Write the day as in ${OWN_MARKER} RULE until 2027-03-01: reason.`,
};

/** Quotes no name: what stands there may be anything, a secret too. */
const NEVER: MarkerMistake = {
  text: 'names what can never be suppressed: only secret-, risk- and ast- rules can',
  fix: 'Take that rule out of the marker, and mend its finding or have a person override.',
};

/** The shape of finding ids, or the beginning of one, its family at least, and `*`. */
const RULE_NAME = /^[a-z]+-(?:[\w.-]*\*|[\w.-]+)$/;

function problemOfNames(names: readonly string[]): MarkerMistake | null {
  if (names.length > MARKERS.RULES_PER_MARKER_MAX) {
    const text = `names more than ${MARKERS.RULES_PER_MARKER_MAX} rules`;
    return { text, fix: 'Write several markers, each on the line of its finding.' };
  }
  return names.every((name) => RULE_NAME.test(name)) ? null : NO_RULES;
}

const NO_RULES: MarkerMistake = {
  text: 'does not name its rules by their ids',
  fix: `Write the id of the finding, and a reason: ${OWN_MARKER} RULE[, RULE]: reason.`,
};

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
const FOREIGN_WORDS: Readonly<Record<ForeignMarker, string>> = {
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
    return { by: name, rules, coversNext: isForNext, reason: null, until: null, problem: null };
  }
  return null;
}

/**
 * Tells markers that a change adds from markers that stood in its base already: the same rules and
 * reason stand in the same file (renames followed), on a context or removed line of the hunk or in
 * the base's whole file, where that was read.
 */
export class BaseMarkers {
  readonly #bytes: Uint8Array;
  readonly #foreign: readonly ForeignMarker[];
  readonly #words: readonly string[];
  /** By path. */
  readonly #bases: ReadonlyMap<string, TreeFile>;
  readonly #ofFiles = new Map<string, ReadonlySet<string>>();
  readonly #ofHunks = new Map<Hunk, ReadonlySet<string>>();

  readonly #decided: readonly DecidedFiles[] | null;
  readonly #ofDecided = new Map<string, ReadonlySet<string>>();

  /**
   * `bytes` is the text in which hunks are; `trees` are the files of `wantedForMarkers`; `decided`
   * as the search for markers has it.
   */
  constructor(
    bytes: Uint8Array,
    foreign: readonly ForeignMarker[],
    trees: TreeFiles,
    decided: readonly DecidedFiles[] | null,
  ) {
    this.#bytes = bytes;
    this.#decided = decided;
    this.#foreign = foreign;
    this.#words = wordsOf(foreign);
    const bases = (trees ?? []).filter(({ side }) => side === 'base');
    this.#bases = new Map(bases.map((file) => [file.path, file]));
  }

  /** Whether a marker on an added line of a hunk, given as text, stood in the base. */
  has(line: string, marker: MarkerText, file: DiffFile, hunk: Hunk): boolean {
    const key = keyOf(line, marker);
    return this.#inHunk(hunk).has(key) || this.#inFile(basePathOf(file)).has(key);
  }

  /** Whether a marker came with a change that a person decided about, or was adopted. */
  isDecided(line: string, marker: MarkerText, file: DiffFile): boolean {
    if (this.#decided === null) return true;
    const path = basePathOf(file);
    return path !== null && this.#decidedIn(path, this.#decided).has(keyOf(line, marker));
  }

  #decidedIn(path: string, decided: readonly DecidedFiles[]): ReadonlySet<string> {
    const known = this.#ofDecided.get(path);
    if (known !== undefined) return known;
    const keys = new Set<string>();
    for (const { before, after } of decided) {
      const old = this.#keysOf(before.find((file) => file.path === path)?.bytes ?? null);
      for (const key of this.#keysOf(after.find((file) => file.path === path)?.bytes ?? null)) {
        if (!old.has(key)) keys.add(key);
      }
    }
    this.#ofDecided.set(path, keys);
    return keys;
  }

  #inHunk(hunk: Hunk): ReadonlySet<string> {
    const known = this.#ofHunks.get(hunk);
    if (known !== undefined) return known;
    const keys = new Set<string>();
    const bytes = asBuffer(this.#bytes);
    const cursor = new LineCursor(bytes);
    cursor.open(hunk);
    while (cursor.next()) {
      if (cursor.kind !== LINE.ADDED) this.#collect(bytes, cursor.start, cursor.end, keys);
    }
    this.#ofHunks.set(hunk, keys);
    return keys;
  }

  #inFile(path: string | null): ReadonlySet<string> {
    const content = path === null ? null : (this.#bases.get(path)?.bytes ?? null);
    if (path === null || content === null) return NO_KEYS;
    const known = this.#ofFiles.get(path) ?? this.#keysOf(content);
    this.#ofFiles.set(path, known);
    return known;
  }

  #keysOf(content: Uint8Array | null): ReadonlySet<string> {
    const keys = new Set<string>();
    const bytes = asBuffer(content ?? new Uint8Array(0));
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(LF, start);
      const stop = end === -1 ? bytes.length : end;
      this.#collect(bytes, start, stop, keys);
      start = stop + 1;
    }
    return keys;
  }

  #collect(bytes: Buffer, start: number, end: number, keys: Set<string>): void {
    if (end - start > MARKERS.LINE_BYTES_MAX) return;
    const line = bytes.toString('latin1', start, end);
    if (!this.#words.some((word) => line.includes(word))) return;
    const marker = readMarker(line, this.#foreign);
    if (marker !== null) keys.add(keyOf(line, marker));
  }
}

const LF = 0x0a;
const NO_KEYS: ReadonlySet<string> = new Set();

/** A marker of another tool has no reason to compare, so its whole line has to be the same. */
function keyOf(line: string, { by, rules, reason, until }: MarkerText): string {
  const text = reason === null ? line.trim() : line.slice(...reason).trim();
  return JSON.stringify([by, [...rules].sort(), until, text]);
}

function wordsOf(foreign: readonly ForeignMarker[]): string[] {
  return [OWN_MARKER, ...foreign.map((name) => FOREIGN_WORDS[name])];
}

/** Where a file stood before the change; null: nowhere, or it is a copy of what stays there. */
function basePathOf({ change, oldPath }: DiffFile): string | null {
  return change === 'copied' || change === 'deleted' ? null : oldPath;
}

/**
 * The files of the base that tell which markers of a change are old: files with a marker's word
 * in a hunk, and files that are read whole (`whole`: their new paths).
 */
export function wantedForMarkers(
  bytes: Uint8Array,
  files: readonly DiffFile[],
  whole: ReadonlySet<string>,
  { own_markers, foreign_markers = [] }: PipelineSettings,
): WantedFile[] {
  if (own_markers === 'on') return [];
  const text = asBuffer(bytes);
  const words = wordsOf(foreign_markers).filter((word) => text.includes(word));
  const hasWord = ({ start, end, additions }: Hunk) => {
    const body = text.subarray(start, end);
    return additions > 0 && words.some((word) => body.includes(word));
  };
  return files.flatMap((file) => {
    const path = basePathOf(file);
    const isWanted = whole.has(file.path) || file.hunks.some(hasWord);
    return path !== null && isWanted ? [{ side: 'base' as const, path }] : [];
  });
}
