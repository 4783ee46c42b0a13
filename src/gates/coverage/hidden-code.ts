import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, LINE, LineCursor, type ParsedDiff } from '../../diff/diff.ts';
import type { TreeFile, TreeFiles, WantedFile } from '../../model/change.ts';
import type { Severity } from '../../model/finding.ts';
import { WORKFLOW } from '../patterns/wide-context.ts';
import {
  CODE_NAME,
  DATA_NAME,
  endingByShebang,
  hasNoEnding,
  hasUnknownEnding,
  IMAGE_NAME,
  isImageContent,
  isLesserPath,
  isProgramContent,
  kindOf,
  PLACES,
  PROGRAM_NAME,
  placeOf,
  runsByName,
} from './paths.ts';

/**
 * Code that the hunks of a diff do not show as what it is: the file behind a symlink, a file that
 * a new name or a new first line turns into code, a script without an ending, a program that is
 * named like an image.
 */

/** Content to be judged beside the diff, under a name that says how it is run. */
export interface Reading {
  /** Its `path` is that name; its hunks are ranges of `bytes`. */
  file: DiffFile;
  bytes: Uint8Array;
  /** The path that findings show. */
  path: string;
  /** The same file before the change, read the same way: what it has is not new. */
  base: Pick<Reading, 'file' | 'bytes'> | null;
  /** What the gates will not see of it later; null: nothing. */
  warning: Unseen | null;
}

/** Why a file could not be looked at as what it is. */
export interface Unseen {
  id: 'outside-diff' | 'binary-file';
  severity: Severity;
  message: string;
}

/** The whole files that `readHiddenCode` can make use of. Linear in the headers of the diff. */
export function wantedForCode(bytes: Uint8Array, { files }: ParsedDiff): WantedFile[] {
  const suspects = files.filter((file) => suspicionOf(bytes, file) !== null);
  // Data comes last, as all share one budget and its first line seldom makes it a script.
  const isData = ({ path, content, newMode }: DiffFile) =>
    (content === 'binary' || hasUnknownEnding(path)) &&
    !hasNoEnding(path) &&
    newMode !== EXECUTABLE;
  suspects.sort((one, other) => Number(isData(one)) - Number(isData(other)));
  const bases = suspects.filter(({ path, change, content }) => {
    return change === 'modified' && (WORKFLOW.test(path) || content === 'binary');
  });
  const wanted = (side: WantedFile['side']) => (file: DiffFile) => ({ side, path: file.path });
  return [...suspects.map(wanted('head')), ...bases.map(wanted('base'))];
}

const EXECUTABLE = '100755';

type Suspicion = 'link' | 'moved' | 'script' | 'image' | 'binary' | 'workflow';

/** Why the whole of a file may be needed; null: its hunks say enough. */
function suspicionOf(bytes: Uint8Array, file: DiffFile): Suspicion | null {
  const { change, content, path, oldPath } = file;
  if (change === 'deleted' || content === 'submodule') return null;
  if (content === 'symlink') return isNamed(path) || hasNoEnding(path) ? 'link' : null;
  if (content === 'binary') {
    if (IMAGE_NAME.test(path)) return 'image';
    return PROGRAM_NAME.test(path) || DATA_NAME.test(path) ? null : 'binary';
  }
  if (becomesCode(file) !== null || isReadOtherwise(file)) return 'moved';
  if (WORKFLOW.test(path)) return file.hunks.length > 0 ? 'workflow' : null;
  if (CODE_NAME.test(path)) return null;
  const { first } = firstLines(bytes, file);
  if (first !== null) return endingByShebang(first) === null ? null : 'script';
  const mayRun = hasUnknownEnding(path) || hasNoEnding(path) || file.newMode === EXECUTABLE;
  const isTouched = file.additions > 0 || file.oldMode !== file.newMode || path !== oldPath;
  return mayRun && isTouched ? 'script' : null;
}

/** A name that limits which rules and parsers read a file. */
const isNamed = (path: string) => runsByName(path) || kindOf(path) !== '';

/** Whether a move makes the gates read a file in another way, or less mildly, than before. */
function isReadOtherwise({ change, oldPath, path }: DiffFile): boolean {
  if ((change !== 'renamed' && change !== 'copied') || oldPath === null) return false;
  if (kindOf(path) !== '' && kindOf(path) !== kindOf(oldPath)) return true;
  return CODE_NAME.test(path) && isLesserPath(oldPath) && !isLesserPath(path);
}

