import { DEFAULT_TENANT, type Principal } from './principal.ts';

/** The subject of an entry of the audit trail. */
export const AUDIT_KINDS = [
  /** First entry of a chain: names the daemon and the heads of the other chains. */
  'boot',
  'override',
  'approve',
  'reject',
  'delete',
  /** An override that somebody else has to review, and that review. */
  'emergency-override',
  'emergency-confirm',
  'emergency-object',
  'ops-log',
  'rules',
  'login',
  /** A repository seen for the first time whose state was taken as accepted. */
  'baseline-adopted',
  /** An administrator accepts that the trail lacks entries. */
  'accept',
  /** A push below that state came late and was refused: an older state is accepted instead. */
  'baseline-lowered',
  /** A push was let pass by the decision about another one with the same change. */
  'carry',
  /** The default branch or a protected one moved to a commit whose verdict refuses it. */
  'landed-blocked',
  /** A commit status of ours that somebody else overwrote at the host was set again. */
  'status-overwritten',
  /** A finding that a person added to an RFC, and a comment on one of its findings. */
  'finding',
  'comment',
  /** A person was asked to decide. */
  'request',
  /** A fingerprint that decisions had accepted counts again from then on. */
  'acceptance-ended',
  /** A review of an RFC with a verdict: asked for, or the move that came of it. */
  'review',
  /** A plan of Terraform that was judged for an RFC with a verdict. */
  'terraform-plan',
  /** A report of another tool that was judged for an RFC with a verdict. */
  'report',
  /** A report of a deploy, or a person who lets a commit pass a freeze (`freeze_passed`). */
  'deploy',
  /** A push that the host refused, or let through without a judgement or with a reason. */
  'pre-receive',
  /** Entries that were sealed in object storage, and under which version. */
  'segment',
  /** The clock of the machine went back. */
  'clock-step',
  /** A signed root over all entries before it. */
  'checkpoint',
] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

/**
 * `whole`: operation and entry became durable together. Where a store can't do that, an operation
 * has two entries: `intent` before it, and its outcome after it: `done`, `refused` (somebody was
 * faster) or `aborted` (it never happened).
 */
export const AUDIT_PHASES = ['whole', 'intent', 'done', 'refused', 'aborted'] as const;
export type AuditPhase = (typeof AUDIT_PHASES)[number];

/** Further facts of one kind of entry: JSON values, no fractions, no secrets. */
export type AuditDetails = Readonly<Record<string, AuditValue>>;
export type AuditValue =
  | string
  | number
  | boolean
  | null
  | readonly AuditValue[]
  | { readonly [name: string]: AuditValue };

/** An entry before it has its place in the trail. Every field is present. */
export interface AuditEvent {
  kind: AuditKind;
  phase: AuditPhase;
  /** Names one operation: its intent and its outcome share it. */
  op_id: string;
  tenant_id: string;
  /** Who was authenticated; null: the service itself. */
  principal: Principal | null;
  /** The name that the caller gave, as claimed. */
  actor: string | null;
  rfc_id: string | null;
  /** The rev of the RFC that was decided on. */
  rfc_rev: number | null;
  repo_name: string | null;
  /** Without secrets: the trail can't be cleaned later. */
  reason: string | null;
  details: AuditDetails;
}

/** An event about no RFC, as one entry; fields that are left out are null or empty. */
export function plainEvent(
  fields: Pick<AuditEvent, 'kind' | 'op_id' | 'principal' | 'details'> & Partial<AuditEvent>,
): AuditEvent {
  return {
    phase: 'whole',
    tenant_id: fields.principal?.tenant_id ?? DEFAULT_TENANT,
    actor: null,
    rfc_id: null,
    rfc_rev: null,
    repo_name: null,
    reason: null,
    ...fields,
  };
}

/** An entry of the trail. Its bytes are its canonical JSON (RFC 8785). */
export interface AuditEntry extends AuditEvent {
  v: 1;
  /** A chain belongs to one boot of one daemon. */
  chain: string;
  /** 1, 2, 3, ... within the chain; the order that counts. */
  seq: number;
  /** ISO 8601, UTC; for information, as clocks may be wrong. */
  ts: string;
  /** Whole milliseconds since the daemon started, by a clock that never goes back. */
  mono_ms: number;
  /** Hash of the entry before, hex; of the first: 64 zeros. */
  prev: string;
}

/** Where an entry stands. */
export interface AuditPlace {
  chain: string;
  seq: number;
}

/** An entry of the trail with the proof that a signed checkpoint is over it. */
export interface ProvenEntry extends AuditPlace {
  /** The bytes of the entry (UTF-8). */
  text: string;
  /** SHA-256(0x00 || bytes of the entry), hex: its leaf of the tree. */
  leaf: string;
  /** Audit path of RFC 6962 (2.1.1), from the leaf to the root, hex. */
  path: string[];
  /** The checkpoint, a signed note: its tree has the entry as leaf `seq` - 1. */
  checkpoint: string;
}

/**
 * What the trail withstands. `enforced`: the database refuses its writer to change or delete.
 * `advisory`: it would, but the service's user may do more than it should. `tamper-evident`:
 * changes are found by `cra audit verify`, not refused.
 */
export type WormLevel = 'enforced' | 'advisory' | 'tamper-evident';

/** Sealed segments in object storage. */
export interface SegmentsState {
  /** Whether the object storage answered the last time. */
  state: 'up' | 'down';
  /** ISO 8601, of all daemons as far as this one knows; null: nothing was sealed yet. */
  last_sealed_at: string | null;
  /** Segments that are due and wait to be sealed. */
  behind: number;
  /** A sentence: why they wait; null: nothing is wrong. */
  problem: string | null;
}

/** Whether the trail takes decisions. */
export interface DecisionState {
  state: AuditStatus['state'];
  /** Sentences: why not; empty while it is `up`. */
  reasons: string[];
}

/** The state of the trail, as `dispatcher/status` shows it. */
export interface AuditStatus {
  worm: WormLevel;
  /** Sentences: why it is not `enforced`, or why it does not take entries. */
  problems: string[];
  /**
   * `full`: decisions are refused until there is more room. `checking`: they wait for the
   * comparison at the start. `refused`: that found a gap which nobody has accepted.
   */
  state: 'up' | 'full' | 'down' | 'checking' | 'refused';
  /** The chain of this daemon and its newest entry. */
  chain: string;
  seq: number;
  bytes: number;
  /** Null: bounded by the disk alone. */
  bytes_max: number | null;
  last_checkpoint: { seq: number; at: string } | null;
  /** Intents without an outcome, of all daemons. */
  open_intents: number;
  /** Entries that are not there any more, or were changed, as far as the daemon has read. */
  missing_entries: number;
  /** Null: no object storage is configured. */
  segments: SegmentsState | null;
}
