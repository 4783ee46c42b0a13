import test, { type ExecutionContext } from 'ava';
import { createDeployCheck } from '../../src/deploys/deploy-check.ts';
import type { ActiveFreeze } from '../../src/deploys/freezes.ts';
import { createProdJudge } from '../../src/heads/prod-check.ts';
import type { VcsHost } from '../../src/hosts/settings.ts';
import type { CraError } from '../../src/model/errors.ts';
import { createDeployAnswers } from '../../src/pushes/deploy-answers.ts';
import { createIntake } from '../../src/pushes/intake.ts';
import { createPullSweep } from '../../src/pushes/pull-sweep.ts';
import { fake } from '../../src/rules/fake.ts';
import { APP_ID, PRIVATE_KEY, startAppHost, type WaitingJob } from '../hosts/app-host.ts';
import { createSteppedClock } from '../hosts/stepped-clock.ts';
import { claim, finish, judged, pushed } from '../store/conformance/push-steps.ts';
import { openHarness } from '../store/sqlite/harness.ts';
import { hookOf } from './daemon/hooks.ts';

const SECRET = fake('hub-', 40);
const REPO = 'acme/shop';
const INTERVAL_MS = 300_000;

/** GitHub, a store, and what answers between them. */
async function openSite(t: ExecutionContext) {
  const clock = createSteppedClock();
  const app = await startAppHost(t);
  const harness = await openHarness(clock.now);
  t.teardown(() => harness.close());
  const { pushes, trail, store: records } = harness;
  const host: VcsHost = {
    id: 'hub',
    provider: 'github',
    url: 'https://git.example.com',
    apiUrl: app.apiUrl,
    token: null,
    app: { appId: APP_ID, privateKey: PRIVATE_KEY },
    username: 'x-access-token',
    webhookSecrets: [],
    tenantId: 'default',
  };
  const freezes: ActiveFreeze[] = [];
  const unused = async () => {
    throw new Error('it is not used');
  };
  const judging = createProdJudge(
    { pushes, trail, records },
    () => ({}),
    async () => null,
  );
  const check = createDeployCheck({
    ...judging,
    pushes,
    records,
    source: { ancestry: unused },
    ledger: {
      running: async () => null,
      ranBefore: async () => null,
      hasPassed: async () => false,
    },
    findFreezes: async () => freezes,
    now: clock.now,
    baseUrl: () => 'https://cra.example',
  });
  const answered: string[] = [];
  const errors: CraError[] = [];
  const answers = createDeployAnswers({
    hosts: [host],
    check,
    onAnswered: ({ runId, state }) => answered.push(`${runId} ${state}`),
    onError: (error) => errors.push(error),
    clock,
  });
  t.teardown(() => answers.stop());
  const never = () => {
    throw new Error('it is not used');
  };
  const intake = createIntake({
    pushes,
    settings: { hosts: [host], judgesTags: true },
    secrets: [{ family: 'hub', secret: SECRET, host: 'hub' }],
    readLarge: never,
    rulesRevision: () => 'r1',
    now: () => new Date(clock.now()),
    isFull: () => false,
    onAccepted: never,
    onRefused: never,
    onStatus: never,
    onDeployAsked: answers.ask,
    onIgnored: () => undefined,
    onRechecked: never,
  });
  const sweep = createPullSweep({
    hosts: [host],
    pushes,
    takeUp: never,
    deploys: answers,
    intervalMs: INTERVAL_MS,
    onError: (error) => errors.push(error),
    clock,
  });
  t.teardown(() => sweep.stop());
  const deliver = async (payload: object, secret = SECRET) => {
    const { body, headers } = hookOf('github', payload, { secret, event: EVENT });
    const values = new Map(Object.entries(headers));
    const delivery = intake.open({ values, repeated: new Set() });
    delivery.update(body);
    const answer = await delivery.accept(body);
    await answers.settled();
    return answer;
  };
  return {
    app,
    harness,
    freezes,
    errors,
    answered,
    sweep,
    deliver,
    /** The job waits, and its event arrives. */
    async ask(job: Omit<WaitingJob, 'repo' | 'environment'>, over: object = {}) {
      const waiting = { repo: REPO, environment: 'production', ...job };
      app.jobs.push(waiting);
      return await deliver({ ...payloadOf(waiting), ...over });
    },
    async wake() {
      answers.wake();
      await answers.settled();
    },
    async pass(ms: number) {
      await clock.advance(ms, 0);
      app.now = clock.now();
    },
    async round() {
      app.now += INTERVAL_MS;
      await clock.advance(INTERVAL_MS);
    },
    calls: () => app.requests.filter((one) => one.includes('/actions/')),
  };
}

const EVENT = 'deployment_protection_rule';

function payloadOf({ id, sha, environment }: WaitingJob) {
  return {
    action: 'requested',
    environment,
    event: 'push',
    deployment: { sha, ref: 'main' },
    deployment_callback_url: `https://api.example.com/repos/${REPO}/actions/runs/${id}/deployment_protection_rule`,
    repository: { full_name: REPO, html_url: `https://git.example.com/${REPO}` },
    installation: { id: 99 },
  };
}

