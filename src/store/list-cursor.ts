import { CraError } from '../model/errors.ts';

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
  throw new CraError(
    'INVALID_ARGUMENT',
    'cursor is not valid: pass the next_cursor of a former answer',
    {
      details: { field: 'cursor' },
    },
  );
}
