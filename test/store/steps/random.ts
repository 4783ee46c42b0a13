/** Random choices that the same seed repeats. */
export interface Random {
  /** From 0 to `below`, without it. */
  number(below: number): number;
  one<Item>(items: readonly Item[]): Item;
  maybe(): boolean;
}

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed;
  const number = (below: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
  return {
    number,
    one: (items) => items[number(items.length)] as (typeof items)[number],
    maybe: () => number(2) === 1,
  };
}

/** The same value, of which nothing can be changed. */
export function frozen<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
}
