import { createServer } from 'node:http';
import test, { type ExecutionContext } from 'ava';
import { gitHost } from '../../src/hosts/hosts.ts';
import type { VcsHost } from '../../src/hosts/settings.ts';
import { readPullRequestBody } from '../../src/hosts/webhook.ts';
import type { CraError } from '../../src/model/errors.ts';
import type { Provider } from '../../src/model/push.ts';
import type { RfcRecord } from '../../src/model/records.ts';
import { createIntake } from '../../src/pushes/intake.ts';
import { createPullNotes } from '../../src/pushes/pull-requests.ts';
import { createPullSweep } from '../../src/pushes/pull-sweep.ts';
import { fake } from '../../src/rules/fake.ts';
import { describeProblem } from '../hosts/operations.ts';
import { createSteppedClock } from '../hosts/stepped-clock.ts';
import { claim, finish, judged, PULL_REQUEST, pushed } from '../store/conformance/push-steps.ts';
import { type Harness, list, NOW, read } from '../store/conformance/steps.ts';
import { openHarness } from '../store/sqlite/harness.ts';

const INTERVAL_MS = 300_000;
const TOKEN = fake('token-', 40);
const shaOf = (index: number) => index.toString(16).padStart(40, '0');

interface Pull {
  number: number;
  sha: string;
  isOwn?: boolean;
  /** When it was changed last; absent: the list does not say. */
  updated_at?: string;
}

