import { RISK_GATE } from '../limits.ts';
import type { CompiledRule } from './compile.ts';
import type { HunkText } from './hunk-text.ts';
import type { LineRange, Located, MatchSink } from './match.ts';
import type { Report } from './report.ts';

const LF = 0x0a;

/** Reports matches in one added line; their offsets are those of the diff. */
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
    const { start, end, secretStart, secretEnd } = found;
    // Of a long line an allowlist sees what is near the match, else n matches would cost n².
    const lineStart = Math.max(range.start, start - RISK_GATE.LINE_WINDOW_BYTES);
    const lineEnd = Math.min(range.end, end + RISK_GATE.LINE_WINDOW_BYTES);
    this.report.add({
      rule,
      place: { line: this.line, endLine: this.line, column: start - range.start + 1 },
      shown: { lineStart: range.start, lineEnd: range.end, matchStart: start, matchEnd: end },
      texts: {
        secret: bytes.subarray(secretStart, secretEnd),
        match: bytes.subarray(start, end),
        line: bytes.subarray(lineStart, lineEnd),
      },
      secretAt: [[secretStart, secretEnd]],
    });
  }

  giveUp(rule: CompiledRule): void {
    this.report.giveUp(rule, this.line, this.range);
  }
}

/**
 * Reports matches in the new side of a hunk that the change made: those with an added line, or from
 * between whose ends a line was removed. Offsets are those of the joined text. What is shown, and
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

/** Reports matches in the header of a file; their offsets are those of the diff. */
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
    const { start, end, secretStart, secretEnd } = found;
    const before = start === 0 ? -1 : bytes.lastIndexOf(LF, start - 1);
    const after = bytes.indexOf(LF, start);
    const lineStart = Math.max(range.start, before + 1);
    const lineEnd = after === -1 ? range.end : Math.min(after, range.end);
    this.report.add({
      rule,
      place: null,
      shown: { lineStart, lineEnd, matchStart: start, matchEnd: Math.min(end, lineEnd) },
      texts: {
        secret: bytes.subarray(secretStart, secretEnd),
        match: bytes.subarray(start, end),
        line: bytes.subarray(lineStart, lineEnd),
      },
      secretAt: [[secretStart, secretEnd]],
    });
  }

  giveUp(rule: CompiledRule): void {
    this.report.giveUp(rule, null, this.range);
  }
}

/** Reports secrets in the path of a file; their offsets are those of the path. */
export class PathSink implements MatchSink {
  private readonly path: Buffer;
  private readonly report: Report;

  constructor(path: Buffer, report: Report) {
    this.path = path;
    this.report = report;
  }

  take(rule: CompiledRule, { start, end, secretStart, secretEnd }: Located): void {
    const { path } = this;
    this.report.add({
      rule,
      place: null,
      shown: null,
      texts: {
        secret: path.subarray(secretStart, secretEnd),
        match: path.subarray(start, end),
        line: path,
      },
      secretAt: [[secretStart, secretEnd]],
      isInPath: true,
    });
  }

  giveUp(rule: CompiledRule): void {
    this.report.giveUp(rule, null, { start: 0, end: 0 });
  }
}

/** The lines that `[start, end)` lies in. */
function wholeLines(text: Buffer, start: number, end: number): Buffer {
  const before = start === 0 ? -1 : text.lastIndexOf(LF, start - 1);
  const after = text.indexOf(LF, end - 1);
  return text.subarray(before + 1, after === -1 ? text.length : after);
}
