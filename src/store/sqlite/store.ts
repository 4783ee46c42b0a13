import { createCheckpointSigner, createCheckpointVerifier } from '../../audit/checkpoint.ts';
import { acceptGap, findGap, type StoredTrail } from '../../audit/continuity.ts';
import type { Principal, StoredSession } from '../../model/principal.ts';
import type { ArchiveSide } from '../archive.ts';
import type { EventLane } from '../contract/events.ts';
import type { StoreReader, StoreWriter } from '../contract/store.ts';
import { halfCopied } from '../copy.ts';
import { duplicateSession } from '../errors.ts';
import { createEntryProofs, type ProveEntries } from '../proofs.ts';
import { createTrailGate, readKeptNote, type TrailGate } from '../trail.ts';
import { createArchiveSide } from './archive.ts';
import { createAuditLog, openSqliteAuditSource } from './audit-log.ts';
import { type Connection, insertInto, prepared, sql } from './connection.ts';
import { readCopyMarker } from './copy.ts';
import {
  lockDataDir,
  makeDirectory,
  openForReading,
  openForWriting,
  storePaths,
} from './database.ts';
import { createDeployReader, createDeploySteps } from './deploys.ts';
import { createDiffSegments, createPruning } from './diffs.ts';
import { fromOpening, guardedReads } from './errors.ts';
import { createEventReader, createEventSteps } from './events.ts';
import {
  createGroupCommit,
  inGroups,
  repeatWrite,
  type Steps,
  type WriterParts,
} from './group-commit.ts';
import { createPushReader, createPushWriter } from './pushes/pushes.ts';
import { createRecordSteps, createRecordsReader, dropReports } from './records.ts';
import { createReviewReader, createReviewSteps } from './reviews.ts';
import { createRulebookReader, createRulebookSteps } from './rulebook.ts';
import { createOlderIndexing } from './search.ts';
import { createTaskReader, createTaskSteps } from './tasks.ts';
import {
  createAuditSeals,
  createTrailReader,
  createTrailSettle,
  createTrailWriter,
  settled,
  type TrailSettle,
} from './trail.ts';
import { createOlderCounting, forgetTrends } from './trends.ts';
import { createUsageReader, createUsageSteps } from './usage.ts';

export interface SqliteWriterOptions {
  /** Made when it is not there. */
  dataDir: string;
  /** Ms since the epoch. */
  now: () => number;
  /** Ed25519 seed of the trail's checkpoints, 32 bytes. */
  checkpointSeed: Uint8Array;
  /** Of the daemon: the trail says which one wrote it. */
  version: string;
  /** Subscriptions to events. */
  lanes?: readonly EventLane[];
  /** Bounds that tests set; `limits.ts` otherwise. */
  checkpointEntries?: number;
  checkpointIntervalMs?: number;
}

/** The writing side of the SQLite driver: the one owner of its data directory. */
export interface SqliteWriter extends StoreWriter {
  /**
   * Deletes the diffs that are older than `diffDays` full days at `nowMs`, and forgets trends that
   * are too old; resolves with the number of days of diffs, in files and in the database. Only a
   * daemon does so: a command may have been started without its settings.
   */
  pruneDiffs(nowMs: number, diffDays: number): Promise<number>;
  /** RFCs that may leave for the archive, and their references. */
  archive: ArchiveSide;
  /** Whether decisions are taken: the start compares the trail with its last checkpoint. */
  gate: TrailGate;
  /** The trail as it is stored, and the chain of this boot. */
  source: StoredTrail;
  chain: string;
  /** Accepts the gap in the trail, as an entry of it (see `acceptGap`). */
  acceptGap(asked: { chain: string; actor: string; reason: string }): Promise<void>;
  /** Settles the writes that wait, signs the end of the trail, releases the data directory. */
  close(): Promise<void>;
}

