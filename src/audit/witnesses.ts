import { AUDIT_READ } from '../limits.ts';
import type { AuditEntry, AuditPlace } from '../model/audit.ts';
import { CraError } from '../model/errors.ts';
import { isChainName, isCount, isHash, isObject } from './entry.ts';

/** The newest entry of a chain, as the first entry of another chain names it. */
export interface NamedHead extends AuditPlace {
  hash: string;
}

/** What something outside of a chain says about its first `seq` entries. */
export interface Witness extends AuditPlace {
  /** Hash of entry `seq`, hex, or null. */
  head: string | null;
  /** Root over the entries 1 to `seq`, or null. */
  root: Buffer | null;
  /** Whether the chain ends with `seq`. */
  isEnd: boolean;
  /** Whether a signature covers it. */
  isSigned: boolean;
  /** Who says so, as it stands in a sentence: "the boot entry of chain ...". */
  by: string;
}

/** What is said about the chains of a trail, by place. */
export interface Witnesses {
  add(witness: Witness): void;
  /** What is said about this place. */
  at(chain: string, seq: number): readonly Witness[];
  /** The witness of the first place behind `seq` entries; null: there is none. */
  beyond(chain: string, seq: number): Witness | null;
  chains(): Iterable<string>;
}

/** Creates an empty collection. `add` throws RESOURCE_EXHAUSTED at AUDIT_READ.NAMED_HEADS_MAX. */
export function createWitnesses(): Witnesses {
  const places = new Map<string, Map<number, Witness[]>>();
  let count = 0;
  return {
    add(witness) {
      count += 1;
      if (count > AUDIT_READ.NAMED_HEADS_MAX) {
        const message = `the trail names more than ${AUDIT_READ.NAMED_HEADS_MAX} heads of chains`;
        throw new CraError('RESOURCE_EXHAUSTED', message);
      }
      const { chain, seq } = witness;
      const bySeq = places.get(chain) ?? new Map<number, Witness[]>();
      const here = bySeq.get(seq) ?? [];
      here.push(witness);
      places.set(chain, bySeq.set(seq, here));
    },
    at: (chain, seq) => places.get(chain)?.get(seq) ?? [],
    beyond(chain, seq) {
      let first: Witness | null = null;
      for (const [at, [witness]] of places.get(chain) ?? []) {
        if (at > seq && witness && (first === null || at < first.seq)) first = witness;
      }
      return first;
    },
    chains: () => places.keys(),
  };
}

/** The heads that a boot entry names; null: `details.heads` is not what it must be. */
export function namedHeads({ chain: own, details }: AuditEntry): NamedHead[] | null {
  const heads = details['heads'];
  if (!Array.isArray(heads)) return null;
  const named: NamedHead[] = [];
  for (const head of heads) {
    if (!isObject(head)) return null;
    const { chain, seq, hash } = head;
    if (!isChainName(chain) || chain === own) return null;
    if (!isCount(seq) || seq === 0 || !isHash(hash)) return null;
    named.push({ chain, seq, hash });
  }
  return named;
}
