import { PIPELINE } from '../analysis/limits.ts';
import type { Rereviews } from '../analysis/rereview.ts';
import type { Reviewer, TierReport } from '../analysis/review.ts';
import type { Admission, ScanPool } from '../analysis/scan-pool.ts';
import type { SubscriptionState } from '../events/outbox.ts';
import type { AuditStatus } from '../model/audit.ts';
import type { CoverageCounts } from '../model/coverage.ts';
import { CraError } from '../model/errors.ts';
import { STATUS } from '../model/limits.ts';
import type { Provider } from '../model/push.ts';
import type { RulesState } from '../rulebook/rules-keeper.ts';
import type { RecordStore } from '../store/contract/records.ts';
import type { TrailStore } from '../store/contract/trail.ts';

export type PartState = 'up' | 'down' | 'full' | 'not configured';

/** What works and what does not, as `dispatcher/status` shows it. */
export interface Status {
  version: string;
  started_at: string;
  store: { state: PartState; driver: 'sqlite' | 'mongodb'; error: string | null };
  audit: { state: PartState; problems: string[] } | Omit<AuditStatus, 'segments'>;
  queue: QueueState;
  pushes: PushesState;
  git: GitState;
  pool: PoolState;
  rules: RulesState & { state: PartState };
  oidc: { state: PartState };
  llm: LlmState;
  object_storage: ObjectStorageState;
  events: { state: PartState; subscriptions: SubscriptionState[] };
  emergencies: EmergenciesState;
}

/** Reviews of emergency overrides, of all tenants; null: the store does not answer. */
export interface EmergenciesState {
  due: number | null;
  /** By the clock of the store. */
  overdue: number | null;
}

/** Where sealed segments of the trail go. `down` also while the trail does not answer. */
export interface ObjectStorageState {
  state: PartState;
  /** ISO 8601; null: nothing was sealed yet, or it is unknown. */
  last_sealed_at: string | null;
  /** Segments that wait to be sealed; null: it is unknown. */
  behind: number | null;
  /** Why they wait; null: nothing is wrong. */
  problem: string | null;
}

/** Jobs of the scan threads. `full`: a diff that comes now is refused. */
export interface QueueState {
  state: PartState;
  running: number;
  waiting: number;
  /** How long the job that waits longest has waited. */
  oldest_seconds: number;
  drafts: number;
}

/**
 * Scan threads and their AST children. `down`: a thread is gone and its replacement does not run
 * yet; `full`: all are busy, and jobs wait.
 */
export interface PoolState {
  state: PartState;
  threads: number;
  alive: number;
  busy: number;
  /** Threads lost since the start. */
  replaced: number;
  children: number;
}

/** Pushes that wait for their verdict, and statuses that wait to be posted. */
export interface PushesState {
  /** `full`: webhooks are refused, and their repositories looked at later. */
  state: PartState;
  /** In the store, of all daemons; null: not counted yet. */
  waiting: number | null;
  oldest_seconds: number | null;
  /** Claimed by this daemon. */
  running: number;
  /** Signed deliveries since the start that make no RFC: other events, deleted refs. */
  webhooks_ignored: number;
  statuses_due: number | null;
  statuses_posted: number;
  statuses_failed: number;
  /** Pushes that landed against their verdict and are refused still; null: not counted yet. */
  landed_blocked: number | null;
  /** Repositories of the configured owners of all tenants, as far as they were checked. */
  coverage: CoverageCounts;
  /** `limited`: the host asked to wait; `off`: it has no token or no API. */
  hosts: HostState[];
}

/** A configured Git host, as its API takes commit statuses. */
export interface HostState {
  id: string;
  provider: Provider;
  state: 'up' | 'down' | 'limited' | 'off';
  /** Calls that it took, and records given up, since the start. */
  posted: number;
  failed: number;
  error: string | null;
}

