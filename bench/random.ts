/** Numbers that look random and are the same for the same seed: mulberry32. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number in [from, to). */
  between(from: number, to: number): number;
  pick<T>(values: readonly T[]): T;
}

/** Creates a generator; a seed is a whole number. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from));
  return {
    next,
    between,
    pick(values) {
      const value = values[between(0, values.length)];
      if (value === undefined) throw new RangeError('nothing to pick from');
      return value;
    },
  };
}
