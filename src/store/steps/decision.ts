import { createHash } from 'node:crypto';
import { FINGERPRINT_CHARS, factsDigest } from '../../audit/records-check.ts';
import type { AuditDetails, AuditEvent, AuditPlace } from '../../model/audit.ts';
import {
  type Acceptance,
  acceptanceOf,
  acceptedFindings,
  comparesRejections,
  type DecisionRequest,
  decided,
  kindOf,
  type NewAcceptance,
  withLifted,
} from '../../model/decision.ts';
import { deletedRecord, type RfcRecord, statusHost } from '../../model/records.ts';
import { commitsLifted, type LiftedCommits, refusalLeft } from '../../model/release.ts';
import type { DecideInput, DecideOutput } from '../contract/trail.ts';
import { otherRequest, overdueReview, staleRfc } from '../errors.ts';
import { TRAIL } from '../limits.ts';

/** The commits whose rejections a decision is compared with; null: with none. */
export function commitsCompared(record: RfcRecord, request: DecisionRequest): LiftedCommits | null {
  return comparesRejections(request) ? commitsLifted(record, request) : null;
}

/** What a store has looked up before a decision is planned. */
export interface DecisionFacts {
  /** RFCs of `commitsCompared` that are rejected; null: nothing was compared. */
  rejected: readonly RfcRecord[] | null;
  /** The review that is overdue, where the request asks (`refuse_overdue`); null when absent. */
  overdue: OverdueReview | null;
}

/** An emergency override whose review is overdue. */
export interface OverdueReview {
  rfc_id: string;
  /** ISO 8601, UTC. */
  due_at: string;
}

/** Everything that a decision or deletion changes. */
export interface DecisionPlan {
  opId: string;
  /** With the RFCs whose rejections it lifts. */
  request: DecisionRequest;
  /** The record that is decided on, and its JSON as stored. */
  record: RfcRecord;
  json: string;
  /** The record after it; null: it is deleted. */
  next: RfcRecord | null;
  acceptance: Acceptance;
  /** The findings that it accepts. */
  accepts: readonly NewAcceptance[];
}

/**
 * Plans a decision or deletion; changes nothing. Throws ABORTED where the record has another rev
 * than `expectedRev` or the transition table does not allow it, FAILED_PRECONDITION while a review
 * is overdue, and what `decided` and `acceptedFindings` throw.
 */
export function planDecision(
  { record, json }: Pick<DecisionPlan, 'record' | 'json'>,
  { request: requested, expectedRev }: Pick<DecideInput, 'request' | 'expectedRev'>,
  opId: string,
  { rejected, overdue }: DecisionFacts,
): DecisionPlan {
  const { overall_status: status, rev } = record;
  if (expectedRev !== null && expectedRev !== rev) throw staleRfc({ status, rev });
  const request = withLifted(requested, rejected);
  const next = decided(record, opId, request, rejected ?? []);
  if (next === null && request.action !== 'delete') throw staleRfc({ status, rev });
  const acceptance = acceptanceOf(request);
  const accepts = acceptance === 'add' ? acceptedFindings(record, request) : [];
  if (overdue !== null) throw overdueReview(overdue);
  return { opId, request, record, json, next, acceptance, accepts };
}

/** The answer to a decision. */
export function decisionOutput({ record, next }: DecisionPlan, audit: AuditPlace): DecideOutput {
  return {
    rfc_id: record.rfc_id,
    overall_status: next?.overall_status ?? null,
    decision: next?.override_history.at(-1) ?? null,
    repo_name: record.repo_name,
    audit,
    replayed: false,
  };
}

/** What is asked for under an op_id. */
export type RequestedOperation = Pick<
  DecideInput,
  'op_id' | 'tenant_id' | 'rfc_id' | 'request_hash'
>;

/** Throws ALREADY_EXISTS when an op_id was used for another request. */
export function requireSameRequest(
  earlier: Omit<RequestedOperation, 'op_id'>,
  requested: RequestedOperation,
): void {
  const isSame =
    earlier.tenant_id === requested.tenant_id &&
    earlier.rfc_id === requested.rfc_id &&
    earlier.request_hash === requested.request_hash;
  if (!isSame) throw otherRequest();
}

