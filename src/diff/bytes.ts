const KIB = 1024;

/** What the diff parser reads before it says "too much" in a finding. */
export const DIFF = {
  FILES_MAX: 100_000,
  HUNKS_MAX: 500_000,
  PATH_BYTES_MAX: 4 * KIB,
  HEADER_LINES_MAX: 64,
  PROBLEMS_MAX: 100,
  PARENTS_MAX: 64,
} as const;

/** Byte-level helpers of the diff parser. Offsets are into the diff; a line's end is its `\n`. */

export const BYTE = {
  TAB: 0x09,
  LF: 0x0a,
  CR: 0x0d,
  SPACE: 0x20,
  PLUS: 0x2b,
  MINUS: 0x2d,
  AT: 0x40,
  BACKSLASH: 0x5c,
} as const;

/** The same memory as a Buffer; shared memory stays shared. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Offset of the first `\n` at or after `from`, or the length of `bytes`. The first bytes are
 * looked at here because a native call costs more than they do; the rest is memchr's.
 */
export function lineEnd(bytes: Buffer, from: number): number {
  const near = Math.min(from + NATIVE_FROM_BYTES, bytes.length);
  for (let at = from; at < near; at += 1) {
    if (bytes[at] === BYTE.LF) return at;
  }
  const end = near === bytes.length ? -1 : bytes.indexOf(BYTE.LF, near);
  return end === -1 ? bytes.length : end;
}

/** Measured: with 0 empty lines cost double, with 8 ordinary lines cost a tenth more. */
const NATIVE_FROM_BYTES = 2;

/** Whether nothing but white space stands from `at` to the end of its line. */
export function isWhiteLine(bytes: Buffer, at: number): boolean {
  for (let index = at; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === BYTE.LF) return true;
    if (!isSpace(byte)) return false;
  }
  return true;
}

/** Space, tab, carriage return, form feed: what stands between words but does not end a line. */
export function isSpace(byte: number | undefined): boolean {
  return byte === BYTE.SPACE || byte === BYTE.TAB || byte === BYTE.CR || byte === FORM_FEED;
}

const FORM_FEED = 0x0c;

/** Whether `text`, which is ASCII, stands at `at`. */
export function startsAt(bytes: Buffer, at: number, text: string): boolean {
  if (at + text.length > bytes.length) return false;
  for (let index = 0; index < text.length; index += 1) {
    if (bytes[at + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}

/**
 * The line from `from` to `end` without its carriage return, one character a byte (latin1), cut
 * off after `LINE_BYTES_MAX`: names stay comparable byte by byte until they are decoded.
 */
export function lineText(bytes: Buffer, from: number, end: number): string {
  const last = end > from && bytes[end - 1] === BYTE.CR ? end - 1 : end;
  return bytes.toString('latin1', from, Math.min(last, from + LINE_BYTES_MAX));
}

/** Room for two names of four bytes a byte (`\303`), and the words around them. */
const LINE_BYTES_MAX = 40 * 1024;

/** Whether the byte is one of 0 to 9. */
export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

/** Whether the line at `at` is empty but for a carriage return. False behind the last line. */
export function isBlank(bytes: Buffer, at: number): boolean {
  if (bytes[at] === BYTE.LF) return true;
  if (bytes[at] !== BYTE.CR) return false;
  return at + 1 === bytes.length || bytes[at + 1] === BYTE.LF;
}

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

  /** Adds the problem that ends the reading; in a full list it takes the last place. */
  addLast(message: string, diffLine: number): void {
    if (this.list.length === DIFF.PROBLEMS_MAX) this.list.pop();
    this.list.push({ message, file: null, diffLine });
  }
}

const OVERFLOW = `there are more problems than the ${DIFF.PROBLEMS_MAX} that are listed`;

/** Something the parser couldn't read; each becomes a finding that blocks. */
export interface DiffProblem {
  /** The problem, in words that name the limit or the line. */
  message: string;
  /** Path of the file in which it happened, if known. */
  file: string | null;
  /** 1-based line of the diff. */
  diffLine: number;
}
