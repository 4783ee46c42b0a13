import type { AuditDetails, AuditEntry, AuditEvent } from '../../model/audit.ts';
import type { DecisionAction, DecisionRequest } from '../../model/decision.ts';
import type { Principal } from '../../model/principal.ts';
import type { Decision } from '../../model/records.ts';
import type { RfcStatus } from '../../model/rfc.ts';
import { type DecisionOperation, decisionEvent } from '../trail-events.ts';

/** A decision as its intent in the trail has it: enough to finish what another daemon began. */
export interface Intent {
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

/** What an intent says; `text` is its canonical JSON. */
export function readIntent(text: string): Intent {
  const entry = JSON.parse(text) as AuditEntry;
  const { details } = entry;
  return {
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
  intent: Intent,
  phase: OutcomePhase,
  details: AuditDetails,
): AuditEvent {
  return {
    kind: intent.request.action,
    phase,
    op_id: intent.opId,
    tenant_id: intent.tenantId,
    principal: intent.request.principal,
    actor: intent.request.actor,
    rfc_id: intent.rfcId,
    rfc_rev: intent.rfcRev,
    repo_name: intent.repoName,
    reason: null,
    details,
  };
}
