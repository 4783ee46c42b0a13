import { RISK_GATE } from '../limits.ts';
import type { CompiledRule, CompiledRules } from './compile.ts';
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
import { asUtf8, type Scratch } from './unicode.ts';
import type { Waker, Workspace } from './waker.ts';

const LF = 0x0a;
const CR = 0x0d;

export interface SourceLine extends LineRange {
  number: number;
}

/** Where a derived text (decoded, or put together from literals) stands in the diff. */
export interface Origin {
  /** 1-based number in the new file, and byte range in the diff, of the line of an offset. */
  lineAt(offset: number): SourceLine;
  /** The diff ranges that `[start, end)` of the text comes from, in order. */
  sourceOf(start: number, end: number): [start: number, end: number][];
  /** A sentence on what was done to get the text; null when that goes without saying. */
  via: string | null;
}

/** Runs rules over texts that do not stand in the diff as such: those for secrets, or all. */
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
    work.countDerived(text.length);
    waker.open();
    let start = 0;
    while (start < text.length) {
      let state = 0;
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

  /** As in the diff itself: only what is near a keyword is read. */
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