/**
 * Locks the data directory, opens the database, brings it to the newest version, and
 * begins a chain of the trail. FAILED_PRECONDITION when another daemon has the directory or a
 * newer one wrote the database.
 */
export function createSqliteWriter(options: SqliteWriterOptions): SqliteWriter {
  const { dataDir, now, lanes = [] } = options;
  const paths = storePaths(dataDir);
  const closers: (() => void)[] = [];
  const closeAll = () => {
    for (const close of closers.splice(0).reverse()) close();
  };
  try {
    makeDirectory(dataDir);
    closers.push(lockDataDir(dataDir).release);
    if (readCopyMarker(dataDir) !== null) throw halfCopied(dataDir);
    const database = openForWriting(paths.database);
    closers.push(() => database.close());
    makeDirectory(paths.diffs);
    const segments = createDiffSegments(paths.diffs, now);
    closers.push(segments.close);
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
    const ending = new AbortController();
    // What a full disk or the end of the daemon leaves uncounted is counted after the next start.
    const catchingUp = (async () => {
      await repeatWrite(commits, createOlderCounting(database, commits.trends), ending.signal);
      await repeatWrite(commits, createOlderIndexing(database), ending.signal);
    })().catch(() => undefined);
    const chain = () => log.mark().chain.chain;
    const prove = createEntryProofs({ source, signer, chain, seal: seals.seal });
    return {
      ...createWriters({ database, segments, log, commits, settle, gate, prove, now, lanes }),
      async pruneDiffs(nowMs, diffDays) {
        // First, as this works on a full disk, too, and makes room there.
        const inFiles = segments.prune(nowMs, diffDays);
        forgetTrends(database, nowMs);
        dropReports(database, nowMs);
        const pruned = new Set<number>();
        const prune = createPruning(database, { nowMs, days: diffDays, pruned });
        await repeatWrite(commits, prune, ending.signal);
        return inFiles + pruned.size;
      },
      archive: createArchiveSide(database, (step) => commits.write(0, step, null)),
      gate,
      source,
      chain: chain(),
      async acceptGap(asked) {
        await acceptGap(source, kept, asked, async (events) => {
          await settle(commits.write(0, () => events.forEach(log.append), null));
        });
        await gate.check();
      },
      async close() {
        await checked;
        ending.abort();
        await catchingUp;
        await commits.drained();
        await seals.close();
        closeAll();
      },
    };
  } catch (thrown) {
    closeAll();
    throw fromOpening(dataDir, thrown);
  }
}

/** The writing methods of all services. */
export function createWriters(
  parts: WriterParts & { settle: TrailSettle; gate: TrailGate; prove: ProveEntries },
): StoreWriter {
  const { database, commits, settle, now, lanes = [] } = parts;
  return {
    records: inGroups(commits, createRecordSteps(parts)),
    trail: createTrailWriter(parts),
    pushes: createPushWriter(parts),
    tasks: inGroups(commits, createTaskSteps(database)),
    usage: inGroups(commits, createUsageSteps(database)),
    reviews: inGroups(commits, createReviewSteps(database, now)),
    rulebook: settled(settle, inGroups(commits, createRulebookSteps(parts))),
    sessions: inGroups(commits, createSessionSteps(database, now)),
    deploys: inGroups(commits, createDeploySteps(database)),
    events: inGroups(commits, createEventSteps(database, lanes).steps),
  };
}

export interface SqliteReaderOptions {
  dataDir: string;
  /** The clock of the writer: ms since the epoch. */
  now: () => number;
}

/** The reading side of the SQLite driver. */
export interface SqliteReader extends StoreReader {
  /**
   * Runs several reads on one view of the database, which is at least as new as this call. Locking
   * it takes 1.6 us of each statement that runs alone, a fifth of a short one.
   */
  together(run: () => void): void;
  close(): void;
}

