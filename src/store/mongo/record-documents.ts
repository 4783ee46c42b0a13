import { Timestamp } from 'mongodb';
import { STORE } from '../../limits.ts';
import { CraError } from '../../model/errors.ts';
import type { RecordText } from '../../model/record-text.ts';
import { repoKey } from '../repo-key.ts';
import type { DiffReference, PushFields, RfcDocument } from './documents.ts';

/** What a new document has besides its record. */
export interface NewDocument {
  diff: DiffReference | null;
  /** Of a push, which no daemon holds. */
  push: PushFields | null;
  /** The daemon to which any other DRAFT belongs. */
  instance: string;
  /** Ms since the epoch. */
  nowMs: number;
}

/** A new record as a document. */
export function newDocument(record: RecordText, options: NewDocument): RfcDocument {
  const { diff, push, instance, nowMs } = options;
  const isOwned = record.overall_status === 'DRAFT' && push === null;
  const { vcs_host: host } = record;
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
    owner: isOwned ? instance : null,
    lease_until: null,
    ...(push === null ? {} : { push }),
    ...(host === null ? {} : { vcs: { host, due: new Date(nowMs), posted: null } }),
  };
}

/** Size of a record in the store, about; in characters, as most are ASCII. */
export function sizeOf(record: RecordText): number {
  return record.json.length + record.summary.length;
}

/** INVALID_ARGUMENT for a record that no document can hold. */
export function checkSize(record: RecordText): void {
  if (sizeOf(record) <= STORE.RECORD_BYTES_MAX) return;
  throw new CraError('INVALID_ARGUMENT', 'the record is too large to be stored');
}
