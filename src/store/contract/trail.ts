import type {
  AuditEntry,
  AuditEvent,
  AuditKind,
  AuditPlace,
  AuditStatus,
  DecisionState,
  ProvenEntry,
} from '../../model/audit.ts';
import type { DecisionRequest, KeptAcceptance, Remark } from '../../model/decision.ts';
import { DECISIONS, RFCS } from '../../model/limits.ts';
import type { Decision } from '../../model/records.ts';
import type { RfcStatus } from '../../model/rfc.ts';
import type { AcceptedFingerprint } from '../../model/rules.ts';
import type { Client, Reader, Writer } from '../../rpc/service.ts';
import { STORE, TRAIL } from '../limits.ts';
import { checkFingerprints, checkRevision, requireWhole } from './checks.ts';
import { limited, read, write } from './method.ts';
import type { ReviseInput, RfcId } from './records.ts';

/** Methods whose caller gives the whole entry. */
const RECORDED = {
  deadlineMs: TRAIL.DECIDE_DEADLINE_MS,
  check: ({ event }: { event: AuditEvent }) => requireWhole(event),
};

/**
 * Decisions and the audit trail. Besides the promises of `Records`, all drivers hold:
 *
 * - A decision that resolves is durable, and so is its audit entry; neither is ever there without
 *   the other once the store is up again.
 * - UNAVAILABLE: nothing was changed, as the trail could not be written (or is full).
 *   DEADLINE_EXCEEDED and UNKNOWN: it may have happened; the same `op_id` asks again.
 */
export const Trail = {
  name: 'Trail',
  methods: {
    /**
     * Decides about an RFC and writes the audit entry, as one step. NOT_FOUND as for reads;
     * ABORTED with `{status, rev}` where the transition table does not allow it, which is also the
     * answer to all but one of racing calls; ALREADY_EXISTS when `op_id` stands for another
     * request. The fingerprints that it accepts are accepted in the same step, and withdrawn by a
     * rejection or deletion. A deletion leaves the SHA-256 of the record's json in the trail
     * (`details.record_sha256`). An emergency that `refuse_overdue` goes with is refused with
     * FAILED_PRECONDITION while the review of another one of the tenant is overdue by the clock of
     * the store; a repeat of a decided request is answered all the same.
     */
    decide: write<DecideInput, DecideOutput>({ deadlineMs: TRAIL.DECIDE_DEADLINE_MS }),
    /**
     * Writes one entry of phase `whole`; the same event again, by its `op_id`, is the first one.
     * ALREADY_EXISTS when `op_id` stands for something else.
     */
    appendEvent: write<{ event: AuditEvent }, AppendOutput>(RECORDED),
    /**
     * `reviseRfc` for a review that moves the status, and for an attachment, with its entry (kind
     * `review`, `terraform-plan` or `report`), as one step: neither is there without the other once
     * the store is up again. ABORTED, NOT_FOUND and INVALID_ARGUMENT as there. An `op_id` is that
     * of one attempt, and stays taken for a while when it is cut off: the next has another.
     */
    moveRfc: write<MoveInput, { rev: number }>({
      deadlineMs: TRAIL.DECIDE_DEADLINE_MS,
      check(input) {
        requireWhole(input.event);
        checkRevision(input);
      },
    }),
    /**
     * Adds what a person says about an RFC, with its audit entry, as one step; see `withRemark`.
     * The same event again, by its `op_id`, adds nothing. NOT_FOUND as for reads.
     */
    addRemark: write<RemarkInput, RemarkOutput>(RECORDED),
    /**
     * Ends the acceptance of a fingerprint in a repository, whichever decisions gave it, with its
     * audit entry, as one step. NOT_FOUND when nothing accepts it. Verdicts stay.
     */
    endAcceptance: write<EndAcceptanceInput, AppendOutput>(RECORDED),
    /**
     * The entries at these places (at most TRAIL.PROVEN_MAX), each with the proof that a signed
     * checkpoint is over it; a checkpoint is written where this daemon's chain has none yet.
     * UNAVAILABLE for the newest entries of another daemon, whose checkpoint is to come; DATA_LOSS
     * where entries differ from what was signed.
     */
    proveEntries: write<{ places: AuditPlace[] }, { entries: ProvenEntry[] }>({
      deadlineMs: TRAIL.DECIDE_DEADLINE_MS,
    }),
    /** How the trail is protected, and how full it is. */
    auditStatus: write<null, AuditStatus>(),
    /** Its part about decisions, without a question to the database. */
    decisionState: write<null, DecisionState>(),
    /** Emergency overrides of a tenant whose review is due, the earliest date first. */
    listEmergencies: read<
      { tenant_id: string; limit: number; cursor: string | null },
      {
        emergencies: {
          /** JSON of the RfcSummary. */
          summary: string;
          /** By the clock of the store. */
          overdue: boolean;
        }[];
        next_cursor: string | null;
      }
    >(limited(RFCS.LIST_LIMIT_MAX)),
    /** How many reviews are due, and how many of them overdue by the clock of the store. */
    countEmergencies: read<{ tenant_id: string | null }, EmergencyCounts>(),
    /** BLOCKED RFCs of a tenant, oldest first, for bulk decisions. */
    listBlocked: read<
      BlockedInput,
      {
        /** Oldest first. With `before` a page may be short, or empty, and not be the last. */
        rfcIds: string[];
        /** JSON of the RfcSummary of each; empty where they were not asked for. */
        summaries: string[];
        next_cursor: string | null;
      }
    >(limited(DECISIONS.BULK_MAX)),
    /** What decisions have accepted, by repository and fingerprint. A page may be short. */
    listAccepted: read<ListAcceptedInput, { accepted: AcceptedRow[]; next_cursor: string | null }>(
      limited(RFCS.LIST_LIMIT_MAX),
    ),
    /**
     * Entries of a tenant, the newest first; a page is full unless it is the last. Costs those
     * that are shown, whatever the number of others.
     */
    listEntries: read<ListEntriesInput, { entries: AuditEntry[]; next_cursor: string | null }>(
      limited(RFCS.LIST_LIMIT_MAX),
    ),
    /**
     * The acceptance in the repository that ended first, by the clock of the store, and that no
     * other decision goes on with; null when absent.
     */
    endedAcceptance: read<EndedInput, { ended: EndedAcceptance | null }>(),
    /**
     * The given fingerprints that decisions have accepted in the repository, and whose acceptance
     * has not ended by the clock of the store.
     */
    acceptedAmong: read<AcceptedInput, { accepted: AcceptedFingerprint[] }>({
      deadlineMs: STORE.LOOKUP_MS,
      check: ({ fingerprints }) => checkFingerprints(fingerprints),
    }),
  },
} as const;

