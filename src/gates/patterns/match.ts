import { buildAhoCorasick, forEachOutput } from '../../core/aho-corasick.ts';
import { type CancelFlag, isRaised } from '../../core/deadline.ts';
import { CraError } from '../../model/errors.ts';
import type { KeywordIndex } from '../../model/rules.ts';
import { RISK_GATE } from '../limits.ts';
import type { CompiledRule } from './compile.ts';
import type { Match } from './regex.ts';
import { asUtf8, type Scratch } from './unicode.ts';

/** Where matches go. All offsets are those of the text that the piece was cut from. */
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
  /** Where to start; what is before is context for `^` and `\b`. */
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

/** What a scan has done so far; it ends one that takes too long. */
export class Work {
  regexRuns = 0;
  /** Bytes given to expressions; those read again after a first match are counted again. */
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

/** What of a rule matters here. */
interface KeywordUser {
  readonly index: number;
  readonly keywords: readonly string[];
}

/** Builds the index; upper and lower case of ASCII letters are the same. */
export function buildKeywordIndex(users: readonly KeywordUser[]): KeywordIndex {
  const usersOf = new Map<string, number[]>();
  for (const { index, keywords } of users) {
    for (const keyword of new Set(keywords.map(foldAscii))) {
      usersOf.set(keyword, [...(usersOf.get(keyword) ?? []), index]);
    }
  }
  const lists = [...usersOf.values()];
  const keywords = [...usersOf.keys()].map((keyword) => Buffer.from(keyword));
  const automaton = buildAhoCorasick(keywords, { caseSensitive: false });
  const { outputStart, outputIds } = automaton;
  const ruleStart = new Int32Array(outputStart.length);
  const ruleIds: number[] = [];
  for (let output = 0; output + 1 < outputStart.length; output += 1) {
    const ids = outputIds.subarray(outputStart[output], outputStart[output + 1]);
    const rules = new Set([...ids].flatMap((id) => lists[id] ?? []));
    for (const rule of rules) ruleIds.push(rule);
    ruleStart[output + 1] = ruleIds.length;
  }
  return { automaton, ruleStart, ruleIds: Int32Array.from(ruleIds) };
}

/** As the automaton folds: other letters have other bytes in upper case, so they stay. */
function foldAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Calls `woken` with rule and end offset of each keyword in the range. */
export function forEachRuleHit(
  index: KeywordIndex,
  bytes: Uint8Array,
  range: { start: number; end: number },
  woken: (rule: number, end: number) => void,
): void {
  forEachOutput(index.automaton, bytes, range, (output, end) => {
    const last = index.ruleStart[output + 1] ?? 0;
    for (let at = index.ruleStart[output] ?? 0; at < last; at += 1) {
      woken(index.ruleIds[at] ?? 0, end);
    }
  });
}

const PAIR_BYTES = 2;
/** Five bits of a byte fold the case of ASCII letters, and keep the table in the fastest cache. */
const FOLD_BITS = 5;
const FOLD_MASK = 2 ** FOLD_BITS - 1;
const SHIFT_MAX = 255;
/** Slots for how keywords begin; most stay empty, so that few texts are compared in vain. */
const SLOTS = 4096;

interface Keyword {
  bytes: Uint8Array;
  user: number;
}

/**
 * Finds the users whose keywords a text holds, in any case of ASCII letters, without reading every
 * byte: it looks at pairs of bytes and skips ahead by what the shortest keyword allows (S. Wu and
 * U. Manber, "A fast algorithm for multi-pattern searching", TR-94-17, 1994). It suits few
 * keywords and texts that rarely hold one; `buildKeywordIndex` suits the rest.
 */
export class SkipSearch {
  /** Users with a keyword too short to skip by: every text wakes them. */
  readonly always: readonly number[];
  /** How far to go on behind a pair of folded bytes. */
  private readonly shifts = new Uint8Array(2 ** (2 * FOLD_BITS));
  /** Keywords by the first and the last pair of their first `reach` bytes. */
  private readonly slots: (Keyword[] | null)[] = new Array<Keyword[] | null>(SLOTS).fill(null);
  /** Length of the shortest keyword, bytes; 0 if it is absent. */
  private readonly reach: number;

  constructor(users: readonly KeywordUser[]) {
    const isLong = ({ keywords }: KeywordUser) =>
      keywords.every((keyword) => Buffer.byteLength(keyword) >= PAIR_BYTES);
    this.always = users.filter((user) => !isLong(user)).map(({ index }) => index);
    const keywords = users.filter(isLong).flatMap(({ index, keywords }) => {
      return keywords.map((keyword) => ({ bytes: Buffer.from(keyword).map(lower), user: index }));
    });
    const lengths = keywords.map(({ bytes }) => bytes.length);
    this.reach = keywords.length === 0 ? 0 : Math.min(SHIFT_MAX, ...lengths);
    this.shifts.fill(Math.max(1, this.reach - PAIR_BYTES + 1));
    for (const keyword of keywords) this.add(keyword);
  }

  /** Calls `found` with the user of each keyword in `[start, end)`; a user may come repeatedly. */
  search(bytes: Uint8Array, start: number, end: number, found: (user: number) => void): void {
    const { shifts, slots, reach } = this;
    if (reach === 0) return;
    let at = start + reach - 1;
    while (at < end) {
      const last = pairAt(bytes, at);
      const shift = shifts[last] ?? 1;
      at += shift;
      if (shift !== 0) continue;
      const from = at - reach + 1;
      const keywords = slots[slotOf(pairAt(bytes, from + 1), last)] ?? null;
      if (keywords !== null) {
        for (const keyword of keywords) {
          if (isAt(keyword.bytes, bytes, from, end)) found(keyword.user);
        }
      }
      at += 1;
    }
  }

  private add(keyword: Keyword): void {
    const { shifts, reach, slots } = this;
    const { bytes } = keyword;
    for (let last = PAIR_BYTES - 1; last < reach; last += 1) {
      const pair = pairAt(bytes, last);
      shifts[pair] = Math.min(shifts[pair] ?? 0, reach - 1 - last);
    }
    const slot = slotOf(pairAt(bytes, 1), pairAt(bytes, reach - 1));
    slots[slot] = [...(slots[slot] ?? []), keyword];
  }
}

/** Whether the keyword stands at `from` and ends before `end`. */
function isAt(keyword: Uint8Array, bytes: Uint8Array, from: number, end: number): boolean {
  if (from + keyword.length > end) return false;
  for (let index = 0; index < keyword.length; index += 1) {
    if (lower(bytes[from + index] ?? 0) !== keyword[index]) return false;
  }
  return true;
}

/** The folded byte at `at` and the one before it. */
function pairAt(bytes: Uint8Array, at: number): number {
  return (((bytes[at - 1] ?? 0) & FOLD_MASK) << FOLD_BITS) | ((bytes[at] ?? 0) & FOLD_MASK);
}

function slotOf(first: number, last: number): number {
  return ((first << 2) ^ last) & (SLOTS - 1);
}

const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const TO_LOWER = 0x20;

function lower(byte: number): number {
  return byte >= UPPER_A && byte <= UPPER_Z ? byte | TO_LOWER : byte;
}
