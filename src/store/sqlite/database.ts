import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { CraError } from '../../model/errors.ts';
import type { AcceptedFingerprint } from '../../model/rules.ts';
import type { AcceptedInput } from '../contract/trail.ts';
import { STORE } from '../limits.ts';
import { repoKey } from '../stored-record.ts';
import { type Connection, prepared } from './connection.ts';
import { errorCode } from './errors.ts';
import { QUERIES } from './queries.ts';
import { migrate, requireNewestVersion } from './schema.ts';

/** How long SQLite waits for a lock that another connection holds. */
const BUSY_TIMEOUT_MS = 5_000;

/** Pages of 4 KiB in SQLite's log before they are written back: about 16 MiB. */
const WAL_PAGES = 4_000;

/**
 * What SQLite keeps of its log once all of it was written back. While a backup reads, the log grows
 * by whatever is written, and would keep that size.
 */
const WAL_BYTES_KEPT = 64 * 1024 * 1024;

/** Where the parts of the store are in a data directory. */
export function storePaths(dataDir: string): { database: string; diffs: string; archive: string } {
  const at = (name: string) => join(dataDir, name);
  return { database: at('cra.db'), diffs: at('diffs'), archive: at('archive') };
}

/** Makes a directory and its parents, for the owner alone, and their names durable. */
export function makeDirectory(directory: string): void {
  let path = resolve(directory);
  const topmost = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (topmost === undefined) return;
  for (; path.length >= topmost.length; path = dirname(path)) syncDirectory(dirname(path));
}

/** Makes the names in a directory durable; fdatasync of a new file alone does not. */
export function syncDirectory(directory: string): void {
  syncFile(directory);
}

/** Makes a file durable. */
export function syncFile(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Opens the database for writing, as the only writer, at the newest version. */
export function openForWriting(file: string): Connection {
  // SQLite gives its -wal and -shm files the mode of the database. The file must not be opened
  // this way later: closing it would drop the locks of every connection in the process.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const database = new Database(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.pragma('journal_mode = WAL');
    // better-sqlite3 is built with NORMAL, which may lose the last commits when power fails.
    database.pragma('synchronous = FULL');
    // Hot index pages are written back once for several batches: 15 % less CPU than at 1,000.
    database.pragma(`wal_autocheckpoint = ${WAL_PAGES}`);
    database.pragma(`journal_size_limit = ${WAL_BYTES_KEPT}`);
    database.pragma('foreign_keys = ON');
    database.pragma('trusted_schema = OFF');
    // Else INSERT OR REPLACE would remove rows of the trail without firing its triggers.
    database.pragma('recursive_triggers = ON');
    migrate(database);
    // What a statement that fails half-way is undone by: above 64 KB a batch would write it to a
    // file. After the migrations, as indexes of many records are sorted on the disk.
    database.pragma('temp_store = MEMORY');
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/** Opens a database that a writer has opened before, to read only. */
export function openForReading(file: string): Connection {
  const database = new Database(file, {
    readonly: true,
    fileMustExist: true,
    timeout: BUSY_TIMEOUT_MS,
  });
  try {
    database.pragma('trusted_schema = OFF');
    requireNewestVersion(database);
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

interface DataLock {
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

/** Finds which fingerprints are accepted in a repository: one look-up for each. */
export function createAcceptedFinder(
  database: Connection,
): (input: AcceptedInput) => AcceptedFingerprint[] {
  const { acceptedNow } = prepared(database, QUERIES);
  return ({ tenant_id, repo_name, fingerprints }) => {
    const key = repoKey(repo_name);
    return [...new Set(fingerprints)].flatMap((fingerprint) => {
      const row = acceptedNow.get(tenant_id, key, fingerprint);
      return row === undefined ? [] : [{ fingerprint, ...row, repo: repo_name }];
    });
  };
}

/**
 * Reads for a scan thread, in that thread, from a database that the writer has opened before: a few
 * rows by their keys, each a view of its own. The connection is opened at its first use.
 */
export function createScanLookups(dataDir: string) {
  let find: ReturnType<typeof createAcceptedFinder> | null = null;
  return {
    async acceptedAmong(input: AcceptedInput): Promise<{ accepted: AcceptedFingerprint[] }> {
      find ??= openLookups(storePaths(dataDir).database);
      return { accepted: find(input) };
    },
  };
}

function openLookups(file: string): ReturnType<typeof createAcceptedFinder> {
  const database = new Database(file, {
    readonly: true,
    fileMustExist: true,
    timeout: STORE.LOOKUP_MS,
  });
  database.pragma('trusted_schema = OFF');
  return createAcceptedFinder(database);
}