/** Where content that a file's own hunks do not show may be found. */
export interface Surroundings {
  /** Whether there is a repository to read from. */
  hasTree: boolean;
  /** Files of the same diff that are shown whole or are links, by their new path. */
  added: ReadonlyMap<string, DiffFile>;
  /** What was read of the new tree, and of the old one, by path. */
  heads: ReadonlyMap<string, TreeFile>;
  bases: Surroundings['heads'];
}

/** Indexes a diff and the files of `wantedForCode`; null without a repository. */
export function surroundingsOf({ files }: ParsedDiff, trees: TreeFiles): Surroundings {
  const isWhole = ({ change, content }: DiffFile) => change === 'added' || content === 'symlink';
  const readOf = (side: TreeFile['side']) =>
    new Map((trees ?? []).filter((one) => one.side === side).map((one) => [one.path, one]));
  return {
    hasTree: trees !== null,
    added: new Map(files.filter(isWhole).map((file) => [file.path, file])),
    heads: readOf('head'),
    bases: readOf('base'),
  };
}

/** What is to be read of a file beside its hunks, or why it could not be; null: nothing. */
export function readHiddenCode(
  bytes: Uint8Array,
  file: DiffFile,
  { added, heads, bases, hasTree }: Surroundings,
): Reading | Unseen | null {
  const whole = heads.get(file.path) ?? null;
  switch (suspicionOf(bytes, file)) {
    case 'link':
      return behindLink(bytes, file, added, whole);
    case 'moved':
      if (whole?.bytes) return wholeFile(file, whole.bytes, file.path);
      return becomesCode(file) ?? (hasTree && CODE_NAME.test(file.path) ? UNREAD : null);
    case 'script':
      if (hasTree && !whole?.bytes) return unreadScript(bytes, file);
      return scriptOf(bytes, file, whole);
    case 'workflow':
      return partOfWorkflow(bytes, file, hasTree, { whole, before: bases.get(file.path) });
    case 'image':
      if (whole?.state === 'too-large') return LARGE_IMAGE;
      return whole?.bytes && !isImageContent(whole.bytes) ? NO_IMAGE : null;
    case 'binary':
      if (whole?.bytes && isProgramContent(whole.bytes)) return PROGRAM_INSIDE;
      return textOf(file, whole, bases.get(file.path));
    case null:
      return null;
  }
}

/** Text that the diff shows as binary. */
export const READ_AS_TEXT =
  'text with zero bytes, which the diff shows as binary; all of it was read';
const READ_SETTINGS: Unseen = { id: 'binary-file', severity: 'medium', message: READ_AS_TEXT };

const PROGRAM_INSIDE: Unseen = {
  id: 'binary-file',
  severity: 'high',
  message: 'its content begins like that of a program, and nothing in it was looked at',
};

/** Text that git takes for binary, as it holds zero bytes; null: it is something else. */
function textOf(
  file: DiffFile,
  whole: TreeFile | null,
  before: TreeFile | undefined,
): Reading | null {
  const text = whole?.bytes ? decodedText(whole.bytes) : null;
  if (text === null) return null;
  const old = before?.bytes ? decodedText(before.bytes) : null;
  const base = old === null ? null : wholeFile(file, Buffer.from(old), file.path);
  const seen = wholeFile(file, Buffer.from(text), file.path);
  return { ...seen, base, warning: isSettings(file.path, whole) ? READ_SETTINGS : null };
}

/** Settings that tools of Windows write in UTF-16, and nothing runs by itself. */
function isSettings(path: string, whole: TreeFile | null): boolean {
  const runs = CODE_NAME.test(path) || placeOf(path)?.severity === 'high';
  return !runs && whole?.bytes !== undefined && decodeUtf16(whole.bytes ?? EMPTY) !== null;
}

const EMPTY = new Uint8Array();

/** Text of UTF-16 or UTF-32, or of ASCII with some zero bytes in it; null: it is something else. */
function decodedText(content: Uint8Array): string | null {
  return decodeUtf16(content) ?? decodeUtf32(content) ?? textWithZeros(content);
}

/** Text of UTF-32 whose characters are of ASCII; null: the bytes are something else. */
function decodeUtf32(content: Uint8Array): string | null {
  const sample = content.subarray(0, ENCODING_BYTES & ~3);
  const ofLetters = (at: number) => sample.filter((byte, index) => byte !== 0 && index % 4 === at);
  const side = [0, 3].find((at) => ofLetters(at).length * 4 > sample.length * 0.9);
  if (side === undefined || sample.length < 8) return null;
  const others = sample.filter((byte, index) => byte !== 0 && index % 4 !== side).length;
  // The byte order mark has one more byte.
  if (others * 100 > sample.length) return null;
  const letters = content.filter((_, index) => index % 4 === side);
  const text = asBuffer(letters).toString('latin1');
  return hasControls(text.slice(1, ENCODING_BYTES)) ? null : text;
}

