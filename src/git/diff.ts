import type { TreeFile, WantedFile } from '../model/change.ts';
import { CraError } from '../model/errors.ts';
import { type GateFinding, plainFinding } from '../model/finding.ts';
import { BODY, SOURCE } from '../model/limits.ts';
import type { DiffOutput } from '../rpc/source-contract.ts';
import {
  largePaths,
  listCommits,
  readHistory,
  readMessage,
  readObjects,
  withoutHistory,
} from './commits.ts';
import { EMPTY_TREES, PATCH_OPTIONS, setAttributes, WIDE_CONTEXT } from './environment.ts';
import type { Git } from './git.ts';
import { GIT } from './limits.ts';
import { createRead, isTimeout, type Mirror, type Range, type Read } from './mirrors.ts';

/** Where `Binary files a/x and b/x differ` stands for content; in a hunk no line begins so. */
const BINARY_MARKER = Buffer.from('\nBinary files ');

/** How long (ms) the parts of a read may take. */
export interface ReadTimes {
  renamesMs: number;
  patchMs: number;
  historyMs: number;
}

/** How a range is read: within which times; whether a file that moved is shown whole. */
export interface RangeOptions {
  times?: ReadTimes;
  withoutRenames?: boolean;
}

const TIMES: ReadTimes = {
  renamesMs: GIT.RENAMES_MS,
  patchMs: GIT.PATCH_MS,
  historyMs: GIT.HISTORY_MS,
};

/**
 * Names the files of a diff of which the gates need more context: their paths, and how to put them,
 * with that context (null: git could not show them), into the diff. Null: no file.
 */
export type FindWideContext = (diff: Uint8Array) => {
  paths: readonly string[];
  merge(wide: Uint8Array | null, bytesMax: number): Widened;
} | null;

/** A diff for the gates, and findings on what of the files they could not see. */
interface Widened {
  bytes: Buffer;
  notes: GateFinding[];
}

/**
 * The change of a range, the patches and the messages of its commits. Rejects with OUT_OF_RANGE
 * when it is too large, with GitFailure when the mirror does not have it all.
 */
export async function readRange(
  git: Git,
  mirror: Mirror,
  range: Range,
  findWideContext: FindWideContext,
  stop: () => CraError | null,
  { times = TIMES, withoutRenames = false }: RangeOptions = {},
): Promise<DiffOutput> {
  const read = createRead(git, mirror, stop);
  const patch = withoutRenames
    ? readWithoutRenames(read, mirror, range, times)
    : readDiff(read, mirror, range, times);
  const [diff, commits, message] = await Promise.all([
    patch.then((narrow) => {
      return widen(read, mirror, range, narrow, findWideContext, times.patchMs);
    }),
    listCommits(read, range),
    readMessage(read, range.head),
  ]);
  const { historyMs } = times;
  const history =
    commits.ids.length > 1
      ? await readHistory(read, mirror, range, historyMs).catch(withoutHistory)
      : null;
  const objects = await readObjects(read, range.head, commits.ids);
  const isWhole = history?.isWhole !== false && commits.isWhole && objects.isWhole;
  return {
    diff: shared(diff.bytes),
    history: history === null ? null : shared(history.bytes),
    messages: shared(objects.bytes),
    is_annotated: objects.isAnnotated,
    commits: commits.ids.length,
    message,
    notes: isWhole ? diff.notes : [...diff.notes, unscanned()],
  };
}

/** The same change, with more context in the files that need it, as far as they fit. */
async function widen(
  read: Read,
  mirror: Mirror,
  range: Range,
  { bytes: narrow, renames }: Patch,
  findWideContext: FindWideContext,
  withinMs: number,
): Promise<Widened> {
  const found = findWideContext(narrow);
  if (found === null) return { bytes: narrow, notes: [] };
  const patch = ['diff', ...PATCH_OPTIONS, renames, WIDE_CONTEXT];
  const command = [...patch, ...treesOf(mirror, range), ...found.paths];
  const bounds = { bytesMax: GIT.WIDE_BYTES_MAX, cut: true, withinMs };
  const wide = await read(command, bounds).catch((thrown: unknown) => {
    if (!isTimeout(thrown)) throw thrown;
    return { isCut: true, bytes: narrow };
  });
  return found.merge(wide.isCut ? null : wide.bytes, BODY.LARGE_BYTES_MAX);
}

