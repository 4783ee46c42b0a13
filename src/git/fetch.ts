import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { CraError } from '../model/errors.ts';
import { localEnvironment, remoteEnvironment } from './environment.ts';
import { type Git, GitFailure, isUnknownRef, refusedIds } from './git.ts';
import { GIT } from './limits.ts';
import { KEEP, keepIn, type Mirror, scratchObjects } from './mirrors.ts';

type Stop = () => CraError | null;

/**
 * Brings commits with all that they need into the mirror and keeps them there; commits that the
 * host refuses are left out. Rejects with GitFailure when the host cannot be used at all, or the
 * mirror.
 */
export async function fetchCommits(
  git: Git,
  mirror: Mirror,
  ids: readonly string[],
  stop: Stop,
): Promise<void> {
  let left = ids.filter((id) => !mirror.kept.has(id));
  while (left.length > 0) {
    try {
      await fetchPack(git, mirror, left, stop);
      left = left.filter((id) => !mirror.kept.has(id));
      if (left.length > 0) await fetchWalked(git, mirror, left, stop);
      return;
    } catch (thrown) {
      if (!(thrown instanceof GitFailure)) throw thrown;
      const refused = new Set(refusedIds(thrown));
      const others = left.filter((id) => !refused.has(id));
      if (others.length === left.length) throw thrown;
      left = others;
    }
  }
}

/**
 * Brings the head of a pull request, and answers its commit; null: the host has no such ref. Hosts
 * have one for each pull request, so `readRefs` does not list them.
 */
export async function fetchPullRequest(
  git: Git,
  mirror: Mirror,
  name: string,
  stop: Stop,
): Promise<string | null> {
  try {
    const [brought] = (await fetchPack(git, mirror, [name], stop)) ?? [];
    if (brought !== undefined) return brought;
    await fetchRefs(git, mirror, [`+${name}:${PULL_REQUEST}`], stop);
  } catch (thrown) {
    if (thrown instanceof GitFailure && isUnknownRef(thrown)) return null;
    throw thrown;
  }
  const env = localEnvironment(mirror.dir, mirror.format);
  const options = { env, bytesMax: GIT.ANSWER_BYTES_MAX, stop };
  const { bytes } = await git.run(['rev-parse', '--verify', PULL_REQUEST], options);
  const id = bytes.toString('latin1').trim();
  await keep(git, mirror, [id], stop);
  return id;
}

/** The pull request that was fetched last. */
const PULL_REQUEST = 'refs/pull-request';

async function keep(git: Git, mirror: Mirror, ids: readonly string[], stop: Stop): Promise<void> {
  await keepIn(git, mirror.dir, ids, stop);
  for (const id of ids) mirror.kept.add(id);
}

/** Fetches as git does by itself: it then walks from the commits to what the mirror had. */
async function fetchWalked(
  git: Git,
  mirror: Mirror,
  ids: readonly string[],
  stop: Stop,
): Promise<void> {
  const refspecs = ids.map((id) => `${id}:${KEEP}${id}`);
  const stderr = await fetchRefs(git, mirror, refspecs, stop);
  // Git warns, and ends well, when it leaves out what comes from a shallow repository.
  const isHere = (id: string) => existsSync(join(mirror.dir, KEEP, id));
  if (!ids.every(isHere)) throw new GitFailure('fetch', 0, stderr);
  for (const id of ids) mirror.kept.add(id);
}

/** What each `git fetch` has in common. */
export const FETCH = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-recurse-submodules',
  '--no-auto-maintenance',
];

/** Runs `git fetch`; answers its warnings. */
async function fetchRefs(
  git: Git,
  { dir, address }: Pick<Mirror, 'dir' | 'address'>,
  refspecs: readonly string[],
  stop: Stop,
): Promise<string> {
  const { stderr } = await git.run(
    [...FETCH, '--no-write-fetch-head', '--end-of-options', address.url, ...refspecs],
    { env: remoteEnvironment(address, dir), bytesMax: GIT.ANSWER_BYTES_MAX, stop },
  );
  return stderr;
}

