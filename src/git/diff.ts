import { FIELDS, GIT, HTTP } from '../limits.ts';
import { CraError } from '../model/errors.ts';
import { type GateFinding, plainFinding } from '../model/finding.ts';
import type { DiffOutput } from '../rpc/source-contract.ts';
import { setAttributes } from './attributes.ts';
import { readChangedPaths } from './changed-paths.ts';
import { localEnvironment } from './environment.ts';
import type { Git, GitOutput } from './git.ts';
import type { Mirror } from './mirrors.ts';
import { EMPTY_TREES } from './object-format.ts';
import { PATCH_OPTIONS, WHOLE_FILES } from './patch-options.ts';

/** Where `Binary files a/x and b/x differ` stands for content; in a hunk no line begins so. */
const BINARY_MARKER = Buffer.from('\nBinary files ');

/** A command that reads one mirror. */
type Read = (args: readonly string[], options?: ReadOptions) => Promise<GitOutput>;

interface ReadOptions {
  bytesMax?: number;
  cut?: boolean;
  input?: Buffer;
  /** The command is ended after so long (ms). */
  withinMs?: number;
}

/** How long (ms) the parts of a read may take. */
export interface ReadTimes {
  renamesMs: number;
  patchMs: number;
  historyMs: number;
}

const TIMES: ReadTimes = {
  renamesMs: GIT.RENAMES_MS,
  patchMs: GIT.PATCH_MS,
  historyMs: GIT.HISTORY_MS,
};

/** The two ends of a change; their ids are in the mirror's format. */
export interface Range {
  /** Null: the empty tree. */
  base: string | null;
  head: string;
}

/**
 * Tells of which files of a diff the gates need the whole text: their paths, and how to put them,
 * with unlimited context, into the diff. Null: of none.
 */
