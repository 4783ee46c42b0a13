import { asBuffer } from '../../diff/bytes.ts';
import { type DiffFile, type Hunk, LINE, LineCursor } from '../../diff/diff.ts';
import type { TreeFiles, WantedFile } from '../../model/change.ts';
import { AST_GATE } from '../limits.ts';
import { type ByteRegex, compileRegex } from '../patterns/regex.ts';
import { languageOf } from '../syntax/script-files.ts';
import { TEST_PATH } from './names.ts';

/**
 * What the accepted base says of the paths of a change. The change itself has no say: a new folder
 * named `tests` holds no tests before somebody accepted it, and a new line in `.gitattributes`
 * marks nothing yet.
 */
export interface BasePaths {
  /** Whether code at the path is a test or an example, in a folder that was there before. */
  isTest(path: string): boolean;
  /** Whether a file is marked as written by a generator (`linguist-generated`, or the rules). */
  isGenerated(path: string): boolean;
}

/** Reads them from the diff and what was read of the base; `generated`: paths by the rules. */
export function basePathsOf(
  files: readonly DiffFile[],
  trees: TreeFiles,
  generated: ByteRegex | null,
): BasePaths {
  const folders = knownFolders(files);
  for (const { side, path, state } of trees ?? []) {
    if (side === 'base' && state === 'directory') folders.add(path);
  }
  let marks: Mark[] | null = null;
  return {
    isTest(path) {
      const folder = testFolder(path);
      return folder !== null && folders.has(folder);
    },
    isGenerated(path) {
      const bytes = Buffer.from(path);
      if (generated?.test(bytes)) return true;
      marks ??= readMarks(trees);
      return marks.findLast(({ glob }) => glob.test(bytes))?.isGenerated ?? false;
    },
  };
}

/** What `basePathsOf` can make use of, at most WANTS_MAX files and folders. */
export function wantedForPaths(bytes: Uint8Array, files: readonly DiffFile[]): WantedFile[] {
  const known = knownFolders(files);
  const wanted = new Set<string>();
  for (const file of files) {
    if (file.additions === 0 || file.change === 'deleted') continue;
    const folder = testFolder(file.path);
    const isScript = languageOf(file.path) !== null;
    if (isScript && folder !== null && folder !== '' && !known.has(folder)) wanted.add(folder);
    if (!isScript || !file.hunks.some((hunk) => addsLongLine(bytes, hunk))) continue;
    for (const above of foldersOf(file.path)) wanted.add(join(above, ATTRIBUTES));
  }
  return [...wanted].slice(0, WANTS_MAX).map((path) => ({ side: 'base', path }));
}

const WANTS_MAX = 200;
const ATTRIBUTES = '.gitattributes';

/** The folder that makes a path one of tests or examples, or that of a file so named. */
function testFolder(path: string): string | null {
  const match = TEST_PATH.exec(path);
  if (match === null) return null;
  const isFolder = match[0].endsWith('/');
  const end = isFolder ? match.index + match[0].length - 1 : path.lastIndexOf('/');
  return path.slice(0, Math.max(0, end));
}

/** Folders in which a file of the diff stood before. */
function knownFolders(files: readonly DiffFile[]): Set<string> {
  const old = files.flatMap(({ change, oldPath }) => {
    return change === 'added' || oldPath === null ? [] : foldersOf(oldPath);
  });
  return new Set(old);
}

/** The folders of a path, outermost (`''`) first. */
function foldersOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return ['', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))];
}

function join(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function addsLongLine(bytes: Uint8Array, hunk: Hunk): boolean {
  const { LINE_BYTES_MAX } = AST_GATE;
  if (hunk.additions === 0 || hunk.end - hunk.start <= LINE_BYTES_MAX) return false;
  const cursor = new LineCursor(bytes);
  cursor.open(hunk);
  while (cursor.next()) {
    if (cursor.kind === LINE.ADDED && cursor.end - cursor.start > LINE_BYTES_MAX) return true;
  }
  return false;
}

/** A line of `.gitattributes` that says whether files are generated. */
interface Mark {
  glob: ByteRegex;
  isGenerated: boolean;
}

/** The last one that fits counts; files further down come later (man 5 gitattributes). */
function readMarks(trees: TreeFiles): Mark[] {
  const found = (trees ?? []).filter(({ side, path }) => {
    return side === 'base' && (path === ATTRIBUTES || path.endsWith(`/${ATTRIBUTES}`));
  });
  const inOrder = found.sort((left, right) => left.path.length - right.path.length);
  return inOrder.flatMap(({ path, bytes }) => {
    const folder = path.slice(0, Math.max(0, path.length - ATTRIBUTES.length - 1));
    const lines = bytes === null ? [] : asBuffer(bytes).toString('utf8').split('\n');
    const own = lines.filter((line) => line.includes('linguist-generated'));
    return own.slice(0, MARKS_MAX).flatMap((line) => readMark(line, folder) ?? []);
  });
}

/** Lines of one file that are read; each costs an expression. */
const MARKS_MAX = 200;
const MARK = /^(-|!)?linguist-generated(?:=(.*))?$/;

function readMark(line: string, folder: string): Mark | null {
  const [pattern = '', ...attributes] = line.trim().split(/\s+/);
  // Comments, macros, and quoted patterns, which nobody writes for generated files.
  if (/^(?:#|\[attr\]|")/.test(pattern)) return null;
  const mark = attributes.map((attribute) => MARK.exec(attribute)).findLast(Boolean);
  const glob = mark ? globOf(pattern, folder) : null;
  if (!mark || glob === null) return null;
  const [, sign, value = 'true'] = mark;
  return { glob, isGenerated: sign === undefined && value === 'true' };
}

/** A pattern of `.gitattributes` in a folder as an expression on paths; null: it is malformed. */
function globOf(pattern: string, folder: string): ByteRegex | null {
  const isAnchored = pattern.slice(0, -1).includes('/');
  const body = pattern.replace(/^\//, '').replace(GLOB_PART, (part) => {
    if (part === '**/') return '(?:.*/)?';
    if (part === '/**') return '/.*';
    if (part.startsWith('*')) return '[^/]*';
    if (part === '?') return '[^/]';
    if (part.length > 2 && part.startsWith('[')) return part.replace(/^\[!/, '[^');
    return escaped(part.startsWith('\\') ? part.slice(1) : part);
  });
  const below = folder === '' ? '' : `${escaped(folder)}/`;
  try {
    return compileRegex(`^${below}${isAnchored ? '' : '(?:.*/)?'}${body}$`);
  } catch {
    return null;
  }
}

const GLOB_PART = /\*\*\/|\/\*\*$|\*+|\?|\[[^\]/]+\]|\\.|[^\w/-]/gu;

function escaped(text: string): string {
  return text.replace(/[^\w/]/gu, (char) => (/[\x21-\x7e]/.test(char) ? `\\${char}` : char));
}
