/**
 * Finds many literal keywords in bytes in one pass: an Aho-Corasick automaton
 * (https://doi.org/10.1145/360825.360855) with all failure links resolved, so that every byte
 * costs one table look-up whatever the number of keywords. Overlapping keywords are all found.
 *
 * The table has one row per state and one column per class of bytes that no keyword tells
 * apart. States are the offsets of their rows, and states that end a keyword come last:
 *
 *     let state = 0;                                       // the root
 *     state = next[state + classes[byte]];                 // per byte
 *     if (state >= firstOutput) ...                        // a keyword ends at this byte
 *
 * Callers with a loop of their own inline these three lines; everybody else calls `matches`.
 */
export interface AhoCorasick {
  readonly next: Uint16Array | Int32Array;
  /** Column of each byte. */
  readonly classes: Uint8Array;
  /** Number of columns. */
  readonly stride: number;
  readonly firstOutput: number;
  /**
   * Keywords that end in state `s`: `outputIds` from `outputStart[o]` up to `outputStart[o + 1]`,
   * where `o` is `(s - firstOutput) / stride`, the index of the output.
   */
  readonly outputStart: Int32Array;
  readonly outputIds: Int32Array;
}

export interface AhoCorasickOptions {
  /** Whether `A` and `a` differ. Only ASCII letters are ever folded. */
  caseSensitive: boolean;
}

/**
 * Builds the automaton of `keywords`; a keyword's id is its index. Throws RangeError for an empty
 * keyword. Memory: 2 or 4 bytes per state and class, at most one state per keyword byte.
 */
export function buildAhoCorasick(
  keywords: readonly Uint8Array[],
  options: AhoCorasickOptions,
): AhoCorasick {
  const { classes, stride } = classify(keywords, options.caseSensitive);
  const trie = buildTrie(keywords, classes);
  return layOut(trie, link(trie), { classes, stride });
}

/** Calls `reached` with output index and end offset wherever keywords end in the range. */
export function forEachOutput(
  automaton: AhoCorasick,
  bytes: Uint8Array,
  range: { start: number; end: number },
  reached: (output: number, end: number) => void,
): void {
  const { next, classes, firstOutput, stride } = automaton;
  let state = 0;
  for (let at = range.start; at < range.end; at += 1) {
    state = next[state + (classes[bytes[at] ?? 0] ?? 0)] ?? 0;
    if (state >= firstOutput) reached((state - firstOutput) / stride, at + 1);
  }
}

/** Calls `found` with id and end offset of every occurrence of every keyword in the range. */
export function forEachMatch(
  automaton: AhoCorasick,
  bytes: Uint8Array,
  range: { start: number; end: number },
  found: (id: number, end: number) => void,
): void {
  const { outputStart, outputIds } = automaton;
  forEachOutput(automaton, bytes, range, (output, end) => {
    const last = outputStart[output + 1] ?? 0;
    for (let index = outputStart[output] ?? 0; index < last; index += 1) {
      found(outputIds[index] ?? 0, end);
    }
  });
}

/** Ids of the keywords in `bytes[start, end)`, each once, in the order in which they first end. */
export function matches(
  automaton: AhoCorasick,
  bytes: Uint8Array,
  start: number,
  end: number,
): Set<number> {
  const ids = new Set<number>();
  forEachMatch(automaton, bytes, { start, end }, (id) => ids.add(id));
  return ids;
}

/** Whether any keyword stands in `bytes[start, end)`. */
export function hasMatch(
  automaton: AhoCorasick,
  bytes: Uint8Array,
  start: number,
  end: number,
): boolean {
  const { next, classes, firstOutput } = automaton;
  let state = 0;
  for (let at = start; at < end; at += 1) {
    state = next[state + (classes[bytes[at] ?? 0] ?? 0)] ?? 0;
    if (state >= firstOutput) return true;
  }
  return false;
}

const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const TO_LOWER = 0x20;
const BYTE_VALUES = 256;
const UINT16_VALUES = 65_536;

/** Numbers the bytes that occur in keywords; all others share class 0. */
function classify(
  keywords: readonly Uint8Array[],
  caseSensitive: boolean,
): { classes: Uint8Array; stride: number } {
  const used = new Set<number>();
  for (const keyword of keywords) {
    for (const byte of keyword) used.add(caseSensitive ? byte : lower(byte));
  }
  const classes = new Uint8Array(BYTE_VALUES);
  // With every byte value in use nobody is left for class 0, and 256 would not fit a byte.
  let stride = used.size === BYTE_VALUES ? 0 : 1;
  for (const byte of [...used].sort((a, b) => a - b)) classes[byte] = stride++;
  if (!caseSensitive) {
    for (let byte = UPPER_A; byte <= UPPER_Z; byte += 1) {
      classes[byte] = classes[byte + TO_LOWER] ?? 0;
    }
  }
  return { classes, stride: Math.max(stride, 1) };
}

