import type { Document } from 'mongodb';
import { acceptsPush, type RfcRecord, recordText, statusHost } from '../../model/records.ts';
import type { RfcStatus } from '../../model/rfc.ts';
import type { EventLane } from '../contract/events.ts';
import { leftovers } from '../steps/decision.ts';
import { parseRecord } from '../stored-record.ts';
import type { RecordDocument } from './documents.ts';
import { addPending } from './events.ts';
import { dueReview, dueStatus, judgedPush, revoked, texts } from './record-documents.ts';
import { changedTrend } from './trends.ts';

/** A record as a decision meets it. */
export interface DecidedState {
  id: string;
  status: RfcStatus;
  rev: number;
  fence: number | null;
  json: string;
}

/** What changes a record, and when it was asked for (ISO 8601). */
export interface DecidedBy {
  opId: string;
  at: string;
  /** A verdict of the service itself: the record does not list it among its decisions. */
  isVerdict: boolean;
}

/** A2: the update that makes `next` of a record; its events go to these lanes. */
export function decision(
  next: RfcRecord,
  { opId, isVerdict }: DecidedBy,
  nowMs: number,
  lanes: readonly EventLane[],
): Document[] {
  const { overall_status: status, rev } = next;
  const record = recordText(next);
  const lost = acceptsPush(next) ? {} : revoked(status === 'REJECTED' ? 'rejected' : 'other');
  const due = { ...dueReview(next), ...dueStatus(statusHost(next), nowMs) };
  const follows = { ...lost, ...judgedPush(next), ...due, ...addPending(record.events, lanes) };
  const decided = { op: { $literal: opId }, at: '$$NOW' };
  const former = { $ifNull: ['$carries', []] };
  const carries = isVerdict ? { carries: { $concatArrays: [former, [{ $literal: opId }]] } } : {};
  return [{ $set: { status, rev, decided, ...carries, ...texts(record), ...follows } }];
}

/**
 * A2: the update by which a record is deleted. It is not a push any more: the same delivery makes a
 * new RFC. Where a host shows a status of the RFC, `vcs` keeps the status that is to be posted.
 */
export function tombstone(
  { rev, json }: DecidedState,
  { opId, at }: DecidedBy,
  nowMs: number,
): Document[] {
  const { refusal, status } = leftovers(parseRecord(json), at);
  const gone = {
    rev: rev + 1,
    deleted: true,
    deleted_by: opId,
    decisions: { $literal: decisionsIn(json) },
    ...revoked('other'),
    ...changedTrend(''),
    ...(refusal === null ? {} : { refusal: refusalFields(refusal) }),
  };
  if (status === null) return [{ $set: gone }, { $unset: [...GONE, 'vcs'] }];
  const due = {
    host: { $literal: status.host },
    due: new Date(nowMs),
    deleted: { $literal: JSON.stringify(status.record) },
    ...(status.record.push === null ? {} : { was_push: true }),
  };
  const vcs = { $mergeObjects: [{ posted: null }, '$vcs', due] };
  return [{ $set: { ...gone, vcs } }, { $unset: [...GONE] }];
}

/** What the record refused, in its tombstone: it has no end. */
function refusalFields(refusal: RfcRecord): Document {
  const kept = { json: { $literal: JSON.stringify(refusal) }, at: '$$NOW' };
  return refusal.push === null ? kept : { ...kept, repo: '$push.repo', ref: '$push.ref' };
}

const GONE = ['json', 'summary', 'texts', 'push', 'decided', 'review_due', 'landed'] as const;

/** What a record says of a decision. */
export interface Found {
  /** Whether the decision is in the record. */
  isMine: boolean;
  /** Null: the record does not exist, or was deleted. */
  status: RfcStatus | null;
  rev: number | null;
  /** Of a record that is there. */
  json: string | null;
}

/** What a document says of a decision. */
export function foundIn(document: RecordDocument | null, opId: string): Found {
  if (document === null) return { isMine: false, status: null, rev: null, json: null };
  const { status, rev, json, deleted, deleted_by, decisions = [], carries = [] } = document;
  if (deleted === true || json === undefined) {
    const isMine = deleted_by === opId || decisions.includes(opId) || carries.includes(opId);
    return { isMine, status: null, rev: null, json: null };
  }
  const isMine = carries.includes(opId) || decisionsIn(json).includes(opId);
  return { isMine, status, rev, json };
}

/** op_ids of the decisions in a record, the oldest first. */
export function decisionsIn(json: string): string[] {
  const { override_history } = JSON.parse(json) as RfcRecord;
  return override_history.map(({ decision_id }) => decision_id);
}
