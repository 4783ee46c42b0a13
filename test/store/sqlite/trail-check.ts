import { type ChainState, follow, NO_ENTRY, newChain, rootOf } from '../../../src/audit/chain.ts';
import { createCheckpointSigner, createCheckpointVerifier } from '../../../src/audit/checkpoint.ts';
import type { AuditEntry } from '../../../src/model/audit.ts';
import { openSqliteAuditSource } from '../../../src/store/sqlite/audit-log.ts';
import { SEED } from './harness.ts';

/** A chain as it was read, and what is wrong with it, in words. */
export interface CheckedChain {
  chain: string;
  entries: AuditEntry[];
  faults: string[];
  end: ChainState;
}

const openCheckpoint = createCheckpointVerifier(createCheckpointSigner(SEED).verifierKey);

/** Reads the trail of a data directory and follows every link and every signed root. */
export async function readTrail(dataDir: string): Promise<CheckedChain[]> {
  const source = openSqliteAuditSource(dataDir);
  const checked: CheckedChain[] = [];
  for (const chain of await source.chains()) {
    const texts: string[] = [];
    for await (const text of source.entries(chain)) texts.push(text);
    checked.push(checkChain(chain, texts));
  }
  await source.close();
  return checked;
}

/** All that is wrong with a trail. */
export function faultsOf(chains: readonly CheckedChain[]): string[] {
  return chains.flatMap(({ faults }) => faults);
}

function checkChain(chain: string, texts: readonly string[]): CheckedChain {
  const faults: string[] = [];
  let state = newChain(chain);
  const entries = texts.map((text) => {
    const entry = JSON.parse(text) as AuditEntry;
    const place = `${chain} ${state.size + 1}`;
    if (entry.chain !== chain || entry.seq !== state.size + 1) faults.push(`${place}: seq`);
    if (entry.prev !== (state.size === 0 ? NO_ENTRY : state.head)) faults.push(`${place}: prev`);
    if ((entry.kind === 'boot') !== (state.size === 0)) faults.push(`${place}: boot`);
    if (entry.kind === 'checkpoint') {
      const opened = openCheckpoint(String(entry.details['note']));
      const isOwn = opened?.chain === chain && opened.size === state.size;
      if (!isOwn || !opened.root.equals(rootOf(state.frontier))) faults.push(`${place}: note`);
    }
    state = follow(state, text);
    return entry;
  });
  return { chain, entries, faults, end: state };
}
