import type { Counter, Gauge, Histogram, OpenMetricsContentType, Registry } from 'prom-client';
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
