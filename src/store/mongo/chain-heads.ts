import { leafHash } from '../../audit/merkle.ts';
import { AUDIT } from '../../limits.ts';
import type { AuditEntry } from '../../model/audit.ts';
import type { ChainHead } from '../trail-events.ts';
import type { AuditCollection } from './audit-collection.ts';

/** What a new chain has to know of the others. */
export interface OtherChains {
  /** Heads that no boot entry names yet, those of the oldest chains first. */
  unnamed: ChainHead[];
  /** Former chains of this daemon, by their boot entries: they are not written any more. */
  former: ReadonlySet<string>;
  /** Time of the newest entry, ms since the epoch; null: it is absent. */
  newestMs: number | null;
  /** Sentences about what should be there and is not. */
  problems: string[];
}

interface BootFacts {
  instance: string | null;
  heads: ChainHead[];
}

/** Reads the heads and the first entries of all chains: two look-ups for each. */
export async function readOtherChains(
  audit: AuditCollection,
  instance: string,
): Promise<OtherChains> {
  const heads = await readHeads(audit);
  const boots = await readBoots(audit, [...heads.keys()]);
  const named = new Set<string>();
  const former = new Set<string>();
  const gone = new Set<string>();
  for (const [chain, boot] of boots) {
    if (boot.instance === instance) former.add(chain);
    for (const head of boot.heads) {
      named.add(keyOf(head));
      if ((heads.get(head.chain)?.seq ?? 0) < head.seq) gone.add(head.chain);
    }
  }
  const known = [...heads.values()];
  const beheaded = known.filter(({ chain }) => !boots.has(chain)).map(({ chain }) => chain);
  return {
    unnamed: known.filter((head) => !named.has(keyOf(head))).slice(0, AUDIT.HEADS_NAMED_MAX),
    former,
    newestMs: known.length === 0 ? null : Math.max(...known.map(({ ms }) => ms)),
    problems: [
      ...problemOf('entries of the trail that were there are gone: chain', [...gone]),
      ...problemOf('the trail lost the first entry of chain', beheaded),
    ],
  };
}

interface Head extends ChainHead {
  ms: number;
}

/** The newest entry of each chain, the oldest chain first: names begin with the time. */
async function readHeads(audit: AuditCollection): Promise<Map<string, Head>> {
  // By the index `place`, backwards: one key for each chain (DISTINCT_SCAN).
  const newest = audit.aggregate<{ _id: string; seq: number; ts: Date; entry: string }>(
    [
      { $sort: { chain: -1, seq: -1 } },
      {
        $group: {
          _id: '$chain',
          seq: { $first: '$seq' },
          ts: { $first: '$ts' },
          entry: { $first: '$entry' },
        },
      },
    ],
    { hint: 'place' },
  );
  const heads: Head[] = [];
  for await (const { _id, seq, ts, entry } of newest) {
    heads.push({ chain: _id, seq, hash: leafHash(entry).toString('hex'), ms: ts.getTime() });
  }
  heads.sort((a, b) => (a.chain < b.chain ? -1 : 1));
  return new Map(heads.map((head) => [head.chain, head]));
}

async function readBoots(
  audit: AuditCollection,
  chains: readonly string[],
): Promise<Map<string, BootFacts>> {
  const boots = new Map<string, BootFacts>();
  for (let at = 0; at < chains.length; at += AUDIT.READ_PAGE) {
    const ids = chains.slice(at, at + AUDIT.READ_PAGE).map((chain) => `${chain}:1`);
    const found = audit.find({ _id: { $in: ids } }, { projection: { chain: 1, entry: 1 } });
    for await (const { chain, entry } of found) boots.set(chain, bootFacts(entry));
  }
  return boots;
}

function bootFacts(text: string): BootFacts {
  try {
    const { details } = JSON.parse(text) as AuditEntry;
    const heads = (details['heads'] ?? []) as unknown as ChainHead[];
    return { instance: String(details['instance'] ?? ''), heads: [...heads] };
  } catch {
    // The entry was changed: the daemon starts all the same, and `cra audit verify` reports it.
    return { instance: null, heads: [] };
  }
}

function keyOf({ chain, seq, hash }: ChainHead): string {
  return `${chain} ${seq} ${hash}`;
}

function problemOf(what: string, chains: readonly string[]): string[] {
  const [first] = chains;
  if (first === undefined) return [];
  const more = chains.length === 1 ? '' : ` and ${chains.length - 1} more`;
  return [`${what} ${first}${more}; run cra audit verify`];
}
