import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { CraError } from '../model/errors.ts';

/** Keys of the service's own, 32 bytes each. */
export interface Keys {
  /** HMAC of finding fingerprints. */
  fingerprint: Uint8Array;
  /** AES-256-GCM of stored diffs. */
  seal: Uint8Array;
  /** Seed of the Ed25519 key that signs the roots of the audit trail. */
  checkpoint: Uint8Array;
}

/** What a daemon finds in its data directory. */
export interface DataDir {
  keys: Keys;
  /** The name of this daemon among daemons that share a store; the same after a restart. */
  instance: string;
}

const KEY_BYTES = 32;

const KEY_NAMES = ['fingerprint', 'seal', 'checkpoint'] as const satisfies (keyof Keys)[];
const INSTANCE = /^[0-9a-f-]{36}$/;

/** A start writes so much on trial, bytes: what a new store needs for its first records. */
const TRIAL_BYTES = 1024 * 1024;

/** What a start finds in a data directory that was used before. */
const ENTRIES = [
  'keys',
  'instance',
  'cra.db',
  'diffs',
  'archive',
  'lock.db',
  'run',
  'spool',
  'mirrors',
];

/**
 * Makes the data directory (0700) and what is missing in it (0600): the daemon's name, and, where
 * there is no store yet, each key that the settings do not give. Throws, with what to do, before
 * anything else is started: RESOURCE_EXHAUSTED when its disk is full, FAILED_PRECONDITION when it
 * cannot be used otherwise, a file in it is damaged, or a store lacks its keys.
 */
export function openDataDir(
  path: string,
  given: { readonly [Name in keyof Keys]: Uint8Array | null },
): DataDir {
  try {
    refuseFolder(path);
    const missing = missingKeys(path, given);
    if (missing.length > 0) {
      const all = missing.map(({ problem, advice }) => `${problem}: ${advice}`);
      throw new CraError('FAILED_PRECONDITION', all.join('; '));
    }
    mkdirSync(join(path, 'keys'), { recursive: true, mode: 0o700 });
    for (const entry of [...ENTRIES, ...KEY_NAMES.map((name) => `keys/${name}`)]) {
      requireAccess(join(path, entry));
    }
    writeOnTrial(path);
  } catch (thrown) {
    throw thrown instanceof CraError ? thrown : unusable(path, thrown as NodeJS.ErrnoException);
  }
  const [fingerprint, seal, checkpoint] = KEY_NAMES.map(
    (name) => given[name] ?? openKey(join(path, 'keys', name)),
  ) as [Uint8Array, Uint8Array, Uint8Array];
  return {
    keys: { fingerprint, seal, checkpoint },
    instance: openInstance(join(path, 'instance')),
  };
}

/**
 * Each key that is missing beside an SQLite store, as after a restore without the keys, and what to
 * do: with a new key nothing could open the diffs or recognise the acceptances of that store.
 */
export function missingKeys(
  path: string,
  given: { readonly [Name in keyof Keys]: Uint8Array | null },
): { problem: string; advice: string }[] {
  if (!existsSync(join(path, 'cra.db'))) return [];
  return KEY_NAMES.filter((name) => {
    return given[name] === null && !existsSync(join(path, 'keys', name));
  }).map((name) => {
    const file = join(path, 'keys', name);
    return {
      problem: `the key ${file} of this store is missing`,
      advice: `copy it from where you keep the keys (docs/how-to/backup.md); if it is lost, mkdir -p ${dirname(file)} && openssl rand -out ${file} ${KEY_BYTES} makes another, ${LOST[name]}`,
    };
  });
}

/** What a store loses with a key. */
const LOST: Readonly<Record<keyof Keys, string>> = {
  fingerprint: 'and accepted findings count again',
  seal: 'and the diffs stored so far stay closed',
  checkpoint: 'and the audit trail is signed by another key from then on',
};

/** Types of file systems that hold no files of users: /proc and /sys (statfs(2)). */
const KERNEL_FILE_SYSTEMS: ReadonlySet<number> = new Set([0x9fa0, 0x62656572]);

/**
 * Refuses beforehand where `mkdirSync` with `recursive` never returns (the file systems of the
 * kernel), and where it says that a folder is missing instead of that it cannot be made.
 */
function refuseFolder(path: string): void {
  let above = resolve(path, 'keys');
  while (!existsSync(above) && dirname(above) !== above) above = dirname(above);
  if (KERNEL_FILE_SYSTEMS.has(statfsSync(above).type)) {
    const message = `data directory: ${path} lies on a file system of the kernel: name another directory in SERVICE_DATA_DIR`;
    throw new CraError('FAILED_PRECONDITION', message);
  }
  if (!statSync(above).isDirectory()) return;
  accessSync(above, constants.W_OK | constants.X_OK);
}

/** Throws when an entry is there and this user may not read and write it. */
function requireAccess(path: string): void {
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  if (isDirectory === undefined) return;
  const { R_OK, W_OK, X_OK } = constants;
  try {
    accessSync(path, isDirectory ? R_OK | W_OK | X_OK : R_OK | W_OK);
  } catch (thrown) {
    throw unusable(path, thrown as NodeJS.ErrnoException);
  }
}

/** Throws as `openDataDir` does where this user may not write, or is root beside its owner. */
export function requireWritable(path: string): void {
  try {
    requireAccess(join(path, 'mirrors'));
    writeOnTrial(path);
  } catch (thrown) {
    throw thrown instanceof CraError ? thrown : unusable(path, thrown as NodeJS.ErrnoException);
  }
}

