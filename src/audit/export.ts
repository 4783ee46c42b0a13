import { CraError } from '../model/errors.ts';
import { type ChainState, follow, newChain, rootOf } from './chain.ts';
import type { Flaw } from './chain-check.ts';
import { type CheckpointSigner, createCheckpointVerifier } from './checkpoint.ts';
import { isChainName } from './entry.ts';
import { closingLine, type ExportedChain, headerLine } from './export-format.ts';
import type { AuditSource } from './source.ts';
import { TrailCheck, type Verification } from './trail-check.ts';
import { readBoots } from './verify.ts';

interface ExportOptions {
  /** Takes the next line, which ends with a line break. */
  write(line: string): Promise<void> | undefined;
  nowMs: number;
  /** Chains whose entries are all older are left out; null: all chains are exported. */
  since: string | null;
  /** Signs the export; null without a key. */
  signer: CheckpointSigner | null;
  onEntry(): void;
}

/**
 * Writes a whole trail as lines (see `ExportHeader`), and checks it on the way: a bad one is
 * exported all the same, as evidence, but not signed. Errors of the source are thrown.
 */
export async function exportTrail(
  source: AuditSource,
  options: ExportOptions,
): Promise<Verification> {
  const { nowMs, since, signer } = options;
  const { chains, omitted } = await select(source, since);
  const open = signer === null ? null : createCheckpointVerifier(signer.verifierKey);
  const check = new TrailCheck({ open, nowMs, omitted: new Set(omitted) });
  await readBoots(source, chains, check);
  const at = new Date(nowMs).toISOString();
  await options.write(`${headerLine({ at, since, omitted })}\n`);
  const states: ChainState[] = [];
  let flaw: Flaw | null = null;
  for (const chain of chains) {
    flaw ??= check.begin(chain);
    let state = newChain(chain);
    for await (const text of source.entries(chain)) {
      const waiting = options.write(`${text}\n`);
      if (waiting !== undefined) await waiting;
      state = follow(state, text);
      flaw ??= check.read(text);
      options.onEntry();
    }
    flaw ??= check.end();
    if (state.size > 0) states.push(state);
  }
  flaw ??= check.finish();
  const signs = flaw === null ? signer : null;
  await options.write(`${closingLine({ chains: states.map((state) => sumUp(state, signs)) })}\n`);
  return check.result(flaw);
}

function sumUp(state: ChainState, signer: CheckpointSigner | null): ExportedChain {
  const { chain, size, head, frontier } = state;
  const root = rootOf(frontier);
  const note = signer?.sign({ chain, size, root }) ?? null;
  return { chain, entries: size, head, root: root.toString('hex'), note };
}

/** A chain is exported whole or not at all: a part of it could not be verified. */
async function select(
  source: AuditSource,
  since: string | null,
): Promise<{ chains: string[]; omitted: string[] }> {
  const chains: string[] = [];
  const omitted: string[] = [];
  for (const chain of await source.chains()) {
    if (!isChainName(chain)) {
      throw new CraError('DATA_LOSS', `the store holds a chain whose name is not valid: ${chain}`);
    }
    const isIn = since === null || (await reaches(source, chain, since));
    (isIn ? chains : omitted).push(chain);
  }
  return { chains, omitted };
}

/** Whether an entry of the chain is of this time or later; what cannot be read counts as one. */
async function reaches(source: AuditSource, chain: string, since: string): Promise<boolean> {
  for await (const text of source.entries(chain)) {
    const ts = /"ts":"([^"]*)"/.exec(text.slice(-TAIL_CHARS))?.[1];
    if (ts === undefined || ts >= since) return true;
  }
  return false;
}

/** `ts` and `v` end an entry. */
const TAIL_CHARS = 64;
