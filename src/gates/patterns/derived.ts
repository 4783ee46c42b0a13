import { BYTE } from '../../diff/bytes.ts';
import { type Hunk, LINE, LineCursor } from '../../diff/diff.ts';
import { RISK_GATE } from '../limits.ts';
import type { CompiledRule, CompiledRules } from './compiled-rules.ts';
import {
  keywordWindows,
  type LineRange,
  type Located,
  type MatchSink,
  matchPiece,
  matchWindow,
  type Work,
} from './match.ts';
import type { Report } from './report.ts';
import { asUtf8, continuation, invisibleLength, isBlank, type Scratch } from './unicode.ts';
import type { PlainBuffer, Waker, Workspace } from './waker.ts';

const LF = 0x0a;
/** Tokens at the start of a line are woken as behind one (rules/secrets/delimited). */
const TAB = 0x09;
const CR = 0x0d;

export interface SourceLine extends LineRange {
  number: number;
}

/** Where a derived text (decoded, or put together from literals) stands in the diff. */
interface Origin {
  /** 1-based number in the new file, and byte range in the diff, of the line of an offset. */
  lineAt(offset: number): SourceLine;
  /** The diff ranges that `[start, end)` of the text comes from, in order. */
  sourceOf(start: number, end: number): [start: number, end: number][];
  /** A sentence on what was done to get the text; null when that goes without saying. */
  via: string | null;
}

/** Runs secret rules, or all rules, over texts that do not stand in the diff as such. */
export class DerivedScan {
  private readonly rules: CompiledRules;
  private readonly secretWaker: Waker;
  private readonly anyWaker: Waker;
  private waker: Waker;
  private readonly work: Work;
  private readonly scratch: Scratch;
  private readonly sink: DerivedSink;

  constructor(rules: CompiledRules, space: Workspace, work: Work, report: Report) {
    this.rules = rules;
    this.secretWaker = space.secretWaker;
    this.anyWaker = space.anyWaker;
    this.waker = space.secretWaker;
    this.scratch = space.scratch;
    this.work = work;
    this.sink = new DerivedSink(report);
  }

  /** `line` rules see each line of the text, `hunk` rules all of it. */
  scan(text: Buffer, origin: Origin, which: 'secrets' | 'all' = 'secrets'): void {
    const waker = which === 'all' ? this.anyWaker : this.secretWaker;
    const { work, sink } = this;
    this.waker = waker;
    const { next, classes, firstOutput } = this.rules.textKeywords.automaton;
    const lineStart = next[classes[TAB] ?? 0] ?? 0;
    work.countDerived(text.length);
    waker.open();
    let start = 0;
    while (start < text.length) {
      let state = lineStart;
      let at = start;
      waker.next();
      for (; at < text.length; at += 1) {
        const byte = text[at] ?? LF;
        if (byte === LF) break;
        state = next[state + (classes[byte] ?? 0)] ?? 0;
        if (state >= firstOutput) waker.wake(state);
      }
      if (waker.lineCount > 0) this.line(text, { start, end: at }, origin);
      start = at + 1;
    }
    if (waker.hunkRules.size === 0) return;
    const whole = asUtf8(text, this.scratch);
    sink.open(whole, 0, origin);
    for (const rule of waker.hunkRules) this.match(rule, whole, 0);
    waker.hunkRules.clear();
  }

  private line(text: Buffer, range: LineRange, origin: Origin): void {
    const { waker } = this;
    const end = text[range.end - 1] === CR ? range.end - 1 : range.end;
    if (end - range.start > RISK_GATE.LINE_WINDOW_BYTES) {
      this.longLine(text, { start: range.start, end }, origin);
      return;
    }
    const line = asUtf8(text.subarray(range.start, end), this.scratch);
    this.sink.open(line, range.start, origin);
    for (let index = 0; index < waker.lineCount; index += 1) {
      const rule = this.rules.rules[waker.lineRules[index] ?? 0];
      if (rule !== undefined) this.match(rule, line, range.start);
    }
  }

  /** As in the diff itself: only text near a keyword is read. */
  private longLine(text: Buffer, range: LineRange, origin: Origin): void {
    const { waker, work, scratch, sink } = this;
    const all = keywordWindows(this.rules.textKeywords, text, range);
    sink.open(text.subarray(range.start, range.end), range.start, origin);
    for (const [id, windows] of all) {
      const rule = this.rules.rules[id];
      if (rule === undefined || rule.target !== 'line' || !waker.isWanted(rule)) continue;
      for (let index = 0; index < windows.length; index += 2) {
        const window = { start: windows[index] ?? 0, end: windows[index + 1] ?? 0 };
        matchWindow(rule, text, range, window, { work, scratch, sink });
      }
    }
  }

  private match(rule: CompiledRule, text: Buffer, base: number): void {
    const piece = { text, base, from: 0, own: Number.POSITIVE_INFINITY };
    matchPiece(rule, piece, this.work, this.sink);
  }
}

/** Reports matches at the place that the text comes from. */
class DerivedSink implements MatchSink {
  private readonly report: Report;
  private line: Buffer = Buffer.alloc(0);
  private base = 0;
  private origin: Origin | null = null;

  constructor(report: Report) {
    this.report = report;
  }

  /** `base` is the offset of `line` in the text that the offsets of matches are about. */
  open(line: Buffer, base: number, origin: Origin): void {
    this.line = line;
    this.base = base;
    this.origin = origin;
  }

  take(rule: CompiledRule, found: Located): void {
    const { line, base, origin } = this;
    if (origin === null) return;
    const { start, end, secretStart, secretEnd } = found;
    const [first] = origin.sourceOf(start, end);
    if (first === undefined) return;
    const shown = origin.lineAt(start);
    this.report.add({
      rule,
      place: {
        line: shown.number,
        endLine: origin.lineAt(end - 1).number,
        column: first[0] - shown.start + 1,
      },
      shown: {
        lineStart: shown.start,
        lineEnd: shown.end,
        matchStart: first[0],
        matchEnd: first[1],
      },
      texts: {
        secret: line.subarray(secretStart - base, secretEnd - base),
        match: line.subarray(start - base, end - base),
        line,
      },
      secretAt: origin.sourceOf(secretStart, secretEnd),
      derived: { via: origin.via },
    });
  }

  giveUp(rule: CompiledRule): void {
    if (this.origin === null) return;
    const shown = this.origin.lineAt(this.base);
    for (const range of this.origin.sourceOf(this.base, this.base + this.line.length)) {
      this.report.giveUp(rule, shown.number, { start: range[0], end: range[1] });
    }
  }
}

/** An added line, and where its text begins in the piece. */
interface PieceLine extends SourceLine {
  at: number;
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

  /** Copies the rest of the current line; false when there is no room for all of it. */
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
