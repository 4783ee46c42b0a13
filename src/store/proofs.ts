import { follow, newChain, rootOf } from '../audit/chain.ts';
import { type CheckpointSigner, namedHeads } from '../audit/checkpoint.ts';
import type { StoredTrail } from '../audit/continuity.ts';
import { readEntry } from '../audit/entry.ts';
import { createProver } from '../audit/inclusion.ts';
import type { AuditPlace, ProvenEntry } from '../model/audit.ts';
import { CraError } from '../model/errors.ts';
import { TRAIL } from './limits.ts';
import type { ChainHead } from './trail.ts';

/** What the proofs of a trail are made with. */
interface ProofParts {
  source: Pick<StoredTrail, 'chains' | 'entries' | 'entriesFrom'>;
  signer: CheckpointSigner;
  /** The chain of this daemon. */
  chain(): string;
  /** Writes a checkpoint over it, unless its newest entry is one. */
  seal(): Promise<void>;
}

/** The entries at these places with their proofs; see `Trail.proveEntries`. */
export type ProveEntries = (places: readonly AuditPlace[]) => Promise<ProvenEntry[]>;

/**
 * Creates it for a driver. An entry is proven by the first checkpoint that stands behind it. A
 * daemon that was killed leaves entries without one: where a boot entry that is signed names the
 * end of that chain, all of it is read and gets a note that stands in no entry, as an export has.
 */
export function createEntryProofs({ source, signer, chain: own, seal }: ProofParts): ProveEntries {
  const prover = createProver(source);
  /** Notes over chains that ended without a checkpoint. */
  const ends = new Map<string, string>();

  async function noteOf(chain: string, seq: number): Promise<string> {
    const known = (await prover.checkpointOf(chain, seq)) ?? ends.get(chain) ?? null;
    if (known !== null) return known;
    // Of this daemon's chain, or of a chain whose end only the boot entry of this daemon names.
    await seal();
    const sealed = chain === own() ? await prover.checkpointOf(chain, seq) : null;
    if (sealed !== null) return sealed;
    const end = await namedEnd(chain);
    if (end === null || end.seq < seq) throw unsealed();
    const note = await signEnd(end);
    ends.set(chain, note);
    return note;
  }

  /** The last entry of a chain that a signed boot entry of another chain names; null: it is not. */
  async function namedEnd(chain: string): Promise<ChainHead | null> {
    let last: ChainHead | null = null;
    for (const other of await source.chains()) {
      const boot = await firstEntry(other);
      const heads = boot === null ? [] : (namedHeads(boot) ?? []);
      for (const head of heads) {
        if (head.chain !== chain || head.seq <= (last?.seq ?? 0)) continue;
        const note = await prover.checkpointOf(other, 1);
        if (note === null) continue;
        await prover.prove(other, 1, note);
        last = head;
      }
    }
    return last;
  }

  async function firstEntry(chain: string) {
    for await (const text of source.entries(chain)) return readEntry(text).entry;
    return null;
  }

  async function signEnd({ chain, seq, hash }: ChainHead): Promise<string> {
    let state = newChain(chain);
    for await (const text of source.entries(chain)) {
      if (readEntry(text).entry?.prev !== state.head) break;
      state = follow(state, text);
      if (state.size === seq) break;
    }
    if (state.size === seq && state.head === hash) {
      return signer.sign({ chain, size: seq, root: rootOf(state.frontier) });
    }
    const message = `chain ${chain} does not end with the entry that a later boot names`;
    throw new CraError('DATA_LOSS', `${message}: run cra audit verify`);
  }

  return async (places) => {
    if (places.length > TRAIL.PROVEN_MAX) {
      throw new CraError(
        'INVALID_ARGUMENT',
        `at most ${TRAIL.PROVEN_MAX} entries are proven at once`,
      );
    }
    const entries: ProvenEntry[] = [];
    for (const { chain, seq } of places) {
      entries.push(await prover.prove(chain, seq, await noteOf(chain, seq)));
    }
    return entries;
  };
}

function unsealed(): CraError {
  const message =
    'no checkpoint is over the newest entries yet: the daemon that wrote them signs one within a ' +
    'minute; try again';
  return new CraError('UNAVAILABLE', message, { details: { changed: false } });
}
