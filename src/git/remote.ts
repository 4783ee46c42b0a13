import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FULL_SHA } from '../hosts/settings.ts';
import { CraError } from '../model/errors.ts';
import type { Address } from './address.ts';
import { localEnvironment, remoteEnvironment } from './environment.ts';
import { type Git, GitFailure } from './git.ts';
import { refusedIds } from './git-errors.ts';
import { GIT } from './limits.ts';
import { KEEP, type Mirror } from './mirrors.ts';

/**
 * The branches and tags of a repository as its host has them now, by full name. UNAVAILABLE when
 * they are absent: git takes an empty page of a proxy for a repository without refs, and where a
 * webhook announced a push there was one.
 */
export async function readRefs(
  git: Git,
  address: Address,
  stop: () => CraError | null,
): Promise<Record<string, string>> {
  // Hosts have a ref for each pull request beside these, in large repositories 100,000 and more.
  const options = ['--heads', '--tags', '--refs', '--quiet', '--end-of-options'];
  const args = ['ls-remote', ...options, address.url];
  const env = remoteEnvironment(address, null);
  const { bytes } = await git.run(args, { env, bytesMax: GIT.LIST_BYTES_MAX, stop });
  if (bytes.length === 0) await checkSpeaksGit(git, args, env, stop);
  const refs: Record<string, string> = {};
  for (const line of bytes.toString('utf8').split('\n')) {
    const tab = line.indexOf('\t');
    const id = line.slice(0, tab);
    const name = line.slice(tab + 1);
    if (FULL_SHA.test(id) && name.startsWith('refs/')) refs[name] = id;
  }
  if (Object.keys(refs).length === 0) throw noRefs();
  return refs;
}

function noRefs(): CraError {
  const reason =
    'the host shows no branches and tags: the repository is empty, or something that is not git answered';
  return new CraError('UNAVAILABLE', reason, { details: { reason } });
}

/**
 * A page of a proxy can pass for a repository without refs: git takes any text without a line
 * break for an empty list. Rejects with GitFailure unless the host speaks git's protocol.
 */
async function checkSpeaksGit(
  git: Git,
  args: readonly string[],
  env: Record<string, string>,
  stop: () => CraError | null,
): Promise<void> {
  const traced = { ...env, GIT_TRACE_PACKET: '2' };
  const { stderr } = await git.run(args, { env: traced, bytesMax: GIT.LIST_BYTES_MAX, stop });
  if (!PACKETS.test(stderr)) throw new GitFailure('ls-remote', 0, 'not valid: is this a git host?');
}

const PACKETS = /packet: .*< (?:version \d|# service=git-upload-pack|0{40,64} capabilities)/;

/**
 * Brings commits with all that they need into the mirror and keeps them there; those that the
 * host refuses are left out. Rejects with GitFailure when the host cannot be used at all, or the
 * mirror.
 */
export async function fetchCommits(
  git: Git,
  mirror: Mirror,
  ids: readonly string[],
  stop: () => CraError | null,
): Promise<void> {
  let left = ids.filter((id) => !mirror.kept.has(id));
  while (left.length > 0) {
    try {
      await fetchOnce(git, mirror, left, stop);
      for (const id of left) mirror.kept.add(id);
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

async function fetchOnce(
  git: Git,
  { dir, address }: Mirror,
  ids: readonly string[],
  stop: () => CraError | null,
): Promise<void> {
  const options = ['--quiet', '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
  const refspecs = ids.map((id) => `${id}:${KEEP}${id}`);
  const { stderr } = await git.run(
    ['fetch', ...options, '--no-auto-maintenance', '--end-of-options', address.url, ...refspecs],
    { env: remoteEnvironment(address, dir), bytesMax: GIT.ANSWER_BYTES_MAX, stop },
  );
  // Git warns, and ends well, when it leaves out what comes from a shallow repository.
  const isHere = (id: string) => existsSync(join(dir, KEEP, id));
  if (!ids.every(isHere)) throw new GitFailure('fetch', 0, stderr);
}

/** Whether a commit is in the mirror with all that it needs. */
export async function hasCommit(
  git: Git,
  mirror: Mirror,
  id: string,
  stop: () => CraError | null,
): Promise<boolean> {
  if (mirror.kept.has(id)) return true;
  // What git fetch itself asks: is all of it there that no ref vouches for?
  const args = ['rev-list', '--objects', '--quiet', '--end-of-options', id, '--not', '--all'];
  const env = localEnvironment(mirror.dir, mirror.format);
  try {
    await git.run(args, { env, bytesMax: GIT.ANSWER_BYTES_MAX, stop });
    return true;
  } catch (thrown) {
    if (thrown instanceof GitFailure) return false;
    throw thrown;
  }
}

/**
 * Keeps a mirror fast: joins small packs, puts refs into one file, and lets go of old refs. No
 * object is removed, so a commit whose ref went is found again without the host.
 */
export async function tidy(git: Git, mirror: Mirror, stop: () => CraError | null): Promise<void> {
  if (countPacks(mirror) <= GIT.PACKS_MAX) return;
  const options = {
    env: localEnvironment(mirror.dir, mirror.format),
    bytesMax: GIT.LIST_BYTES_MAX,
    stop,
  };
  if (mirror.kept.size > GIT.KEPT_MAX) {
    const newestFirst = ['--sort=-creatordate', '--format=%(refname)', KEEP];
    const { bytes } = await git.run(['for-each-ref', ...newestFirst], options);
    const old = bytes
      .toString('latin1')
      .split('\n')
      .filter(Boolean)
      .slice(GIT.KEPT_MAX / 2);
    const input = Buffer.from(old.map((name) => `delete ${name}\n`).join(''));
    await git.run(['update-ref', '--stdin'], { ...options, input });
    for (const name of old) mirror.kept.delete(name.slice(KEEP.length));
  }
  await git.run(['repack', '--quiet', '--geometric=2', '-d', '-n'], options);
  await git.run(['pack-refs', '--all'], options);
  await git.run(['commit-graph', 'write', '--reachable', '--split', '--no-progress'], options);
}

function countPacks({ dir }: Mirror): number {
  const packs = join(dir, 'objects', 'pack');
  if (!existsSync(packs)) return 0;
  return readdirSync(packs).filter((name) => name.endsWith('.pack')).length;
}