/** Bytes of a hundred that may be control characters, in a file that is read as one. */
const ODD_PERCENT_MAX = 5;

/** Text with zero bytes and a few others in it; each zero ends a word. */
function textWithZeros(content: Uint8Array): string | null {
  const odd = content.filter((byte) => byte < 0x20 && !(byte >= 0x09 && byte <= 0x0d)).length;
  if (odd * 100 > content.length * ODD_PERCENT_MAX) return null;
  const text = asBuffer(content).toString('utf8');
  const lost = text.split('\ufffd').length - 1;
  return lost * 100 > text.length * ODD_PERCENT_MAX ? null : text.replaceAll('\0', ' ');
}

/** Of a text so many bytes tell its encoding. */
const ENCODING_BYTES = 4_096;
/** Share of letters, in percent, that have a zero byte in text of UTF-16 without a mark. */
const ZEROS_MIN = 40;

/**
 * Text of UTF-16, with a byte order mark or without, where enough of it is ASCII to tell; null:
 * the bytes are something else. Its mark is left out.
 */
function decodeUtf16(content: Uint8Array): string | null {
  const bytes = Buffer.from(content.subarray(0, content.length & ~1));
  if (bytes.length === 0) return null;
  const mark = bytes.readUInt16LE(0);
  const sample = bytes.subarray(0, ENCODING_BYTES);
  const zeros = (side: number) => {
    return sample.filter((byte, index) => byte === 0 && (index & 1) === side).length;
  };
  const least = (sample.length / 2) * (ZEROS_MIN / 100);
  // Text has no character U+0000: either the bytes of one side are zero or the bytes of the other.
  const isLittle = mark === 0xfeff || (zeros(1) >= least && zeros(0) === 0);
  const isBig = mark === 0xfffe || (zeros(0) >= least && zeros(1) === 0);
  if (!isLittle && !isBig) return null;
  const text = (isLittle ? bytes : bytes.swap16()).toString('utf16le').replace(/^\ufeff/, '');
  return hasControls(text.slice(0, ENCODING_BYTES)) ? null : text;
}

/** Whether a text holds a control character that none of people's has. */
function hasControls(text: string): boolean {
  return Array.from(text, (char) => char.charCodeAt(0)).some((code) => {
    return code <= 0x06 || (code >= 0x0e && code <= 0x1a);
  });
}

const LARGE_IMAGE: Unseen = {
  id: 'binary-file',
  severity: 'medium',
  message: 'named like an image or font, and too large to look at how it begins',
};
const NO_IMAGE: Unseen = {
  id: 'binary-file',
  severity: 'high',
  message: 'named like an image or font, but its content begins like neither; nothing was read',
};

/** Rules over several lines read a longer one in pieces, between which they find nothing. */
const WORKFLOW_BYTES_MAX = 192 * 1024;
const LONG_WORKFLOW: Unseen = {
  id: 'outside-diff',
  severity: 'high',
  message: `this workflow could not be read as a whole: it is longer than ${WORKFLOW_BYTES_MAX / 1024} KiB`,
};

/** A workflow of which the diff leaves out lines is read whole. */
function partOfWorkflow(
  bytes: Uint8Array,
  file: DiffFile,
  hasTree: boolean,
  { whole, before }: { whole: TreeFile | null; before: TreeFile | undefined },
): Reading | Unseen | null {
  const shown = newText(bytes, file).length;
  if (shown > WORKFLOW_BYTES_MAX) return LONG_WORKFLOW;
  if (file.change === 'added' || !hasTree) return null;
  if (!whole?.bytes || whole.bytes.length > WORKFLOW_BYTES_MAX) return LONG_WORKFLOW;
  if (shown >= whole.bytes.length) return null;
  const base = before?.bytes ? wholeFile(file, before.bytes, file.path) : null;
  return { ...wholeFile(file, whole.bytes, file.path), base };
}

const UNREAD: Unseen = {
  id: 'outside-diff',
  severity: 'high',
  message: 'this file may be code that the diff does not show, and it is too large to be read',
};

