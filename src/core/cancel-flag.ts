/**
 * A flag in shared memory, read by a thread that is busy and cannot take messages.
 * Layout: one Int32 that holds a value of STOP.
 */
export type CancelFlag = Int32Array<SharedArrayBuffer>;

/** Why a thread shall stop. `yield`: the answer is due; end with what lets another go on later. */
const STOP = { none: 0, cancel: 1, yield: 2 } as const;

/** Creates a flag that is not raised. */
export function createCancelFlag(): CancelFlag {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/** Raises the flag; the first reason stays, except that `cancel` always wins. */
export function raise(flag: CancelFlag, reason: 'cancel' | 'yield' = 'cancel'): void {
  if (reason === 'cancel') Atomics.store(flag, 0, STOP.cancel);
  else Atomics.compareExchange(flag, 0, STOP.none, STOP.yield);
}

/** Whether the thread shall stop, for whatever reason. */
export function isRaised(flag: CancelFlag): boolean {
  return Atomics.load(flag, 0) !== STOP.none;
}

/** Whether the thread shall stop because the answer is due. */
export function isYield(flag: CancelFlag): boolean {
  return Atomics.load(flag, 0) === STOP.yield;
}