/** The models of gate 3 in this daemon. */
export interface LlmState {
  state: PartState;
  /** USD, decimal: what calls of all daemons cost today (UTC) or may still cost; null: unknown. */
  spent_today_usd: string | null;
  /** Used part of the budgets of the service; null without a budget, or when unknown. */
  budget_used: { day: number | null; month: number | null };
  /** Reviews that wait for a place, and the age of the oldest. */
  waiting: number;
  oldest_seconds: number;
  /** Reviews of verdicts: retries of failed ones, and reviews that people requested. */
  later: {
    /** In this daemon. */
    running: number;
    /** In the store, of all daemons, running ones included; null: not known. */
    queued: number | null;
  };
  tiers: (TierReport & { spent_today_usd: string | null })[];
}

/** The git that pushes are fetched with; without a good one none is judged. */
export interface GitState {
  state: 'up' | 'down';
  /** As it was found at the last look; null when absent. */
  version: string | null;
}

export type StatusReport = () => Promise<Status>;

/** The live values that a report is made from. */
export interface StatusOptions {
  version: string;
  startedAt: string;
  driver: Status['store']['driver'];
  store: Pick<RecordStore, 'ping'>;
  trail: Pick<TrailStore, 'auditStatus' | 'countEmergencies'>;
  admission: Pick<Admission, 'running' | 'waiting' | 'oldestMs'>;
  /** DRAFTs whose jobs run or wait in this daemon. */
  draftsHere(): number;
  pushes(): PushesState;
  git(): GitState;
  events(): SubscriptionState[];
  threads: number;
  pool: Pick<ScanPool, 'alive' | 'replaced' | 'childPids'>;
  rules(): RulesState;
  reviewer: Pick<Reviewer, 'isConfigured' | 'spent' | 'tiers' | 'waiting' | 'oldestMs'>;
  laterReviews: Pick<Rereviews, 'depth'>;
  /** Whether the keys of the issuer can be fetched; null: there is no issuer. */
  issuer: (() => Promise<boolean>) | null;
}

/** Creates the report. It never rejects: what does not answer in time is down. */
export function createStatusReport(options: StatusOptions): StatusReport {
  return async () => {
    const [store, audit, llm, oidc, emergencies] = await Promise.all([
      storeState(options),
      auditState(options),
      llmState(options),
      issuerState(options),
      emergenciesState(options),
    ]);
    return {
      version: options.version,
      started_at: options.startedAt,
      store,
      audit: withoutSegments(audit),
      queue: queueState(options),
      pushes: options.pushes(),
      git: options.git(),
      pool: poolState(options),
      rules: rulesState(options.rules()),
      oidc: { state: oidc },
      llm,
      object_storage: segmentsState(audit),
      events: eventsState(options.events()),
      emergencies,
    };
  };
}

function eventsState(subscriptions: SubscriptionState[]): Status['events'] {
  if (subscriptions.length === 0) return { state: 'not configured', subscriptions };
  const isDown = subscriptions.some(({ state }) => state === 'down');
  return { state: isDown ? 'down' : 'up', subscriptions };
}

type AuditAnswer = { state: PartState; problems: string[] } | AuditStatus;

/** Segments are the part `object_storage`. */
function withoutSegments(audit: AuditAnswer): Status['audit'] {
  if (!('segments' in audit)) return audit;
  const { segments: _, ...rest } = audit;
  return rest;
}

function segmentsState(audit: AuditAnswer): ObjectStorageState {
  if (!('segments' in audit)) return { state: 'down', ...NO_SEGMENTS };
  return audit.segments ?? { state: 'not configured', ...NO_SEGMENTS };
}

const NO_SEGMENTS = { last_sealed_at: null, behind: null, problem: null };

function queueState({ admission, pool, draftsHere }: StatusOptions): QueueState {
  const { running, waiting, oldestMs } = admission;
  const isFull = waiting >= PIPELINE.ADMISSION_QUEUE_MAX;
  return {
    state: pool.alive === 0 ? 'down' : isFull ? 'full' : 'up',
    running,
    waiting,
    oldest_seconds: Math.round(oldestMs / SECOND_MS),
    drafts: draftsHere(),
  };
}

