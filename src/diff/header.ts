import { BYTE, DIFF, isBlank, isDigit, type Problems, type Reader, startsAt } from './bytes.ts';
import { contentOf, type DiffFile, setNames, setOtherNames, startFile } from './diff.ts';
import { startsFilePair } from './hunk.ts';
import {
  type GitNameLines,
  isGitNames,
  type NameToken,
  NO_FILE,
  readName,
  resolveGitNames,
  stripPair,
  stripSingle,
} from './path.ts';

/** The lines between `diff --git` and the first hunk, as they stand. */
interface GitHeader extends GitNameLines {
  oldMode: string | null;
  newMode: string | null;
  added: boolean;
  deleted: boolean;
  moved: 'renamed' | 'copied' | null;
  binary: 'no' | 'marker' | 'patch';
}

/** How a line of the header begins, and what it sets: `[at, end)` is the rest of it. */
interface HeaderLine {
  prefix: string;
  set: (header: GitHeader, at: number, end: number) => void;
}

const FIRST_LINES = ['diff --git ', 'diff --cc ', 'diff --combined '] as const;

/**
 * https://git-scm.com/docs/diff-format#generate_patch_text_with_p, the ones of combined diffs, and
 * old spellings that git still reads. As in git, a later line wins.
 */
const HEADER_LINES: readonly HeaderLine[] = [
  { prefix: 'index ', set: setIndexMode },
  { prefix: '--- ', set: (header, start, end) => (header.minus = { start, end }) },
  { prefix: '+++ ', set: (header, start, end) => (header.plus = { start, end }) },
  { prefix: 'new file mode ', set: setNewFile },
  { prefix: 'deleted file mode ', set: setDeletedFile },
  { prefix: 'old mode ', set: (header, at) => (header.oldMode = modeAt(header.bytes, at)) },
  { prefix: 'new mode ', set: (header, at) => (header.newMode = modeAt(header.bytes, at)) },
  { prefix: 'mode ', set: setCombinedMode },
  { prefix: 'similarity index ', set: () => undefined },
  { prefix: 'dissimilarity index ', set: () => undefined },
  ...['rename from ', 'rename old ', 'copy from '].map((prefix) => ({ prefix, set: setFrom })),
  ...['rename to ', 'rename new ', 'copy to '].map((prefix) => ({ prefix, set: setTo })),
  { prefix: 'Binary files ', set: (header) => (header.binary = 'marker') },
  { prefix: 'GIT binary patch', set: (header) => (header.binary = 'patch') },
];

/** The same by first byte: most lines that are looked up are not among them. */
const BY_FIRST_BYTE: readonly (readonly HeaderLine[])[] = Array.from({ length: 256 }, (_, byte) =>
  HEADER_LINES.filter(({ prefix }) => prefix.charCodeAt(0) === byte),
);

/** Whether git's header of a file starts on the reader's line. */
export function startsGitHeader({ bytes, at }: Reader): boolean {
  return startsAt(bytes, at, 'diff --') && firstLineAt(bytes, at) !== null;
}

/**
 * Whether such a line in free text is a header: its names can be separated, or a line of a header
 * or a hunk follows. git ignores it otherwise.
 */
export function isGitHeader(reader: Reader): boolean {
  const text = reader.text();
  if (isGitNames(text.slice(text.indexOf(' ', FIRST_LINES[0].length - 2) + 1))) return true;
  const { bytes, next } = reader;
  if (headerLineAt(bytes, next) !== null) return true;
  return startsAt(bytes, next, '@@ -') || startsAt(bytes, next, '@@@');
}

/** Reads git's header, with the data of a binary patch, up to the first hunk or what follows. */
export function readGitHeader(reader: Reader, problems: Problems): DiffFile {
  const file = startFile(reader);
  const header = readLines(reader, file, problems);
  applyNames(header, file, problems);
  file.oldMode = header.oldMode;
  file.newMode = header.newMode;
  file.content = header.binary === 'no' ? contentOf(file.newMode ?? file.oldMode) : 'binary';
  if (header.binary === 'patch' && !skipBinaryPatch(reader)) {
    problems.add('the binary patch is damaged', file.path, reader.line);
  }
  file.headerEnd = reader.at;
  return file;
}