/** Writes a file and removes it; throws when that fails, or the directory is another user's. */
function writeOnTrial(directory: string): void {
  const path = join(directory, `trial-${randomUUID()}`);
  try {
    const file = openSync(path, 'wx', 0o600);
    writeFileSync(file, Buffer.alloc(TRIAL_BYTES), { flush: true });
    const { uid: ownUid } = fstatSync(file);
    closeSync(file);
    const { uid } = statSync(directory);
    if (process.geteuid?.() === 0 && uid !== ownUid) throw foreign(directory, uid);
  } finally {
    rmSync(path, { force: true });
  }
}

/** Root may write everywhere, but the owner of the directory could not read what root makes. */
function foreign(path: string, uid: number): CraError {
  const message =
    `the data directory ${path} belongs to user ${uid}, and this is root: ` +
    `run this as that user, or give root the directory (chown -R 0 ${path})`;
  return new CraError('FAILED_PRECONDITION', message);
}

const ANOTHER = 'or name another directory in SERVICE_DATA_DIR';

/** Why a path in or of the data directory cannot be used, and what to do. */
function unusable(path: string, cause: NodeJS.ErrnoException): CraError {
  const { code = 'unknown error' } = cause;
  const says = (why: string, advice: string) => `data directory: ${path} ${why}: ${advice}`;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    const message = says('has no space left', `free ${TRIAL_BYTES} bytes at least, ${ANOTHER}`);
    return new CraError('RESOURCE_EXHAUSTED', message, { cause });
  }
  const user = process.geteuid?.() ?? 'of this process';
  const denied = says(
    `cannot be read and written by user ${user}`,
    `give this user the directory (chown -R ${user}), ${ANOTHER}`,
  );
  const noDirectory = says('has a file in its path', 'name a directory in SERVICE_DATA_DIR');
  const messages: Readonly<Record<string, string>> = {
    EROFS: says('is on a read-only file system', `mount it writable, ${ANOTHER}`),
    EACCES: denied,
    EPERM: denied,
    ENOTDIR: noDirectory,
    EEXIST: noDirectory,
  };
  const other = says(`cannot be used (${code})`, 'name another directory in SERVICE_DATA_DIR');
  return new CraError('FAILED_PRECONDITION', messages[code] ?? other, { cause });
}

/** What may be written down of a key, to tell whether two daemons have the same. */
export function keyHash(key: Uint8Array): string {
  return createHash('sha256').update('cra key\0').update(key).digest('hex');
}

/**
 * The seed that checkpoints are signed with, of a data directory that is there already; null:
 * it is absent. Throws FAILED_PRECONDITION when it is damaged or may not be read.
 */
export function findCheckpointSeed(dataDir: string): Uint8Array | null {
  const path = join(dataDir, 'keys', 'checkpoint');
  try {
    return checkedKey(path, readFileSync(path));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null;
    if (thrown instanceof CraError) throw thrown;
    throw new CraError('FAILED_PRECONDITION', `key ${path} cannot be read`, { cause: thrown });
  }
}

/** A Unix socket's path has at most 108 bytes (man 7 unix); the rest is for the name. */
const SOCKET_DIR_BYTES_MAX = 60;

/** A private directory for sockets. */
interface SocketDir {
  readonly path: string;
  remove(): void;
  /** Removes what a crash left. Only for the daemon that holds the lock of the data directory. */
  removeOthers(): void;
}

/**
 * Makes a directory for sockets, in the data directory, or in the temporary one when there is no
 * data directory or its path is too long. Threads start before the lock is held, so it is one of
 * its own: another daemon may be running in the same data directory.
 */
export function createSocketDir(dataDir: string | null): SocketDir {
  const all = dataDir === null ? '' : join(dataDir, 'run');
  const isOwn = all !== '' && Buffer.byteLength(all) <= SOCKET_DIR_BYTES_MAX;
  if (isOwn) mkdirSync(all, { recursive: true, mode: 0o700 });
  const path = mkdtempSync(isOwn ? join(all, 's-') : join(tmpdir(), 'cra-'));
  return {
    path,
    remove: () => rmSync(path, { recursive: true, force: true }),
    removeOthers() {
      for (const name of isOwn ? readdirSync(all) : []) {
        if (join(all, name) !== path) rmSync(join(all, name), { recursive: true, force: true });
      }
    },
  };
}

function openKey(path: string): Uint8Array {
  return checkedKey(path, openFile(path, randomBytes(KEY_BYTES)));
}

function checkedKey(path: string, key: Uint8Array): Uint8Array {
  if (key.length === KEY_BYTES) return key;
  throw new CraError('FAILED_PRECONDITION', `key ${path} must hold ${KEY_BYTES} bytes`);
}

/**
 * The name of the daemon of a data directory that is there already; null: no daemon has started
 * there. Throws FAILED_PRECONDITION when it is damaged.
 */
export function findInstance(dataDir: string): string | null {
  const path = join(dataDir, 'instance');
  return existsSync(path) ? checkedInstance(path, readFileSync(path)) : null;
}

function openInstance(path: string): string {
  return checkedInstance(path, openFile(path, Buffer.from(`${randomUUID()}\n`)));
}

function checkedInstance(path: string, content: Buffer): string {
  const instance = content.toString('latin1').trim();
  if (INSTANCE.test(instance)) return instance;
  throw new CraError('FAILED_PRECONDITION', `${path} must hold a UUID: remove it for a new one`);
}

/** What a file holds; made on first use. `wx` lets two starts at once agree on one. */
function openFile(path: string, fresh: Uint8Array): Buffer {
  try {
    writeFileSync(path, fresh, { flag: 'wx', mode: 0o600 });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw unusable(path, thrown as NodeJS.ErrnoException);
    }
  }
  return readFileSync(path);
}

/** The version in package.json, which stands above the compiled files. */
export function ownVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
