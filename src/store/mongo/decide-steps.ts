import { type Collection, type Db, MaxKey } from 'mongodb';
import type { AuditDetails, AuditEntry, AuditEvent, AuditKind } from '../../model/audit.ts';
import {
  acceptanceOf,
  acceptedFindings,
  type DecisionAction,
  type DecisionRequest,
} from '../../model/decision.ts';
import type { Principal } from '../../model/principal.ts';
import type { Decision, RfcRecord } from '../../model/records.ts';
import type { RfcStatus } from '../../model/rfc.ts';
import type { AcceptedFingerprint } from '../../model/rules.ts';
import { STORE } from '../contract/limits.ts';
import type {
  AcceptedInput,
  AcceptedRow,
  EndAcceptanceInput,
  ListAcceptedInput,
} from '../contract/trail.ts';
import { decodeKeys, encodeKeys } from '../lists.ts';
import { repoKey } from '../stored-record.ts';
import { type DecisionOperation, decisionEvent } from '../trail.ts';
import type { AuditCollection, AuditDocument } from './audit-collection.ts';
import type { Appended, Appender } from './audit-log.ts';
import {
  amendRecord,
  type DecidedState,
  expireTombstone,
  type Found,
  fenceDecision,
  type RecordCollection,
  readDecision,
  readState,
  replaceRecord,
} from './decide-record.ts';
import type { DiffChunkDocument, TaskDocument } from './documents.ts';
import { MONGO_TRAIL } from './limits.ts';
import type { FreshRead } from './operations.ts';
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
  operations: Collection<DecisionOpDocument>;
  diffs: Collection<DiffChunkDocument>;
  tasks: Collection<TaskDocument>;
  /** On the connection of the records. */
  fresh: FreshRead;
}

