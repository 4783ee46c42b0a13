import { isUtf8 } from 'node:buffer';
import { type Hunk, LINE, LineCursor } from '../../diff/diff.ts';
import { RISK_GATE } from '../limits.ts';
import type { CompiledRule } from './compiled-rules.ts';
import {
  CONTEXT_BYTES,
  type LineRange,
  type Located,
  type MatchSink,
  type Piece,
} from './match.ts';
import type { Hit, Report } from './report.ts';
import { replaceInvalid } from './unicode.ts';

const CR = 0x0d;
const LF = 0x0a;

/** What a change did to a line of the new side, as bits. */
const CHANGE = { ADDED: 1, REMOVED_BEFORE: 2 } as const;

/** Where a byte of the joined text comes from. */
interface Place {
  /** 1-based line of the new file. */
  line: number;
  /** Offset in the diff of the byte and of its line's first byte. */
  offset: number;
  lineStart: number;
}

/**
 * The new side of a hunk (its context and added lines), joined by `\n`, in pieces that fit a buffer
 * which is used again for every hunk: `open` a hunk, then use `piece` after every `next()` that
 * returned true.
 *
 *     joined text   |---------------- piece 1 -----------|
 *                                              |- c -|----------- piece 2 --------- ...
 *                                        own of 1 ---'    (c: context; the overlap follows it)
 *
 * Bytes that are not UTF-8 have become `?`.
 */
export class HunkText {
  piece: Piece = { text: Buffer.alloc(0), base: 0, from: 0, own: 0 };
  private readonly cursor: LineCursor;
  private readonly bytes: Buffer;
  private readonly buffer: Buffer;
  /** Bytes in the buffer, and the offset of the first one in the joined text. */
  private length = 0;
  private base = 0;
  private isFinished = true;
  /** The lines in the buffer: offset in the joined text, offset in the diff, number. */
  private starts: number[] = [];
  private sources: number[] = [];
  private numbers: number[] = [];
  /** What the change did to them: see `CHANGE`. */
  private changes: number[] = [];
  /** What of the current line is still to be copied. */
  private at = 0;
  private end = 0;

  /** `buffer` has HUNK_WINDOW_BYTES and one more. */
  constructor(bytes: Buffer, buffer: Buffer) {
    this.bytes = bytes;
    this.buffer = buffer;
    this.cursor = new LineCursor(bytes);
  }

  open(hunk: Hunk): void {
    this.cursor.open(hunk);
    this.length = 0;
    this.base = 0;
    this.isFinished = false;
    this.starts = [];
    this.sources = [];
    this.numbers = [];
    this.changes = [];
    this.at = 0;
    this.end = 0;
  }

  next(): boolean {
    if (this.isFinished) return false;
    const isFirst = this.length === 0;
    if (!isFirst) this.keepOverlap();
    const filled = this.length;
    this.fill();
    const text = this.buffer.subarray(0, this.length);
    if (!isUtf8(text)) replaceInvalid(text.subarray(filled));
    const own = this.isFinished
      ? Number.POSITIVE_INFINITY
      : this.length - RISK_GATE.HUNK_OVERLAP_BYTES;
    this.piece = { text, base: this.base, from: isFirst ? 0 : CONTEXT_BYTES, own };
    return !isFirst || this.length > 0;
  }

  /** Where the byte at `offset` of the joined text comes from; it must be in the current piece. */
  placeOf(offset: number): Place {
    const index = lastAtMost(this.starts, offset);
    const lineStart = this.sources[index] ?? 0;
    const column = offset - (this.starts[index] ?? 0);
    return { line: this.numbers[index] ?? 0, offset: lineStart + column, lineStart };
  }

  /**
   * Where the change touches `[start, end)` of the joined text: where its first added line starts
   * (or `start`, on such a line), or `start` when lines were removed between its ends. Null when
   * all of it is as it was.
   */
  changeIn(start: number, end: number): { at: number; isAdded: boolean } | null {
    const first = lastAtMost(this.starts, start);
    let isCut = false;
    for (let index = first; (this.starts[index] ?? end) < end; index += 1) {
      const change = this.changes[index] ?? 0;
      if ((change & CHANGE.ADDED) !== 0) {
        return { at: Math.max(start, this.starts[index] ?? start), isAdded: true };
      }
      isCut ||= index > first && change === CHANGE.REMOVED_BEFORE;
    }
    return isCut ? { at: start, isAdded: false } : null;
  }

