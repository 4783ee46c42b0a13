import type { Collection, Db, Document, Filter } from 'mongodb';
import {
  acceptsHead,
  type RfcRecord,
  recordText,
  statusHost,
  summarise,
} from '../../model/records.ts';
import type { RfcStatus } from '../../model/rfc.ts';
import type {
  EmergencyCounts,
  ListEmergenciesInput,
  ListEmergenciesOutput,
} from '../contract/trail.ts';
import { MONGO_TRAIL } from '../limits.ts';
import { cutPage, decodeTimed, encodeKeys } from '../lists.ts';
import { leftovers, type OverdueReview } from '../steps/decision.ts';
import { parseRecord } from '../stored-record.ts';
import { type DiffChunkDocument, GONE_STATUS, type RfcDocument } from './documents.ts';
import { durable, type FreshRead } from './operations.ts';
import { IS_TO_REVIEW, QUERIES } from './queries.ts';
import { dueReview, dueStatus, judgedPush, revoked, texts } from './record-documents.ts';
import { changedTrend } from './trends.ts';

/** A stored record with what decisions add to it, or what a deletion leaves of it. */
export interface RecordDocument extends Omit<RfcDocument, 'summary' | 'json'> {
  /** Both are absent from a record that was deleted. */
  summary?: string;
  json?: string;
  /** op_id of the deletion, and those of the decisions before it. */
  deleted_by?: string;
  decisions?: string[];
  /** op_ids of what changed it besides decisions: carries, moves of reviews, remarks. */
  carries?: string[];
  /** Set when the trail has the deletion: the rest is removed then. */
  expires_at?: Date;
}

export type RecordCollection = Collection<RecordDocument>;

/** A record as a decision meets it. */
export interface DecidedState {
  id: string;
  status: RfcStatus;
  rev: number;
  fence: number | null;
  json: string;
}

/** What is left of a deleted record is removed after this time. */
const TOMBSTONE_SECONDS = 7 * 24 * 3_600;

/** The records, acknowledged by a majority and journaled, read as the majority has them. */
export function recordCollection(database: Db): RecordCollection {
  return durable<RecordDocument>(database, 'rfcs');
}

/** A0: the record of a tenant as it is now; null: it does not exist, or was deleted. */
export async function readState(
  records: RecordCollection,
  fresh: FreshRead,
  { tenant_id, rfc_id }: { tenant_id: string; rfc_id: string },
): Promise<DecidedState | null> {
  const projection = { tenant_id: 1, status: 1, rev: 1, fence: 1, json: 1, deleted: 1 };
  const options = { projection, maxTimeMS: MONGO_TRAIL.ATTEMPT_MS };
  const found = await fresh((at) => records.findOne({ _id: rfc_id }, { ...options, ...at }));
  if (found === null || found.tenant_id !== tenant_id) return null;
  const { _id: id, status, rev, fence = null, json, deleted } = found;
  return deleted === true || json === undefined ? null : { id, status, rev, fence, json };
}

/**
 * A2: replaces the record by `next`, or by what is left of a deleted one (null), if nothing has
 * changed since `state` was read and no daemon has fenced its decision off. False: it has changed.
 */
export async function replaceRecord(
  records: RecordCollection,
  state: DecidedState,
  next: RfcRecord | null,
  { opId, at, nowMs, isVerdict }: { opId: string; at: string; nowMs: number; isVerdict: boolean },
): Promise<boolean> {
  const { id, status, rev, fence } = state;
  // `null` matches a record that was never fenced.
  const filter = { _id: id, status, rev, fence } as Filter<RecordDocument>;
  const by = { opId, at, nowMs, isVerdict };
  const change = next === null ? tombstone(state, by) : decision(next, by);
  const { matchedCount } = await records.updateOne(filter, change);
  return matchedCount === 1;
}

/**
 * A2 of a remark: replaces a record by one of the same status, whose heads and due status stay as
 * they are.
 */
export async function amendRecord(
  records: RecordCollection,
  { id, status, rev, fence }: DecidedState,
  next: RfcRecord,
  opId: string,
): Promise<boolean> {
  const filter = { _id: id, status, rev, fence } as Filter<RecordDocument>;
  const own = { json: JSON.stringify(next), summary: JSON.stringify(summarise(next)) };
  const { matchedCount } = await records.updateOne(filter, {
    $set: { rev: next.rev, ...own },
    $push: { carries: opId },
  });
  return matchedCount === 1;
}

function decision(
  next: RfcRecord,
  { opId, nowMs, isVerdict }: { opId: string; nowMs: number; isVerdict: boolean },
): Document[] {
  const { overall_status: status, rev } = next;
  const lost = acceptsHead(next) ? {} : revoked(status === 'REJECTED' ? 'rejected' : 'other');
  const due = { ...dueReview(next), ...dueStatus(statusHost(next), nowMs) };
  const follows = { ...lost, ...judgedPush(next), ...due };
  const decided = { op: { $literal: opId }, at: '$$NOW' };
  const former = { $ifNull: ['$carries', []] };
  const carries = isVerdict ? { carries: { $concatArrays: [former, [{ $literal: opId }]] } } : {};
  return [{ $set: { status, rev, decided, ...carries, ...texts(recordText(next)), ...follows } }];
}

/**
 * A deleted record is not a push any more: the same delivery makes a new RFC. Where a host shows a
 * status of the RFC, `vcs` keeps the status that is still to be posted.
 */
