import type { NamedHead } from './witnesses.ts';

/**
 * Counts the entries that no signature covers. `signed`: entries at the beginning of each chain
 * that one covers. A signature over a boot entry also covers the heads of other chains that it
 * names, and whatever the boot entries of these name.
 */
export function countUnsealed(
  chains: readonly { chain: string; entries: number; signed: number }[],
  boots: ReadonlyMap<string, readonly NamedHead[]>,
): number {
  const sealed = new Map(chains.map(({ chain, signed }) => [chain, signed]));
  const next = chains.filter(({ signed }) => signed > 0).map(({ chain }) => chain);
  for (const chain of next) {
    for (const { chain: other, seq } of boots.get(chain) ?? []) {
      const before = sealed.get(other) ?? 0;
      if (before === 0) next.push(other);
      sealed.set(other, Math.max(before, seq));
    }
  }
  return chains.reduce(
    (sum, { chain, entries }) => sum + Math.max(0, entries - (sealed.get(chain) ?? 0)),
    0,
  );
}
