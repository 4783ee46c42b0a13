import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writevSync,
} from 'node:fs';
import { join } from 'node:path';
import type { SealedDiff } from '../../core/seal.ts';
import { expiredDiff, incompleteDiff } from '../errors.ts';
import { STORE } from '../limits.ts';
import { type Connection, prepared, sql } from './connection.ts';
import { syncDirectory } from './database.ts';
import { errorCode } from './errors.ts';

/**
 * Large sealed diffs stand end to end in one file a day, `YYYY-MM-DD.seg`, with nothing between
 * them; where each one is stands in its RFC's row:
 *
 *     2026-11-21.seg   | chunk | chunk | chunk |  (torn tail)  | chunk |
 *                      ^ offset: 0     ^ offset of the next
 *                        lengths: [a, b]
 *
 * A file is only appended to, and made durable before the rows that refer to it are committed.
 * Bytes that a crash leaves behind have no row, so they are never read. Diffs of up to
 * STORE.SMALL_DIFF_BYTES_MAX stand in the database instead (`small_diff`), so that most
 * batches are made durable by one sync.
 */
export interface DiffReference {
  /** Name of the file; SMALL: the diff is in the database, at `offset`. */
  segment: string;
  offset: number;
  lengths: number[];
  bytes: number;
}

export interface DiffSegments {
  /** Gives a diff its place; it is written with the next `flush`. */
  stage(diff: SealedDiff): DiffReference;
  /** How much is staged now; `rewind` undoes what was staged since. */
  mark(): number;
  rewind(mark: number): void;
  /** Writes all that is staged and makes it durable, with one sync. */
  flush(): void;
  /** Deletes the days that are older than `days` full days; returns how many. */
  prune(now: number, days: number): number;
  close(): void;
}

interface OpenSegment {
  name: string;
  descriptor: number;
  /** Where the next flush writes. */
  end: number;
}

const SEGMENT_NAME = /^\d{4}-\d\d-\d\d\.seg$/;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Opens the diffs of a directory for appending. `now` returns ms since the epoch. */
export function createDiffSegments(directory: string, now: () => number): DiffSegments {
  let open: OpenSegment | null = null;
  const staged: Uint8Array[] = [];
  let stagedBytes = 0;

  function close(): void {
    if (open !== null) closeSync(open.descriptor);
    open = null;
    rewind(0);
  }

  function rewind(mark: number): void {
    for (const chunk of staged.splice(mark)) stagedBytes -= chunk.length;
  }

  return {
    stage({ chunks, bytes }) {
      const name = segmentName(now());
      // A batch that spans midnight stays in its first day's file: one sync.
      if (open === null || (staged.length === 0 && open.name !== name)) {
        close();
        open = openSegment(directory, name);
      }
      const offset = open.end + stagedBytes;
      const lengths = chunks.map((chunk) => chunk.length);
      staged.push(...chunks);
      for (const length of lengths) stagedBytes += length;
      return { segment: open.name, offset, lengths, bytes };
    },
    mark: () => staged.length,
    rewind,
    flush() {
      if (open === null || staged.length === 0) return;
      try {
        writeAll(open.descriptor, staged, open.end);
        fdatasyncSync(open.descriptor);
        open.end += stagedBytes;
        rewind(0);
      } catch (thrown) {
        // After a failed sync nothing is known of the file's tail: begin behind it.
        close();
        throw thrown;
      }
    },
    prune(nowMs, days) {
      const oldest = segmentName(nowMs - days * DAY_MS);
      const names = readdirSync(directory).filter((name) => SEGMENT_NAME.test(name));
      const expired = names.filter((name) => name < oldest);
      for (const name of expired) rmSync(join(directory, name), { force: true });
      return expired.length;
    },
    close,
  };
}

/** In place of the name of a file; a trigger of the schema knows it. */
const SMALL = 'small';

/** Statements on small diffs. */
export const SMALL_DIFF_QUERIES = {
  addSmallDiff: 'INSERT INTO small_diff (place, sealed) VALUES (?, ?)',
  smallDiff: sql<{ sealed: Buffer }>('SELECT sealed FROM small_diff WHERE place = ?'),
  newestSmallDiff: sql<{ place: number }>(`
    SELECT place FROM small_diff WHERE place >= ? AND place < ? ORDER BY place DESC LIMIT 1`),
  oldestSmallDiffs: sql<{ place: number }>(
    'SELECT place FROM small_diff WHERE place < ? ORDER BY place LIMIT ?',
  ),
  dropSmallDiffs: 'DELETE FROM small_diff WHERE place <= ?',
} as const;

/**
 * Places of a day: they begin with its number, so that diffs of a day stand together and are found
 * when its retention is over. A whole number that is safe holds centuries of them.
 */
const DAY_PLACES = 2 ** 36;

/** Small diffs on their way into the database. */
export interface SmallDiffs {
  /** The place of a diff that is to be added in this transaction; null: it is not small. */
  place(diff: SealedDiff): DiffReference | null;
  add(reference: DiffReference, diff: SealedDiff): void;
}

