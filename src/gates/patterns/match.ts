import { type CancelFlag, isRaised } from '../../core/deadline.ts';
import { CraError } from '../../model/errors.ts';
import type { KeywordIndex } from '../../model/rules.ts';
import { RISK_GATE } from '../limits.ts';
import type { CompiledRule } from './compiled-rules.ts';
import { forEachRuleHit } from './keyword-search.ts';
import type { Match } from './regex.ts';
import { asUtf8, type Scratch } from './unicode.ts';

/** Where matches go. All offsets count in the text that the piece was cut from. */
export interface MatchSink {
  /** A match and the secret in it; for a rule without groups that is the match. */
  take(rule: CompiledRule, found: Located): void;
  /** The rest of the piece is not searched for this rule: there are too many matches. */
  giveUp(rule: CompiledRule): void;
}

export interface Located {
  start: number;
  end: number;
  secretStart: number;
  secretEnd: number;
}

/** A part of a longer text, as it is given to RE2. */
export interface Piece {
  text: Buffer;
  /** Offset of `text` in the longer text. */
  base: number;
  /** Where to start; text before it is context for `^` and `\b`. */
  from: number;
  /** A match that starts here or later is left to the next piece. */
  own: number;
}

/** Bytes before a piece that RE2 may look at to decide `\b` and `^`: one character. */
export const CONTEXT_BYTES = 4;

/**
 * Hands every match of the rule in the piece to the sink, left to right and not overlapping.
 * Returns the offset behind the last one (or where it started), in the longer text.
 */
export function matchPiece(rule: CompiledRule, piece: Piece, work: Work, sink: MatchSink): number {
  const { text, base, own } = piece;
  let { from } = piece;
  const { regex } = rule;
  if (regex === null) return base + from;
  for (;;) {
    work.count(text.length - from);
    const match = regex.search(text, from);
    if (match === null || match.start >= own) return base + from;
    if (match.end > match.start) sink.take(rule, locate(rule, match, base));
    // An empty match must not be found again.
    from = Math.max(match.end, match.start + 1);
    if (from >= text.length) return base + text.length;
    if (!work.mayRescan(text.length - from)) {
      sink.giveUp(rule);
      return base + text.length;
    }
  }
}

/** Group `secretGroup`, or the first that took part, or all of it (gitleaks, "secretGroup"). */
function locate(rule: CompiledRule, match: Match, base: number): Located {
  const wanted = rule.pattern.secretGroup ?? 0;
  const takesPart = (index: number) => {
    const group = match.groups[index];
    return group !== null && group !== undefined && group[1] > group[0] ? group : null;
  };
  let secret = wanted > 0 ? takesPart(wanted - 1) : null;
  for (let index = 0; wanted === 0 && secret === null && index < match.groups.length; index += 1) {
    secret = takesPart(index);
  }
  return {
    start: base + match.start,
    end: base + match.end,
    secretStart: base + (secret?.[0] ?? match.start),
    secretEnd: base + (secret?.[1] ?? match.end),
  };
}

/** A line of the diff: its content, without markers and line end. */
export interface LineRange {
  start: number;
  end: number;
}

/** Runs a rule over part of a line in pieces, so that no run costs more than a piece. */
export function matchWindow(
  rule: CompiledRule,
  bytes: Buffer,
  line: LineRange,
  window: LineRange,
  tools: { work: Work; scratch: Scratch; sink: MatchSink },
): void {
  let at = window.start;
  let resume = at;
  for (;;) {
    const end = Math.min(at + RISK_GATE.LINE_PIECE_BYTES, window.end);
    const base = Math.max(line.start, at - CONTEXT_BYTES);
    const text = asUtf8(bytes.subarray(base, end), tools.scratch);
    const isLast = end === window.end;
    const own = isLast ? Number.POSITIVE_INFINITY : end - RISK_GATE.LINE_WINDOW_BYTES - base;
    const from = Math.max(at, resume) - base;
    resume = matchPiece(rule, { text, base, from, own }, tools.work, tools.sink);
    if (isLast) return;
    at = end - RISK_GATE.LINE_WINDOW_BYTES;
  }
}

/**
 * The parts of a long line that lie within LINE_WINDOW_BYTES of a keyword, for each rule that one
 * of its keywords woke: merged where they overlap, in order, as start and end offsets in turn.
 */
export function keywordWindows(
  index: KeywordIndex,
  bytes: Buffer,
  line: LineRange,
): Map<number, number[]> {
  const windows = new Map<number, number[]>();
  forEachRuleHit(index, bytes, line, (rule, at) => {
    const start = Math.max(line.start, at - RISK_GATE.LINE_WINDOW_BYTES);
    const end = Math.min(line.end, at + RISK_GATE.LINE_WINDOW_BYTES);
    const list = windows.get(rule);
    if (list === undefined) windows.set(rule, [start, end]);
    else if (start <= (list.at(-1) ?? 0)) list[list.length - 1] = end;
    else list.push(start, end);
  });
  return windows;
}

/** What a scan has done so far; a scan that takes too long ends by it. */
export class Work {
  regexRuns = 0;
  /** Bytes that expressions read; bytes that are read again after a first match count again. */
  regexBytes = 0;
  /** Bytes of decoded and put together texts that were searched for keywords. */
  derivedBytes = 0;
  private rescanLeft: number = RISK_GATE.RESCAN_BYTES_MAX;
  private readonly cancel: CancelFlag;

  constructor(cancel: CancelFlag) {
    this.cancel = cancel;
  }

  /** Counts a run over `bytes` bytes. Throws CANCELLED when the flag is raised. */
  count(bytes: number): void {
    this.regexRuns += 1;
    this.regexBytes += bytes;
    if (this.regexRuns % RISK_GATE.CANCEL_CHECK_RUNS === 0) this.check();
  }

  /** Counts a derived text of `bytes` bytes. Throws CANCELLED when the flag is raised. */
  countDerived(bytes: number): void {
    this.derivedBytes += bytes;
    this.check();
  }

  /**
   * Asks for `bytes` bytes to be read once more, to find the next match. An expression may look
   * at all that is left for every single match, so without a bound n matches would cost n².
   */
  mayRescan(bytes: number): boolean {
    this.rescanLeft -= bytes;
    return this.rescanLeft >= 0;
  }

  /** Throws CANCELLED when the flag is raised. */
  check(): void {
    if (isRaised(this.cancel)) throw new CraError('CANCELLED', 'the scan was cancelled');
  }
}
