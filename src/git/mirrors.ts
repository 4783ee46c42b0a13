import {
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CraError } from '../model/errors.ts';
import { alternateOf, borrow, checkAlternate, findAlternate } from './alternate.ts';
import { type Address, formatOf, localEnvironment, type ObjectFormat } from './environment.ts';
import { type Git, GitFailure, type GitOutput } from './git.ts';
import { GIT } from './limits.ts';

/** A bare repository of ours with the commits that were fetched from a host. */
export interface Mirror {
  readonly dir: string;
  readonly address: Address;
  readonly format: ObjectFormat;
  /**
   * Commits that are there with all that they need, each under a ref of its own. An object that
   * is there without one may lack what it refers to.
   */
  readonly kept: Set<string>;
  /** The repository that it borrows objects from; null: it has them all. */
  readonly alternate: string | null;
}

/** All mirrors and their sizes. A caller that uses one holds the mutex of its repository. */
export interface Mirrors {
  /**
   * The mirror of a repository, made where it is absent. OUT_OF_RANGE: it did not fit lately.
   * UNAVAILABLE: the repository that it borrows from cannot be read.
   */
  open(address: Address, format: ObjectFormat, stop: () => CraError | null): Promise<Mirror>;
  /** Removes a damaged mirror and makes an empty one. */
  remake(mirror: Mirror, stop: () => CraError | null): Promise<Mirror>;
  /** To be asked while a mirror grows: OUT_OF_RANGE when it alone is above the limit. */
  checkSpace(mirror: Mirror): CraError | null;
  /** Ends a use: removes what killed commands left, and other mirrors when the space is used up. */
  leave(mirror: Mirror): Promise<void>;
}

export interface MirrorsOptions {
  git: Git;
  /** Of `openMirrorDirectory`. */
  directory: string;
  bytesMax: number;
  /** Whether somebody uses or waits for the mirrors of this `Address.key`. */
  isBusy(key: string): boolean;
}

/** Refs that keep needed commits, one for each commit, apart from the names of the host. */
export const KEEP = 'refs/cra/keep/';

const MIRROR_NAME = /^([0-9a-f]{64})(?:-sha256)?\.git$/;

/** Makes the directory (0700) where it is absent, and names it without links. */
export function openMirrorDirectory(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return realpathSync(path);
}

/** Opens the mirrors of a directory; removes what else is in it. */
export function createMirrors(options: MirrorsOptions): Mirrors {
  const { git, directory, bytesMax } = options;
  const isBusy = (name: string) => options.isBusy(keyOf(name));
  const space = createMirrorSpace(bytesMax, readUses(directory), isBusy);
  const opened = new Map<string, Mirror>();
  let removals = 0;

  async function open(address: Address, format: ObjectFormat, stop: () => CraError | null) {
    const name = mirrorName(address, format);
    const refusal = space.refusal(name);
    if (refusal !== null) throw refusal;
    const dir = join(directory, name);
    const known = opened.get(name);
    if (known !== undefined && existsSync(dir)) {
      if (known.alternate !== null) await checkAlternate(known.alternate, address);
      return known;
    }
    removeLeftovers(dir);
    const fresh = { dir, format, alternate: await findAlternate(address) };
    const borrowed = await alternateOf(dir);
    if (borrowed !== null && borrowed !== fresh.alternate) {
      // Without a setting it must have all objects itself.
      if (address.host.mirrorPath !== undefined) await checkAlternate(borrowed, address);
      await remove(name);
    }
    if (!existsSync(dir)) await initMirror(git, fresh, stop);
    const kept = await readKept(git, dir, format, stop).catch(async (thrown: unknown) => {
      if (!(thrown instanceof GitFailure)) throw thrown;
      // Not even its refs can be read.
      await remove(name);
      await initMirror(git, fresh, stop);
      return readKept(git, dir, format, stop);
    });
    const mirror = { dir, address, format, kept, alternate: await alternateOf(dir) };
    opened.set(name, mirror);
    return mirror;
  }

  async function remove(name: string): Promise<void> {
    space.forget(name);
    opened.delete(name);
    const dir = join(directory, name);
    if (!existsSync(dir)) return;
    // Its name is free at once, however long it takes to go.
    const gone = join(directory, `gone-${removals++}`);
    renameSync(dir, gone);
    await rm(gone, { recursive: true, force: true });
  }

  return {
    open,
    async remake(mirror, stop) {
      if (mirror.alternate !== null) await checkAlternate(mirror.alternate, mirror.address);
      await remove(basename(mirror.dir));
      return open(mirror.address, mirror.format, stop);
    },
    checkSpace: ({ dir }) => space.note(basename(dir), sizeOf(join(dir, 'objects', 'pack'))),
    async leave({ dir }) {
      const name = basename(dir);
      if (!existsSync(dir)) return;
      // A mirror that just failed to fit takes no room from the others.
      if (space.refusal(name) !== null) return remove(name);
      removeLeftovers(dir);
      if (space.note(name, sizeOf(dir)) !== null) return remove(name);
      utimesSync(dir, new Date(), new Date());
      for (const other of space.surplus()) await remove(other);
    },
  };
}

