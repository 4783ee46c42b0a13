import { touchedComponents } from '../../model/components.ts';
import type { PullRequest, RefPlace } from '../../model/push.ts';
import { acceptsPush, type RfcRecord } from '../../model/records.ts';
import type { PushClaim } from '../contract/pushes.ts';
import { staleRfc } from '../errors.ts';
import { PUSH_STORE } from '../limits.ts';
import { parseRecord } from '../stored-record.ts';

/** What verdicts, attempts and claims do to a record, whichever driver stores it. */

/** A record as a store has it. */
export interface RecordState {
  status: string;
  rev: number;
  json: string;
}

/** ABORTED unless the record has this status and rev. */
export function requireState(
  state: Pick<RecordState, 'status' | 'rev'>,
  status: string,
  expectedRev: number,
): void {
  if (state.status !== status || state.rev !== expectedRev) throw staleRfc(state);
}

/** The DRAFT of `expectedRev` with one more attempt, begun at `nowMs`; ABORTED for another. */
export function attempted(state: RecordState, expectedRev: number, nowMs: number): RfcRecord {
  requireState(state, 'DRAFT', expectedRev);
  return withAttempt(parseRecord(state.json), nowMs);
}

/** The draft with one more attempt, begun at `nowMs`. */
function withAttempt(draft: RfcRecord, nowMs: number): RfcRecord {
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

/** The push of `expectedRev` with its pull request; ABORTED for another one, and for a DRAFT. */
export function withPullRequest(
  state: RecordState,
  { pullRequest, expectedRev, at }: { pullRequest: PullRequest; expectedRev: number; at: string },
): RfcRecord {
  if (state.rev !== expectedRev || state.status === 'DRAFT') throw staleRfc(state);
  const push = parseRecord(state.json);
  return { ...push, pull_request: pullRequest, updated_at: at, rev: push.rev + 1 };
}

/** A claim. `older`: the open pushes before it, newest first, with one more than it names. */
export function pushClaim(
  place: RefPlace,
  record: RfcRecord,
  older: PushClaim['older'],
): PushClaim {
  const hasMore = older.length > PUSH_STORE.GROUP_MAX;
  return { place, record, older: older.slice(0, PUSH_STORE.GROUP_MAX), hasMore };
}

/**
 * Whether a change of a push revokes its head, so that verdicts that depend on it are judged
 * again. `next`: the record after it; null: it is deleted. Null: nothing is revoked. Verdicts of
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
