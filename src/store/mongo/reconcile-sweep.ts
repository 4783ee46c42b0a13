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
 * hand), or null. Reads the newest AUDIT.SWEEP_RFCS_MAX records of each tenant and status.
 */
export async function findUntold(
  records: RecordCollection,
  audit: AuditCollection,
): Promise<string | null> {
  const untold: string[] = [];
  for (const tenant of await records.distinct('tenant_id')) {
    for (const status of ['OVERRIDDEN', 'APPROVED', 'REJECTED'] as const) {
      for await (const batch of readDecided(records, { tenant_id: tenant, status })) {
        untold.push(...(await withoutEntry(audit, batch)));
      }
    }
  }
  const [first] = untold;
  if (first === undefined) return null;
  const count = untold.length === 1 ? '1 decided RFC has' : `${untold.length} decided RFCs have`;
  return `${count} no entry in the trail, such as ${first}`;
}

const BATCH = 200;

async function* readDecided(
  records: RecordCollection,
  state: { tenant_id: string; status: 'OVERRIDDEN' | 'APPROVED' | 'REJECTED' },
): AsyncGenerator<Decided[]> {
  let batch: Decided[] = [];
  const newest = records
    .find({ ...state, deleted: { $ne: true } }, { projection: { json: 1 } })
    .sort({ seq: -1 })
    .hint('by_status')
    .limit(AUDIT.SWEEP_RFCS_MAX)
    .batchSize(BATCH);
  for await (const { _id, json } of newest) {
    batch.push({ rfcId: _id, opId: newestDecision(json) });
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function newestDecision(json: string | undefined): string | null {
  try {
    return decisionsIn(json ?? '').at(-1) ?? null;
  } catch {
    // A record that is damaged tells of no decision.
    return null;
  }
}

async function withoutEntry(audit: AuditCollection, batch: readonly Decided[]): Promise<string[]> {
  const opIds = batch.map(({ opId }) => opId).filter((opId) => opId !== null);
  const told = new Set<string>();
  const entries = audit
    .find({ op_id: { $in: opIds }, slot: { $in: ['intent', 'whole'] } })
    .project<{ op_id: string }>({ _id: 0, op_id: 1 });
  for await (const { op_id } of entries) told.add(op_id);
  return batch.filter(({ opId }) => opId === null || !told.has(opId)).map(({ rfcId }) => rfcId);
}
