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
  /** Lines counted in the body, not those the header claims. */
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

/** Something the parser couldn't read; each becomes a finding that blocks. */
export interface DiffProblem {
  /** What was wrong, in words that name the limit or the line. */
  message: string;
  /** Path of the file in which it happened, if known. */
  file: string | null;
  /** 1-based line of the diff. */
  diffLine: number;
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