/** Opens a data directory that a writer has opened before; takes no lock on it. */
export function createSqliteReader({ dataDir, now }: SqliteReaderOptions): SqliteReader {
  const paths = storePaths(dataDir);
  try {
    const database = openForReading(paths.database);
    const begin = database.prepare('BEGIN');
    const commit = database.prepare('COMMIT');
    return {
      ...createReaders(database, paths, now),
      together(run) {
        begin.run();
        try {
          run();
        } finally {
          // After some errors SQLite has ended it.
          if (database.inTransaction) commit.run();
        }
      },
      close: () => {
        database.close();
      },
    };
  } catch (thrown) {
    throw fromOpening(dataDir, thrown);
  }
}

/** The reading methods of all services; `places`: directories beside the database. */
export function createReaders(
  database: Connection,
  places: Parameters<typeof createRecordsReader>[1],
  now: () => number,
): StoreReader {
  const readers: StoreReader = {
    records: createRecordsReader(database, places),
    trail: createTrailReader(database),
    pushes: createPushReader(database, now),
    tasks: createTaskReader(database),
    usage: createUsageReader(database),
    reviews: createReviewReader(database),
    rulebook: createRulebookReader(database),
    sessions: createSessionReader(database),
    deploys: createDeployReader(database),
    events: createEventReader(database),
  };
  const guardedReaders = Object.entries(readers).map(([name, methods]) => [
    name,
    guardedReads(methods),
  ]);
  return Object.fromEntries(guardedReaders) as StoreReader;
}

/** Statements on sessions. */
export const SESSION_QUERIES = {
  addSession: insertInto(
    'session',
    'session_id tenant_id principal_id created_at last_seen_at expires_at principal',
    'ON CONFLICT (session_id) DO NOTHING',
  ),
  session: sql<SessionRow>(`
    SELECT session_id, principal, created_at, last_seen_at, expires_at FROM session
    WHERE session_id = ?`),
  touchSession: 'UPDATE session SET last_seen_at = ? WHERE session_id = ? AND last_seen_at < ?',
  deleteSession: 'DELETE FROM session WHERE session_id = ?',
  deleteSessionsOf: 'DELETE FROM session WHERE tenant_id = ? AND principal_id = ?',
  deleteEndedSessions: 'DELETE FROM session WHERE expires_at <= ?',
} as const;

/** The writing steps on sessions; `now` is ms since the epoch. */
function createSessionSteps(
  database: Connection,
  now: () => number,
): Steps<StoreWriter['sessions']> {
  const queries = prepared(database, SESSION_QUERIES);
  return {
    createSession({ session }) {
      const { session_id, principal, created_at, last_seen_at, expires_at } = session;
      const { tenant_id, id } = principal;
      const row = [session_id, tenant_id, id, created_at, last_seen_at, expires_at];
      const { changes } = queries.addSession.run(...row, JSON.stringify(principal));
      if (changes === 0) throw duplicateSession();
      // Every login deletes the expired ones: no more rows than logins within one session lifetime.
      queries.deleteEndedSessions.run(new Date(now()).toISOString());
      return { ok: true };
    },
    touchSession({ session_id, last_seen_at }) {
      queries.touchSession.run(last_seen_at, session_id, last_seen_at);
      return { ok: true };
    },
    deleteSession({ session_id }) {
      queries.deleteSession.run(session_id);
      return { ok: true };
    },
    deleteSessionsOf: ({ tenant_id, principal_id }) => ({
      deleted: queries.deleteSessionsOf.run(tenant_id, principal_id).changes,
    }),
  };
}

interface SessionRow extends Omit<StoredSession, 'principal'> {
  principal: string;
}

/** The reading methods of Sessions. */
function createSessionReader(database: Connection): StoreReader['sessions'] {
  const queries = prepared(database, SESSION_QUERIES);
  return {
    findSession({ session_id }) {
      const row = queries.session.get(session_id);
      if (row === undefined) return { session: null };
      return { session: { ...row, principal: JSON.parse(row.principal) as Principal } };
    },
  };
}
