import { createHash, createHmac, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createSemaphore } from '../core/semaphore.ts';
import { type AnswerStore, reviewChange } from '../gates/review/review.ts';
import type { LlmSettings } from '../gates/review/settings.ts';
import {
  type Budget,
  type CallCost,
  createTier,
  type Tier,
  type TierSettings,
  type TierState,
} from '../gates/review/tier.ts';
import type { ChangeEntry } from '../model/change.ts';
import { CraError } from '../model/errors.ts';
import { STATUS } from '../model/limits.ts';
import type { RfcRecord } from '../model/records.ts';
import type { ReviewPlan, SkipReason } from '../model/review.ts';
import { type Locality, reviewSettings } from '../model/rules.ts';
import type { UsageRecord } from '../model/usage.ts';
import type { Analysis, AnalysisOutcome, PlannedReview } from '../rpc/contract.ts';
import type { Client } from '../rpc/service.ts';
import type { BudgetScope, ReviewStore } from '../store/contract/reviews.ts';
import { type RulesSource, runJob } from './job.ts';
import { PIPELINE } from './limits.ts';
import type { Admission } from './scan-pool.ts';

/** A DRAFT whose gates 1 and 2 have run. */
export interface ReviewJob {
  /** Its rev is that of the stored record. */
  record: RfcRecord;
  /** What its outcome adds to the history of the repository. */
  change: ChangeEntry | null;
  /** As it is, or sealed. */
  diff: Uint8Array | { chunks: Uint8Array[] };
}

/** A tier as the status report shows it. */
export interface TierReport extends TierState {
  role: TierSettings['role'];
  model: string;
  /** Of this daemon since its start. */
  calls: number;
}

/** Gate 3: takes DRAFTs whose gates 1 and 2 have run to their verdicts. */
export interface Reviewer {
  /** False: there is no model. */
  readonly isConfigured: boolean;
  /** Waits for a place, in turn over tenants; call the result to give it back. */
  acquire(tenantId: string, signal: AbortSignal): Promise<() => void>;
  /**
   * Reviews a change within PIPELINE.ATTEMPT_DEADLINE_MS. Rejects with CANCELLED when the signal
   * fires, and when the store or a thread fails: the change is a DRAFT still, then.
   */
  review(job: ReviewJob, signal: AbortSignal): Promise<AnalysisOutcome>;
  /** The outcome of a change that could not be reviewed. */
  giveUp(job: Omit<ReviewJob, 'diff'>, reason: SkipReason): Promise<AnalysisOutcome>;
  /** Settles what a former run of this daemon left open: at its reserve, as nobody knows better. */
  settleLeft(): Promise<void>;
  /** Nano-dollars that calls of all daemons cost today, and may still cost; null: not known. */
  spentToday(): Promise<number | null>;
  tiers(): TierReport[];
}

export interface ReviewerOptions {
  settings: LlmSettings;
  store: ReviewStore;
  analysis: Client<typeof Analysis>;
  admission: Admission;
  rules: RulesSource;
  /** HMAC key of fingerprints. */
  key: Uint8Array;
  /** The name of this daemon, the same after a restart. */
  owner: string;
  now(): Date;
}

/** A call of another daemon that is open for longer was lost with it. */
const LOST_AFTER_MS = 60 * 60_000;

