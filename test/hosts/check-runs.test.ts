import test, { type ExecutionContext } from 'ava';
import type { Annotation, CommitStatus } from '../../src/hosts/host.ts';
import type { VcsHost } from '../../src/hosts/settings.ts';
import { openStatusApi, openStatusReader } from '../../src/hosts/status-api.ts';
import { APP_ID, PRIVATE_KEY, startAppHost } from './app-host.ts';

const SHA = 'a1'.repeat(20);

const STATUS: CommitStatus = {
  repo: 'acme/shop',
  sha: SHA,
  branch: 'feature/a',
  state: 'failure',
  description: '1 critical, 0 high, score 80',
  targetUrl: 'https://cra.example/cra#approve-RFC-1',
};

function annotations(count: number, message = 'a shell gets it'): Annotation[] {
  return Array.from({ length: count }, (_, index) => ({
    path: 'src/a.js',
    startLine: index + 1,
    endLine: index + 1,
    level: 'failure' as const,
    title: 'critical: OS command injection',
    message,
  }));
}

async function open(t: ExecutionContext) {
  const host = await startAppHost(t);
  const settings: VcsHost = {
    id: 'github',
    provider: 'github',
    url: 'https://github.example',
    apiUrl: host.apiUrl,
    token: null,
    app: { appId: APP_ID, privateKey: PRIVATE_KEY },
    username: 'x-access-token',
    webhookSecrets: [],
    tenantId: 'default',
  };
  const options = { deadlineMs: 5_000, now: () => host.now };
  const post = openStatusApi(settings, options);
  const reader = openStatusReader(settings, options);
  const read = () =>
    reader?.(
      { repoFullName: STATUS.repo, sha: SHA, component: null },
      new AbortController().signal,
    );
  if (post === null) throw new Error('it has an API and an App');
  const send = (status: Partial<CommitStatus> = {}) =>
    post(
      { ...STATUS, ...status },
      { signal: new AbortController().signal, onCall: () => undefined },
    );
  return { host, send, read };
}

const report = (list: Annotation[]) => ({
  report: { summary: '**BLOCKED**', annotations: list, isQuiet: false },
});

test('a verdict becomes a check run with its findings at their lines', async (t) => {
  const { host, send } = await open(t);
  t.deepEqual(await send(report(annotations(1))), { outcome: 'posted' });
  const [{ external_id: _digest, ...run } = {}] = host.runs;
  t.deepEqual(run, {
    id: 1,
    repo: 'acme/shop',
    head_sha: SHA,
    name: 'cra/gate',
    status: 'completed',
    conclusion: 'failure',
    details_url: STATUS.targetUrl,
    title: STATUS.description,
    summary: '**BLOCKED**',
    annotations: [
      {
        path: 'src/a.js',
        start_line: 1,
        end_line: 1,
        annotation_level: 'failure',
        title: 'critical: OS command injection',
        message: 'a shell gets it',
      },
    ],
    buttons: ['look_again'],
    appId: Number(APP_ID),
  });
});

test('a run in progress is completed, and a second verdict with the same findings adds nothing', async (t) => {
  const { host, send } = await open(t);
  await send({ state: 'pending', description: 'the analysis has not ended' });
  t.is(host.runs[0]?.status, 'in_progress');
  await send(report(annotations(60)));
  await send({ ...report(annotations(60)), state: 'success', description: 'overridden' });
  t.is(host.runs.length, 1);
  t.is(host.runs[0]?.conclusion, 'success');
  t.is(host.runs[0]?.annotations.length, 60);
});

test('only a check that failed has a button', async (t) => {
  const { host, send } = await open(t);
  await send({ state: 'pending' });
  t.deepEqual(host.runs[0]?.buttons, []);
  await send({ state: 'success' });
  t.deepEqual(host.runs[0]?.buttons, []);
});

test('a required check does not pass with a run that says nothing any more', async (t) => {
  const { host, send } = await open(t);
  await send({ state: 'error' });
  t.is(host.runs[0]?.conclusion, 'cancelled');
});

test('other findings make a new run: annotations cannot be removed', async (t) => {
  const { host, send } = await open(t);
  await send(report(annotations(2)));
  await send(report(annotations(1, 'another way')));
  t.deepEqual(
    host.runs.map((run) => run.annotations.length),
    [2, 1],
  );
  await send(report(annotations(1, 'another way')));
  t.is(host.runs.length, 2);
});

test('annotations go out in requests of 50, at most 200 of them', async (t) => {
  const { host, send } = await open(t);
  t.is((await send(report(annotations(230)))).outcome, 'posted');
  t.is(host.runs.length, 1);
  t.is(host.runs[0]?.annotations.length, 200);
  t.is(host.requests.filter((request) => /^(?:POST|PATCH) \/repos/.test(request)).length, 4);
});

test('a call whose answer is lost is neither doubled nor left in the middle', async (t) => {
  const { host, send } = await open(t);
  const lost = { status: 502, message: 'Bad Gateway', isDone: true, times: 1 };
  host.faults.push({ ...lost, path: /\/check-runs$/, method: 'POST' });
  t.is((await send(report(annotations(120)))).outcome, 'down');
  host.faults.push({ ...lost, path: /\/check-runs\/1$/, method: 'PATCH' });
  t.is((await send(report(annotations(120)))).outcome, 'down');
  t.is((await send(report(annotations(120)))).outcome, 'posted');
  t.is(host.runs.length, 1);
  t.deepEqual(
    host.runs[0]?.annotations.map(({ start_line }) => start_line),
    annotations(120).map(({ startLine }) => startLine),
  );
});