  /** The diff ranges, line by line, that `[start, end)` of the joined text comes from. */
  sourceOf(start: number, end: number): [start: number, end: number][] {
    const ranges: [number, number][] = [];
    let index = lastAtMost(this.starts, start);
    for (let at = start; at < end; index += 1) {
      const next = this.starts[index + 1] ?? Number.POSITIVE_INFINITY;
      // A line ends one byte, its `\n`, before the next one starts.
      const last = Math.min(end, next - 1);
      const shift = (this.sources[index] ?? 0) - (this.starts[index] ?? 0);
      if (last > at) ranges.push([at + shift, last + shift]);
      at = next;
    }
    return ranges;
  }

  /** Moves the end of the piece to the front of the buffer: the next one overlaps by it. */
  private keepOverlap(): void {
    const shift = this.length - RISK_GATE.HUNK_OVERLAP_BYTES - CONTEXT_BYTES;
    this.buffer.copyWithin(0, shift, this.length);
    this.base += shift;
    this.length -= shift;
    const gone = lastAtMost(this.starts, this.base);
    this.starts = this.starts.slice(gone);
    this.sources = this.sources.slice(gone);
    this.numbers = this.numbers.slice(gone);
    this.changes = this.changes.slice(gone);
  }

  private fill(): void {
    for (;;) {
      const room = RISK_GATE.HUNK_WINDOW_BYTES - this.length;
      const size = Math.min(room, this.end - this.at);
      this.bytes.copy(this.buffer, this.length, this.at, this.at + size);
      this.length += size;
      this.at += size;
      // A line break must find room, too.
      if (size === room) return;
      if (!this.nextLine()) {
        this.isFinished = true;
        return;
      }
    }
  }

  /** Goes on to the next line of the new side. */
  private nextLine(): boolean {
    const { cursor } = this;
    let change = 0;
    do {
      if (!cursor.next()) return false;
      if (cursor.kind === LINE.REMOVED) change |= CHANGE.REMOVED_BEFORE;
    } while (cursor.kind === LINE.REMOVED);
    if (cursor.kind === LINE.ADDED) change |= CHANGE.ADDED;
    if (this.numbers.length > 0) {
      this.buffer[this.length] = LF;
      this.length += 1;
    }
    const isCrlf = cursor.end > cursor.start && this.bytes[cursor.end - 1] === CR;
    this.at = cursor.start;
    this.end = isCrlf ? cursor.end - 1 : cursor.end;
    this.starts.push(this.base + this.length);
    this.sources.push(this.at);
    this.numbers.push(cursor.newLine);
    this.changes.push(change);
    return true;
  }
}

