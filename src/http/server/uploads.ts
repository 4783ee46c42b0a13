import { createSemaphore } from '../../core/semaphore.ts';
import type { CraError } from '../../model/errors.ts';
import { createChunkPool, createUnprovenBodies } from './body-memory.ts';
import { HTTP } from './limits.ts';
import { bodyTooLate, bodyTooSlow } from './refusal.ts';
import { createDiskTurns } from './spool.ts';
import { Upload, type UploadOptions, type UploadResources } from './upload.ts';

/** All bodies that arrive or are being worked on. */
export interface Uploads {
  open(options: UploadOptions): Upload;
  /** A valid signature came from this address: its unproven bytes have no cap for a while. */
  trust(address: string): void;
  /** Bytes of memory that bodies hold. */
  readonly bytes: number;
  /** Bytes of bodies that are on disk. */
  readonly spooledBytes: number;
  /** Fails what is too slow or too late; a timer calls it. */
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
