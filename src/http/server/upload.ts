import { createSemaphore, type Semaphore } from '../../core/semaphore.ts';
import { CraError } from '../../model/errors.ts';
import {
  type BodyChunks,
  type ByteBudget,
  type ChunkPool,
  createBodyChunks,
  createChunkPool,
  createDiskTurns,
  createSpool,
  createUnprovenBodies,
  type DiskTurns,
  type Spool,
  type UnprovenBodies,
} from './body-memory.ts';
import { HTTP } from './limits.ts';
import { addressTooBusy, bodyTooLarge, bodyTooLate, bodyTooSlow } from './reply.ts';

/** All bodies that arrive or are being worked on. */
export interface Uploads {
  open(options: UploadOptions): Upload;
  /** A valid signature came from this address: its unproven bytes have no cap for a while. */
  trust(address: string): void;
  /** Bytes of memory that bodies hold. */
  readonly bytes: number;
  /** Bytes of bodies that are on disk. */
  readonly spooledBytes: number;
  /** Fails uploads that are too slow or too late; a timer calls it. */
  check(): void;
  /** Fails everything that is still arriving. */
  failAll(error: CraError): void;
  close(): void;
}

interface Progress {
  startedAt: number;
  windowStart: number;
}

/**
 * Creates the register of uploads. Bytes are charged as they arrive, never as promised: a
 * thousand connections that announce 32 MB and send nothing cost nothing. One timer watches all:
 * a body must keep up a minimum rate and be complete within its deadline. `now` is in ms.
 */
export function createUploads(now: () => number, spoolDirectory: string): Uploads {
  const arriving = new Map<Upload, Progress>();
  const resources: UploadResources = {
    pool: createChunkPool(HTTP.IDLE_CHUNK_BYTES_MAX),
    proven: { limit: HTTP.BODY_BUDGET_BYTES, charged: 0 },
    unproven: { limit: HTTP.UNPROVEN_BUDGET_BYTES, charged: 0 },
    disk: { limit: HTTP.SPOOL_BUDGET_BYTES, charged: 0 },
    byAddress: createUnprovenBodies(now),
    diskTurns: createDiskTurns(),
    spooledReads: createSemaphore({ places: HTTP.SPOOLED_IN_MEMORY_MAX }),
    spoolDirectory,
  };

  function checkRate(upload: Upload, progress: Progress, time: number): void {
    if (time - progress.windowStart < HTTP.BODY_RATE_WINDOW_MS) return;
    // A sender that is kept waiting by our disk is not slow.
    if (upload.bytesSinceCheck < HTTP.BODY_RATE_BYTES_MIN && !upload.isPaused) {
      upload.fail(bodyTooSlow(HTTP.BODY_RATE_BYTES_MIN, HTTP.BODY_RATE_WINDOW_MS));
    }
    progress.windowStart = time;
    upload.bytesSinceCheck = 0;
  }

  function check(): void {
    const time = now();
    for (const [upload, progress] of arriving) {
      if (time - progress.startedAt <= HTTP.BODY_DEADLINE_MS) checkRate(upload, progress, time);
      else upload.fail(bodyTooLate(HTTP.BODY_DEADLINE_MS));
    }
  }
  const timer = setInterval(check, HTTP.BODY_CHECK_INTERVAL_MS);
  timer.unref();

  return {
    open(options) {
      const upload = new Upload(resources, options);
      const time = now();
      arriving.set(upload, { startedAt: time, windowStart: time });
      upload.onArrived = () => arriving.delete(upload);
      return upload;
    },
    trust: resources.byAddress.trust,
    check,
    failAll(error) {
      for (const upload of [...arriving.keys()]) upload.fail(error);
    },
    get bytes() {
      return resources.proven.charged + resources.unproven.charged;
    },
    get spooledBytes() {
      return resources.disk.charged;
    },
    close: () => clearInterval(timer),
  };
}

/** What all uploads share: budgets of memory and disk, and who may use how much of them. */
interface UploadResources {
  pool: ChunkPool;
  /** Memory of bodies whose sender has proved who it is. */
  proven: ByteBudget;
  unproven: ByteBudget;
  disk: ByteBudget;
  byAddress: UnprovenBodies;
  diskTurns: DiskTurns;
  spooledReads: Semaphore;
  spoolDirectory: string;
}

