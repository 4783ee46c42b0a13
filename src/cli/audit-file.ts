import { isUtf8 } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import {
  type ExportClosing,
  type ExportHeader,
  readClosing,
  readHeader,
} from '../audit/export-format.ts';
import { AUDIT_READ } from '../audit/limits.ts';
import type { AuditSource } from '../audit/source.ts';
import { CraError } from '../model/errors.ts';

/** A file made by `cra audit export`. */
interface ExportFile {
  source: AuditSource;
  header: ExportHeader;
  /** Null: the last line does not close the export, so it is not complete. */
  closing: ExportClosing | null;
}

/** Bytes of a file that hold the entries of one chain. */
interface Span {
  chain: string;
  start: number;
  end: number;
}

/**
 * Opens an export. The file is read several times and must not change. Throws INVALID_ARGUMENT
 * when it cannot be read or is not an export.
 */
export async function openExport(path: string): Promise<ExportFile> {
  const file = await openFile(path);
  try {
    return await readFrame(file, path);
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    const file = await open(path, 'r');
    if ((await file.stat()).isFile()) return file;
    await file.close();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new CraError('INVALID_ARGUMENT', `${path} cannot be read: ${code}`, { cause });
  }
  throw new CraError('INVALID_ARGUMENT', `${path} is not a regular file`);
}

async function readFrame(file: FileHandle, path: string): Promise<ExportFile> {
  const { size } = await file.stat();
  const first = await firstLine(file, size);
  const header = first === null ? null : readHeader(first.text);
  if (first === null || header === null) {
    throw new CraError('INVALID_ARGUMENT', `${path} was not made by cra audit export`);
  }
  const last = await lastLine(file, first.end, size);
  const closing = last === null ? null : readClosing(last.text);
  const spans =
    last === null || closing === null
      ? await spansByName(file, first.end, size)
      : await spansByCount(file, first.end, last.start, closing);
  return { source: createSource(file, spans), header, closing };
}

function createSource(file: FileHandle, spans: readonly Span[]): AuditSource {
  const byChain = new Map(spans.map((span) => [span.chain, span]));
  return {
    chains: () => Promise.resolve(spans.map(({ chain }) => chain)),
    async *entries(chain) {
      const span = byChain.get(chain);
      if (span === undefined) return;
      for await (const lines of linesBetween(file, span.start, span.end)) yield* lines;
    },
    close: () => file.close(),
  };
}

/** As many lines for each chain as the closing line says; what is too many goes to the last. */
async function spansByCount(
  file: FileHandle,
  start: number,
  end: number,
  { chains }: ExportClosing,
): Promise<Span[]> {
  const spans = chains.map(({ chain }): Span => ({ chain, start: end, end }));
  let index = -1;
  let left = 0;
  const begin = (position: number) => {
    const before = spans[index];
    const next = spans[index + 1];
    if (next === undefined) return;
    if (before !== undefined) before.end = position;
    next.start = position;
    index += 1;
    left = chains[index]?.entries ?? 0;
  };
  begin(start);
  let at = start;
  for await (const block of blocksBetween(file, start, end)) {
    for (let lf = block.indexOf(LF); lf >= 0; lf = block.indexOf(LF, lf + 1)) {
      left -= 1;
      if (left === 0) begin(at + lf + 1);
    }
    at += block.length;
  }
  return spans;
}

const LF = 0x0a;

/** Of an export without its closing line: lines that follow each other and name one chain. */
async function spansByName(file: FileHandle, start: number, end: number): Promise<Span[]> {
  const spans: Span[] = [];
  let at = start;
  try {
    for await (const lines of linesBetween(file, start, end)) {
      for (const line of lines) {
        const last = spans.at(-1);
        const chain = CHAIN.exec(line)?.[1] ?? last?.chain;
        if (chain !== undefined && chain !== last?.chain) {
          if (last !== undefined) last.end = at;
          spans.push({ chain, start: at, end });
        }
        at += Buffer.byteLength(line) + 1;
      }
    }
  } catch (thrown) {
    // What cannot be read belongs to the chain before, where the check reports it.
    if (!(thrown instanceof CraError && thrown.code === 'DATA_LOSS')) throw thrown;
  }
  return spans;
}

/** `chain` is the second field of an entry; within a text its quotes would be escaped. */
const CHAIN = /,"chain":"([^"\\]*)"/;

/** A line, without its break, and where it is. */
interface Line {
  text: string;
  start: number;
  /** Behind its line break. */
  end: number;
}

/**
 * The lines in the bytes from `start` to `end`, several at a time. Throws DATA_LOSS, after the
 * lines before, for a line that is not UTF-8, has no end, or is far longer than an entry.
 */
async function* linesBetween(
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
async function* blocksBetween(
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
async function firstLine(file: FileHandle, size: number): Promise<Line | null> {
  for (let bytes = AUDIT_READ.BLOCK_BYTES; ; bytes *= 2) {
    const head = await readAt(file, 0, Math.min(size, bytes));
    const lf = head.indexOf(LF);
    if (lf >= 0) return lineOf(head.subarray(0, lf), 0);
    if (bytes >= size || bytes >= AUDIT_READ.EXPORT_LINE_BYTES_MAX) return null;
  }
}

/** The last line from `start` on; null: the file does not end with a line, or as above. */
async function lastLine(file: FileHandle, start: number, size: number): Promise<Line | null> {
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
