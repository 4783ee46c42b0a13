import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type AuditSettings,
  readAuditSettings,
  readRetentionSettings,
} from '../daemon/config/config.ts';
import { findCheckpointSeed, findInstance } from '../daemon/data-dir.ts';
import { CraError } from '../model/errors.ts';
import { type ArchiveReport, type ArchiveSide, archiveRfcs } from '../store/archive.ts';
import { createArchiveFiles, verifyArchive } from '../store/archive-files.ts';
import { createArchiveSide } from '../store/sqlite/archive.ts';
import {
  lockDataDir,
  openForReading,
  openForWriting,
  storePaths,
} from '../store/sqlite/database.ts';
import { findSigner } from './audit-verify.ts';
import { onInterrupt, printable } from './terminal.ts';

const OPTIONS = {
  'dry-run': { type: 'boolean' },
  verify: { type: 'boolean' },
  key: { type: 'string' },
} as const;

/** `cra store archive`: exit code 1 when `--verify` finds a flaw. */
export async function runArchive(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: OPTIONS });
  const settings = readAuditSettings();
  if (values.verify) return await verify(settings, values.key);
  const retention = readRetentionSettings();
  if (retention.rules.length === 0) {
    const message = 'nothing says what to archive: name a file in SERVICE_RETENTION_CONFIG';
    throw new CraError('FAILED_PRECONDITION', message);
  }
  const { signal, release } = onInterrupt();
  const isDry = values['dry-run'] === true;
  const began = performance.now();
  const opened = await openSide(settings, isDry);
  try {
    const files = isDry ? null : ownFiles(settings);
    const instance = findInstance(settings.dataDir);
    if (instance === null && !isDry) {
      const message = `${settings.dataDir} is the data directory of no daemon: set SERVICE_DATA_DIR`;
      throw new CraError('FAILED_PRECONDITION', message);
    }
    const run = {
      side: opened.side,
      files,
      retention,
      instance: instance ?? '',
      nowMs: Date.now(),
      signal,
    };
    const report = await archiveRfcs(run);
    process.stdout.write(reportOf(report, { isDry, ms: performance.now() - began }));
  } finally {
    release();
    await opened.close();
  }
  return 0;
}

interface OpenSide {
  side: ArchiveSide;
  close(): Promise<void> | void;
}

/** A run has the data directory for itself: a daemon on it archives by itself. */
async function openSide({ dataDir, store }: AuditSettings, isDry: boolean): Promise<OpenSide> {
  const { database: path } = storePaths(dataDir);
  if (store.kind === 'sqlite') {
    if (!existsSync(path)) {
      const message = `${dataDir} holds no database: set SERVICE_DATA_DIR`;
      throw new CraError('FAILED_PRECONDITION', message);
    }
    const lock = isDry ? null : lockDataDir(dataDir);
    const database = isDry ? openForReading(path) : openForWriting(path);
    const write = async <Result>(step: () => Result) => database.transaction(step).immediate();
    return {
      side: createArchiveSide(database, isDry ? null : write),
      close() {
        database.close();
        lock?.release();
      },
    };
  }
  const [{ connectMongo }, mongo] = await Promise.all([
    import('../store/mongo/database.ts'),
    import('../store/mongo/archive.ts'),
  ]);
  const lock = isDry ? null : lockDataDir(dataDir);
  const { db, collections, close } = await connectMongo(store.url);
  return {
    side: mongo.createArchiveSide(db, collections),
    close: () => close().finally(lock?.release),
  };
}

/** It makes neither a key nor a name: the daemon on the data directory does. */
function ownFiles(settings: AuditSettings) {
  const { dataDir, checkpointSeed } = settings;
  const seed = checkpointSeed ?? findCheckpointSeed(dataDir);
  if (seed === null) throw noKey(settings);
  const owner = findInstance(dataDir);
  if (owner === null) {
    const message = `no service has started on ${dataDir}: set SERVICE_DATA_DIR`;
    throw new CraError('FAILED_PRECONDITION', message);
  }
  return createArchiveFiles({ root: storePaths(dataDir).archive, owner, seed });
}

function reportOf(report: ArchiveReport, { isDry, ms }: { isDry: boolean; ms: number }): string {
  const { rfcs, held, bytes, archive_bytes, months } = report;
  const sizes = `${number(bytes)} bytes of JSON, ${number(archive_bytes)} compressed`;
  const seconds = (ms / 1000).toFixed(1);
  const lines = months.map(
    (one) => `  ${one.month}  ${number(one.rfcs).padStart(10)}  ${printable(one.tenant_id)}`,
  );
  const last = isDry
    ? `This took ${seconds} s. A run takes longer by a durable write for each 100 RFCs.`
    : `This took ${seconds} s.`;
  return [
    `${number(rfcs)} RFCs ${isDry ? 'would be archived' : 'are archived'}: ${sizes}`,
    ...lines,
    `${number(held)} more stay by a legal hold`,
    last,
    '',
  ].join('\n');
}

/**
 * The ends of files by the store; without one, as beside a copy of an archive, none. Of a store in
 * MongoDB, the files of other daemons need not be in this data directory.
 */
async function endsOf(settings: AuditSettings): Promise<ReadonlyMap<string, number>> {
  const { dataDir, store } = settings;
  const paths = storePaths(dataDir);
  if (store.kind === 'sqlite' && !existsSync(paths.database)) return new Map();
  const { side, close } = await openSide(settings, true);
  try {
    const ends = [...(await side.ends())];
    if (store.kind === 'sqlite') return new Map(ends);
    const own = findInstance(dataDir);
    const isHere = (owner: string) => owner === own || existsSync(join(paths.archive, owner));
    return new Map(ends.filter(([file]) => isHere(dirname(file))));
  } finally {
    await close();
  }
}

async function verify(settings: AuditSettings, given: string | undefined): Promise<number> {
  const key = given ?? findSigner(settings)?.verifierKey;
  if (key === undefined) throw noKey(settings);
  const ends = await endsOf(settings);
  let flaws = 0;
  for (const { file, records, bytes, flaw } of verifyArchive(
    storePaths(settings.dataDir).archive,
    key.trim(),
    ends,
  )) {
    if (flaw !== null) flaws += 1;
    const said = flaw === null ? 'OK ' : 'BAD';
    const why = flaw === null ? '' : `: ${printable(flaw)}`;
    process.stdout.write(
      `${said} ${printable(file)}  ${number(records)} RFCs, ${number(bytes)} bytes${why}\n`,
    );
  }
  return flaws === 0 ? 0 : 1;
}

function noKey({ dataDir }: AuditSettings): CraError {
  const message = `${dataDir} holds no key of checkpoints: set SERVICE_DATA_DIR or SERVICE_CHECKPOINT_KEY`;
  return new CraError('FAILED_PRECONDITION', message);
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
