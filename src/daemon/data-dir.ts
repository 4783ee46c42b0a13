import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  /** The daemon's name among those that share a store: the same after a restart. */
  instance: string;
}

const KEY_BYTES = 32;

const KEY_NAMES = ['fingerprint', 'seal', 'checkpoint'] as const satisfies (keyof Keys)[];
const INSTANCE = /^[0-9a-f-]{36}$/;

/**
 * Makes the data directory (0700) and what is missing in it (0600): the daemon's name, and each
 * key that the settings do not give. Throws FAILED_PRECONDITION when the directory cannot be
 * written or a file in it is damaged.
 */
export function openDataDir(
  path: string,
  given: { readonly [Name in keyof Keys]: Uint8Array | null },
): DataDir {
  try {
    mkdirSync(join(path, 'keys'), { recursive: true, mode: 0o700 });
  } catch (thrown) {
    const message = `could not create the data directory ${path}`;
    throw new CraError('FAILED_PRECONDITION', message, { cause: thrown });
  }
  const [fingerprint, seal, checkpoint] = KEY_NAMES.map(
    (name) => given[name] ?? openKey(join(path, 'keys', name)),
  ) as [Uint8Array, Uint8Array, Uint8Array];
  return {
    keys: { fingerprint, seal, checkpoint },
    instance: openInstance(join(path, 'instance')),
  };
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

function openInstance(path: string): string {
  const instance = openFile(path, Buffer.from(`${randomUUID()}\n`))
    .toString('latin1')
    .trim();
  if (INSTANCE.test(instance)) return instance;
  throw new CraError('FAILED_PRECONDITION', `${path} must hold a UUID: remove it for a new one`);
}

/** What a file holds; made on first use. `wx` lets two starts at once agree on one. */
function openFile(path: string, fresh: Uint8Array): Buffer {
  try {
    writeFileSync(path, fresh, { flag: 'wx', mode: 0o600 });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new CraError('FAILED_PRECONDITION', `could not create ${path}`, { cause: thrown });
    }
  }
  return readFileSync(path);
}

/** The version in package.json, which stands above the compiled files. */
export function ownVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
