import type { Principal } from '../../model/principal.ts';
import type { UsageRecord } from '../../model/usage.ts';
import { type Client, read, write } from '../../rpc/service.ts';
import { STORE } from './limits.ts';

/**
 * Money and answers of gate 3 at rest: what its calls may cost, what they did cost, and what was
 * answered. The promises of `Records` hold here, too.
 */
export const Reviews = {
  name: 'Reviews',
  methods: {
    /**
     * Holds money back for one call: in every scope, or, where one of them has not enough left, in
     * none (`reserved: false`). The same `call_id` again answers the same and holds back nothing
     * more. Daemons that share the store share the scopes.
     */
    reserveCall: write<{ call: ReservedCall }, { reserved: boolean }>(STORE.CALL_DEADLINE_MS),
    /**
     * Ends a call: its scopes hold what it cost (nano-dollars) instead of its reserve, the usage
     * record is written, and the answer is kept for STORE.DIFF_RETENTION_DAYS (the first one of a
     * key stays), as one step. A call that is not open changes nothing.
     */
    settleCall: write<SettleCallInput, { settled: boolean }>(STORE.CALL_DEADLINE_MS),
    /**
     * Settles calls that a daemon left open when it ended: those of `owner` (empty: of nobody), and
     * those of others that began before `beforeMs`. Nobody knows what they cost, so they cost
     * their reserve.
     */
    settleLeft: write<{ owner: string; beforeMs: number }, { calls: number }>(
      STORE.CALL_DEADLINE_MS,
    ),
    /** What a scope holds, in nano-dollars: settled and reserved. */
    spentIn: read<{ scopes: string[] }, { nanoUsd: number[] }>(STORE.CALL_DEADLINE_MS),
    findAnswer: read<{ key: string }, { json: string | null }>(STORE.CALL_DEADLINE_MS),
    /** Queues a review of an RFC that has a verdict, or will have one; the first of an id stays. */
    queueReview: write<{ review: QueuedReview; dueMs: number }, { queued: boolean }>(
      STORE.CALL_DEADLINE_MS,
    ),
    /**
     * Claims the review that is due first, of those due before `dueBeforeMs` that no daemon
     * holds, for `leaseMs` on the store's clock. Racing daemons never claim the same one.
     */
    claimReview: write<ClaimReviewInput, { review: QueuedReview | null }>(STORE.CALL_DEADLINE_MS),
    /** Ends a claim of `owner`: the review is removed, or due again. Nothing for other owners. */
    endReview: write<EndReviewInput, { ended: boolean }>(STORE.CALL_DEADLINE_MS),
    /** Frees the reviews that a daemon of this name held before it died. */
    freeReviews: write<{ owner: string }, { freed: number }>(STORE.CALL_DEADLINE_MS),
    /** Makes the reviews due at `dueMs` that are due later: a model is back. */
    hastenReviews: write<{ dueMs: number }, { hastened: number }>(STORE.CALL_DEADLINE_MS),
    /** Reviews that wait or run in all daemons, counted up to REVIEW_STORE.DEPTH_COUNTED_MAX. */
    reviewDepth: read<null, { reviews: number }>(STORE.CALL_DEADLINE_MS),
    /**
     * Remembers what blocked a change of a repository, by keys of its lines, for
     * STORE.DIFF_RETENTION_DAYS after it was seen last; at most REVIEW_STORE.REMEMBERED_MAX a call.
     */
    rememberFindings: write<RememberInput, { ok: true }>(STORE.CALL_DEADLINE_MS),
    /** What is remembered of these lines, at most REVIEW_STORE.LINES_PER_CALL_MAX of them. */
    recallFindings: read<
      { tenant_id: string; repo_key: string; lineKeys: string[] },
      { found: { line_key: string; json: string }[] }
    >(STORE.CALL_DEADLINE_MS),
  },
} as const;

export type ReviewStore = Client<typeof Reviews>;

/** A review of a change that has a verdict. */
export interface QueuedReview {
  /** `retry RFC` (one an RFC), or the operation that asked for it. */
  review_id: string;
  tenant_id: string;
  rfc_id: string;
  /** Who asked for it, and why, without secrets; null: the service tries again. */
  asked: { principal: Principal; reason: string; at: string } | null;
  /** How often it was put off. */
  tries: number;
}

export interface ClaimReviewInput {
  owner: string;
  leaseMs: number;
  dueBeforeMs: number;
}

export interface EndReviewInput {
  review_id: string;
  owner: string;
  /** Null: it is done. */
  again: { tries: number; dueMs: number } | null;
}

export interface RememberInput {
  tenant_id: string;
  repo_key: string;
  /** `kind` tells findings of one line apart. */
  findings: { line_key: string; kind: string; json: string }[];
  atMs: number;
}

/** What is counted against one budget. */
export interface BudgetScope {
  /** `rfc ID`, `day DATE`, `month MONTH`, `tenant ID day DATE`, ... */
  scope: string;
  /** Nano-dollars that calls of the scope may cost together; null: counted without a limit. */
  limitNanoUsd: number | null;
}

/** A call that is about to be made. */
export interface ReservedCall {
  call_id: string;
  /** The daemon that makes it, by the name that it keeps after a restart. */
  owner: string;
  started_ms: number;
  reserved_nano_usd: number;
  scopes: BudgetScope[];
  /** What is logged when nobody hears how the call ended: its cost is the reserve. */
  usage: UsageRecord;
}

export interface SettleCallInput {
  call_id: string;
  usage: UsageRecord;
  /** Null: no answer that counts came. It is as old as the usage. */
  answer: { key: string; json: string } | null;
}

/** A reserved call as both stores keep it. */
export type OpenCall = Pick<ReservedCall, 'call_id' | 'owner' | 'reserved_nano_usd' | 'usage'> & {
  scopes: string[];
};

/** Whether a call fits into its budgets, given what their scopes hold. */
export function fitsBudgets(call: ReservedCall, heldIn: (scope: string) => number): boolean {
  return call.scopes.every(
    ({ scope, limitNanoUsd }) =>
      limitNanoUsd === null || heldIn(scope) + call.reserved_nano_usd <= limitNanoUsd,
  );
}
