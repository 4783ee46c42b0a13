import { asBuffer } from '../../diff/bytes.ts';
import type { Hunk } from '../../diff/diff.ts';
import { LINE, LineCursor } from '../../diff/lines.ts';

/** The text of a hunk in the new file. */
interface NewSide {
  /** Context and added lines, each with a newline; UTF-8 if the file is. */
  text: Buffer;
  /** Lines of it that the diff adds, as pairs [first, afterLast], from 0. */
  added: [number, number][];
}

const NEWLINE = 10;

/** Context and added lines of a hunk. */
export function newSideOf(diff: Uint8Array, hunk: Hunk): NewSide {
  const bytes = asBuffer(diff);
  // A line may lack its newline at the end of the diff, and loses a marker.
  const text = Buffer.allocUnsafe(hunk.end - hunk.start + 1);
  const added: [number, number][] = [];
  const cursor = new LineCursor(diff);
  cursor.open(hunk);
  let length = 0;
  while (cursor.next()) {
    if (cursor.kind === LINE.REMOVED) continue;
    if (cursor.kind === LINE.ADDED) extend(added, cursor.newLine - hunk.newStart);
    length += bytes.copy(text, length, cursor.start, cursor.end);
    text[length] = NEWLINE;
    length += 1;
  }
  return { text: text.subarray(0, length), added };
}

function extend(ranges: [number, number][], line: number): void {
  const last = ranges.at(-1);
  if (last !== undefined && last[1] === line) last[1] = line + 1;
  else ranges.push([line, line + 1]);
}
