import type { Counter, Gauge, Histogram, OpenMetricsContentType, Registry } from 'prom-client';
import type { AuditEvent } from '../model/audit.ts';
import { kindOf } from '../model/decision.ts';
import type { StatusCode } from '../model/errors.ts';
import type { RecordText } from '../model/records.ts';
import type { UsageRecord } from '../model/usage.ts';
import type { AnalysisOutcome, ConcludeReviewInput, PlannedReview } from '../rpc/contract.ts';
import type { FinishedCall } from '../rpc/service.ts';
import type { AcceptedPush, CompletePushInput } from '../store/contract/pushes.ts';
import type { ReservedCall } from '../store/contract/records.ts';
import type { DecideInput, DecideOutput, MoveInput } from '../store/contract/trail.ts';
import {
  GIVEN_LABELS,
  type GivenLabel,
  LABELS,
  type LabelName,
  type LabelsOf,
  labelOnWire,
  METRICS,
  type Metric,
  type MetricOf,
  type Metrics,
  PROCESS_METRICS,
} from './metrics.ts';

/** What an exemplar points to: the request, and the trace that its client belongs to. */
export interface Exemplar {
  readonly request_id: string;
  readonly trace_id?: string;
}

/** The numbers of this process. They live on the main thread alone. */
export interface MetricsRegistry {
  count<Key extends MetricOf<'counter'>>(key: Key, labels: LabelsOf<Key>, by?: number): void;
  /** Sets a counter to a sum that is counted elsewhere. */
  total<Key extends MetricOf<'counter'>>(key: Key, labels: LabelsOf<Key>, sum: number): void;
  observe<Key extends MetricOf<'histogram'>>(
    key: Key,
    labels: LabelsOf<Key>,
    seconds: number,
    exemplar?: Exemplar | null,
  ): void;
  /** Null: it is not known, and does not appear. */
  set<Key extends MetricOf<'gauge'>>(key: Key, labels: LabelsOf<Key>, value: number | null): void;
  /** All series in Prometheus' text format 0.0.4, or in OpenMetrics 1.0.0 with exemplars. */
  render(format: MetricsFormat): Promise<{ contentType: string; body: string }>;
}

export type MetricsFormat = 'text' | 'openmetrics';

/** The values of the labels that the table leaves open. */
export type GivenValues = Readonly<Record<GivenLabel, readonly string[]>>;

type Client = typeof import('prom-client');
type Held = Counter | Gauge | Histogram;
type OpenRegistry = Registry<OpenMetricsContentType>;

/**
 * Creates the registries over one set of numbers. OpenMetrics drops `_total` from the name of a
 * counter, and refuses what the text format calls one: so the text registry shows each number
 * under its own name, and without exemplars.
 */
