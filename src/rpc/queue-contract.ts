import { STORE } from '../limits.ts';
import type { AuditEvent } from '../model/audit.ts';
import type { RfcRecord } from '../model/records.ts';
import type { RfcStatus } from '../model/rfc.ts';
import type { RecordText } from './contract.ts';
import { method } from './service.ts';

/** Pushes at rest: the DRAFT record of a push is its own queue entry. */
export const Pushes = {
  name: 'Pushes',
  methods: {
    acceptPush: method<{ record: RecordText; push: PushKeys }, AcceptedPush>(
      STORE.CALL_DEADLINE_MS,
    ),
    claimPush: method<ClaimInput, { claim: PushClaim | null }>(STORE.CALL_DEADLINE_MS),
    takePush: method<TakeInput, { record: RfcRecord }>(STORE.CALL_DEADLINE_MS),
    renewPushes: method<RenewInput, { ok: true }>(STORE.CALL_DEADLINE_MS),
    freeHeld: method<{ owner: string }, { freed: number }>(STORE.CALL_DEADLINE_MS),
    savePush: method<SaveInput, { rev: number }>(STORE.CALL_DEADLINE_MS),
    supersedePushes: method<SupersedeInput, { superseded: number }>(STORE.CALL_DEADLINE_MS),
    acceptedHeads: method<HeadsInput, { accepted: AcceptedHead[] }>(STORE.CALL_DEADLINE_MS),
    newestAccepted: method<RefsInput, { accepted: AcceptedHead[] }>(STORE.CALL_DEADLINE_MS),
    adoptBaseline: method<AdoptInput, { baseline: Baseline; adopted: boolean }>(
      STORE.CALL_DEADLINE_MS,
    ),
    findBaseline: method<Repository, { baseline: Baseline | null }>(STORE.CALL_DEADLINE_MS),
    oldestPush: method<Repository & { ref: string }, { record: RfcRecord | null }>(
      STORE.CALL_DEADLINE_MS,
    ),
    prodView: method<ProdInput, ProdView>(STORE.CALL_DEADLINE_MS),
    newestPushes: method<RefsInput, { pushes: PushView[] }>(STORE.CALL_DEADLINE_MS),
    newestPush: method<Repository, { json: Uint8Array; overall_status: RfcStatus; rev: number }>(
      STORE.CALL_DEADLINE_MS,
    ),
    listPushed: method<PushedInput, { repos: PushedRepository[] }>(STORE.CALL_DEADLINE_MS),
    queueDepth: method<null, QueueDepth>(STORE.CALL_DEADLINE_MS),
    dueStatuses: method<DueInput, { due: DueStatus[] }>(STORE.CALL_DEADLINE_MS),
    settleStatus: method<SettleInput, { ok: true }>(STORE.CALL_DEADLINE_MS),
  },
} as const;

/** A repository of a tenant; the name without regard to case. */
export interface Repository {
  tenant_id: string;
  repo_name: string;
}

/** What of a push is searched by. */
export interface PushKeys {
  /** Full name of the ref, as `refs/heads/main`. */
  ref: string;
  /** Unique among all pushes of the store: provider, host and delivery id. */
  delivery: string;
  /** SHA-256 of tenant, host and raw body, hex; of a sweep's own push: null. */
  body_hash: string | null;
}

export interface AcceptedPush {
  /** `same-delivery` and `same-body`: nothing was written, `rfc_id` is the RFC of the first. */
  outcome: 'new' | 'same-delivery' | 'same-body';
  rfc_id: string;
}

export interface ClaimInput {
  /** Name of the daemon. */
  owner: string;
  lease_ms: number;
  /** The ref after which to look, from the last claim; null: from the first on. */
  after: RefPlace | null;
  /** Repositories that are left out: their pushes run here already. */
  busy: Repository[];
}

/** A ref of a repository; `repo_key` is the name as the store compares it. */
export interface RefPlace {
  tenant_id: string;
  repo_key: string;
  ref: string;
}

/** The pushes of one ref that wait. The newest is claimed: its attempt is counted. */
export interface PushClaim {
  place: RefPlace;
  record: RfcRecord;
  /** Those before it, newest first, at most PUSHES.GROUP_MAX of them. */
  older: { rfc_id: string; rev: number; commit_sha: string }[];
  /** Whether there are more than those. */
  has_more: boolean;
}

export interface TakeInput {
  tenant_id: string;
  rfc_id: string;
  expectedRev: number;
  owner: string;
  lease_ms: number;
}

