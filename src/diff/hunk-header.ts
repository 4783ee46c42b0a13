import { DIFF } from '../limits.ts';
import { BYTE, isDigit } from './bytes.ts';

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
