import { BYTE } from '../../diff/bytes.ts';
import { type Hunk, LINE, LineCursor } from '../../diff/diff.ts';
import { RISK_GATE } from '../limits.ts';
import type { Origin, SourceLine } from './derived.ts';
import { continuation, invisibleLength, isBlank } from './unicode.ts';

/** An added line, and where its text begins in the piece. */
interface PieceLine extends SourceLine {
  at: number;
}

/** The memory of a `PlainText`: a text, and where in the diff each of its bytes stands. */
export class PlainBuffer {
  readonly text = Buffer.alloc(RISK_GATE.HUNK_WINDOW_BYTES + 1);
  readonly sources = new Uint32Array(RISK_GATE.HUNK_WINDOW_BYTES + 1);
}

/**
 * The added lines of a hunk as they read: without invisible characters, which leaves ASCII text of
 * UTF-16 too, and with lines that end in `\` joined to the next, less its indentation (make, YAML,
 * TOML and Rust drop it; elsewhere it would end the word).
 *
 * In pieces that fit a buffer, each of which repeats the end of the one before: `open` a hunk, then
 * use `text` and `origin` after every `next()` that returned true.
 */
export class PlainText {
  text: Buffer = Buffer.alloc(0);
  private readonly bytes: Buffer;
  private readonly cursor: LineCursor;
  private readonly buffer: PlainBuffer;
  private lines: PieceLine[] = [];
  private length = 0;
  private isFinished = true;
  private isJoined = false;
  /** What of the current line is still to be copied: `[at, end)`. */
  private at = 0;
  private end = 0;

  constructor(bytes: Buffer, buffer: PlainBuffer) {
    this.bytes = bytes;
    this.buffer = buffer;
    this.cursor = new LineCursor(bytes);
  }

  open(hunk: Hunk): void {
    this.cursor.open(hunk);
    this.lines = [];
    this.length = 0;
    this.isFinished = false;
    this.isJoined = false;
    this.at = 0;
    this.end = 0;
  }

  next(): boolean {
    if (this.isFinished) return false;
    if (this.length > 0) this.keepOverlap();
    while (this.copyLine()) {
      if (this.nextLine()) continue;
      this.isFinished = true;
      break;
    }
    this.text = this.buffer.text.subarray(0, this.length);
    return this.length > 0;
  }

  /** Where the text of the piece stands in the diff; `via` is a sentence for people. */
  origin(via: string | null): Origin {
    return {
      lineAt: (offset) => this.lineAt(offset),
      sourceOf: (start, end) => this.sourceOf(start, end),
      via,
    };
  }

  private lineAt(offset: number): SourceLine {
    return this.lines[this.indexAt(offset)] ?? { number: 0, start: 0, end: 0 };
  }

  /** One range for each line, with the invisible characters in it. */
  private sourceOf(start: number, end: number): [start: number, end: number][] {
    const { sources } = this.buffer;
    const ranges: [number, number][] = [];
    for (let index = this.indexAt(start); index < this.lines.length; index += 1) {
      const from = Math.max(start, this.lines[index]?.at ?? 0);
      const to = Math.min(end, this.lines[index + 1]?.at ?? this.length);
      if (from >= end) break;
      // The line break at the end of a line stands where the line ends.
      if (to > from) ranges.push([sources[from] ?? 0, (sources[to - 1] ?? 0) + 1]);
    }
    return ranges;
  }

  /** Index of the line that the byte at `offset` is of. */
  private indexAt(offset: number): number {
    let low = 0;
    let high = this.lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.lines[middle]?.at ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Moves the end of the piece to its front. */
  private keepOverlap(): void {
    const shift = Math.max(0, this.length - RISK_GATE.PLAIN_OVERLAP_BYTES);
    this.buffer.text.copyWithin(0, shift, this.length);
    this.buffer.sources.copyWithin(0, shift, this.length);
    this.lines = this.lines
      .slice(this.indexAt(shift))
      .map((line) => ({ ...line, at: Math.max(0, line.at - shift) }));
    this.length -= shift;
  }

  /** Copies what is left of the current line; false when there is no room for all of it. */
  private copyLine(): boolean {
    const { bytes } = this;
    while (this.at < this.end) {
      const skipped = invisibleLength(bytes, this.at);
      if (skipped === 0) {
        if (this.length === RISK_GATE.HUNK_WINDOW_BYTES) return false;
        this.put(bytes[this.at] ?? 0, this.at);
      }
      this.at += Math.max(skipped, 1);
    }
    return this.length < RISK_GATE.HUNK_WINDOW_BYTES;
  }

  private put(byte: number, source: number): void {
    this.buffer.text[this.length] = byte;
    this.buffer.sources[this.length] = source;
    this.length += 1;
  }

  /** Goes on to the next added line. */
  private nextLine(): boolean {
    const { bytes, cursor, lines } = this;
    do {
      if (!cursor.next()) return false;
      // A line that stays as it is ends what an added line began.
      if (cursor.kind === LINE.CONTEXT) this.isJoined = false;
    } while (cursor.kind !== LINE.ADDED);
    const { start, end, newLine } = cursor;
    if (lines.length > 0 && !this.isJoined) this.put(BYTE.LF, this.end);
    lines.push({ number: newLine, start, end, at: this.length });
    this.at = this.isJoined ? skipBlank(bytes, start, end) : start;
    const mark = continuation(bytes, start, end);
    this.isJoined = mark !== -1;
    this.end = this.isJoined ? mark : textEnd(bytes, start, end);
    return true;
  }
}

function skipBlank(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && isBlank(bytes[at])) at += 1;
  return at;
}

/** Where the text of a line ends: before its carriage return, around which UTF-16 has NULs. */
function textEnd(bytes: Buffer, start: number, end: number): number {
  let last = end;
  while (last > start && (bytes[last - 1] === 0 || bytes[last - 1] === BYTE.CR)) last -= 1;
  return last;
}
