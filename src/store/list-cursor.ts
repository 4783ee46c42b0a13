import { CraError } from '../domain/errors.ts';

const CURSOR_CHARS_MAX = 32;
const SEQUENCE = /^[1-9]\d{0,15}$/;

/** A place in the order of a list, as callers carry it: opaque to them. */
export function encodeCursor(sequence: number): string {
  return Buffer.from(String(sequence)).toString('base64url');
}

/** The sequence of a cursor that `encodeCursor` made; INVALID_ARGUMENT for any other text. */
export function decodeCursor(cursor: string): number {
  if (cursor.length <= CURSOR_CHARS_MAX) {
    const text = Buffer.from(cursor, 'base64url').toString('latin1');
    const sequence = Number(text);
    // Decoding base64url skips what it does not know; only the canonical form is ours.
    if (SEQUENCE.test(text) && Number.isSafeInteger(sequence) && encodeCursor(sequence) === cursor)
      return sequence;
  }
  throw new CraError('INVALID_ARGUMENT', 'cursor is not one that this service gave', {
    details: { field: 'cursor' },
  });
}
