import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CraError } from './domain/errors.ts';

/** Keys of the service's own, 32 bytes each. */
export interface Keys {
  /** HMAC of finding fingerprints. */
  fingerprint: Uint8Array;
  /** AES-256-GCM of stored diffs. */
  seal: Uint8Array;
  /** Ed25519 seed of the audit trail's checkpoints. */
  checkpoint: Uint8Array;
}

const KEY_BYTES = 32;

/**
 * Makes the data directory (0700) and the keys in it (0600) where they are missing. Throws
 * FAILED_PRECONDITION when the directory cannot be written or a key file is damaged.
 */
export function openDataDir(path: string): Keys {
  try {
    mkdirSync(join(path, 'keys'), { recursive: true, mode: 0o700 });
  } catch (thrown) {
    const message = `data directory ${path} cannot be made`;
    throw new CraError('FAILED_PRECONDITION', message, { cause: thrown });
  }
  return {
    fingerprint: openKey(join(path, 'keys', 'fingerprint')),
    seal: openKey(join(path, 'keys', 'seal')),
    checkpoint: openKey(join(path, 'keys', 'checkpoint')),
  };
}

/** A Unix socket's path has at most 108 bytes (man 7 unix); the rest is for the name. */
const SOCKET_DIR_BYTES_MAX = 60;

/**
 * A private directory for sockets; call `remove` at the end. It is in the data directory, where
 * the next start removes what a crash left, or in the temporary one when there is no data
 * directory or its path is too long.
 */
export function createSocketDir(dataDir: string | null): { path: string; remove(): void } {
  const own = dataDir === null ? '' : join(dataDir, 'run');
  const isOwn = own !== '' && Buffer.byteLength(own) <= SOCKET_DIR_BYTES_MAX;
  const path = isOwn ? own : mkdtempSync(join(tmpdir(), 'cra-'));
  if (isOwn) {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path, { mode: 0o700 });
  }
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The key in a file, made on first use; `wx` lets two starts at once agree on one. */
function openKey(path: string): Uint8Array {
  try {
    writeFileSync(path, randomBytes(KEY_BYTES), { flag: 'wx', mode: 0o600 });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new CraError('FAILED_PRECONDITION', `key ${path} cannot be made`, { cause: thrown });
    }
  }
  const key = readFileSync(path);
  if (key.length === KEY_BYTES) return key;
  throw new CraError('FAILED_PRECONDITION', `key ${path} must hold ${KEY_BYTES} bytes`);
}
