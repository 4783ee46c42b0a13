import type { CraError } from '../model/errors.ts';
import { FIELDS } from '../model/limits.ts';
import type {
  AmongInput,
  FirstParents,
  FirstParentsInput,
  PairInput,
} from '../rpc/source-contract.ts';
import { checkIds, localEnvironment, PATCH_OPTIONS, setAttributes } from './environment.ts';
import type { Git, GitOptions, GitOutput } from './git.ts';
import { GIT } from './limits.ts';
import { isTimeout, type Mirror, type Range, type Read } from './mirrors.ts';

/** The commits of a range, newest first; of more than fit into the bound the newest. */
export async function listCommits(
  read: Read,
  range: Range,
): Promise<{ ids: string[]; isWhole: boolean }> {
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
export async function readObjects(
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
export async function readMessage(read: Read, head: string): Promise<string> {
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
export async function readHistory(
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
export function withoutHistory(thrown: unknown): { bytes: Buffer; isWhole: boolean } {
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
 * The files that a command lists and whose content is too large to be shown as text; null:
 * the list itself is too long.
 */
export async function largePaths(
  read: Read,
  list: readonly string[],
  within: { withinMs: number },
): Promise<string[] | null> {
  const { bytes, isCut } = await read(list, {
    bytesMax: GIT.LIST_BYTES_MAX,
    cut: true,
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

/** How one read of a mirror is given up. */
type Stop = () => CraError | null;

/** Whether `one` is `other` or one of its ancestors. */
export async function isAncestor(
  git: Git,
  mirror: Mirror,
  { one, other }: Pick<PairInput, 'one' | 'other'>,
  stop: Stop,
): Promise<{ is_ancestor: boolean }> {
  const args = ['merge-base', '--is-ancestor', '--end-of-options', one, other];
  const { code } = await run(git, mirror, args, stop, { codes: [1] });
  return { is_ancestor: code === 0 };
}

/**
 * The `shas` that are `head` or its ancestors. One command says of hundreds of pushes of a branch
 * that they are newer; git is asked one by one about the others alone.
 */
export async function ancestorsAmong(
  git: Git,
  mirror: Mirror,
  { head, shas, known }: AmongInput,
  stop: Stop,
): Promise<{ shas: string[] }> {
  checkIds([head, ...shas, ...known]);
  const lines = async (args: string[], ids: readonly string[]) => {
    const input = Buffer.from(ids.map((id) => `${id}\n`).join(''));
    const { bytes } = await run(git, mirror, args, stop, { input, bytesMax: GIT.LIST_BYTES_MAX });
    return bytes.toString('latin1').split('\n').filter(Boolean);
  };
  const isHere = '--batch-check=%(objectname) %(objecttype)';
  const here = await lines(['cat-file', isHere], [...new Set([...shas, ...known])]);
  const commits = new Set(
    here.filter((line) => line.endsWith(' commit')).map((line) => line.split(' ')[0] ?? ''),
  );
  const asked = [...new Set(shas)].filter((sha) => commits.has(sha));
  if (asked.length === 0) return { shas: [] };
  const until = [head, ...known.filter((sha) => commits.has(sha))].map((sha) => `^${sha}`);
  const newer = new Set(await lines(['rev-list', '--stdin'], [...asked, ...until]));
  const among: string[] = [];
  for (const one of asked.filter((sha) => !newer.has(sha))) {
    const { is_ancestor } = await isAncestor(git, mirror, { one, other: head }, stop);
    if (is_ancestor) among.push(one);
  }
  return { shas: among };
}

/**
 * The commits of the first-parent line from `from` down to `until`, newest first, `until` not
 * among them; null where it is not on the line, or more than `limit` away.
 */
export async function firstParents(
  git: Git,
  mirror: Mirror,
  { from, until, limit }: FirstParentsInput,
  stop: Stop,
): Promise<FirstParents> {
  checkIds([from, until]);
  const line = ['rev-list', '--first-parent', `--max-count=${limit + 1}`];
  const { bytes } = await run(git, mirror, [...line, '--end-of-options', from, '--'], stop);
  const shas = bytes.toString('latin1').split('\n').filter(Boolean);
  const end = shas.indexOf(until);
  return { shas: end === -1 ? null : shas.slice(0, end) };
}

function run(
  git: Git,
  { dir, format }: Mirror,
  args: readonly string[],
  stop: Stop,
  options: Partial<GitOptions> = {},
): Promise<GitOutput> {
  const env = localEnvironment(dir, format);
  return git.run(args, { env, bytesMax: GIT.LIST_BYTES_MAX, stop, ...options });
}
