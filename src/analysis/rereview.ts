import { startDeadline } from '../core/deadline.ts';
import { plainEvent } from '../model/audit.ts';
import { CraError, type StatusCode, unlessNotFound } from '../model/errors.ts';
import { JOB, STATUS } from '../model/limits.ts';
import { type RfcRecord, readRecord, recordText, withLanding } from '../model/records.ts';
import { releaseProblem } from '../model/release.ts';
import { awaitsReports } from '../model/reports.ts';
import { isTransient } from '../model/review.ts';
import type { AnalysisOutcome } from '../rpc/contract.ts';
import type { Client } from '../rpc/service.ts';
import type { Source } from '../rpc/source-contract.ts';
import type { QueuedReview, RecordStore, ReviewStore } from '../store/contract/records.ts';
import type { TrailStore } from '../store/contract/trail.ts';
import { CALL_LOST_AFTER_MS, type Reviewer, type ReviewJob } from './review.ts';

/** Reviews of RFCs that have a verdict: a person asked for one, or one had failed. */
export interface Rereviews {
  /** Releases the leases of the former run of this daemon, and begins to claim reviews. */
  start(): void;
  /** Puts one in the queue, durably; the same id again changes nothing. */
  queue(review: QueuedReview): Promise<void>;
  /** Ends what runs for an RFC that somebody decided about. */
  cancel(rfcId: string): void;
  /** In this daemon; in the queue of all daemons, running ones included (null: not known). */
  depth(): Promise<{ running: number; queued: number | null }>;
  /** Ends the jobs and releases their leases: the next start or another daemon claims them. */
  stop(): Promise<void>;
}

export interface RereviewsOptions {
  reviews: ReviewStore;
  store: Pick<RecordStore, 'getRfc' | 'getDiff' | 'reviseRfc'>;
  trail: Pick<TrailStore, 'moveRfc'>;
  reviewer: Reviewer;
  /** Where diffs of pushes are made again. */
  source: Pick<Client<typeof Source>, 'diff'>;
  /** Whether a person rejected the commit of an RFC in another one: it must not pass, then. */
  isRefused(record: RfcRecord): Promise<boolean>;
  /** Whether nobody lets a change of their own pass. */
  fourEyes: boolean;
  /** The name of this daemon, the same after a restart. */
  owner: string;
  /** How long a retry waits that failed for the first time. */
  retryMs: number;
  /** How often to look for calls of daemons that are gone; default: LEFT_INTERVAL_MS. */
  leftMs?: number;
  now(): Date;
  /** An RFC was changed; `hasMoved`: its status, too. */
  onChanged(rfcId: string, hasMoved: boolean): void;
  onError(error: CraError, rfcId: string | null): void;
}

/** How often to look for reviews that are due. */
const POLL_MS = 5_000;
const LEFT_INTERVAL_MS = 10 * 60_000;
const RETRY_MS_MAX = 15 * 60_000;
/** A budget comes back with its day or month: a retry waits so often for the longest time. */
const TRIES_MAX: Readonly<Record<string, number>> = { budget: 4 * 48 };
/** Failures of store or thread after which a review is given up. */
const FAILURES_MAX = 20;
/** The record is being written by somebody else. */
const SOON_MS = 2_000;
/** The verdict waits for reports of other tools, which may take hours. */
const HELD_MS = 60_000;
/** A review may wait so long for its place; its claim ends so long after it must have ended. */
const LEASE_MARGIN_MS = 60_000;
const LEASE_MS = JOB.ATTEMPT_DEADLINE_MS + 2 * LEASE_MARGIN_MS;
/** At once in a daemon: changes without a verdict come first. */
const RUNNING_MAX = 4;

/** What becomes of a claim: it is done, looked at again, or tried again later. */
type End = 'done' | 'soon' | 'held' | 'failed';
const DONE: End = 'done';
const SOON: End = 'soon';
const HELD: End = 'held';
const FAILED: End = 'failed';

/**
 * Creates the queue of reviews, which are claimed while a model may be asked. Leases on the store's
 * clock keep daemons apart, and compare-and-set on the rev keeps late results out.
 */
