import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { VcsHost } from '../../src/hosts/settings.ts';
import type { RepositoryCoverage } from '../../src/model/coverage.ts';
import type { CraError } from '../../src/model/errors.ts';
import type { ServiceEvent } from '../../src/model/event.ts';
import type { Provider, PushView } from '../../src/model/push.ts';
import { coverageCounts, createCoverage } from '../../src/pushes/coverage.ts';
import { COVERAGE } from '../../src/pushes/limits.ts';
import { temporaryDir } from '../daemon.ts';
import { APP_ID, PRIVATE_KEY } from '../hosts/app-host.ts';
import { describeProblem } from '../hosts/operations.ts';
import { createSteppedClock, type SteppedClock } from '../hosts/stepped-clock.ts';

const HOUR_MS = 3_600_000;
const HOOK = 'https://cra.example.com/api/cra/webhook';

interface Reply {
  status?: number;
  json?: unknown;
  headers?: Record<string, string>;
}

/** Answers of a host by the path below its API: else 404, and 418 to what it does not describe. */
type Routes = Record<string, Reply | ((url: URL) => Reply)>;

interface StubHost {
  apiUrl: string;
  routes: Routes;
  /** Paths asked for, and when by the clock of the test. */
  asked: { path: string; at: number; token: string }[];
}

async function startHost(
  t: ExecutionContext,
  clock: SteppedClock,
  routes: Routes,
): Promise<StubHost> {
  const stub: StubHost = { apiUrl: '', routes, asked: [] };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://stub');
    const token = String(request.headers.authorization ?? request.headers['private-token']);
    const path = `${url.pathname}${url.search}`;
    stub.asked.push({ path, at: clock.now(), token });
    const { method = '', headers: sent } = request;
    const kind =
      'private-token' in sent ? 'gitlab' : token.startsWith('token ') ? 'gitea' : 'github';
    const problem = describeProblem(kind, { method, url: path, body: '' });
    const route: Routes[string] =
      problem !== null
        ? { status: 418, json: { message: problem } }
        : (stub.routes[url.pathname] ?? { status: 404, json: { message: 'Not Found' } });
    const {
      status = 200,
      json = {},
      headers = {},
    } = typeof route === 'function' ? route(url) : route;
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify(json));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  stub.apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return stub;
}

interface Opened {
  coverage: ReturnType<typeof createCoverage>;
  errors: CraError[];
  /** What subscribers are told. */
  told: ServiceEvent[];
}

function open(
  t: ExecutionContext,
  clock: SteppedClock,
  stub: StubHost,
  over: Partial<VcsHost> & { file?: string; newest?: PushView } = {},
): Opened {
  const { file = join(temporaryDir(t), 'coverage.json'), newest, ...host } = over;
  const errors: CraError[] = [];
  const told: ServiceEvent[] = [];
  const coverage = createCoverage({
    hosts: [
      {
        id: 'hub',
        provider: 'github',
        url: 'https://git.example.com',
        apiUrl: stub.apiUrl,
        token: 'secret-token',
        username: 'x',
        webhookSecrets: [],
        tenantId: 'default',
        owners: ['acme'],
        ...host,
      },
    ],
    pushes: { newestPushes: async () => ({ pushes: newest === undefined ? [] : [newest] }) },
    file,
    tell: async (events) => told.push(...events),
    onError: (error) => errors.push(error),
    clock,
  });
  coverage.start();
  t.teardown(() => coverage.stop());
  return { coverage, errors, told };
}

const rowsOf = ({ coverage }: Opened) => coverage.state(null)[0]?.repositories ?? [];
const rowOf = (opened: Opened, repo: string) => rowsOf(opened).find((row) => row.repo === repo);

const listed = (names: readonly string[], over: object = {}) =>
  names.map((full_name, at) => ({ id: at + 1, full_name, default_branch: 'main', ...over }));

