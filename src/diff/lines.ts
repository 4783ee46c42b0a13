import { asBuffer, BYTE, lineEnd } from './bytes.ts';
import type { Hunk } from './diff.ts';

/** Kinds of body lines, as small numbers because they are compared once a line. */
export const LINE = { CONTEXT: 0, ADDED: 1, REMOVED: 2 } as const;
export type LineKind = (typeof LINE)[keyof typeof LINE];

/**
 * Walks the body lines of hunks without allocating: `open` a hunk, then read the fields after
 * every `next()` that returned true. Notes ("\ No newline at end of file") are passed over.
 *
 * The content is `[start, end)` of the diff: without the marker columns and the final `\n`; the
 * `\r` of a CRLF line is content. `newLine` is the 1-based number of the line in the new file;
 * for a removed line, of the line that took its place.
 */
export class LineCursor {
  kind: LineKind = LINE.CONTEXT;
  start = 0;
  end = 0;
  newLine = 0;
  private readonly bytes: Buffer;
  private at = 0;
  private stop = 0;
  private markers = 1;
  private nextLine = 0;

  /** `bytes` is the diff that the hunks come from. */
  constructor(bytes: Uint8Array) {
    this.bytes = asBuffer(bytes);
  }

  open(hunk: Hunk): void {
    this.at = hunk.start;
    this.stop = hunk.end;
    this.markers = hunk.markers;
    this.nextLine = hunk.newStart;
  }

  next(): boolean {
    const { bytes } = this;
    let from = this.at;
    let end = from;
    do {
      from = this.at;
      if (from >= this.stop) return false;
      end = lineEnd(bytes, from);
      this.at = end + 1;
    } while (bytes[from] === BYTE.BACKSLASH);
    this.kind = this.markers === 1 ? plainKind(bytes[from]) : kindAt(bytes, from, this.markers);
    this.start = Math.min(from + this.markers, end);
    this.end = end;
    this.newLine = this.nextLine;
    if (this.kind !== LINE.REMOVED) this.nextLine += 1;
    return true;
  }
}

/**
 * Kind of the line at `at`, from the columns that hold markers. A `+` in any column wins, so that
 * nothing added goes unseen; git itself never mixes `+` and `-` in one line.
 */
export function kindAt(bytes: Buffer, at: number, markers: number): LineKind {
  let kind: LineKind = LINE.CONTEXT;
  for (let column = at; column < at + markers; column += 1) {
    const byte = bytes[column];
    if (byte === BYTE.PLUS) return LINE.ADDED;
    if (byte === BYTE.MINUS) kind = LINE.REMOVED;
    else if (byte !== BYTE.SPACE) break;
  }
  return kind;
}

function plainKind(byte: number | undefined): LineKind {
  if (byte === BYTE.PLUS) return LINE.ADDED;
  return byte === BYTE.MINUS ? LINE.REMOVED : LINE.CONTEXT;
}