/** What an upload has to know of its connection. */
interface UploadOptions {
  bytesMax: number;
  /** Its Content-Length; 0: it has none. */
  bytesAnnounced: number;
  /** Where it comes from, for the caps on unproven bodies. */
  address: string;
  /**
   * A large one waits on disk, even if its sender is known: hosts send a webhook once, and may send
   * more of them together than memory holds.
   */
  waitsOnDisk: boolean;
  /** Stops and goes on reading from the connection; only called while the body arrives. */
  flow: { pause(): void; resume(): void };
}

/**
 * A body on its way in, fed by the exchange. As long as its sender has proved nothing it is
 * charged to the unproven budget and to its address. Above HTTP.UNPROVEN_IN_MEMORY_BYTES_MAX it
 * goes on to disk, as every webhook does; what is read again from there waits for its turn.
 */
export class Upload {
  /** Resolves when the body is whole, rejects when it failed. */
  readonly received: Promise<void>;
  /** Bytes that arrived since the register looked last. */
  bytesSinceCheck = 0;
  /** The disk is behind, or the body's turn has not come: nothing is read from the connection. */
  isPaused = false;
  /** Called once, when nothing more arrives. */
  onArrived: () => void = () => undefined;

  readonly #resources: UploadResources;
  readonly #options: UploadOptions;
  readonly #chunks: BodyChunks;
  #state: 'arriving' | 'complete' | 'failed' | 'released' = 'arriving';
  #isProven = false;
  #bytes = 0;
  #bytesOfAddress = 0;
  #bytesOnDisk = 0;
  #spool: Spool | null = null;
  #isItsTurn = false;
  #bytesRead = 0;
  #leaveTurn: () => void = () => undefined;
  #resolve: () => void = () => undefined;
  #reject: (error: CraError) => void = () => undefined;

  constructor(resources: UploadResources, options: UploadOptions) {
    this.#resources = resources;
    this.#options = options;
    this.#chunks = createBodyChunks(resources.pool, resources.unproven);
    this.received = new Promise<void>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Nobody may be waiting any more when it fails.
    this.received.catch(() => undefined);
  }

  get isArriving(): boolean {
    return this.#state === 'arriving';
  }

  get isComplete(): boolean {
    return this.#state === 'complete';
  }

  /** Takes a copy of the bytes; the chunk may be reused by the caller. */
  push(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.#state !== 'arriving') return;
    const problem = this.#add(new Uint8Array(chunk), isLast);
    if (problem !== null) this.fail(problem);
    else if (isLast) this.#end('complete', this.#resolve);
  }

