import { DIFF, type Problems, type Reader, startsAt } from './bytes.ts';
import { type ContentKind, type DiffFile, LINE, LineCursor } from './diff.ts';
import { decodePath } from './path.ts';

/** Name of a file of which the diff shows lines, but no header. */
const UNKNOWN_PATH = '(unknown)';

/** A file without hunks whose header starts, and so far ends, at the reader's line. */
export function startFile(reader: Reader): DiffFile {
  return {
    oldPath: UNKNOWN_PATH,
    newPath: UNKNOWN_PATH,
    path: UNKNOWN_PATH,
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

/** Whether all added lines are those that git writes for a submodule. */
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
