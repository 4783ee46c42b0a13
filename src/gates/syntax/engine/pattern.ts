import { USES, type Use } from '../../../rules/catalogue/line.ts';
import { charactersOf } from './characters.ts';
import { union } from './value.ts';

/** What a text that a pattern matches is safe for, and what the match says nothing of. */
export interface Held {
  readonly safe: readonly Use[];
  /** The text may hold what the use is attacked with. */
  readonly open: readonly Use[];
}

/** Characters that an attack on a use needs, one of them each. */
const ATTACKS: Readonly<Partial<Record<Use, string>>> = {
  command: ';|&$`\n',
  html: '<',
  path: '/\\',
  url: '/:@',
  redirect: '/\\',
  sql: '\'"',
  xpath: '\'"',
  // Of a filter, and of a name, which most sinks take as well.
  ldap: '()*\\,=+"<>;#',
  line: '\n',
};

/**
 * What a pattern holds a text to, in the dialects of regular expressions of all languages.
 * `isFromStart`, `isToEnd`: it has to match from there, to there, whatever it says itself. Null:
 * that is not known.
 */
export function heldBy(pattern: string, isFromStart: boolean, isToEnd: boolean): Held | null {
  const parts = alternativesOf(pattern);
  const local: readonly Use[] = isOwnPlace(pattern, isFromStart, isToEnd) ? ['redirect'] : [];
  const bodies: string[] = [];
  for (const part of parts) {
    const [, start = '', body = '', end = ''] = ANCHORS.exec(part) ?? [];
    // An alternative that may match anywhere lets all texts by.
    const isOpen = (start === '' && !isFromStart) || (end === '' && !isToEnd);
    if (isOpen) return { safe: local, open: USES.filter((use) => !local.includes(use)) };
    bodies.push(body);
  }
  const body = bodies.join('|');
  const safe = union(charactersOf(`^(?:${body})$`) ?? [], local);
  const characters = charactersIn(body);
  if (characters === null) return safe.length > 0 ? { safe, open: [] } : null;
  const open = USES.filter((use) => {
    const needed = ATTACKS[use] ?? '';
    return !safe.includes(use) && [...needed].some((one) => characters.has(one));
  });
  return { safe, open };
}

/**
 * Whether all texts that a pattern matches are places on the same host: a slash, and none of
 * `hosts` behind it. `isFromStart`, `isToEnd` as for `heldBy`.
 */
export function isOwnPlace(
  pattern: string,
  isFromStart: boolean,
  isToEnd: boolean,
  hosts = '/\\',
): boolean {
  return alternativesOf(pattern).every((part) => {
    const [, start = '', body = '', end = ''] = ANCHORS.exec(part) ?? [];
    const [, rest] = /^\\?\/([\s\S]*)$/.exec(body) ?? [];
    if (rest === undefined || (start === '' && !isFromStart)) return false;
    const isWhole = end !== '' || isToEnd;
    const refused = /^\(\?!([^()]+)\)/.exec(rest)?.[1];
    if (refused !== undefined) {
      const all = new Set(alternativesOf(refused).flatMap((one) => [...(charactersIn(one) ?? [])]));
      return alternativesOf(refused).every(isCharacter) && [...hosts].every((one) => all.has(one));
    }
    const [next, times = '', after = ''] = splitFirst(rest);
    if (next === undefined) return isWhole;
    const second = charactersIn(next);
    const isSecond = !/^[*?]|^\{0?[,}]/.test(times) || (isWhole && after === '');
    if (second === null || second.size === 0 || !isSecond) return false;
    return [...hosts].every((one) => !second.has(one));
  });
}

const CHARACTER = /^(?:\[(?:\\[\s\S]|[^\]\\])*\]|\\[\s\S]|[^()|*+?{}^$\\])/;

function isCharacter(pattern: string): boolean {
  return CHARACTER.exec(pattern)?.[0] === pattern;
}

/** The first character of a pattern, its quantifier and the rest. */
function splitFirst(pattern: string): [] | [string, string, string] {
  const next = CHARACTER.exec(pattern)?.[0];
  if (next === undefined) return pattern === '' ? [] : ['.', '', ''];
  const times = /^(?:[*+?]|\{[\d,]*\})?[?+]?/.exec(pattern.slice(next.length))?.[0] ?? '';
  return [next, times, pattern.slice(next.length + times.length)];
}

/** What a word may be by itself: the name of a program, a module or a prototype. */
const NAMED: readonly Use[] = ['command', 'key'];
/** A number is an address, too: `http://2130706433/`. */
const PLACES: readonly Use[] = ['url', 'redirect'];

/** What a part of a text is safe for that a pattern, or a group of it, matches anywhere. */
export function matchedBy(pattern: string): readonly Use[] {
  const { safe = [] } = heldBy(pattern, true, true) ?? {};
  const characters = charactersIn(pattern);
  const isWord = characters === null || [...characters].some((one) => /[A-Za-z_]/.test(one));
  return safe.filter((use) => !PLACES.includes(use) && !(isWord && NAMED.includes(use)));
}

/**
 * Whether what is taken from a text, by itself or as a pattern, is each line feed: `[\\r\\n]+`,
 * `\\r?\\n`, `\\R`. A carriage return alone ends no line of a header or log.
 */