const CHECK = { context: 'cra/gate' };
const GITHUB: Routes = {
  '/orgs/acme/repos': {
    json: [
      ...listed(['acme/ruled', 'acme/classic', 'acme/open', 'acme/hidden']),
      { id: 9, full_name: 'acme/old', default_branch: 'main', archived: true },
      { id: 10, full_name: 'acme/empty', default_branch: '' },
      { id: 11, full_name: '../evil', default_branch: 'main' },
    ],
  },
  '/repos/acme/ruled/hooks': {
    json: [
      { id: 1, active: true, events: ['push'], config: { url: 'https://other.example.com' } },
      { id: 2, active: true, events: ['push'], config: { url: HOOK } },
    ],
  },
  '/repos/acme/ruled/hooks/2/deliveries': {
    json: [{ delivered_at: '2026-11-20T09:00:00Z', status_code: 200 }],
  },
  '/repos/acme/ruled/rules/branches/main': {
    json: [
      { type: 'deletion' },
      {
        type: 'required_status_checks',
        ruleset_id: 7,
        parameters: { required_status_checks: [{ ...CHECK, integration_id: 4711 }] },
      },
    ],
  },
  '/repos/acme/ruled/branches/main': { json: { protected: true, protection: {} } },
  '/repos/acme/ruled/rulesets/7': {
    json: { bypass_actors: [{ actor_id: 5, actor_type: 'RepositoryRole' }] },
  },
  '/repos/acme/classic/hooks': {
    json: [{ id: 3, active: true, events: ['*'], config: { url: HOOK } }],
  },
  '/repos/acme/classic/hooks/3/deliveries': {
    json: [{ delivered_at: '2026-11-20T09:00:00Z', status_code: 502 }],
  },
  '/repos/acme/classic/rules/branches/main': { json: [] },
  '/repos/acme/classic/branches/main': {
    json: {
      protected: true,
      protection: {
        required_status_checks: {
          enforcement_level: 'non_admins',
          checks: [{ ...CHECK, app_id: -1 }],
        },
      },
    },
  },
  '/repos/acme/open/hooks': { json: [] },
  '/repos/acme/open/rules/branches/main': { json: [] },
  '/repos/acme/open/branches/main': { json: { protected: false, protection: { enabled: false } } },
  '/repos/acme/hidden/rules/branches/main': {
    status: 403,
    json: { message: 'Resource not accessible' },
  },
  '/repos/acme/empty/hooks': { json: [] },
};

test('GitHub: webhook, required check by ruleset or branch protection, and who may bypass', async (t) => {
  const clock = createSteppedClock();
  const stub = await startHost(t, clock, GITHUB);
  const opened = open(t, clock, stub);
  await clock.advance(10 * 60_000);
  const expected: [repo: string, Partial<RepositoryCoverage>][] = [
    [
      'acme/ruled',
      {
        coverage: 'covered',
        webhook: 'active',
        last_delivery_at: '2026-11-20T09:00:00.000Z',
        gate: 'required',
        gate_source: 'app',
        bypass: ['repository role 5'],
        newest_push: 'none',
      },
    ],
    [
      'acme/classic',
      {
        coverage: 'gap',
        webhook: 'failing',
        gate: 'required',
        gate_source: 'anybody',
        bypass: ['administrators'],
      },
    ],
    [
      'acme/open',
      { coverage: 'gap', webhook: 'missing', gate: 'missing', bypass: ['everybody who may push'] },
    ],
    ['acme/hidden', { coverage: 'unknown', webhook: 'unknown', gate: 'unknown', bypass: null }],
    ['acme/empty', { coverage: 'gap', webhook: 'missing', gate: 'unknown', default_branch: null }],
  ];
  t.is(rowsOf(opened).length, expected.length);
  for (const [repo, row] of expected) t.like(rowOf(opened, repo), row, repo);
  t.deepEqual(coverageCounts(opened.coverage.state(null)), { covered: 1, gap: 3, unknown: 1 });
  const [host] = opened.coverage.state('default');
  t.like(host, { host: 'hub', listed: 5, checked: 5, problem: null, started_at: null });
  t.truthy(host?.finished_at);
  t.deepEqual(opened.coverage.state('other'), []);
  t.true(stub.asked.every(({ token }) => token === 'Bearer secret-token'));
  t.deepEqual(opened.errors, []);
});

test('a GitHub App asks with the token of its installation, and has one webhook', async (t) => {
  const clock = createSteppedClock();
  const stub = await startHost(t, clock, {
    ...GITHUB,
    '/orgs/acme/repos': { json: listed(['acme/ruled', 'acme/open']) },
    '/users/acme/installation': { json: { id: 8 } },
    '/app/installations/8/access_tokens': {
      status: 201,
      json: { token: 'ghs_1', expires_at: new Date(clock.now() + HOUR_MS).toISOString() },
    },
  });
  const app = { appId: APP_ID, privateKey: PRIVATE_KEY };
  const opened = open(t, clock, stub, { app, token: null });
  await clock.advance(10 * 60_000);
  t.like(rowOf(opened, 'acme/ruled'), { webhook: 'active', gate: 'required', coverage: 'covered' });
  t.like(rowOf(opened, 'acme/open'), { webhook: 'active', gate: 'missing', coverage: 'gap' });
});

