import type { Collection, Db } from 'mongodb';
import type { AuditDetails, AuditEntry, AuditEvent, AuditKind } from '../../model/audit.ts';
import {
  acceptanceOf,
  acceptedFindings,
  actionOf,
  type DecisionRequest,
} from '../../model/decision.ts';
import type { Principal } from '../../model/principal.ts';
import type { Decision, RfcRecord } from '../../model/records.ts';
import type { LiftedCommits } from '../../model/release.ts';
import type { RfcStatus } from '../../model/rfc.ts';
import type { EndAcceptanceInput } from '../contract/trail.ts';
import { MONGO_TRAIL } from '../limits.ts';
import { repoKey } from '../stored-record.ts';
import { type DecisionOperation, decisionEvent } from '../trail.ts';
import {
  type AcceptedCollection,
  type AcceptedDocument,
  countAccepted,
  findAccepted,
} from './accepted.ts';
import { type AgentPlaces, giveAgentPlace, takeAgentPlace } from './agent-places.ts';
import type { AuditCollection, AuditDocument } from './audit-collection.ts';
import type { Appended, Appender } from './audit-log.ts';
import {
  amendRecord,
  type DecidedState,
  expireTombstone,
  type Found,
  fenceDecision,
  findOverdue,
  type OverdueReview,
  type RecordCollection,
  readDecision,
  readState,
  replaceRecord,
} from './decide-record.ts';
import type { DiffChunkDocument, RfcDocument, TaskDocument } from './documents.ts';
import type { FreshRead } from './operations.ts';
import { createRejectedFinder } from './pushes/refusals.ts';
import { closeTasksOf } from './tasks.ts';

/**
 * The steps of a decision, each of them one thing that happens or does not. `decide` and the
 * reconciler are made of these alone, so that a test can end a daemon between any two of them.
 */
export interface DecideSteps {
  /** Entries of operations by op_id. */
  readOperations(opIds: readonly string[]): Promise<AuditDocument[]>;
  /** What another store answered, before it was copied; null: nothing. */
  readCopied(opId: string): Promise<DecisionOpDocument | null>;
  readState(id: { tenant_id: string; rfc_id: string }): Promise<DecidedState | null>;
  countAccepted(rfcId: string): Promise<number>;
  /** The RFCs whose rejections a decision lifts. */
  findRejected(commits: LiftedCommits): Promise<RfcRecord[]>;
  /** See `findOverdue`. */
  findOverdue(tenantId: string): Promise<OverdueReview | null>;
  /** See `takeAgentPlace` and `giveAgentPlace`. */
  takeAgentPlace(opId: string, most: number): Promise<string | null>;
  giveAgentPlace(place: { op: string } | { call: string }): Promise<void>;
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
    readCopied: (opId) => operations.findOne({ _id: opId }),
    readOperations: (opIds) => audit.find({ op_id: { $in: [...opIds] } }).toArray(),
    readState: (id) => readState(records, fresh, id),
    countAccepted: (rfcId) => countAccepted(accepted, rfcId),
    // What is read of them is the same: a deleted record is left out by its `deleted`.
    findRejected: createRejectedFinder(records as unknown as Collection<RfcDocument>, fresh),
    findOverdue: (tenantId) => findOverdue(records, tenantId),
    takeAgentPlace: (opId, most) => takeAgentPlace(agentPlaces, opId, most),
    giveAgentPlace: (place) => giveAgentPlace(agentPlaces, place),
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

/** A decision as its intent in the trail has it: enough to finish what another daemon began. */
export interface Intent {
  kind: AuditKind;
  opId: string;
  tenantId: string;
  rfcId: string;
  rfcRev: number;
  repoName: string;
  requestHash: string;
  request: DecisionRequest;
  /** Null: the record is deleted. */
  statusAfter: RfcStatus | null;
}

/** The entry before the change. */
export function intentEvent(operation: DecisionOperation, requestHash: string): AuditEvent {
  const event = decisionEvent(operation);
  const { accept_findings } = operation.request;
  return {
    ...event,
    phase: 'intent',
    details: { ...event.details, accept_findings, request_hash: requestHash },
  };
}

/** The same of any other change: a carry, the move of a review, a remark. */
export function changeIntent(event: AuditEvent, next: RfcRecord, request_hash = ''): AuditEvent {
  const { overall_status: status_after, updated_at: decided_at } = next;
  const details = { ...event.details, status_after, decided_at, request_hash };
  return { ...event, phase: 'intent', details };
}

/** What an intent says; `text` is its canonical JSON. */
export function readIntent(text: string): Intent {
  const entry = JSON.parse(text) as AuditEntry;
  const { details } = entry;
  return {
    kind: entry.kind,
    opId: entry.op_id,
    tenantId: entry.tenant_id,
    rfcId: entry.rfc_id ?? '',
    rfcRev: entry.rfc_rev ?? 0,
    repoName: entry.repo_name ?? '',
    requestHash: String(details['request_hash']),
    statusAfter: details['status_after'] as RfcStatus | null,
    request: {
      action: actionOf(entry.kind),
      principal: entry.principal as Principal,
      actor: entry.actor ?? '',
      reason: entry.reason ?? '',
      at: String(details['decided_at']),
      commit_sha: details['commit_sha'] as string | null,
      repo_full_name: details['repo_full_name'] as string | null,
      accept_findings: details['accept_findings'] === true,
      ...(typeof details['expires_at'] === 'string' ? { expires_at: details['expires_at'] } : {}),
      ...(entry.kind === 'emergency-override'
        ? { review_due_at: String(details['review_due_at']) }
        : {}),
      ...(Array.isArray(details['lifts']) ? { lifts: details['lifts'].map(String) } : {}),
    },
  };
}

/** The decision as the record shows it; null for a deletion. */
export function decisionOf({ opId, request }: Intent): Decision | null {
  const { action, principal, actor, reason, at, commit_sha, repo_full_name, lifts } = request;
  if (action === 'delete') return null;
  const decision = { decision_id: opId, action, principal, actor, reason, at };
  const emergency = request.review_due_at === undefined ? {} : { emergency: true as const };
  const lifted = lifts === undefined ? {} : { lifts };
  return { ...decision, commit_sha, repo_full_name, ...emergency, ...lifted };
}

export type OutcomePhase = 'done' | 'refused' | 'aborted';

/** The entry after the change. */
export function outcomeEvent(
  { kind, opId, tenantId, rfcId, rfcRev, repoName, request }: Intent,
  phase: OutcomePhase,
  details: AuditDetails,
): AuditEvent {
  const { principal, actor } = request;
  return {
    kind,
    phase,
    op_id: opId,
    tenant_id: tenantId,
    principal,
    reason: null,
    details,
    // The service itself carries and moves; a decision names who made it.

    actor: actor || null,
    rfc_id: rfcId,
    rfc_rev: rfcRev,
    repo_name: repoName,
  };
}

/** The same of a change that is not about an RFC. */
export function outcomeOf(
  intent: AuditEvent,
  phase: OutcomePhase,
  details: AuditDetails,
): AuditEvent {
  const { kind, op_id, tenant_id, principal, actor, rfc_id, rfc_rev, repo_name } = intent;
  const same = { kind, op_id, tenant_id, principal, actor, rfc_id, rfc_rev, repo_name };
  return { ...same, phase, reason: null, details };
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
  return database.collection<DecisionOpDocument>('decision_ops', {
    writeConcern: { w: 'majority', j: true, wtimeoutMS: MONGO_TRAIL.ATTEMPT_MS },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
  });
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