function readLines(reader: Reader, file: DiffFile, problems: Problems): GitHeader {
  const { bytes } = reader;
  const first = firstLineAt(bytes, reader.at) ?? '';
  const header: GitHeader = {
    bytes,
    names: { start: reader.at + first.length, end: reader.textEnd },
    combined: first !== FIRST_LINES[0],
    minus: null,
    plus: null,
    from: null,
    to: null,
    oldMode: null,
    newMode: null,
    added: false,
    deleted: false,
    moved: null,
    binary: 'no',
  };
  reader.skip();
  for (let lines = 1; header.binary === 'no'; lines += 1) {
    const line = headerLineAt(bytes, reader.at);
    if (line === null || (line.prefix === '--- ' && header.plus !== null)) break;
    if (lines === DIFF.HEADER_LINES_MAX) {
      const message = `the header has more than ${DIFF.HEADER_LINES_MAX} lines`;
      problems.add(message, null, file.diffLine);
      break;
    }
    line.set(header, reader.at + line.prefix.length, reader.textEnd);
    reader.skip();
  }
  return header;
}

function firstLineAt(bytes: Buffer, at: number): string | null {
  return FIRST_LINES.find((text) => startsAt(bytes, at, text)) ?? null;
}

function headerLineAt(bytes: Buffer, at: number): HeaderLine | null {
  const lines = BY_FIRST_BYTE[bytes[at] ?? BYTE.LF] ?? [];
  for (const line of lines) {
    if (startsAt(bytes, at, line.prefix)) return line;
  }
  return null;
}

function applyNames(header: GitHeader, file: DiffFile, problems: Problems): void {
  const names = resolveGitNames(header);
  const added = header.added || names.minusIsNone;
  const deleted = header.deleted || names.plusIsNone;
  const both = added && deleted;
  const { oldName, newName } = names;
  setNames(file, added && !both ? null : oldName, deleted && !both ? null : newName, problems);
  if (header.moved !== null && file.change === 'modified') file.change = header.moved;
  if (names.all.length > 0) setOtherNames(file, names.all);
  if (both) problems.add('the file is both new and deleted', file.path, file.diffLine);
  if (names.problem !== null) problems.add(names.problem, file.path, file.diffLine);
}

/** Octal digits at `at`; the usual modes come without making a string. */
function modeAt(bytes: Buffer, at: number): string | null {
  for (const mode of USUAL_MODES) {
    if (startsAt(bytes, at, mode)) return mode;
  }
  return /^[0-7]{1,8}/.exec(bytes.toString('latin1', at, at + 8))?.[0] ?? null;
}

const USUAL_MODES = ['100644', '100755', '120000', '160000'] as const;

function setNewFile(header: GitHeader, at: number): void {
  header.added = true;
  header.newMode = modeAt(header.bytes, at);
}

function setDeletedFile(header: GitHeader, at: number): void {
  header.deleted = true;
  header.oldMode = modeAt(header.bytes, at);
}

/** `index 12ab..34cd 100644`: the mode is there when it is the same on both sides. */
function setIndexMode(header: GitHeader, at: number, end: number): void {
  const { bytes } = header;
  if (header.added || header.deleted) return;
  let blank = end - 1;
  while (blank > at && blank > end - 10 && bytes[blank] !== BYTE.SPACE) blank -= 1;
  if (bytes[blank] !== BYTE.SPACE) return;
  header.oldMode ??= modeAt(bytes, blank + 1);
  header.newMode ??= header.oldMode;
}

/** Combined diffs: `mode 100644,100644..100755`, one mode for each parent. */
function setCombinedMode(header: GitHeader, at: number, end: number): void {
  header.oldMode = modeAt(header.bytes, at);
  const text = header.bytes.toString('latin1', at, Math.min(end, at + 16 * DIFF.PARENTS_MAX));
  header.newMode = modeAt(header.bytes, at + text.indexOf('..') + 2);
}

