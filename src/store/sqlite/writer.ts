import { STORE } from '../../limits.ts';
import type { RecordsWriter } from '../store.ts';
import { lockDataDir } from './data-lock.ts';
import { makeDirectory, openForWriting, storePaths } from './database.ts';
import { createDiffSegments } from './diff-segments.ts';
import { createRecordsWriter } from './records-writer.ts';
import { fromOpening } from './sqlite-error.ts';

export interface SqliteWriterOptions {
  /** Made when it is not there. */
  dataDir: string;
  /** Ms since the epoch. */
  now: () => number;
}

/** The writing side of the SQLite driver: the one owner of its data directory. */
export interface SqliteWriter {
  records: RecordsWriter;
  /** Deletes the diffs whose retention is over at `nowMs`; returns how many days of them. */
  pruneDiffs(nowMs: number): number;
  /** Settles the writes that wait, then gives the data directory back. */
  close(): Promise<void>;
}

/**
 * Locks the data directory, opens the database, brings it to the newest version and prunes.
 * FAILED_PRECONDITION when another daemon has the directory or a newer one wrote the database.
 */
export function createSqliteWriter({ dataDir, now }: SqliteWriterOptions): SqliteWriter {
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
    const { records, drained } = createRecordsWriter({ database, segments, now });
    const pruneDiffs = (nowMs: number) => segments.prune(nowMs, STORE.DIFF_RETENTION_DAYS);
    pruneDiffs(now());
    return {
      records,
      pruneDiffs,
      close: () => drained().then(closeAll),
    };
  } catch (thrown) {
    closeAll();
    throw fromOpening(dataDir, thrown);
  }
}
