import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { networkOf } from '../../auth/login.ts';
import { CraError } from '../../model/errors.ts';
import { HTTP } from './limits.ts';

/** How many bytes of bodies may be held, and are. */
export interface ByteBudget {
  readonly limit: number;
  charged: number;
}

/** A chunk of CHUNK_BYTES, how many of them belong to the body, and the budget it is charged to. */
interface Chunk {
  readonly room: Uint8Array;
  bytes: number;
  budget: ByteBudget;
}

/** Chunks that are used again and again, so that memory does not wait for a collection. */
export interface ChunkPool {
  /** An empty chunk; null: the budget is spent. */
  take(budget: ByteBudget): Chunk | null;
  /** Gives a chunk back to the pool and its bytes back to its budget. */
  give(chunk: Chunk): void;
}

/**
 * A body grows by chunks of this size: doubling leaves behind as much garbage as there are bytes,
 * and V8 does not collect it in time, as it does not count shared memory.
 */
const CHUNK_BYTES = 64 * 1024;

/** Creates a pool that keeps at most `idleBytesMax` for the next bodies. */
export function createChunkPool(idleBytesMax: number): ChunkPool {
  const idle: Uint8Array[] = [];
  return {
    take(budget) {
      if (budget.charged + CHUNK_BYTES > budget.limit) return null;
      budget.charged += CHUNK_BYTES;
      return { room: idle.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES), bytes: 0, budget };
    },
    give({ room, budget }) {
      budget.charged -= CHUNK_BYTES;
      if ((idle.length + 1) * CHUNK_BYTES <= idleBytesMax) idle.push(room);
    },
  };
}

/** The bytes of a body in the order of their arrival. */
export interface BodyChunks {
  /** Copies the bytes; false when the budget has no room for all of them. */
  append(bytes: Uint8Array): boolean;
  /** Takes out the chunks that are full, or all of them; the caller gives them back. */
  take(which: 'full' | 'all'): Chunk[];
  /** Charges the bytes that are held, and later ones, to another budget. */
  chargeTo(budget: ByteBudget): void;
  /** Copies everything to `target` and gives the chunks back. */
  copyTo(target: Uint8Array): void;
  release(): void;
}

/** Creates an empty body that takes its chunks from `pool` and charges them to `budget`. */
export function createBodyChunks(pool: ChunkPool, budget: ByteBudget): BodyChunks {
  let charged = budget;
  let chunks: Chunk[] = [];

  /** The chunk that has room for the next byte; null: the budget is spent. */
  function openChunk(): Chunk | null {
    const last = chunks.at(-1);
    if (last !== undefined && last.bytes < CHUNK_BYTES) return last;
    const chunk = pool.take(charged);
    if (chunk !== null) chunks.push(chunk);
    return chunk;
  }

  function release(): void {
    for (const chunk of chunks) pool.give(chunk);
    chunks = [];
  }

  return {
    append(bytes) {
      let at = 0;
      while (at < bytes.length) {
        const chunk = openChunk();
        if (chunk === null) return false;
        const part = bytes.subarray(at, at + CHUNK_BYTES - chunk.bytes);
        chunk.room.set(part, chunk.bytes);
        chunk.bytes += part.length;
        at += part.length;
      }
      return true;
    },
    take(which) {
      const isLastFull = chunks.at(-1)?.bytes === CHUNK_BYTES;
      const count = which === 'all' || isLastFull ? chunks.length : chunks.length - 1;
      return chunks.splice(0, Math.max(0, count));
    },
    chargeTo(other) {
      for (const chunk of chunks) {
        chunk.budget.charged -= CHUNK_BYTES;
        other.charged += CHUNK_BYTES;
        chunk.budget = other;
      }
      charged = other;
    },
    copyTo(target) {
      let at = 0;
      for (const { room, bytes } of chunks) {
        target.set(room.subarray(0, bytes), at);
        at += bytes;
      }
      release();
    },
    release,
  };
}

/** Bodies whose sender has proved nothing yet, by address (a /64 of IPv6 is one). */
export interface UnprovenBodies {
  /** Counts bytes, the first ones as a body; false, with nothing counted, above a cap. */
  add(address: string, bytes: number, isFirst: boolean): boolean;
  /** Counts a body and its bytes no more: proved, refused or gone. */
  remove(address: string, bytes: number): void;
  /** A valid signature came from there: no cap for HTTP.PROVEN_ADDRESS_MS. */
  trust(address: string): void;
}

/** Creates the count; `now` is in ms. */
export function createUnprovenBodies(now: () => number): UnprovenBodies {
  const counted = new Map<string, { bodies: number; bytes: number }>();
  const trustedUntil = new Map<string, number>();
  return {
    add(address, added, isFirst) {
      const network = networkOf(address);
      const held = counted.get(network) ?? { bodies: 0, bytes: 0 };
      const bodies = held.bodies + (isFirst ? 1 : 0);
      const bytes = held.bytes + added;
      const isAbove =
        bodies > HTTP.UNPROVEN_BODIES_PER_ADDRESS_MAX ||
        bytes > HTTP.UNPROVEN_BYTES_PER_ADDRESS_MAX;
      if (isAbove && (trustedUntil.get(network) ?? 0) <= now()) return false;
      counted.set(network, { bodies, bytes });
      return true;
    },
    remove(address, bytes) {
      const network = networkOf(address);
      const held = counted.get(network);
      if (held === undefined) return;
      if (held.bodies === 1) counted.delete(network);
      else counted.set(network, { bodies: held.bodies - 1, bytes: held.bytes - bytes });
    },
    trust(address) {
      const network = networkOf(address);
      trustedUntil.delete(network);
      trustedUntil.set(network, now() + HTTP.PROVEN_ADDRESS_MS);
      const [oldest] = trustedUntil.keys();
      if (trustedUntil.size > HTTP.PROVEN_ADDRESSES_MAX && oldest !== undefined) {
        trustedUntil.delete(oldest);
      }
    },
  };
}

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
  release(chunk: Chunk): void;
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
export function createSpool({ directory, release, onWritten, onError }: SpoolOptions): Spool {
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
    for (const chunk of batch) release(chunk);
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
