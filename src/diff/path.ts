import { BYTE, DIFF, lineText, startsAt } from './bytes.ts';

/** Names in diff headers. Until `decodePath`, a name is text of one character a byte. */

/** The name that stands for "no file". */
export const NO_FILE = '/dev/null';

/** A name as it stood in the header, and what follows it on the line. */
export interface NameToken {
  name: string;
  rest: string;
  /** False when it starts like a quoted name but isn't one; it is taken literally then. */
  clean: boolean;
}

/**
 * Reads the name at the start of `text`: quoted in the way of C (git's core.quotePath and GNU
 * diff), or else up to a tab, behind which `diff -u` puts the time.
 */
export function readName(text: string): NameToken {
  if (text.startsWith('"')) {
    const token = unquote(text);
    if (token !== null) return token;
  }
  const tab = text.indexOf('\t');
  const name = tab === -1 ? text : text.slice(0, tab);
  return { name, rest: text.slice(name.length), clean: !text.startsWith('"') };
}

/** The bytes of a name as UTF-8, U+FFFD where they are not UTF-8. */
export function decodePath(name: string): string {
  return NON_ASCII.test(name) ? Buffer.from(name, 'latin1').toString('utf8') : name;
}

const NON_ASCII = /[\x80-\xff]/;

/** The two names of a `diff --git` line, and what they have in common behind their prefixes. */
interface GitNames {
  old: string;
  new: string;
  name: string;
}

/**
 * Splits what follows `diff --git `. Names with blanks are not quoted there, but unless the file
 * was renamed (then other lines tell) both are the same behind their prefixes, and that is where
 * to split. Null when no split fits. Prefixes: `a/` and `b/`, none, or any one directory
 * (diff.mnemonicPrefix, --src-prefix).
 */
function splitGitNames(text: string): GitNames | null {
  const tokens = text.includes('"') ? splitQuoted(text) : splitPlain(text);
  if (tokens === null) return null;
  const [oldName, newName] = tokens;
  if (oldName === newName) return { old: oldName, new: newName, name: oldName };
  const name = behindSlash(oldName);
  if (name === '' || name !== behindSlash(newName)) return null;
  return { old: oldName, new: newName, name };
}

function behindSlash(name: string): string {
  return name.slice(name.indexOf('/') + 1 || name.length);
}

function splitQuoted(text: string): [string, string] | null {
  const quote = text.indexOf(' "');
  const first = text.startsWith('"') || quote === -1 ? readName(text) : null;
  const oldName = first?.name ?? text.slice(0, quote);
  const rest = first?.rest ?? text.slice(quote);
  if (!rest.startsWith(' ')) return null;
  const second = readName(rest.slice(1));
  return second.rest === '' ? [oldName, second.name] : null;
}

function splitPlain(text: string): [string, string] | null {
  const half = (text.length - 1) / 2;
  if (Number.isInteger(half) && text[half] === ' ') {
    const pair: [string, string] = [text.slice(0, half), text.slice(half + 1)];
    if (pair[0] === pair[1] || behindSlash(pair[0]) === behindSlash(pair[1])) return pair;
  }
  return splitUneven(text);
}

/**
 * Prefixes of different lengths. What is behind the first slash grows with every further blank
 * and what is behind the next slash shrinks, so that at most one split can fit: one comparison.
 */
function splitUneven(text: string): [string, string] | null {
  const start = text.indexOf('/') + 1;
  let slash = start - 1;
  for (let blank = text.indexOf(' ', start); blank !== -1; blank = text.indexOf(' ', blank + 1)) {
    if (slash < blank) slash = text.indexOf('/', blank);
    if (slash === -1 || start === 0) return null;
    const size = text.length - slash - 1;
    if (blank - start < size) continue;
    const same = blank - start === size && text.endsWith(text.slice(start, blank));
    return same ? [text.slice(0, blank), text.slice(blank + 1)] : null;
  }
  return null;
}

/** The names of a `---` and a `+++` line without their prefixes. */
interface NamePair {
  oldName: string;
  newName: string;
  /** Whether both can only mean one file; else patch(1) chooses, and may choose the other one. */
  oneFile: boolean;
}

/**
 * Takes the prefixes off the names of `---` and `+++` lines where no `diff --git` line tells them:
 * `a/` and `b/` or git's other pairs, or the one directory in which the names differ
 * (`diff -ru old new`). Files compared beside each other (`x.js.orig` and `x.js`, `old.js` and
 * `new.js`) count as one, behind prefixes only the former.
 */
