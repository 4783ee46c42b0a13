import { isUtf8 } from 'node:buffer';
import { BYTE } from '../../diff/bytes.ts';

const QUESTION_MARK = 0x3f;

/**
 * RE2 lets no `.` and no `[^"]` match a byte that is not UTF-8, so one stray byte inside a string
 * would hide it from every rule. This returns `text` itself when it is UTF-8, else a copy with
 * such bytes replaced by `?`, at the same offsets. The copy lives in `scratch` until the next call.
 */
export function asUtf8(text: Buffer, scratch: Scratch): Buffer {
  if (isUtf8(text)) return text;
  const copy = scratch.take(text.length);
  text.copy(copy);
  replaceInvalid(copy);
  return copy;
}

/** One buffer that is used again and again; it grows to the largest text it was asked for. */
export class Scratch {
  private buffer = Buffer.alloc(0);

  /** A view of `length` bytes with a newline behind it; its content is undefined. */
  take(length: number): Buffer {
    if (this.buffer.length <= length) {
      this.buffer = Buffer.alloc(Math.max(length + 1, 2 * this.buffer.length));
    }
    this.buffer[length] = 0x0a;
    return this.buffer.subarray(0, length);
  }
}

/** Puts `?` in place of every byte that is part of no well-formed UTF-8 sequence. */
export function replaceInvalid(text: Buffer): void {
  let at = 0;
  while (at < text.length) {
    if ((text[at] ?? 0) < 0x80) {
      at += 1;
      continue;
    }
    const length = sequenceLength(text, at);
    if (length === 0) text[at] = QUESTION_MARK;
    at += Math.max(length, 1);
  }
}

/** Length of the well-formed sequence at `at`, 0 if it is absent (Unicode 16, table 3-7). */
function sequenceLength(text: Buffer, at: number): number {
  const lead = text[at] ?? 0;
  const second = text[at + 1] ?? 0;
  if (lead >= 0xc2 && lead <= 0xdf) return isContinuation(second) ? 2 : 0;
  if (!isContinuation(second) || !isContinuation(text[at + 2] ?? 0)) return 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const overlong = lead === 0xe0 && second < 0xa0;
    const surrogate = lead === 0xed && second > 0x9f;
    return overlong || surrogate ? 0 : 3;
  }
  if (lead < 0xf0 || lead > 0xf4 || !isContinuation(text[at + 3] ?? 0)) return 0;
  const outside = (lead === 0xf0 && second < 0x90) || (lead === 0xf4 && second > 0x8f);
  return outside ? 0 : 4;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

const DELETE = 0x7f;

/** Characters from `first` to `last`. */
function characters(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) =>
    String.fromCodePoint(first + index),
  );
}

/**
 * Characters that take no room: NUL, of which UTF-16 puts one beside each ASCII character, soft
 * hyphen, joiners, zero-width spaces, direction marks, variation selectors, byte order mark
 * (Unicode 16, Default_Ignorable_Code_Point, characters of the first plane that stand in no word).
 */
export const INVISIBLE: readonly string[] = [
  ...['\0', '\u00ad', '\u034f', '\u180e', '\ufeff'],
  ...characters(0x200b, 0x200f),
  ...characters(0x202a, 0x202e),
  ...characters(0x2060, 0x206f),
  ...characters(0xfe00, 0xfe0f),
];

/** The same in UTF-8, as numbers of one, two or three bytes. */
const CODES: ReadonlySet<number> = new Set(
  INVISIBLE.map((char) => Buffer.from(char).reduce((code, byte) => code * 256 + byte, 0)),
);
const FIRST_BYTES = new Uint8Array(256);
for (const char of INVISIBLE) FIRST_BYTES[Buffer.from(char)[0] ?? 0] = 1;

/** Bytes of the invisible character at `at`; 0 when it is absent. */
export function invisibleLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? BYTE.LF;
  if (FIRST_BYTES[first] === 0) return 0;
  if (first === 0) return 1;
  const two = first * 256 + (bytes[at + 1] ?? 0);
  if (CODES.has(two)) return 2;
  return CODES.has(two * 256 + (bytes[at + 2] ?? 0)) ? 3 : 0;
}

/**
 * Whether invisible characters stand before ASCII text, and behind such or at the start of the
 * line: there they divide what a reader takes for one word. Between other letters they are part
 * of how a language is written, and of emoji.
 */
export function dividesText(bytes: Uint8Array, start: number, end: number): boolean {
  let isPlain = true;
  for (let at = start; at < end; ) {
    const length = invisibleLength(bytes, at);
    if (length === 0) {
      isPlain = isAscii(bytes[at]);
      at += 1;
      continue;
    }
    at += length;
    if (isPlain && at < end && isAscii(bytes[at])) return true;
  }
  return false;
}

function isAscii(byte: number | undefined): boolean {
  return byte !== undefined && ((byte >= BYTE.SPACE && byte < DELETE) || byte === BYTE.TAB);
}

/**
 * Offset of the `\` by which the line goes on in the next one (shell, make, Dockerfile, C, strings
 * of many languages), with something before it that the next line could complete; -1 if there is
 * none. Blanks may follow it, as Dockerfiles have them.
 */
export function continuation(bytes: Uint8Array, start: number, end: number): number {
  let last = end - 1;
  while (last > start && isBlank(bytes[last])) last -= 1;
  if (last <= start || bytes[last] !== BYTE.BACKSLASH) return -1;
  const before = bytes[last - 1];
  // `\\` is a backslash, and behind a blank a new word begins.
  return before === BYTE.BACKSLASH || isBlank(before) ? -1 : last;
}

/** What may stand behind the last sign of a line. */
export function isBlank(byte: number | undefined): boolean {
  return byte === BYTE.SPACE || byte === BYTE.TAB || byte === BYTE.CR;
}
