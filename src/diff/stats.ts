import type { DiffFile } from './diff.ts';

/** Size of a change as `git diff --numstat` tells it. */
export interface ChangeCounts {
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