function setFrom(header: GitHeader, start: number, end: number): void {
  header.moved = startsAt(header.bytes, start - 'copy from '.length, 'copy') ? 'copied' : 'renamed';
  header.from = { start, end };
}

function setTo(header: GitHeader, start: number, end: number): void {
  header.to = { start, end };
}

/**
 * Passes the data under a "GIT binary patch" line: one block for the new content and possibly one
 * for the old, each `literal SIZE` or `delta SIZE`, lines of base 85, a blank line. Returns false
 * where it isn't of that form; the reader then stands on the first line that isn't.
 * https://git-scm.com/docs/git-diff#Documentation/git-diff.txt---binary
 */
function skipBinaryPatch(reader: Reader): boolean {
  for (let block = 0; block < 2; block += 1) {
    const literal = startsAt(reader.bytes, reader.at, 'literal ');
    const size = reader.at + (literal ? 'literal ' : 'delta ').length;
    if (!literal && !startsAt(reader.bytes, reader.at, 'delta ')) return block === 1;
    if (!isDigit(reader.bytes[size])) return false;
    reader.skip();
    while (isDataLine(reader.bytes, reader.at)) reader.skip();
    // Trimming the text removes the last blank line.
    if (reader.done) return true;
    if (!isBlank(reader.bytes, reader.at)) return false;
    reader.skip();
  }
  return true;
}

/** One letter for the number of bytes, then 5 characters for each 4 of them. */
function isDataLine(bytes: Buffer, at: number): boolean {
  const letter = bytes[at] ?? 0;
  const upper = letter >= 0x41 && letter <= 0x5a;
  if (!upper && !(letter >= 0x61 && letter <= 0x7a)) return false;
  const size = upper ? letter - 0x41 + 1 : letter - 0x61 + 27;
  const dataEnd = at + 1 + Math.ceil(size / 4) * 5;
  for (let index = at + 1; index < dataEnd; index += 1) {
    if (BASE85[bytes[index] ?? 0] !== 1) return false;
  }
  return dataEnd === bytes.length || isBlank(bytes, dataEnd);
}

/** git base85.c. */
const BASE85 = new Uint8Array(256);
for (const character of '0123456789!#$%&()*+-;<=>?@^_`{|}~') {
  BASE85[character.charCodeAt(0)] = 1;
}
for (let letter = 0; letter < 26; letter += 1) {
  BASE85[0x41 + letter] = 1;
  BASE85[0x61 + letter] = 1;
}

/** Reads the two lines `--- old` and `+++ new` of `diff -u`, Mercurial or Subversion. */
export function readPairHeader(reader: Reader, problems: Problems): DiffFile {
  const file = startFile(reader);
  readPair(reader, file, null, problems);
  return file;
}

/** Whether Subversion's or CVS's header starts here: `Index: name` and a line of `=`. */
export function startsIndexHeader(reader: Reader): boolean {
  return startsAt(reader.bytes, reader.at, INDEX) && startsAt(reader.bytes, reader.next, '=======');
}

/**
 * Reads that header: the name, the line of `=`, what CVS puts there, and the pair or Subversion's
 * words for a binary file.
 */
export function readIndexHeader(reader: Reader, problems: Problems): DiffFile {
  const file = startFile(reader);
  const name = reader.text().slice(INDEX.length).trim();
  reader.skip();
  if (startsAt(reader.bytes, reader.at, RULE)) reader.skip();
  while (CVS_LINES.some((text) => startsAt(reader.bytes, reader.at, text))) reader.skip();
  if (startsFilePair(reader.bytes, reader.at)) {
    readPair(reader, file, name, problems);
    return file;
  }
  setNames(file, name, name, problems);
  if (startsAt(reader.bytes, reader.at, 'Cannot display: file marked as a binary type.')) {
    file.content = 'binary';
    reader.skip();
    while (startsAt(reader.bytes, reader.at, 'svn:mime-type = ')) reader.skip();
  }
  file.headerEnd = reader.at;
  return file;
}

