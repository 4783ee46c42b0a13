import { isSpace } from '../../diff/bytes.ts';
import type { Hunk } from '../../diff/diff.ts';
import { LINE, LineCursor, type LineKind } from '../../diff/lines.ts';

/** Lines of a hunk. */
export interface LineCounts {
  added: number;
  removed: number;
}

/** Counts the lines of a hunk. */
export type CountLines = (hunk: Hunk) => LineCounts;

/** Counts every line, as `git diff --numstat` does. */
export function countAllLines({ additions, deletions }: Hunk): LineCounts {
  return { added: additions, removed: deletions };
}

/**
 * Counts lines that are not blank, and none of a hunk whose two sides are the same but for white
 * space. Beside other changes a new indentation counts: who wraps code in a condition changes what
 * it does, and ignoring such lines cost 0.005 of AUC on one repository. Linear in the bytes.
 */
export function countWithoutSpace(bytes: Uint8Array): CountLines {
  const [before, after] = [new Side(bytes, LINE.ADDED), new Side(bytes, LINE.REMOVED)];
  return (hunk) => {
    const isMixed = hunk.additions > 0 && hunk.deletions > 0;
    if (isMixed && isSameText(before, after, hunk)) return { added: 0, removed: 0 };
    return {
      added: hunk.additions - hunk.blankAdditions,
      removed: hunk.deletions - hunk.blankDeletions,
    };
  };
}

/** Stops at the first difference, which in most hunks is in their first changed line. */
function isSameText(before: Side, after: Side, hunk: Hunk): boolean {
  before.open(hunk);
  after.open(hunk);
  for (;;) {
    const byte = before.next();
    if (byte !== after.next()) return false;
    if (byte === END) return true;
  }
}

const END = -1;

/** Reads one side of a hunk without its white space, byte by byte. */
class Side {
  private readonly bytes: Uint8Array;
  private readonly without: LineKind;
  private readonly cursor: LineCursor;
  private at = 0;
  private end = 0;

  /** `without`: the lines that the side has not. */
  constructor(bytes: Uint8Array, without: LineKind) {
    this.bytes = bytes;
    this.without = without;
    this.cursor = new LineCursor(bytes);
  }

  open(hunk: Hunk): void {
    this.cursor.open(hunk);
    this.at = 0;
    this.end = 0;
  }

  next(): number {
    for (;;) {
      while (this.at < this.end) {
        const byte = this.bytes[this.at] ?? END;
        this.at += 1;
        if (!isSpace(byte)) return byte;
      }
      if (!this.cursor.next()) return END;
      if (this.cursor.kind === this.without) continue;
      this.at = this.cursor.start;
      this.end = this.cursor.end;
    }
  }
}
