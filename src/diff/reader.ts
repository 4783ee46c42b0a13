import { DIFF } from '../limits.ts';
import { BYTE, lineEnd, lineText } from './bytes.ts';
import type { DiffProblem } from './diff.ts';

/** A place in the diff that moves forward line by line. */
export class Reader {
  readonly bytes: Buffer;
  /** The current line is `[at, end)`, without its `\n`. */
  at = 0;
  end = 0;
  /** Its 1-based number. */
  line = 1;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.moveTo(0, 1);
  }

  get done(): boolean {
    return this.at >= this.bytes.length;
  }

  /** Offset of the line after the current one. */
  get next(): number {
    return Math.min(this.end + 1, this.bytes.length);
  }

  /** `end`, or the carriage return before it. */
  get textEnd(): number {
    return this.end > this.at && this.bytes[this.end - 1] === BYTE.CR ? this.end - 1 : this.end;
  }

  /** The current line as `lineText` gives it. */
  text(): string {
    return lineText(this.bytes, this.at, this.end);
  }

  skip(): void {
    this.moveTo(this.next, this.line + 1);
  }

  moveTo(at: number, line: number): void {
    this.at = at;
    this.line = line;
    this.end = lineEnd(this.bytes, at);
  }
}

/** Collects problems up to DIFF.PROBLEMS_MAX; the last place says that there were more. */
export class Problems {
  readonly list: DiffProblem[] = [];

  add(message: string, file: string | null, diffLine: number): void {
    const free = DIFF.PROBLEMS_MAX - this.list.length;
    if (free > 1) this.list.push({ message, file, diffLine });
    else if (free === 1) this.list.push({ message: OVERFLOW, file: null, diffLine });
  }

  /** Adds the one that ends the reading; in a full list it takes the last place. */
  addLast(message: string, diffLine: number): void {
    if (this.list.length === DIFF.PROBLEMS_MAX) this.list.pop();
    this.list.push({ message, file: null, diffLine });
  }
}

const OVERFLOW = `there are more problems than the ${DIFF.PROBLEMS_MAX} that are listed`;
