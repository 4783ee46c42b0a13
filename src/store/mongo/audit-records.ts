import { createHash } from 'node:crypto';
import type { Db } from 'mongodb';
import type {
  StoredRecords,
  StoredRefusal,
  StoredRevision,
  StoredRfc,
} from '../../audit/records-check.ts';
import type { RfcRecord } from '../../model/records.ts';
import { holdingAmong } from './accepted.ts';
import type { AuditCollection } from './audit-collection.ts';
import { decisionCollections } from './database.ts';
import { type RecordDocument, type RulesDocument, unpackText } from './documents.ts';
import { batchesOf, failRead } from './operations.ts';

/** Documents in a batch of a walk. */
const BATCH = 200;

/** Reads the decided records of a store, to compare with the trail; `openDb`: their database. */
export function createStoredRecords(
  audit: AuditCollection,
  openDb: () => Promise<Db>,
): Omit<StoredRecords, 'rowFaults'> {
  const columns = { tenant_id: 1, repo_key: 1, branch: 1, commit_sha: 1, created_at: 1 } as const;
  const shown = { ...columns, status: 1, rev: 1, json: 1, summary: 1 } as const;
  const textsOf = async (filter: object) => {
    const entries = audit.find(filter).project<{ entry: string }>({ _id: 0, entry: 1 });
    return (await entries.toArray().catch(failRead)).map(({ entry }) => entry);
  };
  return {
    async *decided() {
      const { records } = decisionCollections(await openDb());
      const every = records.find({ json: { $exists: true } }, { projection: shown });
      for await (const batch of batchesOf(every, BATCH))
        yield batch.map(rfcOf).filter(showsDecision);
    },
    async among(rfcIds) {
      const { records } = decisionCollections(await openDb());
      const filter = { _id: { $in: [...rfcIds] }, json: { $exists: true } };
      const found = await records.find(filter, { projection: shown }).toArray().catch(failRead);
      return found.map(rfcOf);
    },
    async refusals(rfcIds) {
      const { records } = decisionCollections(await openDb());
      const filter = { _id: { $in: [...rfcIds] }, refusal: { $exists: true } };
      const projection = { ...columns, 'refusal.json': 1 };
      const found = await records.find(filter, { projection }).toArray().catch(failRead);
      return found.map(({ refusal, ...document }) => {
        return { ...columnsOf(document), json: refusal?.json ?? '' };
      });
    },
    entriesOf: (opIds) => textsOf({ op_id: { $in: [...opIds] } }),
    carriesOf: (rfcId) => textsOf({ op_id: { $gt: `carry ${rfcId} `, $lt: `carry ${rfcId}!` } }),
    async *accepted() {
      const { records, accepted } = decisionCollections(await openDb());
      for await (const batch of batchesOf(accepted.find(), BATCH)) {
        const holds = await holdingAmong(records, batch).catch(failRead);
        const held = batch.filter(({ rfc_id }) => holds.has(rfc_id));
        yield held.map(({ _id, rule = null, expires_at = null, ...row }) => {
          return { ...row, rule, expires_at };
        });
      }
    },
    async *revisions() {
      const { rules } = decisionCollections(await openDb());
      for await (const document of rules.find({ entry: { $exists: true } })) {
        yield [await revisionOf(document)];
      }
    },
  };
}

function rfcOf(document: RecordDocument): StoredRfc {
  const { created_at, status, rev, json = '', summary = '' } = document;
  return { ...columnsOf(document), created_at, status, rev, json, summary };
}

function columnsOf(document: Omit<RecordDocument, 'refusal'>): Omit<StoredRefusal, 'json'> {
  const { _id, tenant_id, repo_key, branch, commit_sha } = document;
  return { rfc_id: _id, tenant_id, repo_key, branch, commit_sha };
}

const DECIDED: ReadonlySet<string> = new Set(['OVERRIDDEN', 'APPROVED', 'REJECTED']);

/** Also a record that contradicts its own row. */
function showsDecision({ status, json }: StoredRfc): boolean {
  if (DECIDED.has(status)) return true;
  try {
    const { override_history, overall_status } = JSON.parse(json) as RfcRecord;
    return override_history.length > 0 || overall_status !== status;
  } catch {
    return true;
  }
}

async function revisionOf({ _id, entry = '', text }: RulesDocument): Promise<StoredRevision> {
  const given = text === undefined ? '' : await unpackText(text, 'rules');
  const textSha256 = createHash('sha256').update(given).digest('hex');
  return { number: _id, entry, textSha256 };
}