for (const [provider, list, repo, hooks] of [
  ['github', '/orgs/acme/repos', 'acme/a', '/orgs/acme/hooks'],
  ['gitea', '/orgs/acme/repos', 'acme/a', '/orgs/acme/hooks'],
  ['gitlab', '/groups/acme/projects', 'acme/web/a', '/groups/acme/hooks'],
] as const) {
  test(`the webhook of an organization covers its repositories, on ${provider}`, async (t) => {
    const clock = createSteppedClock();
    const named = [repo, repo.replace(/a$/, 'b')].map((full_name, at) => {
      return { id: at + 1, full_name, path_with_namespace: full_name, default_branch: 'main' };
    });
    const hook = { id: 5, active: true, events: ['push'], push_events: true, url: HOOK };
    const stub = await startHost(t, clock, {
      [list]: { json: named },
      [hooks]: { json: [{ ...hook, config: { url: HOOK } }] },
      '/orgs/acme/hooks/5/deliveries': {
        json: [{ delivered_at: '2026-11-20T09:00:00Z', status_code: 200 }],
      },
    });
    for (const { full_name } of named) {
      const id = provider === 'gitlab' ? encodeURIComponent(full_name) : full_name;
      stub.routes[`/${provider === 'gitlab' ? 'projects' : 'repos'}/${id}/hooks`] = { json: [] };
    }
    const opened = open(t, clock, stub, { provider });
    await clock.advance(10 * 60_000);
    for (const { full_name } of named) t.like(rowOf(opened, full_name), { webhook: 'active' });
    const asked = stub.asked.filter(({ path }) => path.startsWith(`${hooks}?`));
    t.is(asked.length, 1, 'once for all of them');
    stub.routes[hooks] = {
      json: [{ ...hook, active: false, push_events: false, config: { url: HOOK } }],
    };
    await clock.advance(7 * HOUR_MS);
    for (const { full_name } of named) t.like(rowOf(opened, full_name), { webhook: 'failing' });
    delete stub.routes[hooks];
    await clock.advance(7 * HOUR_MS);
    for (const { full_name } of named) t.like(rowOf(opened, full_name), { webhook: 'missing' });
  });
}

test('GitLab: pipelines that must succeed, and who may push', async (t) => {
  const clock = createSteppedClock();
  const waits = { only_allow_merge_if_pipeline_succeeds: true };
  const projects = [
    { path_with_namespace: 'acme/web/shop', id: 1, default_branch: 'main', ...waits },
    {
      path_with_namespace: 'acme/skips',
      id: 2,
      default_branch: 'main',
      ...waits,
      allow_merge_on_skipped_pipeline: true,
    },
    { path_with_namespace: 'acme/hidden', id: 3, default_branch: 'main', ...waits },
  ];
  const stub = await startHost(t, clock, {
    '/groups/acme/projects': { json: projects },
    '/projects/acme%2Fweb%2Fshop/hooks': { json: [{ id: 1, url: HOOK, push_events: true }] },
    '/projects/acme%2Fweb%2Fshop/protected_branches/main': {
      json: { push_access_levels: [{ access_level: 0 }] },
    },
    '/projects/acme%2Fskips/hooks': {
      json: [{ id: 2, url: HOOK, push_events: true, alert_status: 'disabled' }],
    },
    '/projects/acme%2Fhidden/hooks': { status: 403 },
    '/projects/acme%2Fhidden/protected_branches/main': { status: 403 },
  });
  const opened = open(t, clock, stub, { provider: 'gitlab' });
  await clock.advance(10 * 60_000);
  t.like(rowOf(opened, 'acme/web/shop'), {
    coverage: 'covered',
    webhook: 'active',
    gate: 'required',
    gate_source: 'anybody',
    bypass: [],
  });
  t.like(rowOf(opened, 'acme/skips'), {
    coverage: 'gap',
    webhook: 'failing',
    gate: 'missing',
    bypass: ['developers'],
  });
  t.like(rowOf(opened, 'acme/hidden'), { coverage: 'unknown', webhook: 'unknown', bypass: null });
  t.true(stub.asked.every(({ token }) => token === 'secret-token'));
});

