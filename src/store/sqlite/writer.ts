import { createCheckpointSigner, createCheckpointVerifier } from '../../audit/checkpoint.ts';
import { acceptGap, findGap } from '../../audit/continuity.ts';
import { STORE } from '../../limits.ts';
import { readKeptNote } from '../checkpoint-note.ts';
import type { StoreWriter } from '../contract/store.ts';
import { createTrailGate, type TrailGate } from '../trail-gate.ts';
import { createAuditLog } from './audit-log.ts';
import { createAuditSeals } from './audit-seals.ts';
import { openSqliteAuditSource } from './audit-source.ts';
import { lockDataDir } from './data-lock.ts';
import { makeDirectory, openForWriting, storePaths } from './database.ts';
import { createDeskWriter } from './desk/writer.ts';
import { createDiffSegments } from './diff-segments.ts';
import { createGroupCommit } from './group-commit.ts';
import { createPushWriter } from './pushes/writer.ts';
import { createRecordsWriter } from './records-writer.ts';
import { fromOpening } from './sqlite-error.ts';
import { createTrailSettle, createTrailWriter } from './trail-writer.ts';

export interface SqliteWriterOptions {
  /** Made when it is not there. */
  dataDir: string;
  /** Ms since the epoch. */
  now: () => number;
  /** Ed25519 seed of the trail's checkpoints, 32 bytes. */
  checkpointSeed: Uint8Array;
  /** Of the daemon: the trail says which one wrote it. */
  version: string;
  /** Bounds that tests set; `limits.ts` otherwise. */
  checkpointEntries?: number;
  checkpointIntervalMs?: number;
}

/** The writing side of the SQLite driver: the one owner of its data directory. */
export interface SqliteWriter extends StoreWriter {
  /** Deletes the diffs whose retention is over at `nowMs`; returns how many days of them. */
  pruneDiffs(nowMs: number): number;
  /** Whether decisions are taken: the start compares the trail with its last checkpoint. */
  gate: TrailGate;
  /** Accepts the gap in the trail, as an entry of it (see `acceptGap`). */
  acceptGap(asked: { chain: string; actor: string; reason: string }): Promise<void>;
  /** Settles the writes that wait, signs the end of the trail, gives the data directory back. */
  close(): Promise<void>;
}

/**
 * Locks the data directory, opens the database, brings it to the newest version, prunes, and
 * begins a chain of the trail. FAILED_PRECONDITION when another daemon has the directory or a
 * newer one wrote the database.
 */
export function createSqliteWriter(options: SqliteWriterOptions): SqliteWriter {
  const { dataDir, now } = options;
  const paths = storePaths(dataDir);
  const closers: (() => void)[] = [];
  const closeAll = () => {
    for (const close of closers.splice(0).reverse()) close();
  };
  try {
    makeDirectory(dataDir);
    closers.push(lockDataDir(dataDir).release);
    const database = openForWriting(paths.database);
    closers.push(() => database.close());
    makeDirectory(paths.diffs);
    const segments = createDiffSegments(paths.diffs, now);
    closers.push(segments.close);
    const pruneDiffs = (nowMs: number) => segments.prune(nowMs, STORE.DIFF_RETENTION_DAYS);
    pruneDiffs(now());
    const signer = createCheckpointSigner(options.checkpointSeed);
    const log = createAuditLog(database, { signer, version: options.version, now });
    const commits = createGroupCommit(database, { segments, log });
    // On a full disk it comes with the first entry for which there is room; reads go on.
    commits.writeNow(log.boot);
    const source = openSqliteAuditSource(dataDir);
    closers.push(() => void source.close());
    const kept = {
      note: readKeptNote(dataDir),
      open: createCheckpointVerifier(signer.verifierKey),
    };
    const gate = createTrailGate(() => findGap(source, kept));
    const checked = gate.check();
    const seals = createAuditSeals({
      log,
      commits,
      dataDir,
      mayKeepNote: () => gate.state === 'open',
      entries: options.checkpointEntries,
      intervalMs: options.checkpointIntervalMs,
    });
    const settle = createTrailSettle(seals);
    return {
      records: createRecordsWriter({ database, segments, commits, now }),
      trail: createTrailWriter({ database, log, commits, settle, gate, now }),
      ...createDeskWriter({ database, log, commits, settle, now }),
      pushes: createPushWriter({ database, log, commits, settle, now }),
      pruneDiffs,
      gate,
      async acceptGap(asked) {
        await acceptGap(source, kept, asked, async (events) => {
          await settle(commits.write(0, () => events.forEach(log.append), null));
        });
        await gate.check();
      },
      async close() {
        await checked;
        await commits.drained();
        seals.close();
        closeAll();
      },
    };
  } catch (thrown) {
    closeAll();
    throw fromOpening(dataDir, thrown);
  }
}