export function isLineEnd(taken: string, isPattern: boolean): boolean {
  if (taken === '\n') return true;
  if (!isPattern) return false;
  const inner = /^\((?:\?:)?([^()]*)\)\+?$/.exec(taken)?.[1] ?? taken;
  const parts = inner.split('|');
  const isFeed = (part: string) => LINE_FEEDS.has(part) || isClassOfLineFeeds(part);
  return parts.some(isFeed) && parts.every((part) => isFeed(part) || RETURNS.has(part));
}

const LINE_FEEDS = new Set(['\n', '\r?\n', '\\n', '\\n+', '\\r?\\n', '\\R', '\\R+', '\\s', '\\s+']);
const RETURNS = new Set(['\r', '\\r', '\\r+', '\r\n', '\\r\\n']);

function isClassOfLineFeeds(pattern: string): boolean {
  const inner = /^\[(?!\^)((?:[^\]\\]|\\[\s\S])*)\][+]?$/.exec(pattern)?.[1];
  return inner !== undefined && classOf(inner).has('\n');
}

/** Whether what is put in the place of line ends brings none back. */
export function isWithoutLineEnd(given: string | null): boolean {
  return given !== null && !/[\n\\$]/.test(given);
}

const ANCHORS = /^(\^|\\A)?([\s\S]*?)(\$|\\z|\\Z)?$/;

/** The groups of a pattern whose matches are kept, in their order. */
export function groupsIn(pattern: string): { readonly name: string | null; body: string }[] {
  const groups: { name: string | null; body: string }[] = [];
  const open: ({ at: number; from: number } | null)[] = [];
  for (const { 0: token, 1: start, 2: name = null, index } of pattern.matchAll(GROUP_SIGNS)) {
    if (start !== undefined) {
      const isKept = name !== null || !token.includes('?');
      open.push(isKept ? { at: groups.length, from: index + token.length } : null);
      if (isKept) groups.push({ name, body: '' });
    } else if (token === ')') {
      const { at = -1, from = 0 } = open.pop() ?? {};
      const group = groups[at];
      if (group !== undefined) group.body = pattern.slice(from, index);
    }
  }
  return groups;
}

// A class without its end goes on to the end of the pattern, so that each character is read once.
const GROUP_SIGNS = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]?|(\()(?:\?(?:P?<(\w+)>|[:=!]|<[=!]))?|\)/g;

/** The parts of a pattern between the signs of its outermost alternatives. */
function alternativesOf(pattern: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (const { 0: token, index } of pattern.matchAll(
    /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]?|[()|]/g,
  )) {
    if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    else if (token === '|' && depth === 0) {
      parts.push(pattern.slice(from, index));
      from = index + 1;
    }
  }
  return [...parts, pattern.slice(from)];
}

const ALL = Array.from({ length: 127 }, (_, code) => String.fromCharCode(code + 1));
const WORD = ALL.filter((one) => /\w/.test(one));
const DIGITS = ALL.filter((one) => /\d/.test(one));
const BLANKS = ALL.filter((one) => /\s/.test(one));
const CLASSES: Readonly<Record<string, readonly string[]>> = { w: WORD, d: DIGITS, s: BLANKS };
const TOKEN =
  /\[(\^?)((?:\\[\s\S]|[^\]\\])*)\]?|\\([\s\S])|\((\?:|\?P?<\w+>|\?)?|[)|*+?^$]|\{[\d,]*\}|[\s\S]/g;

/** The characters of ASCII that a text may have which a pattern matches; null: not known. */
function charactersIn(body: string): ReadonlySet<string> | null {
  const found = new Set<string>();
  const add = (all: readonly string[]) => {
    for (const one of all) found.add(one);
  };
  for (const [token, not, inner, escaped, group] of body.matchAll(TOKEN)) {
    if (inner !== undefined) {
      const listed = classOf(inner);
      add(not === '^' ? ALL.filter((one) => !listed.has(one)) : [...listed]);
    } else if (escaped !== undefined) add(escapeOf(escaped));
    else if (group === '?') return null;
    else if (token === '.') add(ALL.filter((one) => one !== '\n'));
    else if (!/^(?:[()|*+?^$]|\{[\d,]*\}|\([\s\S]*)$/.test(token)) found.add(token);
  }
  return found;
}

/** The characters of ASCII that `\\` and this letter stand for. */
export function escapeOf(letter: string): readonly string[] {
  const own = CLASSES[letter];
  if (own !== undefined) return own;
  const other = CLASSES[letter.toLowerCase()];
  if (other !== undefined) return ALL.filter((one) => !other.includes(one));
  if (/[bBAZzGQE]/.test(letter)) return [];
  const controls: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
  return [controls[letter] ?? letter];
}

/** The characters that a class names, ranges between two of them included. */
export function classOf(inner: string): ReadonlySet<string> {
  const found = new Set<string>();
  const tokens = inner.match(/\\[\s\S]|[\s\S]/g) ?? [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] ?? '';
    const isRange = tokens[index + 1] === '-' && tokens[index + 2] !== undefined;
    const all = token.startsWith('\\') ? escapeOf(token.slice(1)) : [token];
    for (const one of all) found.add(one);
    if (!isRange || all.length !== 1) continue;
    const last = (tokens[index + 2] ?? '').replace(/^\\/, '');
    const [first = ''] = all;
    for (const one of ALL) if (one >= first && one <= last) found.add(one);
    index += 2;
  }
  return found;
}
