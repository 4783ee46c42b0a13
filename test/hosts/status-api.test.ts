import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import type { CommitStatus, PostResult } from '../../src/hosts/host.ts';
import type { VcsHost } from '../../src/hosts/settings.ts';
import { openStatusApi, openStatusReader, statusProblem } from '../../src/hosts/status-api.ts';
import type { Provider, StatusEvent } from '../../src/model/push.ts';
import { fake } from '../../src/rules/fake.ts';
import { describeProblem } from './operations.ts';
import { type Fault, startStatusHost } from './status-host.ts';

const TOKEN = fake('token-', 40);
const SHA = 'a1'.repeat(20);
const NOW = Date.parse('2026-11-21T10:00:00.000Z');

const STATUS: CommitStatus = {
  repo: 'acme/shop',
  sha: SHA,
  branch: 'feature/a',
  state: 'failure',
  description: '1 critical, 0 high, score 80',
  targetUrl: 'https://cra.example/cra#approve-RFC-1',
};

type Kind = 'github' | 'gitea' | 'gitlab';

async function open(t: ExecutionContext, kind: Kind, over: Partial<VcsHost> = {}) {
  const host = await startStatusHost(t, { kind, token: TOKEN });
  const settings: VcsHost = {
    id: kind,
    provider: kind,
    url: host.url,
    apiUrl: host.apiUrl,
    token: TOKEN,
    username: 'cra',
    webhookSecrets: [],
    tenantId: 'default',
    ...over,
  };
  const post = openStatusApi(settings, { deadlineMs: 20_000, now: () => NOW });
  if (post === null) throw new Error('it has an API and a token');
  const send = (status: Partial<CommitStatus> = {}) =>
    post(
      { ...STATUS, ...status },
      { signal: new AbortController().signal, onCall: () => undefined },
    );
  return { host, send };
}

for (const kind of ['github', 'gitea', 'gitlab'] as const) {
  test(`${kind}: a status arrives with its context, text and link`, async (t) => {
    const { host, send } = await open(t, kind);
    t.deepEqual(await send(), { outcome: 'posted' });
    t.deepEqual(host.taken, [
      {
        repo: 'acme/shop',
        sha: SHA,
        context: 'cra/gate',
        state: kind === 'gitlab' ? 'failed' : 'failure',
        description: STATUS.description,
        targetUrl: STATUS.targetUrl,
        ref: kind === 'gitlab' ? 'feature/a' : null,
      },
    ]);
  });

  test(`${kind}: the status of a component has a context of its own`, async (t) => {
    const { host, send } = await open(t, kind);
    t.deepEqual(await send({ component: 'web' }), { outcome: 'posted' });
    t.is(host.taken[0]?.context, 'cra/gate/web');
  });

  test(`${kind}: each state is one that the host knows`, async (t) => {
    const { host, send } = await open(t, kind);
    for (const state of ['pending', 'success', 'failure', 'error'] as const) {
      t.deepEqual(await send({ state }), { outcome: 'posted' });
    }
    const known = ['pending', 'success', 'failure', 'error'];
    const states = kind === 'gitlab' ? ['pending', 'success', 'failed', 'canceled'] : known;
    t.deepEqual(
      host.taken.map(({ state }) => state),
      states,
    );
  });

  test(`${kind}: a description is cut to what the host takes, between characters`, async (t) => {
    const { host, send } = await open(t, kind);
    t.deepEqual(await send({ description: '\u{1F6A6}'.repeat(300) }), { outcome: 'posted' });
    const [taken] = host.taken;
    t.is([...(taken?.description ?? '')].length, kind === 'github' ? 140 : 255);
    t.true(taken?.description.isWellFormed());
  });

  test(`${kind}: a commit that the host does not know yet is tried again later`, async (t) => {
    const { host, send } = await open(t, kind);
    host.unknown.add(SHA);
    t.is((await send()).outcome, 'later');
    host.unknown.clear();
    t.is((await send()).outcome, 'posted');
  });
}

test('gitlab: subgroups are one part of the path; elsewhere they are not a repository', async (t) => {
  const gitlab = await open(t, 'gitlab');
  t.is((await gitlab.send({ repo: 'acme/team/shop' })).outcome, 'posted');
  t.is(gitlab.host.stateOf('acme/team/shop', SHA), 'failed');
  const github = await open(t, 'github');
  t.is((await github.send({ repo: 'acme/team/shop' })).outcome, 'refused');
  t.is(github.host.requests, 0);
});

