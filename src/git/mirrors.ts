import {
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  utimesSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { GIT } from '../limits.ts';
import type { CraError } from '../model/errors.ts';
import type { Address } from './address.ts';
import { localEnvironment } from './environment.ts';
import { type Git, GitFailure } from './git.ts';
import { createMirrorSpace, readUse, sizeOf } from './mirror-space.ts';
import type { ObjectFormat } from './object-format.ts';

/** A bare repository of ours that has what was fetched of one on a host. */
export interface Mirror {
  readonly dir: string;
  readonly address: Address;
  readonly format: ObjectFormat;
  /**
   * Commits that are there with all that they need, each under a ref of its own. An object that
   * is there without one may lack what it refers to.
   */
  readonly kept: Set<string>;
}

/** All mirrors and their sizes. A caller that uses one holds the mutex of its repository. */
export interface Mirrors {
  /** The mirror of a repository, made where it is absent. OUT_OF_RANGE: it did not fit lately. */
  open(address: Address, format: ObjectFormat, stop: () => CraError | null): Promise<Mirror>;
  /** Removes a damaged mirror and makes an empty one. */
  remake(mirror: Mirror, stop: () => CraError | null): Promise<Mirror>;
  /** To be asked while a mirror grows: OUT_OF_RANGE when it alone is above the limit. */
  checkSpace(mirror: Mirror): CraError | null;
  /** Ends a use: what a killed command left goes, and others go where there is no room for all. */
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

/** Refs that keep what is needed, one for each commit, hidden from everybody's names. */
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
    const name = `${address.key}${format === 'sha256' ? '-sha256' : ''}.git`;
    const refusal = space.refusal(name);
    if (refusal !== null) throw refusal;
    const dir = join(directory, name);
    const known = opened.get(name);
    if (known !== undefined && existsSync(dir)) return known;
    removeLeftovers(dir);
    if (!existsSync(dir)) await initMirror(git, dir, format, stop);
    const kept = await readKept(git, dir, format, stop).catch(async (thrown: unknown) => {
      if (!(thrown instanceof GitFailure)) throw thrown;
      // Not even its refs can be read.
      await remove(name);
      await initMirror(git, dir, format, stop);
      return new Set<string>();
    });
    const mirror = { dir, address, format, kept };
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
      await remove(basename(mirror.dir));
      return open(mirror.address, mirror.format, stop);
    },
    checkSpace: ({ dir }) => space.note(basename(dir), sizeOf(join(dir, 'objects', 'pack'))),
    async leave({ dir }) {
      const name = basename(dir);
      if (!existsSync(dir)) return;
      // One that just failed to fit takes no room from the others.
      if (space.refusal(name) !== null) return remove(name);
      removeLeftovers(dir);
      if (space.note(name, sizeOf(dir)) !== null) return remove(name);
      utimesSync(dir, new Date(), new Date());
      for (const other of space.surplus()) await remove(other);
    },
  };
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
  dir: string,
  format: ObjectFormat,
  stop: () => CraError | null,
): Promise<void> {
  const fresh = `${dir}.new`;
  rmSync(fresh, { recursive: true, force: true });
  const args = ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, fresh];
  const { GIT_DIR: _, ...env } = localEnvironment(fresh, format);
  await git.run(args, { env, bytesMax: GIT.ANSWER_BYTES_MAX, stop });
  mkdirSync(join(fresh, 'info'));
  renameSync(fresh, dir);
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
