import type { ReviewChunk } from '../../model/review.ts';
import type { Locality } from '../../model/rules.ts';
import { type CheckedAnswer, checkAnswer, type Reading } from './answer.ts';
import { type ReviewPrompt, renderPrompt } from './prompt.ts';
import {
  ANTHROPIC,
  type CallError,
  type CallOutcome,
  callModel,
  type Endpoint,
  OPENAI,
  type TokenUsage,
} from './vendors.ts';

/** Limits of money in nano-dollars (10^-9 USD); null: without a limit. */
export interface PeriodBudget {
  day: number | null;
  month: number | null;
}

/** The models of gate 3 and what they may cost; holds their keys. */
export interface LlmSettings {
  /** Empty: gate 3 does not run. */
  tiers: readonly TierSettings[];
  budgets: PeriodBudget & {
    rfc: number | null;
    /** By tenant. */
    tenants: Readonly<Record<string, PeriodBudget>>;
  };
}

/** A model that reviews, as `SERVICE_LLM_CONFIG` names it. */
export interface TierSettings extends Omit<Endpoint, 'safetyId'> {
  name: string;
  role: 'review' | 'confirm' | 'fallback';
  /** Whose model it is: a confirm tier must be of another family. */
  family: string;
  concurrency: number;
  /** Where the text goes: `local` never leaves the site. */
  locality: Locality;
  prices: TierPrices;
}

/** Nano-dollars a token. A local tier may cost nothing. */
export interface TierPrices {
  input: number;
  output: number;
  cacheWrite: number;
  cacheRead: number;
}

/** What one call cost, for the ledger. */
export interface CallCost {
  tier: string;
  family: string;
  /** As the vendor named it. */
  model: string;
  usage: TokenUsage;
  costNanoUsd: number;
  /** The vendor reported no usage: the reserve counts. */
  isEstimated: boolean;
  requestId: string | null;
}

/** Money and answers of the calls about one change. */
export interface Ledger {
  /** What this tier was paid for: the same chunk is not asked again. */
  find(chunk: ReviewChunk, tier: TierSettings): Promise<Reading | null>;
  /** Holds money back before a call. Null: some budget is used up. */
  reserve(nanoUsd: number, call: PaidCall, tier: TierSettings): Promise<Reserve | null>;
}

/** A prompt, and the chunk that it is about. */
export interface PaidCall {
  chunk: ReviewChunk;
  prompt: ReviewPrompt;
}

interface Reserve {
  /** What the call cost, and what it was paid for: both are kept, or none. Null: no reading. */
  settle(cost: CallCost, reading: Reading | null): Promise<void>;
}

export type TierAnswer =
  | Extract<CheckedAnswer, { kind: 'read' }>
  | { kind: 'failed'; reason: CallError | 'breaker_open' | 'budget'; detail: string };

/** State of a tier for the status page. */
export interface TierState {
  name: string;
  state: 'up' | 'down' | 'off';
  breaker: 'closed' | 'open';
  last_error: string | null;
  running: number;
  waiting: number;
}

/** A call that ended, for the metrics. */
export interface ModelCall {
  tier: string;
  role: TierSettings['role'];
  /** As the vendor named it; null: there is no answer. */
  model: string | null;
  result: CallError | 'answer';
  /** Until its end, and until the first event of its answer; null when absent. */
  ms: number;
  firstEventMs: number | null;
}

/** One tier at work: places, retries, circuit breaker. */
export interface Tier {
  readonly settings: TierSettings;
  readonly state: TierState;
  /** Whether a call could be made now, be it to find out whether the tier is back. */
  readonly isReady: boolean;
  /** Reads one chunk. Never throws. */
  read(ask: TierAsk): Promise<TierAnswer>;
}

interface TierAsk {
  chunk: ReviewChunk;
  paths: readonly string[];
  safetyId: string;
  ledger: Pick<Ledger, 'reserve'>;
  /** Waits for a place; resolves with how to give it back. */
  place: () => Promise<() => void>;
  signal: AbortSignal;
}

const RETRIES_MAX = 2;
const BACKOFF_MS = [500, 8_000] as const;
const RETRY_AFTER_MS_MAX = 30_000;
/** The breaker opens when half of at least ten calls in a minute failed. */
const WINDOW_MS = 60_000;
const WINDOW_CALLS_MIN = 10;
const OPEN_MS = 30_000;
/** A tier that is off is tried again with one call after this time. */
const OFF_MS = 5 * 60_000;
/** Bytes a token at least: what a call can cost is reserved before it is made. */
const RESERVE_BYTES_PER_TOKEN = 1.5;

const RETRIED: ReadonlySet<string> = new Set(['rate_limited', 'unavailable', 'timeout']);
/** After these nobody knows what the vendor thinks of key and account. */
const UNREACHED: ReadonlySet<string> = new Set(['unavailable', 'timeout']);

