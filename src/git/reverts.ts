import type { FoundRevert, RevertsInput } from '../rpc/source-contract.ts';
import { checkIds, PATCH_OPTIONS } from './environment.ts';
import type { GitOutput } from './git.ts';
import { GIT } from './limits.ts';
import type { Read } from './mirrors.ts';

/**
 * The commits of `head` that others of them revert, among the newest `REVERTS_MAX` since a time: by
 * the message that `git revert` writes, or by a patch that is exactly the inverse of an earlier
 * one. Only commits that change the same files are compared. Whatever time a commit claims, it is
 * looked at when a commit before it is as new as `since`. `isWhole`: all of them were looked at,
 * and no bound left a revert out. `read`: with the attributes that show what is text by its bytes.
 */
export async function findReverts(
  read: Read,
  { head, since }: RevertsInput,
): Promise<{ reverts: FoundRevert[]; isWhole: boolean }> {
  checkIds([head]);
  const list = await listCommits(read, head, since);
  if (list.shas.length === 0) return { reverts: [], isWhole: list.isWhole };
  const { commits, isWhole } = await readCommits(read, list.shas);
  const named = namedReverts(commits);
  const reverts = new Map(named.reverts.map((one) => [`${one.sha} ${one.by}`, one]));
  const equal = await withEqualPaths(read, list.shas);
  const patches = await readPatches(read, equal.shas);
  /** Of the commits so far, from the oldest on: the newest one with each patch. */
  const earlier = new Map<string, string>();
  for (const by of [...list.shas].reverse()) {
    const patch = patches.ids.get(by);
    if (patch === undefined) continue;
    const sha = earlier.get(patch.inverse);
    const key = `${sha} ${by}`;
    if (sha !== undefined && !reverts.has(key)) reverts.set(key, { sha, by, how: 'patch' });
    earlier.set(patch.own, by);
  }
  const parts = [list, { isWhole }, named, equal, patches];
  return { reverts: [...reverts.values()], isWhole: parts.every((part) => part.isWhole) };
}

/**
 * Commits that are looked at; a repository with more in the time has its newest looked at. As many
 * reverts are found by messages.
 */
const REVERTS_MAX = 5_000;
/** Commits that one message may revert; it names them in one line each. */
const NAMED_MAX = 50;
/** Commits of the history that are walked through in search of the time. */
const WALKED_MAX = 500_000;
/** Patches that one command reads. */
const PATCHES_AT_ONCE = 100;
/** Commits whose paths one command lists. */
const LISTED_AT_ONCE = 500;
/** Of all patches of one look, read in both ways. */
const PATCHES_BYTES_MAX = 16 * GIT.HISTORY_BYTES_MAX;

/**
 * The ids of the newest commits, each before its parents, down to the last commit that is as new as
 * `since`. Committer dates are what pushers claim: a walk that ends at an old date, or leaves
 * single commits out by their dates, can be blinded by one commit.
 */
async function listCommits(
  read: Read,
  head: string,
  since: string,
): Promise<{ shas: string[]; isWhole: boolean }> {
  const walk = ['rev-list', '--date-order', '--timestamp', `--max-count=${WALKED_MAX}`];
  const args = [...walk, '--end-of-options', head, '--'];
  const { bytes, isCut } = await read(args, { bytesMax: GIT.LIST_BYTES_MAX, cut: true });
  const lines = bytes.toString('latin1').split('\n').slice(0, -1);
  const from = Date.parse(since) / 1_000;
  const count = lines.findLastIndex((line) => Number.parseInt(line, 10) >= from) + 1;
  const newest = lines.slice(0, Math.min(count, REVERTS_MAX));
  return {
    shas: newest.map((line) => line.slice(line.indexOf(' ') + 1)),
    isWhole: !isCut && lines.length < WALKED_MAX && count <= REVERTS_MAX,
  };
}

interface Commit {
  sha: string;
  message: string;
}

/** Shows these commits, in this order. */
async function showCommits(
  read: Read,
  shas: readonly string[],
  format: readonly string[],
  bytesMax: number,
): Promise<GitOutput> {
  const how = ['--no-show-signature', '--no-notes', '--encoding=UTF-8', '--no-walk=unsorted'];
  const input = linesOf(shas);
  return await read(['log', ...how, ...format, '--stdin'], { bytesMax, cut: true, input });
}

function linesOf(shas: readonly string[]): Buffer {
  return Buffer.from(shas.map((sha) => `${sha}\n`).join(''));
}

async function readCommits(
  read: Read,
  shas: readonly string[],
): Promise<{ commits: Commit[]; isWhole: boolean }> {
  const format = ['-z', '--format=tformat:%H %B'];
  const { bytes, isCut } = await showCommits(read, shas, format, GIT.MESSAGES_BYTES_MAX);
  const texts = bytes.toString('utf8').split('\0').slice(0, -1);
  const commits = texts.map((text) => {
    const end = text.indexOf(' ');
    return { sha: text.slice(0, end), message: text.slice(end + 1) };
  });
  return { commits, isWhole: !isCut };
}

