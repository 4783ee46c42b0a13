import type { FoundRevert, RevertsInput } from '../rpc/source-contract.ts';
import { checkIds, PATCH_OPTIONS, setAttributes } from './environment.ts';
import { GIT } from './limits.ts';
import type { Mirror, Read } from './mirrors.ts';

/**
 * The commits of `head` that others of them revert, among the newest `REVERTS_MAX` since a time: by
 * the message that `git revert` writes, or by a patch that is exactly the inverse of an earlier
 * one. Only commits that change the same files are compared. `isWhole`: all of them were looked at.
 */
export async function findReverts(
  read: Read,
  mirror: Mirror,
  { head, since }: RevertsInput,
): Promise<{ reverts: FoundRevert[]; isWhole: boolean }> {
  checkIds([head]);
  const { commits, isWhole } = await readCommits(read, head, since);
  const reverts = new Map<string, FoundRevert>();
  const add = (sha: string, { sha: by, at }: Commit, how: FoundRevert['how']) => {
    if (!reverts.has(`${sha} ${by}`)) reverts.set(`${sha} ${by}`, { sha, by, at, how });
  };
  const places = new Map(commits.map(({ sha }, index) => [sha, index]));
  const findCommit = finderOf(commits);
  for (const [index, commit] of commits.entries()) {
    for (const [, id = ''] of commit.message.matchAll(REVERTS_COMMIT)) {
      const sha = findCommit(id.toLowerCase());
      if (sha !== null && (places.get(sha) ?? 0) > index) add(sha, commit, 'message');
    }
  }
  setAttributes(mirror.dir, { kind: 'content' });
  const patches = await readPatches(read, await withEqualPaths(read, head, since, commits));
  /** Of the commits so far, from the oldest on: the newest one with each patch. */
  const earlier = new Map<string, string>();
  for (const commit of [...commits].reverse()) {
    const patch = patches.ids.get(commit.sha);
    if (patch === undefined) continue;
    const reverted = earlier.get(patch.inverse);
    if (reverted !== undefined) add(reverted, commit, 'patch');
    earlier.set(patch.own, commit.sha);
  }
  return { reverts: [...reverts.values()], isWhole: isWhole && patches.isWhole };
}

/** Commits that are looked at; a repository with more in the time has its newest looked at. */
const REVERTS_MAX = 5_000;
/** Patches that one command reads. */
const PATCHES_AT_ONCE = 100;

interface Commit {
  sha: string;
  /** When it was committed, ISO 8601. */
  at: string;
  message: string;
}

function logOf(head: string, since: string, format: readonly string[]): string[] {
  const how = ['--no-show-signature', '--no-notes', '--encoding=UTF-8'];
  const which = [`--since=${since}`, `--max-count=${REVERTS_MAX}`];
  return ['log', ...how, ...which, ...format, '--end-of-options', head, '--'];
}

/** The newest first. */
async function readCommits(
  read: Read,
  head: string,
  since: string,
): Promise<{ commits: Commit[]; isWhole: boolean }> {
  const args = logOf(head, since, ['-z', '--format=tformat:%H %ct %B']);
  const { bytes, isCut } = await read(args, { bytesMax: GIT.MESSAGES_BYTES_MAX, cut: true });
  const texts = bytes.toString('utf8').split('\0').slice(0, -1);
  const commits = texts.map((text) => {
    const [sha = '', seconds = ''] = text.split(' ', 2);
    const at = new Date(Number(seconds) * 1000).toISOString();
    return { sha, at, message: text.slice(sha.length + seconds.length + 2) };
  });
  return { commits, isWhole: !isCut && commits.length < REVERTS_MAX };
}

const REVERTS_COMMIT = /\bThis reverts commits? ([0-9a-f]{7,64})\b/gi;
const SHORT_CHARS = 7;

/** Finds a commit by its whole id, or by a part that no other has; null: no commit has it. */
function finderOf(commits: readonly Commit[]): (id: string) => string | null {
  const byStart = new Map<string, string[]>();
  for (const { sha } of commits) {
    const start = sha.slice(0, SHORT_CHARS);
    byStart.set(start, [...(byStart.get(start) ?? []), sha]);
  }
  return (id) => {
    const found = (byStart.get(id.slice(0, SHORT_CHARS)) ?? []).filter((sha) => sha.startsWith(id));
    return found.length === 1 ? (found[0] ?? null) : null;
  };
}

/** Commits that change exactly the files that another one changes: only they may be inverse. */
async function withEqualPaths(
  read: Read,
  head: string,
  since: string,
  commits: readonly Commit[],
): Promise<string[]> {
  const args = logOf(head, since, ['--format=tformat:%x00%H', '--name-only', '--no-renames']);
  const { bytes } = await read(args, { bytesMax: GIT.LIST_BYTES_MAX, cut: true });
  const byPaths = new Map<string, string[]>();
  for (const text of bytes.toString('latin1').split('\0')) {
    const end = text.indexOf('\n');
    const paths = text.slice(end + 1).trim();
    if (paths === '') continue;
    const shas = byPaths.get(paths) ?? [];
    shas.push(text.slice(0, end));
    byPaths.set(paths, shas);
  }
  const equal = new Set([...byPaths.values()].filter((shas) => shas.length > 1).flat());
  return commits.map(({ sha }) => sha).filter((sha) => equal.has(sha));
}

/** `-R` swaps the names of both sides, too, which are part of the id. */
const INVERSE = ['-R', '--src-prefix=b/', '--dst-prefix=a/'];

interface Patches {
  ids: Map<string, { own: string; inverse: string }>;
  /** Whether no patch was too large to be read. */
  isWhole: boolean;
}

async function readPatches(read: Read, shas: readonly string[]): Promise<Patches> {
  const patches: Patches = { ids: new Map(), isWhole: true };
  for (let at = 0; at < shas.length; at += PATCHES_AT_ONCE) {
    const part = shas.slice(at, at + PATCHES_AT_ONCE);
    const own = await patchIds(read, part, []);
    const inverse = await patchIds(read, part, INVERSE);
    if (own === null || inverse === null) {
      patches.isWhole = false;
      continue;
    }
    for (const [sha, id] of own) {
      patches.ids.set(sha, { own: id, inverse: inverse.get(sha) ?? '' });
    }
  }
  return patches;
}

/** Null: the patches are too large. Commits without a patch have no id. */
async function patchIds(
  read: Read,
  shas: readonly string[],
  way: readonly string[],
): Promise<Map<string, string> | null> {
  const tree = ['diff-tree', '--stdin', '-r', '--root', '--no-renames', '--patch'];
  const args = [...tree, ...PATCH_OPTIONS, ...way];
  const input = Buffer.from(shas.map((sha) => `${sha}\n`).join(''));
  const bytesMax = GIT.HISTORY_BYTES_MAX;
  const { bytes, isCut } = await read(args, { bytesMax, cut: true, input });
  if (isCut) return null;
  const ids = await read(['patch-id', '--verbatim'], {
    bytesMax: GIT.LIST_BYTES_MAX,
    input: bytes,
  });
  const lines = ids.bytes.toString('latin1').split('\n').filter(Boolean);
  return new Map(lines.map((line) => [line.split(' ')[1] ?? '', line.split(' ')[0] ?? '']));
}
