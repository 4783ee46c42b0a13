import { Timestamp } from 'mongodb';
import type { RecordText } from '../../rpc/contract.ts';
import { repoKey } from '../repo-key.ts';
import type { DiffReference, RfcDocument } from './documents.ts';

/** A new record as a document; a DRAFT belongs to the daemon `owner`. */
export function newDocument(
  record: RecordText,
  diff: DiffReference | null,
  owner: string,
): RfcDocument {
  return {
    _id: record.rfc_id,
    tenant_id: record.tenant_id,
    repo_key: repoKey(record.repo_name),
    branch: record.branch,
    commit_sha: record.commit_sha,
    status: record.overall_status,
    rev: record.rev,
    fence: 0,
    seq: new Timestamp({ t: 0, i: 0 }),
    created_at: record.created_at,
    summary: record.summary,
    json: record.json,
    diff,
    owner: record.overall_status === 'DRAFT' ? owner : null,
    lease_until: null,
  };
}

/** Size of a record in the store, about; in characters, as most are ASCII. */
export function sizeOf(record: RecordText): number {
  return record.json.length + record.summary.length;
}