function treesOf(mirror: Mirror, { base, head }: Range): string[] {
  return ['--end-of-options', base ?? EMPTY_TREES[mirror.format], head, '--'];
}

/** A diff, and whether git looked for renames in it. */
interface Patch {
  bytes: Buffer;
  renames: '--find-renames' | '--no-renames';
}

/** With renames; where they cannot be found in time without, and then OUT_OF_RANGE. */
async function readDiff(
  read: Read,
  mirror: Mirror,
  range: Range,
  { renamesMs, patchMs }: ReadTimes,
): Promise<Patch> {
  try {
    return await readPatch(read, mirror, range, '--find-renames', renamesMs);
  } catch (thrown) {
    if (!isTimeout(thrown)) throw thrown;
  }
  return await readWithoutRenames(read, mirror, range, { patchMs });
}

async function readWithoutRenames(
  read: Read,
  mirror: Mirror,
  range: Range,
  { patchMs }: Pick<ReadTimes, 'patchMs'>,
): Promise<Patch> {
  try {
    return await readPatch(read, mirror, range, '--no-renames', patchMs);
  } catch (thrown) {
    throw isTimeout(thrown) ? tooSlow(patchMs) : thrown;
  }
}

async function readPatch(
  read: Read,
  mirror: Mirror,
  range: Range,
  renames: Patch['renames'],
  withinMs: number,
): Promise<Patch> {
  const endsAt = performance.now() + withinMs;
  const within = () => ({ withinMs: endsAt - performance.now() });
  const trees = treesOf(mirror, range);
  const patch = ['diff', ...PATCH_OPTIONS, renames, ...trees];
  const bytesMax = BODY.LARGE_BYTES_MAX;
  setAttributes(mirror.dir, { kind: 'content' });
  const { bytes: plain } = await read(patch, { bytesMax, ...within() });
  if (!plain.includes(BINARY_MARKER)) return { bytes: plain, renames };
  const list = ['diff', '--raw', '-z', '--no-abbrev', renames, ...trees];
  const large = await largePaths(read, list, within());
  if (large === null) return { bytes: plain, renames };
  setAttributes(mirror.dir, { kind: 'all', but: large });
  const shown = await read(patch, { bytesMax, cut: true, ...within() });
  // Too much of it is binary to be shown: each such file is a finding then.
  return { bytes: shown.isCut ? plain : shown.bytes, renames };
}

function tooSlow(withinMs: number): CraError {
  const reason = `git diff did not end within ${withinMs / 1_000} s, even without renames`;
  return new CraError('OUT_OF_RANGE', reason, { details: { reason } });
}

function unscanned(): GateFinding {
  const [patches, messages] = [GIT.HISTORY_BYTES_MAX, GIT.MESSAGES_BYTES_MAX].map(
    (bytes) => `${bytes / (1024 * 1024)} MiB`,
  );
  return plainFinding({
    id: 'history-unscanned',
    gate: 'risk',
    severity: 'high',
    message:
      `the commits of this push hold more than ${patches} of patches or ${messages} of messages, ` +
      'or took too long to read, and not all of them were searched for secrets',
    fix: 'Push the commits in smaller parts, or have a person look through them and override.',
  });
}

/** In memory that every thread reads without a copy. */
function shared(bytes: Buffer): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

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
 * tree alone. At most SOURCE.BLOBS_MAX files, each up to GIT.BLOB_BYTES_MAX bytes and `bytesMax` in
 * all, the first ones first; the others are `too-large`. Throws OUT_OF_RANGE for more wants.
 */
export async function readBlobs(
  run: RunGit,
  { base, head }: BlobRange,
  wants: readonly WantedFile[],
  bytesMax: number,
): Promise<TreeFile[]> {
  if (wants.length > SOURCE.BLOBS_MAX) {
    const reason = `at most ${SOURCE.BLOBS_MAX} files of a change are read`;
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
const DIRECTORY: Entry = { state: 'directory', id: null, size: 0 };
const OUTSIDE: Entry = { state: 'outside', id: null, size: 0 };

const FOUND = /^([0-9a-f]{40}|[0-9a-f]{64}) (\w+) (\d+)$/;
/** A link that could not be followed; so many bytes of text follow on lines of their own. */
export const NOT_FOLLOWED = /^(symlink|dangling|loop|notdir) (\d+)$/;

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
    if (type === 'tree') return DIRECTORY;
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