for (const provider of ['gitea', 'forgejo'] as const satisfies Provider[]) {
  test(`${provider}: the status that the branch checks, and the rule that lets others by`, async (t) => {
    const clock = createSteppedClock();
    const hook = [{ id: 1, active: true, events: ['push'], config: { url: HOOK } }];
    const shown = (status_check_contexts: string[]) => ({
      protected: true,
      enable_status_check: true,
      status_check_contexts,
      effective_branch_protection_name: 'main',
    });
    const stub = await startHost(t, clock, {
      '/users/acme/repos': { json: listed(['acme/shop', 'acme/other']) },
      '/repos/acme/shop/hooks': { json: hook },
      '/repos/acme/shop/branches/main': { json: shown(['build', 'cra/*']) },
      '/repos/acme/shop/branch_protections': {
        json: [{ rule_name: 'main', block_admin_merge_override: true, enable_push: false }],
      },
      '/repos/acme/other/hooks': { json: [{ ...hook[0], active: false }] },
      '/repos/acme/other/branches/main': { json: shown(['build']) },
    });
    const opened = open(t, clock, stub, { provider });
    await clock.advance(10 * 60_000);
    t.like(rowOf(opened, 'acme/shop'), { coverage: 'covered', gate: 'required', bypass: [] });
    t.like(rowOf(opened, 'acme/other'), { coverage: 'gap', webhook: 'failing', gate: 'missing' });
  });
}

test('a push of the default branch that could not be judged is a gap', async (t) => {
  const clock = createSteppedClock();
  const hooks = '/repos/acme/ruled/hooks';
  let isHidden = false;
  const stub = await startHost(t, clock, {
    ...GITHUB,
    '/orgs/acme/repos': { json: listed(['acme/ruled']) },
    [hooks]: () => (isHidden ? { status: 403 } : (GITHUB[hooks] as Reply)),
  });
  const newest: PushView = {
    ref: 'refs/heads/main',
    rfc_id: 'RFC-1',
    commit_sha: 'a'.repeat(40),
    overall_status: 'BLOCKED',
    isAccepted: false,
    isUnjudged: true,
  };
  const opened = open(t, clock, stub, { newest });
  await clock.advance(60_000);
  t.like(rowOf(opened, 'acme/ruled'), { newest_push: 'unjudged', coverage: 'gap' });
  const told = { type: 'coverage.gap', subject: 'hub acme/ruled', repo: 'acme/ruled' } as const;
  t.like(opened.told, [told]);
  await clock.advance(COVERAGE.INTERVAL_MS_MAX + 60_000);
  t.is(opened.told.length, 1, 'a gap that stays is told once');
  newest.isUnjudged = false;
  newest.overall_status = 'PASSED';
  isHidden = true;
  await clock.advance(COVERAGE.INTERVAL_MS_MAX + 60_000);
  t.is(rowOf(opened, 'acme/ruled')?.coverage, 'unknown');
  t.is(opened.told.length, 1, 'a check that sees nothing tells nothing');
  isHidden = false;
  await clock.advance(COVERAGE.INTERVAL_MS_MAX + 60_000);
  t.like(opened.told, [told, { ...told, type: 'coverage.covered' }]);
});

const FAULTS: [name: string, fault: Reply, problem: RegExp, waitMs: number][] = [
  ['401', { status: 401 }, /refuses our token/, COVERAGE.RETRY_MS],
  [
    'the primary limit',
    { status: 403, headers: { 'x-ratelimit-remaining': '0', 'retry-after': '900' } },
    /limits our calls \(status 403\)/,
    900_000,
  ],
  [
    'the secondary limit',
    { status: 403, json: { message: 'You have exceeded a secondary rate limit' } },
    /limits our calls/,
    COVERAGE.RETRY_MS,
  ],
  ['429', { status: 429, headers: { 'retry-after': '120' } }, /limits our calls/, 120_000],
  ['502', { status: 502 }, /the host failed/, COVERAGE.RETRY_MS],
  ['503', { status: 503, headers: { 'retry-after': '90' } }, /the host failed/, 90_000],
];

for (const [name, fault, problem, waitMs] of FAULTS) {
  test(`${name} holds the round up, and it goes on where it was`, async (t) => {
    const clock = createSteppedClock();
    let isFaulty = true;
    const hooks = '/repos/acme/open/hooks';
    const stub = await startHost(t, clock, {
      ...GITHUB,
      '/orgs/acme/repos': { json: listed(['acme/ruled', 'acme/open']) },
      [hooks]: () => (isFaulty ? fault : { json: [] }),
    });
    const opened = open(t, clock, stub);
    await clock.advance(1_000);
    const [held] = opened.coverage.state(null);
    t.regex(held?.problem ?? '', problem);
    t.like(held, { listed: 2, checked: 1, finished_at: null });
    const countOf = () => stub.asked.filter(({ path }) => path.startsWith(hooks)).length;
    t.is(countOf(), 1);
    await clock.advance(waitMs - 5_000);
    t.is(countOf(), 1, 'the host is left alone');
    isFaulty = false;
    await clock.advance(10_000);
    t.like(opened.coverage.state(null)[0], { checked: 2, problem: null });
    t.is(
      stub.asked.filter(({ path }) => path.startsWith('/orgs/acme/repos')).length,
      1,
      'listed once',
    );
    t.is(opened.errors.length, 1);
  });
}

