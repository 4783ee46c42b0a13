import type { DiffFile } from './diff.ts';
import { NO_FILE } from './path.ts';

/**
 * The header of a file in git's words, one statement a line, the same for every form of diff: what
 * rules on headers are matched against. Modes, renames and binary markers as git writes them, then
 * `--- a/old` and `+++ b/new` (`/dev/null` where there is no file). Control characters in names
 * are escaped, so that a name can't add a line. No final newline.
 */
export function headerText(file: DiffFile): string {
  const lines: string[] = [];
  const { oldPath, newPath, oldMode, newMode } = file;
  if (file.change === 'added') lines.push(`new file mode ${newMode ?? REGULAR_MODE}`);
  else if (file.change === 'deleted') lines.push(`deleted file mode ${oldMode ?? REGULAR_MODE}`);
  else if (oldMode !== newMode && oldMode !== null && newMode !== null) {
    lines.push(`old mode ${oldMode}`, `new mode ${newMode}`);
  }
  if (file.change === 'renamed' || file.change === 'copied') {
    const verb = file.change === 'renamed' ? 'rename' : 'copy';
    lines.push(`${verb} from ${printable(oldPath)}`, `${verb} to ${printable(newPath)}`);
  }
  if (file.content === 'binary') lines.push('Binary files differ');
  lines.push(`--- ${oldPath === null ? NO_FILE : `a/${printable(oldPath)}`}`);
  lines.push(`+++ ${newPath === null ? NO_FILE : `b/${printable(newPath)}`}`);
  return lines.join('\n');
}

/** What a diff that tells no modes is about. */
const REGULAR_MODE = '100644';

function printable(path: string | null): string {
  return (path ?? '').replace(CONTROL, (character) => {
    return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
  });
}

const CONTROL = /\p{Cc}/gu;