export function stripPair(oldName: string, newName: string): NamePair {
  if (oldName === newName) return { oldName, newName, oneFile: true };
  const longest = Math.max(oldName.length, newName.length);
  if (longest > DIFF.PATH_BYTES_MAX) return { oldName, newName, oneFile: false };
  if (GIT_PREFIXES.has(oldName.slice(0, 2) + newName.slice(0, 2))) {
    const pair = { oldName: oldName.slice(2), newName: newName.slice(2) };
    return { ...pair, oneFile: pair.oldName === pair.newName || isCopy(pair) };
  }
  const pair = { oldName, newName };
  const shared = sharedEnd(oldName, newName);
  const directory = (name: string) => DIRECTORY.exec(name.slice(0, -shared.length - 1))?.[0];
  if (shared !== '' && directory(oldName) === directory(newName)) {
    return { oldName: shared, newName: shared, oneFile: true };
  }
  const absolute = shared !== '' && (oldName.startsWith('/') || newName.startsWith('/'));
  return { ...pair, oneFile: absolute || isCopy(pair) || areKin(pair) };
}

/** The directories and the file name that both names end with, behind a slash in both. */
function sharedEnd(one: string, other: string): string {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one.at(-1 - length) === other.at(-1 - length)) length += 1;
  const end = one.slice(one.length - length);
  return end.includes('/') ? end.slice(end.indexOf('/') + 1) : '';
}

const DIRECTORY = /^(?:.*\/)?/s;

/** Pairs that git writes: default, diff.mnemonicPrefix, and each with -R. */
const GIT_PREFIXES: ReadonlySet<string> = new Set(
  ['ab', 'iw', 'ci', 'cw', 'ow', '12'].flatMap((pair) => [
    `${pair[0]}/${pair[1]}/`,
    `${pair[1]}/${pair[0]}/`,
  ]),
);

/** One name is the other with a suffix that marks copies. */
function isCopy({ oldName, newName }: { oldName: string; newName: string }): boolean {
  const [short, long] = oldName.length < newName.length ? [oldName, newName] : [newName, oldName];
  return long.startsWith(short) && COPY_SUFFIX.test(long.slice(short.length));
}

const COPY_SUFFIX = /^(?:~|\.(?:orig|old|bak|new|mine|[0-9]+))$/;

/** Two files in one directory, of one kind: all behind the first dot of the name is the same. */
function areKin({ oldName, newName }: { oldName: string; newName: string }): boolean {
  const [, oldDirectory, oldSuffix] = KIN_PARTS.exec(oldName) ?? [];
  const [, newDirectory, newSuffix] = KIN_PARTS.exec(newName) ?? [];
  return oldDirectory === newDirectory && oldSuffix === newSuffix;
}

const KIN_PARTS = /^(.*\/|)[^./]*([^/]*)$/s;

/** Takes `a/` or `b/` off a name whose other side is not a file, or that stands alone. */
export function stripSingle(name: string): string {
  return /^[ab]\//.test(name) ? name.slice(2) : name;
}

/** Reads a name quoted in the way of C; null when the quoting is broken. */
function unquote(text: string): NameToken | null {
  let name = '';
  let at = 1;
  for (;;) {
    const stop = nextSpecial(text, at);
    if (stop === -1) return null;
    name += text.slice(at, stop);
    if (text[stop] === '"') return { name, rest: text.slice(stop + 1), clean: true };
    const octal = /^[0-3][0-7]{2}/.exec(text.slice(stop + 1, stop + 4));
    if (octal !== null) {
      name += String.fromCharCode(Number.parseInt(octal[0], 8));
      at = stop + 4;
      continue;
    }
    const escaped = ESCAPES.get(text[stop + 1] ?? '');
    if (escaped === undefined) return null;
    name += escaped;
    at = stop + 2;
  }
}

function nextSpecial(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '"' || text[at] === '\\') return at;
  }
  return -1;
}

/** git quote.c and C itself. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['t', '\t'],
  ['n', '\n'],
  ['v', '\v'],
  ['f', '\f'],
  ['r', '\r'],
  ['"', '"'],
  ['\\', '\\'],
]);

/** The rest of a header line. */
interface Span {
  start: number;
  end: number;
}

