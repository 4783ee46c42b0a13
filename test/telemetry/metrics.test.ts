import test from 'ava';
import { metricName, ROUTES } from '../../src/http/api/all-routes.ts';
import { type Offer, preferredOffer, traceIdOf } from '../../src/http/server/request-headers.ts';
import { CraError } from '../../src/model/errors.ts';
import { failure, type RpcResponse } from '../../src/rpc/service.ts';
import { fake } from '../../src/rules/fake.ts';
import { METRICS, type Metric, PROCESS_METRICS } from '../../src/telemetry/metrics.ts';
import {
  createCallCounter,
  createMetricsRegistry,
  type MetricsRegistry,
} from '../../src/telemetry/registry.ts';
import {
  analyze,
  change,
  daemonForAll,
  newFile,
  request,
  startDaemonProcess,
  temporaryDir,
  until,
} from '../daemon.ts';
import { recordText, sampleRecord } from '../store/fixtures/records.ts';
import { GIVEN, seriesOf, worstCase } from './series.ts';

const SERIES_MAX = 2_000;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

test('the worst case has fewer series than the budget, and every metric of the table', async (t) => {
  const registry = await createMetricsRegistry(GIVEN);
  worstCase(registry);
  const { body } = await registry.render('text');
  const series = seriesOf(body);
  t.log(`${series.length} series`);
  t.true(series.length < SERIES_MAX, `${series.length}`);
  t.is(new Set(series).size, series.length);
  const names = new Set([...body.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  t.deepEqual([...names].sort(), [...namesOfTable(), ...PROCESS_METRICS].sort());
});

function namesOfTable(): string[] {
  return Object.values<Metric>(METRICS).map(({ name }) => name);
}

test('names carry their unit, and say what they are', (t) => {
  const names = namesOfTable();
  t.is(new Set(names).size, names.length);
  for (const { name, type, unit, help, buckets } of Object.values<Metric>(METRICS)) {
    t.regex(name, /^cra_[a-z_]+$/);
    t.is(name.endsWith('_total'), type === 'counter', name);
    t.is(buckets !== undefined, type === 'histogram', name);
    t.regex(help, /^[A-Z0-9].*\.$/, name);
    const isNamed = ['seconds', 'bytes', 'ratio', 'nanodollars', 'tokens', 'info'].includes(unit);
    if (isNamed) t.regex(name, new RegExp(`_${unit}(?:_total)?$`));
  }
});

const HOSTILE = [
  'acme/shop',
  'RFC-0123456789ABCDEF',
  'alice@example.org',
  '../../etc/passwd',
  'a"} 1\ncra_injected_total 7',
  '\u0000\u{1f600}',
  'x'.repeat(100_000),
  '__proto__',
  'constructor',
  '',
];

test('no text from outside becomes a label: it is counted as other', async (t) => {
  const registry = await createMetricsRegistry(GIVEN);
  for (const [key, { type, labels }] of Object.entries<Metric>(METRICS)) {
    for (const text of HOSTILE) {
      const all = Object.fromEntries(labels.map((label) => [label, text])) as never;
      if (type === 'counter') registry.count(key as never, all);
      else if (type === 'gauge') registry.set(key as never, all, 1);
      else registry.observe(key as never, all, 1);
    }
  }
  for (const format of ['text', 'openmetrics'] as const) {
    const { body } = await registry.render(format);
    t.false(/acme|RFC-|alice|passwd|xxxx|proto__|constructor|injected/.test(body));
    t.true(body.includes('cra_http_requests_total{route="other",method="other",code="other"} 10'));
  }
});

test('an unknown number does not appear, and comes back when it is known', async (t) => {
  const registry = await createMetricsRegistry(GIVEN);
  const shown = async () => seriesOf((await registry.render('text')).body);
  const name = 'cra_audit_max_bytes';
  t.false((await shown()).includes(name));
  registry.set('auditMax', {}, 7);
  t.true((await shown()).includes(name));
  registry.set('auditMax', {}, null);
  t.false((await shown()).includes(name));
});

const OFFERS: readonly [Offer, ...Offer[]] = [
  { type: 'application/json', parameters: { charset: ['utf-8'] } },
  { type: 'application/openmetrics-text', parameters: { version: ['1.0.0'], escaping: ['dots'] } },
  { type: 'text/plain', parameters: { version: ['0.0.4'] } },
];
const JSON_TYPE = 'application/json';
const OPEN = 'application/openmetrics-text';
const PLAIN = 'text/plain';

/** What a client asks for, and what it gets. */
const ACCEPTS: [accept: string, type: string][] = [
  ['', JSON_TYPE],
  ['*/*', JSON_TYPE],
  ['application/json', JSON_TYPE],
  ['image/png', JSON_TYPE],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', JSON_TYPE],
  ['text/plain', PLAIN],
  ['TEXT/Plain ; Version=0.0.4', PLAIN],
  ['text/plain;version="0.0.4"', PLAIN],
  ['text/plain;version=1.0.0, */*;q=0.1', JSON_TYPE],
  ['text/*', PLAIN],
  ['application/*;q=.5', JSON_TYPE],
  ['application/openmetrics-text', OPEN],
  ['application/openmetrics-text;version=2.0.0,text/plain;q=0.1', PLAIN],
  ['application/openmetrics-text;version=1.0.0;escaping=dots', OPEN],
  ['text/plain;q=0.5,application/openmetrics-text;q=0.4', PLAIN],
  ['text/plain;q=0.4,application/openmetrics-text;q=0.5', OPEN],
  ['application/json;q=0.2,text/plain;q=0.200', JSON_TYPE],
  ['*/*,text/plain', PLAIN],
  ['*/*,text/plain;q=0.9', JSON_TYPE],
  ['*/*;q=0.5,application/json;q=0', OPEN],
  ['application/json;q=0', JSON_TYPE],
  ['text/plain;q=2,application/openmetrics-text;q=0.1', OPEN],
  ['text/plain;q=0.1234,application/openmetrics-text;q=0.1', OPEN],
  ['text/plain;q=0.3;ext=1,application/openmetrics-text;q=0.2', PLAIN],
  [';;;,/,text/,*/plain,text/plain;=,text/plain', PLAIN],
  [`${'a/b,'.repeat(64)}text/plain`, JSON_TYPE],
];
for (const [accept, type] of ACCEPTS) {
  test(`Accept "${accept.slice(0, 80)}" is answered with ${type}`, (t) => {
    t.is(preferredOffer(accept, OFFERS).type, type);
  });
}

const NO_TRACE = [
  '',
  TRACE,
  `01-${TRACE}-00f067aa0ba902b7`,
  `ff-${TRACE}-00f067aa0ba902b7-01`,
  `00-${TRACE}-00f067aa0ba902b7-01-more`,
  `00-${TRACE}-00f067aa0ba902b7-01more`,
  `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  TRACEPARENT.toUpperCase(),
  ` ${TRACEPARENT}`,
];

test('traceIdOf takes what W3C Trace Context allows, and nothing else', (t) => {
  t.is(traceIdOf(TRACEPARENT), TRACE);
  t.is(traceIdOf(`00-${TRACE}-00f067aa0ba902b7-00`), TRACE);
  t.is(traceIdOf(`cc-${TRACE}-00f067aa0ba902b7-01-what-comes-later`), TRACE);
  for (const header of NO_TRACE) t.is(traceIdOf(header), null, header);
});

const shared = daemonForAll(test, { SERVICE_LOG_LEVEL: 'debug', SERVICE_TRUST_PROXY: 'true' });

/** As these programs send it. */
const SCRAPERS: [name: string, accept: string, contentType: RegExp][] = [
  [
    'Prometheus 2',
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1',
    /^application\/openmetrics-text; version=1\.0\.0; charset=utf-8$/,
  ],
  [
    'Prometheus 3',
    'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
    /^application\/openmetrics-text; version=1\.0\.0; charset=utf-8$/,
  ],
  [
    'Prometheus 3 with native histograms',
    'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,application/openmetrics-text;version=1.0.0;escaping=underscores;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=underscores;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1',
    /^application\/openmetrics-text; version=1\.0\.0; charset=utf-8$/,
  ],
  [
    'vmagent',
    'text/plain;version=0.0.4;q=1,*/*;q=0.1',
    /^text\/plain; version=0\.0\.4; charset=utf-8$/,
  ],
  ['curl', '*/*', /^application\/json$/],
];

test.serial('dispatcher/status answers each scraper in its format, curl in JSON', async (t) => {
  const { url } = shared();
  for (const [name, accept, contentType] of SCRAPERS) {
    const answer = await fetch(`${url}/dispatcher/status`, { headers: { accept } });
    t.is(answer.status, 200, name);
    t.regex(answer.headers.get('content-type') ?? '', contentType, name);
    t.is(answer.headers.get('vary'), 'Accept', name);
    const body = await answer.text();
    const isOpen = contentType.source.includes('openmetrics');
    t.is(body.endsWith('# EOF\n'), isOpen, name);
    if (name === 'curl') t.true(JSON.parse(body).ok);
    else t.true(seriesOf(body).includes('cra_store_up{driver="sqlite"}'), name);
  }
});

test.serial('numbers tell what happened: requests, gates, verdicts, the store', async (t) => {
  const { url } = shared();
  const before = await valuesOf(url);
  const diff = newFile('a.js', 'app.get("/", (req) => exec("ls " + req.query.dir));\n');
  t.is((await analyze(url, change(diff))).body.data.overall_status, 'BLOCKED');
  t.is((await analyze(url, change(newFile('a.txt', 'text\n')))).status, 200);
  t.is((await request(`${url}/rfc/RFC-NONE`)).status, 404);
  t.is((await request(`${url}/no-such-path`)).status, 404);
  t.is((await request(`${url}/webhook`, { method: 'POST', body: '{}' })).status, 401);
  const after = await valuesOf(url);
  const rise = (series: string) => (after.get(series) ?? 0) - (before.get(series) ?? 0);
  t.is(rise('cra_http_requests_total{route="analyze",method="POST",code="200"}'), 2);
  t.is(rise('cra_http_requests_total{route="rfc",method="GET",code="404"}'), 1);
  t.is(rise('cra_http_requests_total{route="other",method="other",code="404"}'), 1);
  t.is(rise('cra_http_request_duration_seconds_count{route="analyze"}'), 2);
  t.is(rise('cra_webhook_rejected_total{reason="signature"}'), 1);
  t.is(rise('cra_verdicts_total{trigger="api",status="BLOCKED"}'), 1);
  t.is(rise('cra_verdicts_total{trigger="api",status="PASSED"}'), 1);
  t.is(rise('cra_gate_duration_seconds_count{gate="risk",status="pass"}'), 2);
  t.is(rise('cra_gate_duration_seconds_count{gate="ast",status="fail"}'), 1);
  // The report asks the store as well.
  t.true(rise('cra_store_call_duration_seconds_count{service="Records",side="write"}') >= 2);
  t.is(after.get('cra_pool_threads'), after.get('cra_pool_threads_alive'));
  t.true((after.get('process_resident_memory_bytes') ?? 0) > 1e7);
  t.true((after.get('cra_disk_free_bytes') ?? 0) > 0);
});

/** The values of all series, by name and labels. */
async function valuesOf(url: string): Promise<Map<string, number>> {
  const headers = { accept: 'text/plain' };
  const body = await (await fetch(`${url}/dispatcher/status`, { headers })).text();
  const lines = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end))] as const;
    }),
  );
}

test.serial('a trace and the request id of a proxy are in logs and exemplars', async (t) => {
  const daemon = shared();
  const headers = { traceparent: TRACEPARENT, 'x-request-id': 'edge-1.2:3' };
  const refused = await request(`${daemon.url}/rfc/RFC-NONE`, { headers });
  t.is(refused.body.request_id, 'edge-1.2:3');
  const isAnswered = ({ msg, trace_id }: Record<string, unknown>) =>
    msg === 'answered' && trace_id === TRACE;
  await until(() => daemon.log.some(isAnswered));
  t.like(daemon.log.find(isAnswered), { request_id: 'edge-1.2:3', route: 'rfc', status: 404 });
  const open = { headers: { accept: 'application/openmetrics-text' } };
  const body = await (await fetch(`${daemon.url}/dispatcher/status`, open)).text();
  const exemplars = body.split('\n').filter((line) => line.includes(TRACE));
  t.is(exemplars.length, 1);
  const [line = ''] = exemplars;
  t.regex(
    line,
    /^cra_http_request_duration_seconds_bucket\{le="\S+",route="rfc"\} \d+ # \{request_id="edge-1\.2:3",trace_id="[0-9a-f]{32}"\} \S+ \d+(?:\.\d+)?$/,
  );
  const odd = { 'x-request-id': 'two words', traceparent: 'nonsense' };
  const other = await request(`${daemon.url}/rfc/RFC-NONE`, { headers: odd });
  t.regex(other.body.request_id, /^[0-9a-f]{8}-[0-9a-z]+$/);
});

test.serial(
  'the status shows an issuer that is away, and no host that does not exist',
  async (t) => {
    const token = fake('api-', 40);
    const daemon = await startDaemonProcess(t, temporaryDir(t), {
      SERVICE_AUTH_ENABLED: 'true',
      CRA_API_TOKEN: token,
      SERVICE_OIDC_ISSUER: 'http://127.0.0.1:9',
      SERVICE_OIDC_AUDIENCE: 'cra',
    });
    const url = `${daemon.url}/dispatcher/status`;
    t.is((await fetch(url, { headers: { accept: 'text/plain' } })).status, 401);
    const headers = { authorization: `Bearer ${token}` };
    const { data } = (await request(url, { headers })).body;
    t.deepEqual(data.oidc, { state: 'down' });
    // Those that are taken without settings; none for RFCs that name no host.
    const ids = data.pushes.hosts.map(({ id }: { id: string }) => id);
    t.deepEqual(ids, ['github', 'gitlab']);
    t.like(data.object_storage, { state: 'not configured', behind: null });
    const scraped = await fetch(url, { headers: { ...headers, accept: 'text/plain' } });
    const body = await scraped.text();
    t.regex(body, /^cra_issuer_up 0$/m);
    t.notRegex(body, /^cra_objectstore_up /m);
  },
);

test('a request is counted by its route, requests of browsers by login and dashboard', (t) => {
  const names = ROUTES.map(({ name }) => metricName(name));
  for (const name of ['analyze', 'webhook', 'status', 'login', 'dashboard']) {
    t.true(names.includes(name as never), name);
  }
  t.true(new Set(names).size < names.length);
});

test('what a store did not do, or did before, is not counted', (t) => {
  let counted: string[] = [];
  let reserved: number | null = null;
  const registry = {
    count: (key: string) => counted.push(key),
    observe: () => undefined,
    set: (_key: string, _labels: object, value: number | null) => {
      reserved = value;
    },
  } as unknown as MetricsRegistry;
  const counter = createCallCounter(registry);
  const counts = (name: string, input: unknown, response: RpcResponse) => {
    const [service = '', method = ''] = name.split('.');
    counted = [];
    counter.store('write', { service, method, input, response, ms: 1 });
    return counted;
  };
  const done = (output: object): RpcResponse => ({ kind: 'response', id: 1, ok: true, output });
  const failed = failure(1, new CraError('ABORTED', 'the RFC has changed'));

  const input = { record: recordText(sampleRecord({ rfc_id: 'RFC-1' })) };
  t.deepEqual(counts('Records.insertRfc', input, done({ rev: 1 })), ['verdicts']);
  t.deepEqual(counts('Records.insertRfc', input, failed), ['storeErrors']);
  const decision = { request: { action: 'override' } };
  const both = ['decisions', 'auditAppends'];
  t.deepEqual(counts('Trail.decide', decision, done({ replayed: false })), both);
  t.deepEqual(counts('Trail.decide', decision, done({ replayed: true })), ['decisions']);
  const event = { event: { kind: 'ops-log' } };
  t.deepEqual(counts('Trail.appendEvent', event, done({ replayed: false })), ['auditAppends']);
  t.deepEqual(counts('Trail.appendEvent', event, done({ replayed: true })), []);

  const call = { call_id: 'C', reserved_nano_usd: 5 };
  counts('Reviews.reserveCall', { call }, done({ reserved: true }));
  t.is(reserved as number | null, 5);
  const usage = { context: null, cost_nano_usd: 3 };
  counts('Reviews.settleCall', { call_id: 'C', usage }, done({ settled: true }));
  t.is(reserved as number | null, 0);
});