test('a job that may deploy is approved, a blocked commit is rejected, each with its RFC', async (t) => {
  const site = await openSite(t);
  const over = { repo_name: REPO };
  const bad = await judged(
    site.harness,
    { ...over, rfc_id: 'RFC-1' },
    { overall_status: 'BLOCKED' },
  );
  t.deepEqual(await site.ask({ id: 1, sha: bad.commit_sha ?? '' }), { ignored: EVENT });
  const good = await judged(
    site.harness,
    { ...over, rfc_id: 'RFC-2' },
    { overall_status: 'PASSED' },
  );
  // The payload does not say where the answer and our token go.
  const elsewhere = `http://127.0.0.1:9/repos/ACME/shop/actions/runs/2/${EVENT}`;
  await site.ask({ id: 2, sha: good.commit_sha ?? '' }, { deployment_callback_url: elsewhere });
  t.deepEqual(site.app.reviews, [
    {
      run: 1,
      environment_name: 'production',
      state: 'rejected',
      comment: '`the newest change is blocked` https://cra.example/cra#approve-RFC-1',
    },
    {
      run: 2,
      environment_name: 'production',
      state: 'approved',
      comment: '`the newest change passed all gates` https://cra.example/cra#approve-RFC-2',
    },
  ]);
  t.deepEqual(site.answered, ['1 rejected', '2 approved']);
  await site.wake();
  t.is(site.calls().length, 2, 'a question that is answered is forgotten');
});

test('nothing is answered before a verdict: without an RFC, and while it is a DRAFT', async (t) => {
  const site = await openSite(t);
  const { harness } = site;
  const sha = 'a'.repeat(40);
  await site.ask({ id: 1, sha });
  await site.wake();
  await pushed(harness.pushes, { rfc_id: 'RFC-1', repo_name: REPO, commit_sha: sha });
  await site.wake();
  t.deepEqual(site.calls(), []);
  const claimed = await claim(harness.pushes);
  if (claimed !== null) await finish(harness, claimed);
  await site.wake();
  t.deepEqual(site.answered, ['1 approved']);
  t.deepEqual(site.errors, []);
});

test('what GitHub would not send is refused, and other actions ask for nothing', async (t) => {
  const site = await openSite(t);
  const good = payloadOf({ repo: REPO, id: 1, sha: 'a'.repeat(40), environment: 'production' });
  const base = `https://api.example.com/repos/${REPO}/actions/runs`;
  const cases: [field: string, over: object][] = [
    ['deployment_callback_url', { deployment_callback_url: `${base}/1/${EVENT}/..` }],
    ['deployment_callback_url', { deployment_callback_url: `${base}/1x/${EVENT}` }],
    ['deployment_callback_url', { deployment_callback_url: `${base}/${'1'.repeat(17)}/${EVENT}` }],
    ['deployment_callback_url', { deployment_callback_url: `${base}/1/${EVENT}?to=x` }],
    [
      'deployment_callback_url',
      { deployment_callback_url: `${base.replace('shop', 'other')}/1/${EVENT}` },
    ],
    ['deployment_callback_url', { deployment_callback_url: null }],
    ['environment', { environment: '' }],
    ['environment', { environment: 'e'.repeat(256) }],
    ['sha', { deployment: { sha: 'main' } }],
    ['full_name', { repository: { full_name: '../../x' } }],
  ];
  for (const [field, over] of cases) {
    const error = await t.throwsAsync<CraError>(site.deliver({ ...good, ...over }));
    t.like(error, { code: 'INVALID_ARGUMENT', details: { field } }, JSON.stringify(over));
  }
  await t.throwsAsync(site.deliver(good, fake('other-', 40)), { message: /not signed/ });
  t.deepEqual(await site.deliver({ ...good, action: 'other' }), { ignored: EVENT });
  t.deepEqual(site.app.requests, []);
});

test('a comment is bounded and has texts of ours and of others as code alone', async (t) => {
  const site = await openSite(t);
  const { commit_sha } = await judged(site.harness, { rfc_id: 'RFC-1', repo_name: REPO });
  const reason = `no \`deploys\`\n@all [x](http://evil.example) ${'x'.repeat(4_000)}`;
  const freeze = { id: 'dec', calendar: '', reason };
  site.freezes.push({ freeze, since: null, until: 'its calendar can be read' });
  await site.ask({ id: 1, sha: commit_sha ?? '' });
  await site.ask({ id: 2, sha: commit_sha ?? '' }, { environment: '\u202e' });
  site.app.jobs.splice(0);
  const [frozen] = site.app.reviews;
  t.is(frozen?.state, 'rejected');
  t.regex(
    frozen?.comment ?? '',
    /^`` the freeze dec holds [^\n]*`deploys` @all [^\n]*… `` https:\S+$/,
  );
  t.true([...(frozen?.comment ?? '')].length < 1_200);
});

