import { AUDIT, HISTORY, STORE } from '../limits.ts';
import type { AuditEvent, AuditPlace, AuditStatus } from '../model/audit.ts';
import type { DecisionRequest } from '../model/decision.ts';
import type { Decision } from '../model/records.ts';
import type { RfcStatus } from '../model/rfc.ts';
import type { AcceptedFingerprint } from '../model/rules.ts';
import { method } from './service.ts';

/** Decisions and the audit trail: served by the store threads. */
export const Trail = {
  name: 'Trail',
  methods: {
    decide: method<DecideInput, DecideOutput>(AUDIT.DECIDE_DEADLINE_MS),
    appendEvent: method<{ event: AuditEvent }, AppendOutput>(AUDIT.DECIDE_DEADLINE_MS),
    auditStatus: method<null, AuditStatus>(STORE.CALL_DEADLINE_MS),
    listBlocked: method<BlockedInput, BlockedOutput>(STORE.CALL_DEADLINE_MS),
    acceptedAmong: method<AcceptedInput, { accepted: AcceptedFingerprint[] }>(HISTORY.LOOKUP_MS),
  },
} as const;

export interface DecideInput {
  tenant_id: string;
  rfc_id: string;
  /** Names this deed: a second call with it answers what the first one did. */
  op_id: string;
  /** Hash of what was asked: another request under the same op_id is refused. */
  request_hash: string;
  request: DecisionRequest;
}

export interface DecideOutput {
  rfc_id: string;
  /** Null after a deletion. */
  overall_status: RfcStatus | null;
  /** Null after a deletion. */
  decision: Decision | null;
  repo_name: string;
  /** Where the trail tells of it. */
  audit: AuditPlace;
  /** Whether an earlier call did it. */
  replayed: boolean;
}

export interface AppendOutput extends AuditPlace {
  /** Whether an earlier call wrote it. */
  replayed: boolean;
}

export interface BlockedInput {
  tenant_id: string;
  /** Name of a repository, without regard to case; null: all. */
  repo: string | null;
  /** Only those created before, ISO 8601 UTC; null: all. */
  before: string | null;
  limit: number;
  /** From a former answer, or null for the oldest. */
  cursor: string | null;
}

export interface BlockedOutput {
  /** Oldest first. With `before` a page may be short, or empty, and not be the last. */
  rfc_ids: string[];
  next_cursor: string | null;
}

export interface AcceptedInput {
  tenant_id: string;
  repo_name: string;
  fingerprints: string[];
}
