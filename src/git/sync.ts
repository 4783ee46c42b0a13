import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyedMutex } from '../core/semaphore.ts';
import { FULL_SHA } from '../hosts/settings.ts';
import { CraError } from '../model/errors.ts';
import { isPullRequestRef } from '../model/push.ts';
import type { SyncInput, SyncOutput } from '../rpc/source-contract.ts';
import {
  type Address,
  checkIds,
  checkRefs,
  formatOf,
  localEnvironment,
  remoteEnvironment,
} from './environment.ts';
import { fetchCommits, fetchPullRequest } from './fetch.ts';
import { type Git, GitFailure, isDamage, unavailable } from './git.ts';
import { GIT } from './limits.ts';
import { KEEP, type Mirror, type Mirrors, sizeOf } from './mirrors.ts';

/** The parts of calls that speak to a host. */
export interface SyncParts {
  git: Git;
  mirrors: Mirrors;
  /** By `Address.key`: of one repository one call at a time. */
  mutex: KeyedMutex;
  /** Runs a task that calls the host of an address. */
  callHost<Result>(address: Address, task: (address: Address) => Promise<Result>): Promise<Result>;
}

type Stop = () => CraError | null;

/** The `sync` of the contract. */
export function createSync(parts: SyncParts): {
  sync(address: Address, input: SyncInput, stop: Stop): Promise<SyncOutput>;
} {
  return {
    sync(address, input, stop) {
      const { wants, refs } = input;
      checkIds(wants);
      checkRefs(refs);
      if (wants.length + refs.length > GIT.IDS_MAX) throw tooMany();
      return parts.mutex.use(address.key, () => syncNow(parts, address, input, stop));
    },
  };
}

async function syncNow(
  parts: SyncParts,
  address: Address,
  { wants, refs: names }: SyncInput,
  stop: Stop,
): Promise<SyncOutput> {
  const { git, mirrors } = parts;
  const refs = await attempt(address, () =>
    parts.callHost(address, (known) => readRefs(git, known, stop)),
  );
  if (refs instanceof CraError) return withoutHost(parts, address, wants, refs, stop);
  const pulls = names.filter(isPullRequestRef);
  const heads = names.map((name) => refs[name]).filter((id) => id !== undefined);
  const needed = [...new Set([...wants, ...heads])];
  const first = Object.values(refs)[0] ?? needed[0];
  if (first === undefined) return { refs, missing: [], problem: null };
  // A repository has ids of one kind; others are of no commit of it.
  const format = formatOf(first);
  const fitting = needed.filter((id) => formatOf(id) === format);
  let mirror = await mirrors.open(address, format, stop);
  try {
    const brought = await attempt(address, () =>
      bring(parts, mirror, { ids: fitting, pulls }, stop),
    );
    if (brought instanceof CraError) {
      return await withoutHost(parts, address, wants, brought, stop);
    }
    mirror = brought.mirror;
    Object.assign(refs, brought.heads);
    return { refs, missing: await missingOf(git, mirror, wants, stop), problem: null };
  } finally {
    await mirrors.leave(mirror);
  }
}

/** The error, where the host is to blame for it: what is in the mirror may do without. */
async function attempt<Result>(
  address: Address,
  task: () => Promise<Result>,
): Promise<Result | CraError> {
  try {
    return await task();
  } catch (thrown) {
    const error = unavailable(thrown, address);
    if (error.code !== 'UNAVAILABLE') throw error;
    return error;
  }
}

/** What the mirror has will do; UNAVAILABLE when it lacks anything. */
async function withoutHost(
  { git, mirrors }: SyncParts,
  address: Address,
  wants: readonly string[],
  error: CraError,
  stop: Stop,
): Promise<SyncOutput> {
  const [first] = wants;
  if (first !== undefined) {
    const mirror = await mirrors.open(address, formatOf(first), stop);
    const missing = await missingOf(git, mirror, wants, stop).finally(() => mirrors.leave(mirror));
    if (missing.length > 0) throw error;
  }
  return { refs: null, missing: [], problem: error.message };
}

async function missingOf(
  git: Git,
  mirror: Mirror,
  wants: readonly string[],
  stop: Stop,
): Promise<string[]> {
  const missing: string[] = [];
  for (const id of new Set(wants)) {
    const isHere = formatOf(id) === mirror.format && (await hasCommit(git, mirror, id, stop));
    if (!isHere) missing.push(id);
  }
  return missing;
}

