import { AUDIT } from '../../limits.ts';
import type { ChainHead } from '../trail-events.ts';
import type { Connection } from './database.ts';
import { QUERIES } from './queries.ts';

/** Names of the chains in the database, the oldest first. */
export function chainNames(database: Connection): string[] {
  const chains = database.prepare<[], { chain: string; n: number }>(QUERIES.auditChains).all();
  return chains.sort((a, b) => a.n - b.n).map(({ chain }) => chain);
}

/** The heads that no boot entry names yet, those of the oldest chains first. */
export function unnamedHeads(database: Connection): ChainHead[] {
  const findEntry = database.prepare<[string, number], { entry: string }>(QUERIES.auditEntry);
  const findHead = database.prepare<[string], { seq: number; hash: string }>(QUERIES.auditHead);
  const chains = chainNames(database);
  const named = new Set(chains.flatMap((chain) => headsIn(findEntry.get(chain, 1)?.entry)));
  return chains
    .map((chain) => ({ chain, ...(findHead.get(chain) ?? { seq: 0, hash: '' }) }))
    .filter((head) => !named.has(keyOf(head)))
    .slice(0, AUDIT.HEADS_NAMED_MAX);
}

/** The heads that the first entry of a chain names; none when it is no entry that we wrote. */
function headsIn(text: string | undefined): string[] {
  if (text === undefined) return [];
  try {
    const { details } = JSON.parse(text) as { details: { heads: ChainHead[] } };
    return details.heads.map(keyOf);
  } catch {
    // Somebody changed it: the daemon starts all the same, and `cra audit verify` tells of it.
    return [];
  }
}

function keyOf({ chain, seq, hash }: ChainHead): string {
  return `${chain} ${seq} ${hash}`;
}
