import { DIFF } from './bytes.ts';

/**
 * Names in diff headers. Until `decodePath`, a name is text of one character a byte.
 */

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
export interface GitNames {
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
export function splitGitNames(text: string): GitNames | null {
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
export interface NamePair {
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
export function areKin({ oldName, newName }: { oldName: string; newName: string }): boolean {
  const [, oldDirectory, oldSuffix] = KIN_PARTS.exec(oldName) ?? [];
  const [, newDirectory, newSuffix] = KIN_PARTS.exec(newName) ?? [];
  return oldDirectory === newDirectory && oldSuffix === newSuffix;
}

const KIN_PARTS = /^(.*\/|)[^./]*([^/]*)$/s;

/**
 * Takes `a/` or `b/` off a name whose other side is not a file, or that stands alone.
 */
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
