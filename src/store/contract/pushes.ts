import type { AuditEvent } from '../../model/audit.ts';
import { RFCS } from '../../model/limits.ts';
import type { Means } from '../../model/next-steps.ts';
import type {
  AcceptedHead,
  Baseline,
  NamedPlace,
  ProdFacts,
  PullRequest,
  PushInfo,
  PushView,
  QueueDepth,
  RefPlace,
  Repository,
  RepositoryPlace,
  Revocation,
} from '../../model/push.ts';
import type { RecordText, RfcRecord } from '../../model/records.ts';
import type { RfcStatus } from '../../model/rfc.ts';
import type { Client, Reader, Writer } from '../../rpc/service.ts';
import { PUSH_STORE, TRAIL } from '../limits.ts';
import { checkCount, checkOutcome, checkProgress, requireWhole } from './checks.ts';
import { limited, read, write } from './method.ts';
import type { RfcId } from './records.ts';

/**
 * Pushes at rest. The promises of `Records` hold here, too. A push is an RFC record that
 * has keys of its own (`PushKeys`), searched and leased by them while it is a DRAFT; there is no
 * second list that could contradict it. An **accepted head** is the commit of a push whose RFC is
 * PASSED, OVERRIDDEN or APPROVED now, unless its newest decision other than a rejection is pinned
 * to another commit; or the baseline. It is read from the records, so a verdict and the head that
 * it accepts can't be apart. Heads belong to a repository as its host knows it (`RepositoryPlace`),
 * so that a rename keeps them; docs/why/heads.md has the rules.
 *
 * A rejection or deletion of a push, a reopened push and a lowered baseline revoke a head: the
 * same write leaves a `Revocation`, by which the heads that depend on it are found and reopened.
 *
 * A write whose outcome is unknown may be repeated as it is: the first answer comes again
 * (acceptPush, savePush, adoptBaseline, settleStatus) or nothing is done twice; a claim ends with
 * its lease.
 */
