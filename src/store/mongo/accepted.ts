import type { Collection, Db } from 'mongodb';
import { AUDIT, HISTORY } from '../../limits.ts';
import { acceptanceOf, acceptedFindings } from '../../model/decision.ts';
import type { RfcRecord } from '../../model/records.ts';
import type { AcceptedFingerprint } from '../../model/rules.ts';
import type { AcceptedInput } from '../contract/trail.ts';
import { repoKey } from '../stored-record.ts';
import type { Intent } from './decide-events.ts';
import type { RecordCollection } from './decide-record.ts';

/**
 * A fingerprint that a decision on an RFC accepts. It counts only while the record of that RFC
 * says so: documents that a crash or a race left behind accept nothing.
 */
interface AcceptedDocument {
  /** `rfc_id:fingerprint` */
  _id: string;
  tenant_id: string;
  repo_key: string;
  fingerprint: string;
  rfc_id: string;
  by: string;
  reason: string;
  at: string;
}

export type AcceptedCollection = Collection<AcceptedDocument>;

/** Statuses of a record whose decisions hold: a rejection is final. */
const HOLDING: ReadonlySet<string> = new Set(['OVERRIDDEN', 'APPROVED']);

/** What decisions accept, acknowledged by a majority and journaled. */
export function acceptedCollection(database: Db): AcceptedCollection {
  return database.collection<AcceptedDocument>('accepted', {
    writeConcern: { w: 'majority', j: true, wtimeoutMS: AUDIT.ATTEMPT_MS },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
  });
}

/** Makes the indexes; those that exist stay. */
export async function ensureAcceptedIndexes(accepted: AcceptedCollection): Promise<void> {
  await accepted.createIndexes([
    { name: 'fingerprint', key: { tenant_id: 1, repo_key: 1, fingerprint: 1 } },
    { name: 'rfc', key: { rfc_id: 1 } },
  ]);
}

/** How many fingerprints decisions about this RFC have accepted. */
export function countAccepted(accepted: AcceptedCollection, rfcId: string): Promise<number> {
  return accepted.countDocuments({ rfc_id: rfcId }, { maxTimeMS: AUDIT.ATTEMPT_MS });
}

/**
 * Accepts or withdraws what a decision does, when it stands in the record: the same again changes
 * nothing. `json` is the record, null after a deletion.
 */
export async function applyAcceptance(
  accepted: AcceptedCollection,
  intent: Intent,
  json: string | null,
): Promise<void> {
  const { rfcId, request } = intent;
  const acceptance = acceptanceOf(request);
  if (acceptance === 'withdraw') await accepted.deleteMany({ rfc_id: rfcId });
  if (acceptance !== 'add' || json === null) return;
  const documents = documentsOf(intent, JSON.parse(json) as RfcRecord);
  if (documents.length === 0) return;
  const operations = documents.map((replacement) => ({
    replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true },
  }));
  await accepted.bulkWrite(operations, { ordered: false });
}

function documentsOf(intent: Intent, record: RfcRecord): AcceptedDocument[] {
  return acceptedFindings(record, intent.request).map(({ fingerprint, reason, by = '' }) => ({
    _id: `${record.rfc_id}:${fingerprint}`,
    tenant_id: record.tenant_id,
    repo_key: repoKey(record.repo_name),
    fingerprint,
    rfc_id: record.rfc_id,
    by,
    reason,
    at: intent.request.at,
  }));
}

/** Which fingerprints are accepted in a repository by decisions that hold; each once. */
export async function findAccepted(
  { accepted, records }: { accepted: AcceptedCollection; records: RecordCollection },
  { tenant_id, repo_name, fingerprints }: AcceptedInput,
): Promise<AcceptedFingerprint[]> {
  if (fingerprints.length === 0) return [];
  const found = await accepted
    .find({ tenant_id, repo_key: repoKey(repo_name), fingerprint: { $in: fingerprints } })
    .maxTimeMS(HISTORY.LOOKUP_MS)
    .toArray();
  if (found.length === 0) return [];
  const rfcIds = [...new Set(found.map(({ rfc_id }) => rfc_id))];
  const holding = await records
    .find({ _id: { $in: rfcIds } }, { projection: { status: 1, deleted: 1 } })
    .maxTimeMS(HISTORY.LOOKUP_MS)
    .toArray();
  const holds = new Set(
    holding
      .filter(({ status, deleted }) => deleted !== true && HOLDING.has(status))
      .map(({ _id }) => _id),
  );
  const byFingerprint = new Map<string, AcceptedFingerprint>();
  for (const { fingerprint, rfc_id, by, reason } of found) {
    if (!holds.has(rfc_id)) continue;
    byFingerprint.set(fingerprint, { fingerprint, by, reason, repo: repo_name });
  }
  return [...byFingerprint.values()];
}