export async function createMetricsRegistry(given: GivenValues): Promise<MetricsRegistry> {
  // Loaded here: only the daemon needs it.
  const { default: client } = await import('prom-client');
  const openMetrics = new client.Registry() as unknown as OpenRegistry;
  openMetrics.setContentType(client.openMetricsContentType);
  const text = new client.Registry();
  const values = allowedValues(given);
  const held = new Map<string, Held>();
  for (const [key, metric] of Object.entries<Metric>(METRICS)) {
    const made = make(client, openMetrics, metric);
    held.set(key, made);
    show(text, made, metric.name);
    if (metric.type !== 'gauge' && metric.isSparse === undefined) zero(made, metric, values);
  }
  addProcess(client, openMetrics, text);
  const of = <Kind extends Held>(key: keyof Metrics) => held.get(key) as unknown as Kind;
  const wire = (key: keyof Metrics, labels: Readonly<Record<string, string>>) =>
    onWire(METRICS[key], labels, values);

  return {
    count: (key, labels, by = 1) => of<Counter>(key).inc(wire(key, labels), by),
    total(key, labels, sum) {
      const counter = of<Counter>(key);
      const named = wire(key, labels);
      counter.remove(named);
      counter.inc(named, sum);
    },
    observe(key, labels, value, exemplar = null) {
      of<Histogram>(key).observe({
        labels: wire(key, labels),
        value,
        ...(exemplar === null ? {} : { exemplarLabels: { ...exemplar } }),
      });
    },
    set(key, labels, value) {
      const gauge = of<Gauge>(key);
      const named = wire(key, labels);
      if (value === null) gauge.remove(named);
      else gauge.set(named, value);
    },
    async render(format) {
      const registry = format === 'text' ? text : openMetrics;
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

function allowedValues(given: GivenValues): ReadonlyMap<LabelName, ReadonlySet<string>> {
  const fixed = Object.entries(LABELS).map(
    ([name, list]) => [name as LabelName, new Set<string>(list)] as const,
  );
  const open = GIVEN_LABELS.map((name) => [name, new Set(given[name])] as const);
  return new Map<LabelName, ReadonlySet<string>>([...fixed, ...open]);
}

const OTHER = 'other';

/** The labels under their names on the wire; a value that the table does not have is `other`. */
function onWire(
  metric: Metric,
  labels: Readonly<Record<string, string>>,
  values: ReadonlyMap<LabelName, ReadonlySet<string>>,
): Record<string, string> {
  const named: Record<string, string> = {};
  for (const label of metric.labels) {
    const value = labels[label] ?? OTHER;
    named[labelOnWire(label)] = values.get(label)?.has(value) ? value : OTHER;
  }
  return named;
}

function make(client: Client, registry: OpenRegistry, metric: Metric): Held {
  const { name, help, labels } = metric;
  const labelNames = labels.map(labelOnWire);
  const registers = [registry];
  const common = { name, help, labelNames, registers };
  if (metric.type === 'counter') return new client.Counter(common);
  if (metric.type === 'gauge') {
    const gauge = new client.Gauge(common);
    // prom-client shows 0 for what nobody has set.
    gauge.remove({});
    return gauge;
  }
  const buckets = [...(metric.buckets ?? [])];
  return new client.Histogram({ ...common, buckets, enableExemplars: true });
}

/** Lets a metric appear in a registry of text, whatever the other one makes of its name. */
function show(registry: Registry, held: Held, name: string): void {
  const read = 'getForPromString' in held ? 'getForPromString' : 'get';
  const source = held as unknown as Record<string, () => Promise<object>>;
  const get = async () => ({ ...(await source[read]?.()), name });
  registry.registerMetric({ name, get, getForPromString: get } as unknown as Held);
}

/** So that an increase from nothing to 1 is seen as one (Prometheus, "Avoid missing metrics"). */
function zero(
  held: Held,
  metric: Metric,
  values: ReadonlyMap<LabelName, ReadonlySet<string>>,
): void {
  for (const labels of combinations(metric.labels, values)) {
    if (metric.type === 'histogram') (held as Histogram).zero(labels);
    else (held as Counter).inc(labels, 0);
  }
}

function combinations(
  [first, ...rest]: readonly LabelName[],
  values: ReadonlyMap<LabelName, ReadonlySet<string>>,
): Record<string, string>[] {
  if (first === undefined) return [{}];
  const others = combinations(rest, values);
  const own = [...(values.get(first) ?? [])].filter((value) => value !== OTHER);
  return own.flatMap((value) =>
    others.map((labels) => ({ [labelOnWire(first)]: value, ...labels })),
  );
}

function addProcess(client: Client, openMetrics: OpenRegistry, text: Registry): void {
  const all = new client.Registry();
  client.collectDefaultMetrics({ register: all });
  for (const name of PROCESS_METRICS) {
    const metric = all.getSingleMetric(name) as unknown as Held | undefined;
    // What the platform does not offer.
    if (metric === undefined) continue;
    openMetrics.registerMetric(metric);
    show(text, metric, name);
  }
}

const SECOND_MS = 1_000;

/**
 * Counts what the calls of stores, scan threads and git say: how long they took, and what they
 * did. So the rooms that make them need not know of metrics, and nothing is counted before it is
 * durable.
 */
export function createCallCounter(registry: MetricsRegistry) {
  const counted = { ...COUNTED, ...countCosts(registry) };
  return {
    scan({ method, input, response }: FinishedCall) {
      if (!response.ok) return;
      if (method === 'planReview') countPlan(registry, response.output as PlannedReview);
      if (method === 'concludeReview') countReview(registry, input as ConcludeReviewInput);
      const { timings } = response.output as Partial<Pick<AnalysisOutcome, 'timings'>>;
      for (const { gate, status, ms } of timings?.gates ?? []) {
        registry.observe('gateDuration', { gate, gateStatus: status }, ms / SECOND_MS);
      }
    },
    git({ method, response, ms }: FinishedCall) {
      registry.observe('gitDuration', { gitOperation: method }, ms / SECOND_MS);
      if (!response.ok) registry.count('gitErrors', { gitOperation: method });
    },
    store(side: 'read' | 'write', call: FinishedCall) {
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
  'Pushes.completePush'(registry, call) {
    countVerdict(registry, call);
    countEvent(registry, call);
    const { event } = call.input as CompletePushInput;
    if (event.kind === 'landed-blocked') countLanding(registry, call);
  },
  'Trail.decide': countDecision,
  'Trail.appendEvent': countEvent,
  'Trail.moveRfc'(registry, call) {
    countEvent(registry, call);
    const { event } = call.input as MoveInput;
    if (event.details['landed_blocked'] === true) countLanding(registry, call);
  },
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

function countLanding(registry: MetricsRegistry, { error }: StoreCall): void {
  if (error === null) registry.count('landed', {});
}

/** Emergencies are few: they are counted with what they do. */
const COUNTED_AS: ReadonlyMap<string, string> = new Map([
  ['emergency-override', 'override'],
  ['emergency-confirm', 'approve'],
  ['emergency-object', 'reject'],
]);

/** A decision is one entry, whether its store writes it with the record or around it. */
function countDecision(registry: MetricsRegistry, { input, output, error, ms }: StoreCall): void {
  const { request } = input as DecideInput;
  const kind = kindOf(request);
  const isReplayed = output !== null && (output as DecideOutput).replayed;
  const decisionResult = isReplayed ? 'repeated' : resultOf(error);
  registry.count('decisions', { action: COUNTED_AS.get(kind) ?? kind, decisionResult });
  if (decisionResult === 'done') countAppend(registry, kind, 'ok', ms);
  if (decisionResult === 'failed' || decisionResult === 'unknown') {
    countAppend(registry, kind, 'failed', ms);
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
/** Findings that say how complete a review is (gates/review/review). */
const UNLOCATED = 'llm-unlocated';
const NOT_READ: ReadonlySet<string> = new Set(['llm-unreviewed', 'llm-held']);
const ADDRESSED = 'llm-reviewer-directed-text';

/** What a review found, and why it is not whole. */
function countReview(registry: MetricsRegistry, input: ConcludeReviewInput): void {
  const { findings, skip_reason } = input;
  if (skip_reason !== null) registry.count('llmSkipped', { skip_reason });
  if (findings.some(({ id }) => id === ADDRESSED)) registry.count('llmInjections', {});
  for (const { id, severity } of findings) {
    if (NOT_READ.has(id)) continue;
    const blocks = severity === 'critical' || severity === 'high';
    const findingOutcome = id === UNLOCATED ? 'unlocated' : blocks ? 'blocking' : 'noted';
    registry.count('llmFindings', { class: id.slice(CLASS.length), findingOutcome });
  }
}

/** The ledger of gate 3: money reserved for open calls of this daemon, and costs of calls. */
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