/** Fetches what is missing, as `bring` does. Returns the mirror that holds it now. */
export async function bringCommits(
  parts: SyncParts,
  mirror: Mirror,
  ids: readonly string[],
  stop: Stop,
): Promise<Mirror> {
  return (await bring(parts, mirror, { ids, pulls: [] }, stop)).mirror;
}

/**
 * Fetches the heads of pull requests by the refs that their host keeps for them, which have the
 * commits of forks, and what else is missing. A mirror that turns out to be damaged is made again,
 * once. `heads`: where the refs stand; refs that the host does not have are left out.
 */
async function bring(
  parts: SyncParts,
  mirror: Mirror,
  { ids, pulls }: { ids: readonly string[]; pulls: readonly string[] },
  stop: Stop,
): Promise<{ mirror: Mirror; heads: Record<string, string> }> {
  const { git, mirrors } = parts;
  const heads: Record<string, string> = {};
  const fetchInto = async (target: Mirror) => {
    const stopOrFull = () => stop() ?? mirrors.checkSpace(target);
    await parts.callHost(target.address, async (address) => {
      const known = { ...target, address };
      for (const name of pulls) {
        const head = await fetchPullRequest(git, known, name, stopOrFull);
        if (head !== null) heads[name] = head;
      }
      await fetchCommits(git, known, ids, stopOrFull);
    });
    // A fetch that is over before it was looked at is refused all the same.
    const refusal = mirrors.checkSpace(target);
    if (refusal !== null) throw refusal;
  };
  try {
    await fetchInto(mirror);
  } catch (thrown) {
    if (!(thrown instanceof GitFailure) || !isDamage(thrown)) throw thrown;
    const fresh = await mirrors.remake(mirror, stop);
    await fetchInto(fresh);
    return { mirror: fresh, heads };
  }
  await tidy(git, mirror, stop).catch((thrown: unknown) => {
    // An untidy mirror is slow, not wrong. A damaged one is found when it is read.
    if (!(thrown instanceof GitFailure)) throw thrown;
  });
  return { mirror, heads };
}

function tooMany(): CraError {
  const reason = `at most ${GIT.IDS_MAX} commits and refs can be asked for at once`;
  return new CraError('INVALID_ARGUMENT', reason, { details: { reason } });
}

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

/** Whether a commit is in the mirror with all that it needs. */
export async function hasCommit(
  git: Git,
  mirror: Mirror,
  id: string,
  stop: () => CraError | null,
): Promise<boolean> {
  if (mirror.kept.has(id)) return true;
  // What git fetch itself asks: is all of it there that no ref reaches?
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
async function tidy(git: Git, mirror: Mirror, stop: () => CraError | null): Promise<void> {
  const isFull = countPacks(mirror) > GIT.PACKS_MAX;
  if (!isFull && !lacksGraph(mirror)) return;
  const options = {
    env: localEnvironment(mirror.dir, mirror.format),
    bytesMax: GIT.LIST_BYTES_MAX,
    stop,
  };
  // Ancestry of 200,000 commits takes a sixth with it. Filters of changed paths would cost ten
  // times as much, and nothing here asks for the commits of a path (bench/results/scale.md).
  const graph = ['commit-graph', 'write', '--reachable', '--split', '--no-progress'];
  if (!isFull) return void (await git.run(graph, options));
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
  await git.run(['repack', '--quiet', '--geometric=2', '-d', '-n', '-l'], options);
  await git.run(['pack-refs', '--all'], options);
  await git.run(graph, options);
}

/** A large mirror, or a mirror that borrows from another repository, before its first graph. */
function lacksGraph({ dir, alternate }: Mirror): boolean {
  if (existsSync(join(dir, 'objects', 'info', 'commit-graphs'))) return false;
  return alternate !== null || sizeOf(join(dir, 'objects', 'pack')) >= GIT.GRAPH_PACK_BYTES_MIN;
}

function countPacks({ dir }: Mirror): number {
  const packs = join(dir, 'objects', 'pack');
  if (!existsSync(packs)) return 0;
  return readdirSync(packs).filter((name) => name.endsWith('.pack')).length;
}
