import { CraError } from '../model/errors.ts';
import type { RecordText } from '../model/record-text.ts';
import type { RfcRecord } from '../model/records.ts';
import { withAttempt } from './stored-record.ts';

/** What a step does to the record of a push, whichever driver stores it. */

/** The push with one more attempt, begun at `nowMs`: its owner fetches it now. */
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

/** Verdicts that do not stand without what they rest on; a rejection and an end always do. */
export const RESTING_STATUSES = ['PASSED', 'APPROVED', 'OVERRIDDEN', 'BLOCKED'] as const;

/** Whether the verdict of a push may be taken back. */
export function canReopen({ overall_status, push }: RfcRecord): boolean {
  return push !== null && RESTING_STATUSES.some((status) => status === overall_status);
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
