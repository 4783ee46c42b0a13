import type { ProvenEntry } from '../model/audit.ts';
import { CraError } from '../model/errors.ts';
import { leafHash, nodeHash, rootOf } from './chain.ts';
import { type OpenCheckpoint, readUnverified } from './checkpoint.ts';
import { readEntry } from './entry.ts';

/** Where a prover reads the entries of a chain from `seq` on. */
export interface ChainEntries {
  entriesFrom(chain: string, seq: number): AsyncIterable<string>;
}

/**
 * Proves entries of a trail. Of what it has read of a chain it remembers one hash for each
 * TILE_LEAVES entries, so that a proof reads the entries near its own and not the whole chain.
 */
export interface Prover {
  /** The first checkpoint of the chain that is over the entry, as a note; null: not yet. */
  checkpointOf(chain: string, seq: number): Promise<string | null>;
  /**
   * The entry with its proof in the tree of a note of its chain. Rejects with DATA_LOSS when the
   * entries do not come to the root of the note.
   */
  prove(chain: string, seq: number, note: string): Promise<ProvenEntry>;
}

/** Entries whose subtree is remembered as one hash: 2^10. */
const TILE_LEVEL = 10;
const TILE_LEAVES = 2 ** TILE_LEVEL;
/** Chains whose hashes are remembered; a chain of 10^6 entries has 1,000 hashes of 32 bytes. */
const CHAINS_REMEMBERED_MAX = 1_000;

/** Creates a prover. Whose signature a note has is for the reader of the proof to check. */
export function createProver(entries: ChainEntries): Prover {
  const tilesByChain = new Map<string, Buffer[]>();

  function remembered(chain: string): Buffer[] {
    const tiles = tilesByChain.get(chain) ?? [];
    tilesByChain.delete(chain);
    tilesByChain.set(chain, tiles);
    const [oldest] = tilesByChain.keys();
    if (tilesByChain.size > CHAINS_REMEMBERED_MAX && oldest !== undefined) {
      tilesByChain.delete(oldest);
    }
    return tiles;
  }

  /** The roots of the first `count` tiles. */
  async function tilesOf(chain: string, count: number): Promise<readonly Buffer[]> {
    const tiles = remembered(chain);
    for (let at = tiles.length; at < count; at = tiles.length) {
      const leaves = await leavesOf(chain, at * TILE_LEAVES, TILE_LEAVES);
      if (leaves.length < TILE_LEAVES) throw damaged(chain);
      // Two proofs of a chain may read the same tile at once.
      tiles[at] = fullRoot(leaves);
    }
    return tiles.slice(0, count);
  }

  /** Hashes of at most `count` entries from the leaf `index` (from 0) on. */
  async function leavesOf(chain: string, index: number, count: number): Promise<Buffer[]> {
    const leaves: Buffer[] = [];
    if (count === 0) return leaves;
    for await (const text of entries.entriesFrom(chain, index + 1)) {
      leaves.push(leafHash(text));
      if (leaves.length === count) break;
    }
    return leaves;
  }

  async function textOf(chain: string, seq: number): Promise<string> {
    for await (const text of entries.entriesFrom(chain, seq)) return text;
    throw damaged(chain);
  }

  return {
    async checkpointOf(chain, seq) {
      for await (const text of entries.entriesFrom(chain, seq)) {
        const note = noteIn(text);
        const checkpoint = note === null ? null : readUnverified(note);
        if (note === null) continue;
        if (checkpoint?.chain !== chain) throw damaged(chain);
        if (checkpoint.size >= seq) return note;
      }
      return null;
    },
    async prove(chain, seq, note) {
      const checkpoint = readUnverified(note);
      if (checkpoint?.chain !== chain || checkpoint.size < seq) throw damaged(chain);
      const { size, root } = checkpoint;
      const tile = Math.floor((seq - 1) / TILE_LEAVES);
      const tiles = await tilesOf(chain, Math.floor(size / TILE_LEAVES));
      const own = await leavesOf(chain, tile * TILE_LEAVES, TILE_LEAVES);
      const whole = tiles.length * TILE_LEAVES;
      const tail = tile < tiles.length ? await leavesOf(chain, whole, size - whole) : own;
      const node: NodeOf = (level, at) => {
        if (level >= TILE_LEVEL) return nodeIn(tiles, level - TILE_LEVEL, at);
        const place = Math.floor((at * 2 ** level) / TILE_LEAVES);
        const before = (place * TILE_LEAVES) / 2 ** level;
        return nodeIn(place === tile ? own : tail, level, at - before);
      };
      const text = await textOf(chain, seq);
      const leaf = leafHash(text);
      // An entry that is missing shows as a tail that is too short, or as another root.
      if (tail.length < size - whole) throw damaged(chain);
      const path = pathOf(node, seq - 1, 0, size);
      if (!isIncluded(leaf, seq - 1, { size, root }, path)) throw damaged(chain);
      const hashes = path.map((hash) => hash.toString('hex'));
      return { chain, seq, text, leaf: leaf.toString('hex'), path: hashes, checkpoint: note };
    },
  };
}

