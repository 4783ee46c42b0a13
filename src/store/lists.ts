import { CraError } from '../model/errors.ts';
import type { RfcRecord } from '../model/records.ts';
import { type RfcStatus, statusRank } from '../model/rfc.ts';
import { type ScoredChange, scoredChangeOf } from '../model/score.ts';
import type { TaskRecord } from '../model/task.ts';
import type { ListOutput } from './contract/records.ts';
import { parseRecord } from './stored-record.ts';

/** What a list needs of a record; `Place` is where it stands in the order of the store. */
export interface ListRow<Place> {
  seq: Place;
  status: RfcStatus;
  /** The RfcSummary as JSON. */
  summary: string;
}

/** The rows of a page; there is one more than `limit` of them when another page follows. */
export function cutPage<Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (last: Row) => string,
): { page: Row[]; next_cursor: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { page, next_cursor: hasMore ? cursorOf(last) : null };
}

/**
 * A page of RFCs, newest first, from rows as `cutPage` takes them; `end`: the place where a search
 * stopped looking, null at the end of the list.
 */
export function listPage<Place>(
  rows: readonly ListRow<Place>[],
  limit: number,
  encode: (place: Place) => string,
  end: Place | null = null,
): ListOutput {
  const { page, next_cursor: next } = cutPage(rows, limit, ({ seq }) => encode(seq));
  const next_cursor = next ?? (end === null ? null : encode(end));
  // Sorting is stable: within a status the newest stays first.
  page.sort((a, b) => statusRank(a.status) - statusRank(b.status));
  const texts = page.map((row) => row.summary);
  // The summaries are JSON already: nothing is parsed.
  return { json: `[${texts.join(',')}]`, next_cursor };
}

/** A page of what is known of risks, from rows as `cutPage` takes them. */
export function scoresPage<Place>(
  rows: readonly { seq: Place; json: string }[],
  limit: number,
  encode: (place: Place) => string,
): { scores: ScoredChange[]; next_cursor: string | null } {
  const { page, next_cursor } = cutPage(rows, limit, ({ seq }) => encode(seq));
  return {
    scores: page.flatMap(({ json }) => scoredChangeOf(parseRecord(json)) ?? []),
    next_cursor,
  };
}

/** A page of drafts, oldest first; another page follows a full one. */
export function draftsPage<Place>(
  rows: readonly { seq: Place; json: string }[],
  limit: number,
  encode: (place: Place) => string,
): { drafts: RfcRecord[]; next_cursor: string | null } {
  const last = rows.length < limit ? undefined : rows.at(-1);
  return {
    drafts: rows.map(({ json }) => parseRecord(json)),
    next_cursor: last === undefined ? null : encode(last.seq),
  };
}

/** A page of tasks, from rows as `cutPage` takes them. */
export function tasksPage<Place>(
  rows: readonly { seq: Place; json: string }[],
  limit: number,
  encode: (place: Place) => string,
): { tasks: TaskRecord[]; next_cursor: string | null } {
  const { page, next_cursor } = cutPage(rows, limit, ({ seq }) => encode(seq));
  return { tasks: page.map(({ json }) => JSON.parse(json) as TaskRecord), next_cursor };
}

const CURSOR_CHARS_MAX = 32;
const SEQUENCE = /^[1-9]\d{0,15}$/;

/** A place in the order of a list, as callers carry it: opaque to them. */
export function encodeCursor(sequence: number): string {
  return encodePlace(String(sequence));
}

/** The sequence of a cursor that `encodeCursor` made; INVALID_ARGUMENT for any other text. */
export function decodeCursor(cursor: string): number {
  return decodePlace(cursor, (text) => {
    const sequence = Number(text);
    return SEQUENCE.test(text) && Number.isSafeInteger(sequence) ? sequence : null;
  });
}

/** As `encodeCursor`, for a place that several texts make. */
export function encodeKeys(keys: readonly string[]): string {
  return Buffer.from(JSON.stringify(keys)).toString('base64url');
}

const KEYS_CHARS_MAX = 4_096;

/** The texts, as many as `count`; INVALID_ARGUMENT for any other cursor. */
export function decodeKeys(cursor: string, count: number): string[] {
  try {
    if (cursor.length > KEYS_CHARS_MAX) throw invalidCursor();
    const keys: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const isList = Array.isArray(keys) && keys.length === count;
    if (isList && keys.every((key) => typeof key === 'string')) return keys;
  } catch {
    // Not one of ours.
  }
  throw invalidCursor();
}

/** What `encodeKeys` made of a time (ISO 8601) and another text; INVALID_ARGUMENT else. */
export function decodeTimed(cursor: string): { at: string; rest: string } {
  const [at = '', rest = ''] = decodeKeys(cursor, 2);
  if (Number.isNaN(Date.parse(at))) throw invalidCursor();
  return { at, rest };
}

function invalidCursor(): CraError {
  const message = 'cursor is not valid: pass the next_cursor of a former answer';
  return new CraError('INVALID_ARGUMENT', message, { details: { field: 'cursor' } });
}

/** As `encodeCursor`, for a place that is not a number: at most 24 characters of ASCII. */
export function encodePlace(place: string): string {
  return Buffer.from(place).toString('base64url');
}

/** What `parse` makes of the text in a cursor; INVALID_ARGUMENT when that is null. */
export function decodePlace<Place>(cursor: string, parse: (text: string) => Place | null): Place {
  if (cursor.length <= CURSOR_CHARS_MAX) {
    const text = Buffer.from(cursor, 'base64url').toString('latin1');
    const place = parse(text);
    // Decoding base64url skips what it does not know; only the canonical form is ours.
    if (place !== null && encodePlace(text) === cursor) return place;
  }
  throw invalidCursor();
}