/** Index of the last element that is not above `value`, 0 if it is absent. */
function lastAtMost(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Reports matches in one added line; their offsets count in the diff. */
export class LineSink implements MatchSink {
  private readonly bytes: Buffer;
  private readonly report: Report;
  private line = 0;
  private range: LineRange = { start: 0, end: 0 };

  constructor(bytes: Buffer, report: Report) {
    this.bytes = bytes;
    this.report = report;
  }

  /** `line` is the 1-based number in the new file, `range` its content in the diff. */
  open(line: number, range: LineRange): void {
    this.line = line;
    this.range = range;
  }

  take(rule: CompiledRule, found: Located): void {
    const { bytes, range } = this;
    const { start, end } = found;
    // Of a long line an allowlist sees what is near the match, else n matches would cost n².
    const lineStart = Math.max(range.start, start - RISK_GATE.LINE_WINDOW_BYTES);
    const lineEnd = Math.min(range.end, end + RISK_GATE.LINE_WINDOW_BYTES);
    this.report.add({
      rule,
      place: { line: this.line, endLine: this.line, column: start - range.start + 1 },
      shown: { lineStart: range.start, lineEnd: range.end, matchStart: start, matchEnd: end },
      ...inPlace(bytes, found, bytes.subarray(lineStart, lineEnd)),
    });
  }

  giveUp(rule: CompiledRule): void {
    this.report.giveUp(rule, this.line, this.range);
  }
}

/**
 * Reports matches in the new side of a hunk that the change made: matches with an added line, or
 * from between whose ends a line was removed. Offsets count in the joined text. What is shown, and
 * the place, begin with the first added line.
 */
export class HunkSink implements MatchSink {
  private readonly text: HunkText;
  private readonly bytes: Buffer;
  private readonly report: Report;

  constructor(text: HunkText, bytes: Buffer, report: Report) {
    this.text = text;
    this.bytes = bytes;
    this.report = report;
  }

  take(rule: CompiledRule, found: Located): void {
    const { piece } = this.text;
    const { text, base } = piece;
    const { end, secretStart, secretEnd } = found;
    let { start } = found;
    // A match may begin with the line break before what it is about.
    while (start < end - 1 && text[start - base] === LF) start += 1;
    const change = this.text.changeIn(start, end);
    if (change === null) return;
    const first = this.text.placeOf(change.at);
    const last = this.text.placeOf(end - 1);
    const [shown] = this.text.sourceOf(change.at, end);
    this.report.add({
      rule,
      place: {
        line: first.line,
        endLine: last.line,
        column: first.offset - first.lineStart + 1,
      },
      // A context line may hold secrets of its own, which no rule looked for.
      shown: change.isAdded
        ? {
            lineStart: first.lineStart,
            lineEnd: this.lineEnd(first.offset),
            matchStart: first.offset,
            matchEnd: shown?.[1] ?? first.offset,
          }
        : null,
      texts: {
        secret: text.subarray(secretStart - base, secretEnd - base),
        match: text.subarray(start - base, end - base),
        line: wholeLines(text, start - base, end - base),
      },
      secretAt: this.text.sourceOf(secretStart, secretEnd),
    });
  }

  giveUp(rule: CompiledRule): void {
    const { piece } = this.text;
    const { line } = this.text.placeOf(piece.base);
    for (const [start, end] of this.text.sourceOf(piece.base, piece.base + piece.text.length)) {
      this.report.giveUp(rule, line, { start, end });
    }
  }

  private lineEnd(offset: number): number {
    const end = this.bytes.indexOf(LF, offset);
    const stop = end === -1 ? this.bytes.length : end;
    return stop > offset && this.bytes[stop - 1] === 0x0d ? stop - 1 : stop;
  }
}

/** Reports matches in the header of a file; their offsets count in the diff. */
export class HeaderSink implements MatchSink {
  private readonly bytes: Buffer;
  private readonly report: Report;
  private readonly range: LineRange;

  constructor(bytes: Buffer, report: Report, range: LineRange) {
    this.bytes = bytes;
    this.report = report;
    this.range = range;
  }

  take(rule: CompiledRule, found: Located): void {
    const { bytes, range } = this;
    const { start, end } = found;
    const before = start === 0 ? -1 : bytes.lastIndexOf(LF, start - 1);
    const after = bytes.indexOf(LF, start);
    const lineStart = Math.max(range.start, before + 1);
    const lineEnd = after === -1 ? range.end : Math.min(after, range.end);
    this.report.add({
      rule,
      place: null,
      shown: { lineStart, lineEnd, matchStart: start, matchEnd: Math.min(end, lineEnd) },
      ...inPlace(bytes, found, bytes.subarray(lineStart, lineEnd)),
    });
  }

  giveUp(rule: CompiledRule): void {
    this.report.giveUp(rule, null, this.range);
  }
}

/** Reports secrets in the path of a file; their offsets count in the path. */
export class PathSink implements MatchSink {
  private readonly path: Buffer;
  private readonly report: Report;

  constructor(path: Buffer, report: Report) {
    this.path = path;
    this.report = report;
  }

  take(rule: CompiledRule, found: Located): void {
    const { path } = this;
    const texts = inPlace(path, found, path);
    this.report.add({ rule, place: null, shown: null, ...texts, isInPath: true });
  }

  giveUp(rule: CompiledRule): void {
    this.report.giveUp(rule, null, { start: 0, end: 0 });
  }
}

/** The texts of a match whose offsets count in `bytes`, and where its secret stands. */
function inPlace(
  bytes: Buffer,
  { start, end, secretStart, secretEnd }: Located,
  line: Buffer,
): Pick<Hit, 'texts' | 'secretAt'> {
  const secret = bytes.subarray(secretStart, secretEnd);
  return {
    texts: { secret, match: bytes.subarray(start, end), line },
    secretAt: [[secretStart, secretEnd]],
  };
}

/** The lines that `[start, end)` lies in. */
function wholeLines(text: Buffer, start: number, end: number): Buffer {
  const before = start === 0 ? -1 : text.lastIndexOf(LF, start - 1);
  const after = text.indexOf(LF, end - 1);
  return text.subarray(before + 1, after === -1 ? text.length : after);
}
