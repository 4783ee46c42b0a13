/** How good scores are, given what came of the changes. All take parallel arrays. */

/** Chance that a yes scores higher than a no; 0.5 for equal scores. NaN without both. */
export function areaUnderCurve(scores: readonly number[], labels: readonly number[]): number {
  const order = scores.map((_score, row) => row).sort((a, b) => at(scores, a) - at(scores, b));
  let ranks = 0;
  let yes = 0;
  for (let from = 0; from < order.length; ) {
    let to = from;
    const score = at(scores, at(order, from));
    while (to < order.length && at(scores, at(order, to)) === score) to += 1;
    for (const row of order.slice(from, to)) {
      if (at(labels, row) === 0) continue;
      ranks += (from + 1 + to) / 2;
      yes += 1;
    }
    from = to;
  }
  return (ranks - (yes * (yes + 1)) / 2) / (yes * (order.length - yes));
}

/** Mean square of chance minus outcome. */
export function brier(chances: readonly number[], labels: readonly number[]): number {
  return mean(chances.map((chance, row) => (chance - at(labels, row)) ** 2));
}

export interface Decile {
  count: number;
  /** Mean chance and share of yes. */
  expected: number;
  observed: number;
}

/** Chances in ten classes, 0-9 %, 10-19 % and so on, with what came of each. */
export function calibration(chances: readonly number[], labels: readonly number[]): Decile[] {
  const deciles = Array.from({ length: 10 }, () => ({ count: 0, chances: 0, yes: 0 }));
  for (const [row, chance] of chances.entries()) {
    const decile = deciles[Math.min(9, Math.floor(chance * 10))];
    if (decile === undefined) continue;
    decile.count += 1;
    decile.chances += chance;
    decile.yes += at(labels, row);
  }
  return deciles.map(({ count, chances: sum, yes }) => {
    return { count, expected: sum / count, observed: yes / count };
  });
}

/** Expected calibration error: mean distance of expected and observed, by the size of classes. */
export function calibrationError(deciles: readonly Decile[]): number {
  const filled = deciles.filter(({ count }) => count > 0);
  const total = filled.reduce((sum, { count }) => sum + count, 0);
  return filled.reduce(
    (sum, { count, expected, observed }) => sum + (count * Math.abs(expected - observed)) / total,
    0,
  );
}

/** NaN for none. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function at(values: readonly number[], index: number): number {
  return values[index] ?? Number.NaN;
}
