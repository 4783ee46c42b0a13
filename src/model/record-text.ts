import type { ChangeEntry } from './history.ts';
import { type RfcRecord, statusHost, summarise } from './records.ts';
import type { RfcStatus } from './rfc.ts';

/** A record as JSON, with the fields that the store indexes. */
export interface RecordText {
  rfc_id: string;
  tenant_id: string;
  repo_name: string;
  branch: string;
  commit_sha: string | null;
  overall_status: RfcStatus;
  rev: number;
  created_at: string;
  /** The RfcRecord. */
  json: string;
  /** Its RfcSummary. */
  summary: string;
  /** What a new record adds to the history of its repository; null when it is not known. */
  change: ChangeEntry | null;
  /** Id of the host to which its status is posted, `''` for the default one; null: to none. */
  vcs_host: string | null;
}

/**
 * The texts of a record, made once where it is made. `change` is what it adds to the history of
 * its repository, null when it adds nothing.
 */
export function recordText(record: RfcRecord, change: ChangeEntry | null): RecordText {
  const { rfc_id, tenant_id, repo_name, branch, commit_sha, overall_status, rev, created_at } =
    record;
  return {
    ...{ rfc_id, tenant_id, repo_name, branch, commit_sha, overall_status, rev, created_at },
    json: JSON.stringify(record),
    summary: JSON.stringify(summarise(record)),
    change,
    vcs_host: statusHost(record),
  };
}