function poolState({ admission, pool, threads }: StatusOptions): PoolState {
  const { alive, replaced } = pool;
  const busy = Math.min(admission.running, threads);
  const isFull = busy === threads && admission.waiting > 0;
  return {
    state: alive < threads ? 'down' : isFull ? 'full' : 'up',
    threads,
    alive,
    busy,
    replaced,
    children: pool.childPids().length,
  };
}

/** An issuer that does not answer in time is down, whatever keys are known. */
async function issuerState({ issuer }: StatusOptions): Promise<PartState> {
  if (issuer === null) return 'not configured';
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), STATUS.PART_WAIT_MS);
  });
  const isUp = await Promise.race([issuer().catch(() => false), late]);
  clearTimeout(timer);
  return isUp ? 'up' : 'down';
}

/** Down when it does not answer in time. */
export async function storeState({
  store,
  driver,
}: Pick<StatusOptions, 'store' | 'driver'>): Promise<Status['store']> {
  try {
    await store.ping(null, { timeoutMs: STATUS.PART_WAIT_MS });
    return { state: 'up', driver, error: null };
  } catch (thrown) {
    const { code, message } = CraError.fromUnknown(thrown);
    return { state: code === 'RESOURCE_EXHAUSTED' ? 'full' : 'down', driver, error: message };
  }
}

/** Down when it does not answer in time. */
export async function auditState({ trail }: Pick<StatusOptions, 'trail'>): Promise<AuditAnswer> {
  try {
    return await trail.auditStatus(null, { timeoutMs: STATUS.PART_WAIT_MS });
  } catch (thrown) {
    return { state: 'down', problems: [CraError.fromUnknown(thrown).message] };
  }
}

async function emergenciesState({ trail }: StatusOptions): Promise<EmergenciesState> {
  try {
    return await trail.countEmergencies({ tenant_id: null }, { timeoutMs: STATUS.PART_WAIT_MS });
  } catch {
    return { due: null, overdue: null };
  }
}

function usdOf(nano: number | null): string | null {
  return nano === null ? null : (nano / NANO_PER_USD).toFixed(NANO_DIGITS);
}

/** It is up while some tier may review. */
async function llmState({ reviewer, laterReviews }: StatusOptions): Promise<LlmState> {
  const { waiting } = reviewer;
  const queue = { waiting, oldest_seconds: Math.round(reviewer.oldestMs / SECOND_MS) };
  if (!reviewer.isConfigured) return { ...NO_LLM, ...queue };
  const [spent, later] = await Promise.all([reviewer.spent(), laterReviews.depth()]);
  const { day, month, budgets, tiers: byTier } = spent;
  const tiers = reviewer.tiers().map((tier, index) => {
    return { ...tier, spent_today_usd: usdOf(byTier[index] ?? null) };
  });
  const isUp = tiers.some(({ role, state }) => role !== 'confirm' && state === 'up');
  return {
    state: isUp ? 'up' : 'down',
    spent_today_usd: usdOf(day),
    budget_used: { day: usedOf(day, budgets.day), month: usedOf(month, budgets.month) },
    ...queue,
    later,
    tiers,
  };
}

function usedOf(spent: number | null, budget: number | null): number | null {
  if (spent === null || budget === null) return null;
  return budget === 0 ? 1 : spent / budget;
}

const NO_LLM = {
  state: 'not configured' as const,
  spent_today_usd: null,
  budget_used: { day: null, month: null },
  later: { running: 0, queued: 0 },
  tiers: [],
} satisfies Partial<LlmState>;

const SECOND_MS = 1_000;
const NANO_DIGITS = 9;
const NANO_PER_USD = 10 ** NANO_DIGITS;

/** Wrong rules are not an outage while good ones are in force, but somebody has to look. */
function rulesState(rules: RulesState): Status['rules'] {
  return { state: rules.problems.length === 0 ? 'up' : 'down', ...rules };
}
