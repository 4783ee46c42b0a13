import type { AuditEvent } from '../model/audit.ts';
import type { StatusCode } from '../model/errors.ts';
import type { RecordText } from '../model/records.ts';
import type { UsageRecord } from '../model/usage.ts';
import type { AnalysisOutcome, ConcludeReviewInput, PlannedReview } from '../rpc/contract.ts';
import type { FinishedCall } from '../rpc/service.ts';
import type { AcceptedPush } from '../store/contract/pushes.ts';
import type { ReservedCall } from '../store/contract/reviews.ts';
import type { DecideInput, DecideOutput } from '../store/contract/trail.ts';
import { LABELS } from './metrics.ts';
import type { MetricsRegistry } from './registry.ts';

const SECOND_MS = 1_000;

/**
 * Counts what the calls of stores, scan threads and git say: how long they took, and what they
 * did. So the rooms that make them need not know of metrics, and nothing is counted before it is
 * durable.
 */
export interface CallCounter {
  scan(call: FinishedCall): void;
  git(call: FinishedCall): void;
  store(side: 'read' | 'write', call: FinishedCall): void;
}

/** Creates it over the registry. */
export function createCallCounter(registry: MetricsRegistry): CallCounter {
  const counted = { ...COUNTED, ...countCosts(registry) };
  return {
    scan({ method, input, response }) {
      if (!response.ok) return;
      if (method === 'planReview') countPlan(registry, response.output as PlannedReview);
      if (method === 'concludeReview') countReview(registry, input as ConcludeReviewInput);
      const { timings } = response.output as Partial<Pick<AnalysisOutcome, 'timings'>>;
      for (const { gate, status, ms } of timings?.gates ?? []) {
        registry.observe('gateDuration', { gate, gateStatus: status }, ms / SECOND_MS);
      }
    },
    git({ method, response, ms }) {
      registry.observe('gitDuration', { gitOperation: method }, ms / SECOND_MS);
      if (!response.ok) registry.count('gitErrors', { gitOperation: method });
    },
    store(side, call) {
      const { service, method, response, ms } = call;
      registry.observe('storeCall', { service, side }, ms / SECOND_MS);
      const error = response.ok ? null : response.error.code;
      if (error !== null && STORE_ERRORS.has(error)) {
        registry.count('storeErrors', { service, error });
      }
      const output = response.ok ? response.output : null;
      counted[`${service}.${method}`]?.(registry, { input: call.input, output, error, ms });
    },
  };
}

/** The others say that the caller asked for something that is not there or not allowed. */
const STORE_ERRORS: ReadonlySet<string> = new Set(LABELS.error);

/** A call of a store: its output, or the code of its error. */
interface StoreCall {
  input: unknown;
  output: unknown;
  error: StatusCode | null;
  ms: number;
}

type Count = (registry: MetricsRegistry, call: StoreCall) => void;

/** The calls of stores that mean something, by service and method. */
const COUNTED: Readonly<Record<string, Count>> = {
  'Records.insertRfc': countVerdict,
  'Records.completeDraft': countVerdict,
  'Pushes.carryPush'(registry, call) {
    countVerdict(registry, call);
    countEvent(registry, call);
  },
  'Trail.decide': countDecision,
  'Trail.appendEvent': countEvent,
  'Trail.moveRfc': countEvent,
  'Pushes.adoptBaseline': countEvent,
  'Pushes.lowerBaseline': countEvent,
  'Rulebook.addRules'(registry, call) {
    countEvent(registry, call);
    if (call.error === null) registry.count('rulesReload', { result: 'ok' });
  },
  'Pushes.acceptPush'(registry, { output }) {
    if (output === null) return;
    registry.count('pushesReceived', { intake: (output as AcceptedPush).outcome });
  },
  'Pushes.supersedePushes'(registry, { output }) {
    const { superseded } = (output ?? { superseded: 0 }) as { superseded: number };
    registry.count('pushesSuperseded', {}, superseded);
  },
};

/** In the JSON of a record this stands nowhere but in its own field: texts escape their quotes. */
const WEBHOOK = '"trigger":"webhook"';

function countVerdict(registry: MetricsRegistry, { input, error }: StoreCall): void {
  const { record } = input as { record: RecordText };
  const { overall_status: verdict, created_at } = record;
  if (error !== null || verdict === 'DRAFT') return;
  const isPush = record.json.includes(WEBHOOK);
  registry.count('verdicts', { trigger: isPush ? 'webhook' : 'api', verdict });
  if (!isPush) return;
  registry.observe(
    'verdictDelay',
    {},
    Math.max(0, Date.now() - Date.parse(created_at)) / SECOND_MS,
  );
  if (verdict === 'OVERRIDDEN') {
    registry.count('decisions', { action: 'carry', decisionResult: 'done' });
  }
}