/**
 * Whether a tier is off, until a call that is made now and then succeeds: the account is spent, or
 * key, right or address are wrong. A 400 is about one prompt: else the author of a change could
 * switch tiers off.
 */
function isLasting({ error, detail }: { error: CallError; detail: string }): boolean {
  return error === 'spent' || (error === 'misconfigured' && /^HTTP 40[134]$/.test(detail));
}

/** Time as a tier sees it: a monotonic clock, and a wait that an abort ends; milliseconds. */
interface TierClock {
  now(): number;
  pause(ms: number, signal: AbortSignal): Promise<void>;
}

/** Creates a tier; `onCall` gets each call that was made. */
export function createTier(
  settings: TierSettings,
  { now, pause }: TierClock,
  onCall: (call: ModelCall) => void = () => undefined,
): Tier {
  const breaker = createBreaker(now);
  let running = 0;
  let waiting = 0;
  let lastError: string | null = null;
  let offReason: CallError | null = null;

  async function readOnce(ask: TierAsk): Promise<TierAnswer & { retryAfterMs?: number | null }> {
    const admitted = breaker.admit();
    if (admitted === null) {
      return { kind: 'failed', reason: offReason ?? 'breaker_open', detail: lastError ?? 'open' };
    }
    waiting += 1;
    const release = await ask
      .place()
      .catch(() => null)
      .finally(() => {
        waiting -= 1;
      });
    if (release === null) {
      breaker.forget(admitted);
      return { kind: 'failed', reason: 'cancelled', detail: 'gave up waiting for a place' };
    }
    running += 1;
    try {
      const prompt = renderPrompt(ask.chunk, ask.paths);
      const call = await paidCall(settings, ask, prompt, { now, onCall });
      if (call === null) return { kind: 'failed', reason: 'budget', detail: 'used up' };
      const { outcome, checked } = call;
      if (checked === null) {
        const { error: reason, detail, retryAfterMs } = outcome;
        if (reason === 'cancelled') return { kind: 'failed', reason, detail };
        lastError = `${reason} (${detail})`;
        if (isLasting(outcome)) {
          offReason = reason;
          breaker.hold(admitted, OFF_MS);
        } else {
          breaker.count(admitted, !RETRIED.has(reason));
          if (!UNREACHED.has(reason)) offReason = null;
        }
        return { kind: 'failed', reason, detail, retryAfterMs };
      }
      breaker.count(admitted, true);
      offReason = null;
      if (checked.kind === 'read') return checked;
      lastError = `invalid_output (${checked.why})`;
      return { kind: 'failed', reason: 'invalid_output', detail: checked.why };
    } finally {
      breaker.forget(admitted);
      running -= 1;
      release();
    }
  }

  return {
    settings,
    get isReady() {
      return breaker.isReady();
    },
    get state() {
      return stateOf(settings.name, {
        isOff: offReason !== null,
        isOpen: breaker.isOpen(),
        lastError,
        running,
        waiting,
      });
    },
    async read(ask) {
      let hasRepaired = false;
      for (let retries = 0; ; retries += 1) {
        const answer = await readOnce(ask);
        if (answer.kind === 'read' || ask.signal.aborted) return answer;
        // One fresh call for an answer that cannot be used: another mark, another fence.
        const isRepair: boolean = answer.reason === 'invalid_output' && !hasRepaired;
        if (!isRepair && (!RETRIED.has(answer.reason) || retries >= RETRIES_MAX)) return answer;
        hasRepaired ||= isRepair;
        if (isRepair) continue;
        const waitMs = backoff(retries, answer.retryAfterMs ?? null);
        if (waitMs === null) return answer;
        await pause(waitMs, ask.signal);
      }
    },
  };
}

/** One call, and what it is worth: `checked` is null when there is no answer. */
type MadeCall =
  | { outcome: Extract<CallOutcome, { kind: 'error' }>; checked: null }
  | { outcome: Extract<CallOutcome, { kind: 'answer' }>; checked: CheckedAnswer };

/**
 * One call within the budget: reserved before, settled after, whatever comes of it, together with
 * its reading. Null: the budget is used up.
 */