export type TrailStore = Client<typeof Trail>;
export type TrailWriter = Writer<typeof Trail>;
export type TrailReader = Reader<typeof Trail>;

export interface DecideInput extends RfcId {
  /** Names this operation: a second call with it gets the answer of the first. */
  op_id: string;
  /** Hash of the request: another request under the same op_id is refused. */
  request_hash: string;
  request: DecisionRequest;
  /** The rev of the RFC that was looked at: ABORTED when it has another; null: any. */
  expectedRev: number | null;
}

export interface DecideOutput {
  rfc_id: string;
  /** Null after a deletion. */
  overall_status: RfcStatus | null;
  /** Null after a deletion. */
  decision: Decision | null;
  repo_name: string;
  /** Its entry in the trail. */
  audit: AuditPlace;
  /** Whether an earlier call did it. */
  replayed: boolean;
}

export interface AppendOutput extends AuditPlace {
  /** Whether an earlier call wrote it. */
  replayed: boolean;
}

export interface MoveInput extends ReviseInput {
  /** Of phase `whole`. */
  event: AuditEvent;
}

export interface RemarkInput extends RfcId {
  remark: Remark;
  /** Entry of the trail: kind `finding` or `comment`. */
  event: AuditEvent;
}

export interface RemarkOutput extends AppendOutput {
  /** Of the record. */
  rev: number;
}

export interface EndAcceptanceInput {
  tenant_id: string;
  repo_name: string;
  fingerprint: string;
  /** Entry of the trail: kind `acceptance-ended`. */
  event: AuditEvent;
}

export interface EmergencyCounts {
  /** Overdue reviews included; null tenant: of all tenants. */
  due: number;
  overdue: number;
}

export interface BlockedInput {
  tenant_id: string;
  /** Name of a repository, without regard to case; null: all. */
  repo: string | null;
  /** Only RFCs created before, ISO 8601 UTC; null: all. */
  before: string | null;
  limit: number;
  /** From a former answer, or null for the oldest. */
  cursor: string | null;
  /** Whether their summaries are asked for. */
  summaries: boolean;
}

export interface ListAcceptedInput {
  tenant_id: string;
  /** Name of a repository, without regard to case; null: all. */
  repo: string | null;
  /** Acceptances that end before, ISO 8601, UTC: a page may be short, or empty, then. Null: all. */
  endingBefore: string | null;
  limit: number;
  cursor: string | null;
}

export interface EndedInput {
  tenant_id: string;
  repo_name: string;
}

/** An acceptance that has ended. */
export type EndedAcceptance = Pick<AcceptedRow, 'fingerprint' | 'rule' | 'rfc_id' | 'expires_at'>;

/** A fingerprint that a decision about an RFC has accepted. */
export interface AcceptedRow extends KeptAcceptance {
  /** Of the repository, in lower case. */
  repo: string;
}

/** Whether an acceptance ends before a time; null: at any time, or never. */
export function endsBefore({ expires_at: end }: AcceptedRow, before: string | null): boolean {
  return before === null || (end !== null && end < before);
}

export interface ListEntriesInput {
  tenant_id: string;
  /** Null: all kinds but `boot`, `clock-step` and `checkpoint`. */
  kind: AuditKind | null;
  /** Whether entries of kind `login` are among them. */
  logins: boolean;
  rfc_id: string | null;
  limit: number;
  cursor: string | null;
}

/** Whether a list that was asked for shows the entry. */
export function isListed(
  { kind, tenant_id, rfc_id }: AuditEntry,
  asked: Pick<ListEntriesInput, 'tenant_id' | 'kind' | 'logins' | 'rfc_id'>,
): boolean {
  if (tenant_id !== asked.tenant_id || (kind === 'login' && !asked.logins)) return false;
  if (asked.rfc_id !== null && rfc_id !== asked.rfc_id) return false;
  return asked.kind === null ? !OWN_KINDS.has(kind) : kind === asked.kind;
}

/** Whether entries of this kind are about the trail itself. */
export function isOwnKind(kind: AuditKind): boolean {
  return OWN_KINDS.has(kind);
}

/** Entries of the trail about itself. */
const OWN_KINDS: ReadonlySet<AuditKind> = new Set(['boot', 'clock-step', 'checkpoint']);

export interface AcceptedInput {
  tenant_id: string;
  repo_name: string;
  fingerprints: string[];
}
