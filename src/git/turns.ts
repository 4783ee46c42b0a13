/** Runs tasks of one key one after the other. */
export interface Turns {
  take<Result>(key: string, task: () => Promise<Result>): Promise<Result>;
  /** Whether a task of this key runs or waits. */
  isTaken(key: string): boolean;
}

/** Turns by key; tasks of different keys do not wait for each other. */
export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return {
    async take(key, task) {
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
