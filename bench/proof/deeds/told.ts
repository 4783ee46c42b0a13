import { createCheckpointSigner, createCheckpointVerifier } from '../../../src/audit/checkpoint.ts';
import { verifyTrail } from '../../../src/audit/verify.ts';
import { findCheckpointSeed } from '../../../src/daemon/data-dir.ts';
import type { AuditEntry, AuditPhase, AuditPlace } from '../../../src/model/audit.ts';
import type { StoredRecord, StorePlace } from './place.ts';

/** A deed as the trail tells of it. */
interface ToldDeed {
  kind: AuditEntry['kind'];
  rfcId: string | null;
  phases: AuditPhase[];
  /** Of the entry that says it was done; null: none does. */
  done: AuditPlace | null;
  /** Of new rules: SHA-256 of their text, hex. */
  textHash: string | null;
}

/** What the database holds, read past the service. */
export interface Stored {
  deeds: ReadonlyMap<string, ToldDeed>;
  records: ReadonlyMap<string, StoredRecord>;
  entries: number;
}

const DEEDS: ReadonlySet<string> = new Set(['override', 'approve', 'reject', 'delete']);

/** Reads all records and all entries. The daemons must be quiet meanwhile. */
export async function readStored(place: StorePlace): Promise<Stored> {
  const deeds = new Map<string, ToldDeed>();
  let entries = 0;
  const source = await place.openTrail();
  for (const chain of await source.chains()) {
    for await (const text of source.entries(chain)) {
      entries += 1;
      note(deeds, JSON.parse(text) as AuditEntry);
    }
  }
  await source.close();
  const records = await place.readRecords();
  return { deeds, records: new Map(records.map((record) => [record.rfcId, record])), entries };
}

function note(deeds: Map<string, ToldDeed>, entry: AuditEntry): void {
  const { op_id, kind, phase, rfc_id, chain, seq, details } = entry;
  const textHash = (details['text_sha256'] ?? null) as string | null;
  const deed = deeds.get(op_id) ?? { kind, rfcId: rfc_id, phases: [], done: null, textHash };
  deed.phases.push(phase);
  if (phase === 'whole' || phase === 'done') deed.done = { chain, seq };
  deeds.set(op_id, deed);
}

/** Where records and trail tell different stories, in words. */
export function differences({ deeds, records }: Stored): string[] {
  const faults: string[] = [];
  const deleted = new Set<string>();
  for (const { kind, rfcId, done } of deeds.values()) {
    if (kind === 'delete' && done !== null && rfcId !== null) deleted.add(rfcId);
  }
  for (const [opId, { kind, rfcId, phases, done }] of deeds) {
    const name = `${kind} ${opId} of ${rfcId}`;
    if (phases.join() === 'intent') faults.push(`${name}: an open intent`);
    if (!DEEDS.has(kind)) continue;
    const record = records.get(rfcId ?? '');
    const stands = record?.decisions.includes(opId) === true || record?.deletedBy === opId;
    if (done === null && stands) faults.push(`${name}: decided, but told as ${phases.join()}`);
    if (done === null) continue;
    const isLeft = record !== undefined && record.deletedBy === null;
    if (kind === 'delete' && isLeft) faults.push(`${name}: told, but the record is there`);
    if (kind !== 'delete' && isLeft && !stands) faults.push(`${name}: told, but not decided`);
    if (kind !== 'delete' && !isLeft && !deleted.has(rfcId ?? '')) {
      faults.push(`${name}: told, but the record is gone without a word`);
    }
  }
  for (const record of records.values()) faults.push(...untold(record, deeds));
  return faults;
}

const DECIDED: ReadonlySet<string | null> = new Set(['OVERRIDDEN', 'APPROVED', 'REJECTED']);

function untold(record: StoredRecord, deeds: Stored['deeds']): string[] {
  const { rfcId, status, decisions, deletedBy } = record;
  const faults = [...decisions, ...(deletedBy === null ? [] : [deletedBy])]
    .filter((opId) => deeds.get(opId)?.done == null)
    .map((opId) => `${rfcId}: ${opId} has no entry`);
  if (DECIDED.has(status) && decisions.length === 0) {
    faults.push(`${rfcId}: ${status}, and no decision says why`);
  }
  return faults;
}

/** Hashes of the texts of rules that became a revision. */
export function toldRules({ deeds }: Stored): Set<string | null> {
  const rules = [...deeds.values()].filter(({ kind, done }) => kind === 'rules' && done !== null);
  return new Set(rules.map(({ textHash }) => textHash));
}

/** What `cra audit verify` finds, as faults; `seed` is that of the key that must have signed. */
export async function verifyFaults(
  place: StorePlace,
  seed: Uint8Array = seedOf(place),
): Promise<string[]> {
  const source = await place.openTrail();
  const open = createCheckpointVerifier(createCheckpointSigner(seed).verifierKey);
  try {
    const { flaw } = await verifyTrail(source, { open, nowMs: Date.now(), kept: [], claims: null });
    return flaw === null ? [] : [`verify: ${flaw.chain} ${flaw.seq}: ${flaw.reason}`];
  } finally {
    await source.close();
  }
}

function seedOf({ settings, dataDir }: StorePlace): Uint8Array {
  const given = settings['SERVICE_CHECKPOINT_KEY'];
  const seed = given === undefined ? findCheckpointSeed(dataDir) : Buffer.from(given, 'hex');
  if (seed === null) throw new Error('there is no key that checkpoints are signed with');
  return seed;
}