/** Opens them for writing. `now` returns ms since the epoch. */
export function createSmallDiffs(database: Connection, now: () => number): SmallDiffs {
  const queries = prepared(database, SMALL_DIFF_QUERIES);
  let day = -1;
  let next = 0;
  return {
    place({ chunks, bytes }) {
      const lengths = chunks.map((chunk) => chunk.length);
      const size = lengths.reduce((sum, length) => sum + length, 0);
      if (size > STORE.SMALL_DIFF_BYTES_MAX) return null;
      const today = Math.floor(now() / DAY_MS);
      if (today !== day) {
        const first = today * DAY_PLACES;
        next = (queries.newestSmallDiff.get(first, first + DAY_PLACES)?.place ?? first) + 1;
        day = today;
      }
      return { segment: SMALL, offset: next++, lengths, bytes };
    },
    add({ offset }, { chunks }) {
      const [only] = chunks;
      queries.addSmallDiff.run(offset, chunks.length === 1 ? only : Buffer.concat(chunks));
    },
  };
}

/** Small diffs that one step deletes. */
const PRUNED_AT_ONCE = 500;

/**
 * A step that deletes small diffs which are older than `days` full days at `nowMs` (see
 * `repeatWrite`). `pruned` gets the days of which it has deleted some.
 */
export function createPruning(
  database: Connection,
  { nowMs, days, pruned }: { nowMs: number; days: number; pruned: Set<number> },
): () => number {
  const queries = prepared(database, SMALL_DIFF_QUERIES);
  const end = (Math.floor(nowMs / DAY_MS) - days) * DAY_PLACES;
  return () => {
    const places = queries.oldestSmallDiffs.all(end, PRUNED_AT_ONCE).map(({ place }) => place);
    const last = places.at(-1);
    if (last !== undefined) queries.dropSmallDiffs.run(last);
    for (const place of places) pruned.add(Math.floor(place / DAY_PLACES));
    return places.length;
  };
}

/** Reads diffs wherever they stand. NOT_FOUND when their day is gone, DATA_LOSS for a part. */
export type ReadDiff = (reference: DiffReference) => SealedDiff;

/** Opens a reader over the database and the directory of the files. */
export function createDiffReader(database: Connection, directory: string): ReadDiff {
  const queries = prepared(database, SMALL_DIFF_QUERIES);
  return (reference) => {
    if (reference.segment !== SMALL) return readSegment(directory, reference);
    const row = queries.smallDiff.get(reference.offset);
    if (row === undefined) throw expiredDiff();
    let at = 0;
    const chunks = reference.lengths.map((length) => {
      const chunk = new Uint8Array(row.sealed.subarray(at, at + length));
      at += length;
      return chunk;
    });
    if (at !== row.sealed.length) throw incompleteDiff();
    return { chunks, bytes: reference.bytes };
  };
}

/** The day on which a diff was stored, YYYY-MM-DD. */
export function dayOfDiff({ segment, offset }: DiffReference): string {
  if (segment !== SMALL) return segment.slice(0, 10);
  return new Date(Math.floor(offset / DAY_PLACES) * DAY_MS).toISOString().slice(0, 10);
}

function readSegment(directory: string, reference: DiffReference): SealedDiff {
  const descriptor = openToRead(join(directory, reference.segment));
  try {
    let position = reference.offset;
    const chunks = reference.lengths.map((length) => {
      const chunk = new Uint8Array(length);
      readAll(descriptor, chunk, position);
      position += length;
      return chunk;
    });
    return { chunks, bytes: reference.bytes };
  } finally {
    closeSync(descriptor);
  }
}

function segmentName(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 10)}.seg`;
}

function openSegment(directory: string, name: string): OpenSegment {
  const path = join(directory, name);
  const isNew = !existsSync(path);
  const descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    if (isNew) syncDirectory(directory);
    return { name, descriptor, end: fstatSync(descriptor).size };
  } catch (thrown) {
    closeSync(descriptor);
    throw thrown;
  }
}

function writeAll(descriptor: number, chunks: readonly Uint8Array[], offset: number): void {
  let rest = [...chunks];
  let position = offset;
  while (rest.length > 0) {
    let written = writevSync(descriptor, rest, position);
    position += written;
    // A write may stop anywhere: go on behind what it took.
    let done = 0;
    for (const chunk of rest) {
      if (written < chunk.length) break;
      written -= chunk.length;
      done += 1;
    }
    rest = rest.slice(done);
    const first = rest[0];
    if (first !== undefined) rest[0] = first.subarray(written);
  }
}

function openToRead(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (thrown) {
    if (errorCode(thrown) !== 'ENOENT') throw thrown;
    throw expiredDiff();
  }
}

function readAll(descriptor: number, into: Uint8Array, position: number): void {
  let filled = 0;
  while (filled < into.length) {
    const got = readSync(descriptor, into, filled, into.length - filled, position + filled);
    if (got === 0) throw incompleteDiff();
    filled += got;
  }
}
