import { setTimeout as delay } from 'node:timers/promises';
import { joinSignals, startDeadline } from '../core/deadline.ts';
import { createSemaphore } from '../core/semaphore.ts';
import {
  type ReviewMemory,
  type ReviewOutcome,
  reviewChange,
  type Vote,
} from '../gates/review/review.ts';
import {
  createTier,
  type LlmSettings,
  type ModelCall,
  type Tier,
  type TierSettings,
  type TierState,
} from '../gates/review/tier.ts';
import { CraError } from '../model/errors.ts';
import { JOB, STATUS } from '../model/limits.ts';
import type { RfcRecord } from '../model/records.ts';
import { isTransient, type SkipReason } from '../model/review.ts';
import { type Locality, reviewSettings } from '../model/rules.ts';
import type { Analysis, AnalysisOutcome, PlannedReview } from '../rpc/contract.ts';
import type { Client } from '../rpc/service.ts';
import type { QueuedReview, RecordStore, ReviewStore } from '../store/contract/records.ts';
import { type RulesSource, runAdmitted, runJob } from './job.ts';
import { createLedger, dayScope, hmac, monthScope, tierScope } from './review-ledger.ts';
import { openMemory } from './review-memory.ts';
import type { Admission } from './scan-pool.ts';

/** A change whose gates 1 and 2 have run. */
export interface ReviewJob {
  /** Its rev is that of the stored record. */
  record: RfcRecord;
  /** As it is, or sealed. */
  diff: Uint8Array | { chunks: Uint8Array[] };
  /** Of a record that has a verdict; absent: a DRAFT. */
  again?: QueuedReview;
}

/** A tier as the status report shows it. */
export interface TierReport extends TierState {
  role: TierSettings['role'];
  model: string;
  /** Of this daemon since its start. */
  calls: number;
}

/** Gate 3: takes DRAFTs whose gates 1 and 2 have run to their verdicts, and reviews verdicts. */
export interface Reviewer {
  /** False: there is no model. */
  readonly isConfigured: boolean;
  /** Whether some model could be asked now, be it to find out whether it is back. */
  readonly isReady: boolean;
  /** Whether some model works, as far as calls have shown. */
  readonly isUp: boolean;
  /** Waits for a place, in turn over tenants; call the result to give it back. */
  acquire(tenantId: string, signal: AbortSignal): Promise<() => void>;
  /**
   * Reviews a change within JOB.ATTEMPT_DEADLINE_MS. A DRAFT whose review failed for a reason
   * that passes is queued for another one. Rejects with CANCELLED when the signal fires or the
   * record has changed, and when the store or a thread fails: nothing was decided, then.
   */
  review(job: ReviewJob, signal: AbortSignal): Promise<AnalysisOutcome>;
  /** The outcome of a change that could not be reviewed. */
  giveUp(job: Omit<ReviewJob, 'diff'>, reason: SkipReason): Promise<AnalysisOutcome>;
  /** Settles what a former run of this daemon left open: at its reserve, as nobody knows better. */
  settleLeft(): Promise<void>;
  /** Nano-dollars that calls of all daemons cost, and may still cost; null: not known. */
  spent(): Promise<Spent>;
  /** Reviews that wait for a place, and how long (ms) the first of them has waited. */
  readonly waiting: number;
  readonly oldestMs: number;
  tiers(): TierReport[];
}

/** Nano-dollars of this day and month (UTC), with the budgets of the service; null when absent. */
export interface Spent {
  day: number | null;
  month: number | null;
  budgets: { day: number | null; month: number | null };
  /** Of this day by tier, in the order of `tiers`. */
  tiers: (number | null)[];
}

/** What happens between the service and its models. */
export interface ReviewEvents {
  onCall(call: ModelCall): void;
  onVote(vote: Vote): void;
}

export interface ReviewerOptions {
  settings: LlmSettings;
  store: ReviewStore;
  records: Pick<RecordStore, 'getRfc'>;
  analysis: Client<typeof Analysis>;
  admission: Admission;
  rules: RulesSource;
  /** HMAC key of fingerprints. */
  key: Uint8Array;
  /** The name of this daemon, the same after a restart. */
  owner: string;
  /** For the metrics; absent: nobody counts. */
  events?: ReviewEvents;
  /** After this time a review that failed is tried again. */
  retryMs: number;
  now(): Date;
}

/** How long a review that failed waits until it is tried again; longer after each failure. */
export const REVIEW_RETRY_MS = 30_000;
/** How often a running review looks whether its RFC was decided about by another daemon. */
const WATCH_MS = 5_000;