/** The name of a mirror in its directory. */
export function mirrorName({ key }: Address, format: ObjectFormat): string {
  return `${key}${format === 'sha256' ? '-sha256' : ''}.git`;
}

function keyOf(name: string): string {
  return MIRROR_NAME.exec(name)?.[1] ?? '';
}

/** What earlier starts left: mirrors with their sizes; everything else was on its way out. */
function readUses(directory: string): Map<string, ReturnType<typeof readUse>> {
  const uses = new Map<string, ReturnType<typeof readUse>>();
  for (const name of readdirSync(directory)) {
    const dir = join(directory, name);
    if (MIRROR_NAME.test(name)) {
      removeLeftovers(dir);
      uses.set(name, readUse(dir));
    } else {
      rmSync(dir, { recursive: true, force: true });
    }
  }
  return uses;
}

/** Made under another name, so that it is there as a whole or not at all. */
async function initMirror(
  git: Git,
  { dir, format, alternate }: Pick<Mirror, 'dir' | 'format' | 'alternate'>,
  stop: () => CraError | null,
): Promise<void> {
  const fresh = `${dir}.new`;
  await initBare(git, fresh, format, stop);
  if (alternate !== null) {
    await keepIn(git, fresh, await borrow(git, fresh, { alternate, format }, stop), stop);
  }
  renameSync(fresh, dir);
}

/** Makes an empty bare repository; what was at that path is removed. */
export async function initBare(
  git: Git,
  dir: string,
  format: ObjectFormat,
  stop: () => CraError | null,
): Promise<void> {
  rmSync(dir, { recursive: true, force: true });
  const args = ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, dir];
  const { GIT_DIR: _, ...env } = localEnvironment(dir, format);
  await git.run(args, { env, bytesMax: GIT.ANSWER_BYTES_MAX, stop });
  mkdirSync(join(dir, 'info'));
  mkdirSync(join(dir, 'objects', 'info'), { recursive: true });
}

/** Gives commits that are in a repository a ref each. */
export async function keepIn(
  git: Git,
  gitDir: string,
  ids: readonly string[],
  stop: () => CraError | null,
): Promise<void> {
  const env = localEnvironment(gitDir, formatOf(ids[0] ?? ''));
  const input = Buffer.from(ids.map((id) => `update ${KEEP}${id} ${id}\n`).join(''));
  await git.run(['update-ref', '--stdin'], { env, bytesMax: GIT.ANSWER_BYTES_MAX, input, stop });
}

async function readKept(
  git: Git,
  dir: string,
  format: ObjectFormat,
  stop: () => CraError | null,
): Promise<Set<string>> {
  const args = ['for-each-ref', '--format=%(refname)', KEEP];
  const env = localEnvironment(dir, format);
  const { bytes } = await git.run(args, { env, bytesMax: GIT.LIST_BYTES_MAX, stop });
  const names = bytes.toString('latin1').split('\n').filter(Boolean);
  return new Set(names.map((name) => name.slice(KEEP.length)));
}

/** Files that a killed command leaves: locks, and packs and objects that are not whole. */
const LEFTOVER = /\.lock$|^tmp_|^\.tmp-|^incoming-|^pack-[0-9a-f]+\.keep$|^gc\.pid$/;

/**
 * Removes the files that killed commands left in a mirror. No command may be using it: a lock that
 * is there then has lost its owner.
 */
function removeLeftovers(gitDir: string): void {
  if (existsSync(gitDir)) removeBelow(gitDir);
}

function removeBelow(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (LEFTOVER.test(entry.name)) rmSync(path, { recursive: true, force: true });
    else if (entry.isDirectory()) removeBelow(path);
  }
}

