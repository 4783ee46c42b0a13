import type { Collection, Filter } from 'mongodb';
import type { AuditEvent } from '../../model/audit.ts';
import { acceptanceOf, acceptedFindings, type Remark } from '../../model/decision.ts';
import type { CraError } from '../../model/errors.ts';
import { requestEvent } from '../../model/event.ts';
import { type RfcRecord, summarise } from '../../model/records.ts';
import { searchTexts } from '../../model/search.ts';
import { trendText } from '../../model/trend.ts';
import type { EventLane } from '../contract/events.ts';
import type { RfcId } from '../contract/records.ts';
import type { EndAcceptanceInput } from '../contract/trail.ts';
import { archivedRfc, unknownRfc } from '../errors.ts';
import { MONGO_TRAIL } from '../limits.ts';
import type { OverdueReview, RequestedOperation } from '../steps/decision.ts';
import { parseRecord, repoKey } from '../stored-record.ts';
import { findAccepted } from './accepted.ts';
import { releaseAgentPlace, takeAgentPlace } from './agent-places.ts';
import type { AuditCollection, AuditDocument } from './audit-collection.ts';
import type { Appended, Appender } from './audit-log.ts';
import type { Collections, DecisionCollections } from './database.ts';
import {
  type DecidedBy,
  type DecidedState,
  decision,
  type Found,
  foundIn,
  tombstone,
} from './decide-record.ts';
import {
  type AcceptedDocument,
  GONE_STATUS,
  type RecordDocument,
  type RfcDocument,
} from './documents.ts';
import { pendingEvents } from './events.ts';
import type { Intent } from './intents.ts';
import type { FreshRead } from './operations.ts';
import { createRejectedFinder } from './pushes/refusals.ts';
import { IS_OVERDUE, IS_TO_REVIEW, QUERIES } from './queries.ts';
import { closeTasksOf } from './tasks.ts';
import { newTrend } from './trends.ts';

/**
 * The steps of a decision, each of them one thing that happens or does not. `decide` and the
 * reconciler are made of these alone, so that a test can end a daemon between any two of them.
 */
export type DecideSteps = ReturnType<typeof createDecideSteps>;

type AcceptedPlace = Omit<EndAcceptanceInput, 'event'>;

/** The tombstone of a deleted record is removed after this time. */
const TOMBSTONE_MS = 7 * 24 * 3_600_000;

export interface DecidePlaces extends DecisionCollections, Pick<Collections, 'diffs' | 'tasks'> {
  audit: AuditCollection;
  /** On the connection of the records. */
  fresh: FreshRead;
}

const BOUNDED = { maxTimeMS: MONGO_TRAIL.ATTEMPT_MS } as const;

