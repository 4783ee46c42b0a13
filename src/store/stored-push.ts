import { CraError } from '../model/errors.ts';
import type { RecordText } from '../model/record-text.ts';
import type { RfcRecord } from '../model/records.ts';
import { withAttempt } from './stored-record.ts';

/** What a step does to the record of a push, whichever driver stores it. */

/** The push with one more attempt, begun at `nowMs`: whoever has it fetches it now. */
export function claimedPush(draft: RfcRecord, nowMs: number): RfcRecord {
  const record = withAttempt(draft, nowMs);
  return { ...record, push: record.push && { ...record.push, phase: 'fetching' } };
}

/** The push that a newer one has overtaken; `by` is the RFC that is judged instead. */
export function supersededPush(draft: RfcRecord, by: string | null, at: string): RfcRecord {
  const { push, rev } = draft;
  return {
    ...draft,
    overall_status: 'SUPERSEDED',
    queue: null,
    push: push && { ...push, phase: null, waiting_for: null, superseded_by: by },
    updated_at: at,
    rev: rev + 1,
  };
}

/** INVALID_ARGUMENT for a record that cannot be the progress of a DRAFT at `expectedRev`. */
export function checkProgress(record: RecordText, expectedRev: number): void {
  if (record.overall_status === 'DRAFT' && record.rev === expectedRev + 1) return;
  throw new CraError('INVALID_ARGUMENT', 'progress of a push stays a DRAFT and has the next rev');
}

/** INVALID_ARGUMENT for a list of more than `max`. */
export function checkCount(field: string, list: readonly unknown[], max: number): void {
  if (list.length <= max) return;
  throw new CraError('INVALID_ARGUMENT', `${field} has at most ${max} entries`, {
    details: { field },
  });
}
