import { BYTE, DIFF, isBlank, isDigit, isWhiteLine, lineEnd, startsAt } from './bytes.ts';
import { kindAt, LINE } from './diff.ts';

/** What a line of the form `@@ -1,2 +3,4 @@` declares. */
export interface HunkRange {
  /** As in Hunk: 1, or the number of parents. */
  markers: number;
  oldStart: number;
  newStart: number;
  newCount: number;
  /** Lines of the old side; in a combined diff, of each parent. */
  oldCounts: number[];
  /** Whether a number was too large and is now NUMBER_MAX. */
  clamped: boolean;
}

/** What git's and patch's own line numbers hold on every platform. */
const NUMBER_MAX = 2 ** 31 - 1;

/**
 * Reads the hunk header that starts at `at`, or null for another line. Spaces after the first may
 * be missing, as patch(1) lets them. Combined diffs (`@@@ -1,2 -1,2 +1,3 @@@`):
 * https://git-scm.com/docs/diff-format#_combined_diff_format
 */
export function parseHunkHeader(bytes: Buffer, at: number): HunkRange | null {
  const scan = new Scan(bytes, at);
  const ats = scan.count(BYTE.AT, DIFF.PARENTS_MAX + 2);
  if (ats < 2 || ats > DIFF.PARENTS_MAX + 1 || scan.count(BYTE.SPACE, 1) === 0) return null;
  const oldCounts: number[] = [];
  let oldStart = 0;
  for (let parent = 0; parent < ats - 1; parent += 1) {
    if (!scan.range(BYTE.MINUS)) return null;
    if (parent === 0) oldStart = scan.rangeStart;
    oldCounts.push(scan.rangeCount);
  }
  if (!scan.range(BYTE.PLUS) || scan.count(BYTE.AT, 1) === 0) return null;
  const { rangeStart, rangeCount, clamped } = scan;
  return {
    markers: ats - 1,
    oldStart,
    newStart: rangeStart,
    newCount: rangeCount,
    oldCounts,
    clamped,
  };
}

class Scan {
  rangeStart = 0;
  rangeCount = 0;
  clamped = false;
  readonly bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at: number) {
    this.bytes = bytes;
    this.at = at;
  }

  /** Passes at most `max` bytes of this value; how many there were. */
  count(byte: number, max: number): number {
    const from = this.at;
    while (this.at - from < max && this.bytes[this.at] === byte) this.at += 1;
    return this.at - from;
  }

  /** `-12,3` and the space after it; a missing count is 1. */
  range(sign: number): boolean {
    if (this.count(sign, 1) === 0 || !isDigit(this.bytes[this.at])) return false;
    this.rangeStart = this.number();
    this.rangeCount = 1;
    if (this.bytes[this.at] === COMMA) {
      this.at += 1;
      if (!isDigit(this.bytes[this.at])) return false;
      this.rangeCount = this.number();
    }
    this.count(BYTE.SPACE, 1);
    return true;
  }

  number(): number {
    let value = 0;
    for (let byte = this.bytes[this.at]; isDigit(byte); byte = this.bytes[this.at]) {
      value = Math.min(value * 10 + (byte ?? 0) - DIGIT_0, NUMBER_MAX + 1);
      this.at += 1;
    }
    if (value <= NUMBER_MAX) return value;
    this.clamped = true;
    return NUMBER_MAX;
  }
}

const COMMA = 0x2c;
const DIGIT_0 = 0x30;

/** The lines of one hunk as they were found. */
interface HunkBody {
  /** Offset behind the last line. */
  end: number;
  lines: number;
  additions: number;
  deletions: number;
  /** How many of these hold nothing but white space. */
  blankAdditions: number;
  blankDeletions: number;
  /**
   * `short`: the text, or its form, ended before the declared counts were used up.
   * `long`: there were more lines than declared; they are part of the body.
   */
  fit: 'exact' | 'short' | 'long';
}

