import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CraError } from '../model/errors.ts';
import { type Address, formatOf, HARMLESS, localEnvironment, PLAIN } from './environment.ts';
import { FETCH, packsIn } from './fetch.ts';
import { createGit, type Git, GitFailure, reasonOf } from './git.ts';
import { createGroups } from './launcher.ts';
import { GIT } from './limits.ts';
import { initBare, keepIn, mirrorName, openMirrorDirectory, sizeOf } from './mirrors.ts';

/** Takes a folder for this process; it ends with the process. FAILED_PRECONDITION: it is taken. */
type Lock = (folder: string) => { release(): void };

export interface ImportOptions {
  /** Of all mirrors. */
  directory: string;
  address: Address;
  /** A file of `git bundle create FILE --all`. */
  bundle: string;
  /** All mirrors together. */
  bytesMax: number;
  lock: Lock;
  /** Asked regularly: an error ends the import. Is given the bytes that are received. */
  onProgress(bytes: number): CraError | null;
}

/**
 * Makes the mirror of a repository from a bundle; it is there as a whole or not at all, so a daemon
 * may run. Throws FAILED_PRECONDITION for a file that is not a whole bundle or holds what a fetch
 * refuses, and while another import of the repository runs, ALREADY_EXISTS for a repository that
 * has a mirror, OUT_OF_RANGE and RESOURCE_EXHAUSTED where it has no room.
 */