/** Fires when the status of the record is not any more what the review began on. */
function watchRecord(
  { tenant_id, rfc_id, overall_status }: RfcRecord,
  { records }: Pick<ReviewerOptions, 'records'>,
) {
  const changed = new AbortController();
  const look = () =>
    records.getRfc({ tenant_id, rfc_id }).then(
      (view) => {
        if (view.overall_status !== overall_status) changed.abort();
      },
      (thrown: unknown) => {
        if (thrown instanceof CraError && thrown.code === 'NOT_FOUND') changed.abort();
      },
    );
  const timer = setInterval(look, WATCH_MS);
  return { signal: changed.signal, stop: () => clearInterval(timer) };
}

/** From this risk_score on the confirm tier reads all of a change. */
const RISKY_SCORE = 70;
/** A call of another daemon that is open for longer was lost with it. */
export const CALL_LOST_AFTER_MS = 60 * 60_000;

/** Creates gate 3 over the tiers of the settings; without any, its verdict is `no_tier`. */
export function createReviewer(options: ReviewerOptions): Reviewer {
  const { settings, store, now } = options;
  const tierSlots = settings.tiers.map((each) => openTier(each, options.events?.onCall));
  const places = tierSlots.reduce((sum, { tier }) => sum + tier.settings.concurrency, 1);
  const slots = createSemaphore({ places });

  const asked = tierSlots.filter(({ tier }) => tier.settings.role !== 'confirm');
  return {
    isConfigured: tierSlots.length > 0,
    get isReady() {
      return asked.some(({ tier }) => tier.isReady);
    },
    get isUp() {
      return asked.some(({ tier }) => tier.state.state === 'up');
    },
    acquire: (tenantId, signal) => slots.acquire({ key: tenantId, signal }),
    async review(job, signal) {
      const start = performance.now();
      const watch = watchRecord(job.record, options);
      const until = joinSignals([signal, watch.signal]);
      const limit = startDeadline(JOB.ATTEMPT_DEADLINE_MS, [until.signal]);
      try {
        const planned = await planOf(job, options, until.signal);
        const reviewed = await readPlan(planned, job, limit.signal, tierSlots, options);
        if (until.signal.aborted) throw new CraError('CANCELLED', 'the review was cancelled');
        const { findings, skipReason } = reviewed;
        const reason = skipReason === 'cancelled' ? 'timeout' : skipReason;
        if (reason !== null) await queueRetry(job, reason, options);
        const result = { findings, skipReason: reason };
        return await conclude(options, job, result, performance.now() - start);
      } finally {
        watch.stop();
        limit.clear();
        until.clear();
      }
    },
    async giveUp(job, skipReason) {
      await queueRetry(job, skipReason, options);
      return await conclude(options, job, { findings: [], skipReason }, 0);
    },
    async settleLeft() {
      const beforeMs = now().getTime() - CALL_LOST_AFTER_MS;
      await store.settleLeft({ owner: options.owner, beforeMs });
    },
    spent: () => spentNow(options),
    get waiting() {
      return slots.waiting;
    },
    get oldestMs() {
      return slots.oldestMs;
    },
    tiers: () =>
      tierSlots.map(({ tier, calls }) => {
        const { role, model } = tier.settings;
        return { ...tier.state, role, model, calls };
      }),
  };
}

async function spentNow({ settings, store, now }: ReviewerOptions): Promise<Spent> {
  const byTier = settings.tiers.map(({ name }) => tierScope(name, now()));
  const scopes = [dayScope(now()), monthScope(now()), ...byTier];
  const found = await store
    .spentIn({ scopes }, { timeoutMs: STATUS.PART_WAIT_MS })
    .catch(() => null);
  const [day = null, month = null] = found?.nanoUsd ?? [];
  const tiers = byTier.map((_, index) => found?.nanoUsd[index + 2] ?? null);
  return { day, month, budgets: settings.budgets, tiers };
}

/** Reviews the planned chunks, by the tiers to which the change may go. */
async function readPlan(
  { plan, keys, lineKeys }: PlannedReview,
  { record, again }: ReviewJob,
  signal: AbortSignal,
  tierSlots: readonly ReturnType<typeof openTier>[],
  options: ReviewerOptions,
): Promise<Reviewed> {
  const { rules } = options;
  if (plan === null) return { findings: [], skipReason: 'redaction' };
  const wishes = reviewSettings(rules.rules.pipeline);
  const allowed = allowedFor(record.repo_name, wishes.residency);
  const open = tierSlots.filter(({ tier }) => allowed.has(tier.settings.locality));
  const ofRole = (role: TierSettings['role']) =>
    open.map(({ tier }) => tier).filter((tier) => tier.settings.role === role);
  const tiers = [...ofRole('review'), ...ofRole('fallback')];
  if (tiers.length === 0) {
    return { findings: [], skipReason: tierSlots.length === 0 ? 'no_tier' : 'residency' };
  }
  const { tenant_id } = record;
  const isShadow = wishes.mode === 'shadow';
  const reviewId = again?.asked ? again.review_id : null;
  const memory = isShadow ? null : openMemory(record, { plan, lineKeys }, options);
  // Where nothing is held, another answer can only add findings.
  const isHolding = reviewId === null && wishes.on_skipped === 'hold';
  const reviewed = await reviewChange({
    plan,
    tiers,
    signal,
    isRisky: record.risk_score >= RISKY_SCORE,
    ...(memory !== null && { memory: isHolding ? memory : withoutHolds(memory) }),
    confirm: wishes.confirm ? (ofRole('confirm')[0] ?? null) : null,
    blockSeverities: wishes.block_severities,
    // Who asks for a review wants new answers, each of them once.
    ledger: createLedger(record, { plan, keys, reviewId }, options),
    safetyId: hmac(options.key, 'tenant', tenant_id),
    fingerprint: (id, text) => hmac(options.key, id, text.replaceAll(/\s+/g, ' ').trim()),
    ...(options.events === undefined ? {} : { onVote: options.events.onVote }),
    place: (tier) => placeOf(tierSlots, tier).acquire({ key: tenant_id, signal }),
  });
  if (reviewId !== null && reviewed.skipReason === null) await memory?.forgetUnread();
  return reviewed;
}