export type FindWideContext = (
  diff: Uint8Array,
) => { paths: readonly string[]; merge(wide: Uint8Array): Buffer } | null;

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
  times: ReadTimes = TIMES,
): Promise<DiffOutput> {
  const env = localEnvironment(mirror.dir, mirror.format);
  const read: Read = (args, { withinMs, ...options } = {}) => {
    const ownStop = withinMs === undefined ? stop : () => stop() ?? isLate();
    const endsAt = performance.now() + (withinMs ?? 0);
    const isLate = () => (performance.now() < endsAt ? null : timedOut());
    return git.run(args, { env, bytesMax: GIT.ANSWER_BYTES_MAX, ...options, stop: ownStop });
  };
  const [diff, commits, message] = await Promise.all([
    readDiff(read, mirror, range, times).then((narrow) => {
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
    diff: shared(diff),
    history: history === null ? null : shared(history.bytes),
    messages: shared(objects.bytes),
    is_annotated: objects.isAnnotated,
    commits: commits.ids.length,
    message,
    notes: isWhole ? [] : [unscanned()],
  };
}

/** The same change with all of the files that the gates need whole, as far as they fit. */
async function widen(
  read: Read,
  mirror: Mirror,
  range: Range,
  { bytes: narrow, renames }: Patch,
  findWideContext: FindWideContext,
  withinMs: number,
): Promise<Buffer> {
  const found = findWideContext(narrow);
  if (found === null) return narrow;
  const patch = ['diff', ...PATCH_OPTIONS, renames, WHOLE_FILES];
  const command = [...patch, ...treesOf(mirror, range), ...found.paths];
  const bounds = { bytesMax: GIT.WIDE_BYTES_MAX, cut: true, withinMs };
  const wide = await read(command, bounds).catch((thrown: unknown) => {
    if (!isTimeout(thrown)) throw thrown;
    return { isCut: true, bytes: narrow };
  });
  const whole = wide.isCut ? narrow : found.merge(wide.bytes);
  return whole.length > HTTP.LARGE_BODY_BYTES_MAX ? narrow : whole;
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
  const bytesMax = HTTP.LARGE_BODY_BYTES_MAX;
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

function timedOut(): CraError {
  return new CraError('DEADLINE_EXCEEDED', 'git did not end within its time', {
    details: { reason: 'git did not end within its time', isOwn: true },
  });
}

/** Whether a command was ended after its own time, not after that of the call. */
function isTimeout(thrown: unknown): boolean {
  return thrown instanceof CraError && thrown.details['isOwn'] === true;
}

function tooSlow(withinMs: number): CraError {
  const reason = `git diff did not end within ${withinMs / 1_000} s, even without renames`;
  return new CraError('OUT_OF_RANGE', reason, { details: { reason } });
}

/** The commits of a range, newest first; of more than fit into the bound the newest. */
async function listCommits(read: Read, range: Range): Promise<{ ids: string[]; isWhole: boolean }> {
  const bytesMax = GIT.LIST_BYTES_MAX;
  const { bytes, isCut } = await read(['rev-list', ...commitsOf(range)], { bytesMax, cut: true });
  const ids = bytes.toString('latin1').split('\n');
  // Behind the last line break there is nothing, or the part of an id.
  return { ids: ids.slice(0, -1), isWhole: !isCut };
}

/**
 * The tag objects that `head` names and the commits, whole: `%B` of `git log` ends at a NUL, and
 * a secret behind it would be as public.
 */
async function readObjects(
  read: Read,
  head: string,
  commits: readonly string[],
): Promise<{ bytes: Buffer; isAnnotated: boolean; isWhole: boolean }> {
  const bytesMax = GIT.MESSAGES_BYTES_MAX;
  const batch = (ids: readonly string[]) => {
    const input = Buffer.from(ids.map((id) => `${id}\n`).join(''));
    return read(['cat-file', '--batch'], { bytesMax, cut: true, input });
  };
  if (commits[0] === head) {
    const { bytes, isCut } = await batch(commits);
    return { bytes, isAnnotated: false, isWhole: !isCut };
  }
  const tags: Buffer[] = [];
  let next: string | null = head;
  let isWhole = true;
  while (next !== null && tags.length < GIT.TAG_DEPTH_MAX) {
    const { bytes, isCut } = await batch([next]);
    const tag = TAG_OBJECT.exec(bytes.toString('latin1', 0, TAG_HEAD_BYTES));
    if (tag === null) break;
    tags.push(bytes);
    isWhole &&= !isCut;
    next = tag[2] === 'tag' ? (tag[1] ?? null) : null;
  }
  const rest = commits.length === 0 ? null : await batch(commits);
  return {
    bytes: Buffer.concat([...tags, ...(rest === null ? [] : [rest.bytes])]),
    isAnnotated: tags.length > 0,
    isWhole: isWhole && rest?.isCut !== true && tags.length < GIT.TAG_DEPTH_MAX,
  };
}

/** How `git cat-file --batch` begins a tag, and the tag the name of its object. */
const TAG_OBJECT = /^[0-9a-f]+ tag \d+\nobject ([0-9a-f]+)\ntype (\w+)\n/;
const TAG_HEAD_BYTES = 512;

/** Of a commit, however long or broken it is. */
async function readMessage(read: Read, head: string): Promise<string> {
  // A code point has at most four bytes.
  const bytesMax = FIELDS.COMMIT_MESSAGE_CHARS_MAX * 4;
  const format = ['--encoding=UTF-8', '--format=tformat:%B'];
  const args = ['log', '-1', '--no-show-signature', ...format, '--end-of-options', head, '--'];
  const { bytes } = await read(args, { bytesMax, cut: true });
  const characters = Array.from(bytes.toString('utf8').trimEnd());
  return characters.slice(0, FIELDS.COMMIT_MESSAGE_CHARS_MAX).join('');
}

/**
 * Each commit's own patch, newest first. A merge shows what is in none of its parents: the rest
 * is in their patches, or was there before.
 */
async function readHistory(
  read: Read,
  mirror: Mirror,
  range: Range,
  withinMs: number,
): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const endsAt = performance.now() + withinMs;
  const within = () => ({ withinMs: endsAt - performance.now() });
  const commits = ['--root', '--no-show-signature', '--no-notes', '--no-renames'];
  const log = ['log', ...commits, '--diff-merges=dense-combined'];
  const list = [...log, '--format=', '--raw', '-z', '--no-abbrev', ...commitsOf(range)];
  const large = await largePaths(read, list, within());
  setAttributes(mirror.dir, large === null ? { kind: 'content' } : { kind: 'all', but: large });
  const patches = [
    ...log,
    `--format=tformat:${COMMIT}%H`,
    '--patch',
    '--unified=0',
    ...PATCH_OPTIONS,
  ];
  const bytesMax = GIT.HISTORY_BYTES_MAX;
  const options = { bytesMax, cut: true, ...within() };
  const { bytes, isCut } = await read([...patches, ...commitsOf(range)], options);
  return { bytes: isCut ? wholeCommits(bytes) : bytes, isWhole: !isCut && large !== null };
}

/** What took too long is a finding, not a reason to judge nothing. */
function withoutHistory(thrown: unknown): { bytes: Buffer; isWhole: boolean } {
  if (!isTimeout(thrown)) throw thrown;
  return { bytes: Buffer.alloc(0), isWhole: false };
}

const COMMIT = 'commit ';

/** Without the commit that was cut; where it is the only one, without its last line. */
function wholeCommits(bytes: Buffer): Buffer {
  const last = bytes.lastIndexOf(`\n${COMMIT}`);
  return bytes.subarray(0, (last > 0 ? last : bytes.lastIndexOf('\n')) + 1);
}

function commitsOf({ base, head }: Range): string[] {
  const without = base === null ? [] : [`^${base}`];
  return ['--end-of-options', head, ...without, '--'];
}

/**
 * Of the files that a command lists, those whose content is too large to be shown as text; null:
 * the list itself is too long.
 */
async function largePaths(
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
      'or took too long to read, and not all of them were searched for secrets: push them in ' +
      'smaller parts, or look through them yourself',
  });
}

/** In memory that every thread reads without a copy. */
function shared(bytes: Buffer): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}
