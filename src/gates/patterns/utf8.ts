import { isUtf8 } from 'node:buffer';

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
