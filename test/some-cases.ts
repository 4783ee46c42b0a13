/**
 * Of cases that are dear, or tried before with another store or protocol, every fifth, beginning
 * with the one at `from`; all of them in `npm run proof -- tests`.
 */
export function someOf<Case>(cases: readonly Case[], from = 0): readonly Case[] {
  if (process.env['ALL_CASES'] === '1') return cases;
  return cases.filter((_, index) => index % EVERY === from % EVERY);
}

/** A fifth of the runs of a property; all of them in `npm run proof -- tests`. */
export function someRuns(all: number): number {
  return process.env['ALL_CASES'] === '1' ? all : Math.ceil(all / EVERY);
}

const EVERY = 5;