/** A host that lists pull requests, a store, and the sweep between them. */
async function openSite(t: ExecutionContext, provider: Provider, repos = ['acme/shop']) {
  const clock = createSteppedClock();
  const harness = await openHarness(clock.now);
  t.teardown(() => harness.close());
  const requests: string[] = [];
  const statuses: number[] = [];
  let pulls: Pull[] = [];
  /** Answers in place of the list. */
  const faults: { path: RegExp; status: number; headers?: Record<string, string> }[] = [];
  const kind = provider === 'forgejo' ? 'gitea' : provider;
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    requests.push(url);
    const problem = describeProblem(kind, { method, url, body: '' });
    const fault = faults.find(({ path }) => path.test(url));
    const etag = `"${JSON.stringify(pulls).length}-${pulls.at(-1)?.sha}"`;
    const isKnown = kind === 'github' && headers['if-none-match'] === etag;
    const status = problem !== null ? 418 : (fault?.status ?? (isKnown ? 304 : 200));
    statuses.push(status);
    response.writeHead(status, { ...(kind === 'github' && { etag }), ...fault?.headers });
    const [, repo = ''] = /^\/(?:repos|projects)\/(.+)\/(?:pulls|merge_requests)\?/.exec(url) ?? [];
    const entries = pulls.map((pull) => entryOf(provider, decodeURIComponent(repo), pull));
    response.end(status === 200 ? JSON.stringify(entries) : '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const { port } = server.address() as { port: number };
  const host: VcsHost = {
    id: 'hub',
    provider,
    url: 'https://git.example.com',
    apiUrl: `http://127.0.0.1:${port}`,
    token: TOKEN,
    username: gitHost(provider).cloneUsername,
    webhookSecrets: [],
    tenantId: 'default',
  };
  const unused = () => {
    throw new Error('it is not used');
  };
  const intake = createIntake({
    pushes: harness.pushes,
    settings: { hosts: [host], judgesTags: true },
    secrets: [],
    readLarge: async ({ body, is_form: isForm }) =>
      readPullRequestBody(body, { provider, isForm, redact: (text) => text.replace('key', '***') }),
    rulesRevision: () => 'r1',
    now: () => new Date(clock.now()),
    isFull: () => false,
    onAccepted: () => undefined,
    onRefused: unused,
    onStatus: unused,
    onDeployAsked: unused,
    onIgnored: unused,
    onRechecked: unused,
  });
  for (const [index, repo_name] of repos.entries()) {
    const push = { repository_id: String(idOf(repo_name)) };
    const over = { rfc_id: `RFC-${index}`, repo_name, push };
    await judged(harness, over, { overall_status: 'PASSED' });
  }
  const errors: CraError[] = [];
  const sweep = createPullSweep({
    hosts: [host],
    pushes: harness.pushes,
    takeUp: intake.takeUp,
    deploys: { lookAt: unused, wake: () => undefined },
    intervalMs: INTERVAL_MS,
    onError: (error) => errors.push(error),
    clock,
  });
  sweep.start();
  t.teardown(() => sweep.stop());
  return {
    clock,
    harness,
    host,
    intake,
    requests,
    statuses,
    faults,
    errors,
    show(...shown: Pull[]) {
      pulls = shown;
    },
    round: () => clock.advance(INTERVAL_MS),
    found: async () => {
      const records = await pulledRecords(harness);
      return records.map(
        ({ ref, commit_sha }) => `${ref} ${Number.parseInt(commit_sha ?? '', 16)}`,
      );
    },
  };
}

/** What was taken up, the oldest first. */
async function pulledRecords({ store }: Harness): Promise<RfcRecord[]> {
  const { summaries } = await list(store, { limit: 100 });
  const records = await Promise.all(
    summaries.map(({ rfc_id }) => read(store, { tenant_id: 'default', rfc_id } as RfcRecord)),
  );
  return records.filter(({ pull_request }) => pull_request !== undefined).reverse();
}

/** What the host calls a repository, whatever its name is. */
function idOf(repo: string): number {
  return Number.parseInt(Buffer.from(repo).toString('hex').slice(-8), 16);
}

/** As each host lists it. */
function entryOf(
  provider: Provider,
  repo: string,
  { number, sha, isOwn = false, updated_at }: Pull,
) {
  const url = `https://git.example.com/${repo}`;
  const title = 'Add key';
  if (provider === 'gitlab') {
    return {
      iid: number,
      title,
      sha,
      updated_at,
      source_branch: 'next',
      source_project_id: isOwn ? idOf(repo) : 2,
      target_branch: 'main',
      target_project_id: idOf(repo),
      web_url: `${url}/-/merge_requests/${number}`,
      author: { id: 5, username: 'eve' },
    };
  }
  const base = { id: idOf(repo), full_name: repo, default_branch: 'main', html_url: url };
  return {
    number,
    title,
    updated_at,
    html_url: `${url}/pull/${number}`,
    user: { login: 'eve' },
    head: { ref: 'next', sha, repo: isOwn ? base : { id: 2 } },
    base: { ref: 'main', repo: base },
  };
}

for (const provider of ['github', 'gitea', 'forgejo', 'gitlab'] as const) {
  test(`a fork's pull request whose event was lost is found once, on ${provider}`, async (t) => {
    const site = await openSite(t, provider);
    const kind = provider === 'gitlab' ? 'merge-requests' : 'pull';
    site.show({ number: 7, sha: shaOf(1) }, { number: 8, sha: shaOf(2), isOwn: true });
    await site.round();
    t.deepEqual(await site.found(), [`refs/${kind}/7/head 1`]);
    const [record] = await pulledRecords(site.harness);
    t.like(record?.pull_request, { number: 7, title: 'Add ***', author: 'eve', from_fork: true });
    t.like(record?.push, { source: 'pull-request', repository_id: String(idOf('acme/shop')) });
    await site.round();
    await site.round();
    site.show({ number: 7, sha: shaOf(3) });
    await site.round();
    t.deepEqual(await site.found(), [`refs/${kind}/7/head 1`, `refs/${kind}/7/head 3`]);
    t.deepEqual(site.statuses, provider === 'github' ? [200, 200, 304, 200] : [200, 200, 200, 200]);
    t.deepEqual(site.errors, []);
  });
}

test('a pull request that nobody has changed for 30 days is left out until somebody does', async (t) => {
  const site = await openSite(t, 'gitlab');
  // The first round is at 10:05 of 21 November.
  const old = { number: 7, sha: shaOf(1), updated_at: '2026-10-22T10:04:59Z' };
  site.show({ number: 6, sha: shaOf(2), updated_at: '2026-10-22T10:05:01Z' }, old);
  await site.round();
  t.deepEqual(await site.found(), ['refs/merge-requests/6/head 2']);
  site.show({ ...old, updated_at: '2026-11-21T10:06:00Z' });
  await site.round();
  t.is((await site.found()).length, 2);
});

test('a repository that our token may not see holds up no other; a host that is down does', async (t) => {
  const site = await openSite(t, 'github', ['acme/a', 'acme/b', 'acme/c', 'acme/d']);
  site.show({ number: 7, sha: shaOf(1) });
  site.faults.push({ path: /acme\/a/, status: 404 }, { path: /acme\/c/, status: 500 });
  await site.round();
  t.is(site.requests.length, 4);
  site.faults.push({ path: /acme\/b/, status: 429, headers: { 'Retry-After': '900' } });
  await site.round();
  t.is(site.requests.length, 6);
  t.deepEqual(
    site.errors.map(({ code }) => code),
    ['UNAVAILABLE', 'UNAVAILABLE'],
  );
  await site.round();
  t.is(site.requests.length, 6, 'it asked us to wait for 15 minutes');
  site.faults.length = 0;
  await site.clock.advance(3 * INTERVAL_MS);
  t.true(site.requests.length >= 10);
  site.faults.push({ path: /./, status: 503 });
  const before = site.requests.length;
  await site.round();
  t.is(site.requests.length, before + 3);
});

test('a host is asked within a budget, and a round goes on where it waited', async (t) => {
  const repos = Array.from({ length: 60 }, (_, n) => `acme/r${n}`);
  const site = await openSite(t, 'gitea', repos);
  await site.round();
  t.is(site.requests.length, 5);
  await site.clock.advance(60_000);
  t.is(site.requests.length, 25);
  await site.clock.advance(120_000);
  t.is(new Set(site.requests).size, 60);
});

test('a restart before the note of a pull request: its next event makes the note', async (t) => {
  const harness = await openHarness(() => NOW);
  t.teardown(() => harness.close());
  const { pushes, store } = harness;
  const { ref } = await pushed(pushes, { rfc_id: 'RFC-1' });
  const id = { tenant_id: 'default', rfc_id: 'RFC-1' };
  const daemon = () =>
    createPullNotes({
      pushes,
      store,
      now: () => new Date(NOW),
      onError: (error) => t.fail(error.message),
    });
  const noted = async () =>
    JSON.parse(Buffer.from((await store.getRfc(id)).json).toString()).pull_request;
  await daemon().note(id, ref ?? '', PULL_REQUEST);
  const after = daemon();
  const claimed = await claim(pushes);
  if (claimed !== null) await finish(harness, claimed);
  after.settled('RFC-1');
  t.is(await noted(), undefined, 'nothing is known of the event from before');
  await after.note(id, ref ?? '', PULL_REQUEST);
  t.deepEqual(await noted(), PULL_REQUEST);
});
