/**
 * Of cases that are dear, or tried before with another store or protocol, every fifth, of fewer
 * than five one; all of them in `npm run proof -- tests`. The choice changes with each commit and
 * day (`CASES_FROM`, which the configuration of ava sets and prints), so that runs of some days
 * take them all. `from`: lists that begin at different cases. `of`: another part than a fifth.
 */
export function someOf<Case>(cases: readonly Case[], from = 0, of = EVERY): readonly Case[] {
  if (process.env['ALL_CASES'] === '1') return cases;
  const every = Math.min(of, cases.length);
  const first = (Number(process.env['CASES_FROM'] ?? 0) + from) % every;
  return cases.filter((_, index) => index % every === first);
}

/** A fifth of the runs of a property; all of them in `npm run proof -- tests`. */
export function someRuns(all: number): number {
  return process.env['ALL_CASES'] === '1' ? all : Math.ceil(all / EVERY);
}

const EVERY = 5;
