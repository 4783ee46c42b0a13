import { AUDIT_READ } from '../limits.ts';
import type { AuditEntry, AuditPlace } from '../model/audit.ts';
import { CraError } from '../model/errors.ts';
import { isChainName, isCount, isHash, isObject } from './entry.ts';

/** The newest entry of a chain, as the first entry of another chain names it. */
export interface NamedHead extends AuditPlace {
  hash: string;
}

/** A statement from outside of a chain about its first `seq` entries. */
export interface ExternalCheckpoint extends AuditPlace {
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

/** External checkpoints of the chains of a trail, by place. */
export interface ExternalCheckpoints {
  add(external: ExternalCheckpoint): void;
  /** Those of this place. */
  at(chain: string, seq: number): readonly ExternalCheckpoint[];
  /** The one of the first place behind `seq` entries; null: it is absent. */
  beyond(chain: string, seq: number): ExternalCheckpoint | null;
  chains(): Iterable<string>;
}

/** Creates an empty collection. `add` throws RESOURCE_EXHAUSTED at AUDIT_READ.NAMED_HEADS_MAX. */
export function createExternalCheckpoints(): ExternalCheckpoints {
  const places = new Map<string, Map<number, ExternalCheckpoint[]>>();
  let count = 0;
  return {
    add(external) {
      count += 1;
      if (count > AUDIT_READ.NAMED_HEADS_MAX) {
        const message = `the trail names more than ${AUDIT_READ.NAMED_HEADS_MAX} heads of chains`;
        throw new CraError('RESOURCE_EXHAUSTED', message);
      }
      const { chain, seq } = external;
      const bySeq = places.get(chain) ?? new Map<number, ExternalCheckpoint[]>();
      const here = bySeq.get(seq) ?? [];
      here.push(external);
      places.set(chain, bySeq.set(seq, here));
    },
    at: (chain, seq) => places.get(chain)?.get(seq) ?? [],
    beyond(chain, seq) {
      let first: ExternalCheckpoint | null = null;
      for (const [at, [external]] of places.get(chain) ?? []) {
        if (at > seq && external && (first === null || at < first.seq)) first = external;
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
