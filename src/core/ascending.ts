/**
 * Throws unless each value is above the one before it: bounds that only work in this order (a
 * driver gives up before its caller does). To be called at start, so that an edit of one bound
 * cannot quietly break another.
 */
export function assertAscending(bounds: Readonly<Record<string, number>>): void {
  const entries = Object.entries(bounds);
  for (const [at, [name, value]] of entries.entries()) {
    const next = entries[at + 1];
    if (next === undefined || value < next[1]) continue;
    throw new Error(`${name} (${value}) must be below ${next[0]} (${next[1]})`);
  }
}
