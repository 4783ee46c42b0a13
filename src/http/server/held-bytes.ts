/** What all held bytes together may take, and do take. */
export interface ByteBudget {
  readonly limit: number;
  charged: number;
}

/** Bytes that grow as they arrive. */
export interface HeldBytes {
  /** `large`: above `bytesMax`. `full`: the budget has no room. Neither adds anything. */
  append(chunk: ArrayBuffer): 'ok' | 'large' | 'full';
  /** All bytes; they stay charged until `release`. */
  take(): Uint8Array;
  /** Gives the bytes back to the budget. */
  release(): void;
}

/** Room at first; it doubles, so that a million tiny chunks cost no more than one large. */
const FIRST_BYTES = 16 * 1024;

const NO_BYTES = new Uint8Array(0);

/**
 * Creates an empty holder. What is charged is the room taken, not the bytes in it. Room above
 * `sharedAbove` is in shared memory, which other threads read without a copy but which is dearer
 * to make.
 */
export function createHeldBytes(
  bytesMax: number,
  budget: ByteBudget,
  sharedAbove: number,
): HeldBytes {
  let room: Uint8Array = NO_BYTES;
  let bytes = 0;
  let charge = 0;

  function grow(size: number): boolean {
    const capacity = Math.min(bytesMax, Math.max(size, room.length * 2, FIRST_BYTES));
    if (budget.charged + capacity - charge > budget.limit) return false;
    budget.charged += capacity - charge;
    charge = capacity;
    const larger: Uint8Array =
      capacity > sharedAbove
        ? new Uint8Array(new SharedArrayBuffer(capacity))
        : new Uint8Array(capacity);
    larger.set(room.subarray(0, bytes));
    room = larger;
    return true;
  }

  return {
    append(chunk) {
      const size = bytes + chunk.byteLength;
      if (size > bytesMax) return 'large';
      if (size > room.length && !grow(size)) return 'full';
      room.set(new Uint8Array(chunk), bytes);
      bytes = size;
      return 'ok';
    },
    take() {
      const body = room.subarray(0, bytes);
      room = NO_BYTES;
      return body;
    },
    release() {
      budget.charged -= charge;
      charge = 0;
      room = NO_BYTES;
    },
  };
}