/** The steps on real collections. */
export function createDecideSteps(
  { audit, records, accepted, operations, diffs, tasks, fresh }: DecidePlaces,
  appender: Pick<Appender, 'append'>,
  now: () => number,
): DecideSteps {
  return {
    readCopied: (opId) => operations.findOne({ _id: opId }),
    readOperations: (opIds) => audit.find({ op_id: { $in: [...opIds] } }).toArray(),
    readState: (id) => readState(records, fresh, id),
    countAccepted: (rfcId) => countAccepted(accepted, rfcId),
    append: (event, waitMs) => appender.append(event, waitMs),
    replaceRecord: (state, next, by) =>
      replaceRecord(records, state, next, { ...by, nowMs: now() }),
    amendRecord: (state, next, opId) => amendRecord(records, state, next, opId),
    async isAccepted({ tenant_id, repo_name, fingerprint }) {
      const input = { tenant_id, repo_name, fingerprints: [fingerprint] };
      return (await findAccepted({ accepted, records }, input)).length > 0;
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
  const { at, accept_findings } = operation.request;
  return {
    ...event,
    phase: 'intent',
    details: { ...event.details, decided_at: at, accept_findings, request_hash: requestHash },
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
      action: entry.kind as DecisionAction,
      principal: entry.principal as Principal,
      actor: entry.actor ?? '',
      reason: entry.reason ?? '',
      at: String(details['decided_at']),
      commit_sha: details['commit_sha'] as string | null,
      repo_full_name: details['repo_full_name'] as string | null,
      accept_findings: details['accept_findings'] === true,
    },
  };
}

/** The decision as the record shows it; null for a deletion. */
export function decisionOf({ opId, request }: Intent): Decision | null {
  const { action, accept_findings, ...rest } = request;
  return action === 'delete' ? null : { decision_id: opId, action, ...rest };
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
    ...{ kind, phase, op_id: opId, tenant_id: tenantId, principal, reason: null, details },
    // The service itself carries and moves; a decision names who made it.
    ...{ actor: actor || null, rfc_id: rfcId, rfc_rev: rfcRev, repo_name: repoName },
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

/**
 * A fingerprint that a decision on an RFC accepts. It counts only while the record of that RFC
 * says so: documents that a crash or a race left behind accept nothing.
 */
interface AcceptedDocument {
  /** `rfc_id:fingerprint` */
  _id: string;
  tenant_id: string;
  repo_key: string;
  fingerprint: string;
  rfc_id: string;
  by: string;
  reason: string;
  at: string;
}

type AcceptedCollection = Collection<AcceptedDocument>;

/** Statuses of a record whose decisions hold: a rejection is final. */
export const HOLDING: ReadonlySet<string> = new Set(['OVERRIDDEN', 'APPROVED']);

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

/** What decisions accept, acknowledged by a majority and journaled. */
export function acceptedCollection(database: Db): AcceptedCollection {
  return database.collection<AcceptedDocument>('accepted', {
    writeConcern: { w: 'majority', j: true, wtimeoutMS: MONGO_TRAIL.ATTEMPT_MS },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
  });
}

/** Makes the indexes; those that exist stay. */
export async function ensureAcceptedIndexes(accepted: AcceptedCollection): Promise<void> {
  await accepted.createIndexes([
    { name: 'fingerprint', key: { tenant_id: 1, repo_key: 1, fingerprint: 1 } },
    { name: 'listed', key: { tenant_id: 1, repo_key: 1, fingerprint: 1, rfc_id: 1 } },
    { name: 'rfc', key: { rfc_id: 1 } },
  ]);
}

/** How many fingerprints decisions about this RFC have accepted. */
function countAccepted(accepted: AcceptedCollection, rfcId: string): Promise<number> {
  return accepted.countDocuments({ rfc_id: rfcId }, { maxTimeMS: MONGO_TRAIL.ATTEMPT_MS });
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
  return acceptedFindings(record, intent.request).map(({ fingerprint, reason, by = '' }) => ({
    _id: `${record.rfc_id}:${fingerprint}`,
    tenant_id: record.tenant_id,
    repo_key: repoKey(record.repo_name),
    fingerprint,
    rfc_id: record.rfc_id,
    by,
    reason,
    at: intent.request.at,
  }));
}

/** Those of the RFCs whose decisions hold. */
async function holdingAmong(
  records: RecordCollection,
  found: readonly AcceptedDocument[],
): Promise<ReadonlySet<string>> {
  const rfcIds = [...new Set(found.map(({ rfc_id }) => rfc_id))];
  const holding = await records
    .find({ _id: { $in: rfcIds } }, { projection: { status: 1, deleted: 1 } })
    .maxTimeMS(STORE.LOOKUP_MS)
    .toArray();
  return new Set(
    holding
      .filter(({ status, deleted }) => deleted !== true && HOLDING.has(status))
      .map(({ _id }) => _id),
  );
}

/** A page of what decisions that hold accept; the bounds keep it to the keys that are shown. */
export async function listAccepted(
  { accepted, records }: { accepted: AcceptedCollection; records: RecordCollection },
  { tenant_id, repo, limit, cursor }: ListAcceptedInput,
): Promise<{ accepted: AcceptedRow[]; next_cursor: string | null }> {
  const [repo_key = '', fingerprint = '', rfc_id = ''] =
    cursor === null ? [repo === null ? '' : repoKey(repo)] : decodeKeys(cursor, 3);
  const last = { fingerprint: new MaxKey(), rfc_id: new MaxKey() };
  const found = await accepted
    .find({ tenant_id, ...(repo === null ? {} : { repo_key: repoKey(repo) }) })
    .hint('listed')
    .min({ tenant_id, repo_key, fingerprint, rfc_id })
    .max({ tenant_id, repo_key: repo === null ? new MaxKey() : repoKey(repo), ...last })
    .sort({ repo_key: 1, fingerprint: 1, rfc_id: 1 })
    // The least key is that of the page before.
    .limit(limit + 2)
    .maxTimeMS(STORE.LOOKUP_MS)
    .toArray();
  const isAfter = (one: AcceptedDocument) =>
    one.repo_key !== repo_key || one.fingerprint !== fingerprint || one.rfc_id !== rfc_id;
  const rest = found.filter(isAfter);
  const page = rest.slice(0, limit);
  const holds = await holdingAmong(records, page);
  const end = rest.length > limit ? page.at(-1) : undefined;
  return {
    accepted: page
      .filter((one) => holds.has(one.rfc_id))
      .map(({ repo_key: name, fingerprint: print, rfc_id: id, by, reason, at }) => ({
        ...{ repo: name, fingerprint: print, rfc_id: id, by, reason, at },
      })),
    next_cursor: end === undefined ? null : encodeKeys([end.repo_key, end.fingerprint, end.rfc_id]),
  };
}

/** Which fingerprints are accepted in a repository by decisions that hold; each once. */
export async function findAccepted(
  { accepted, records }: { accepted: AcceptedCollection; records: RecordCollection },
  { tenant_id, repo_name, fingerprints }: AcceptedInput,
): Promise<AcceptedFingerprint[]> {
  if (fingerprints.length === 0) return [];
  const found = await accepted
    .find({ tenant_id, repo_key: repoKey(repo_name), fingerprint: { $in: fingerprints } })
    .maxTimeMS(STORE.LOOKUP_MS)
    .toArray();
  if (found.length === 0) return [];
  const holds = await holdingAmong(records, found);
  const byFingerprint = new Map<string, AcceptedFingerprint>();
  for (const { fingerprint, rfc_id, by, reason } of found) {
    if (!holds.has(rfc_id)) continue;
    byFingerprint.set(fingerprint, { fingerprint, by, reason, repo: repo_name });
  }
  return [...byFingerprint.values()];
}
