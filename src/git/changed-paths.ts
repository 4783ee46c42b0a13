import { GIT } from '../limits.ts';
import type { Read } from './mirror-read.ts';

/** One file of a change, as `--raw -z --no-abbrev` lists it; paths have one character a byte. */
interface ChangedPath {
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
function readChangedPaths(output: Buffer): ChangedPath[] {
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

/**
 * Of the files that a command lists, those whose content is too large to be shown as text; null:
 * the list itself is too long.
 */
export async function largePaths(
  read: Read,
  list: readonly string[],
  within: { withinMs: number },
): Promise<string[] | null> {
  const { bytes, isCut } = await read(list, {
    ...{ bytesMax: GIT.LIST_BYTES_MAX, cut: true },
    ...within,
  });
  if (isCut) return null;
  const changed = readChangedPaths(bytes);
  const ids = [...new Set(changed.flatMap(({ blobs }) => blobs))];
  const format = '--batch-check=%(objectname) %(objectsize)';
  const sizes = await read(['cat-file', format], {
    bytesMax: GIT.LIST_BYTES_MAX,
    input: Buffer.from(ids.map((id) => `${id}\n`).join('')),
  });
  const small = new Set<string>();
  for (const line of sizes.bytes.toString('latin1').split('\n')) {
    const [id = '', size] = line.split(' ');
    if (Number(size) <= GIT.TEXT_BYTES_MAX) small.add(id);
  }
  const large = changed.filter(({ blobs }) => blobs.some((id) => !small.has(id)));
  return [...new Set(large.flatMap(({ paths }) => paths))];
}