test('an environment whose name the ledger does not take is rejected, with the reason', async (t) => {
  const site = await openSite(t);
  const environment = 'e'.repeat(101);
  const job = { repo: REPO, id: 1, sha: 'a'.repeat(40), environment };
  site.app.jobs.push(job);
  await site.deliver(payloadOf(job));
  t.like(site.app.reviews[0], { environment_name: environment, state: 'rejected' });
  t.regex(site.app.reviews[0]?.comment ?? '', /more than 100 characters/);
});

const FORBIDDEN = 'Resource not accessible by integration';

test('each answer of GitHub in place of the right one is handled as it is documented', async (t) => {
  const site = await openSite(t);
  const { commit_sha } = await judged(site.harness, { rfc_id: 'RFC-1', repo_name: REPO });
  const sha = commit_sha ?? '';
  const fault = (status: number, message: string, headers?: Record<string, string>) => {
    const path = /deployment_protection_rule/;
    site.app.faults.push({ path, status, message, times: 1, ...(headers && { headers }) });
  };
  const lastError = () => site.errors.at(-1)?.message;

  // A token that is revoked: the next attempt has another one.
  fault(401, 'Bad credentials');
  await site.ask({ id: 1, sha });
  t.is(lastError(), 'the host refuses our token (401)');
  await site.wake();
  t.deepEqual(site.answered, ['1 approved']);
  t.is(site.app.tokens.length, 2);

  // It is missing a right, and gets it.
  fault(403, FORBIDDEN);
  await site.ask({ id: 2, sha });
  t.regex(lastError() ?? '', /\(403\): it needs deployments: write and actions: read$/);
  await site.wake();
  t.deepEqual(site.answered, ['1 approved', '2 approved']);

  // It does not know the run, or nothing of ours waits there: asking again changes nothing.
  fault(404, 'Not Found');
  await site.ask({ id: 3, sha });
  fault(422, 'Validation Failed');
  await site.ask({ id: 4, sha });
  const calls = site.calls().length;
  await site.wake();
  t.is(site.calls().length, calls);
  t.is(site.errors.length, 2);

  // It fails.
  fault(502, 'Bad Gateway');
  await site.ask({ id: 5, sha });
  t.is(lastError(), 'the host failed (status 502)');
  await site.wake();
  t.is(site.answered.at(-1), '5 approved');

  // It limits us, and says for how long.
  fault(403, 'You have exceeded a secondary rate limit', { 'Retry-After': '120' });
  await site.ask({ id: 6, sha });
  t.is(lastError(), 'the host limits our calls (status 403)');
  for (let id = 1_000; id < 1_200; id += 1) await site.ask({ id, sha: 'f'.repeat(40) });
  t.regex(lastError() ?? '', /^more than 200 deploys wait/);
  await site.ask({ id: 6, sha });
  t.is(site.answered.at(-1), '5 approved');
  await site.pass(119_000);
  const before = site.calls().length;
  await site.wake();
  t.is(site.calls().length, before);
  await site.pass(2_000);
  await site.wake();
  t.is(site.answered.at(-1), '6 approved');
});

test('a round finds jobs whose event was lost, and asks about none of them twice', async (t) => {
  const site = await openSite(t);
  const { app } = site;
  const of = (rfc_id: string) => ({ rfc_id, repo_name: REPO, ref: `refs/heads/${rfc_id}` });
  const bad = await judged(site.harness, of('RFC-1'), { overall_status: 'BLOCKED' });
  const good = await judged(site.harness, of('RFC-2'));
  const common = { repo: REPO, environment: 'production' };
  const job = { ...common, id: 1, sha: good.commit_sha ?? '', isHeldByOthers: true };
  app.jobs.push(
    job,
    { ...common, id: 2, sha: bad.commit_sha ?? '', event: 'workflow_dispatch' },
    // Its job sees a merge of the commit that the list names.
    { ...common, id: 3, sha: good.commit_sha ?? '', event: 'pull_request' },
    { ...common, id: 4, sha: 'f'.repeat(40) },
  );
  site.sweep.start();
  await site.round();
  t.deepEqual(site.answered, ['1 approved', '2 rejected']);
  await site.round();
  const posts = () => site.calls().filter((one) => one.startsWith('POST'));
  t.is(posts().length, 2);
  // Somebody starts the run again.
  app.jobs.splice(0, 1, { ...job, attempt: 2 });
  app.reviews.splice(0);
  await site.round();
  t.is(posts().length, 3);
  t.is(site.answered.at(-1), '1 approved');
  t.deepEqual(site.errors, []);
  // Rights that are missing hold up no round.
  app.faults.push({ path: /status=waiting/, status: 403, message: FORBIDDEN, times: 1 });
  await site.round();
  t.deepEqual(site.errors, []);
  // Runs beyond the bound are reported.
  app.jobs.splice(0, 9, ...Array.from({ length: 100 }, (_, id) => ({ ...job, id, event: 'x' })));
  await site.round();
  t.is(site.errors[0]?.message, 'acme/shop: more runs wait than one round looks at');
});