/** Creates gate 3 over the tiers of the settings; without any, its verdict is `no_tier`. */
export function createReviewer(options: ReviewerOptions): Reviewer {
  const { settings, store, rules, now } = options;
  const tierSlots = settings.tiers.map(openTier);
  const places = tierSlots.reduce((sum, { tier }) => sum + tier.settings.concurrency, 1);
  const slots = createSemaphore({ places });

  async function read(
    { plan, keys }: PlannedReview,
    record: RfcRecord,
    signal: AbortSignal,
  ): Promise<Reviewed> {
    if (plan === null) return { findings: [], skipReason: 'redaction' };
    const wishes = reviewSettings(rules.rules.pipeline);
    const allowed = allowedIn(wishes.residency[record.repo_name] ?? 'any');
    const open = tierSlots.filter(({ tier }) => allowed.has(tier.settings.locality));
    const ofRole = (role: TierSettings['role']) =>
      open.map(({ tier }) => tier).filter((tier) => tier.settings.role === role);
    const tiers = [...ofRole('review'), ...ofRole('fallback')];
    if (tiers.length === 0) {
      return { findings: [], skipReason: tierSlots.length === 0 ? 'no_tier' : 'residency' };
    }
    const { tenant_id } = record;
    return await reviewChange({
      ...{ plan, tiers, signal },
      confirm: wishes.confirm ? (ofRole('confirm')[0] ?? null) : null,
      blockSeverities: wishes.block_severities,
      budget: createBudget(record, options),
      answers: createAnswers(plan, keys, options),
      safetyId: hmac(options.key, 'tenant', tenant_id),
      fingerprint: (id, text) => hmac(options.key, id, text.replaceAll(/\s+/g, ' ').trim()),
      place: (tier) => placeOf(tier).acquire({ key: tenant_id, signal }),
    });
  }

  function placeOf(tier: Tier) {
    const own = tierSlots.find((each) => each.tier === tier);
    if (own === undefined)
      throw new TypeError(`${tier.settings.name} is not a tier of the service`);
    own.calls += 1;
    return own.places;
  }

  return {
    isConfigured: tierSlots.length > 0,
    acquire: (tenantId, signal) => slots.acquire({ key: tenantId, signal }),
    async review(job, signal) {
      const start = performance.now();
      const limit = AbortSignal.timeout(PIPELINE.ATTEMPT_DEADLINE_MS);
      const planned = await planOf(job, options, signal);
      const reviewed = await read(planned, job.record, AbortSignal.any([signal, limit]));
      if (signal.aborted) throw new CraError('CANCELLED', 'the review was cancelled');
      const { findings, skipReason } = reviewed;
      const reason = skipReason === 'cancelled' ? 'timeout' : skipReason;
      return conclude(options, job, { findings, skipReason: reason }, performance.now() - start);
    },
    giveUp: (job, skipReason) => conclude(options, job, { findings: [], skipReason }, 0),
    async settleLeft() {
      const before_ms = now().getTime() - LOST_AFTER_MS;
      await store.settleLeft({ owner: options.owner, before_ms });
    },
    async spentToday() {
      const scopes = [dayScope(now())];
      const found = await store
        .spentIn({ scopes }, { timeoutMs: STATUS.PART_WAIT_MS })
        .catch(() => null);
      return found?.nano_usd[0] ?? null;
    },
    tiers: () =>
      tierSlots.map(({ tier, calls }) => {
        const { role, model } = tier.settings;
        return { ...tier.state, role, model, calls };
      }),
  };
}

/** The diff as models may read it, prepared on a scan thread. */
async function planOf(
  { record, diff }: ReviewJob,
  { admission, analysis, rules }: ReviewerOptions,
  signal: AbortSignal,
): Promise<PlannedReview> {
  const release = await admission.acquire({
    caller: record.submitted_by.id,
    bytes: record.stats.bytes,
    waitMs: null,
    signal,
  });
  try {
    const text = 'chunks' in diff ? { diff: null, ...diff } : { diff, chunks: [] };
    return await runJob(rules, { yieldAfterMs: null }, signal, (job, call) =>
      analysis.planReview({ ...job, ...text, record }, call),
    );
  } finally {
    release();
  }
}

/** The verdict as a record, made on a scan thread. */
function conclude(
  { analysis, rules }: Pick<ReviewerOptions, 'analysis' | 'rules'>,
  { record, change }: Omit<ReviewJob, 'diff'>,
  result: Pick<Reviewed, 'findings' | 'skipReason'>,
  durationMs: number,
): Promise<AnalysisOutcome> {
  const { findings, skipReason: skip_reason } = result;
  const input = { record, change, findings, skip_reason, duration_ms: Math.round(durationMs) };
  return runJob(rules, { yieldAfterMs: null }, null, (job, call) =>
    analysis.concludeReview({ ...job, ...input }, call),
  );
}

type Reviewed = Awaited<ReturnType<typeof reviewChange>>;

function openTier(settings: TierSettings) {
  const clock = {
    now: () => performance.now(),
    // Also ends, without an error, when the signal fires.
    pause: (ms: number, signal: AbortSignal) =>
      delay(ms, undefined, { signal }).catch(() => undefined),
  };
  const places = createSemaphore({ places: settings.concurrency });
  return { tier: createTier(settings, clock), places, calls: 0 };
}