/** A file too large to be read is one finding where its name or mode leaves room for a script. */
function unreadScript(bytes: Uint8Array, file: DiffFile): Reading | Unseen | null {
  const seen = scriptOf(bytes, file, null);
  if (seen !== null || firstLines(bytes, file).first !== null) return seen;
  return hasNoEnding(file.path) || file.newMode === EXECUTABLE ? UNREAD : null;
}

/**
 * Under its old name nobody looked at a file as what it becomes by the new one, and a rename or
 * copy shows no more of it than changes.
 */
function becomesCode({ change, oldPath, path }: DiffFile): Unseen | null {
  if ((change !== 'renamed' && change !== 'copied') || oldPath === null) return null;
  const id = 'outside-diff';
  const place = PLACES.find(({ name }) => name.test(path) && !name.test(oldPath));
  const isNewCode = CODE_NAME.test(path) && !CODE_NAME.test(oldPath);
  const isNewScript = kindOf(path) === 'js' && !/^(?:js|markup)$/.test(kindOf(oldPath));
  if (place?.severity !== 'high' && (isNewCode || isNewScript)) {
    const message =
      'this file becomes code by its new name, and its content is not all in the diff';
    return { id, severity: 'high', message };
  }
  if (place === undefined) return null;
  const message = `under its new name ${place.use}, and its content is not all in the diff`;
  return { id, severity: place.severity, message };
}

/** The file that a symlink leads to, under the name of the link. */
function behindLink(
  bytes: Uint8Array,
  link: DiffFile,
  added: Surroundings['added'],
  whole: TreeFile | null,
): Reading | Unseen | null {
  const content = whole === null ? targetInDiff(bytes, link, added) : whole.bytes;
  if (content !== null) {
    const name = isNamed(link.path) ? link.path : scriptName(link.path, firstOf(content));
    if (name === null) return null;
    return { ...wholeFile(link, content, name), warning: laterChanges(bytes, link, content) };
  }
  if (!runsByName(link.path)) return null;
  const where = whole?.state === 'outside' ? 'lies outside the repository' : 'could not be read';
  const message = `this link is named like code, and the file to which it leads ${where}`;
  return { id: 'outside-diff', severity: 'high', message };
}

/**
 * A change of the file behind a link shows the name of that file alone. Where this does not say
 * what the link's name says, the change would not be read as what it is.
 */
function laterChanges(bytes: Uint8Array, link: DiffFile, content: Uint8Array): Unseen | null {
  const target = resolvePath(link.path, linkText(bytes, link));
  if (!runsByName(link.path) || target === null) return null;
  const place = placeOf(link.path);
  const isAlike =
    place?.severity === 'high'
      ? placeOf(target) === place
      : kindOf(target) === kindOf(link.path) ||
        scriptKind(target, firstOf(content)) === kindOf(link.path);
  return isAlike ? null : LINK_TO_OTHER;
}

/** The kind of a file that is read as a script by its first line, whichever line is changed. */
function scriptKind(path: string, firstLine: string): string | null {
  const name = hasUnknownEnding(path) || hasNoEnding(path) ? scriptName(path, firstLine) : null;
  return name === null ? null : kindOf(name);
}

const LINK_TO_OTHER: Unseen = {
  id: 'outside-diff',
  severity: 'high',
  message:
    'this link is named like code and the file to which it leads is not, so later changes of ' +
    'that file would not be read as code',
};

function linkText(bytes: Uint8Array, link: DiffFile): string {
  return newText(bytes, link).toString('utf8').replace(/\n$/, '');
}

/** Links that lead to links, as far as they are followed within a diff. */
const LINKS_MAX = 5;

/** Content of a new file of the same diff to which a link leads; null: there is no such file. */
function targetInDiff(
  bytes: Uint8Array,
  link: DiffFile,
  added: Surroundings['added'],
): Buffer | null {
  let at: DiffFile | undefined = link;
  for (let links = 0; links < LINKS_MAX && at?.content === 'symlink'; links += 1) {
    const path = resolvePath(at.path, linkText(bytes, at));
    at = path === null ? undefined : added.get(path);
  }
  const isWhole = at?.change === 'added' && at.content === 'text';
  return at !== undefined && isWhole ? newText(bytes, at) : null;
}

