import type { DiffProblem } from './bytes.ts';
import { asBuffer, BYTE, DIFF, lineEnd, type Problems, type Reader, startsAt } from './bytes.ts';
import { decodePath } from './path.ts';

/**
 * The shape of a parsed unified diff. Nothing is copied: files and hunks are byte ranges
 * of the diff, so a parsed diff costs memory by its files and hunks, not by its lines.
 */

export type FileChange = 'added' | 'deleted' | 'modified' | 'renamed' | 'copied';

/** What the content is, from modes and markers: `symlink` 120000, `submodule` 160000. */
export type ContentKind = 'text' | 'binary' | 'symlink' | 'submodule';

export interface Hunk {
  /** Byte range of the body: after the `@@` line, up to and including the last line's newline. */
  start: number;
  end: number;
  /** Line numbers are 1-based, as in the `@@` header. */
  oldStart: number;
  newStart: number;
  /** Lines counted in the body, not the count in the header. */
  additions: number;
  deletions: number;
  /** How many of these hold nothing but white space. */
  blankAdditions: number;
  blankDeletions: number;
  /** Marker columns of each body line: 1, or the number of parents in a combined diff. */
  markers: number;
}

export interface DiffFile {
  /** Decoded as UTF-8 (U+FFFD where it isn't); null for /dev/null. */
  oldPath: string | null;
  newPath: string | null;
  /** newPath, or oldPath for a deletion. */
  path: string;
  /**
   * Further names that the header gives the file without saying that it moves: tools differ in
   * which one they change (`--- a/x.js`, `+++ b/x.js.new`).
   */
  otherPaths: readonly string[];
  change: FileChange;
  content: ContentKind;
  /** Git file modes as octal text (`100644`), null when the diff doesn't say. */
  oldMode: string | null;
  newMode: string | null;
  /** Byte range of the header: from its first line up to the first hunk. */
  headerStart: number;
  headerEnd: number;
  /** 1-based line of the diff on which the header starts. */
  diffLine: number;
  hunks: Hunk[];
  additions: number;
  deletions: number;
}

export interface ParsedDiff {
  files: DiffFile[];
  problems: DiffProblem[];
  additions: number;
  deletions: number;
}

/** Size of a change as `git diff --numstat` tells it. */
interface ChangeCounts {
  files: number;
  additions: number;
  deletions: number;
}

/**
 * Counts as git does: what turns from a file into a symlink (or back) stands in two sections of
 * the diff but is one file, and when one of the two is binary no line of it counts.
 */
export function countChanges(files: readonly DiffFile[]): ChangeCounts {
  const counts = { files: 0, additions: 0, deletions: 0 };
  for (let index = 0; index < files.length; index += 1) {
    const file = files[index] as DiffFile;
    const second = secondHalf(file, files[index + 1]);
    const parts = second === null ? [file] : [file, second];
    if (second !== null) index += 1;
    counts.files += 1;
    if (second !== null && parts.some(({ content }) => content === 'binary')) continue;
    for (const { additions, deletions } of parts) {
      counts.additions += additions;
      counts.deletions += deletions;
    }
  }
  return counts;
}

/** The section that adds again what this one deletes, as another kind of file. */
function secondHalf(file: DiffFile, next: DiffFile | undefined): DiffFile | null {
  const isPair = file.change === 'deleted' && next?.change === 'added' && next.path === file.path;
  return isPair ? next : null;
}

/** Kinds of body lines, as small numbers because they are compared once a line. */
export const LINE = { CONTEXT: 0, ADDED: 1, REMOVED: 2 } as const;
export type LineKind = (typeof LINE)[keyof typeof LINE];

/**
 * Walks the body lines of hunks without allocating: `open` a hunk, then read the fields after
 * every `next()` that returned true. Notes ("\ No newline at end of file") are passed over.
 *
 * The content is `[start, end)` of the diff: without the marker columns and the final `\n`; the
 * `\r` of a CRLF line is content. `newLine` is the 1-based number of the line in the new file;
 * for a removed line, of the line that took its place.
 */
export class LineCursor {
  kind: LineKind = LINE.CONTEXT;
  start = 0;
  end = 0;
  newLine = 0;
  private readonly bytes: Buffer;
  private at = 0;
  private stop = 0;
  private markers = 1;
  private nextLine = 0;

  /** `bytes` is the diff that the hunks come from. */
  constructor(bytes: Uint8Array) {
    this.bytes = asBuffer(bytes);
  }

  open(hunk: Hunk): void {
    this.at = hunk.start;
    this.stop = hunk.end;
    this.markers = hunk.markers;
    this.nextLine = hunk.newStart;
  }

  next(): boolean {
    const { bytes } = this;
    let from = this.at;
    let end = from;
    do {
      from = this.at;
      if (from >= this.stop) return false;
      end = lineEnd(bytes, from);
      this.at = end + 1;
    } while (bytes[from] === BYTE.BACKSLASH);
    this.kind = this.markers === 1 ? plainKind(bytes[from]) : kindAt(bytes, from, this.markers);
    this.start = Math.min(from + this.markers, end);
    this.end = end;
    this.newLine = this.nextLine;
    if (this.kind !== LINE.REMOVED) this.nextLine += 1;
    return true;
  }
}

/**
 * Kind of the line at `at`, from the columns that hold markers. A `+` in any column wins, so that
 * nothing added goes unseen; git itself never mixes `+` and `-` in one line.
 */
export function kindAt(bytes: Buffer, at: number, markers: number): LineKind {
  let kind: LineKind = LINE.CONTEXT;
  for (let column = at; column < at + markers; column += 1) {
    const byte = bytes[column];
    if (byte === BYTE.PLUS) return LINE.ADDED;
    if (byte === BYTE.MINUS) kind = LINE.REMOVED;
    else if (byte !== BYTE.SPACE) break;
  }
  return kind;
}