export const Pushes = {
  name: 'Pushes',
  methods: {
    /**
     * Writes the DRAFT of a push, durably. The same delivery again, or the same body under another
     * delivery id, writes nothing and answers the RFC of the first; of racing calls one writes.
     * A webhook whose head a sweep has found, a sweep of the head at which the ref stands by a
     * known push (whatever older webhooks came since), and a sweep of a ref that was pushed since
     * it looked, write no second RFC: `same-push` (docs/why/heads.md, "one push, one RFC").
     */
    acceptPush: write<{ record: RecordText; push: PushKeys }, AcceptedPush>(),
    /**
     * Claims the newest push of the next ref that has one without a holder: it counts the attempt
     * (`queue.attempts`, rev), sets phase `fetching`, and holds it for `leaseMs` on the store's
     * clock. Round robin: repositories in turn after `after`, within one its refs in turn. A ref
     * whose newest push is held is passed over. Racing daemons never claim the same one.
     */
    claimPush: write<ClaimInput, { claim: PushClaim | null }>(),
    /** The same for one push by its id, when another than the newest is to be judged. ABORTED. */
    takePush: write<TakeInput, { record: RfcRecord }>(),
    /** Holds DRAFT pushes of this owner for `leaseMs` from now, without a new rev; others stay. */
    renewPushes: write<{ owner: string; pushes: RfcId[]; leaseMs: number }, { ok: true }>({
      check: ({ pushes }) => checkCount('pushes', pushes, PUSH_STORE.GROUP_MAX),
    }),
    /** Frees the pushes that a daemon of this name held before it died. */
    releasePushes: write<{ owner: string }, { released: number }>(),
    /**
     * Replaces a DRAFT by itself with other progress (phase, base, waiting_for), rev one higher,
     * and holds it for `holdMs`: to renew a lease, or to put it off. ABORTED as `completeDraft`.
     */
    savePush: write<
      {
        /** A DRAFT, its rev one higher. */
        record: RecordText;
        expectedRev: number;
        /** From now on no other daemon claims it for so long. */
        holdMs: number;
        /** A host shows something of it that has changed; absent: it does not. */
        isStatusDue?: boolean;
      },
      { rev: number }
    >({ check: checkProgress }),
    /**
     * Makes DRAFT pushes SUPERSEDED, each where its rev is still that; the others stay. Statuses
     * are due only for pushes that have a `posted` text. At most PUSH_STORE.GROUP_MAX.
     */
    supersedePushes: write<SupersedeInput, { superseded: number }>({
      check: ({ pushes }) => checkCount('pushes', pushes, PUSH_STORE.GROUP_MAX),
    }),
    /**
     * Replaces a DRAFT push by a verdict that the trail records (decisions about other RFCs cover
     * it: `carry`; it refuses what has landed: `landed-blocked`), with its entry, as one step:
     * neither is there without the other once the store is up again.
     * ABORTED and NOT_FOUND as `completeDraft`. UNAVAILABLE when the trail can't be written:
     * nothing changed.
     */
    completePush: write<CompletePushInput, { rev: number }>({
      deadlineMs: TRAIL.DECIDE_DEADLINE_MS,
      check(input) {
        requireWhole(input.event);
        checkOutcome(input);
      },
    }),
    /** The given commits that are accepted heads of the repository, in any order. */
    acceptedHeads: read<
      RepositoryPlace & {
        /** At most PUSH_STORE.HEADS_PER_CALL_MAX. */
        shas: string[];
      },
      { accepted: AcceptedHead[] }
    >({
      check: ({ shas }) => checkCount('shas', shas, PUSH_STORE.HEADS_PER_CALL_MAX),
    }),
    /** Of each ref the newest accepted head, then the baseline; refs without one are left out. */
    newestAccepted: read<RefsInput, { accepted: AcceptedHead[] }>({
      check: ({ refs }) => checkCount('refs', refs, PUSH_STORE.REFS_PER_CALL_MAX),
    }),
    /**
     * Keeps the baseline of a repository and writes its audit entry, as one step; a repository that
     * has one keeps it (`adopted: false`). UNAVAILABLE when the trail can't be written: nothing
     * changed.
     */
    adoptBaseline: write<AdoptInput, { baseline: Baseline; adopted: boolean }>({
      check: ({ event }) => event !== null && requireWhole(event),
    }),
    /**
     * Replaces the accepted commit of a baseline by an older one (null: nothing is accepted), with
     * its audit entry, where it is still `from`; `lowered: false` where it is not.
     */
    lowerBaseline: write<
      RepositoryPlace & {
        from: string;
        to: string | null;
        /** Entry of the trail: kind `baseline-lowered`. */
        event: AuditEvent;
        /** Ms since the epoch. */
        atMs: number;
      },
      { lowered: boolean }
    >({ check: ({ event }) => requireWhole(event) }),
    /**
     * Gives the heads that were kept under the name of a repository to the id that its host has
     * now begun to send; nothing happens where that name has no baseline of this host.
     */
    bindRepository: write<NamedPlace & { host: string }, { bound: boolean }>(),
    /**
     * The baseline of a repository, null before its first push, and the host that owns its name:
     * the host whose repository of that name was seen first; null before that.
     */
    findBaseline: read<NamedPlace, { baseline: Baseline | null; nameHost: string | null }>(),
    /** The oldest push of a ref, whatever its status. */
    oldestPush: read<RepositoryPlace & { ref: string }, { record: RfcRecord | null }>(),
    /**
     * The pushes of a commit in the repository, whatever their status, with what deletions left of
     * pushes that refused it (`refusalLeft`).
     */
    pushesOfCommit: read<CommitInput, { records: RfcRecord[] }>(),
    /**
     * RFCs of a commit that a person decided about, pushed or submitted, under any of these names
     * of its repository, with what deletions left of rejected RFCs; at most
     * PUSH_STORE.REFUSED_MAX of each kind, the newest.
     */
    decisionsOfCommit: read<DecisionsOfCommitInput, { records: RfcRecord[] }>(),
    /** What the deletion of an RFC left of it, by its id; null: nothing. */
    deletedRefusal: read<RfcId, { record: RfcRecord | null }>(),
    /**
     * The newest RFC of a repository that judged a component, or what its deletion left of it; null
     * when absent.
     */
    newestOfComponent: read<Repository & { component: string }, { rfc_id: string | null }>(),
    /**
     * Pushes of these commits, of any repository of the tenant, that are BLOCKED, REJECTED or
     * DRAFT, deleted pushes too; at most PUSH_STORE.REFUSED_MAX of each kind.
     */
    refusedPushes: read<
      {
        tenant_id: string;
        /** At most PUSH_STORE.HEADS_PER_CALL_MAX. */
        shas: string[];
      },
      { records: RfcRecord[] }
    >({
      check: ({ shas }) => checkCount('shas', shas, PUSH_STORE.HEADS_PER_CALL_MAX),
    }),
    /** The newest pushes of a repository that are OVERRIDDEN now. */
    overriddenPushes: read<RepositoryPlace & { limit: number }, { records: RfcRecord[] }>(),
    /** Pushes whose verdict, if no rejection, depends on an id (`push.rests_on`); in any order. */
    dependentsOf: read<DependentsInput, { records: RfcRecord[] }>(),
    /**
     * What is connected with an RFC, at most `limit` of each; nothing with one of the API. Of
     * the pushes with the same change it looks at those among the newest BLOCKED of the repository.
     */
    relatedTo: read<RelatedInput, RelatedRfcs>(limited(RFCS.LIST_LIMIT_MAX)),
    /**
     * Makes a push with a verdict a DRAFT again, which revokes its head. ABORTED when it has
     * changed, or was rejected or superseded.
     */
    reopenPush: write<
      {
        /** A DRAFT, its rev one higher. */
        record: RecordText;
        expectedRev: number;
        /** Ms since the epoch. */
        atMs: number;
      },
      { rev: number }
    >({ check: checkProgress }),
    /**
     * Notes the pull request of a push that has a verdict, which the note does not touch: heads
     * that depend on it stay. ABORTED when it has changed, or waits for its verdict.
     */
    notePullRequest: write<
      RfcId & { pullRequest: PullRequest; expectedRev: number; at: string },
      { rev: number }
    >(),
    /** What was revoked and may have heads that depend on it still, the oldest first. */
    revocations: read<{ limit: number }, { revocations: Revocation[] }>(),
    /** Forgets one of them. */
    settleRevocation: write<{ tenant_id: string; id: string }, { ok: true }>(),
    /**
     * The newest RFC that is not SUPERSEDED, perhaps of one branch or commit, and, when no commit
     * is asked for and the repository has pushes, the newest one of the branch that counts; the
     * default branch is the branch that the newest push of the repository names. An RFC that
     * refused its change keeps its place when it is deleted. NOT_FOUND when there is no RFC.
     */
    prodView: read<ProdInput, ProdView>(),
    /** The newest push of each ref that is not SUPERSEDED; refs without one are left out. */
    newestPushes: read<RefsInput, { pushes: PushView[] }>({
      check: ({ refs }) => checkCount('refs', refs, PUSH_STORE.REFS_PER_CALL_MAX),
    }),
    /**
     * The newest push of the repository, whatever its ref and status; with `means` as
     * `withNextSteps` shows it. NOT_FOUND.
     */
    newestPush: read<
      Repository & { means?: Means },
      { json: Uint8Array; overall_status: RfcStatus; rev: number }
    >(),
    /** Repositories with pushes, in the order of tenant and repo_key. */
    listPushed: read<
      {
        /** The repository after which to look; null: from the first on. */
        after: RepositoryPlace | null;
        limit: number;
      },
      { repos: PushedRepository[] }
    >(limited(PUSH_STORE.LIST_LIMIT_MAX)),
    /** How many pushes and statuses wait, and since when. */
    queueDepth: read<null, QueueDepth>(),
    /**
     * Records whose state is to be posted to the host: verdicts before DRAFTs, of each
     * the newest first, so that in a storm people learn of what they have just done. A record with
     * a `vcs_host` becomes due whenever it is written with another status, in the same step;
     * supersedePushes says when not.
     */
    dueStatuses: read<
      {
        /** Id of a host; `''`: records that name none, whose host the settings know. */
        host: string;
        /** Ms since the epoch. */
        nowMs: number;
        limit: number;
      },
      { due: DueStatus[] }
    >(limited(PUSH_STORE.LIST_LIMIT_MAX)),
    /** What was posted last for an RFC, as `settleStatus` was given it, and whether more is due. */
    postedStatus: read<RfcId, { posted: string | null; isDue: boolean }>(),
    /** Notes what was posted and when to go on; nothing happens where the record is gone. */
    settleStatus: write<
      RfcId & {
        /**
         * When this is not the record's rev any more it stays due, and what was posted makes it due
         * again: another daemon may have posted the newer rev before.
         */
        rev: number;
        /** What was posted, or that posting begins; null: nothing new. */
        posted: string | null;
        /** Ms since the epoch at which to try again; null: done. */
        dueMs: number | null;
      },
      { ok: true }
    >(),
  },
} as const;