export interface RenewInput {
  owner: string;
  pushes: { tenant_id: string; rfc_id: string }[];
  lease_ms: number;
}

export interface SaveInput {
  /** A DRAFT, its rev one higher. */
  record: RecordText;
  expectedRev: number;
  /** From now on nobody else claims it for so long. */
  hold_ms: number;
}

export interface SupersedeInput {
  tenant_id: string;
  pushes: { rfc_id: string; rev: number }[];
  /** The RFC that is judged instead; null: none. */
  by: string | null;
  /** ISO 8601, UTC. */
  at: string;
}

export interface HeadsInput extends Repository {
  /** At most PUSHES.HEADS_PER_CALL_MAX. */
  shas: string[];
}

export interface RefsInput extends Repository {
  /** At most PUSHES.REFS_PER_CALL_MAX. */
  refs: string[];
}

/** A commit that counts as accepted; null as `rfc_id`: the baseline does. */
export interface AcceptedHead {
  sha: string;
  rfc_id: string | null;
  /** Null for the baseline. */
  ref: string | null;
}

/** What a repository held when it was seen first. */
export interface Baseline {
  /** Id of the host that it was seen on: the name belongs to that one alone. */
  host: string;
  /** Head of the default branch that counts as accepted; null: nothing does. */
  sha: string | null;
  /** Every ref that the host had then, with its commit; those need no push to be known. */
  heads: Record<string, string>;
  adopted_at: string;
}

export interface AdoptInput extends Repository {
  baseline: Baseline;
  /** Entry of the trail: kind `baseline-adopted`; null when nothing counts as accepted. */
  event: AuditEvent | null;
}

/** What a deployment asks about, narrowed by branch or commit; null: not. */
export interface ProdInput extends Repository {
  branch: string | null;
  commit_sha: string | null;
}

/** What a deployment depends on, without the findings. */
export interface ProdView {
  newest: ProdFacts;
  /** The newest push of the commit or branch asked for, or of the default branch; null: none. */
  head: PushView | null;
}

export interface ProdFacts {
  rfc_id: string;
  overall_status: RfcStatus;
  risk_score: number;
  commit_sha: string | null;
  /** The commit that its decision is pinned to; null: to none. */
  pin: string | null;
}

/** The newest push of a ref. */
export interface PushView {
  ref: string;
  rfc_id: string;
  commit_sha: string;
  overall_status: RfcStatus;
  /** Whether its commit counts as an accepted head by this RFC. */
  is_accepted: boolean;
  /** BLOCKED because its change could not be had (`push.waiting_for` says why). */
  is_unjudged: boolean;
}

export interface PushedInput {
  /** The repository after which to look; null: from the first on. */
  after: { tenant_id: string; repo_key: string } | null;
  limit: number;
}

/** A repository that was pushed by webhook, as its newest push tells. */
export interface PushedRepository {
  tenant_id: string;
  repo_key: string;
  /** The newest push of any ref. */
  record: RfcRecord;
}

export interface QueueDepth {
  /** DRAFT pushes, those that run included; counted up to PUSHES.DEPTH_COUNTED_MAX. */
  open: number;
  /** Of them, held by a daemon or put off. */
  held: number;
  /** `created_at` of the oldest; null: there is none. */
  oldest_at: string | null;
  /** Commit statuses that are to be posted, counted up to the same. */
  statuses_due: number;
}

export interface DueInput {
  /** Id of a host; `''`: records that name none, whose host the settings know. */
  host: string;
  /** Ms since the epoch. */
  now_ms: number;
  limit: number;
}

/** An RFC whose state the host is to be told, as it is now. */
export interface DueStatus {
  record: RfcRecord;
  /** What was posted last, as `settleStatus` was given it; null: nothing. */
  posted: string | null;
  /**
   * Whether another RFC that is not SUPERSEDED speaks for the commit: a newer one of its kind, or,
   * of a submitted diff, any push. What somebody submits clears no push of the same commit.
   */
  is_outdated: boolean;
}

export interface SettleInput {
  tenant_id: string;
  rfc_id: string;
  /**
   * When this is not the record's rev any more it stays due, and what was posted makes it due
   * again: another daemon may have told the host of the newer rev before.
   */
  rev: number;
  /** What was posted; null: nothing new. */
  posted: string | null;
  /** Ms since the epoch at which to try again; null: done. */
  due_ms: number | null;
}
