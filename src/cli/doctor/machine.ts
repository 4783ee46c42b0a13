import { existsSync, readdirSync, readFileSync, type Stats, statfsSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PIPELINE } from '../../analysis/limits.ts';
import type { Config } from '../../daemon/config/config.ts';
import { PLAIN } from '../../git/environment.ts';
import { createGit, findVersion } from '../../git/git.ts';
import { createGroups } from '../../git/launcher.ts';
import { HTTP } from '../../http/server/limits.ts';
import { CraError } from '../../model/errors.ts';
import { type Check, failure, ok, skipped, warning } from './check.ts';

/** The same parts of a disk as the alerts CraDiskFilling and CraDiskFull. */
const DISK_FREE_WARNING = 0.1;
const DISK_FREE_FAILURE = 0.03;
const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** The disk below a folder, or below the nearest one above it that is there. */
export function checkDisk(dataDir: string): Check {
  let place = dataDir;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  const { bavail, blocks, bsize, ffree, files } = statfsSync(place);
  const free = blocks === 0 ? 1 : bavail / blocks;
  // Some file systems count no inodes.
  const nodes = files === 0 ? 1 : ffree / files;
  const says = `${size(bavail * bsize)} of ${size(blocks * bsize)} are free below ${place}`;
  const advice =
    'free space, move SERVICE_DATA_DIR to a larger disk, or lower mirror_gib of SERVICE_VCS_CONFIG; cra size computes the need';
  if (nodes < DISK_FREE_FAILURE) return failure('disk', `${says}, but hardly an inode`, advice);
  if (free < DISK_FREE_FAILURE) return failure('disk', says, advice);
  return free < DISK_FREE_WARNING ? warning('disk', says, advice) : ok('disk', says);
}

function size(bytes: number): string {
  return bytes < GIB ? `${(bytes / MIB).toFixed(0)} MiB` : `${(bytes / GIB).toFixed(1)} GiB`;
}

/** Rights of group and others. */
const OTHERS = 0o077;

/** Whether only the service can read its data, and can itself. Changes nothing. */
export function checkDataDir(dataDir: string): Check {
  const name = 'data directory';
  const found = statSync(dataDir, { throwIfNoEntry: false });
  if (found === undefined) return ok(name, `${dataDir} is not there yet: the first start makes it`);
  if (!found.isDirectory()) {
    return failure(name, `${dataDir} is a file`, 'name a directory in SERVICE_DATA_DIR');
  }
  const user = process.geteuid?.() ?? 0;
  const owner = `user ${found.uid}`;
  if (user !== 0 && user !== found.uid) {
    const advice = `run the service and cra doctor as ${owner}, or change the owner (chown -R)`;
    return failure(name, `${dataDir} belongs to ${owner}, and this is user ${user}`, advice);
  }
  const entries = readdirSync(dataDir).map((entry) => join(dataDir, entry));
  const keys = join(dataDir, 'keys');
  if (existsSync(keys)) entries.push(...readdirSync(keys).map((entry) => join(keys, entry)));
  const stats = entries.map((path) => ({ path, stat: statSync(path, { throwIfNoEntry: false }) }));
  const foreign = stats.find(({ stat }) => stat !== undefined && stat.uid !== found.uid);
  if (foreign !== undefined) {
    const says = `${foreign.path} belongs to user ${foreign.stat?.uid}, not to ${owner}`;
    return failure(name, says, `chown -R ${found.uid} ${dataDir}`);
  }
  const open = stats.find(({ path, stat }) => dirname(path) === keys && isOpen(stat));
  if (open !== undefined) {
    return failure(name, `others can read the key ${open.path}`, `chmod -R go= ${dataDir}`);
  }
  if (isOpen(found)) {
    return warning(name, `others can enter ${dataDir}`, `chmod go= ${dataDir}`);
  }
  return ok(name, `${dataDir} belongs to ${owner} alone`);
}

function isOpen(stat: Stats | undefined): boolean {
  return stat !== undefined && (stat.mode & OTHERS) !== 0;
}

/** Files that a daemon has open beside connections: store, mirrors, threads, children. */
const OWN_FILES = 1_000;

/** Open files, of the daemon that runs on this data directory or else of this shell. */
export function checkOpenFiles(dataDir: string): Check {
  const pid = Number(readText(join(dataDir, 'lock.pid')) ?? Number.NaN);
  const running = Number.isInteger(pid) ? readText(`/proc/${pid}/limits`) : null;
  const text = running ?? readText('/proc/self/limits');
  const whose = running === null ? 'of this shell' : `of the daemon (pid ${pid})`;
  const most = /^Max open files +\S+ +(\d+|unlimited)/m.exec(text ?? '')?.[1];
  if (most === undefined) return skipped('open files', 'this system does not tell the limit');
  const needed = HTTP.IN_FLIGHT_MAX + OWN_FILES;
  const says = `the limit ${whose} is ${most}`;
  if (most === 'unlimited' || Number(most) >= needed) return ok('open files', says);
  const advice = `allow ${needed}: LimitNOFILE=65536 in the unit, or ulimit -n`;
  return warning('open files', says, advice);
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** Scan threads against the cores that this process may use. */
export function checkThreads({ threads }: Pick<Config, 'threads'>): Check {
  const cores = availableParallelism();
  const says = `${threads} scan threads, ${cores} cores`;
  if (threads <= cores) return ok('threads', says);
  const advice = `set SERVICE_THREADS to ${cores} or less: more threads add memory, not speed`;
  return warning('threads', `${says}, ${PIPELINE.THREAD_OLD_SPACE_MIB} MiB of heap each`, advice);
}

/** The git that the daemon runs; `path` as in PATH, else the folders that the daemon looks in. */
export async function checkGit(path?: string): Promise<Check> {
  const name = 'git';
  const git = createGit(tmpdir(), createGroups());
  try {
    const version = await findVersion(git, path);
    const env = { ...PLAIN, PATH: path ?? PLAIN.PATH };
    const said = await git.run(['--exec-path'], { env, bytesMax: 4_096, stop: () => null });
    const folder = Buffer.from(said.bytes).toString('utf8').trim();
    if (existsSync(join(folder, 'git-remote-https'))) return ok(name, `git ${version}, with HTTPS`);
    const advice = 'install the whole package of git: pushes are fetched over HTTPS';
    return failure(name, `git ${version} lacks git-remote-https in ${folder}`, advice);
  } catch (thrown) {
    const advice = 'install a newer git; until then every push is held, and analyze works';
    return failure(name, CraError.fromUnknown(thrown).message, advice);
  } finally {
    await git.close();
  }
}
