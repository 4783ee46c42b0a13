import { type FileHandle, open } from 'node:fs/promises';
import {
  type AuditSource,
  type ExportClosing,
  type ExportHeader,
  readClosing,
  readHeader,
} from '../audit/verify.ts';
import { CraError } from '../model/errors.ts';
import { blocksBetween, firstLine, lastLine, linesBetween } from './audit-lines.ts';

/** A file made by `cra audit export`. */
export interface ExportFile {
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
    throw new CraError('INVALID_ARGUMENT', `${path} cannot be read`, { cause });
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
  let [index, left] = [-1, 0];
  const begin = (position: number) => {
    const [before, next] = [spans[index], spans[index + 1]];
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
    // What cannot be read belongs to the chain before, where the check tells of it.
    if (!(thrown instanceof CraError && thrown.code === 'DATA_LOSS')) throw thrown;
  }
  return spans;
}

/** `chain` is the second field of an entry; within a text its quotes would be escaped. */
const CHAIN = /,"chain":"([^"\\]*)"/;
