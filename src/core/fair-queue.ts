/**
 * First come, first served within a caller; round robin between callers. A caller with a
 * thousand entries delays another by one entry, not by a thousand.
 *
 *   ring:   A -> B -> C -> (A)      next to serve: A
 *   A: [a1 a2 a3]  B: [b1]  C: [c1 c2]        served: a1 b1 c1 a2 c2 a3
 */
export interface FairQueue<T> {
  readonly size: number;
  push(caller: string, entry: T): void;
  /** Removes the first entry, in fair order, that `fits`; null when none does. */
  take(fits: (entry: T) => boolean): T | null;
  /** Removes an entry that is waiting; false when it is not. */
  remove(caller: string, entry: T): boolean;
}

/** Creates an empty queue. Map order is the ring: a served caller moves to its end. */
export function createFairQueue<T>(): FairQueue<T> {
  const callers = new Map<string, T[]>();
  let size = 0;

  return {
    get size() {
      return size;
    },
    push(caller, entry) {
      const entries = callers.get(caller);
      if (entries === undefined) callers.set(caller, [entry]);
      else entries.push(entry);
      size += 1;
    },
    take(fits) {
      for (const [caller, entries] of callers) {
        const index = entries.findIndex(fits);
        if (index < 0) continue;
        const [entry] = entries.splice(index, 1);
        callers.delete(caller);
        if (entries.length > 0) callers.set(caller, entries);
        size -= 1;
        return entry ?? null;
      }
      return null;
    },
    remove(caller, entry) {
      const entries = callers.get(caller);
      const index = entries?.indexOf(entry) ?? -1;
      if (entries === undefined || index < 0) return false;
      entries.splice(index, 1);
      if (entries.length === 0) callers.delete(caller);
      size -= 1;
      return true;
    },
  };
}