/** The note of a checkpoint entry; null: the entry is of another kind. */
function noteIn(text: string): string | null {
  if (!text.includes('"kind":"checkpoint"')) return null;
  const { entry } = readEntry(text);
  const note = entry?.kind === 'checkpoint' ? entry.details['note'] : null;
  return typeof note === 'string' ? note : null;
}

function damaged(chain: string): CraError {
  const message = `entries of chain ${chain} differ from what its checkpoints were signed over`;
  return new CraError('DATA_LOSS', `${message}: run cra audit verify`);
}

/** The root over the 2^level leaves from `at` * 2^level on. */
type NodeOf = (level: number, at: number) => Buffer;

/** The same over hashes that begin at a leaf 0. */
function nodeIn(hashes: readonly Buffer[], level: number, at: number): Buffer {
  const width = 2 ** level;
  return fullRoot(hashes.slice(at * width, (at + 1) * width));
}

/** Root over hashes whose number is a power of 2. */
function fullRoot(hashes: readonly Buffer[]): Buffer {
  const [first] = hashes;
  if (first === undefined) throw new RangeError('the tree has no such node');
  if (hashes.length === 1) return first;
  const half = hashes.length / 2;
  return nodeHash(fullRoot(hashes.slice(0, half)), fullRoot(hashes.slice(half)));
}

/** PATH of RFC 6962 (2.1.1) for a leaf of the range [from, to). */
function pathOf(node: NodeOf, index: number, from: number, to: number): Buffer[] {
  if (to - from === 1) return [];
  const split = from + largestPowerBelow(to - from);
  if (index < split) return [...pathOf(node, index, from, split), treeRoot(node, split, to)];
  return [...pathOf(node, index, split, to), treeRoot(node, from, split)];
}

/** Root over [from, to); `from` is a multiple of the largest power of 2 within. */
function treeRoot(node: NodeOf, from: number, to: number): Buffer {
  const full: Buffer[] = [];
  for (let at = from; at < to; ) {
    const level = Math.floor(Math.log2(to - at));
    full.push(node(level, at / 2 ** level));
    at += 2 ** level;
  }
  return rootOf(full);
}

function largestPowerBelow(size: number): number {
  let power = 1;
  while (power * 2 < size) power *= 2;
  return power;
}

/**
 * The problem of a proof, as a phrase; null: the checkpoint was signed by the key of `open` and its
 * tree has the leaf. `text` null: the entry itself is not known.
 */
export function problemOfProof(
  { chain, seq, text, leaf, path, checkpoint: note }: WithheldEntry,
  open: OpenCheckpoint,
): string | null {
  const checkpoint = open(note);
  if (checkpoint === null) return 'its checkpoint was not signed with this key, or was changed';
  if (checkpoint.chain !== chain) return `its checkpoint is of chain ${checkpoint.chain}`;
  if (text !== null && leafHash(text).toString('hex') !== leaf) {
    return 'its leaf is that of another text';
  }
  const hashes = path.map((hash) => Buffer.from(hash, 'hex'));
  return isIncluded(Buffer.from(leaf, 'hex'), seq - 1, checkpoint, hashes)
    ? null
    : 'its path does not lead to the root of the checkpoint';
}

/** A proven entry whose text may be left out. */
export type WithheldEntry = Omit<ProvenEntry, 'text'> & { text: string | null };

/** A tree as a signed checkpoint names it. */
export interface TreeHead {
  size: number;
  root: Buffer;
}

/** Whether the proof shows that leaf `index` (from 0) is in the tree (RFC 9162, 2.1.3.2). */
export function isIncluded(
  leaf: Buffer,
  index: number,
  tree: TreeHead,
  proof: readonly Buffer[],
): boolean {
  if (!Number.isSafeInteger(index) || index < 0 || index >= tree.size) return false;
  const climbed = climb(index, tree.size - 1, proof, leaf, leaf);
  return climbed?.whole.equals(tree.root) === true;
}

/**
 * From the node `index` of a level, whose last node is `last`, to the root, by a hash a level.
 * `before` is the root over this node and all to its left, `whole` that of the tree. Null: the
 * proof has too many or too few hashes.
 */
export function climb(
  index: number,
  last: number,
  proof: readonly Buffer[],
  before: Buffer,
  whole: Buffer,
): { before: Buffer; whole: Buffer } | null {
  let at = index;
  let end = last;
  let left = before;
  let all = whole;
  for (const sibling of proof) {
    if (end === 0) return null;
    if (at % 2 === 1 || at === end) {
      left = nodeHash(sibling, left);
      all = nodeHash(sibling, all);
      // A node without a sibling goes up as it is.
      while (at % 2 === 0 && at !== 0) [at, end] = [half(at), half(end)];
    } else {
      all = nodeHash(all, sibling);
    }
    [at, end] = [half(at), half(end)];
  }
  return end === 0 ? { before: left, whole: all } : null;
}

function half(value: number): number {
  return Math.floor(value / 2);
}