export function createRereviews(options: RereviewsOptions): Rereviews {
  const { reviews, reviewer, owner, now, onError } = options;
  const running = new Map<string, { rfcId: string; job: Promise<void>; abort(): void }>();
  let isStarted = false;
  let isStopping = false;
  let isFilling = false;
  let isRequested = false;
  let wasUp = false;
  const report = (thrown: unknown) => {
    if (!isStopping) onError(CraError.fromUnknown(thrown), null);
  };
  let timers: NodeJS.Timeout[] = [];

  async function start(): Promise<void> {
    timers = [
      setInterval(wake, POLL_MS),
      setInterval(() => settleLost(options).catch(report), options.leftMs ?? LEFT_INTERVAL_MS),
    ];
    await reviews.releaseReviews({ owner }).catch(report);
    isStarted = true;
    wake();
  }

  function wake(): void {
    isRequested = true;
    if (!isStarted || isFilling || isStopping || !reviewer.isConfigured) return;
    isFilling = true;
    fill()
      .catch(report)
      .finally(() => {
        isFilling = false;
      });
  }

  async function fill(): Promise<void> {
    while (isRequested && !isStopping) {
      isRequested = false;
      await expediteAfterOutage();
      while (!isStopping && running.size < RUNNING_MAX && reviewer.isReady) {
        const dueBeforeMs = now().getTime();
        const { review } = await reviews.claimReview({ owner, leaseMs: LEASE_MS, dueBeforeMs });
        if (review === null) break;
        begin(review);
      }
    }
  }

  /** When a model is up again, or the daemon starts, reviews that failed for its sake are due. */
  async function expediteAfterOutage(): Promise<void> {
    const { isUp } = reviewer;
    if (isUp && !wasUp) await reviews.expediteReviews({ dueMs: now().getTime() });
    wasUp = isUp;
  }

  function begin(review: QueuedReview): void {
    const { review_id, rfc_id: rfcId } = review;
    const own = new AbortController();
    const job = takeToEnd(review, own.signal, options)
      .catch((thrown: unknown): End => {
        const error = CraError.fromUnknown(thrown);
        if (own.signal.aborted || SUPERSEDED.has(error.code)) return SOON;
        if (!isStopping) onError(error, rfcId);
        return review.tries >= FAILURES_MAX ? DONE : FAILED;
      })
      .then((end) => (isStopping ? undefined : settle(review, end, options)))
      .catch(report)
      .finally(() => {
        running.delete(review_id);
        wake();
      });
    running.set(review_id, { rfcId, job, abort: () => own.abort() });
  }

  return {
    start: () => void start(),
    async queue(review) {
      await reviews.queueReview({ review, dueMs: now().getTime() });
      wake();
    },
    cancel(rfcId) {
      for (const each of running.values()) if (each.rfcId === rfcId) each.abort();
    },
    async depth() {
      const within = { timeoutMs: STATUS.PART_WAIT_MS };
      const counted = await reviews.reviewDepth(null, within).catch(() => null);
      return { running: running.size, queued: counted?.reviews ?? null };
    },
    async stop() {
      isStopping = true;
      for (const timer of timers) clearInterval(timer);
      for (const { abort } of running.values()) abort();
      await Promise.allSettled([...running.values()].map(({ job }) => job));
      await reviews.releaseReviews({ owner }).catch(() => undefined);
    },
  };
}

/** Calls whose daemon has not come back: each other daemon settles them at their reserve. */
async function settleLost({ reviews, now }: RereviewsOptions): Promise<void> {
  await reviews.settleLeft({ owner: '', beforeMs: now().getTime() - CALL_LOST_AFTER_MS });
}

async function settle(
  { review_id, tries }: QueuedReview,
  end: End,
  { reviews, owner, retryMs, now }: RereviewsOptions,
): Promise<void> {
  const isFailed = end === FAILED;
  const againMs = end === HELD ? HELD_MS : SOON_MS;
  const waitMs = isFailed ? Math.min(RETRY_MS_MAX, retryMs * 2 ** Math.min(tries, 20)) : againMs;
  const dueMs = now().getTime() + waitMs;
  const again = end === DONE ? null : { tries: isFailed ? tries + 1 : tries, dueMs };
  await reviews.endReview({ review_id, owner, again });
}

/** The record was changed, deleted or decided about: it is looked at again. */
const SUPERSEDED: ReadonlySet<StatusCode> = new Set(['ABORTED', 'NOT_FOUND', 'CANCELLED']);

