import type { Collection, Db } from 'mongodb';
import type { AuditEvent } from '../../model/audit.ts';
import { acceptanceOf, acceptedFindings } from '../../model/decision.ts';
import type { RfcRecord } from '../../model/records.ts';
import type { LiftedCommits } from '../../model/release.ts';
import type { EndAcceptanceInput } from '../contract/trail.ts';
import type { OverdueReview } from '../steps/decision.ts';
import { repoKey } from '../stored-record.ts';
import {
  type AcceptedCollection,
  type AcceptedDocument,
  countAccepted,
  findAccepted,
} from './accepted.ts';
import { type AgentPlaces, releaseAgentPlace, takeAgentPlace } from './agent-places.ts';
import type { AuditCollection } from './audit-collection.ts';
import type { Appended, Appender } from './audit-log.ts';
import {
  amendRecord,
  type DecidedState,
  expireTombstone,
  type Found,
  fenceDecision,
  findOverdue,
  type RecordCollection,
  readDecision,
  readState,
  replaceRecord,
} from './decide-record.ts';
import type { DiffChunkDocument, RfcDocument, TaskDocument } from './documents.ts';
import type { AttemptReads, Intent } from './intents.ts';
import { durable, type FreshRead } from './operations.ts';
import { createRejectedFinder } from './pushes/refusals.ts';
import { closeTasksOf } from './tasks.ts';

/**
 * The steps of a decision, each of them one thing that happens or does not. `decide` and the
 * reconciler are made of these alone, so that a test can end a daemon between any two of them.
 */
export interface DecideSteps extends AttemptReads {
  readState(id: { tenant_id: string; rfc_id: string }): Promise<DecidedState | null>;
  countAccepted(rfcId: string): Promise<number>;
  /** The RFCs whose rejections a decision lifts. */
  findRejected(commits: LiftedCommits): Promise<RfcRecord[]>;
  /** See `findOverdue`. */
  findOverdue(tenantId: string): Promise<OverdueReview | null>;
  /** See `takeAgentPlace` and `releaseAgentPlace`. */
  takeAgentPlace(opId: string, most: number): Promise<string | null>;
  releaseAgentPlace(place: { op: string } | { call: string }): Promise<void>;
  /** See `Appender.append`. */
  append(event: AuditEvent, waitMs: number): Promise<Appended>;
  /** See `replaceRecord`. */
  replaceRecord(state: DecidedState, next: RfcRecord | null, op: DecidedBy): Promise<boolean>;
  /** See `amendRecord`. */
  amendRecord(state: DecidedState, next: RfcRecord, opId: string): Promise<boolean>;
  isAccepted(what: AcceptedPlace): Promise<boolean>;
  endAcceptance(what: AcceptedPlace): Promise<void>;
  readDecision(rfcId: string, opId: string): Promise<Found>;
  /** See `fenceDecision`. */
  fence(rfcId: string, opId: string): Promise<Found>;
  /** See `applyAcceptance`; the tasks of a deleted RFC are closed. */
  accept(intent: Intent, json: string | null): Promise<void>;
  /** Lets go of what is left of a deleted record. */
  expire(intent: Intent): Promise<void>;
}

type AcceptedPlace = Omit<EndAcceptanceInput, 'event'>;

/** The operation that changes a record, and when it was asked for (ISO 8601). */
interface DecidedBy {
  opId: string;
  at: string;
  /** A verdict of the service itself: the record does not list it among its decisions. */
  isVerdict: boolean;
}

export interface DecidePlaces {
  audit: AuditCollection;
  records: RecordCollection;
  accepted: AcceptedCollection;
  agentPlaces: AgentPlaces;
  operations: Collection<DecisionOpDocument>;
  diffs: Collection<DiffChunkDocument>;
  tasks: Collection<TaskDocument>;
  /** On the connection of the records. */
  fresh: FreshRead;
}