async function paidCall(
  settings: TierSettings,
  ask: TierAsk,
  prompt: ReviewPrompt,
  { now, onCall }: Pick<TierClock, 'now'> & { onCall(call: ModelCall): void },
): Promise<MadeCall | null> {
  const { chunk, ledger, safetyId, signal } = ask;
  const reserved = reserveFor(settings, prompt);
  const reserve = await ledger.reserve(reserved, { chunk, prompt }, settings);
  if (reserve === null) return null;
  const protocol = settings.protocol === 'anthropic' ? ANTHROPIC : OPENAI;
  const startMs = now();
  let firstEventMs: number | null = null;
  const outcome = await callModel(protocol, { ...settings, safetyId }, prompt, signal, () => {
    firstEventMs = now() - startMs;
  });
  const ms = now() - startMs;
  const call: MadeCall =
    outcome.kind === 'error'
      ? { outcome, checked: null }
      : { outcome, checked: checkAnswer(outcome.text, chunk, prompt, promptTokens(outcome.usage)) };
  const { checked } = call;
  const isRead = checked?.kind === 'read';
  const reading = isRead ? { findings: checked.findings, malformed: checked.malformed } : null;
  await reserve.settle(costOfCall(settings, outcome, reserved), reading);
  const { name: tier, role } = settings;
  const model = outcome.kind === 'answer' ? outcome.model : null;
  const answered = isRead ? 'answer' : 'invalid_output';
  const result = outcome.kind === 'error' ? outcome.error : answered;
  onCall({ tier, role, model, result, ms, firstEventMs });
  return call;
}

/** A call without a reported usage costs its reserve; a call that was never sent costs nothing. */
function costOfCall(settings: TierSettings, outcome: CallOutcome, reserved: number): CallCost {
  const { usage } = outcome;
  const isSent = outcome.kind === 'answer' || outcome.detail !== 'ECONNREFUSED';
  return {
    tier: settings.name,
    family: settings.family,
    requestId: outcome.requestId,
    model: outcome.model ?? settings.model,
    usage: usage ?? { input: 0, output: 0, cacheWrite: 0, cacheRead: 0 },
    costNanoUsd: usage === null ? (isSent ? reserved : 0) : costOf(settings.prices, usage),
    isEstimated: usage === null && isSent,
  };
}

interface Facts {
  isOff: boolean;
  isOpen: boolean;
  lastError: string | null;
  running: number;
  waiting: number;
}

function stateOf(name: string, facts: Facts): TierState {
  const { isOff, isOpen, lastError: last_error, running, waiting } = facts;
  const state = isOff ? 'off' : isOpen ? 'down' : 'up';
  return { name, state, breaker: isOpen ? 'open' : 'closed', last_error, running, waiting };
}

/** Full jitter, and at least what the vendor asks for; null: longer than a call may wait. */
function backoff(retries: number, retryAfterMs: number | null): number | null {
  if (retryAfterMs !== null && retryAfterMs > RETRY_AFTER_MS_MAX) return null;
  const [least, most] = BACKOFF_MS;
  const span = Math.min(most, least * 4 ** (retries + 1));
  return Math.max(retryAfterMs ?? 0, least + Math.random() * (span - least));
}

/** What a call may cost at most: every byte written to the cache, and all of the output. */
function reserveFor({ prices, maxOutputTokens }: TierSettings, prompt: ReviewPrompt): number {
  const bytes = Buffer.byteLength(prompt.system) + Buffer.byteLength(prompt.user);
  const perToken = Math.max(prices.input, prices.cacheWrite);
  const tokens = Math.ceil(bytes / RESERVE_BYTES_PER_TOKEN);
  return tokens * perToken + maxOutputTokens * prices.output;
}

function promptTokens({ input, cacheRead, cacheWrite }: TokenUsage): number {
  return input + cacheRead + cacheWrite;
}

/** Exact: prices are whole nano-dollars a token. */
export function costOf(prices: TierPrices, usage: TokenUsage): number {
  return (
    usage.input * prices.input +
    usage.output * prices.output +
    usage.cacheWrite * prices.cacheWrite +
    usage.cacheRead * prices.cacheRead
  );
}

/** Keeps calls from a tier that fails; after a while one call is let through as a probe. */
function createBreaker(now: () => number) {
  let calls: { at: number; isGood: boolean }[] = [];
  let openUntil = 0;
  let probe: object | null = null;
  return {
    isOpen: () => openUntil > 0,
    isReady: () => openUntil === 0 || (openUntil <= now() && probe === null),
    /** Opens it for so long. */
    hold(call: object, ms: number): void {
      if (probe === call) probe = null;
      openUntil = now() + ms;
      calls = [];
    },
    /** A token of the call; null: it must not be made. */
    admit(): object | null {
      if (openUntil === 0) return {};
      if (openUntil > now() || probe !== null) return null;
      probe = {};
      return probe;
    },
    /** A probe that ended without an answer of the vendor has proven nothing. */
    forget(call: object): void {
      if (probe === call) probe = null;
    },
    count(call: object, isGood: boolean): void {
      const at = now();
      if (probe === call) {
        probe = null;
        openUntil = isGood ? 0 : at + OPEN_MS;
        calls = [];
        return;
      }
      calls = [...calls.filter((each) => each.at > at - WINDOW_MS), { at, isGood }];
      const bad = calls.filter((each) => !each.isGood).length;
      if (calls.length >= WINDOW_CALLS_MIN && bad * 2 >= calls.length) openUntil = at + OPEN_MS;
    },
  };
}
