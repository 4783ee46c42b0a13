import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { fake } from '../../src/rules/fake.ts';
import { METRICS, type Metric, PROCESS_METRICS } from '../../src/telemetry/metrics.ts';
import { createMetricsRegistry } from '../../src/telemetry/registry.ts';
import { startSigningIssuer } from '../auth/signing-issuer.ts';
import { change, newFile, temporaryDir, until } from '../daemon.ts';
import { freePort } from '../free-port.ts';
import { startFakeVendor } from '../gates/review/fake-vendor.ts';
import { HOLE } from '../pushes/daemon/bad-code.ts';
import { openHouse } from '../pushes/daemon/house.ts';
import { PushedRepository } from '../pushes/daemon/pushed-repository.ts';
import { GIVEN, worstCase } from '../telemetry/series.ts';

const run = promisify(execFile);
const FOLDER = 'systemd/monitoring';
const API_TOKEN = fake('api-', 40);
const OVERRIDE_TOKEN = fake('override-', 40);
/** What the model says of this line. */
const QUOTE = "run('tar ' + name)";
const FINDING = {
  file: 1,
  side: 'added',
  line: 1,
  quote: QUOTE,
  why: 'text of a model',
  class: 'command-injection',
  attacker_input: 'yes',
  guard: '',
};
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