/** What git's header says about names. */
export interface GitNameLines {
  bytes: Buffer;
  /** Behind `diff --git `; behind `diff --cc ` it is one name, without prefix. */
  names: Span;
  combined: boolean;
  /** `---` and `+++`. */
  minus: Span | null;
  plus: Span | null;
  /** Of a rename or copy. */
  from: Span | null;
  to: Span | null;
}

interface ResolvedNames {
  oldName: string;
  newName: string;
  /** Whether the `---` and the `+++` line say that there is no such file. */
  minusIsNone: boolean;
  plusIsNone: boolean;
  problem: string | null;
  /** Every name in the header without its prefix; empty where all lines name one file. */
  all: string[];
}

/** Whether the text behind `diff --git ` is two names of one file. */
export function isGitNames(text: string): boolean {
  return splitGitNames(text) !== null;
}

/** Finds the names by the surest lines: renames, then `diff --git`, then `---` and `+++`. */
export function resolveGitNames(lines: GitNameLines): ResolvedNames {
  const minusIsNone = !lines.combined && isNone(lines.bytes, lines.minus);
  const plusIsNone = isNone(lines.bytes, lines.plus);
  const usual = usualName(lines, minusIsNone, plusIsNone);
  if (usual !== null) {
    return { oldName: usual, newName: usual, minusIsNone, plusIsNone, problem: null, all: [] };
  }
  const texts = new NameTexts(lines.bytes);
  const minus = minusIsNone ? null : texts.read(lines.minus);
  const plus = plusIsNone ? null : texts.read(lines.plus);
  const pair = lines.combined
    ? combinedNames(texts.read(lines.names) ?? '', plus)
    : (movedNames(texts.read(lines.from), texts.read(lines.to), minus, plus) ??
      pairedNames(texts.text(lines.names), minus, plus));
  if (pair === null) {
    const name = texts.text(lines.names);
    const problem = 'the header does not show where one name ends and the other begins';
    const all = commonSplits(name);
    return { oldName: name, newName: name, minusIsNone, plusIsNone, problem, all };
  }
  const { oldName, newName } = pair;
  const problem = problemOf(pair, texts);
  const isAgreed = problem === null && oldName === newName && hasClearNames(lines, texts);
  const all = isAgreed ? [] : namesIn(pair, lines, texts);
  return { oldName, newName, minusIsNone, plusIsNone, problem, all };
}

/** Whether the first line of the header names one file. */
function hasClearNames({ combined, names, from, to }: GitNameLines, texts: NameTexts): boolean {
  return combined || from !== null || to !== null || isGitNames(texts.text(names));
}

/** The names of a header whose lines do not all name one file. */
function namesIn(pair: NamePair, lines: GitNameLines, texts: NameTexts): string[] {
  const { oldName, newName, oneFile } = pair;
  const { minus, plus, from, to } = lines;
  const bare = [from, to].flatMap((span) => texts.read(span) ?? []);
  const prefixed = (oneFile ? [] : [minus, plus]).flatMap((span) => {
    return isNone(lines.bytes, span) ? [] : (texts.read(span) ?? []);
  });
  const text = texts.text(lines.names);
  const first = lines.combined ? [text] : [...commonSplits(text), splitGitNames(text)?.name ?? ''];
  // Their prefixes are not certain where they contradict each other.
  return [oldName, newName, ...bare, ...first, ...prefixed.map(stripSingle)];
}

/** The two names of a `diff --git` line whose prefixes are the usual ones; else none. */
function commonSplits(text: string): string[] {
  const names = text.includes('"') ? splitQuoted(text) : text.split(/ (?=b\/)/);
  return names?.length === 2 ? names.map(stripSingle) : [];
}

function problemOf(pair: NamePair, texts: NameTexts): string | null {
  if (!pair.oneFile) return 'the lines of the header name different files without a rename';
  return texts.clean ? null : 'a quoted name in the header is not properly quoted';
}

class NameTexts {
  /** False once a quoted name was not properly quoted. */
  clean = true;
  private readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  text(span: Span): string {
    return lineText(this.bytes, span.start, span.end);
  }

  read(span: Span | null): string | null {
    if (span === null) return null;
    const token = readName(this.text(span));
    if (!token.clean) this.clean = false;
    return token.name;
  }
}