async function takeToEnd(
  review: QueuedReview,
  signal: AbortSignal,
  options: RereviewsOptions,
): Promise<End> {
  const { reviewer, store } = options;
  const record = await readRecord(review, store).catch(unlessNotFound);
  if (record === null) return DONE;
  // Its verdict is on the way.
  if (record.overall_status === 'DRAFT') return awaitsReports(record) ? HELD : SOON;
  if (!isReviewed(record, review)) return DONE;
  const late = startDeadline(LEASE_MARGIN_MS, [signal]);
  const release = await reviewer.acquire(record.tenant_id, late.signal).finally(late.clear);
  try {
    const diff = await diffOf(record, options);
    // What has no diff any more cannot be read: a hold stays until somebody decides.
    if (diff === null && review.asked === null) return DONE;
    const job = { record, change: null, again: review };
    const outcome =
      diff === null
        ? await reviewer.giveUp(job, 'unavailable')
        : await reviewer.review({ ...job, diff }, signal);
    const end = await write(record, outcome, review, options);
    return diff === null ? DONE : end;
  } finally {
    release();
  }
}

/** Whether there is something to do: a retry ends with what it was for. */
function isReviewed({ overall_status, gates: { llm } }: RfcRecord, { asked }: QueuedReview) {
  if (overall_status === 'REJECTED' || overall_status === 'SUPERSEDED') return false;
  return asked !== null || (llm.status === 'skipped' && isTransient(llm.skip_reason));
}

/** The diff as it was judged; null: it is not kept any more. */
async function diffOf(
  { tenant_id, rfc_id, push, commit_sha, repo_name }: RfcRecord,
  { store, source }: Pick<RereviewsOptions, 'store' | 'source'>,
): Promise<ReviewJob['diff'] | null> {
  if (push === null) return await store.getDiff({ tenant_id, rfc_id }).catch(unlessNotFound);
  const repository = { host: push.host, repo_full_name: repo_name };
  const range = { base: push.base, head: commit_sha ?? '' };
  return (await source.diff({ ...repository, ...range })).diff;
}

/** Whether somebody asked for it who may not let the change pass. */
function isOwn(record: RfcRecord, { principal }: NonNullable<QueuedReview['asked']>): boolean {
  return releaseProblem(record, { action: 'review', principal }) !== null;
}

/** Writes what the review found; a move of its status together with its entry in the trail. */
async function write(
  before: RfcRecord,
  outcome: AnalysisOutcome,
  { review_id, tries, asked }: QueuedReview,
  { store, trail, isRefused, fourEyes, onChanged }: RereviewsOptions,
): Promise<End> {
  const { rfc_id, tenant_id, repo_name, overall_status: from, rev: expectedRev } = before;
  const reviewed = JSON.parse(outcome.record.json) as RfcRecord;
  const next = withLanding(reviewed);
  const lands = next !== reviewed;
  const record = lands ? recordText(next) : outcome.record;
  const { overall_status: to } = record;
  if (record.rev !== expectedRev) {
    const isReleased = to === 'PASSED' && from !== to;
    // It may have been asked for before the change was held.
    if (isReleased && fourEyes && asked !== null && isOwn(before, asked)) return DONE;
    if (isReleased && (await isRefused(before))) return DONE;
    if (to === from) {
      await store.reviseRfc({ record, from, expectedRev });
    } else {
      const event = plainEvent({
        // An attempt that was cut off may hold its name until it is settled.

        kind: 'review',
        op_id: `${review_id} ${expectedRev} ${tries}`,
        principal: null,
        tenant_id,
        rfc_id,
        rfc_rev: expectedRev,
        repo_name,
        details: {
          review_id,
          status_before: from,
          status_after: to,
          ...(lands ? { landed_blocked: true } : {}),
        },
      });
      await trail.moveRfc({ record, from, expectedRev, event });
    }
    onChanged(rfc_id, to !== from);
  }
  const { status, skip_reason } = next.gates.llm;
  if (status !== 'skipped' || !isTransient(skip_reason)) return DONE;
  const isEnded = tries >= (TRIES_MAX[skip_reason ?? ''] ?? Number.POSITIVE_INFINITY);
  return isEnded ? DONE : FAILED;
}
