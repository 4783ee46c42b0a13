/** One file of a change, as `--raw -z --no-abbrev` lists it; paths have one character a byte. */
export interface ChangedPath {
  /** The content before and after; none for what was not there and for submodules. */
  blobs: string[];
  /** Its name, or both where it moved. */
  paths: string[];
}

const SUBMODULE = '160000';
const NONE = /^0+$/;

/**
 * Reads the list. A merge has an entry with a `:` for each parent: all modes, all ids, a letter for
 * each parent. https://git-scm.com/docs/diff-format#_raw_output_format
 */
export function readChangedPaths(output: Buffer): ChangedPath[] {
  const tokens = output.toString('latin1').split('\0');
  const changed: ChangedPath[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const head = /^\n?(:+)(.*)$/s.exec(tokens[index] ?? '');
    if (head === null) continue;
    const sides = (head[1]?.length ?? 0) + 1;
    const fields = (head[2] ?? '').split(' ');
    const modes = fields.slice(0, sides);
    const ids = fields.slice(sides, 2 * sides);
    // With two names: renamed or copied.
    const names = /^[RC]/.test(fields[2 * sides] ?? '') ? 2 : 1;
    changed.push({
      blobs: ids.filter((id, side) => modes[side] !== SUBMODULE && !NONE.test(id)),
      paths: tokens.slice(index + 1, index + 1 + names),
    });
    index += names;
  }
  return changed;
}
