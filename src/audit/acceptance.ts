import { randomUUID } from 'node:crypto';
import { AUDIT } from '../limits.ts';
import { type AuditDetails, type AuditEvent, plainEvent } from '../model/audit.ts';
import { isCount, isHash, isObject, readEntry } from './entry.ts';

/**
 * An administrator has accepted that the trail lacks entries: a chain is shorter than a checkpoint
 * says, or RFCs show decisions without entries. Written as entries of kind `accept`, which stand
 * behind the boot entry of a chain of their own.
 */
export interface Acceptance {
  /** The chain that lacks entries; UNKNOWN_CHAIN: only decisions lack theirs. */
  chain: string;
  /** The chain as it was accepted: its entries, and the hash of the newest; null: it was empty. */
  entries: number;
  head: string | null;
  /** op_ids of the decisions without entries. */
  decisions: readonly string[];
}

/** In place of a chain's name: the entries of decisions are missing, wherever they stood. */
export const UNKNOWN_CHAIN = 'unknown';

/** Their op_ids begin with this: an index finds them. */
const ACCEPT_PREFIX = 'accept:';

/** The entries of an acceptance: one for each AUDIT.ACCEPTED_NAMED_MAX decisions, at least one. */
export function acceptanceEvents(
  { chain, entries, head, decisions }: Acceptance,
  by: { actor: string; reason: string },
): AuditEvent[] {
  const id = randomUUID();
  const events: AuditEvent[] = [];
  for (let at = 0; at === 0 || at < decisions.length; at += AUDIT.ACCEPTED_NAMED_MAX) {
    const named = decisions.slice(at, at + AUDIT.ACCEPTED_NAMED_MAX);
    const details = { chain, entries, head, decisions: named } satisfies AuditDetails;
    const op_id = `${ACCEPT_PREFIX}${id}:${events.length}`;
    events.push(plainEvent({ kind: 'accept', op_id, principal: null, ...by, details }));
  }
  return events;
}

/** Reads the bytes of an entry; null: it is not an acceptance. */
export function readAcceptance(text: string): Acceptance | null {
  const { entry } = readEntry(text);
  if (entry?.kind !== 'accept' || !isObject(entry.details)) return null;
  const { chain, entries, head, decisions } = entry.details as Record<string, unknown>;
  if (typeof chain !== 'string' || !isCount(entries)) return null;
  if (!(head === null || isHash(head)) || !Array.isArray(decisions)) return null;
  return { chain, entries, head, decisions: decisions.filter((one) => typeof one === 'string') };
}

/** All that was accepted in a trail. */
export class Acceptances {
  readonly #chains = new Map<string, Acceptance>();
  readonly #decisions = new Set<string>();

  add(acceptance: Acceptance): void {
    this.#chains.set(acceptance.chain, acceptance);
    for (const opId of acceptance.decisions) this.#decisions.add(opId);
  }

  get isEmpty(): boolean {
    return this.#chains.size === 0;
  }

  /** The newest acceptance of a chain; undefined: it is absent. */
  of(chain: string): Acceptance | undefined {
    return this.#chains.get(chain);
  }

  /** Whether the chain was accepted exactly as it is now. */
  covers(chain: string, now: { seq: number; hash: string } | null): boolean {
    const accepted = this.#chains.get(chain);
    return accepted?.entries === (now?.seq ?? 0) && accepted.head === (now?.hash ?? null);
  }

  hasDecision(opId: string): boolean {
    return this.#decisions.has(opId);
  }
}