const INDEX = 'Index: ';
const RULE = '=======';
const CVS_LINES = ['RCS file: ', 'retrieving revision ', 'diff -'] as const;

/** Whether the line says, in GNU diff's words, that two files differ and no more. */
export function startsDifferLine(reader: Reader): boolean {
  const { bytes, at, end } = reader;
  if (!startsAt(bytes, at, 'Binary files ') && !startsAt(bytes, at, 'Files ')) return false;
  const last = bytes[end - 1] === BYTE.CR ? end - 1 : end;
  return startsAt(bytes, last - DIFFER.length, DIFFER);
}

const DIFFER = ' differ';

/** Reads "Binary files a/x and b/x differ": a file of which the diff shows nothing. */
export function readDifferLine(reader: Reader, problems: Problems): DiffFile {
  const file = startFile(reader);
  const line = reader.text();
  const names = line.slice(line.indexOf('iles ') + 'iles '.length, -DIFFER.length);
  const [minus, plus] = splitAnd(names).map(readName);
  if (minus !== undefined && plus !== undefined) setPair(file, minus, plus, problems);
  file.content = 'binary';
  reader.skip();
  file.headerEnd = reader.at;
  return file;
}

/** Splits at the " and " that gives two names for one file; else at the first. */
function splitAnd(names: string): [string, string] {
  let at = names.indexOf(AND);
  const first = at;
  for (let tries = 0; at !== -1 && tries < AND_TRIES_MAX; tries += 1) {
    const pair: [string, string] = [names.slice(0, at), names.slice(at + AND.length)];
    if (pair.includes(NO_FILE) || stripPair(...pair).oneFile) return pair;
    at = names.indexOf(AND, at + 1);
  }
  return first === -1 ? [names, names] : [names.slice(0, first), names.slice(first + AND.length)];
}

const AND = ' and ';
const AND_TRIES_MAX = 4;

function readPair(reader: Reader, file: DiffFile, index: string | null, problems: Problems): void {
  const minus = readName(reader.text().slice('--- '.length));
  reader.skip();
  const plus = readName(reader.text().slice('+++ '.length));
  reader.skip();
  file.headerEnd = reader.at;
  setPair(file, minus, plus, problems);
  if (index !== null && ![minus.name, plus.name].some((name) => name.endsWith(index))) {
    setOtherNames(file, [...file.otherPaths, index]);
    const message = 'the lines of the header name different files';
    problems.add(message, file.path, file.diffLine);
  }
}

function setPair(file: DiffFile, minus: NameToken, plus: NameToken, problems: Problems): void {
  const single = minus.name === NO_FILE || plus.name === NO_FILE;
  const pair = single
    ? { oldName: stripSingle(minus.name), newName: stripSingle(plus.name), oneFile: true }
    : stripPair(minus.name, plus.name);
  setNames(
    file,
    minus.name === NO_FILE || isGone(minus.rest) ? null : pair.oldName,
    plus.name === NO_FILE || isGone(plus.rest) ? null : pair.newName,
    problems,
  );
  if (!single && pair.oldName !== pair.newName) setOtherNames(file, [pair.oldName, pair.newName]);
  if (!pair.oneFile) {
    const message = 'the header names two files; which one would change is not certain';
    problems.add(message, file.path, file.diffLine);
  }
  if (!minus.clean || !plus.clean) {
    problems.add('a quoted name in the header is not properly quoted', file.path, file.diffLine);
  }
}

/**
 * Whether what follows the name says that there is no file: the epoch, which `diff -N` gives to
 * missing files (git apply reads it so, apply.c "has_epoch_timestamp"), or Subversion's word.
 */
function isGone(rest: string): boolean {
  if (rest.endsWith('\t(nonexistent)') || rest.endsWith('\t(revision 0)')) return true;
  const [, date, time, hours, minutes] = TIMESTAMP.exec(rest) ?? [];
  return date !== undefined && Date.parse(`${date}T${time}${hours}:${minutes}`) === 0;
}

const TIMESTAMP = /^\t(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.0+)? ([-+]\d\d):?(\d\d)$/;
