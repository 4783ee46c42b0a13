import { type ChainState, newChain, place, rootOf } from '../../src/audit/chain.ts';
import { createCheckpointSigner, createCheckpointVerifier } from '../../src/audit/checkpoint.ts';
import { exportTrail } from '../../src/audit/export.ts';
import { type ExportClosing, readClosing } from '../../src/audit/export-format.ts';
import type { AuditSource } from '../../src/audit/source.ts';
import type { Verification } from '../../src/audit/trail-check.ts';
import { type VerifyOptions, verifyTrail } from '../../src/audit/verify.ts';
import type { AuditEntry, AuditEvent } from '../../src/model/audit.ts';

export const SIGNER = createCheckpointSigner(Buffer.alloc(32, 7));
/** Somebody who has not got the key. */
export const FORGER = createCheckpointSigner(Buffer.alloc(32, 8));
export const OPEN = createCheckpointVerifier(SIGNER.verifierKey);

/** When the first entry of a trail here is written; the others follow by the second. */
export const BEGIN_MS = Date.parse('2026-11-21T10:00:00.000Z');

/** Chains in memory: what was written, by name, the oldest first. */
export type Trail = ReadonlyMap<string, readonly string[]>;

/** A chain that grows. */
export interface ChainWriter {
  readonly state: ChainState;
  readonly texts: string[];
  write(event: Partial<AuditEvent>): AuditEntry;
  checkpoint(signer?: typeof SIGNER): void;
}

let written = 0;

/** Begins a chain; `from`: the first entries, taken over as they are. */
export function startChain(name: string, from: { state: ChainState; at: number } | null = null) {
  let state = from?.state ?? newChain(name);
  let clock = from?.at ?? 0;
  const texts: string[] = [];
  const writer: ChainWriter = {
    get state() {
      return state;
    },
    texts,
    write(event) {
      written += 1;
      clock += 1000;
      const whole = { ...EVENT, op_id: `op-${written}`, ...event };
      const placed = place(state, whole, { nowMs: BEGIN_MS + clock, monoMs: clock });
      state = placed.state;
      texts.push(placed.text);
      return placed.entry;
    },
    checkpoint(signer = SIGNER) {
      const { chain, size, frontier } = state;
      const note = signer.sign({ chain, size, root: rootOf(frontier) });
      writer.write({ kind: 'checkpoint', details: { note } });
    },
  };
  return writer;
}

/** The boot entry, naming the newest entries of other chains. */
export function boot(writer: ChainWriter, others: readonly ChainWriter[] = []): AuditEntry {
  const heads = others.map(({ state: { chain, size, head } }) => ({
    chain,
    seq: size,
    hash: head,
  }));
  return writer.write({ kind: 'boot', details: { version: '1.0.0', heads } });
}

export const EVENT: AuditEvent = {
  kind: 'override',
  phase: 'whole',
  op_id: 'op',
  tenant_id: 'default',
  principal: {
    id: 'override token',
    name: null,
    credential: 'override-token',
    role: 'cab-member',
    tenant_id: 'default',
  },
  actor: 'Zoë',
  rfc_id: 'RFC-019AA54C2F80D1E2F30',
  rfc_rev: 3,
  repo_name: 'shop',
  reason: 'the "hotfix" of the\nevening',
  details: { status_before: 'BLOCKED', status_after: 'OVERRIDDEN' },
};

/** A trail as a source. */
export function sourceOf(trail: Trail): AuditSource {
  return {
    chains: () => Promise.resolve([...trail.keys()]),
    async *entries(chain) {
      yield* trail.get(chain) ?? [];
    },
    close: () => Promise.resolve(),
  };
}

/** Verifies with the key, a day after. */
export function verify(
  source: AuditSource,
  options: Partial<VerifyOptions> = {},
): Promise<Verification> {
  const nowMs = BEGIN_MS + 86_400_000;
  return verifyTrail(source, { open: OPEN, nowMs, kept: [], claims: null, ...options });
}

/** The lines of an export, and what the last one says. */
export async function exported(
  source: AuditSource,
  signer: typeof SIGNER | null = SIGNER,
  since: string | null = null,
): Promise<{ lines: string[]; closing: ExportClosing; result: Verification }> {
  const lines: string[] = [];
  const result = await exportTrail(source, {
    write(line) {
      lines.push(line);
      return undefined;
    },
    nowMs: BEGIN_MS + 86_400_000,
    since,
    signer,
    onEntry: () => undefined,
  });
  const closing = readClosing(lines.at(-1) ?? '');
  if (closing === null) throw new Error('the export has no closing line');
  return { lines, closing, result };
}
