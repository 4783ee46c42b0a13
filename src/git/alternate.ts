import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { VcsHost } from '../hosts/settings.ts';
import { CraError } from '../model/errors.ts';
import { type Address, formatOf, localEnvironment, type ObjectFormat } from './environment.ts';
import type { Git } from './git.ts';
import { GIT } from './limits.ts';

/**
 * A bare repository that an operator keeps below `mirror_path` of a host. A mirror borrows its
 * objects (git's alternates) and fetches from the host what it lacks; it is only read.
 */

type Stop = () => CraError | null;

/**
 * Path of the repository that lends to the mirror of this address; null: the host has no
 * `mirror_path`, or no such repository in it. UNAVAILABLE where it cannot be read, is shallow or a
 * partial clone.
 */
export async function findAlternate({ host, repo }: Address): Promise<string | null> {
  const { mirrorPath } = host;
  if (mirrorPath === undefined) return null;
  const path = join(mirrorPath, `${repo}.git`);
  const read = (folder: string) => look(mirrorPath, path, () => readdir(folder));
  const names = await read(path).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return null;
    throw thrown instanceof CraError ? thrown : unusable(path, 'cannot be read', thrown);
  });
  if (names === null) return null;
  const packs = await read(join(path, 'objects', 'pack')).catch((thrown) => {
    throw thrown instanceof CraError ? thrown : unusable(path, 'is not a bare repository', thrown);
  });
  if (names.includes('shallow')) throw unusable(path, 'is shallow: it lacks older commits');
  if (packs.some((name) => name.endsWith('.promisor'))) {
    throw unusable(path, 'is a partial clone: it lacks files');
  }
  return path;
}

/** Warnings about each `mirror_path` of the settings; the start does not wait for them. */
export async function mirrorPathWarnings(hosts: readonly VcsHost[]): Promise<string[]> {
  const problems = hosts.map(({ mirrorPath }) => (mirrorPath ? problemOfFolder(mirrorPath) : null));
  return (await Promise.all(problems)).flatMap((problem, index) =>
    problem === null ? [] : [`SERVICE_VCS_CONFIG hosts[${index}].mirror_path ${problem}`],
  );
}

async function problemOfFolder(path: string): Promise<string | null> {
  try {
    const found = await look(path, path, () => stat(path));
    if (!found.isDirectory()) return 'is not a folder';
    return (found.mode & 0o002) === 0 ? null : 'can be written by everybody: the gates trust it';
  } catch {
    return 'cannot be read: new mirrors fetch everything from the host';
  }
}

/** What a mirror borrows from; null: nothing. */
export async function alternateOf(gitDir: string): Promise<string | null> {
  const text = await readFile(alternatesOf(gitDir), 'utf8').catch(() => '');
  return text.endsWith(OBJECTS) ? text.slice(0, -OBJECTS.length) : null;
}

/** UNAVAILABLE while the repository that a mirror borrows from is not there. */
export async function checkAlternate(alternate: string, { repo }: Address): Promise<void> {
  const mirrorPath = alternate.slice(0, -`/${repo}.git`.length);
  const find = () => stat(join(alternate, 'objects', 'pack'));
  const isThere = await look(mirrorPath, alternate, find).catch((thrown) => {
    if (thrown instanceof CraError) throw thrown;
    return false;
  });
  if (isThere === false) throw unusable(alternate, 'is gone, and its mirror borrows from it');
}

/**
 * Lets a new mirror borrow; answers the heads of its branches, the newest first, which are there
 * with all that they need.
 */
export async function borrow(
  git: Git,
  gitDir: string,
  { alternate, format }: { alternate: string; format: ObjectFormat },
  stop: Stop,
): Promise<string[]> {
  const newest = ['--sort=-creatordate', `--count=${GIT.KEPT_MAX / 2}`];
  const args = ['for-each-ref', ...newest, '--format=%(objectname)', 'refs/heads'];
  const options = { env: localEnvironment(alternate, format), bytesMax: GIT.LIST_BYTES_MAX, stop };
  const { bytes } = await git.run(args, options);
  const heads = [...new Set(bytes.toString('latin1').split('\n').filter(Boolean))];
  if (heads.some((id) => formatOf(id) !== format)) {
    throw unusable(alternate, 'names its objects in another format than the host');
  }
  await writeFile(alternatesOf(gitDir), `${alternate}${OBJECTS}`);
  return heads;
}

/** https://git-scm.com/docs/gitrepository-layout: a line each; ours is the only one. */
const alternatesOf = (gitDir: string) => join(gitDir, 'objects', 'info', 'alternates');
const OBJECTS = '/objects\n';

/**
 * Looks into folders of a file system of the network, which may not answer for as long as it likes:
 * a look is given up after `ms`. As it then still holds a thread of the process, there is one look
 * at a time below each `mirrorPath`, and none while one hangs: UNAVAILABLE, as for one given up.
 */
export function createLooks(ms: number) {
  const running = new Map<string, Promise<unknown>>();
  return async function look<Result>(
    mirrorPath: string,
    path: string,
    ask: () => Promise<Result>,
  ): Promise<Result> {
    const silent = () => unusable(path, 'does not answer');
    for (let other = running.get(mirrorPath); other; other = running.get(mirrorPath)) {
      await other.catch(() => Promise.reject(silent()));
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(silent()), ms);
    });
    const asked = ask();
    const ended = asked.then(
      () => running.delete(mirrorPath),
      () => running.delete(mirrorPath),
    );
    const inTime = Promise.race([ended, late]);
    // Refuses the looks that come while this one hangs, if any come.
    inTime.catch(() => undefined);
    running.set(mirrorPath, inTime);
    return await Promise.race([asked, late]).finally(() => clearTimeout(timer));
  };
}

const look = createLooks(GIT.ALTERNATE_MS);

function unusable(path: string, problem: string, cause?: unknown): CraError {
  const reason = `the repository ${path} (mirror_path) ${problem}`;
  return new CraError('UNAVAILABLE', reason, { details: { reason }, cause });
}
