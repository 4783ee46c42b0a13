import canonicalize from 'canonicalize';
import { AUDIT } from '../limits.ts';
import type { AuditEntry, AuditEvent } from '../model/audit.ts';
import { CraError } from '../model/errors.ts';
import { isChainName, problemOfEntry } from './entry.ts';
import { addLeaf, EMPTY_FRONTIER, type Frontier, leafHash } from './merkle.ts';

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
  /** Canonical JSON: what is written, and what is hashed. */
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
 * more than AUDIT.ENTRY_BYTES_MAX.
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
  if (Buffer.byteLength(text) <= AUDIT.ENTRY_BYTES_MAX) return text;
  throw new CraError(
    'INVALID_ARGUMENT',
    `an entry of the audit trail has at most ${AUDIT.ENTRY_BYTES_MAX} bytes`,
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