/** A decision is one entry, whether its store writes it with the record or around it. */
function countDecision(registry: MetricsRegistry, { input, output, error, ms }: StoreCall): void {
  const { action } = (input as DecideInput).request;
  const isReplayed = output !== null && (output as DecideOutput).replayed;
  const decisionResult = isReplayed ? 'repeated' : resultOf(error);
  registry.count('decisions', { action, decisionResult });
  if (decisionResult === 'done') countAppend(registry, action, 'ok', ms);
  if (decisionResult === 'failed' || decisionResult === 'unknown') {
    countAppend(registry, action, 'failed', ms);
  }
}

function resultOf(error: StatusCode | null): string {
  if (error === null) return 'done';
  if (error === 'UNAVAILABLE' || error === 'RESOURCE_EXHAUSTED') return 'failed';
  return UNKNOWN.has(error) ? 'unknown' : 'refused';
}

const UNKNOWN: ReadonlySet<StatusCode> = new Set(['UNKNOWN', 'DEADLINE_EXCEEDED', 'INTERNAL']);

function countEvent(registry: MetricsRegistry, { input, output, error, ms }: StoreCall): void {
  const { event } = input as { event: AuditEvent | null };
  if (event === null) return;
  const done = (output ?? {}) as { replayed?: boolean; adopted?: boolean; lowered?: boolean };
  const isWritten = done.replayed !== true && done.adopted !== false && done.lowered !== false;
  if (error === null && isWritten) countAppend(registry, event.kind, 'ok', ms);
  else if (error !== null && resultOf(error) !== 'refused') {
    countAppend(registry, event.kind, 'failed', ms);
  }
}

function countAppend(
  registry: MetricsRegistry,
  kind: string,
  result: 'ok' | 'failed',
  ms: number,
): void {
  registry.count('auditAppends', { kind, result });
  if (result === 'ok') registry.observe('auditAppend', {}, ms / SECOND_MS);
}

/** A change as models may read it. */
function countPlan(registry: MetricsRegistry, { plan, redactions }: PlannedReview): void {
  registry.count('llmRedactions', { redaction: 'hidden' }, redactions);
  if (plan === null) registry.count('llmRedactions', { redaction: 'refused' });
}

const CLASS = 'llm-';
/** Findings that say what was not read or not found (gates/review/review). */
const [UNLOCATED, UNREVIEWED] = ['llm-unlocated', 'llm-unreviewed'];
const ADDRESSED = 'llm-reviewer-directed-text';

/** What a review found, and why it is not whole. */
function countReview(registry: MetricsRegistry, input: ConcludeReviewInput): void {
  const { findings, skip_reason } = input;
  if (skip_reason !== null) registry.count('llmSkipped', { skip_reason });
  if (findings.some(({ id }) => id === ADDRESSED)) registry.count('llmInjections', {});
  for (const { id, severity } of findings) {
    if (id === UNREVIEWED) continue;
    const blocks = severity === 'critical' || severity === 'high';
    const findingOutcome = id === UNLOCATED ? 'unlocated' : blocks ? 'blocking' : 'noted';
    registry.count('llmFindings', { class: id.slice(CLASS.length), findingOutcome });
  }
}

/** The ledger of gate 3: what is held back for open calls of this daemon, and what calls cost. */
function countCosts(registry: MetricsRegistry): Readonly<Record<string, Count>> {
  const open = new Map<string, number>();
  const showReserved = () => {
    const sum = [...open.values()].reduce((total, each) => total + each, 0);
    registry.set('llmReserved', {}, sum);
  };
  showReserved();
  return {
    'Reviews.reserveCall'(_, { input, output }) {
      const { call } = input as { call: ReservedCall };
      if ((output as { reserved: boolean } | null)?.reserved !== true) return;
      open.set(call.call_id, call.reserved_nano_usd);
      showReserved();
    },
    'Reviews.settleCall'(_, { input, error }) {
      const { call_id, usage } = input as { call_id: string; usage: UsageRecord };
      open.delete(call_id);
      showReserved();
      if (error !== null) return;
      const tier = tierOf(usage);
      registry.count('llmCost', { tier }, usage.cost_nano_usd);
      registry.count('llmTokens', { tier, token: 'input' }, usage.input_tokens);
      registry.count('llmTokens', { tier, token: 'output' }, usage.output_tokens);
      registry.count('llmTokens', { tier, token: 'cache_write' }, usage.cache_creation_tokens);
      registry.count('llmTokens', { tier, token: 'cache_read' }, usage.cache_read_tokens);
    },
    'Reviews.findAnswer'(_, { output }) {
      const isKnown = ((output as { json: string | null } | null)?.json ?? null) !== null;
      if (isKnown) registry.count('llmCacheHits', {});
    },
  };
}

/** The ledger keeps the tier in the context of a call. */
function tierOf({ context }: UsageRecord): string {
  return (JSON.parse(context ?? '{}') as { tier?: string }).tier ?? 'other';
}
