import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type AuditSettings, readAuditSettings } from '../daemon/config/config.ts';
import { ownVersion } from '../daemon/data-dir.ts';
import { CraError } from '../model/errors.ts';
import { type CopyDigest, type CopySide, copyStore } from '../store/copy.ts';
import { backUp } from '../store/sqlite/backup.ts';
import { openSqliteCopy } from '../store/sqlite/copy.ts';
import { CLI, onInterrupt } from './terminal.ts';

/** `cra store copy FROM TO`, or `archive`. */
export async function run([action, ...args]: string[]): Promise<number> {
  const isArchive = action === 'archive';
  if ([action, ...args].some((argument) => argument === '--help' || argument === '-h')) {
    process.stdout.write(isArchive ? ARCHIVE_HELP : COPY_HELP);
    return 0;
  }
  if (isArchive) return await (await import('./store-archive.ts')).runArchive(args);
  return await runCopy(action, args);
}

/** Resolves with 0 when both stores hold the same. */
async function runCopy(action: string | undefined, args: string[]): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
  const [from, to, ...more] = positionals;
  if (action !== 'copy' || from === undefined || to === undefined || more.length > 0) {
    throw new CraError('INVALID_ARGUMENT', `give copy, FROM and TO, or archive\n\n${COPY_HELP}`);
  }
  const settings = readAuditSettings();
  const source = await openSide(from, 'source', settings);
  try {
    const target = await openSide(to, 'target', settings);
    try {
      return await copy(source, target);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function copy(from: CopySide, to: CopySide): Promise<number> {
  const { signal, release } = onInterrupt();
  let shownAt = 0;
  const digests = await copyStore({
    from,
    to,
    signal,
    now: Date.now,
    onProgress(phase, kind, rows) {
      if (performance.now() - shownAt < CLI.PROGRESS_INTERVAL_MS && phase === 'copied') return;
      shownAt = performance.now();
      process.stderr.write(`${phase} ${kind}: ${rows.toLocaleString('en-US')}\n`);
    },
  }).finally(release);
  process.stdout.write(reportOf(from, to, digests));
  return 0;
}

function reportOf(from: CopySide, to: CopySide, digests: readonly CopyDigest[]): string {
  const width = Math.max(...digests.map(({ kind }) => kind.length));
  const lines = digests.map(
    ({ kind, rows, hash }) => `  ${kind.padEnd(width)}  ${String(rows).padStart(10)}  ${hash}`,
  );
  return `${to.place} holds what ${from.place} holds:
${lines.join('\n')}

The keys are not in a store. A daemon on ${to.place} needs the same as before:
  keys/seal         or SERVICE_SEAL_KEY         opens the stored diffs
  keys/fingerprint  or SERVICE_FINGERPRINT_KEY  finds accepted findings again
  keys/checkpoint   or SERVICE_CHECKPOINT_KEY   signs the audit trail
Copy checkpoint.note of the data directory with them, and run cra audit verify.
`;
}

const SQLITE = /^sqlite(?::(.+))?$/;

/** `sqlite`, `sqlite:DIR` or `mongodb`; addresses with passwords come from the environment. */
async function openSide(
  name: string,
  role: 'source' | 'target',
  { dataDir, store }: AuditSettings,
): Promise<CopySide> {
  const match = SQLITE.exec(name);
  if (match !== null) return openSqliteCopy({ dataDir: resolve(match[1] ?? dataDir), role });
  if (name !== 'mongodb') {
    const message = `"${name}" is not a store: give sqlite, sqlite:DIR or mongodb`;
    throw new CraError('INVALID_ARGUMENT', message);
  }
  if (store.kind !== 'mongodb') {
    const message = 'set SERVICE_STORE_URL (or SERVICE_STORE_URL_FILE) to the address of MongoDB';
    throw new CraError('INVALID_ARGUMENT', message);
  }
  const { openMongoCopy } = await import('../store/mongo/copy.ts');
  return openMongoCopy(store.url, store.auditUrl);
}

const COPY_HELP = `usage: cra store copy FROM TO

Copies everything that a store holds into an empty one: records, diffs, heads, histories, decisions,
the audit trail, accepted findings, rules, tasks, usage, budgets and sessions. Then both are read
again and compared, by counts and hashes. Stop the daemons of both first.

  FROM, TO   sqlite       the database in SERVICE_DATA_DIR
             sqlite:DIR   the database in another data directory
             mongodb      SERVICE_STORE_URL and SERVICE_AUDIT_URL (or their _FILE)

Diffs are copied however old they are: the daemon of the target deletes them as its setting
diffs.days says. Not copied is what MongoDB may delete meanwhile: sessions in their last minute, and
diffs of a MongoDB and kept answers in their last day.

A copy that was interrupted goes on when the same command is run again; no daemon starts on its
target until it is whole. Keys are not copied: the command names the keys that the target needs. See
docs/how-to/backup.md.

Exit code: 0 both hold the same, 2 the copy failed.

  cra store copy sqlite mongodb && cra audit verify
`;

const ARCHIVE_HELP = `usage: cra store archive [--dry-run | --verify [--key KEY]]

Moves RFCs from the store to archive/ of the data directory, as SERVICE_RETENTION_CONFIG says. The
daemon does so by itself, once a day at three o'clock: this command needs a data directory on which
none runs.

  --dry-run  says how many RFCs of which months, how many bytes, and how long it took to read and
             compress them; changes nothing, and a daemon may run
  --verify   checks the signatures of all files of the archive, and that they hold what the store
             refers to, where there is one
  --key KEY  public key (cra audit key prints it); default: that of the data directory

Exit code: 0 done, 1 --verify found a file that is missing or changed, 2 it failed. See
docs/how-to/retention.md.

  cra store archive --dry-run
`;

/** `cra backup DIR`. */
export async function runBackup(args: string[]): Promise<number> {
  if (args.some((argument) => argument === '--help' || argument === '-h')) {
    process.stdout.write(BACKUP_HELP);
    return 0;
  }
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
  const [directory, ...more] = positionals;
  if (directory === undefined || more.length > 0) {
    throw new CraError('INVALID_ARGUMENT', `give one directory\n\n${BACKUP_HELP}`);
  }
  const { dataDir, store } = readAuditSettings();
  if (store.kind !== 'sqlite') {
    const message = 'the store is MongoDB: back it up with its own tools (docs/how-to/backup.md)';
    throw new CraError('FAILED_PRECONDITION', message);
  }
  const manifest = await backUp({
    dataDir,
    directory: resolve(directory),
    version: ownVersion(),
    now: Date.now,
    onFile: (name) => process.stderr.write(`copying ${name}\n`),
  });
  const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
  const size = `${manifest.files.length} files, ${bytes.toLocaleString('en-US')} bytes`;
  process.stdout.write(
    `${directory}: ${size}. Keys are not in it: keep a copy of keys/ elsewhere\n`,
  );
  return 0;
}

const BACKUP_HELP = `usage: cra backup DIR

Copies the SQLite store in SERVICE_DATA_DIR into the new directory DIR while the service runs: a
snapshot of the database with the audit trail, the diffs, checkpoint.note and the name of the
daemon. backup.json lists the files with their SHA-256. The keys (keys/ in the data directory) are
not copied: keep them elsewhere, as a backup with them opens every stored diff.

To restore: stop the service, put the files and the keys into an empty SERVICE_DATA_DIR, run
cra audit verify, and start it. See docs/how-to/backup.md.

Exit code: 0 the backup is whole, 2 it failed.
`;
