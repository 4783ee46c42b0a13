import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { METRICS, type Metric } from '../src/telemetry/metrics.ts';
import { createMetricsRegistry, type MetricsFormat } from '../src/telemetry/registry.ts';
import type { Status } from '../src/telemetry/status.ts';
import { createTelemetry } from '../src/telemetry/telemetry.ts';
import { GIVEN, seriesOf, worstCase } from '../test/telemetry/series.ts';
import { percentile } from './harness.ts';
import type { RunOptions } from './options.ts';
import type { Report } from './report.ts';

const RATIO_MAX = 3;
const ROUNDS = 60;
const FORMATS: readonly MetricsFormat[] = ['text', 'openmetrics'];

/** What a scrape costs the main thread when every series is there. */
export async function run(_options: RunOptions): Promise<Report> {
  const registry = await createMetricsRegistry(GIVEN);
  worstCase(registry);
  const options = { given: GIVEN, pushesMax: 1, dataDir: '.', inFlight: () => 7 };
  const telemetry = await createTelemetry(options, registry);
  const status = statusOfNow();
  const { body } = await telemetry.scrape('text', status);
  const series = seriesOf(body).length;
  const rows = [];
  let worst = 0;
  for (const format of FORMATS) {
    const alone = promClient(series, format);
    const [ours, theirs] = await beside(
      () => telemetry.scrape(format, status),
      () => alone.metrics(),
    );
    const others = seriesOf(await alone.metrics()).length;
    const ratio = (ours / series) * (others / theirs);
    worst = Math.max(worst, ratio);
    rows.push([format, series, ours, others, theirs, ratio]);
  }
  return {
    title: 'A scrape in the worst case',
    facts: [`the median of ${ROUNDS} scrapes each, in turn`],
    tables: [
      {
        columns: [
          ...['format', 'series', 'cra, ms CPU', 'series of prom-client alone'],
          ...['prom-client alone, ms CPU', 'ratio for each series'],
        ],
        rows,
      },
    ],
    notes: [
      'prom-client alone: as many series of the same kinds, labels and exemplars',
      'cra: all gauges set from the status, the disk looked at, then rendered; without HTTP',
      `goal: at most ${RATIO_MAX} x`,
    ],
    holds: worst <= RATIO_MAX,
  };
}

/** Median CPU milliseconds of both, measured in turn, so that a busy machine slows both. */
async function beside(one: () => Promise<unknown>, other: () => Promise<unknown>) {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, scrape] of [one, other].entries()) {
      const start = process.cpuUsage();
      await scrape();
      const { user, system } = process.cpuUsage(start);
      times[index]?.push((user + system) / 1_000);
    }
  }
  return times.map((each) => percentile(each, 0.5)) as [number, number];
}

/** The same metrics as prom-client's manual has them, with as many series by one label. */
function promClient(series: number, format: MetricsFormat): Registry {
  const registry = new Registry();
  const isOpen = format === 'openmetrics';
  if (isOpen) registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never);
  const all = Object.values<Metric>(METRICS);
  const each = Math.floor(series / all.length);
  for (const { type, name, help, buckets = [] } of all) {
    const common = { name, help, labelNames: ['one', 'two'], registers: [registry] };
    const bounds = [...buckets];
    if (type === 'histogram') {
      const histogram = new Histogram({ ...common, buckets: bounds, enableExemplars: isOpen });
      const lines = bounds.length + 3;
      for (let index = 0; index < Math.ceil(each / lines); index += 1) {
        const labels = { one: `value-${index}`, two: 'other' };
        const exemplarLabels = { request_id: '0123abcd-zzzz', trace_id: 'f'.repeat(32) };
        for (const value of [...bounds, 1e6]) {
          if (isOpen) histogram.observe({ labels, value, exemplarLabels } as never);
          else histogram.observe(labels, value);
        }
      }
    } else {
      const Kind = type === 'counter' ? Counter : Gauge;
      const metric = new Kind(common);
      for (let index = 0; index < each; index += 1) {
        metric.inc({ one: `value-${index}`, two: 'other' });
      }
    }
  }
  return registry;
}

function statusOfNow(): Status {
  const host = { state: 'up', posted: 5, failed: 0, error: null } as const;
  return {
    version: '1.2.3',
    started_at: new Date(0).toISOString(),
    store: { state: 'up', driver: 'mongodb', error: null },
    audit: {
      worm: 'enforced',
      problems: [],
      state: 'up',
      chain: 'a',
      seq: 9,
      bytes: 1,
      bytes_max: 10,
      last_checkpoint: null,
      open_intents: 0,
      missing_entries: 0,
    },
    queue: { state: 'up', running: 1, waiting: 0, oldest_seconds: 0, drafts: 0 },
    pushes: {
      state: 'up',
      waiting: 3,
      oldest_seconds: 1,
      running: 1,
      webhooks_ignored: 0,
      statuses_due: 0,
      statuses_posted: 5,
      statuses_failed: 0,
      landed_blocked: 0,
      coverage: { covered: 0, gap: 0, unknown: 0 },
      hosts: [{ id: 'hub', provider: 'github', ...host }],
    },
    git: { state: 'up', version: '2.39.5' },
    pool: { state: 'up', threads: 2, alive: 2, busy: 1, replaced: 0, children: 2 },
    rules: { state: 'up', number: 1, revision: 'a', built_in: false, problems: [], warnings: [] },
    oidc: { state: 'up' },
    llm: {
      state: 'up',
      spent_today_usd: '1',
      budget_used: { day: 0.1, month: null },
      waiting: 0,
      oldest_seconds: 0,
      later: { running: 0, queued: 0 },
      tiers: GIVEN.tier.map((name) => ({
        name,
        role: 'review',
        model: 'm',
        state: 'up',
        breaker: 'closed',
        last_error: null,
        running: 0,
        waiting: 0,
        calls: 1,
        spent_today_usd: null,
      })),
    },
    object_storage: {
      state: 'not configured',
      last_sealed_at: null,
      behind: null,
      problem: null,
    },
    events: { state: 'not configured', subscriptions: [] },
    emergencies: { due: 0, overdue: 0 },
  } as Status;
}