function isNone(bytes: Buffer, span: Span | null): boolean {
  if (span === null || !startsAt(bytes, span.start, NO_FILE)) return false;
  const rest = span.start + NO_FILE.length;
  return rest === span.end || bytes[rest] === BYTE.TAB;
}

/**
 * The name in the usual header, found without making strings: `a/NAME b/NAME` in ASCII with
 * prefixes of one length, and `---` and `+++` lines that repeat them. Null: look closer.
 */
function usualName(lines: GitNameLines, minusIsNone: boolean, plusIsNone: boolean): string | null {
  const { bytes, names, minus, plus } = lines;
  const { start, end } = names;
  const shift = (end - start + 1) / 2;
  const middle = start + shift - 1;
  if (lines.combined || lines.from !== null || lines.to !== null) return null;
  if (!Number.isInteger(shift) || bytes[middle] !== BYTE.SPACE) return null;
  const slash = prefixEnd(bytes, start, middle, shift);
  if (slash === -1) return null;
  for (let at = slash + 1; at < middle; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte !== bytes[at + shift] || byte < 0x20 || byte > 0x7e || byte === QUOTE) return null;
  }
  if (minus !== null && !minusIsNone && !repeats(bytes, minus, start, middle)) return null;
  if (plus !== null && !plusIsNone && !repeats(bytes, plus, middle + 1, end)) return null;
  return slash + 1 === middle ? null : bytes.toString('latin1', slash + 1, middle);
}

/** Offset of the first slash, where both halves have it and differ before it; else -1. */
function prefixEnd(bytes: Buffer, start: number, middle: number, shift: number): number {
  let differ = false;
  for (let at = start; at < middle; at += 1) {
    const byte = bytes[at];
    const other = bytes[at + shift];
    if (byte === QUOTE || other === QUOTE) return -1;
    if (byte === SLASH || other === SLASH) return byte === other && differ ? at : -1;
    if (byte !== other) differ = true;
  }
  return -1;
}

/** Whether the line holds the same bytes; behind names with blanks git puts a tab. */
function repeats(bytes: Buffer, line: Span, start: number, end: number): boolean {
  const length = end - start;
  const rest = line.end - line.start - length;
  if (rest !== 0 && !(rest === 1 && bytes[line.end - 1] === BYTE.TAB)) return false;
  for (let index = 0; index < length; index += 1) {
    if (bytes[line.start + index] !== bytes[start + index]) return false;
  }
  return true;
}

const QUOTE = 0x22;
const SLASH = 0x2f;

/** The names of a rename or copy, which have no prefix; null for another one. */
function movedNames(
  from: string | null,
  to: string | null,
  minus: string | null,
  plus: string | null,
): NamePair | null {
  if (from === null && to === null) return null;
  const oldName = from ?? to ?? '';
  const newName = to ?? from ?? '';
  const complete = from !== null && to !== null;
  return { oldName, newName, oneFile: complete && names(minus, oldName) && names(plus, newName) };
}

/** There may be a `---` line for each parent, with its own name (--combined-all-paths). */
function combinedNames(only: string, plus: string | null): NamePair {
  return { oldName: only, newName: only, oneFile: names(plus, only) };
}

/** Whether a `---` or `+++` line names this file behind a prefix, or says nothing. */
function names(line: string | null, file: string): boolean {
  if (line === null) return true;
  return line.endsWith(file) && /^[^/]*\/?$/.test(line.slice(0, line.length - file.length));
}

/** Null when no line tells. `oneFile` is false when two lines contradict each other. */
function pairedNames(text: string, minus: string | null, plus: string | null): NamePair | null {
  const split = splitGitNames(text);
  if (split === null) return lineNames(minus, plus);
  const oneFile = (minus === null || minus === split.old) && (plus === null || plus === split.new);
  const pair = oneFile ? null : lineNames(minus, plus);
  return { oldName: split.name, newName: split.name, ...pair, oneFile };
}

/** The names of the `---` and `+++` lines alone. */
function lineNames(minus: string | null, plus: string | null): NamePair | null {
  if (minus !== null && plus !== null) {
    const pair = stripPair(minus, plus);
    return { ...pair, oneFile: pair.oneFile || areKin(pair) };
  }
  const single = minus ?? plus;
  if (single === null) return null;
  return { oldName: stripSingle(single), newName: stripSingle(single), oneFile: true };
}
