import { createHash, randomBytes } from 'node:crypto';
import canonicalize from 'canonicalize';
import {
  type AuditDetails,
  type AuditEntry,
  type AuditEvent,
  type AuditPlace,
  plainEvent,
} from '../model/audit.ts';
import type { DecisionRequest } from '../model/decision.ts';
import type { RfcRecord } from '../model/records.ts';
import type { RfcStatus } from '../model/rfc.ts';
import { TRAIL } from './contract/limits.ts';

/** What the entries of the trail say, whichever driver writes them. */

/** The newest entry of a chain. */
export interface ChainHead extends AuditPlace {
  /** Its hash, hex. */
  hash: string;
}

const RANDOM_BYTES = 8;

/** A name that no other boot has: `20261121T100000Z-` and 16 hex digits. */
export function newChainName(nowMs: number): string {
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '');
  return `${time}-${randomBytes(RANDOM_BYTES).toString('hex')}`;
}

/** The first entry of a chain. `heads`: of other chains, as no entry before it names them. */
export function bootEvent(chain: string, version: string, heads: readonly ChainHead[]): AuditEvent {
  const named = heads.map(({ chain: name, seq, hash }) => ({ chain: name, seq, hash }));
  return ownEvent('boot', `${chain}:boot`, { version, heads: named });
}

/** A signed root over the first `size` entries, which are those before this one. */
export function checkpointEvent(chain: string, size: number, note: string): AuditEvent {
  return ownEvent('checkpoint', `${chain}:checkpoint:${size}`, { note });
}

/** The clock went back: the newest entry is of `from`, the next one of `to` (ISO 8601). */
export function clockStepEvent(place: AuditPlace, from: string, to: string): AuditEvent {
  return ownEvent('clock-step', `${place.chain}:clock-step:${place.seq}`, { from, to });
}

function ownEvent(kind: AuditEvent['kind'], op_id: string, details: AuditDetails): AuditEvent {
  return plainEvent({ kind, op_id, principal: null, details });
}

/** Whether an entry records this event: all fields but its time, place and role are compared. */
export function isSameEvent(entry: AuditEntry, event: AuditEvent): boolean {
  const comparable = ({
    kind,
    tenant_id,
    actor,
    rfc_id,
    rfc_rev,
    repo_name,
    reason,
    details,
  }: AuditEvent) =>
    canonicalize([kind, tenant_id, actor, rfc_id, rfc_rev, repo_name, reason, details]);
  return comparable(entry) === comparable(event);
}

/** What became of an RFC. */
export interface DecisionOperation {
  opId: string;
  request: DecisionRequest;
  /** The record that was decided on, and its JSON as stored. */
  record: RfcRecord;
  json: string;
  /** Its status after that; null: the record was deleted. */
  statusAfter: RfcStatus | null;
  /** Fingerprints that the operation accepts, and those of the RFC that it withdraws. */
  accepted: number;
  withdrawn: number;
}

/** The entry of a decision; its phase is `whole`. */
export function decisionEvent(operation: DecisionOperation): AuditEvent {
  const { request, record } = operation;
  return {
    kind: request.action,
    phase: 'whole',
    op_id: operation.opId,
    tenant_id: record.tenant_id,
    principal: request.principal,
    actor: request.actor.toWellFormed(),
    rfc_id: record.rfc_id,
    rfc_rev: record.rev,
    // A name that has no canonical JSON must not make its RFCs undecidable.
    repo_name: record.repo_name.toWellFormed(),
    reason: request.reason.toWellFormed(),
    details: detailsOf(operation),
  };
}

function detailsOf(operation: DecisionOperation): AuditDetails {
  const { request, record, statusAfter } = operation;
  const details = {
    status_before: record.overall_status,
    status_after: statusAfter,
    risk_score: Math.round(record.risk_score),
    diff_hash: record.diff_hash,
    commit_sha: request.commit_sha?.toWellFormed() ?? null,
    repo_full_name: request.repo_full_name?.toWellFormed() ?? null,
    accepted: operation.accepted,
    withdrawn: operation.withdrawn,
  };
  if (statusAfter === null) {
    const digest = createHash('sha256').update(operation.json).digest('hex');
    return { ...details, record_sha256: digest };
  }
  return { ...details, rev: record.rev + 1, ...overriddenBy(operation) };
}

/** The findings that an override passes over: the first of them, and how many there are. */
function overriddenBy({ record, statusAfter }: DecisionOperation): AuditDetails {
  if (statusAfter !== 'OVERRIDDEN') return {};
  const { risk, ast, llm } = record.gates;
  const open = [...risk.findings, ...ast.findings, ...llm.findings].filter(
    ({ suppressed }) => suppressed === null,
  );
  const findings = open
    .slice(0, TRAIL.FINDINGS_NAMED_MAX)
    .map(({ id, fingerprint }) => ({ id, fingerprint }));
  return { findings, findings_count: open.length };
}