export type PushStore = Client<typeof Pushes>;
export type PushWriter = Writer<typeof Pushes>;
export type PushReader = Reader<typeof Pushes>;

/** The keys by which a push is found. */
export interface PushKeys {
  /** The repository, as `repositoryKey` makes it. */
  repo_key: string;
  /** Full name of the ref, as `refs/heads/main`. */
  ref: string;
  /** Unique among all pushes of the store: provider, host and delivery id. */
  delivery: string;
  /** Whether a webhook moved the ref, or a sweep or a pull request says where it stands. */
  source: PushInfo['source'];
  /** SHA-256 of host and raw body, hex; null: the webhook of the push may come. */
  body_hash: string | null;
  /** Of a webhook: the commit that the ref pointed at before; null: it was created, or a sweep. */
  before: string | null;
  /**
   * Of what was found: the newest push of the ref when the host was asked, whether or not that is
   * SUPERSEDED; null: the ref had no push. Nothing is written if another one came since.
   */
  behind: string | null;
}

export interface AcceptedPush {
  /** Of all others nothing was written, `rfc_id` is the RFC of the first. */
  outcome: 'new' | 'same-delivery' | 'same-body' | 'same-push';
  rfc_id: string;
}

export interface ClaimInput {
  /** Name of the daemon. */
  owner: string;
  leaseMs: number;
  /** The ref after which to look, from the last claim; null: from the first on. */
  after: RefPlace | null;
  /** Repositories that are left out: their pushes run here already. */
  busy: RepositoryPlace[];
}

