import { touchedComponents } from '../../model/components.ts';
import { CraError } from '../../model/errors.ts';
import type { PullRequest } from '../../model/push.ts';
import { acceptsPush, type RecordText, type RfcRecord } from '../../model/records.ts';
import { nextStatus } from '../../model/rfc.ts';
import type { ReviseInput } from '../contract/records.ts';

/** What verdicts, attempts and claims do to a record, whichever driver stores it. */

/** INVALID_ARGUMENT for a record that cannot be the outcome of a DRAFT at `expectedRev`. */
export function checkOutcome(record: RecordText, expectedRev: number): void {
  if (record.overall_status !== 'DRAFT' && record.rev === expectedRev + 1) return;
  throw new CraError(
    'INVALID_ARGUMENT',
    'the outcome of a DRAFT must have another status and the next rev',
  );
}

/** INVALID_ARGUMENT for a record that cannot follow one with the status `from`. */
export function checkRevision({ record, from, expectedRev }: ReviseInput): void {
  const { overall_status: to, rev } = record;
  const moves = [nextStatus(from, 'release'), nextStatus(from, 'recall')];
  const isAllowed = to === from || moves.includes(to);
  if (isAllowed && rev === expectedRev + 1) return;
  throw new CraError('INVALID_ARGUMENT', `a review or a plan does not make ${to} of ${from}`);
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

/** The push with one more attempt, begun at `nowMs`: its owner fetches it now. */
export function claimedPush(draft: RfcRecord, nowMs: number): RfcRecord {
  const record = withAttempt(draft, nowMs);
  return { ...record, push: record.push && { ...record.push, phase: 'fetching' } };
}

/** The push that a newer one supersedes; `by` is the RFC that is judged instead. */
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

/** The push with the pull request that it belongs to. */
export function withPullRequest(
  push: RfcRecord,
  pull_request: PullRequest,
  updated_at: string,
): RfcRecord {
  return { ...push, pull_request, updated_at, rev: push.rev + 1 };
}

/** INVALID_ARGUMENT for a record that cannot be the progress of a DRAFT at `expectedRev`. */
export function checkProgress(record: RecordText, expectedRev: number): void {
  if (record.overall_status === 'DRAFT' && record.rev === expectedRev + 1) return;
  throw new CraError('INVALID_ARGUMENT', 'a push in progress must stay a DRAFT with the next rev');
}

/**
 * Whether a change of a push takes its head back, so that verdicts that depend on it are judged
 * again. `next`: the record after it; null: it is deleted. Null: nothing is taken back. Verdicts of
 * components may depend on a push that is not accepted as a whole. In MongoDB, `revoked` says the
 * same by fields of the document.
 */
export function headRevoked(
  before: RfcRecord,
  next: RfcRecord | null,
): { isRejected: boolean } | null {
  if (before.push === null) return null;
  const status = next?.overall_status ?? null;
  if (status === 'REJECTED') return { isRejected: true };
  // Decisions about a pull request are carried to its merge.
  const counted = acceptsPush(before) || touchedComponents(before).length > 0;
  const counts = next !== null && acceptsPush(next);
  return status === 'DRAFT' || (counted && !counts) ? { isRejected: false } : null;
}