export async function importBundle(
  options: ImportOptions,
): Promise<{ dir: string; bytes: number; refs: number }> {
  const { address, bundle } = options;
  const directory = openMirrorDirectory(options.directory);
  if (!statSync(bundle, { throwIfNoEntry: false })?.isFile()) {
    throw new CraError('NOT_FOUND', `there is no file ${bundle}`);
  }
  // Beside the mirrors: a daemon that starts removes what it does not know among them.
  removeStoppedImports(dirname(directory), options.lock);
  const folder = join(dirname(directory), `import-${address.key}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = options.lock(folder);
  const fresh = join(folder, 'mirror.git');
  const git = createGit(directory, createGroups());
  try {
    const { ids, format } = await readHeads(git, bundle);
    const dir = join(directory, mirrorName(address, format));
    if (existsSync(dir)) throw alreadyThere(dir);
    await checkRoom(bundle, directory, options.bytesMax);
    const stop = () => options.onProgress(existsSync(fresh) ? sizeOf(fresh) : 0);
    await initBare(git, fresh, format, stop);
    await fetchBundle(git, { gitDir: fresh, format, bundle }, stop);
    await checkObjects(git, { gitDir: fresh, format, bundle }, stop);
    await keepIn(git, fresh, await newestHeads(git, fresh, format), () => null);
    if (existsSync(dir)) throw alreadyThere(dir);
    renameSync(fresh, dir);
    return { dir, bytes: sizeOf(dir), refs: ids.length };
  } finally {
    await git.close();
    rmSync(folder, { recursive: true, force: true });
    lock.release();
  }
}

const IMPORT = /^import-[0-9a-f]{64}$/;

/** Removes what imports left in a data directory that were killed; running ones hold their lock. */
export function removeStoppedImports(dataDir: string, lock: Lock): void {
  for (const name of readdirSync(dataDir).filter((each) => IMPORT.test(each))) {
    const folder = join(dataDir, name);
    try {
      const held = lock(folder);
      rmSync(folder, { recursive: true, force: true });
      held.release();
    } catch (thrown) {
      // It runs, or has just ended by itself.
      if (existsSync(folder) && !(thrown instanceof CraError)) throw thrown;
    }
  }
}

type Format = ReturnType<typeof formatOf>;
type Stop = () => CraError | null;

/** The commits of the branches and tags of a bundle. */
async function readHeads(git: Git, bundle: string): Promise<{ ids: string[]; format: Format }> {
  const options = { env: PLAIN, bytesMax: GIT.LIST_BYTES_MAX, stop: () => null };
  const listed = await git.run(['bundle', 'list-heads', bundle], options).catch((thrown) => {
    throw notWhole(bundle, thrown, 'is not a bundle of git');
  });
  const lines = listed.bytes.toString('utf8').split('\n');
  const ids = lines
    .filter((line) => / refs\/(?:heads|tags)\//.test(line))
    .map((line) => {
      return line.slice(0, line.indexOf(' '));
    });
  const [first] = ids;
  if (first === undefined) throw notWhole(bundle, null, 'holds no branches and tags');
  return { ids, format: formatOf(first) };
}

interface Fresh {
  gitDir: string;
  format: Format;
  bundle: string;
}

async function fetchBundle(git: Git, fresh: Fresh, stop: Stop): Promise<void> {
  const { gitDir, format, bundle } = fresh;
  const env = { ...localEnvironment(gitDir, format), GIT_ALLOW_PROTOCOL: 'file' };
  const refspecs = ['heads', 'tags'].map((kind) => `+refs/${kind}/*:${IMPORTED}/${kind}/*`);
  const args = [...FETCH, '--no-write-fetch-head', '--end-of-options', bundle, ...refspecs];
  try {
    await git.run(args, { env, bytesMax: GIT.ANSWER_BYTES_MAX, stop });
  } catch (thrown) {
    throw notWhole(bundle, thrown, thrown instanceof GitFailure ? problemOf(thrown) : '');
  }
}

/** Looks at objects as a fetch does: git 2.39 reads bundles without `fetch.fsckObjects`. */
async function checkObjects(git: Git, fresh: Fresh, stop: Stop): Promise<void> {
  const { gitDir, format, bundle } = fresh;
  const options = { env: localEnvironment(gitDir, format), bytesMax: GIT.ANSWER_BYTES_MAX, stop };
  // A name of a message that this version does not have would be an error.
  const listed = await git.run(['help', '--config-for-completion'], options);
  const known = new Set(listed.bytes.toString('latin1').toLowerCase().split('\n'));
  const harmless = HARMLESS.filter((name) => known.has(`fsck.${name.toLowerCase()}`));
  const strict = `--strict=${harmless.map((name) => `${name}=ignore`).join(',')}`;
  const packs = join(gitDir, 'objects', 'pack');
  for (const name of packsIn(packs)) {
    const args = ['index-pack', '--verify', strict, join(packs, name)];
    await git.run(args, options).catch((thrown) => {
      throw notWhole(bundle, thrown, thrown instanceof GitFailure ? problemOf(thrown) : '');
    });
  }
}

/** What git says of a bundle, in our words. */
function problemOf({ stderr }: GitFailure): string {
  const [, id, flaw] = /object ([0-9a-f]{40,64}): (\w+):/.exec(stderr) ?? [];
  if (flaw !== undefined) return `holds a malformed object (${flaw} in ${id})`;
  if (/prerequisite/.test(stderr)) return 'needs commits that are not in it';
  if (/early EOF|index-pack (?:failed|died)/.test(stderr)) return 'is cut off or damaged';
  return `cannot be imported (${reasonOf(stderr, [])})`;
}

/** Where the refs of a bundle are until their commits are kept. */
const IMPORTED = 'refs/import';

/** The newest heads, whose names go: mirrors keep commits by their ids. */
async function newestHeads(git: Git, gitDir: string, format: Format): Promise<string[]> {
  const options = {
    env: localEnvironment(gitDir, format),
    bytesMax: GIT.LIST_BYTES_MAX,
    stop: () => null,
  };
  const args = ['for-each-ref', '--sort=-creatordate', '--format=%(objectname) %(refname)'];
  const { bytes } = await git.run([...args, IMPORTED], options);
  const refs = bytes.toString('utf8').split('\n').filter(Boolean);
  const input = Buffer.from(
    refs.map((line) => `delete ${line.slice(line.indexOf(' ') + 1)}\n`).join(''),
  );
  await git.run(['update-ref', '--stdin'], { ...options, input });
  const ids = refs.map((line) => line.slice(0, line.indexOf(' ')));
  return [...new Set(ids)].slice(0, GIT.KEPT_MAX / 2);
}

/** A pack with its index takes somewhat more than the bundle. */
const INDEX_SHARE = 0.2;

async function checkRoom(bundle: string, directory: string, bytesMax: number): Promise<void> {
  const bytes = statSync(bundle).size * (1 + INDEX_SHARE);
  if (bytes > bytesMax) {
    const gib = Math.ceil(bytes / 2 ** 30);
    throw new CraError(
      'OUT_OF_RANGE',
      `the bundle needs ${gib} GiB, all mirrors may take ${Math.floor(bytesMax / 2 ** 30)}: set mirror_gib higher (SERVICE_VCS_CONFIG)`,
    );
  }
  const { bavail, bsize } = await statfs(directory);
  if (bytes <= bavail * bsize) return;
  throw new CraError(
    'RESOURCE_EXHAUSTED',
    `the bundle needs ${Math.ceil(bytes / 2 ** 20)} MiB, ${directory} has ${Math.floor((bavail * bsize) / 2 ** 20)} MiB left`,
  );
}

function notWhole(bundle: string, thrown: unknown, problem: string): CraError {
  if (thrown instanceof CraError) return thrown;
  const how = 'make it with git bundle create FILE --all';
  return new CraError('FAILED_PRECONDITION', `${bundle} ${problem}; ${how}`, { cause: thrown });
}

function alreadyThere(dir: string): CraError {
  return new CraError(
    'ALREADY_EXISTS',
    `the repository has a mirror: stop the service, remove ${dir}, and import again`,
  );
}
