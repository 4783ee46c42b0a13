import type { TreeFile, WantedFile } from '../model/change.ts';
import { CraError } from '../model/errors.ts';
import { GIT } from './limits.ts';

/** Runs one git command in the repository and resolves with its output, up to `bytesMax`. */
export type RunGit = (
  args: readonly string[],
  options: { input: Buffer; bytesMax: number },
) => Promise<Buffer>;

export interface BlobRange {
  /** Tree-ish of the state before the change and after it; null: there is nothing to read. */
  base: string | null;
  head: string | null;
}

/**
 * Reads whole files of two trees, in the order of `wants`. Symlinks are followed by git within the
 * tree alone. At most GIT.BLOBS_MAX files, each up to GIT.BLOB_BYTES_MAX bytes and `bytesMax` in
 * all, the first ones first; the others are `too-large`. Throws OUT_OF_RANGE for more wants.
 */
export async function readBlobs(
  run: RunGit,
  { base, head }: BlobRange,
  wants: readonly WantedFile[],
  bytesMax: number,
): Promise<TreeFile[]> {
  if (wants.length > GIT.BLOBS_MAX) {
    const reason = `at most ${GIT.BLOBS_MAX} files of a change are read`;
    throw new CraError('OUT_OF_RANGE', reason, { details: { reason } });
  }
  const revision = { base, head };
  const isNamed = ({ side, path }: WantedFile) =>
    revision[side] !== null && path !== '' && !UNNAMED.test(path);
  const named = wants.filter(isNamed);
  const entries = await findEntries(
    run,
    named.map(({ side, path }) => `${revision[side]}:${path}`),
  );
  const entryOf = new Map(named.map((want, index) => [want, entries[index] ?? MISSING]));
  const contents = await readContents(run, [...entryOf.values()], bytesMax);
  return wants.map(({ side, path }, index) => {
    const { state, id } = entryOf.get(wants[index] as WantedFile) ?? MISSING;
    const bytes = id === null ? null : (contents.get(id) ?? null);
    return { side, path, state: id !== null && bytes === null ? 'too-large' : state, bytes };
  });
}

/**
 * A path that cannot stand on a line of input, that lost bytes when it was decoded, or that git
 * reads as relative to a work tree.
 */
const UNNAMED = /[\n\0\ufffd]|^\.\.?(?:\/|$)/;

interface Entry {
  state: TreeFile['state'];
  /** Object id of the content; null: it is absent to read. */
  id: string | null;
  size: number;
}

const MISSING: Entry = { state: 'missing', id: null, size: 0 };
const OUTSIDE: Entry = { state: 'outside', id: null, size: 0 };

const FOUND = /^([0-9a-f]{40}|[0-9a-f]{64}) (\w+) (\d+)$/;
/** A link that could not be followed; so many bytes of text follow on lines of their own. */
const NOT_FOLLOWED = /^(symlink|dangling|loop|notdir) (\d+)$/;

/** https://git-scm.com/docs/git-cat-file#_batch_output, with `--follow-symlinks`. */
async function findEntries(run: RunGit, names: readonly string[]): Promise<Entry[]> {
  if (names.length === 0) return [];
  const output = await run(['cat-file', '--batch-check', '--follow-symlinks'], {
    input: Buffer.from(names.map((name) => `${name}\n`).join('')),
    bytesMax: GIT.LIST_BYTES_MAX,
  });
  let at = 0;
  return names.map(() => {
    const end = output.indexOf(LF, at);
    const line = output.toString('utf8', at, end === -1 ? output.length : end);
    at = end === -1 ? output.length : end + 1;
    const [, id = '', type, size] = FOUND.exec(line) ?? [];
    if (type === 'blob') return { state: 'read', id, size: Number(size) };
    const [, kind, bytes] = NOT_FOLLOWED.exec(line) ?? [];
    if (bytes !== undefined) at += Number(bytes) + 1;
    return kind === 'symlink' ? OUTSIDE : MISSING;
  });
}

const LF = 0x0a;

/** Contents by object id, in shared memory, as far as the bounds allow. */
async function readContents(
  run: RunGit,
  entries: readonly Entry[],
  bytesMax: number,
): Promise<Map<string, Uint8Array>> {
  const sizes = new Map<string, number>();
  let left = bytesMax;
  for (const { id, size } of entries) {
    if (id === null || sizes.has(id) || size > GIT.BLOB_BYTES_MAX || size > left) continue;
    sizes.set(id, size);
    left -= size;
  }
  const contents = new Map<string, Uint8Array>();
  if (sizes.size === 0) return contents;
  const output = await run(['cat-file', '--batch'], {
    input: Buffer.from([...sizes.keys()].map((id) => `${id}\n`).join('')),
    bytesMax: bytesMax + sizes.size * HEAD_BYTES_MAX,
  });
  let at = 0;
  for (const [id, size] of sizes) {
    const start = output.indexOf(LF, at) + 1;
    const bytes = new Uint8Array(new SharedArrayBuffer(size));
    bytes.set(output.subarray(start, start + size));
    contents.set(id, bytes);
    at = start + size + 1;
  }
  return contents;
}

/** `<id> blob <size>` and two line breaks. */
const HEAD_BYTES_MAX = 128;