function lower(byte: number): number {
  return byte >= UPPER_A && byte <= UPPER_Z ? byte + TO_LOWER : byte;
}

/** States by number, the root is 0; a state's children are a list, as most have but one. */
interface Trie {
  /** 0: it is absent. */
  firstChild: Int32Array;
  nextSibling: Int32Array;
  /** Column of the byte that leads to a state. */
  column: Uint8Array;
  states: number;
  /** Ids of the keywords that end in a state. */
  ends: Map<number, number[]>;
}

function buildTrie(keywords: readonly Uint8Array[], classes: Uint8Array): Trie {
  const statesMax = keywords.reduce((sum, keyword) => sum + keyword.length, 1);
  const trie: Trie = {
    firstChild: new Int32Array(statesMax),
    nextSibling: new Int32Array(statesMax),
    column: new Uint8Array(statesMax),
    states: 1,
    ends: new Map(),
  };
  for (const [id, keyword] of keywords.entries()) {
    if (keyword.length === 0) throw new RangeError('empty keyword');
    let state = 0;
    for (const byte of keyword) {
      const column = classes[byte] ?? 0;
      state = childOf(trie, state, column) || addChild(trie, state, column);
    }
    trie.ends.set(state, [...(trie.ends.get(state) ?? []), id]);
  }
  return trie;
}

/** The state that a byte of `column` leads to; 0: no keyword goes on so. */
function childOf({ firstChild, nextSibling, column }: Trie, state: number, wanted: number): number {
  let child = firstChild[state] ?? 0;
  while (child !== 0 && column[child] !== wanted) child = nextSibling[child] ?? 0;
  return child;
}

function addChild(trie: Trie, state: number, column: number): number {
  const child = trie.states++;
  trie.column[child] = column;
  trie.nextSibling[child] = trie.firstChild[state] ?? 0;
  trie.firstChild[state] = child;
  return child;
}

interface Links {
  /** By state: that of the longest proper suffix which begins a keyword, too. */
  failure: Int32Array;
  /** Keywords that end in each state, inherited over failure links too. */
  outputs: Map<number, number[]>;
  /** The states breadth first: a failure link leads to an earlier one. */
  order: Int32Array;
}

function link(trie: Trie): Links {
  const { firstChild, nextSibling, column, states } = trie;
  const outputs = new Map(trie.ends);
  const failure = new Int32Array(states);
  const order = new Int32Array(states);
  let length = 1;
  for (let head = 0; head < length; head += 1) {
    const state = order[head] ?? 0;
    for (let child = firstChild[state] ?? 0; child !== 0; child = nextSibling[child] ?? 0) {
      order[length++] = child;
      if (state === 0) continue;
      let other = failure[state] ?? 0;
      let found = childOf(trie, other, column[child] ?? 0);
      while (found === 0 && other !== 0) {
        other = failure[other] ?? 0;
        found = childOf(trie, other, column[child] ?? 0);
      }
      failure[child] = found;
      const inherited = outputs.get(found);
      if (inherited !== undefined) {
        outputs.set(child, [...(outputs.get(child) ?? []), ...inherited]);
      }
    }
  }
  return { failure, outputs, order };
}

/**
 * Renumbers the states and writes the table: the root first, then by depth, output states last.
 * Ordinary text hardly leaves the shallow states, so what is read often lies together in the
 * processor's cache, whatever the number of keywords. A row is that of the failure link with the
 * state's own children put in.
 */
function layOut(
  { firstChild, nextSibling, column, states }: Trie,
  { failure, outputs, order }: Links,
  { classes, stride }: { classes: Uint8Array; stride: number },
): AhoCorasick {
  const rows = new Int32Array(states);
  let row = 0;
  for (const state of order) {
    if (!outputs.has(state)) rows[state] = row++;
  }
  const firstOutput = row * stride;
  const outputStart = new Int32Array(outputs.size + 1);
  const outputIds: number[] = [];
  for (let state = 0; state < states; state += 1) {
    const ids = outputs.get(state);
    if (ids === undefined) continue;
    outputIds.push(...ids);
    outputStart[row - firstOutput / stride + 1] = outputIds.length;
    rows[state] = row++;
  }
  const size = states * stride;
  const next = size <= UINT16_VALUES ? new Uint16Array(size) : new Int32Array(size);
  for (const state of order) {
    const to = (rows[state] ?? 0) * stride;
    const from = (rows[failure[state] ?? 0] ?? 0) * stride;
    next.copyWithin(to, from, from + stride);
    for (let child = firstChild[state] ?? 0; child !== 0; child = nextSibling[child] ?? 0) {
      next[to + (column[child] ?? 0)] = (rows[child] ?? 0) * stride;
    }
  }
  return {
    next,
    classes,
    stride,
    firstOutput,
    outputStart,
    outputIds: Int32Array.from(outputIds),
  };
}