  /** Ends a body that is still arriving; its bytes are given back at once. */
  fail(error: CraError): void {
    if (this.#state !== 'arriving') return;
    this.#free();
    this.#end('failed', () => this.#reject(error));
    // What the client still sends is read and dropped, so that it sees why it was refused.
    if (this.isPaused) this.#options.flow.resume();
  }

  /** From now on the bytes count against the budget of known callers. */
  prove(): void {
    if (this.#isProven) return;
    this.#isProven = true;
    this.#forgetAddress();
    this.#chunks.chargeTo(this.#resources.proven);
  }

  /**
   * The whole body, once it is received; in shared memory when it has more than `sharedAbove`
   * bytes. Rejects as `received` does, and when it is released before its turn.
   */
  async read(sharedAbove: number): Promise<Uint8Array> {
    await this.received;
    this.prove();
    if (this.#spool !== null) await this.#takeTurn();
    if (this.#state !== 'complete')
      throw new CraError('CANCELLED', 'the body is not used any more');
    const body =
      this.#bytes > sharedAbove
        ? new Uint8Array(new SharedArrayBuffer(this.#bytes))
        : new Uint8Array(this.#bytes);
    this.#bytesRead = this.#bytes;
    this.#resources.proven.charged += this.#bytes;
    if (this.#spool === null) this.#chunks.copyTo(body);
    else await this.#spool.readInto(body);
    return body;
  }

  /** Gives memory and disk back: the body is not used any more. */
  release(): void {
    if (this.#state === 'released') return;
    this.#state = 'released';
    this.#resources.diskTurns.leave(this.#options.address, this.#onTurn);
    this.#free();
    this.#resources.proven.charged -= this.#bytesRead;
    this.#leaveTurn();
  }

  #end(state: 'complete' | 'failed', settle: () => void): void {
    this.#state = state;
    this.onArrived();
    this.#resources.diskTurns.leave(this.#options.address, this.#onTurn);
    settle();
  }

  /** Keeps bytes, in memory or on disk; returns the problem, or null. */
  #add(bytes: Uint8Array, isLast: boolean): CraError | null {
    const { bytesMax, bytesAnnounced, address, waitsOnDisk } = this.#options;
    if (this.#bytes + bytes.length > bytesMax) return bodyTooLarge(bytesMax);
    if (!this.#isProven && bytes.length > 0) {
      const isFirst = this.#bytesOfAddress === 0;
      const isCounted = this.#resources.byAddress.add(address, bytes.length, isFirst);
      if (!isCounted) return addressTooBusy();
      this.#bytesOfAddress += bytes.length;
    }
    this.bytesSinceCheck += bytes.length;
    this.#bytes += bytes.length;
    if (!this.#chunks.append(bytes)) return budgetSpent();
    // A body that announces itself as large waits for its turn from its first bytes on.
    const bytesAtLeast = Math.max(this.#bytes, bytesAnnounced);
    const isForDisk =
      (waitsOnDisk || !this.#isProven) && bytesAtLeast > HTTP.UNPROVEN_IN_MEMORY_BYTES_MAX;
    if (this.#spool === null && !isForDisk) return null;
    return this.#toDisk(bytes.length, isLast);
  }

  #toDisk(added: number, isLast: boolean): CraError | null {
    const { disk } = this.#resources;
    const wanted = this.#spool === null ? this.#bytes : added;
    if (disk.charged + wanted > disk.limit) return budgetSpent();
    disk.charged += wanted;
    this.#bytesOnDisk += wanted;
    this.#spool ??= this.#startSpool();
    this.#spool.write(this.#chunks.take(isLast ? 'all' : 'full'));
    const isBehind = this.#spool.waitingBytes > HTTP.SPOOL_WAITING_BYTES_MAX;
    if ((isBehind || !this.#isItsTurn) && !this.isPaused && !isLast) {
      this.isPaused = true;
      this.#options.flow.pause();
    }
    return null;
  }

  #resume(): void {
    if (!this.isPaused || !this.#isItsTurn || this.#state !== 'arriving') return;
    this.isPaused = false;
    this.#options.flow.resume();
  }

  readonly #onTurn = (): void => {
    this.#isItsTurn = true;
    this.#resume();
  };

  #startSpool(): Spool {
    const { pool, spoolDirectory, diskTurns } = this.#resources;
    this.#isItsTurn = diskTurns.take(this.#options.address, this.#onTurn);
    return createSpool({
      directory: spoolDirectory,
      release: pool.give,
      onWritten: () => this.#resume(),
      onError: (error) => this.fail(error),
    });
  }

  async #takeTurn(): Promise<void> {
    const leave = await this.#resources.spooledReads.acquire({
      key: this.#options.address,
    });
    if (this.#state === 'complete') this.#leaveTurn = leave;
    else leave();
  }

  #forgetAddress(): void {
    if (this.#bytesOfAddress === 0) return;
    this.#resources.byAddress.remove(this.#options.address, this.#bytesOfAddress);
    this.#bytesOfAddress = 0;
  }

  #free(): void {
    this.#forgetAddress();
    this.#chunks.release();
    if (this.#spool === null) return;
    this.#resources.disk.charged -= this.#bytesOnDisk;
    this.#spool.close();
    this.#spool = null;
  }
}

function budgetSpent(): CraError {
  const message = 'too many bytes of request bodies are being worked on; try again later';
  return new CraError('RESOURCE_EXHAUSTED', message);
}
