import { BYTE, type Problems, type Reader, startsAt } from './bytes.ts';
import type { DiffFile } from './diff.ts';
import { setNames, startFile } from './file.ts';
import { startsFilePair } from './hunk.ts';
import { type NameToken, NO_FILE, readName, stripPair, stripSingle } from './path.ts';

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
