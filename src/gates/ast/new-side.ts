import type { Hunk } from '../../diff/diff.ts';

/** The text of a hunk in the new file. */
export interface NewSide {
  /** Context and added lines with their newlines, as they are. */
  bytes: Buffer;
  /** Lines of it that the diff adds, as pairs [first, afterLast], from 0. */
  added: [number, number][];
}

const NEWLINE = 10;
const PLUS = 43;
const MINUS = 45;
const BACKSLASH = 92;

/** Context and added lines of a hunk. In a combined diff a line is added if any parent lacks it. */
export function newSideOf(diff: Uint8Array, hunk: Hunk): NewSide {
  const body = Buffer.from(diff.buffer, diff.byteOffset + hunk.start, hunk.end - hunk.start);
  const kept = Buffer.allocUnsafe(body.length);
  const added: [number, number][] = [];
  let length = 0;
  let line = 0;
  for (let start = 0; start < body.length; ) {
    const newline = body.indexOf(NEWLINE, start);
    const end = newline < 0 ? body.length : newline + 1;
    const mark = markOf(body, start, end, hunk.markers);
    if (mark !== MINUS && mark !== BACKSLASH) {
      if (mark === PLUS) extend(added, line);
      // A context line without its blank is an empty one.
      const isEmpty = body[start] === NEWLINE;
      length += body.copy(kept, length, isEmpty ? start : Math.min(start + hunk.markers, end), end);
      line += 1;
    }
    start = end;
  }
  return { bytes: kept.subarray(0, length), added };
}

/** Minus if the new file lacks the line, plus if it is new there, else the first column. */
function markOf(body: Buffer, start: number, end: number, markers: number): number | undefined {
  let mark = body[start];
  for (let at = start; at < start + markers && at < end; at += 1) {
    if (body[at] === MINUS) return MINUS;
    if (body[at] === PLUS) mark = PLUS;
  }
  return mark;
}

function extend(ranges: [number, number][], line: number): void {
  const last = ranges.at(-1);
  if (last !== undefined && last[1] === line) last[1] = line + 1;
  else ranges.push([line, line + 1]);
}
