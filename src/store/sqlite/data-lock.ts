import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { CraError } from '../../model/errors.ts';
import { errorCode } from './sqlite-error.ts';

export interface DataLock {
  release(): void;
}

/**
 * Takes the data directory for this process: an exclusive transaction on a database of its own,
 * which is a lock of the kernel, so kill -9 releases it. It ends with `release` or the process.
 * FAILED_PRECONDITION when another daemon holds it.
 *
 * Nothing may open `lock.db` other than through SQLite: closing any descriptor of a file drops
 * all POSIX locks that the process has on it (https://sqlite.org/howtocorrupt.html 2.2).
 */
export function lockDataDir(dataDir: string): DataLock {
  const pidFile = join(dataDir, 'lock.pid');
  const path = join(dataDir, 'lock.db');
  const connection = new Database(path, { timeout: 0 });
  try {
    // Sets the mode by the name: no descriptor of the file is opened and closed.
    chmodSync(path, 0o600);
    connection.exec('BEGIN EXCLUSIVE');
    writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  } catch (thrown) {
    connection.close();
    throw errorCode(thrown).startsWith('SQLITE_BUSY') ? inUse(dataDir, pidFile, thrown) : thrown;
  }
  return {
    release() {
      rmSync(pidFile, { force: true });
      connection.close();
    },
  };
}

function inUse(dataDir: string, pidFile: string, cause: unknown): CraError {
  let pid = 'unknown';
  try {
    pid = readFileSync(pidFile, 'utf8').trim() || pid;
  } catch {
    // The other daemon has the lock but has not written its pid yet.
  }
  return new CraError(
    'FAILED_PRECONDITION',
    `data directory ${dataDir} is in use by another cra (pid ${pid})`,
    { cause },
  );
}