/** The steps on real collections. */
export function createDecideSteps(
  {
    audit,
    records,
    archived,
    accepted,
    agentPlaces,
    operations,
    diffs,
    tasks,
    fresh,
  }: DecidePlaces,
  appender: Pick<Appender, 'append'>,
  now: () => number,
  lanes: readonly EventLane[] = [],
) {
  return {
    /** The answer that another store gave before it was copied; null when absent. */
    async readCopied(op_id: string): Promise<(RequestedOperation & { output: string }) | null> {
      const found = await operations.findOne({ _id: op_id });
      return found && { ...found, op_id };
    },

    /** Entries of operations by op_id. */
    readOperations: (opIds: readonly string[]): Promise<AuditDocument[]> =>
      audit.find({ op_id: { $in: [...opIds] } }).toArray(),

    /** A0: the record of a tenant as it is now; null: it does not exist, or was deleted. */
    async readState({ tenant_id, rfc_id }: RfcId) {
      const projection = { tenant_id: 1, status: 1, rev: 1, fence: 1, json: 1, deleted: 1 };
      const found = await fresh((at) =>
        records.findOne({ _id: rfc_id }, { projection, ...BOUNDED, ...at }),
      );
      if (found === null || found.tenant_id !== tenant_id) return null;
      const { _id: id, status, rev, fence = null, json, deleted } = found;
      if (deleted === true || json === undefined) return null;
      return { id, status, rev, fence, json } satisfies DecidedState;
    },

    /** Why `readState` found nothing. */
    async absence({ tenant_id, rfc_id: _id }: RfcId): Promise<CraError> {
      const found = await archived.findOne({ _id, tenant_id }, { projection: { _id: 1 } });
      return found === null ? unknownRfc() : archivedRfc();
    },

    /** How many fingerprints decisions about this RFC have accepted. */
    countAccepted: (rfc_id: string): Promise<number> =>
      accepted.countDocuments({ rfc_id }, BOUNDED),

    /** The RFCs whose rejections a decision lifts. */
    // What is read of them is the same: a deleted record is left out by its `deleted`.
    findRejected: createRejectedFinder(records as unknown as Collection<RfcDocument>, fresh),

    /** The review of a tenant that is overdue for the longest time; null when absent. */
    async findOverdue(tenant_id: string): Promise<OverdueReview | null> {
      const found = await records.findOne(
        { tenant_id, ...IS_TO_REVIEW, $expr: IS_OVERDUE },
        {
          projection: { review_due: 1 },
          sort: { review_due: 1, _id: 1 },
          hint: 'review_due',
          ...BOUNDED,
        },
      );
      if (found?.review_due === undefined) return null;
      return { rfc_id: found._id, due_at: found.review_due.toISOString() };
    },

    takeAgentPlace: (opId: string, most: number) => takeAgentPlace(agentPlaces, opId, most),
    releaseAgentPlace: (place: { op: string } | { call: string }) =>
      releaseAgentPlace(agentPlaces, place),

    /** A1 and A3: see `Appender.append`. */
    append: (event: AuditEvent, waitMs: number): Promise<Appended> =>
      appender.append(event, waitMs),

    /**
     * A2: replaces the record by `next`, or by a tombstone (null), if nothing has
     * changed since `state` was read and no daemon has fenced its decision off. False: it has
     * changed.
     */
    async replaceRecord(state: DecidedState, next: RfcRecord | null, by: DecidedBy) {
      const told = next?.overall_status === state.status ? [] : lanes;
      const change = next === null ? tombstone(state, by, now()) : decision(next, by, now(), told);
      return (await records.updateOne(unchanged(state), change)).matchedCount === 1;
    },

    /** A2 of a remark: the status stays, and with it its heads and the due status. */
    async amendRecord(
      state: DecidedState,
      next: RfcRecord,
      { opId, remark }: { opId: string; remark: Remark },
    ): Promise<boolean> {
      const own = { json: JSON.stringify(next), summary: JSON.stringify(summarise(next)) };
      const trend = trendText(next);
      const counted =
        trend === trendText(parseRecord(state.json)) ? {} : { trend: newTrend(trend) };
      const set = { rev: next.rev, ...own, texts: searchTexts(next), ...counted };
      const requested = remark.kind === 'request' ? [requestEvent(next, remark.request)] : [];
      const added = pendingEvents(requested, lanes);
      const events = added.length === 0 ? {} : { events: { $each: added } };
      const change = { $set: set, $push: { carries: opId, ...events } };
      return (await records.updateOne(unchanged(state), change)).matchedCount === 1;
    },

    async isAccepted({ tenant_id, repo_name, fingerprint }: AcceptedPlace): Promise<boolean> {
      const input = { tenant_id, repo_name, fingerprints: [fingerprint] };
      return (await findAccepted({ accepted, records }, input, 'ever')).length > 0;
    },

    async endAcceptance({ tenant_id, repo_name, fingerprint }: AcceptedPlace): Promise<void> {
      await accepted.deleteMany({ tenant_id, repo_key: repoKey(repo_name), fingerprint });
    },

    /** What the record says now. */
    async readDecision(rfcId: string, opId: string): Promise<Found> {
      return foundIn(await records.findOne({ _id: rfcId }, BOUNDED), opId);
    },

    /**
     * Fences a decision off and returns what the record says then: whatever its writer still does,
     * it misses, so the answer is final. One step, durable, whatever the record's state.
     */
    async fence(rfcId: string, opId: string): Promise<Found> {
      const options = { returnDocument: 'after', ...BOUNDED } as const;
      const after = await records.findOneAndUpdate({ _id: rfcId }, { $inc: { fence: 1 } }, options);
      return foundIn(after, opId);
    },

    /**
     * Accepts or withdraws what a decision does, when it stands in the record, and closes the tasks
     * of a deleted one: the same again changes nothing. `json`: the record; null: it was deleted.
     */
    async accept(intent: Intent, json: string | null): Promise<void> {
      const { tenant_id, rfc_id, request } = intent;
      const acceptance = acceptanceOf(request);
      if (acceptance === 'withdraw') await accepted.deleteMany({ rfc_id });
      if (acceptance === 'add' && json !== null) await addAccepted(accepted, intent, json);
      if (intent.status_after === null) {
        await closeTasksOf(tasks, { tenant_id, rfc_id, at: request.at });
      }
    },

    /**
     * Removes the diff of a deleted record, and lets the server expire the tombstone, unless it
     * says what stays refused.
     */
    async expire({ rfc_id: _id, op_id: deleted_by }: Intent): Promise<void> {
      const mine = { _id, deleted_by };
      const rest = await records.findOne(mine, { projection: { diff: 1, 'refusal.at': 1 } });
      if (rest === null) return;
      if (rest.diff !== null) await diffs.deleteMany(QUERIES.chunks(rest.diff.id).filter);
      const expires_at = new Date(now() + TOMBSTONE_MS);
      const ends = rest.refusal === undefined ? { expires_at } : { status: GONE_STATUS };
      await records.updateOne(mine, { $set: { ...ends, diff: null } });
    },
  };
}

/** The record as a decision met it; `fence` null matches a record that was never fenced. */
function unchanged({ id: _id, status, rev, fence }: DecidedState): Filter<RecordDocument> {
  return { _id, status, rev, fence } as Filter<RecordDocument>;
}

async function addAccepted(
  accepted: DecisionCollections['accepted'],
  { request }: Intent,
  json: string,
): Promise<void> {
  const record = JSON.parse(json) as RfcRecord;
  const { tenant_id, rfc_id } = record;
  const documents = acceptedFindings(record, request).map((finding): AcceptedDocument => {
    const _id = `${rfc_id}:${finding.fingerprint}`;
    const place = { tenant_id, repo_key: repoKey(record.repo_name), rfc_id };
    return { _id, ...place, ...finding, at: request.at };
  });
  if (documents.length === 0) return;
  const operations = documents.map((replacement) => ({
    replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true },
  }));
  await accepted.bulkWrite(operations, { ordered: false });
}