/** The disk space of the mirrors of a directory, and which of them has to go. */
interface MirrorSpace {
  /** OUT_OF_RANGE for a mirror that did not fit lately, else null. */
  refusal(name: string): CraError | null;
  /** Notes how large a mirror is now; OUT_OF_RANGE when it alone is above the limit. */
  note(name: string, bytes: number): CraError | null;
  forget(name: string): void;
  /** Mirrors to remove so that the others fit: the least recently used that are not busy. */
  surplus(): string[];
}

interface Use {
  bytes: number;
  usedAt: number;
}

/** Space for so many bytes; `uses` are the mirrors that are there already. */
function createMirrorSpace(
  bytesMax: number,
  uses: Map<string, Use>,
  isBusy: (name: string) => boolean,
): MirrorSpace {
  const retryAt = new Map<string, number>();
  return {
    refusal: (name) => ((retryAt.get(name) ?? 0) > Date.now() ? tooLarge(bytesMax) : null),
    note(name, bytes) {
      uses.set(name, { bytes, usedAt: Date.now() });
      if (bytes <= bytesMax) return null;
      retryAt.set(name, Date.now() + GIT.TOO_LARGE_MS);
      return tooLarge(bytesMax);
    },
    forget: (name) => void uses.delete(name),
    surplus() {
      const byAge = [...uses].sort(([, one], [, other]) => one.usedAt - other.usedAt);
      let total = byAge.reduce((sum, [, { bytes }]) => sum + bytes, 0);
      const names: string[] = [];
      for (const [name, { bytes }] of byAge) {
        if (total <= bytesMax) break;
        if (isBusy(name)) continue;
        total -= bytes;
        names.push(name);
      }
      return names;
    },
  };
}

/** The mirror of that name and size, as it was left by an earlier start. */
function readUse(dir: string): Use {
  return { bytes: sizeOf(dir), usedAt: statSync(dir).mtimeMs };
}

/** Bytes of all files below a directory; what vanishes meanwhile counts nothing. */
export function sizeOf(directory: string): number {
  let bytes = 0;
  for (const entry of entriesOf(directory)) {
    const path = join(directory, entry.name);
    bytes += entry.isDirectory() ? sizeOf(path) : fileSize(path);
  }
  return bytes;
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

function fileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function tooLarge(bytesMax: number): CraError {
  const mib = Math.floor(bytesMax / (1024 * 1024));
  const reason = `the repository does not fit into the ${mib} MiB that all mirrors may take`;
  return new CraError('OUT_OF_RANGE', reason, { details: { reason } });
}

/** What git writes stays out of the mirror, in `scratch`. */
export function scratchObjects({ dir }: Mirror, scratch: string): Record<string, string> {
  return {
    GIT_OBJECT_DIRECTORY: scratch,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: join(dir, 'objects'),
  };
}

/** The two ends of a change; their ids are in the mirror's format. */
export interface Range {
  /** Null: the empty tree. */
  base: string | null;
  head: string;
}

/** A command that reads one mirror. */
export type Read = (args: readonly string[], options?: ReadOptions) => Promise<GitOutput>;

interface ReadOptions {
  bytesMax?: number;
  cut?: boolean;
  input?: Buffer;
  /** The command is ended after so long (ms). */
  withinMs?: number;
}

/** Runs commands in one mirror until `stop` says so; each within its own time, where it has one. */
export function createRead(git: Git, { dir, format }: Mirror, stop: () => CraError | null): Read {
  const env = localEnvironment(dir, format);
  return (args, { withinMs, ...options } = {}) => {
    const endsAt = performance.now() + (withinMs ?? 0);
    const isLate = () => (performance.now() < endsAt ? null : timedOut());
    const ownStop = withinMs === undefined ? stop : () => stop() ?? isLate();
    return git.run(args, { env, bytesMax: GIT.ANSWER_BYTES_MAX, ...options, stop: ownStop });
  };
}

function timedOut(): CraError {
  return new CraError('DEADLINE_EXCEEDED', 'git did not end within its time', {
    details: { reason: 'git did not end within its time', isOwn: true },
  });
}

/** Whether a command was ended after its own time, not after that of the call. */
export function isTimeout(thrown: unknown): boolean {
  return thrown instanceof CraError && thrown.details['isOwn'] === true;
}
