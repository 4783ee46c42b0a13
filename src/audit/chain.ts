import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { AuditEntry, AuditEvent } from '../model/audit.ts';
import { CraError } from '../model/errors.ts';
import { isChainName, problemOfEntry } from './entry.ts';
import { ENTRY } from './limits.ts';

/** Where a chain stands. A value: to take entries back, go on from an earlier one. */
export interface ChainState {
  readonly chain: string;
  /** Entries so far; the newest has this `seq`. */
  readonly size: number;
  /** Hash of the newest entry, hex: its RFC 6962 leaf hash. */
  readonly head: string;
  /** Of the tree over all entries. */
  readonly frontier: Frontier;
}

export interface Placed {
  entry: AuditEntry;
  /** Canonical JSON, as written and hashed. */
  text: string;
  state: ChainState;
}

/** `prev` of a first entry. */
export const NO_ENTRY = '0'.repeat(64);

/** A chain without entries. Throws RangeError for a name that a checkpoint could not hold. */
export function newChain(chain: string): ChainState {
  if (!isChainName(chain)) throw new RangeError(`no name of a chain: ${JSON.stringify(chain)}`);
  return { chain, size: 0, head: NO_ENTRY, frontier: EMPTY_FRONTIER };
}

/**
 * Gives an event its place behind the newest entry. `nowMs` is the wall clock, `monoMs` counts
 * from the start of the daemon. Throws INVALID_ARGUMENT for what `cra audit verify` would refuse:
 * a field that is missing or of another form, text that has no canonical JSON (a lone surrogate),
 * more than ENTRY.ENTRY_BYTES_MAX.
 */
export function place(
  state: ChainState,
  event: AuditEvent,
  time: { nowMs: number; monoMs: number },
): Placed {
  const entry: AuditEntry = {
    ...event,
    v: 1,
    chain: state.chain,
    seq: state.size + 1,
    ts: new Date(time.nowMs).toISOString(),
    mono_ms: Math.floor(time.monoMs),
    prev: state.head,
  };
  const text = canonicalText(entry);
  return { entry, text, state: follow(state, text) };
}

/** The chain after the entry with these bytes, which must be the next one. */
export function follow(state: ChainState, text: string): ChainState {
  const leaf = leafHash(text);
  return {
    chain: state.chain,
    size: state.size + 1,
    head: leaf.toString('hex'),
    frontier: addLeaf(state.frontier, state.size, leaf),
  };
}

/** The bytes of an entry: JSON by RFC 8785. */
function canonicalText(entry: AuditEntry): string {
  const problem = problemOfEntry(entry);
  if (problem !== null) {
    throw new CraError('INVALID_ARGUMENT', `the audit trail takes no such entry: ${problem}`);
  }
  const text = stringify(entry);
  if (Buffer.byteLength(text) <= ENTRY.ENTRY_BYTES_MAX) return text;
  throw new CraError(
    'INVALID_ARGUMENT',
    `an entry of the audit trail has at most ${ENTRY.ENTRY_BYTES_MAX} bytes`,
  );
}

function stringify(entry: AuditEntry): string {
  try {
    const text = canonicalize(entry);
    if (text?.isWellFormed()) return text;
  } catch (cause) {
    throw notCanonical(cause);
  }
  throw notCanonical(undefined);
}

function notCanonical(cause: unknown): CraError {
  const message = 'the text holds characters that cannot be written to the audit trail';
  return new CraError('INVALID_ARGUMENT', message, { cause });
}

/**
 * Merkle trees of RFC 6962 (section 2.1), as Certificate Transparency and Go's checksum database
 * use them: the hashes of leaves and of nodes differ by their first byte, and a tree of any size
 * is made of full subtrees.
 */

/** Roots of the full subtrees that make up a tree, the largest first. */
type Frontier = readonly Buffer[];

export const EMPTY_FRONTIER: Frontier = [];

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

/** SHA-256(0x00 || bytes); of a text its UTF-8. */
export function leafHash(bytes: string | Uint8Array): Buffer {
  return sha256(typeof bytes === 'string' ? `\0${bytes}` : Buffer.concat([LEAF, bytes]));
}

/** SHA-256(0x01 || left || right). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return sha256(Buffer.concat([NODE, left, right]));
}

/** The frontier of a tree of `size` leaves after one more. */
export function addLeaf(frontier: Frontier, size: number, leaf: Buffer): Frontier {
  const next = [...frontier];
  let root = leaf;
  // Each 1 bit at the low end of the size is a full subtree as large as the one just made.
  for (let rest = size; rest % 2 === 1; rest = Math.floor(rest / 2)) {
    const left = next.pop();
    if (left === undefined) throw new RangeError('the frontier does not belong to this size');
    root = nodeHash(left, root);
  }
  next.push(root);
  return next;
}

/** The root of the whole tree; of an empty one SHA-256(""). */
export function rootOf(frontier: Frontier): Buffer {
  const last = frontier.at(-1);
  if (last === undefined) return sha256('');
  return frontier.slice(0, -1).reduceRight((right, left) => nodeHash(left, right), last);
}

/** By way of hex: a third of the time that a Buffer made by node:crypto takes. */
function sha256(data: string | Uint8Array): Buffer {
  return Buffer.from(hash('sha256', data, 'hex'), 'hex');
}