function tombstone(
  { rev, json }: DecidedState,
  { opId, at, nowMs }: { opId: string; at: string; nowMs: number },
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

/** What the record refused, beside what is left of it: it has no end. */
function refusalFields(refusal: RfcRecord): Document {
  const kept = { json: { $literal: JSON.stringify(refusal) }, at: '$$NOW' };
  return refusal.push === null ? kept : { ...kept, repo: '$push.repo', ref: '$push.ref' };
}

const GONE = ['json', 'summary', 'push', 'decided', 'review_due'] as const;

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

/** What the record says now. */
export async function readDecision(
  records: RecordCollection,
  rfcId: string,
  opId: string,
): Promise<Found> {
  return foundIn(
    await records.findOne({ _id: rfcId }, { maxTimeMS: MONGO_TRAIL.ATTEMPT_MS }),
    opId,
  );
}

/**
 * Fences a decision off and returns what the record says then: whatever its writer still does, it
 * misses, so the answer is final. One step, durable, whatever the record's state.
 */
export async function fenceDecision(
  records: RecordCollection,
  rfcId: string,
  opId: string,
): Promise<Found> {
  const after = await records.findOneAndUpdate(
    { _id: rfcId },
    { $inc: { fence: 1 } },
    { returnDocument: 'after', maxTimeMS: MONGO_TRAIL.ATTEMPT_MS },
  );
  return foundIn(after, opId);
}

function foundIn(document: RecordDocument | null, opId: string): Found {
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

/**
 * Removes the diff of a deleted record, and lets the server expire the tombstone, unless it says
 * what stays refused.
 */
export async function expireTombstone(
  { records, diffs }: { records: RecordCollection; diffs: Collection<DiffChunkDocument> },
  { rfcId, opId, nowMs }: { rfcId: string; opId: string; nowMs: number },
): Promise<void> {
  const mine = { _id: rfcId, deleted_by: opId };
  const rest = await records.findOne(mine, { projection: { diff: 1, 'refusal.at': 1 } });
  if (rest === null) return;
  if (rest.diff !== null) await diffs.deleteMany(QUERIES.chunks(rest.diff.id).filter);
  const expires_at = new Date(nowMs + TOMBSTONE_SECONDS * 1000);
  const ends = rest.refusal === undefined ? { expires_at } : { status: GONE_STATUS };
  await records.updateOne(mine, { $set: { ...ends, diff: null } });
}

/** Overdue by the clock of the server. */
const IS_OVERDUE = { $lte: ['$review_due', '$$NOW'] };

/** The review of a tenant that is overdue for the longest time; null when absent. */
export async function findOverdue(
  records: RecordCollection,
  tenant_id: string,
): Promise<OverdueReview | null> {
  const filter = { tenant_id, ...IS_TO_REVIEW, $expr: IS_OVERDUE };
  const [found] = await records
    .find(filter, { projection: { review_due: 1 } })
    .sort({ review_due: 1, _id: 1 })
    .limit(1)
    .hint('review_due')
    .maxTimeMS(MONGO_TRAIL.ATTEMPT_MS)
    .toArray();
  if (found?.review_due === undefined) return null;
  return { rfc_id: found._id, due_at: found.review_due.toISOString() };
}

/** Reviews that are due, the earliest first. */
export async function listEmergencies(
  records: RecordCollection,
  { tenant_id, limit, cursor }: ListEmergenciesInput,
): Promise<ListEmergenciesOutput> {
  const { at, rest } = cursor === null ? { at: 0, rest: '' } : decodeTimed(cursor);
  const from = new Date(at);
  const later = [{ review_due: { $gt: from } }, { review_due: from, _id: { $gt: rest } }];
  const filter = { $and: [{ tenant_id, ...IS_TO_REVIEW }, { review_due: { $gte: from } }] };
  const found = await records
    .find({ ...filter, $or: later } as Filter<RecordDocument>)
    .project<{ _id: string; review_due: Date; summary: string; overdue: boolean }>({
      review_due: 1,
      summary: 1,
      overdue: IS_OVERDUE,
    })
    .sort({ review_due: 1, _id: 1 })
    .limit(limit + 1)
    .hint('review_due')
    .maxTimeMS(MONGO_TRAIL.ATTEMPT_MS)
    .toArray();
  const { page, next_cursor } = cutPage(found, limit, ({ _id, review_due }) =>
    encodeKeys([review_due.toISOString(), _id]),
  );
  return { emergencies: page.map(({ summary, overdue }) => ({ summary, overdue })), next_cursor };
}

/** How many there are, of one tenant or of all. */
export async function countEmergencies(
  records: RecordCollection,
  tenantId: string | null,
): Promise<EmergencyCounts> {
  const ofTenant = tenantId === null ? {} : { tenant_id: tenantId };
  const [counts] = await records
    .aggregate<EmergencyCounts>(
      [
        { $match: { ...ofTenant, ...IS_TO_REVIEW } },
        { $group: { _id: null, due: { $sum: 1 }, overdue: { $sum: { $toInt: IS_OVERDUE } } } },
        { $project: { _id: 0, due: 1, overdue: 1 } },
      ],
      { hint: 'review_due', maxTimeMS: MONGO_TRAIL.ATTEMPT_MS },
    )
    .toArray();
  return counts ?? { due: 0, overdue: 0 };
}
