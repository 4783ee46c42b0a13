import type { DiffFile } from '../../diff/diff.ts';
import type { WantedFile } from '../../model/change.ts';
import { kindOfDocument, resourceFileOf } from './kinds.ts';
import { DOCUMENTS } from './limits.ts';

/** The versions of changed files that `inspectConfiguration` compares. */
export function wantedForConfiguration(files: readonly DiffFile[]): WantedFile[] {
  return bothVersions(files.filter((file) => isReadWhole(file) && file.change !== 'added'));
}

/** The same for files at which only rules on documents look: there may be many, of less weight. */
export function wantedForResources(files: readonly DiffFile[]): WantedFile[] {
  const wanted = files.filter((file) => !isReadWhole(file) && declaresResources(file));
  // The diff shows all of a file that it deletes, unless it was made without that.
  return bothVersions(
    wanted.filter(({ change, hunks }) => {
      return change !== 'added' && (change !== 'deleted' || hunks.length === 0);
    }),
  );
}

function bothVersions(files: readonly DiffFile[]): WantedFile[] {
  return files
    .slice(0, DOCUMENTS.FILES_MAX)
    .flatMap((file) => [
      ...(file.change === 'deleted' ? [] : [{ side: 'head', path: file.path } as const]),
      ...(hasBase(file) ? [{ side: 'base', path: file.oldPath ?? file.path } as const] : []),
    ]);
}

/** Whether a file is read as a whole document, of which all lines count. */
export function isReadWhole({ change, content, hunks, path }: DiffFile): boolean {
  const isThere = change !== 'deleted' && content === 'text' && hunks.length > 0;
  return isThere && kindOfDocument(path.trimEnd()) !== null;
}

/** Whether rules on documents look at a file; a deleted one had resources. */
export function declaresResources({ change, content, hunks, path }: DiffFile): boolean {
  const isShown = content === 'text' && (hunks.length > 0 || change === 'deleted');
  return isShown && resourceFileOf(path.trimEnd()) !== null;
}

/** A copy is all new. */
export function hasBase({ change, path, oldPath }: DiffFile): boolean {
  if (change === 'copied' || oldPath === null) return false;
  const now = path.trimEnd();
  const before = oldPath.trimEnd();
  return (
    kindOfDocument(before) === kindOfDocument(now) && resourceFileOf(before) === resourceFileOf(now)
  );
}
