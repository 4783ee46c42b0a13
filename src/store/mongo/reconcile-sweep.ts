import { AUDIT } from '../../limits.ts';
import type { AuditCollection } from './audit-collection.ts';
import { decisionsIn, type RecordCollection } from './decide-record.ts';

interface Decided {
  rfcId: string;
  /** Null: its record tells of no decision at all. */
  opId: string | null;
}

/**
 * Looks the other way round: every record that was decided must have a decision that the trail
 * tells of. Returns a sentence about those that have none (somebody changed the database by
 * hand), or null. Reads the newest AUDIT.SWEEP_RFCS_MAX decided records.
 */
export async function findUntold(
  records: RecordCollection,
  audit: AuditCollection,
): Promise<string | null> {
  const untold: string[] = [];
  let batch: Decided[] = [];
  const check = async () => {
    untold.push(...(await withoutEntry(audit, batch)));
    batch = [];
  };
  const decided = records
    .find({ status: { $in: ['OVERRIDDEN', 'APPROVED', 'REJECTED'] } })
    .project<{ _id: string; json?: string }>({ json: 1 })
    .sort({ _id: -1 })
    .limit(AUDIT.SWEEP_RFCS_MAX)
    .batchSize(SWEEP_BATCH);
  for await (const { _id, json } of decided) {
    batch.push({ rfcId: _id, opId: decisionsIn(json ?? '').at(-1) ?? null });
    if (batch.length === SWEEP_BATCH) await check();
  }
  await check();
  const [first] = untold;
  if (first === undefined) return null;
  const count = untold.length === 1 ? '1 decided RFC has' : `${untold.length} decided RFCs have`;
  return `${count} no entry in the trail, such as ${first}`;
}

const SWEEP_BATCH = 500;

async function withoutEntry(audit: AuditCollection, batch: readonly Decided[]): Promise<string[]> {
  const opIds = batch.map(({ opId }) => opId).filter((opId) => opId !== null);
  const told = new Set<string>();
  const entries = audit
    .find({ op_id: { $in: opIds }, slot: { $in: ['intent', 'whole'] } })
    .project<{ op_id: string }>({ _id: 0, op_id: 1 });
  for await (const { op_id } of entries) told.add(op_id);
  return batch.filter(({ opId }) => opId === null || !told.has(opId)).map(({ rfcId }) => rfcId);
}