/** Reverts by the messages of commits, the newest first. */
function namedReverts(commits: readonly Commit[]): { reverts: FoundRevert[]; isWhole: boolean } {
  const places = new Map(commits.map(({ sha }, index) => [sha, index]));
  const findCommit = finderOf(commits);
  const reverts: FoundRevert[] = [];
  let isWhole = true;
  for (const [index, { sha: by, message }] of commits.entries()) {
    const ids = [...message.matchAll(REVERTS_COMMIT)].map(([, id = '']) => id.toLowerCase());
    const found = new Set(ids.flatMap((id) => findCommit(id) ?? []));
    const named = [...found].filter((sha) => (places.get(sha) ?? 0) > index);
    const kept = named.slice(0, Math.min(NAMED_MAX, REVERTS_MAX - reverts.length));
    if (kept.length < named.length) isWhole = false;
    for (const sha of kept) reverts.push({ sha, by, how: 'message' });
  }
  return { reverts, isWhole };
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
  shas: readonly string[],
): Promise<{ shas: string[]; isWhole: boolean }> {
  const format = ['--format=tformat:%x00%H', '--name-only', '--no-renames'];
  const byPaths = new Map<string, string[]>();
  let bytesLeft = GIT.LIST_BYTES_MAX;
  for (let at = 0; at < shas.length && bytesLeft > 0; at += LISTED_AT_ONCE) {
    const part = shas.slice(at, at + LISTED_AT_ONCE);
    const { bytes, isCut } = await showCommits(read, part, format, bytesLeft);
    for (const text of bytes.toString('latin1').split('\0')) {
      const end = text.indexOf('\n');
      const paths = text.slice(end + 1).trim();
      if (paths === '') continue;
      const same = byPaths.get(paths) ?? [];
      same.push(text.slice(0, end));
      byPaths.set(paths, same);
    }
    bytesLeft = isCut ? 0 : bytesLeft - bytes.length;
  }
  const equal = new Set([...byPaths.values()].filter((same) => same.length > 1).flat());
  return { shas: shas.filter((sha) => equal.has(sha)), isWhole: bytesLeft > 0 };
}

/** `-R` swaps the names of both sides, too, which are part of the id. */
const INVERSE = ['-R', '--src-prefix=b/', '--dst-prefix=a/'];

interface Patches {
  ids: Map<string, { own: string; inverse: string }>;
  /** Whether all patches were read. */
  isWhole: boolean;
}

/** The newest first; patches that are too large together are read in halves. */
async function readPatches(read: Read, shas: readonly string[]): Promise<Patches> {
  const patches: Patches = { ids: new Map(), isWhole: true };
  const parts: string[][] = [];
  for (let at = 0; at < shas.length; at += PATCHES_AT_ONCE) {
    parts.unshift(shas.slice(at, at + PATCHES_AT_ONCE));
  }
  let bytesLeft = PATCHES_BYTES_MAX;
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    if (bytesLeft <= 0) return { ...patches, isWhole: false };
    const own = await patchIds(read, part, []);
    const inverse = own.ids === null ? own : await patchIds(read, part, INVERSE);
    bytesLeft -= own.bytes + inverse.bytes;
    if (own.ids !== null && inverse.ids !== null) {
      for (const [sha, id] of own.ids) {
        patches.ids.set(sha, { own: id, inverse: inverse.ids.get(sha) ?? '' });
      }
    } else if (part.length === 1) {
      patches.isWhole = false;
    } else {
      const half = Math.ceil(part.length / 2);
      parts.push(part.slice(half), part.slice(0, half));
    }
  }
  return patches;
}

/** `ids` null: the patches are too large. Commits without a patch have no id. */
async function patchIds(
  read: Read,
  shas: readonly string[],
  way: readonly string[],
): Promise<{ ids: Map<string, string> | null; bytes: number }> {
  const tree = ['diff-tree', '--stdin', '-r', '--root', '--no-renames', '--patch'];
  const args = [...tree, ...PATCH_OPTIONS, ...way];
  const bytesMax = GIT.HISTORY_BYTES_MAX;
  const { bytes, isCut } = await read(args, { bytesMax, cut: true, input: linesOf(shas) });
  if (isCut) return { ids: null, bytes: bytes.length };
  const ids = await read(['patch-id', '--verbatim'], {
    bytesMax: GIT.LIST_BYTES_MAX,
    input: bytes,
  });
  const lines = ids.bytes.toString('latin1').split('\n').filter(Boolean);
  const pairs = lines.map((line) => [line.split(' ')[1] ?? '', line.split(' ')[0] ?? ''] as const);
  return { ids: new Map(pairs), bytes: bytes.length };
}