/**
 * Fetches commits or a ref without the walk of `git fetch`, which reads all trees behind the
 * parents: 800 ms of a push to a repository of 300,000 files. The pack is received outside of the
 * mirror, and git reads it again, strictly: whatever its objects refer to must be in it or in the
 * mirror. As that holds for each pack that a mirror ever took, nothing is missing behind a commit.
 * Answers what was fetched, kept in the mirror; null: it has to be fetched with the walk, as the
 * mirror is empty, the pack did not pass, or the host refuses the filter.
 */
async function fetchPack(
  git: Git,
  mirror: Mirror,
  sources: readonly string[],
  stop: Stop,
): Promise<string[] | null> {
  if (mirror.kept.size === 0) return null;
  const { dir, address, format } = mirror;
  const packs = join(dir, 'objects', 'pack');
  // Counted as a part of the mirror; the next use removes what begins with tmp_ (`LEFTOVER`).
  mkdirSync(packs, { recursive: true });
  const scratch = mkdtempSync(join(packs, 'tmp_fetch-'));
  const received = join(scratch, 'pack');
  mkdirSync(received);
  const options = { bytesMax: GIT.ANSWER_BYTES_MAX, stop };
  const objects = scratchObjects(mirror, scratch);
  try {
    markPromised(packs);
    const env = { ...remoteEnvironment(address, dir, AS_PROMISED(address.url)), ...objects };
    await git.run([...FETCH, '--write-fetch-head', '--end-of-options', HOST, ...sources], {
      ...options,
      env,
    });
    for (const name of packsIn(received)) {
      const args = ['index-pack', '--strict', '-o', join(scratch, 'strict.idx')];
      const local = { ...localEnvironment(dir, format), ...objects };
      await git.run([...args, join(received, name)], { ...options, env: local });
    }
    takePacks(received, packs);
    const ids = fetchedIds(dir);
    await keep(git, mirror, ids, stop);
    return ids;
  } catch (thrown) {
    if (isDiskFull(thrown)) throw new GitFailure('fetch', 0, 'No space left on device');
    if (thrown instanceof GitFailure && NEEDS_WALK.test(thrown.message + thrown.stderr))
      return null;
    throw thrown;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function isDiskFull(thrown: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((thrown as NodeJS.ErrnoException).code ?? '');
}

const NEEDS_WALK = /^git index-pack |filter/;

/**
 * Git leaves its walk out where the host is a promisor, which gives later what it leaves out now.
 * The filter leaves nothing out; hosts that know no filters ignore it.
 * https://git-scm.com/docs/partial-clone
 */
const AS_PROMISED = (url: string) =>
  [
    [`remote.${HOST}.url`, url],
    [`remote.${HOST}.promisor`, 'true'],
    [`remote.${HOST}.partialCloneFilter`, 'blob:limit=1024g'],
    // The pack is checked when it is there.
    ['fetch.fsckObjects', 'false'],
  ] as const;

/** What a promisor is called; git takes no URL for one. */
const HOST = 'host';

/** Names of the packs in a directory. */
export function packsIn(directory: string): string[] {
  return readdirSync(directory).filter((name) => name.endsWith('.pack'));
}

/** Marks packs as a promisor's: others would be searched for what the new ones refer to. */
function markPromised(directory: string): void {
  for (const pack of packsIn(directory)) {
    const mark = join(directory, pack.replace(/pack$/, 'promisor'));
    if (!existsSync(mark)) writeFileSync(mark, '');
  }
}

/** A pack counts when its index is there, which comes last. */
function takePacks(from: string, to: string): void {
  const names = readdirSync(from).filter((name) => name.startsWith('pack-'));
  const isIndex = (name: string) => name.endsWith('.idx');
  for (const name of [...names.filter((each) => !isIndex(each)), ...names.filter(isIndex)]) {
    renameSync(join(from, name), join(to, name));
  }
}

/** https://git-scm.com/docs/git-fetch#_output: a line each, which begins with the id. */
function fetchedIds(gitDir: string): string[] {
  const lines = readFileSync(join(gitDir, 'FETCH_HEAD'), 'latin1').split('\n').filter(Boolean);
  return [...new Set(lines.map((line) => line.slice(0, line.indexOf('\t'))))];
}