/** Where the text of a repository may go. */
function allowedIn(residency: Locality): ReadonlySet<Locality> {
  if (residency === 'any') return new Set(['local', 'eu', 'us', 'any']);
  return new Set(['local', residency]);
}

/** Holds money back in all scopes of a call. */
function createBudget(record: RfcRecord, options: ReviewerOptions): Budget {
  const { store, owner, now } = options;
  const { rfc_id, tenant_id } = record;
  const usageOf = (call_id: string, cost: CallCost): UsageRecord => ({
    ...{ usage_id: call_id, tenant_id, at_ms: now().getTime() },
    ...{ provider: cost.family, model: cost.model, cost_nano_usd: cost.costNanoUsd },
    ...{ input_tokens: cost.usage.input, output_tokens: cost.usage.output },
    cache_creation_tokens: cost.usage.cacheWrite,
    cache_read_tokens: cost.usage.cacheRead,
    context: JSON.stringify({
      ...{ source: 'gate', rfc_id, tier: cost.tier },
      ...{ request_id: cost.requestId, estimated: cost.isEstimated },
    }),
    logged_by: 'gate',
  });
  return {
    async reserve(nanoUsd, { name, family, model }) {
      const call_id = randomUUID();
      const none = { input: 0, output: 0, cacheWrite: 0, cacheRead: 0 };
      const lost: CallCost = {
        ...{ tier: name, family, model, usage: none, costNanoUsd: nanoUsd },
        ...{ isEstimated: true, requestId: null },
      };
      const { reserved } = await store.reserveCall({
        call: {
          ...{ call_id, owner, started_ms: now().getTime(), reserved_nano_usd: nanoUsd },
          scopes: scopesOf(record, options),
          usage: usageOf(call_id, lost),
        },
      });
      if (!reserved) return null;
      return {
        async settle(cost) {
          await store.settleCall({ call_id, usage: usageOf(call_id, cost) });
        },
      };
    },
  };
}

/** Days and months are those of UTC. */
function scopesOf(
  { rfc_id, tenant_id }: RfcRecord,
  { settings: { budgets }, now }: Pick<ReviewerOptions, 'settings' | 'now'>,
): BudgetScope[] {
  const month = now().toISOString().slice(0, 7);
  const own = budgets.tenants[tenant_id];
  const day = dayScope(now());
  return [
    { scope: `rfc ${rfc_id}`, limit_nano_usd: budgets.rfc },
    { scope: day, limit_nano_usd: budgets.day },
    { scope: `month ${month}`, limit_nano_usd: budgets.month },
    { scope: `tenant ${tenant_id} ${day}`, limit_nano_usd: own?.day ?? null },
    { scope: `tenant ${tenant_id} month ${month}`, limit_nano_usd: own?.month ?? null },
  ];
}

function dayScope(now: Date): string {
  return `day ${now.toISOString().slice(0, 10)}`;
}

/** Answers by what was asked of which model. */
function createAnswers(
  plan: ReviewPlan,
  keys: readonly string[],
  { store, now }: Pick<ReviewerOptions, 'store' | 'now'>,
): AnswerStore {
  const keyOf = (chunk: ReviewPlan['chunks'][number], { settings }: Tier) => {
    const { name, protocol, baseUrl, model, effort } = settings;
    const key = keys[plan.chunks.indexOf(chunk)];
    const asked = JSON.stringify([key, name, protocol, baseUrl, model, effort]);
    return createHash('sha256').update(asked).digest('hex');
  };
  return {
    async find(chunk, tier) {
      const { json } = await store.findAnswer({ key: keyOf(chunk, tier) });
      return json === null ? null : JSON.parse(json);
    },
    async keep(chunk, tier, answer) {
      const json = JSON.stringify(answer);
      await store.keepAnswer({ key: keyOf(chunk, tier), json, at_ms: now().getTime() });
    },
  };
}

function hmac(key: Uint8Array, kind: string, text: string): string {
  return createHmac('sha256', key).update(`${kind}\0${text}`).digest('hex');
}
