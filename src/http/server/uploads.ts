import { HTTP } from '../../limits.ts';
import { CraError } from '../../model/errors.ts';
import { type ByteBudget, createHeldBytes } from './held-bytes.ts';
import { bodyTooLarge, bodyTooLate, bodyTooSlow } from './refusal.ts';

/** A body on its way in. Fed by the exchange; `done` settles once. */
export interface Upload {
  /** A copy of the bytes is kept; the chunk may be reused by the caller. */
  push(chunk: ArrayBuffer, isLast: boolean): void;
  fail(error: CraError): void;
  /** The whole body. */
  readonly done: Promise<Uint8Array>;
  readonly isComplete: boolean;
  /** Gives the bytes back to the budget: the body is not used any more. */
  release(): void;
}

/** All bodies that arrive or are being worked on; one budget for their bytes. */
export interface Uploads {
  /**
   * Starts a body of at most `bytesMax` bytes. One of more than `sharedAbove` bytes comes in
   * shared memory; 0 when absent.
   */
  open(bytesMax: number, sharedAbove?: number): Upload;
  readonly bytes: number;
  /** Fails what is too slow or too late; a timer calls it. */
  check(): void;
  /** Fails everything that is still arriving. */
  failAll(error: CraError): void;
  close(): void;
}

interface Progress {
  startedAt: number;
  windowStart: number;
  windowBytes: number;
}

/**
 * Creates the register of uploads. Bytes are charged as they arrive, never as promised: a
 * thousand connections that announce 32 MB and send nothing cost nothing. One timer watches all:
 * a body must keep up a minimum rate and be complete within its deadline.
 */
export function createUploads(now: () => number): Uploads {
  const arriving = new Map<Upload, Progress>();
  const budget: ByteBudget = { limit: HTTP.BODY_BUDGET_BYTES, charged: 0 };

  function check(): void {
    const time = now();
    for (const [upload, progress] of arriving) {
      if (time - progress.startedAt > HTTP.BODY_DEADLINE_MS) {
        upload.fail(bodyTooLate(HTTP.BODY_DEADLINE_MS));
      } else if (time - progress.windowStart >= HTTP.BODY_RATE_WINDOW_MS) {
        if (progress.windowBytes < HTTP.BODY_RATE_BYTES_MIN) {
          upload.fail(bodyTooSlow(HTTP.BODY_RATE_BYTES_MIN, HTTP.BODY_RATE_WINDOW_MS));
        }
        progress.windowStart = time;
        progress.windowBytes = 0;
      }
    }
  }
  const timer = setInterval(check, HTTP.BODY_CHECK_INTERVAL_MS);
  timer.unref();

  function open(bytesMax: number, sharedAbove = 0): Upload {
    const held = createHeldBytes(bytesMax, budget, sharedAbove);
    let state: 'arriving' | 'complete' | 'failed' = 'arriving';
    let settle: { resolve(body: Uint8Array): void; reject(error: CraError): void };
    const done = new Promise<Uint8Array>((resolve, reject) => {
      settle = { resolve, reject };
    });
    // Nobody may be waiting any more when it fails.
    done.catch(() => undefined);

    const upload: Upload = {
      done,
      get isComplete() {
        return state === 'complete';
      },
      push(chunk, isLast) {
        if (state !== 'arriving') return;
        const outcome = held.append(chunk);
        if (outcome !== 'ok') {
          upload.fail(outcome === 'large' ? bodyTooLarge(bytesMax) : budgetSpent());
          return;
        }
        const progress = arriving.get(upload);
        if (progress !== undefined) progress.windowBytes += chunk.byteLength;
        if (!isLast) return;
        state = 'complete';
        arriving.delete(upload);
        settle.resolve(held.take());
      },
      fail(error) {
        if (state !== 'arriving') return;
        state = 'failed';
        arriving.delete(upload);
        held.release();
        settle.reject(error);
      },
      release: held.release,
    };
    const time = now();
    arriving.set(upload, { startedAt: time, windowStart: time, windowBytes: 0 });
    return upload;
  }

  return {
    open,
    check,
    failAll(error) {
      for (const upload of [...arriving.keys()]) upload.fail(error);
    },
    get bytes() {
      return budget.charged;
    },
    close: () => clearInterval(timer),
  };
}

function budgetSpent(): CraError {
  const message = 'too many bytes of request bodies are being worked on; try again later';
  return new CraError('RESOURCE_EXHAUSTED', message);
}
