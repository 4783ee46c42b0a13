import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { networkOf } from '../../auth/failed-attempts.ts';
import { CraError } from '../../model/errors.ts';
import type { Chunk } from './body-memory.ts';
import { HTTP } from './limits.ts';

/** A body on disk: one file without a name (0600), which ends with its handle or the process. */
export interface Spool {
  /** Bytes that wait to be written. */
  readonly waitingBytes: number;
  /** Writes in order; each chunk is given back once it is on disk. */
  write(chunks: readonly Chunk[]): void;
  /** Fills `target` from the start of the file, once everything is written. */
  readInto(target: Uint8Array): Promise<void>;
  close(): void;
}

interface SpoolOptions {
  directory: string;
  /** A chunk may be used again. */
  giveBack(chunk: Chunk): void;
  /** Fewer bytes wait than before. */
  onWritten(): void;
  /** The file could not be made or written; the spool is closed. */
  onError(error: CraError): void;
}

/** Makes the directory of spool files (0700), and removes what a crash left in it. */
export function openSpoolDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true, mode: 0o700 });
}

/** Starts a file; nothing here waits for the disk. */
export function createSpool({ directory, giveBack, onWritten, onError }: SpoolOptions): Spool {
  const queue: Chunk[] = [];
  const opened = openUnnamed(join(directory, randomUUID()));
  opened.catch(() => undefined);
  let waitingBytes = 0;
  let position = 0;
  let isClosed = false;
  let failure: CraError | null = null;
  let writing: Promise<void> = Promise.resolve();

  async function writeQueued(): Promise<void> {
    const batch = queue.splice(0);
    if (batch.length === 0) return;
    if (isClosed) {
      giveAllBack(batch);
      return;
    }
    const bytes = batch.reduce((sum, chunk) => sum + chunk.bytes, 0);
    try {
      const file = await opened;
      const parts = batch.map((chunk) => chunk.room.subarray(0, chunk.bytes));
      await writeAll(file, parts, position);
      position += bytes;
    } catch (thrown) {
      isClosed = true;
      failure = new CraError('UNAVAILABLE', 'the body could not be stored', { cause: thrown });
      onError(failure);
    } finally {
      waitingBytes -= bytes;
      giveAllBack(batch);
    }
    if (!isClosed) onWritten();
  }

  function giveAllBack(batch: readonly Chunk[]): void {
    for (const chunk of batch) giveBack(chunk);
  }

  return {
    get waitingBytes() {
      return waitingBytes;
    },
    write(chunks) {
      if (chunks.length === 0) return;
      queue.push(...chunks);
      for (const { bytes } of chunks) waitingBytes += bytes;
      writing = writing.then(writeQueued);
    },
    async readInto(target) {
      await writing;
      if (failure !== null) throw failure;
      const file = await opened;
      let at = 0;
      while (at < target.length) {
        const { bytesRead } = await file.read(target, at, target.length - at, at);
        if (bytesRead === 0) throw new CraError('DATA_LOSS', 'a spooled body is incomplete');
        at += bytesRead;
      }
    },
    close() {
      isClosed = true;
      void writing.then(() => opened).then(closeFile, () => undefined);
    },
  };
}

/** Without a name from the start, nobody else can open it and no crash leaves it behind. */
async function openUnnamed(path: string): Promise<FileHandle> {
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
  return file;
}

async function writeAll(file: FileHandle, parts: Uint8Array[], position: number): Promise<void> {
  const wanted = parts.reduce((sum, part) => sum + part.length, 0);
  const { bytesWritten } = await file.writev(parts, position);
  if (bytesWritten < wanted) throw new Error('the disk took only a part');
}

function closeFile(file: FileHandle): Promise<void> {
  return file.close().catch(() => undefined);
}

/**
 * Which bodies go to disk at once, by address: uWebSockets.js hands over megabytes of a fast
 * connection before a pause holds, so that few of one host may be read together. Addresses do not
 * wait for each other.
 */
export interface DiskTurns {
  /** True: it is the turn of this body. Else `onTurn` is called when it is. */
  take(address: string, onTurn: () => void): boolean;
  /** The body needs its turn no more, whether it has come or not. */
  leave(address: string, onTurn: () => void): void;
}

/** Creates the queues. */
export function createDiskTurns(): DiskTurns {
  const queues = new Map<string, { active: Set<() => void>; waiting: Set<() => void> }>();
  return {
    take(address, onTurn) {
      const network = networkOf(address);
      const queue = queues.get(network) ?? { active: new Set(), waiting: new Set() };
      queues.set(network, queue);
      const isNow = queue.active.size < HTTP.SPOOLING_PER_ADDRESS_MAX;
      (isNow ? queue.active : queue.waiting).add(onTurn);
      return isNow;
    },
    leave(address, onTurn) {
      const network = networkOf(address);
      const queue = queues.get(network);
      if (queue === undefined || queue.waiting.delete(onTurn)) return;
      if (!queue.active.delete(onTurn)) return;
      const [next] = queue.waiting;
      if (next !== undefined) {
        queue.waiting.delete(next);
        queue.active.add(next);
        next();
      } else if (queue.active.size === 0) queues.delete(network);
    },
  };
}
