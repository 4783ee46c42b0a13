import { CraError } from '../model/errors.ts';
import type { RecordText } from '../model/record-text.ts';
import { carriedFrom, pinOf, type RfcRecord, type RfcSummary } from '../model/records.ts';
import type { ProdFacts } from './contract/pushes.ts';

/** A record as it stands in a store. Only this service writes there: no more is checked. */
export function parseRecord(json: string): RfcRecord {
  return parse(json) as RfcRecord;
}

/** The same of its summary. */
export function parseSummary(json: string): RfcSummary {
  return parse(json) as RfcSummary;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (thrown) {
    throw new CraError('DATA_LOSS', 'a stored record is damaged', { cause: thrown });
  }
}

/** What a deployment goes by, of a whole record. */
export function prodFacts(record: RfcRecord): ProdFacts {
  const { rfc_id, overall_status, risk_score, commit_sha } = record;
  const pin = pinOf(record);
  const carried_from = carriedFrom(record);
  return { rfc_id, overall_status, risk_score, commit_sha, pin, carried_from };
}

/** INVALID_ARGUMENT for a record that cannot be the outcome of a DRAFT at `expectedRev`. */
export function checkOutcome(record: RecordText, expectedRev: number): void {
  if (record.overall_status !== 'DRAFT' && record.rev === expectedRev + 1) return;
  throw new CraError('INVALID_ARGUMENT', 'an outcome has another status and the next rev');
}

/** The draft with one more attempt, begun at `nowMs`. */
export function withAttempt(draft: RfcRecord, nowMs: number): RfcRecord {
  const attempts = (draft.queue?.attempts ?? 0) + 1;
  return {
    ...draft,
    queue: { attempts, queued_at: draft.queue?.queued_at ?? draft.created_at },
    updated_at: new Date(nowMs).toISOString(),
    rev: draft.rev + 1,
  };
}

/**
 * The form in which repositories are compared: hosts treat `Org/Repo` and `org/repo` as one, so
 * a verdict under one spelling must be found under the other.
 */
export function repoKey(repoName: string): string {
  return repoName.toLowerCase();
}
