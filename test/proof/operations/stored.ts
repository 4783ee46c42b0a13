import { createCheckpointSigner, createCheckpointVerifier } from '../../../src/audit/checkpoint.ts';
import { verifyTrail } from '../../../src/audit/verify.ts';
import { findCheckpointSeed } from '../../../src/daemon/data-dir.ts';
import type { AuditEntry, AuditPhase, AuditPlace } from '../../../src/model/audit.ts';
import type { StoredRecord, StorePlace } from './place.ts';

/** An operation as the trail records it. */
interface RecordedOperation {
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
  operations: ReadonlyMap<string, RecordedOperation>;
  records: ReadonlyMap<string, StoredRecord>;
  entries: number;
}

const OPERATIONS: ReadonlySet<string> = new Set(['override', 'approve', 'reject', 'delete']);

/** Reads all records and all entries. The daemons must be quiet meanwhile. */
export async function readStored(place: StorePlace): Promise<Stored> {
  const operations = new Map<string, RecordedOperation>();
  let entries = 0;
  const source = await place.openTrail();
  for (const chain of await source.chains()) {
    for await (const text of source.entries(chain)) {
      entries += 1;
      note(operations, JSON.parse(text) as AuditEntry);
    }
  }
  await source.close();
  const records = await place.readRecords();
  return { operations, records: new Map(records.map((record) => [record.rfcId, record])), entries };
}

function note(operations: Map<string, RecordedOperation>, entry: AuditEntry): void {
  const { op_id, kind, phase, rfc_id, chain, seq, details } = entry;
  const textHash = (details['text_sha256'] ?? null) as string | null;
  const operation = operations.get(op_id) ?? {
    kind,
    rfcId: rfc_id,
    phases: [],
    done: null,
    textHash,
  };
  operation.phases.push(phase);
  if (phase === 'whole' || phase === 'done') operation.done = { chain, seq };
  operations.set(op_id, operation);
}

/** Where records and trail tell different stories, in words. */
export function differences({ operations, records }: Stored): string[] {
  const faults: string[] = [];
  const deleted = new Set<string>();
  for (const { kind, rfcId, done } of operations.values()) {
    if (kind === 'delete' && done !== null && rfcId !== null) deleted.add(rfcId);
  }
  for (const [opId, { kind, rfcId, phases, done }] of operations) {
    const name = `${kind} ${opId} of ${rfcId}`;
    if (phases.join() === 'intent') faults.push(`${name}: an open intent`);
    if (!OPERATIONS.has(kind)) continue;
    const record = records.get(rfcId ?? '');
    const stands = record?.decisions.includes(opId) === true || record?.deletedBy === opId;
    if (done === null && stands) faults.push(`${name}: decided, but recorded as ${phases.join()}`);
    if (done === null) continue;
    const isLeft = record !== undefined && record.deletedBy === null;
    if (kind === 'delete' && isLeft) faults.push(`${name}: recorded, but the record is there`);
    if (kind !== 'delete' && isLeft && !stands) faults.push(`${name}: recorded, but not decided`);
    if (kind !== 'delete' && !isLeft && !deleted.has(rfcId ?? '')) {
      faults.push(`${name}: recorded, but the record is gone without a word`);
    }
  }
  for (const record of records.values()) faults.push(...unrecorded(record, operations));
  return faults;
}

const DECIDED: ReadonlySet<string | null> = new Set(['OVERRIDDEN', 'APPROVED', 'REJECTED']);

function unrecorded(record: StoredRecord, operations: Stored['operations']): string[] {
  const { rfcId, status, decisions, deletedBy } = record;
  const faults = [...decisions, ...(deletedBy === null ? [] : [deletedBy])]
    .filter((opId) => operations.get(opId)?.done == null)
    .map((opId) => `${rfcId}: ${opId} has no entry`);
  if (DECIDED.has(status) && decisions.length === 0) {
    faults.push(`${rfcId}: ${status}, and no decision says why`);
  }
  return faults;
}

/** Hashes of the texts of rules that became a revision. */
export function recordedRules({ operations }: Stored): Set<string | null> {
  const rules = [...operations.values()].filter(
    ({ kind, done }) => kind === 'rules' && done !== null,
  );
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