/** Runs promtool with a text on its standard input. */
async function promtool(args: string[], input: string): Promise<{ code: number; output: string }> {
  const child = spawn('promtool', args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

test('promtool finds nothing wrong with the metrics of the worst case', async (t) => {
  const registry = await createMetricsRegistry(GIVEN);
  worstCase(registry);
  const { body } = await registry.render('text');
  t.deepEqual(await promtool(['check', 'metrics'], body), { code: 0, output: '' });
  const odd = await promtool(['check', 'metrics'], body.replace('# HELP', '# NOTHING'));
  t.not(odd.code, 0, 'it does look');
});

test('promtool finds nothing wrong with the alerts, their tests and the expressions of the dashboard', async (t) => {
  const { stdout } = await run('promtool', ['check', 'rules', `${FOLDER}/alerts.yml`]);
  t.regex(stdout, /SUCCESS: \d+ rules found/);
  const tested = await run('promtool', ['test', 'rules', `${FOLDER}/alerts.test.yml`]);
  t.regex(tested.stdout + tested.stderr, /SUCCESS/);
  const { panels } = JSON.parse(readFileSync(`${FOLDER}/dashboard.json`, 'utf8')) as {
    panels: { targets?: { expr: string }[] }[];
  };
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const rules = expressions.map((expr, index) => ({
    record: `panel:${index}`,
    expr: expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$(?:job|instance)\b/g, '.*'),
  }));
  const path = join(temporaryDir(t), 'dashboard.yml');
  // JSON is YAML.
  writeFileSync(path, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  const checked = await run('promtool', ['check', 'rules', path]);
  t.regex(checked.stdout, new RegExp(`SUCCESS: ${rules.length} rules found`));
});

test('a real Prometheus scrapes a daemon with authentication under load', async (t) => {
  t.timeout(200_000);
  const world = await openWorld(t);
  const { daemon, ask, repo } = world;
  const prometheus = await startPrometheus(t, daemon.port);
  await until(async () => (await prometheus.query('up')) === 1);

  const good = await repo.push({ 'a.txt': 'one\n' });
  const bad = await repo.push({ 'run.js': HOLE });
  for (const { rfcId } of [good, bad]) await ask('GET', `rfc/${rfcId}?wait=30`);
  const diff = change(newFile('src/a.js', `${QUOTE}\n`));
  const loads = Array.from({ length: 40 }, async (_, index) => {
    const send = () => ask('POST', 'analyze', { ...diff, branch: `b${index}` });
    let answer = await send();
    // On a busy machine the queue may be full at first.
    await until(async () => {
      if (answer.status === 200) return true;
      answer = await send();
      return false;
    });
    return answer;
  });
  const first = (await Promise.all(loads))[0];
  await ask('GET', `rfc/${first?.body.data.rfc_id}?wait=30`);
  await until(
    async () => (await ask('GET', `rfc/${bad.rfcId}`)).body.data.overall_status !== 'DRAFT',
  );
  const reason = { reason: 'looked at by two people', actor: 'ann' };
  const decided = await ask('POST', `rfc/${bad.rfcId}/override`, reason, OVERRIDE_TOKEN);
  t.is(decided.status, 200, JSON.stringify(decided.body));
  t.is((await ask('GET', 'rfc/RFC-NONE', undefined, 'wrong')).status, 401);

  await until(
    async () =>
      ((await prometheus.query('cra_decisions_total{action="override",result="done"}')) ?? 0) >= 1,
  );
  await plausible(t, prometheus);
  const names = await prometheus.names();
  t.deepEqual(
    seriesOfTable().filter((name) => !names.has(name) && !ABSENT.has(name)),
    [],
  );
  t.deepEqual(
    [...ABSENT].filter((name) => names.has(name)),
    [],
    'these do not occur here',
  );
  t.true((await prometheus.exemplars('cra_http_request_duration_seconds_bucket')).includes(TRACE));
  const others = `alertstate="firing",alertname!~"CraHostDown|${OF_A_BUSY_MACHINE}"`;
  t.is(await prometheus.query(`count(ALERTS{${others}}) or vector(0)`), 0);
  t.is(
    await prometheus.query('scrape_samples_scraped < 2000 or vector(-1)'),
    await prometheus.query('scrape_samples_scraped'),
  );
});

/** Alerts on how fast the daemon is, which a busy machine sets off for good reason. */
const OF_A_BUSY_MACHINE = 'CraLateVerdicts.*|CraEventLoopLag|CraOverloaded';

/** What only outages, limits, MongoDB and subscriptions to events bring about. */
const ABSENT = new Set([
  'cra_audit_last_sealed_timestamp_seconds',
  'cra_audit_max_bytes',
  'cra_audit_segments_waiting',
  'cra_events_dead',
  'cra_events_oldest_age_seconds',
  'cra_events_waiting',
  'cra_git_errors_total',
  'cra_objectstore_up',
  'cra_store_errors_total',
]);

/** Every name as Prometheus keeps it: of a histogram its count. */
function seriesOfTable(): string[] {
  const own = Object.values<Metric>(METRICS).map(({ name, type }) =>
    type === 'histogram' ? `${name}_count` : name,
  );
  const gc = 'nodejs_gc_duration_seconds';
  return [...own, ...PROCESS_METRICS.map((name) => (name === gc ? `${gc}_count` : name))];
}

/** Bounds of what the load above must have left behind. */
const PLAUSIBLE: [expression: string, least: number, most: number][] = [
  ['cra_http_requests_total{route="analyze",code="200"}', 40, 40],
  ['cra_http_requests_total{code="401"}', 1, 1],
  ['cra_pushes_received_total{outcome="new"}', 2, 2],
  ['cra_push_verdict_duration_seconds_count', 1, 2],
  ['cra_push_verdict_duration_seconds_bucket{le="60"}', 1, 2],
  ['sum(cra_verdicts_total{trigger="api"})', 1, 40],
  ['sum(cra_gate_duration_seconds_count{gate="risk"})', 41, 50],
  ['cra_llm_calls_total{tier="first",result="answer"}', 1, 50],
  ['cra_llm_cost_nanodollars_total', 1, 1e9],
  ['cra_llm_budget_used_ratio{scope="day"}', 1e-9, 0.1],
  ['cra_llm_reserved_nanodollars', 0, 0],
  ['cra_llm_findings_total{class="command-injection",outcome="blocking"}', 1, 40],
  ['cra_audit_appends_total{kind="override",result="ok"}', 1, 1],
  ['cra_audit_append_duration_seconds_sum', 1e-5, 60],
  ['sum(cra_git_duration_seconds_count{operation="sync"})', 1, 20],
  ['cra_store_up', 1, 1],
  ['cra_audit_up', 1, 1],
  ['cra_audit_verify_ok', 1, 1],
  ['cra_git_up', 1, 1],
  ['cra_issuer_up', 1, 1],
  ['sum(cra_hosts)', 3, 3],
  ['cra_pool_threads_alive', 2, 2],
  ['cra_pool_threads_lost_total', 0, 0],
  ['cra_ast_children', 1, 2],
  ['cra_rules_parse_errors', 0, 0],
  ['cra_disk_free_bytes / cra_disk_size_bytes', 0, 1],
  ['process_resident_memory_bytes', 5e7, 4e9],
  ['nodejs_eventloop_lag_p99_seconds', 1e-4, 60],
  ['time() - process_start_time_seconds', 0, 600],
];

/** What happened last may be in the next scrape only. */
async function plausible(t: ExecutionContext, { query }: Prometheus): Promise<void> {
  const latest = performance.now() + SCRAPED_WITHIN_MS;
  for (const [expression, least, most] of PLAUSIBLE) {
    let value: number | null = null;
    const isFine = () => value !== null && value >= least && value <= most;
    await until(async () => {
      value = await query(expression);
      return isFine() || performance.now() > latest;
    });
    t.true(isFine(), `${expression}: ${value}, not from ${least} to ${most}`);
  }
}

const SCRAPED_WITHIN_MS = 60_000;

/** A daemon with authentication, a Git host, an issuer and a model. */
async function openWorld(t: ExecutionContext) {
  const issuer = await startSigningIssuer(t);
  const vendor = await startFakeVendor(t);
  vendor.script = (user) => ({ kind: 'answer', findings: user.includes(QUOTE) ? [FINDING] : [] });
  const tier = {
    name: 'first',
    role: 'review',
    protocol: 'anthropic',
    family: 'a',
    model: 'm',
    base_url: vendor.url,
    key_env: 'FAKE_KEY',
    locality: 'any',
    prices: { input: 2, output: 10, cache_write: 2.5, cache_read: 0.2 },
  };
  const llm = join(temporaryDir(t), 'llm.json');
  writeFileSync(llm, JSON.stringify({ tiers: [tier], budgets: { day: 100, month: 1_000 } }));
  const house = await openHouse(t, {
    env: {
      SERVICE_AUTH_ENABLED: 'true',
      CRA_API_TOKEN: API_TOKEN,
      CRA_OVERRIDE_TOKEN: OVERRIDE_TOKEN,
      SERVICE_LLM_CONFIG: llm,
      FAKE_KEY: 'the-key',
      SERVICE_OIDC_ISSUER: issuer.url,
      SERVICE_OIDC_AUDIENCE: issuer.audience,
    },
  });
  const { daemon } = house;
  const ask = async (method: string, path: string, body?: unknown, token = API_TOKEN) => {
    const response = await fetch(`${daemon.url}/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        traceparent: `00-${TRACE}-00f067aa0ba902b7-01`,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests read any field of any answer.
    return { status: response.status, body: (await response.json()) as any };
  };
  return { daemon, ask, repo: new PushedRepository(house, 'acme/watched') };
}

type Prometheus = Awaited<ReturnType<typeof startPrometheus>>;

/** Prometheus with our configuration: another target, and a scrape each second. */
async function startPrometheus(t: ExecutionContext, target: number) {
  const dir = temporaryDir(t);
  const port = await freePort();
  const token = join(dir, 'token');
  const config = join(dir, 'prometheus.yml');
  writeFileSync(token, API_TOKEN);
  const text = readFileSync(`${FOLDER}/prometheus.yml`, 'utf8')
    .replaceAll(/_interval: 15s/g, '_interval: 1s')
    .replace('127.0.0.1:3011', `127.0.0.1:${target}`)
    .replace('/etc/prometheus/cra-token', token)
    .replace('- alerts.yml', `- ${process.cwd()}/${FOLDER}/alerts.yml`);
  writeFileSync(config, text);
  await run('promtool', ['check', 'config', config]);
  const url = `http://127.0.0.1:${port}`;
  const child = spawn('prometheus', [
    ...[`--config.file=${config}`, `--storage.tsdb.path=${join(dir, 'data')}`],
    ...[`--web.listen-address=127.0.0.1:${port}`, '--enable-feature=exemplar-storage'],
  ]);
  const ended = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of any answer.
  const get = async (path: string): Promise<any> => (await fetch(`${url}/${path}`)).json();
  await until(() =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return {
    /** The value of the first series; null: there is none. */
    async query(expression: string): Promise<number | null> {
      const { data } = await get(`api/v1/query?query=${encodeURIComponent(expression)}`);
      const value = data?.result[0]?.value[1];
      return value === undefined ? null : Number(value);
    },
    async names(): Promise<Set<string>> {
      return new Set((await get('api/v1/label/__name__/values')).data);
    },
    async exemplars(name: string): Promise<string> {
      const until = Math.ceil(Date.now() / 1000) + 60;
      const path = `api/v1/query_exemplars?query=${name}&start=${until - 3600}&end=${until}`;
      return JSON.stringify(await get(path));
    },
  };
}
