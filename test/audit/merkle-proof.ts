import { nodeHash, rootOf } from '../../src/audit/chain.ts';
import { climb, type TreeHead } from '../../src/audit/inclusion.ts';

/**
 * Proofs about trees of RFC 6962 (2.1.1 and 2.1.2) made from all leaves: that an entry is in a
 * trail, and that a trail only grew, for a verifier that holds signed roots but not the entries.
 */

/** All leaves of a tree, for making proofs. */
export interface ProvingTree {
  /** Root over the first `size` leaves. */
  root(size: number): Buffer;
  /** That leaf `index` (from 0) is among the first `size`: hashes from the leaf to the root. */
  inclusion(index: number, size: number): Buffer[];
  /** That the tree of `size` leaves begins with that of `from` leaves, which is not empty. */
  consistency(from: number, size: number): Buffer[];
}

/** Builds the tree over leaf hashes. Its methods throw RangeError for what is not in it. */
export function createProvingTree(leaves: readonly Buffer[]): ProvingTree {
  const levels = levelsOf(leaves);
  const check = (isFine: boolean) => {
    if (!isFine) throw new RangeError(`the tree has ${leaves.length} leaves`);
  };

  /** Root over the leaves [from, to); `from` is a multiple of the largest power of 2 within. */
  function rangeRoot(from: number, to: number): Buffer {
    const frontier: Buffer[] = [];
    for (let at = from; at < to; ) {
      const level = Math.floor(Math.log2(to - at));
      const full = levels[level]?.[at / 2 ** level];
      if (full === undefined) throw new RangeError('the range does not begin at a full subtree');
      frontier.push(full);
      at += 2 ** level;
    }
    return rootOf(frontier);
  }

  /** SUBPROOF of RFC 6962: `isKnown` as long as the checker can have the root of [from, at). */
  function subproof(at: number, from: number, to: number, isKnown: boolean): Buffer[] {
    if (at === to) return isKnown ? [] : [rangeRoot(from, to)];
    const split = from + largestPowerBelow(to - from);
    if (at <= split) return [...subproof(at, from, split, isKnown), rangeRoot(split, to)];
    return [...subproof(at, split, to, false), rangeRoot(from, split)];
  }

  function path(index: number, from: number, to: number): Buffer[] {
    if (to - from === 1) return [];
    const split = from + largestPowerBelow(to - from);
    if (index < split) return [...path(index, from, split), rangeRoot(split, to)];
    return [...path(index, split, to), rangeRoot(from, split)];
  }

  return {
    root(size) {
      check(isWithin(size, 0, leaves.length));
      return rangeRoot(0, size);
    },
    inclusion(index, size) {
      check(isWithin(size, 1, leaves.length) && isWithin(index, 0, size - 1));
      return path(index, 0, size);
    },
    consistency(from, size) {
      check(isWithin(size, 1, leaves.length) && isWithin(from, 1, size));
      return subproof(from, 0, size, true);
    },
  };
}

/** Whether the proof shows that the `larger` tree begins with the leaves of the `smaller` one. */
export function isConsistent(
  smaller: TreeHead,
  larger: TreeHead,
  proof: readonly Buffer[],
): boolean {
  if (!isWithin(larger.size, 1, Number.MAX_SAFE_INTEGER)) return false;
  if (!isWithin(smaller.size, 1, larger.size)) return false;
  if (smaller.size === larger.size) return proof.length === 0 && smaller.root.equals(larger.root);
  // The last full subtree of the smaller tree is where both begin; alone, the checker has it.
  let index = smaller.size - 1;
  let last = larger.size - 1;
  while (index % 2 === 1) [index, last] = [half(index), half(last)];
  const [first, ...rest] = index === 0 ? [smaller.root, ...proof] : proof;
  if (first === undefined) return false;
  const climbed = climb(index, last, rest, first, first);
  return climbed?.before.equals(smaller.root) === true && climbed.whole.equals(larger.root);
}

/** levels[h][i]: root over the 2^h leaves from i * 2^h, where all of them are there. */
function levelsOf(leaves: readonly Buffer[]): Buffer[][] {
  const levels = [[...leaves]];
  for (let below = levels[0] ?? []; below.length > 1; ) {
    const level: Buffer[] = [];
    for (let i = 0; i + 1 < below.length; i += 2) {
      const left = below[i];
      const right = below[i + 1];
      if (left && right) level.push(nodeHash(left, right));
    }
    levels.push(level);
    below = level;
  }
  return levels;
}

function largestPowerBelow(size: number): number {
  let power = 1;
  while (power * 2 < size) power *= 2;
  return power;
}

function isWithin(value: number, min: number, max: number): boolean {
  return Number.isSafeInteger(value) && value >= min && value <= max;
}

function half(value: number): number {
  return Math.floor(value / 2);
}
