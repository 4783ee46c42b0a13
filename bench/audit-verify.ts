import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChainState, newChain, place, rootOf } from '../src/audit/chain.ts';
import {
  type CheckpointSigner,
  createCheckpointSigner,
  createCheckpointVerifier,
} from '../src/audit/checkpoint.ts';
import { exportTrail } from '../src/audit/export.ts';
import type { AuditSource } from '../src/audit/source.ts';
import { type ExportClaims, verifyTrail } from '../src/audit/verify.ts';
import { writeLines } from '../src/cli/audit.ts';
import { openExport } from '../src/cli/audit-file.ts';
import type { AuditDetails, AuditEvent } from '../src/model/audit.ts';
import { TRAIL } from '../src/store/limits.ts';
import { best, mbPerCpuSecond, type Timing } from './harness.ts';
import type { RunOptions } from './options.ts';
import type { Report } from './report.ts';

const ENTRIES = 100_000;
const CHAINS = 4;
/** 2026-11-21T10:00:00Z */
const BEGIN_MS = 1_795_255_200_000;
const GOAL_PER_CPU_SECOND = 100_000;

/** How many entries `cra audit verify` checks in a CPU-second. */
export async function run(options: RunOptions): Promise<Report> {
  const signer = createCheckpointSigner(Buffer.alloc(32, options.seed));
  const open = createCheckpointVerifier(signer.verifierKey);
  const trail = makeTrail(options.count ?? ENTRIES, signer);
  const source = sourceOf(trail);
  const entries = [...trail.values()].reduce((sum, texts) => sum + texts.length, 0);
  const bytes = [...trail.values()].flat().reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  options.progress(`audit-verify: ${entries} entries made`);
  const verify = async (from: AuditSource, claims: ExportClaims | null) => {
    const { flaw } = await verifyTrail(from, { open, nowMs: BEGIN_MS * 2, kept: [], claims });
    if (flaw !== null) throw new Error(`${flaw.chain} ${flaw.seq}: ${flaw.reason}`);
  };
  const row = (name: string, timing: Timing) => [
    name,
    entries / (timing.cpuMs / 1000),
    mbPerCpuSecond(bytes, timing),
  ];
  const dir = mkdtempSync(join(tmpdir(), 'cra-bench-'));
  try {
    const rows = [row('verify, in memory', await best(() => verify(source, null)))];
    const path = join(dir, 'trail.jsonl');
    const exporting = await best(() => exportTo(path, source, signer));
    const { source: file, header, closing } = await openExport(path);
    const claims = { omitted: header.omitted, closing };
    rows.push(row('verify, an export on disk', await best(() => verify(file, claims))));
    await file.close();
    rows.push(row('export, with its check', exporting));
    return {
      title: 'Audit trail: verify and export',
      facts: [`${entries} entries, ${Math.round(bytes / entries)} bytes each, ${CHAINS} chains`],
      tables: [{ columns: ['what', 'entries/CPU-s', 'MB/CPU-s'], rows }],
      notes: [`goal: ${GOAL_PER_CPU_SECOND.toLocaleString('en-US')} entries/CPU-s verified`],
      holds: true,
    };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

async function exportTo(path: string, source: AuditSource, signer: CheckpointSigner) {
  const options = { nowMs: BEGIN_MS * 2, since: null, signer, onEntry: () => undefined };
  await writeLines(path, (write) => exportTrail(source, { ...options, write }));
}

function makeTrail(entries: number, signer: CheckpointSigner): Map<string, string[]> {
  const trail = new Map<string, string[]>();
  let before: ChainState | null = null;
  for (let i = 0; i < CHAINS; i += 1) {
    const texts: string[] = [];
    let state = newChain(`20261121T10000${i}Z-0123456789abcdef`);
    const write = (event: AuditEvent) => {
      const monoMs = texts.length;
      const placed = place(state, event, { nowMs: BEGIN_MS + i * 1e9 + monoMs, monoMs });
      state = placed.state;
      texts.push(placed.text);
    };
    write(ownEvent(state, 'boot', { version: '1.0.0', heads: headsOf(before) }));
    while (texts.length < entries / CHAINS) {
      if (texts.length % TRAIL.CHECKPOINT_ENTRIES > 0) write(decision(state));
      else write(ownEvent(state, 'checkpoint', { note: signed(state, signer) }));
    }
    trail.set(state.chain, texts);
    before = state;
  }
  return trail;
}

function headsOf(before: ChainState | null) {
  return before === null ? [] : [{ chain: before.chain, seq: before.size, hash: before.head }];
}

function signed({ chain, size, frontier }: ChainState, signer: CheckpointSigner): string {
  return signer.sign({ chain, size, root: rootOf(frontier) });
}

/** What a decision by token writes, about 800 bytes. */
function decision({ chain, size }: ChainState): AuditEvent {
  return {
    kind: 'override',
    phase: 'whole',
    op_id: `${chain}-${size}`,
    tenant_id: 'default',
    principal: {
      id: 'override token',
      name: null,
      credential: 'override-token',
      role: 'cab-member',
      tenant_id: 'default',
    },
    actor: 'release manager',
    rfc_id: `RFC-${size.toString(16).toUpperCase().padStart(27, '0')}`,
    rfc_rev: 2,
    repo_name: 'acme/shop',
    reason: 'The hotfix was looked at by two of us; the finding is in code that is not reached.',
    details: {
      accepted: 0,
      commit_sha: '5f0c3c6c0b4e6a8d1f2e3d4c5b6a79880f1e2d3c',
      diff_hash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      risk_score: 41,
      status_after: 'OVERRIDDEN',
      status_before: 'BLOCKED',
    },
  };
}

function ownEvent(
  { chain, size }: ChainState,
  kind: AuditEvent['kind'],
  details: AuditDetails,
): AuditEvent {
  const op_id = `${chain}:${kind}:${size}`;
  const nobody = { principal: null, actor: null, rfc_id: null, rfc_rev: null };
  const about = { repo_name: null, reason: null, details };
  return { kind, phase: 'whole', op_id, tenant_id: 'default', ...nobody, ...about };
}

function sourceOf(trail: ReadonlyMap<string, readonly string[]>): AuditSource {
  return {
    chains: () => Promise.resolve([...trail.keys()]),
    async *entries(chain) {
      yield* trail.get(chain) ?? [];
    },
    close: () => Promise.resolve(),
  };
}