test('a repository of which the host fails holds up no other, and is unknown in the end', async (t) => {
  const clock = createSteppedClock();
  const stub = await startHost(t, clock, {
    ...GITHUB,
    '/orgs/acme/repos': { json: listed(['acme/broken', 'acme/moved', 'acme/open']) },
    '/repos/acme/broken/hooks': { status: 500 },
    '/repos/acme/moved/hooks': { status: 301 },
    '/repos/acme/moved/rules/branches/main': { status: 451 },
  });
  const opened = open(t, clock, stub);
  await clock.advance(2 * COVERAGE.RETRY_MS);
  t.deepEqual(
    rowsOf(opened).map(({ repo, coverage }) => [repo, coverage]),
    [
      ['acme/moved', 'unknown'],
      ['acme/open', 'gap'],
    ],
  );
  t.is(opened.coverage.state(null)[0]?.finished_at, null);
  await clock.advance((COVERAGE.TRIES_MAX + 1) * COVERAGE.RETRY_MS);
  t.is(rowOf(opened, 'acme/broken')?.coverage, 'unknown');
  t.truthy(opened.coverage.state(null)[0]?.finished_at);
});

test('an owner that the token does not see is named, and the others are checked', async (t) => {
  const clock = createSteppedClock();
  const stub = await startHost(t, clock, {
    ...GITHUB,
    '/orgs/acme/repos': { json: listed(['acme/open']) },
  });
  const opened = open(t, clock, stub, { owners: ['nobody', 'acme'] });
  await clock.advance(60_000);
  const [host] = opened.coverage.state(null);
  t.like(host, { checked: 1, problem: 'our token sees no owner of repositories named nobody' });
});

test('a round goes on after a restart, and other owners begin a new one', async (t) => {
  const clock = createSteppedClock();
  const file = join(temporaryDir(t), 'coverage.json');
  const stub = await startHost(t, clock, {
    '/orgs/acme/repos': { json: listed(Array.from({ length: 60 }, (_, n) => `acme/r${n}`)) },
    '/orgs/other/repos': { json: listed(['other/one']) },
  });
  const first = open(t, clock, stub, { file });
  await clock.advance(30_000);
  const before = first.coverage.state(null)[0]?.checked ?? 0;
  t.true(before > 2 && before < 60, `${before}`);
  await first.coverage.stop();

  const second = open(t, clock, stub, { file });
  t.is(second.coverage.state(null)[0]?.checked, before);
  await clock.advance(8 * 60_000);
  t.like(second.coverage.state(null)[0], { checked: 60, listed: 60 });
  t.is(stub.asked.filter(({ path }) => path.startsWith('/orgs/acme/repos')).length, 1);
  const count = stub.asked.length;
  await clock.advance(5 * 60_000);
  t.is(stub.asked.length, count, 'the next round comes later');
  await second.coverage.stop();

  const third = open(t, clock, stub, { file, owners: ['other'] });
  await clock.advance(60_000);
  t.deepEqual(
    rowsOf(third).map(({ repo }) => repo),
    ['other/one'],
  );
  // It took no minute: a gap that was closed is seen soon.
  const { finished_at: ended } = third.coverage.state(null)[0] ?? {};
  await clock.advance(COVERAGE.INTERVAL_MS_MIN + 60_000);
  t.true((third.coverage.state(null)[0]?.finished_at ?? '') > (ended ?? ''));
});

test('1,000 repositories are listed in pages of 100, within the budget of calls', async (t) => {
  const clock = createSteppedClock();
  const names = Array.from({ length: 1_000 }, (_, n) => `acme/r${n}`);
  const stub = await startHost(t, clock, {
    '/orgs/acme/repos': (url) => {
      const page = Number(url.searchParams.get('page'));
      return { json: listed(names.slice((page - 1) * 100, page * 100)) };
    },
  });
  const opened = open(t, clock, stub);
  await clock.advance(3 * HOUR_MS);
  t.like(opened.coverage.state(null)[0], { listed: 1_000, checked: 1_000, started_at: null });
  t.is(stub.asked.filter(({ path }) => path.startsWith('/orgs/acme/repos')).length, 11);
  const most = COVERAGE.BURST_MAX + COVERAGE.REFILL_PER_MINUTE;
  const times = stub.asked.map(({ at }) => at);
  times.forEach((at, n) => {
    const within = times.slice(n, n + most + 1).filter((other) => other - at < 60_000);
    t.true(within.length <= most, `${within.length} calls in a minute`);
  });
});
