import { createHash } from 'node:crypto';
import {
  chmodSync,
  constants,
  copyFileSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { CraError } from '../../model/errors.ts';
import { copyArchiveFile, MEMBERS } from '../archive-files.ts';
import { archiveEnds } from './archive.ts';
import { openForReading, storePaths, syncDirectory, syncFile } from './database.ts';

/** What a backup holds, as `backup.json` says it. */
export interface BackupManifest {
  version: string;
  made_at: string;
  files: { name: string; bytes: number; sha256: string }[];
}

export interface BackupOptions {
  dataDir: string;
  /** Must not exist; it is there when the backup is whole. */
  directory: string;
  /** Of this cra. */
  version: string;
  /** Ms since the epoch. */
  now(): number;
  /** Called before each file. */
  onFile(name: string): void;
}

/** Beside a backup that is being made. */
const PART = '.part';

/** Small files that belong to the service and are not keys. */
const KEPT_FILES = ['checkpoint.note', 'instance'];

/**
 * Copies the store of a data directory while a daemon writes to it. The checkpoint goes first, then
 * a snapshot of the database, then the diffs and the archive: so the trail in the snapshot holds
 * the checkpoint, and the files hold each diff and archived RFC that a row in it names. The daemon
 * is not held up; its log of changes grows meanwhile. FAILED_PRECONDITION when there is no database
 * or `directory` exists.
 */
export async function backUp(options: BackupOptions): Promise<BackupManifest> {
  const { dataDir, directory, onFile } = options;
  const paths = storePaths(dataDir);
  if (!existsSync(paths.database)) {
    throw new CraError('FAILED_PRECONDITION', `${dataDir} holds no database: set SERVICE_DATA_DIR`);
  }
  if (existsSync(directory)) {
    throw new CraError('FAILED_PRECONDITION', `${directory} exists: name a new directory`);
  }
  const part = `${directory}${PART}`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(join(part, 'diffs'), { recursive: true, mode: 0o700 });
  for (const name of KEPT_FILES) {
    if (existsSync(join(dataDir, name))) copyFileSync(join(dataDir, name), join(part, name));
  }
  onFile('cra.db');
  snapshot(paths.database, storePaths(part).database);
  for (const name of readdirSync(paths.diffs)) {
    onFile(`diffs/${name}`);
    copyDiffs(join(paths.diffs, name), join(part, 'diffs', name));
  }
  copyArchive(dataDir, part, onFile);
  const manifest = await describe(part, options);
  writeFileSync(join(part, 'backup.json'), `${JSON.stringify(manifest, null, 2)}\n`, {
    mode: 0o600,
  });
  for (const name of [...manifest.files.map((file) => file.name), 'backup.json']) {
    syncFile(join(part, name));
  }
  syncDirectory(join(part, 'diffs'));
  syncDirectory(part);
  renameSync(part, directory);
  return manifest;
}

/** One moment of the database, in one file, checked. */
function snapshot(from: string, to: string): void {
  const database = openForReading(from);
  try {
    database.prepare('VACUUM INTO ?').run(to);
    chmodSync(to, 0o600);
  } finally {
    database.close();
  }
  const copy = openForReading(to);
  try {
    const result = copy.pragma('integrity_check', { simple: true });
    if (result !== 'ok') throw new CraError('DATA_LOSS', `the snapshot is damaged: ${result}`);
  } finally {
    copy.close();
  }
}

/** A day's diffs may be removed just now: their retention is over. */
function copyDiffs(from: string, to: string): void {
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
  }
}

/** The archive up to what the snapshot refers to: later members hold RFCs that are in it. */
function copyArchive(dataDir: string, part: string, onFile: (name: string) => void): void {
  const from = storePaths(dataDir).archive;
  const to = storePaths(part).archive;
  const database = openForReading(storePaths(part).database);
  const ends = archiveEnds(database);
  database.close();
  const instance = join(dataDir, 'instance');
  const own = existsSync(instance) ? `${readFileSync(instance, 'latin1').trim()}/` : null;
  const names = existsSync(from) ? readdirSync(from, { recursive: true, encoding: 'utf8' }) : [];
  for (const name of names.filter((one) => one.endsWith(MEMBERS)).sort()) {
    // Only files of other daemons are copied from elsewhere; of its own, this one is newer than the
    // snapshot.
    const isOwn = own !== null && name.startsWith(own);
    const end = ends.get(name) ?? (isOwn ? 0 : null);
    if (end === 0) continue;
    onFile(`archive/${name}`);
    mkdirSync(dirname(join(to, name)), { recursive: true, mode: 0o700 });
    copyArchiveFile({ from, to, file: name, end });
  }
}

async function describe(
  part: string,
  { version, now }: Pick<BackupOptions, 'version' | 'now'>,
): Promise<BackupManifest> {
  const names = readdirSync(part, { recursive: true, encoding: 'utf8' }).sort();
  const files: BackupManifest['files'] = [];
  for (const name of names) {
    const path = join(part, name);
    if (statSync(path).isDirectory()) continue;
    files.push({ name, bytes: statSync(path).size, sha256: await hashOf(path) });
  }
  return { version, made_at: new Date(now()).toISOString(), files };
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const block of createReadStream(path)) hash.update(block as Buffer);
  return hash.digest('hex');
}