test('gitlab: pending again is done, as the host shows it already', async (t) => {
  const { host, send } = await open(t, 'gitlab');
  t.is((await send({ state: 'pending' })).outcome, 'posted');
  t.is((await send({ state: 'pending' })).outcome, 'posted');
  t.is(host.taken.length, 1);
});

test('github: a commit with 1,000 statuses of the context is given up', async (t) => {
  const { host, send } = await open(t, 'github');
  const kept = { ...STATUS, context: 'cra/gate', ref: null };
  host.taken.push(...Array.from({ length: 1_000 }, () => kept));
  t.is((await send()).outcome, 'refused');
  t.is(host.taken.length, 1_000);
});

test('a wrong token is refused by every host', async (t) => {
  for (const kind of ['github', 'gitea', 'gitlab'] as const) {
    const { send } = await open(t, kind, { token: fake('other-', 40) });
    t.is((await send()).outcome, 'refused', kind);
  }
});

test('a host without token or API gets no statuses', (t) => {
  const host: VcsHost = {
    id: 'h',
    provider: 'github',
    url: 'https://h.example',
    apiUrl: 'https://h.example/api',
    token: null,
    username: 'cra',
    webhookSecrets: [],
    tenantId: 'default',
  } as const;
  const options = { deadlineMs: 1_000, now: () => NOW };
  t.is(openStatusApi(host, options), null);
  t.is(openStatusApi({ ...host, token: TOKEN, apiUrl: null }, options), null);
});

const FAULTS: [Fault, number | null, Partial<PostResult>][] = [
  ['down', null, { outcome: 'down', waitMs: 0 }],
  ['breaks-off', null, { outcome: 'down' }],
  ['endless', null, { outcome: 'down' }],
  ['html', null, { outcome: 'down' }],
  [502, null, { outcome: 'down' }],
  [503, 7, { outcome: 'down', waitMs: 7_000 }],
  ['redirects', null, { outcome: 'refused' }],
  [401, null, { outcome: 'refused' }],
  [403, null, { outcome: 'refused' }],
  [404, null, { outcome: 'later' }],
  [409, null, { outcome: 'later' }],
  [422, null, { outcome: 'refused' }],
  [429, 5, { outcome: 'limited', waitMs: 5_000 }],
  [429, null, { outcome: 'limited', waitMs: 60_000 }],
  ['secondary-limit', 90, { outcome: 'limited', waitMs: 90_000 }],
  ['secondary-limit', null, { outcome: 'limited', waitMs: 60_000 }],
  [429, 999_999, { outcome: 'limited', waitMs: 3_600_000 }],
];

for (const [fault, wait, expected] of FAULTS) {
  test(`a host that answers ${fault}${wait === null ? '' : ` (wait ${wait} s)`}`, async (t) => {
    for (const kind of ['github', 'gitea', 'gitlab'] as const) {
      const { host, send } = await open(t, kind);
      host.retryAfterSeconds = wait;
      await host.setFault(fault);
      const result = await send();
      t.like(result, expected, kind);
      t.false(JSON.stringify(result).includes(TOKEN));
      t.is(host.taken.length, 0);
      await host.setFault('none');
      t.is((await send()).outcome, 'posted', 'and afterwards it takes the status');
    }
  });
}

test('github: with its calls used up it says when there are some again', async (t) => {
  const { host, send } = await open(t, 'github');
  host.now = () => NOW;
  host.retryAfterSeconds = 120;
  await host.setFault('primary-limit');
  t.like(await send(), { outcome: 'limited', waitMs: 120_000 });
});

test('status 500 means an unknown commit on Gitea, and a failing host elsewhere', async (t) => {
  for (const [kind, outcome] of [
    ['github', 'down'],
    ['gitea', 'later'],
    ['gitlab', 'down'],
  ] as const) {
    const { host, send } = await open(t, kind);
    await host.setFault(500);
    t.is((await send()).outcome, outcome, kind);
  }
});

test('a host that hangs is given up at the deadline, and at a stop at once', async (t) => {
  const host = await startStatusHost(t, { kind: 'gitea', token: TOKEN });
  await host.setFault('hangs');
  const settings: VcsHost = {
    id: 'g',
    provider: 'gitea',
    url: host.url,
    apiUrl: host.apiUrl,
    token: TOKEN,
    username: 'cra',
    webhookSecrets: [],
    tenantId: 'default',
  };
  const quick = openStatusApi(settings, { deadlineMs: 50, now: () => NOW });
  const late = await quick?.(STATUS, {
    signal: new AbortController().signal,
    onCall: () => undefined,
  });
  t.deepEqual(late, { outcome: 'down', reason: 'no answer in time', waitMs: 0 });
  const patient = openStatusApi(settings, { deadlineMs: 60_000, now: () => NOW });
  const stop = new AbortController();
  const running = patient?.(STATUS, { signal: stop.signal, onCall: () => undefined });
  stop.abort();
  t.is((await running)?.outcome, 'down');
});