/** A relative link's target as a path from the root of the tree; null: it leads out of it. */
function resolvePath(link: string, target: string): string | null {
  if (target === '' || target.startsWith('/')) return null;
  const parts = link.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '..' && parts.pop() === undefined) return null;
    if (part !== '..' && part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

/** A binary file that can be run. */
export const PROGRAM: Unseen = {
  id: 'binary-file',
  severity: 'high',
  message: 'an executable binary file: it can be run, and nothing in it was looked at',
};

/** A file that its first line makes a script, under a name with the ending of its language. */
function scriptOf(
  bytes: Uint8Array,
  file: DiffFile,
  whole: TreeFile | null,
): Reading | Unseen | null {
  const lines = firstLines(bytes, file);
  const line = whole?.bytes ? firstOf(whole.bytes) : lines.first;
  if (file.newMode === EXECUTABLE && whole?.bytes && asBuffer(whole.bytes).includes(0)) {
    return PROGRAM;
  }
  const name = line === null ? null : scriptName(file.path, line);
  if (line === null || name === null) return null;
  if (file.change === 'added' || wasScript(file, lines, line)) {
    return { file: { ...file, path: name }, bytes, path: file.path, base: null, warning: null };
  }
  if (whole?.bytes) return wholeFile(file, whole.bytes, name);
  const message = 'its first line makes this file a script, and its content is not all in the diff';
  return { id: 'outside-diff', severity: 'high', message };
}

/** Whether the file was read as a script of the same language before the change. */
function wasScript({ path, oldPath }: DiffFile, lines: FirstLines, line: string): boolean {
  if (oldPath === null || (oldPath !== path && !hasNoEnding(oldPath))) return false;
  const { isAdded, removed } = lines;
  return !isAdded || (removed !== null && endingByShebang(removed) === endingByShebang(line));
}

/** The path with the ending of the script's language; null: no script, or of an unknown one. */
function scriptName(path: string, firstLine: string): string | null {
  const ending = endingByShebang(firstLine);
  return ending ? path + ending : null;
}

interface FirstLines {
  /** First line of the new file; null: the diff does not show it. */
  first: string | null;
  isAdded: boolean;
  /** First line of the old file where it was removed. */
  removed: string | null;
}

/** Of a first line so many bytes are read. */
const FIRST_LINE_BYTES_MAX = 1_024;

function firstLines(bytes: Uint8Array, { hunks: [hunk] }: DiffFile): FirstLines {
  let removed: string | null = null;
  if (hunk === undefined || hunk.newStart > 1) return { first: null, isAdded: false, removed };
  const cursor = new LineCursor(bytes);
  cursor.open(hunk);
  while (cursor.next() && cursor.newLine <= 1) {
    const { start, end } = cursor;
    const text = asBuffer(bytes).toString(
      'utf8',
      start,
      Math.min(end, start + FIRST_LINE_BYTES_MAX),
    );
    if (cursor.kind !== LINE.REMOVED) {
      return { first: text, isAdded: cursor.kind === LINE.ADDED, removed };
    }
    removed ??= text;
  }
  return { first: null, isAdded: false, removed };
}

function firstOf(content: Uint8Array): string {
  const start = Buffer.from(content.subarray(0, FIRST_LINE_BYTES_MAX)).toString('utf8');
  return start.split('\n', 1)[0] ?? '';
}

/** The new side of what the diff shows of a file. */
function newText(bytes: Uint8Array, { hunks }: DiffFile): Buffer {
  const lines: Buffer[] = [];
  const cursor = new LineCursor(bytes);
  for (const hunk of hunks) {
    cursor.open(hunk);
    while (cursor.next()) {
      if (cursor.kind === LINE.REMOVED) continue;
      lines.push(asBuffer(bytes).subarray(cursor.start, cursor.end), NEWLINE);
    }
  }
  return Buffer.concat(lines);
}

const NEWLINE = Buffer.from('\n');

/** A file as if all of its lines were added. */
export function wholeFile(file: DiffFile, content: Uint8Array, name: string): Reading {
  const text = asBuffer(content).toString('latin1').replace(/\n$/, '');
  const bytes = Buffer.from(`+${text.replaceAll('\n', '\n+')}\n`, 'latin1');
  const additions = text.split('\n').length;
  const none = { deletions: 0, blankAdditions: 0, blankDeletions: 0 };
  const range = { start: 0, end: bytes.length, oldStart: 0, newStart: 1 };
  return {
    path: file.path,
    bytes,
    base: null,
    warning: null,
    file: {
      ...file,
      // A copy has nothing in the base that it could go by.
      oldPath: file.change === 'copied' ? null : file.oldPath,
      path: name,
      change: 'modified',
      content: 'text',
      headerStart: 0,
      headerEnd: 0,
      hunks: [{ ...range, ...none, additions, markers: 1 }],
      additions,
      deletions: 0,
    },
  };
}
