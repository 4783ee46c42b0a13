/** Runs the tasks of one key one after the other; those of different keys do not wait. */
export interface KeyedMutex {
  use<Result>(key: string, task: () => Promise<Result>): Promise<Result>;
  /** Whether a task of this key runs or waits. */
  isTaken(key: string): boolean;
}

/** Creates one that nobody holds. */
export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>();
  return {
    async use(key, task) {
      const before = last.get(key) ?? Promise.resolve();
      const mine = before.then(task, task);
      last.set(key, mine);
      try {
        return await mine;
      } finally {
        if (last.get(key) === mine) last.delete(key);
      }
    },
    isTaken: (key) => last.has(key),
  };
}