test('statusProblem says why the statuses of a tenant cannot be posted', (t) => {
  const host: VcsHost = {
    id: 'hub',
    provider: 'github',
    url: 'https://hub.example',
    token: TOKEN,
    apiUrl: 'https://hub.example/api',
    username: 'cra',
    webhookSecrets: [],
    tenantId: 'acme',
  };
  const problem = (over: Partial<VcsHost> = {}, tenantId = 'acme', defaultHost = 'hub') =>
    statusProblem({ hosts: [{ ...host, ...over }], defaultHost }, tenantId);
  t.is(problem(), null);
  t.regex(problem({}, 'other') ?? '', /belongs to another tenant/);
  t.regex(problem({ token: null }) ?? '', /no token/);
  t.regex(problem({ apiUrl: null }) ?? '', /no API/);
  t.regex(problem({}, 'acme', 'lab') ?? '', /no default Git host/);
});

const EVENT: StatusEvent = {
  repoFullName: 'acme/shop',
  repositoryId: '42',
  origin: null,
  sha: SHA,
  component: null,
  state: 'success',
  description: '',
  sender: null,
  appIds: null,
};

/** Reads a status of a host that gives this answer; and which path was asked for. */
async function readAt(t: ExecutionContext, provider: Provider, status: number, json: unknown) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { authorization = request.headers['private-token'] } = request.headers;
    asked.push(`${request.method} ${request.url} ${authorization}`);
    const { method = '', url = '' } = request;
    const kind = provider === 'forgejo' ? 'gitea' : provider;
    const problem = describeProblem(kind, { method, url, body: '' });
    response.writeHead(problem === null ? status : 418, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(json));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const host = { provider, apiUrl, token: TOKEN } as VcsHost;
  const read = openStatusReader(host, { deadlineMs: 5_000, now: Date.now });
  const { signal } = new AbortController();
  return {
    read: (event = EVENT) => read?.(event, signal) ?? null,
    asked,
  };
}

test('openStatusReader reads the newest status under a name', async (t) => {
  const list = [
    { context: 'ci', state: 'failure', status: 'failure', description: 'x' },
    { context: 'cra/gate', state: 'success', status: 'success', description: 'newest' },
    { context: 'cra/gate', state: 'failure', status: 'failure', description: 'older' },
  ];
  for (const [provider, path] of [
    ['github', `/repos/acme/shop/commits/${SHA}/statuses?per_page=100 Bearer`],
    ['gitea', `/repos/acme/shop/commits/${SHA}/statuses?sort=recentupdate&limit=50 token`],
  ] as const) {
    const { read, asked } = await readAt(t, provider, 200, list);
    t.deepEqual(await read(), { state: 'success', description: 'newest' });
    t.deepEqual(asked, [`GET ${path} ${TOKEN}`]);
    t.is(await read({ ...EVENT, component: 'web' }), null);
  }
  t.is(await (await readAt(t, 'github', 200, { odd: true })).read(), null);
  for (const status of [401, 403, 404, 429, 500]) {
    const { read } = await readAt(t, 'github', status, {});
    await t.throwsAsync(async () => read(), { code: 'UNAVAILABLE' }, `${status}`);
  }
  // Seen at Gitea 1.24 for statuses of one second.
  const ofOneSecond = [
    { id: 2, context: 'cra/gate', status: 'failure', description: 'older' },
    { id: 3, context: 'cra/gate', status: 'success', description: 'newest' },
    { id: 1, context: 'cra/gate', status: 'pending', description: 'oldest' },
  ];
  const tea = await readAt(t, 'gitea', 200, ofOneSecond);
  t.deepEqual(await tea.read(), { state: 'success', description: 'newest' });
  const ofLab = [
    { id: 9, name: 'cra/gate', status: 'failed', description: 'newest' },
    { id: 8, name: 'cra/gate', status: 'success', description: 'older' },
  ];
  const lab = await readAt(t, 'gitlab', 200, ofLab);
  t.deepEqual(await lab.read(), { state: 'failure', description: 'newest' });
  const query = 'name=cra%2Fgate&order_by=id&sort=desc';
  const path = `/projects/acme%2Fshop/repository/commits/${SHA}/statuses?${query}`;
  t.deepEqual(lab.asked, [`GET ${path} ${TOKEN}`]);
});