/**
 * Reads the body that starts at `from`. The declared counts decide what belongs to it, as in git
 * and patch, so that `--- a/x` can be a removed line; lines of the same form that follow are read
 * as well. Each line is read once, and blank lines behind the body once more.
 */
export function readHunkBody(bytes: Buffer, from: number, range: HunkRange): HunkBody {
  const body =
    range.markers === 1 ? readPlain(bytes, from, range) : readCombined(bytes, from, range);
  if (body.fit === 'short') return body;
  // What follows is a note on the last line: "\ No newline at end of file".
  while (bytes[body.end] === BYTE.BACKSLASH) pass(bytes, body);
  readRest(bytes, body, range.markers);
  return body;
}

/** Whether a new file starts at `at` in the way of `diff -u`: `--- old`, `+++ new`. */
export function startsFilePair(bytes: Buffer, at: number): boolean {
  return startsAt(bytes, at, '--- ') && startsAt(bytes, lineEnd(bytes, at) + 1, '+++ ');
}

/**
 * Whether the line at `at` is the mail signature under a patch ("-- ", or "--" where trailing
 * blanks were lost) or the end of a part of a mail (git format-patch --attach). With the line of a
 * hunk after it, it is a removed line.
 */
export function isSignature(bytes: Buffer, at: number): boolean {
  if (!startsAt(bytes, at, '--')) return false;
  const blank = bytes[at + 2] === BYTE.SPACE ? at + 3 : at + 2;
  const part = startsAt(bytes, at, PART_BOUNDARY) && isDigit(bytes[at + PART_BOUNDARY.length]);
  if (!part && !isBlank(bytes, blank) && blank < bytes.length) return false;
  const after = bytes[lineEnd(bytes, at) + 1];
  return (
    after !== BYTE.PLUS &&
    after !== BYTE.MINUS &&
    after !== BYTE.SPACE &&
    after !== BYTE.AT &&
    after !== BYTE.BACKSLASH
  );
}

/** git's boundary, of which its version follows. */
const PART_BOUNDARY = '--------------';

function readPlain(bytes: Buffer, from: number, range: HunkRange): HunkBody {
  let oldLeft = range.oldCounts[0] ?? 0;
  let newLeft = range.newCount;
  let at = from;
  let lines = 0;
  let additions = 0;
  let deletions = 0;
  let blankAdditions = 0;
  let blankDeletions = 0;
  while (oldLeft > 0 || newLeft > 0) {
    const byte = bytes[at];
    if (byte === BYTE.PLUS) {
      additions += 1;
      if (isWhiteLine(bytes, at + 1)) blankAdditions += 1;
      newLeft -= 1;
    } else if (byte === BYTE.MINUS) {
      if (oldLeft <= 0 && startsFilePair(bytes, at)) break;
      deletions += 1;
      if (isWhiteLine(bytes, at + 1)) blankDeletions += 1;
      oldLeft -= 1;
    } else if (byte === BYTE.SPACE || isBlank(bytes, at)) {
      oldLeft -= 1;
      newLeft -= 1;
    } else if (byte !== BYTE.BACKSLASH) {
      break;
    }
    at = Math.min(lineEnd(bytes, at) + 1, bytes.length);
    lines += 1;
  }
  const fit = fitOf(oldLeft, newLeft, bytes, at);
  return { end: at, lines, additions, deletions, blankAdditions, blankDeletions, fit };
}

const EMPTY_BODY: HunkBody = {
  end: 0,
  lines: 0,
  additions: 0,
  deletions: 0,
  blankAdditions: 0,
  blankDeletions: 0,
  fit: 'exact',
};

/**
 * A combined body: a removed line counts for the parents whose column says `-`, every other line
 * for the result and for the parents whose column is blank. Only the result's count is held to:
 * git itself gets the counts of parents wrong (seen with --cc where parents removed different
 * lines).
 */