/** The pushes of one ref that wait. The newest is claimed: its attempt is counted. */
export interface PushClaim {
  place: RefPlace;
  record: RfcRecord;
  /** Pushes before it, newest first, at most PUSH_STORE.GROUP_MAX of them. */
  older: { rfc_id: string; rev: number; commit_sha: string }[];
  /** Whether there are more. */
  hasMore: boolean;
}

export interface TakeInput extends RfcId {
  expectedRev: number;
  owner: string;
  leaseMs: number;
}

export interface CompletePushInput {
  /** The verdict, its rev one higher. */
  record: RecordText;
  expectedRev: number;
  /** Entry of the trail, of phase `whole`; its `op_id` belongs to this rev alone. */
  event: AuditEvent;
}

export interface SupersedeInput {
  tenant_id: string;
  pushes: { rfc_id: string; rev: number }[];
  /** The RFC that is judged instead; null when absent. */
  by: string | null;
  /** ISO 8601, UTC. */
  at: string;
}

export interface RefsInput extends RepositoryPlace {
  /** At most PUSH_STORE.REFS_PER_CALL_MAX. */
  refs: string[];
}

export interface AdoptInput extends NamedPlace {
  baseline: Baseline;
  /** Entry of the trail: kind `baseline-adopted`; null when nothing counts as accepted. */
  event: AuditEvent | null;
}

export interface CommitInput extends RepositoryPlace {
  sha: string;
}

export interface DecisionsOfCommitInput {
  tenant_id: string;
  /** What RFCs call the repository (`repo_name`, `repo_full_name`), without regard to case. */
  names: string[];
  sha: string;
}

export interface DependentsInput extends RepositoryPlace {
  /** An id of a RFC, or `baselineId` of a commit. */
  id: string;
  limit: number;
}

export interface RelatedInput extends RfcId {
  /** At most RFCS.LIST_LIMIT_MAX. */
  limit: number;
}

export interface RelatedRfcs {
  /** Without which its verdict does not stand. */
  rests_on: RelatedRfc[];
  /** Whose verdicts do not stand without it. */
  resting: RelatedRfc[];
  /** Other BLOCKED pushes of the same commit or change, which a decision about it covers. */
  carries_to: RelatedRfc[];
  /** Whether there are more than these. */
  more: boolean;
}

export interface RelatedRfc
  extends Pick<RfcRecord, 'rfc_id' | 'overall_status' | 'ref' | 'commit_sha' | 'created_at'> {
  /** Whether the decision about one of the two was carried to the other. */
  is_carried: boolean;
  /** What the two have in common; null: nothing was compared. */
  same: 'commit' | 'change' | null;
}

/** The question of a deployment, narrowed by branch or commit; null: not. */
export interface ProdInput extends Repository {
  branch: string | null;
  commit_sha: string | null;
}

/** The records that decide about a deployment, without their findings. */
export interface ProdView {
  newest: ProdFacts;
  /**
   * The newest push of the commit or branch asked for, or of the default branch; null: there is
   * no such push.
   */
  head: ProdHead | null;
}

export interface ProdHead extends PushView {
  risk_score: number;
}

/** A repository that was pushed by webhook, as its newest push tells. */
export interface PushedRepository extends RepositoryPlace {
  /** The newest push of any ref. */
  record: RfcRecord;
}

/** An RFC whose state is to be posted to the host, as it is now. */
export interface DueStatus {
  record: RfcRecord;
  /** The status that was posted last, as `settleStatus` was given it; null: nothing. */
  posted: string | null;
  /**
   * Whether another RFC that is not SUPERSEDED speaks for the commit: a newer one of its kind, or,
   * of a submitted diff, any push. A submitted diff clears no push of the same commit.
   */
  isOutdated: boolean;
  /** The RFC was deleted: the record is `deletedRecord` of it. */
  isDeleted: boolean;
}