function plainKind(byte: number | undefined): LineKind {
  if (byte === BYTE.PLUS) return LINE.ADDED;
  return byte === BYTE.MINUS ? LINE.REMOVED : LINE.CONTEXT;
}

/** Name of a file of which the diff shows lines, but no header. */
const UNKNOWN_PATH = '(unknown)';

/** A file without hunks whose header starts, and so far ends, at the reader's line. */
export function startFile(reader: Reader): DiffFile {
  return {
    oldPath: UNKNOWN_PATH,
    newPath: UNKNOWN_PATH,
    path: UNKNOWN_PATH,
    otherPaths: [],
    change: 'modified',
    content: 'text',
    oldMode: null,
    newMode: null,
    headerStart: reader.at,
    headerEnd: reader.at,
    diffLine: reader.line,
    hunks: [],
    additions: 0,
    deletions: 0,
  };
}

/** Sets the paths, of which null stands for no file, and the change that follows from them. */
export function setNames(
  file: DiffFile,
  oldName: string | null,
  newName: string | null,
  problems: Problems,
): void {
  const oldPath = oldName === null ? null : cleanPath(oldName, file, problems);
  file.oldPath = oldPath;
  if (newName === null) file.newPath = null;
  else file.newPath = newName === oldName ? oldPath : cleanPath(newName, file, problems);
  file.path = file.newPath ?? file.oldPath ?? UNKNOWN_PATH;
  if (file.oldPath === null && file.newPath === null) {
    problems.add('neither side of the header names a file', null, file.diffLine);
  } else if (file.oldPath === null) {
    file.change = 'added';
  } else if (file.newPath === null) {
    file.change = 'deleted';
  }
}

/** Sets what else the header calls the file; `names` may hold what it is called anyway. */
export function setOtherNames(file: DiffFile, names: readonly string[]): void {
  const paths = names.map((name) => decodePath(name.slice(0, DIFF.PATH_BYTES_MAX)));
  const isMove = file.change === 'renamed' || file.change === 'copied';
  const known: ReadonlySet<string | null> = new Set([file.path, '', isMove ? file.oldPath : null]);
  file.otherPaths = [...new Set(paths)].filter((path) => !known.has(path));
}

function cleanPath(name: string, file: DiffFile, problems: Problems): string {
  if (name.length > DIFF.PATH_BYTES_MAX) {
    const message = `a name is longer than ${DIFF.PATH_BYTES_MAX} bytes; it was cut off`;
    problems.add(message, null, file.diffLine);
    return decodePath(name.slice(0, DIFF.PATH_BYTES_MAX));
  }
  const path = decodePath(name);
  if (path === '') problems.add('the header holds an empty name', null, file.diffLine);
  if (path.includes('\0')) {
    problems.add('a name holds a NUL byte, where tools end it', path, file.diffLine);
  }
  return path === '' ? UNKNOWN_PATH : path;
}

/** What a file mode says about the content (git's object types in octal). */
export function contentOf(mode: string | null): ContentKind {
  if (mode === '120000') return 'symlink';
  return mode === '160000' ? 'submodule' : 'text';
}

/**
 * Whether the hunks of a file deny its header, in words, or null: rules and parsers go by what the
 * header says, and tools do not always.
 */
export function contradiction(bytes: Buffer, file: DiffFile): string | null {
  if (file.newPath === null && file.additions > 0) return 'the file is deleted but has added lines';
  if (file.hunks.length === 0) {
    const header = bytes.subarray(file.headerStart, file.headerEnd);
    return header.includes('\n+++ ') ? 'no hunk follows the header' : null;
  }
  if (file.content === 'binary') return 'the file is declared binary but has lines';
  if (file.content === 'symlink' && file.additions > 1) return 'the symlink has lines of a file';
  const isModule = file.content === 'submodule';
  return isModule && !addsCommits(bytes, file) ? 'the submodule has lines of a file' : null;
}

/** Whether all added lines are as git writes them for a submodule. */
function addsCommits(bytes: Buffer, file: DiffFile): boolean {
  const cursor = new LineCursor(bytes);
  for (const hunk of file.hunks) {
    cursor.open(hunk);
    while (cursor.next()) {
      const added = cursor.kind === LINE.ADDED;
      if (added && !startsAt(bytes, cursor.start, 'Subproject commit ')) return false;
    }
  }
  return true;
}

/** `git diff --submodule=log|diff`: the path, the commits, and what happened in words. */
const SUBMODULE_LINE =
  /^Submodule (.+) (?:[0-9a-f]{7,64}\.{2,3}[0-9a-f]{7,64}(?: \((.+)\))?:?|contains (?:untracked|modified) content)$/;

/** Whether the reader stands on git's one line about a submodule. */
export function startsSubmoduleLine(reader: Reader): boolean {
  return startsAt(reader.bytes, reader.at, 'Submodule ') && SUBMODULE_LINE.test(reader.text());
}

/** Reads that line as a file without hunks. */
export function readSubmoduleLine(reader: Reader, problems: Problems): DiffFile {
  const file = startFile(reader);
  const [, path = '', note = ''] = SUBMODULE_LINE.exec(reader.text()) ?? [];
  const added = note.startsWith('new submodule');
  const deleted = note.startsWith('submodule deleted');
  setNames(file, added ? null : path, deleted ? null : path, problems);
  file.content = 'submodule';
  file.oldMode = added ? null : SUBMODULE_MODE;
  file.newMode = deleted ? null : SUBMODULE_MODE;
  reader.skip();
  file.headerEnd = reader.at;
  return file;
}

const SUBMODULE_MODE = '160000';