function readCombined(bytes: Buffer, from: number, range: HunkRange): HunkBody {
  const { markers } = range;
  const body: HunkBody = { ...EMPTY_BODY, end: from };
  const oldLeft = [...range.oldCounts];
  let newLeft = range.newCount;
  while (newLeft > 0 || oldLeft.some((count) => count > 0)) {
    if (bytes[body.end] !== BYTE.BACKSLASH) {
      const removed = kindAt(bytes, body.end, markers) === LINE.REMOVED;
      if (!isCombinedLine(bytes, body.end, markers) || (newLeft === 0 && !removed)) break;
      const counts = removed ? BYTE.MINUS : BYTE.SPACE;
      const blank = isBlank(bytes, body.end);
      for (let column = 0; column < markers; column += 1) {
        if (blank || bytes[body.end + column] === counts) {
          oldLeft[column] = (oldLeft[column] ?? 0) - 1;
        }
      }
      if (!removed) newLeft -= 1;
    }
    pass(bytes, body, markers);
  }
  body.fit = fitOf(newLeft, newLeft, bytes, body.end);
  return body;
}

function isCombinedLine(bytes: Buffer, at: number, markers: number): boolean {
  if (isBlank(bytes, at)) return true;
  for (let column = at; column < at + markers; column += 1) {
    const byte = bytes[column];
    if (byte !== BYTE.SPACE && byte !== BYTE.PLUS && byte !== BYTE.MINUS) return false;
  }
  return true;
}

function fitOf(oldLeft: number, newLeft: number, bytes: Buffer, at: number): HunkBody['fit'] {
  const missing = oldLeft > 0 || newLeft > 0;
  if (missing) return wasTrimmed(oldLeft, newLeft, bytes, at) ? 'exact' : 'short';
  return oldLeft < 0 || newLeft < 0 ? 'long' : 'exact';
}

/**
 * Whether nothing but empty context lines is missing because somebody trimmed the whole text:
 * patch(1) completes up to three of them as well (pch.c, "assume blank lines got chopped").
 */
function wasTrimmed(oldLeft: number, newLeft: number, bytes: Buffer, at: number): boolean {
  const trimmed = at === bytes.length && bytes[at - 1] !== BYTE.LF;
  return trimmed && oldLeft === newLeft && newLeft <= TRIMMED_LINES_MAX;
}

const TRIMMED_LINES_MAX = 3;

/** Lines that nobody declared but that look like more of the hunk, up to anything else. */
function readRest(bytes: Buffer, body: HunkBody, markers: number): void {
  if (!isRest(bytes, body.end)) return;
  const rest = { ...body };
  for (let byte = bytes[rest.end]; byte !== undefined; byte = bytes[rest.end]) {
    const marked = byte === BYTE.PLUS || byte === BYTE.MINUS || byte === BYTE.SPACE;
    if (marked && (startsFilePair(bytes, rest.end) || isSignature(bytes, rest.end))) return;
    if (!isRest(bytes, rest.end)) return;
    pass(bytes, rest, markers);
    // Blank lines and notes belong to the body only where a marked line follows.
    if (marked) Object.assign(body, rest, { fit: 'long' });
  }
}

function isRest(bytes: Buffer, at: number): boolean {
  const byte = bytes[at];
  if (byte === BYTE.PLUS || byte === BYTE.MINUS || byte === BYTE.SPACE) return true;
  return byte === BYTE.BACKSLASH || isBlank(bytes, at);
}

/** Counts the line at `body.end` and moves behind it. */
function pass(bytes: Buffer, body: HunkBody, markers = 1): void {
  const kind = kindAt(bytes, body.end, markers);
  const end = lineEnd(bytes, body.end);
  const isWhite = isWhiteLine(bytes, Math.min(body.end + markers, end));
  if (kind === LINE.ADDED) {
    body.additions += 1;
    if (isWhite) body.blankAdditions += 1;
  } else if (kind === LINE.REMOVED) {
    body.deletions += 1;
    if (isWhite) body.blankDeletions += 1;
  }
  body.end = Math.min(end + 1, bytes.length);
  body.lines += 1;
}
