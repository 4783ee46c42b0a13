import { isUtf8 } from 'node:buffer';
import type { FileHandle } from 'node:fs/promises';
import { AUDIT_READ } from '../limits.ts';
import { CraError } from '../model/errors.ts';

/** A line, without its break, and where it is. */
export interface Line {
  text: string;
  start: number;
  /** Behind its line break. */
  end: number;
}

const LF = 0x0a;

/**
 * The lines in the bytes from `start` to `end`, several at a time. Throws DATA_LOSS, after the
 * lines before, for one that is not UTF-8, has no end, or is far longer than an entry.
 */
export async function* linesBetween(
  file: FileHandle,
  start: number,
  end: number,
): AsyncGenerator<string[]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const block of blocksBetween(file, start, end)) {
    const bytes = rest.length === 0 ? block : Buffer.concat([rest, block]);
    const cut = bytes.lastIndexOf(LF) + 1;
    rest = bytes.subarray(cut);
    if (cut > 0) yield* linesIn(bytes.subarray(0, cut - 1));
    if (rest.length >= AUDIT_READ.BLOCK_BYTES) throw damaged('the line is too long for an entry');
  }
  if (rest.length > 0) throw damaged('the file breaks off within the line');
}

/** The bytes from `start` to `end`, in blocks that are the reader's own. */
export async function* blocksBetween(
  file: FileHandle,
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const block = await readAt(file, at, Math.min(end, at + AUDIT_READ.BLOCK_BYTES));
    if (block.length === 0) return;
    yield block;
    at += block.length;
  }
}

/** The first line of a file; null: it has none, or one longer than EXPORT_LINE_BYTES_MAX. */
export async function firstLine(file: FileHandle, size: number): Promise<Line | null> {
  for (let bytes = AUDIT_READ.BLOCK_BYTES; ; bytes *= 2) {
    const head = await readAt(file, 0, Math.min(size, bytes));
    const lf = head.indexOf(LF);
    if (lf >= 0) return lineOf(head.subarray(0, lf), 0);
    if (bytes >= size || bytes >= AUDIT_READ.EXPORT_LINE_BYTES_MAX) return null;
  }
}

/** The last line from `start` on; null: the file does not end with a line, or as above. */
export async function lastLine(
  file: FileHandle,
  start: number,
  size: number,
): Promise<Line | null> {
  for (let bytes = AUDIT_READ.BLOCK_BYTES; ; bytes *= 2) {
    const from = Math.max(start, size - bytes);
    const tail = await readAt(file, from, size);
    if (tail.at(-1) !== LF) return null;
    const lf = tail.length < 2 ? -1 : tail.lastIndexOf(LF, tail.length - 2);
    if (lf >= 0 || from === start) return lineOf(tail.subarray(lf + 1, -1), from + lf + 1);
    if (bytes >= AUDIT_READ.EXPORT_LINE_BYTES_MAX) return null;
  }
}

function lineOf(bytes: Buffer, start: number): Line | null {
  const end = start + bytes.length + 1;
  return isUtf8(bytes) ? { text: bytes.toString(), start, end } : null;
}

function* linesIn(bytes: Buffer): Generator<string[]> {
  if (isUtf8(bytes)) {
    yield bytes.toString().split('\n');
    return;
  }
  for (let at = 0; at <= bytes.length; ) {
    const lf = bytes.indexOf(LF, at);
    const line = bytes.subarray(at, lf < 0 ? bytes.length : lf);
    if (!isUtf8(line)) throw damaged('the line is not UTF-8');
    yield [line.toString()];
    at += line.length + 1;
  }
}

async function readAt(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(end - start);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, start + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

function damaged(message: string): CraError {
  return new CraError('DATA_LOSS', message);
}