/** The steps on real collections. */
export function createDecideSteps(
  { audit, records, accepted, agentPlaces, operations, diffs, tasks, fresh }: DecidePlaces,
  appender: Pick<Appender, 'append'>,
  now: () => number,
): DecideSteps {
  return {
    async readCopied(op_id) {
      const found = await operations.findOne({ _id: op_id });
      return found && { ...found, op_id };
    },
    readOperations: (opIds) => audit.find({ op_id: { $in: [...opIds] } }).toArray(),
    readState: (id) => readState(records, fresh, id),
    countAccepted: (rfcId) => countAccepted(accepted, rfcId),
    // What is read of them is the same: a deleted record is left out by its `deleted`.
    findRejected: createRejectedFinder(records as unknown as Collection<RfcDocument>, fresh),
    findOverdue: (tenantId) => findOverdue(records, tenantId),
    takeAgentPlace: (opId, most) => takeAgentPlace(agentPlaces, opId, most),
    releaseAgentPlace: (place) => releaseAgentPlace(agentPlaces, place),
    append: (event, waitMs) => appender.append(event, waitMs),
    replaceRecord: (state, next, by) =>
      replaceRecord(records, state, next, { ...by, nowMs: now() }),
    amendRecord: (state, next, opId) => amendRecord(records, state, next, opId),
    async isAccepted({ tenant_id, repo_name, fingerprint }) {
      const input = { tenant_id, repo_name, fingerprints: [fingerprint] };
      return (await findAccepted({ accepted, records }, input, 'ever')).length > 0;
    },
    async endAcceptance({ tenant_id, repo_name, fingerprint }) {
      await accepted.deleteMany({ tenant_id, repo_key: repoKey(repo_name), fingerprint });
    },
    readDecision: (rfcId, opId) => readDecision(records, rfcId, opId),
    fence: (rfcId, opId) => fenceDecision(records, rfcId, opId),
    async accept(intent, json) {
      await applyAcceptance(accepted, intent, json);
      if (intent.statusAfter !== null) return;
      const { tenantId: tenant_id, rfcId: rfc_id, request } = intent;
      await closeTasksOf(tasks, { tenant_id, rfc_id, at: request.at });
    },
    expire: ({ rfcId, opId }) => expireTombstone({ records, diffs }, { rfcId, opId, nowMs: now() }),
  };
}

/** Collection `decision_ops`: the answer to a decision from before the store was copied. */
export interface DecisionOpDocument {
  /** The op_id. */
  _id: string;
  tenant_id: string;
  rfc_id: string;
  request_hash: string;
  /** JSON of the DecideOutput. */
  output: string;
}

/** Only `cra store copy` writes there. */
export function decisionOpCollection(database: Db): Collection<DecisionOpDocument> {
  return durable<DecisionOpDocument>(database, 'decision_ops');
}

/**
 * Accepts or withdraws what a decision does, when it stands in the record: the same again changes
 * nothing. `json` is the record, null after a deletion.
 */
async function applyAcceptance(
  accepted: AcceptedCollection,
  intent: Intent,
  json: string | null,
): Promise<void> {
  const { rfcId, request } = intent;
  const acceptance = acceptanceOf(request);
  if (acceptance === 'withdraw') await accepted.deleteMany({ rfc_id: rfcId });
  if (acceptance !== 'add' || json === null) return;
  const documents = documentsOf(intent, JSON.parse(json) as RfcRecord);
  if (documents.length === 0) return;
  const operations = documents.map((replacement) => ({
    replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true },
  }));
  await accepted.bulkWrite(operations, { ordered: false });
}

function documentsOf(intent: Intent, record: RfcRecord): AcceptedDocument[] {
  return acceptedFindings(record, intent.request).map(({ fingerprint, ...accepted }) => ({
    _id: `${record.rfc_id}:${fingerprint}`,
    tenant_id: record.tenant_id,
    repo_key: repoKey(record.repo_name),
    fingerprint,
    rfc_id: record.rfc_id,
    ...accepted,
    at: intent.request.at,
  }));
}