/** The same memory for a review that may read any text. */
function withoutHolds(memory: ReviewMemory): ReviewMemory {
  const recall = async () => ({ ...(await memory.recall()), heldFor: () => null });
  return { ...memory, recall };
}

/** The places of a tier, whose calls are counted. */
function placeOf(slots: readonly ReturnType<typeof openTier>[], tier: Tier) {
  const own = slots.find((each) => each.tier === tier);
  if (own === undefined) throw new TypeError(`${tier.settings.name} is not a tier of the service`);
  own.calls += 1;
  return own.places;
}

/** Before the verdict is written: a crash in between costs a look at the queue, not the retry. */
async function queueRetry(
  { record, again }: Pick<ReviewJob, 'record' | 'again'>,
  reason: SkipReason,
  { store, rules, retryMs, now }: ReviewerOptions,
): Promise<void> {
  const { mode } = reviewSettings(rules.rules.pipeline);
  if (again !== undefined || mode === 'shadow' || !isTransient(reason)) return;
  const { tenant_id, rfc_id } = record;
  const review = { review_id: `retry ${rfc_id}`, tenant_id, rfc_id, asked: null, tries: 0 };
  await store.queueReview({ review, dueMs: now().getTime() + retryMs });
}

/** The diff as models may read it, prepared on a scan thread. */
async function planOf(
  { record, diff }: ReviewJob,
  options: ReviewerOptions,
  signal: AbortSignal,
): Promise<PlannedReview> {
  const ticket = {
    caller: record.submitted_by.id,
    bytes: record.stats.bytes,
    waitMs: null,
    signal,
  };
  const text = 'chunks' in diff ? { diff: null, ...diff } : { diff, chunks: [] };
  return await runAdmitted(options, ticket, (analysis, job, call) =>
    analysis.planReview({ ...job, ...text, record }, call),
  );
}

/** The verdict as a record, made on a scan thread. */
function conclude(
  { analysis, rules }: Pick<ReviewerOptions, 'analysis' | 'rules'>,
  { record, again }: Omit<ReviewJob, 'diff'>,
  result: Pick<Reviewed, 'findings' | 'skipReason'>,
  durationMs: number,
): Promise<AnalysisOutcome> {
  const { findings, skipReason: skip_reason } = result;
  const duration_ms = Math.round(durationMs);
  const input = { record, findings, skip_reason, duration_ms, again: again ?? null };
  return runJob(rules, { yieldAfterMs: null }, null, (job, call) =>
    analysis.concludeReview({ ...job, ...input }, call),
  );
}

type Reviewed = Pick<ReviewOutcome, 'findings' | 'skipReason'>;

function openTier(settings: TierSettings, onCall?: ReviewEvents['onCall']) {
  const clock = {
    now: () => performance.now(),
    // Also ends, without an error, when the signal fires.
    pause: (ms: number, signal: AbortSignal) =>
      delay(ms, undefined, { signal }).catch(() => undefined),
  };
  const places = createSemaphore({ places: settings.concurrency });
  return { tier: createTier(settings, clock, onCall), places, calls: 0 };
}

/**
 * Where the text of a repository may go. Its name counts in any case, as everywhere else; where the
 * rules name it in two spellings, both hold.
 */
function allowedFor(
  repoName: string,
  residency: Readonly<Record<string, Locality>>,
): ReadonlySet<Locality> {
  const key = repoName.toLowerCase();
  const named = Object.entries(residency).filter(([name]) => name.toLowerCase() === key);
  const limits = named.map(([, locality]) => locality).filter((locality) => locality !== 'any');
  const localities: readonly Locality[] = ['local', 'eu', 'us', 'any'];
  return new Set(
    localities.filter((one) => one === 'local' || limits.every((limit) => limit === one)),
  );
}
