import { CraError } from '../../model/errors.ts';
import { searchTexts } from '../../model/search.ts';
import {
  COPY_PAGE,
  type CopiedDiff,
  type CopiedRfc,
  type CopyCursor,
  type CopyPage,
  type CopyRow,
  picked,
  RFC_FIELDS,
  type RfcFields,
} from '../copy.ts';
import { parseRecord, searchedOf, weightOf } from '../stored-record.ts';
import { type Connection, insertInto } from './connection.ts';
import { createDiffReader, type DiffSegments, dayOfDiff, type SmallDiffs } from './diffs.ts';

/** How one kind is read and written. */
export interface KindCopy {
  read(after: CopyCursor | null): CopyPage;
  /** Within a transaction; `at` is the number of the row. */
  write(row: CopyRow, at: number): void;
}

/** A page within the bounds of COPY_PAGE, from rows that are read one by one. */
export function pageOf<Row>(
  rows: Iterable<Row>,
  map: (row: Row) => CopyRow | null,
  cursorOf: (row: Row) => CopyCursor,
): CopyPage {
  const page: CopyRow[] = [];
  let bytes = 0;
  let read = 0;
  for (const row of rows) {
    const mapped = map(row);
    if (mapped !== null) page.push(mapped);
    bytes += mapped === null ? 0 : weightOf(mapped);
    read += 1;
    if (read === COPY_PAGE.ROWS || bytes > COPY_PAGE.BYTES)
      return { rows: page, next: cursorOf(row) };
  }
  return { rows: page, next: null };
}

/** better-sqlite3 binds numbers as floats, STRICT takes integers: no table has other numbers. */
export function bound(value: unknown): unknown {
  return typeof value === 'number' ? BigInt(value) : value;
}

/** Where diffs are, and how they are written. */
export interface DiffFiles {
  diffs: string;
  segments: DiffSegments;
  smallDiffs: SmallDiffs;
  /** The day to which the next diffs belong, ms since the epoch. */
  setDay(ms: number): void;
}

interface RfcRow extends RfcFields {
  seq: number;
  diff_segment: string | null;
  diff_offset: number | null;
  diff_lengths: string | null;
  diff_bytes: number | null;
  push_repo: string | null;
  push_ref: string | null;
  push_delivery: Buffer | null;
  push_body: Buffer | null;
  vcs_host: string | null;
  vcs_due: number | null;
  vcs_posted: string | null;
}

/** Records in their order. Leases are not copied: no daemon of the source holds anything. */
export function createRfcCopy(
  database: Connection,
  { diffs, segments, smallDiffs, setDay }: DiffFiles,
): KindCopy {
  const behind = database.prepare<[number], RfcRow>('SELECT * FROM rfc WHERE seq > ? ORDER BY seq');
  const insert = database.prepare(
    insertInto(
      'rfc',
      `seq ${RFC_FIELDS.join(' ')} diff_segment diff_offset diff_lengths diff_bytes push_repo ` +
        'push_ref push_delivery push_body push_accepts vcs_host vcs_due vcs_posted texts',
    ),
  );
  const find = database.prepare<[string], { seq: number }>('SELECT seq FROM rfc WHERE rfc_id = ?');

  const readDiff = createDiffReader(database, diffs);

  function diffOf(row: RfcRow): CopyRow | null {
    const { diff_segment: segment, diff_offset, diff_lengths, diff_bytes } = row;
    if (segment === null || diff_offset === null || diff_bytes === null) return null;
    const lengths = JSON.parse(diff_lengths ?? '[]') as number[];
    try {
      const place = { segment, offset: diff_offset, lengths, bytes: diff_bytes };
      const { chunks, bytes } = readDiff(place);
      return { bytes, chunks, day: dayOfDiff(place) };
    } catch (thrown) {
      if (CraError.fromUnknown(thrown).code === 'NOT_FOUND') return null;
      throw thrown;
    }
  }

  /** Places of a diff's columns; it is durable with the transaction. */
  function stage(diff: CopiedDiff | null): (string | bigint | null)[] {
    if (diff === null) return [null, null, null, null];
    setDay(Date.parse(diff.day));
    const small = smallDiffs.place(diff);
    if (small !== null) smallDiffs.add(small, diff);
    const { segment, offset, lengths, bytes } = small ?? segments.stage(diff);
    return [segment, BigInt(offset), JSON.stringify(lengths), BigInt(bytes)];
  }

  let lastDay: string | null = null;

  return {
    read: (after) =>
      pageOf(
        behind.iterate(Number(after ?? 0)),
        (row) => ({
          ...picked(row, RFC_FIELDS),
          push: pushOf(row),
          vcs:
            row.vcs_host === null
              ? null
              : { host: row.vcs_host, due: row.vcs_due, posted: row.vcs_posted },
          diff: diffOf(row),
        }),
        ({ seq }) => seq,
      ),
    write(copied, at) {
      const row = copied as unknown as CopiedRfc;
      if (find.get(row.rfc_id) !== undefined) return;
      const dayOf = row.diff?.day ?? null;
      // One day's file is open at a time.
      if (dayOf !== null && dayOf !== lastDay) segments.flush();
      lastDay = dayOf ?? lastDay;
      const { push, vcs } = row;
      const record = parseRecord(row.json);
      const accepts = searchedOf(record).isAccepted ? 1n : null;
      insert.run(
        BigInt(at + 1),
        ...RFC_FIELDS.map((name) => bound(row[name])),
        ...stage(row.diff),
        ...[push?.repo ?? null, push?.ref ?? null, bytesOf(push?.delivery), bytesOf(push?.body)],
        ...[accepts, vcs?.host ?? null, bound(vcs?.due ?? null), vcs?.posted ?? null],
        JSON.stringify(searchTexts(record)),
      );
    },
  };
}

function pushOf({ push_ref: ref, push_repo, repo_key, ...row }: RfcRow): CopyRow | null {
  if (ref === null) return null;
  const delivery = row.push_delivery?.toString('hex') ?? null;
  return {
    repo: push_repo ?? repo_key,
    ref,
    delivery,
    body: row.push_body?.toString('hex') ?? null,
  };
}

function bytesOf(hex: string | null | undefined): Buffer | null {
  return hex === null || hex === undefined ? null : Buffer.from(hex, 'hex');
}
