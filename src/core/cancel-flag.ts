/**
 * A flag in shared memory, read by a thread that is busy and cannot take messages.
 * Layout: one Int32, 0 = go on, 1 = stop.
 */
export type CancelFlag = Int32Array<SharedArrayBuffer>;

export function createCancelFlag(): CancelFlag {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

export function raise(flag: CancelFlag): void {
  Atomics.store(flag, 0, 1);
}

export function isRaised(flag: CancelFlag): boolean {
  return Atomics.load(flag, 0) !== 0;
}