/** What a deletion leaves of a record. */
export interface Leftovers {
  /** The refusal of its change, which stays; null when it refused nothing. */
  refusal: RfcRecord | null;
  /** The status that its host still shows, and the host; null when no host shows it. */
  status: { host: string; record: RfcRecord } | null;
}

/** What the deletion of a record at a time (ISO 8601) leaves. */
export function leftovers(record: RfcRecord, at: string): Leftovers {
  const host = statusHost(record);
  return {
    refusal: refusalLeft(record, at),
    status: host === null ? null : { host, record: deletedRecord(record, at) },
  };
}

/**
 * The entry of a decision; its phase is `whole`. `withdrawn`: how many fingerprints it withdraws
 * that earlier decisions about the RFC accepted.
 */
export function decisionEvent(plan: DecisionPlan, withdrawn: number): AuditEvent {
  const { opId, request, record } = plan;
  return {
    kind: kindOf(request),
    phase: 'whole',
    op_id: opId,
    tenant_id: record.tenant_id,
    principal: request.principal,
    actor: request.actor.toWellFormed(),
    rfc_id: record.rfc_id,
    rfc_rev: record.rev,
    // A name that has no canonical JSON must not make its RFCs undecidable.
    repo_name: record.repo_name.toWellFormed(),
    reason: request.reason.toWellFormed(),
    details: detailsOf(plan, withdrawn),
  };
}

function detailsOf(plan: DecisionPlan, withdrawn: number): AuditDetails {
  const { request, record, json, next, accepts } = plan;
  const details = {
    status_before: record.overall_status,
    status_after: next?.overall_status ?? null,
    risk_score: Math.round(record.risk_score),
    diff_hash: record.diff_hash,
    commit_sha: request.commit_sha?.toWellFormed() ?? null,
    repo_full_name: request.repo_full_name?.toWellFormed() ?? null,
    decided_at: request.at,
    // A push that is reopened is judged again.
    ...(record.push === null ? { facts_sha256: factsDigest(record) } : {}),
    accepted: accepts.length,
    ...acceptedBy(plan),
    withdrawn,
    ...(request.expires_at === undefined ? {} : { expires_at: request.expires_at }),
    ...emergencyOf(plan),
    ...(request.lifts === undefined ? {} : { lifts: request.lifts }),
  };
  if (next === null) {
    const refusal = refusalLeft(record, request.at);
    return {
      ...details,
      record_sha256: sha256(json),
      ...(refusal === null ? {} : { refusal_sha256: sha256(JSON.stringify(refusal)) }),
    };
  }
  const lands = next.landed_blocked !== undefined && record.landed_blocked === undefined;
  return {
    ...details,
    rev: next.rev,
    ...(lands ? { landed_blocked: true } : {}),
    ...overriddenBy(plan),
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What `cra audit verify` compares accepted fingerprints with: the first characters of each. */
function acceptedBy({ accepts }: DecisionPlan): AuditDetails {
  if (accepts.length === 0) return {};
  const prefixes = accepts.map(({ fingerprint }) => fingerprint.slice(0, FINGERPRINT_CHARS));
  return { accepted_findings: prefixes.map((prefix) => prefix.toWellFormed()) };
}

/** When the review of an override is due, or which override a review is about. */
function emergencyOf({ request, record }: DecisionPlan): AuditDetails {
  const { action, review_due_at } = request;
  if (review_due_at !== undefined) return { review_due_at };
  const { emergency } = record;
  if (emergency === undefined || (action !== 'confirm' && action !== 'object')) return {};
  return { review_due_at: emergency.due_at, reviewed: emergency.decision_id };
}

/** The findings that an override passes over: the first of them, and how many there are. */
function overriddenBy({ record, next }: DecisionPlan): AuditDetails {
  if (next?.overall_status !== 'OVERRIDDEN') return {};
  const { risk, ast, llm } = record.gates;
  const open = [...risk.findings, ...ast.findings, ...llm.findings].filter(
    ({ suppressed }) => suppressed === null,
  );
  const findings = open
    .slice(0, TRAIL.FINDINGS_NAMED_MAX)
    .map(({ id, fingerprint }) => ({ id, fingerprint }));
  return { findings, findings_count: open.length };
}