test('the run of another App under our name is left alone, and ours is made the newest', async (t) => {
  const { host, send, read } = await open(t);
  t.is(await read(), null);
  await send(report(annotations(1)));
  t.deepEqual(await read(), { state: 'failure', description: STATUS.description });
  const [own] = host.runs;
  if (own === undefined) throw new Error('it is there');
  host.runs.push({ ...own, id: 2, appId: 1, conclusion: 'neutral', title: 'all is well' });
  t.deepEqual(await read(), { state: 'neutral', description: 'all is well' });
  await send(report(annotations(1)));
  t.deepEqual(await read(), { state: 'failure', description: STATUS.description });
  await send({ ...report(annotations(1)), state: 'success' });
  t.deepEqual(
    host.runs.map(({ appId, conclusion }) => [appId, conclusion]),
    [
      [Number(APP_ID), 'failure'],
      [1, 'neutral'],
      [Number(APP_ID), 'success'],
    ],
  );
});

test('a run is read with a token that GitHub takes; a host that fails gives no run', async (t) => {
  const { host, send, read } = await open(t);
  await send({ state: 'pending', description: 'the analysis has not ended' });
  const fault = { path: /commits/, message: 'no' };
  host.faults.push({ ...fault, status: 401, times: 1 });
  t.deepEqual(await read(), { state: 'pending', description: 'the analysis has not ended' });
  for (const status of [200, 401, 403, 404, 500]) {
    host.faults.push({ ...fault, status, times: 2 });
    await t.throwsAsync(async () => await read(), { code: 'UNAVAILABLE' });
    host.faults.length = 0;
  }
});

test('one token serves an owner until it nears its end', async (t) => {
  const { host, send } = await open(t);
  await Promise.all([send(), send({ sha: 'b2'.repeat(20) }), send({ repo: 'acme/other' })]);
  t.is(host.tokens.length, 1);
  host.now += 45 * 60_000;
  await send();
  t.is(host.tokens.length, 1);
  host.now += 6 * 60_000;
  await send();
  t.is(host.tokens.length, 2);
});

test('a renewal that fails costs nothing while the token is valid', async (t) => {
  const { host, send } = await open(t);
  await send();
  host.now += 55 * 60_000;
  host.faults.push({ path: /access_tokens/, status: 503, message: 'no', times: 9 });
  t.is((await send({ state: 'success' })).outcome, 'posted');
});

test('a token that was revoked is replaced at once', async (t) => {
  const { host, send } = await open(t);
  await send();
  host.faults.push({ path: /commits/, status: 401, message: 'Bad credentials', times: 1 });
  t.is((await send({ state: 'success' })).outcome, 'posted');
  t.is(host.tokens.length, 2);
});

const REFUSALS = [
  {
    path: /installation$/,
    status: 404,
    message: 'Not Found',
    outcome: 'later',
    says: /not installed/,
  },
  { path: /installation$/, status: 401, message: 'no', outcome: 'refused', says: /app_id/ },
  {
    path: /tokens$/,
    status: 403,
    message: 'This installation has been suspended',
    outcome: 'later',
    says: /suspended/,
  },
  {
    path: /check-runs$/,
    status: 403,
    message: 'Resource not accessible by integration',
    outcome: 'refused',
    says: /checks: write/,
  },
  {
    path: /check-runs$/,
    status: 403,
    message: 'You have exceeded a secondary rate limit',
    outcome: 'limited',
    says: /limits/,
  },
  { path: /check-runs$/, status: 429, message: 'no', outcome: 'limited', says: /limits/ },
  {
    path: /check-runs$/,
    status: 422,
    message: 'No commit found for SHA: a1',
    outcome: 'later',
    says: /commit/,
  },
  {
    path: /check-runs$/,
    status: 404,
    message: 'Not Found',
    outcome: 'later',
    says: /does not know/,
  },
  {
    path: /check-runs$/,
    status: 409,
    message: 'Conflict',
    outcome: 'later',
    says: /does not know/,
  },
  {
    path: /check-runs$/,
    status: 422,
    message: 'Validation Failed',
    outcome: 'refused',
    says: /does not take/,
  },
  { path: /check-runs$/, status: 500, message: 'no', outcome: 'down', says: /failed/ },
  { path: /commits/, status: 401, message: 'Bad credentials', outcome: 'refused', says: /token/ },
] as const;

for (const { outcome, says, ...fault } of REFUSALS) {
  test(`${fault.status} "${fault.message}" of ${fault.path.source} is ${outcome}`, async (t) => {
    const { host, send } = await open(t);
    host.faults.push({ ...fault, times: 2 });
    const result = await send();
    t.is(result.outcome, outcome);
    if ('reason' in result) t.regex(result.reason, says);
  });
}

test('a page of a proxy is not taken for the API', async (t) => {
  const { host, send } = await open(t);
  host.faults.push({ path: /commits/, status: 200, message: 'sign in', times: 1 });
  t.is((await send()).outcome, 'down');
});
