/** Lets so many tasks run at once; the others wait in order. */
export interface Slots {
  use<Result>(task: () => Promise<Result>): Promise<Result>;
}

/** Slots for `count` tasks. */
export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    async use(task) {
      if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
      else free -= 1;
      try {
        return await task();
      } finally {
        // A slot goes from hand to hand, so that nobody who came later gets it.
        const next = waiting.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}
