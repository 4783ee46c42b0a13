import { hash } from 'node:crypto';
import { CraError } from '../model/errors.ts';
import type { ProdFacts } from '../model/push.ts';
import {
  acceptsHead,
  carriedFrom,
  pinOf,
  type RecordText,
  type RfcRecord,
  type RfcSummary,
} from '../model/records.ts';
import { nextStatus } from '../model/rfc.ts';
import type { ReviseInput } from './contract/records.ts';

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
  throw new CraError('INVALID_ARGUMENT', `a review does not make ${to} of ${from}`);
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

/** What a store keeps beside the record of a push, to search for it: it follows from the record. */
export function searchedOf(record: RfcRecord): {
  /** Its commit is an accepted head. */
  isAccepted: boolean;
  /** Its change was never had: BLOCKED until a later try. */
  isUnjudged: boolean;
  /** The pushes that its verdict rests on. */
  restsOn: readonly string[];
} {
  const { overall_status, push } = record;
  return {
    isAccepted: acceptsHead(record),
    isUnjudged: overall_status === 'BLOCKED' && (push?.waiting_for ?? null) !== null,
    restsOn: canReopen(record) ? (push?.rests_on ?? []) : [],
  };
}

/** INVALID_ARGUMENT for a record that cannot be the progress of a DRAFT at `expectedRev`. */
export function checkProgress(record: RecordText, expectedRev: number): void {
  if (record.overall_status === 'DRAFT' && record.rev === expectedRev + 1) return;
  throw new CraError('INVALID_ARGUMENT', 'a push in progress must stay a DRAFT with the next rev');
}

/** INVALID_ARGUMENT for a list of more than `max`. */
export function checkCount(field: string, list: readonly unknown[], max: number): void {
  if (list.length <= max) return;
  throw new CraError('INVALID_ARGUMENT', `${field} has at most ${max} entries`, {
    details: { field },
  });
}

/**
 * What tells a delivery, and the body of a webhook, apart from all others: half a SHA-256, hex.
 * `bodyHash` is the SHA-256 of the body.
 */
export function deliveryKey(delivery: string): string {
  return halfOf(hash('sha256', delivery));
}

/** See `deliveryKey`. */
export function bodyKey(bodyHash: string): string {
  return halfOf(bodyHash);
}

function halfOf(hex: string): string {
  return hex.slice(0, 32);
}
