import test, { type ExecutionContext } from 'ava';
import { createAdmission } from '../../src/analysis/scan-pool.ts';
import { CraError } from '../../src/model/errors.ts';
import { recordText } from '../../src/model/records.ts';
import { PUSH_TIMES, reopenedRecord } from '../../src/pushes/push-record.ts';
import { createPushRunner, type RunnerOptions } from '../../src/pushes/runner.ts';
import { createSweep } from '../../src/pushes/sweep.ts';
import { until } from '../daemon.ts';
import { type Harness, NOW } from '../store/conformance/steps.ts';
import { decisionOn } from '../store/fixtures/decisions.ts';
import { openHarness } from '../store/sqlite/harness.ts';
import { HangingReviews, NO_REVIEWER, wordGates } from './fake-analysis.ts';
import type { FakeHost } from './fake-host.ts';
import { MAIN, REPO, TENANT, World } from './world.ts';

/** A store that knows nothing yet, and a host without a commit. */
async function openWorld(t: ExecutionContext, nowMs = NOW) {
  const harness = await openHarness(() => nowMs);
  t.teardown(() => harness.close());
  const world = new World(harness, nowMs);
  return { harness, world, host: world.host };
}

/** The same, but for a first commit of the main branch, of which the store knows nothing. */
async function openWorldWithRoot(t: ExecutionContext, nowMs = NOW) {
  const opened = await openWorld(t, nowMs);
  const { host } = opened;
  const root = host.commit([], ['readme']);
  host.refs.set(MAIN, root);
  return { ...opened, root };
}

function runnerOptions(t: ExecutionContext, harness: Harness, host: FakeHost): RunnerOptions {
  return {
    pushes: harness.pushes,
    store: harness.store,
    source: host.source,
    owner: 'daemon-1',
    threads: 2,
    analysis: wordGates(),
    reviewer: NO_REVIEWER,
    late: { count: async () => false },
    admission: createAdmission(2),
    rules: { revision: 'r1', rules: { pipeline: {} } as never },
    adopt: 'baseline',
    hosts: [],
    times: PUSH_TIMES,
    now: () => new Date(NOW),
    onSettled: () => undefined,
    onError: (error) => t.fail(error.message),
  };
}

for (const hasNewer of [true, false]) {
  const end = hasNewer ? 'is superseded by it' : 'is judged again where the host has its head';
  test(`a push that a newer one of its ref finds in review ${end}`, async (t) => {
    const { harness, world, host, root } = await openWorldWithRoot(t);
    const older = host.commit([root], ['readme', 'one']);
    await world.deliver(world.push(MAIN, older));
    const [first = ''] = world.rfcIds;
    const reviews = new HangingReviews(1);
    const parts = { ...runnerOptions(t, harness, host), ...reviews.parts };
    const runner = createPushRunner(parts);
    runner.start();
    await reviews.begun;
    await world.deliver(world.push(MAIN, host.commit([older], ['readme', 'one', 'two'])));
    const [, second = ''] = world.rfcIds;
    if (!hasNewer) host.refs.set(MAIN, older);
    const place = { tenant_id: TENANT, repo_key: REPO, ref: MAIN };
    runner.accepted(first, place);
    t.deepEqual(reviews.ended, [], 'it does not overtake itself');
    runner.accepted(second, place);
    const [kept, gone] = hasNewer ? [second, first] : [first, second];
    await until(async () => (await world.record(kept)).overall_status === 'PASSED');
    t.deepEqual(reviews.ended, [first]);
    const superseded = await world.record(gone);
    t.is(superseded.overall_status, 'SUPERSEDED');
    t.is(superseded.push?.superseded_by, kept);
    await runner.stop();
  });
}

test('who waits for a push hears at once that a newer one has superseded it', async (t) => {
  const { harness, world, host, root } = await openWorldWithRoot(t);
  const older = host.commit([root], ['readme', 'one']);
  await world.deliver(world.push(MAIN, older));
  await world.deliver(world.push(MAIN, host.commit([older], ['readme', 'one', 'two'])));
  const [first = '', second = ''] = world.rfcIds;
  const settled: string[] = [];
  const runner = createPushRunner({
    ...runnerOptions(t, harness, host),
    onSettled: (rfcId) => void settled.push(rfcId),
  });
  runner.start();
  await until(async () => settled.includes(second));
  t.deepEqual(settled, [first, second]);
  t.is((await world.record(first)).overall_status, 'SUPERSEDED');
  await runner.stop();
});

test('a stop does not wait for a host that hangs, and its push waits on', async (t) => {
  const { harness, world, host } = await openWorld(t);
  await world.deliver(world.push(MAIN, host.commit([], ['readme'])));
  let told: () => void = () => undefined;
  const isAsked = new Promise<void>((resolve) => {
    told = resolve;
  });
  const runner = createPushRunner({
    ...runnerOptions(t, harness, host),
    source: {
      ...host.source,
      sync(_input, options) {
        told();
        return new Promise((_, reject) => {
          options?.signal?.addEventListener('abort', () => reject(new Error('cancelled')));
        });
      },
    },
  });
  runner.start();
  await isAsked;
  await runner.stop();
  const depth = await harness.pushes.queueDepth(null);
  t.like(depth, { open: 1, held: 0 });
  const [record] = await world.records();
  t.like(record?.push, { tries: 0, waiting_for: 'the daemon that judged it has stopped' });
  t.is(record?.queue?.attempts, 0);
});

test('a repository of the same name on another host changes nothing for the first', async (t) => {
  const { harness, world, host, root } = await openWorldWithRoot(t);
  const bad = world.push(MAIN, host.commit([root], ['readme', 'bad-1']));
  await world.deliver(bad);
  await world.drain();
  const prod = () =>
    harness.pushes.prodView({
      tenant_id: TENANT,
      repo_name: REPO,
      branch: null,
      commit_sha: null,
    });
  t.like(await prod(), { newest: { overall_status: 'BLOCKED' } });

  // A sender that holds a secret of the other host names its harmless repository like this one.
  const waiting = world.push(MAIN, host.commit([bad.after], ['readme', 'bad-1', 'more']));
  await world.deliver(waiting);
  const harmless = host.commit([], ['harmless']);
  const foreign = { name: REPO, ref: MAIN, before: null, after: harmless, id: 99 };
  await world.deliver(foreign, 'other');
  await world.drain();

  const records = await world.records();
  t.deepEqual(
    records.map(({ commit_sha, overall_status, push }) => [commit_sha, push?.host, overall_status]),
    [
      [foreign.after, 'other', 'BLOCKED'],
      [waiting.after, 'hub', 'BLOCKED'],
      [bad.after, 'hub', 'BLOCKED'],
    ],
  );
  const { accepted } = await harness.pushes.acceptedHeads({
    tenant_id: TENANT,
    repo_key: REPO,
    shas: [...host.commits.keys()],
  });
  t.deepEqual(
    accepted.map(({ sha }) => sha),
    [root],
  );
  t.like(await prod(), { newest: { overall_status: 'BLOCKED' } });
});

test('a name that another host takes while its push is fetched is not judged', async (t) => {
  const { harness, world, host } = await openWorld(t);
  const root = host.commit([], ['harmless']);
  host.refs.set(MAIN, root);
  const { source } = host;
  const { sync } = source;
  const lateSync: typeof sync = async (input) => {
    const synced = await sync(input);
    await harness.pushes.adoptBaseline({
      tenant_id: TENANT,
      repo_name: REPO,
      repo_key: REPO,
      event: null,
      baseline: { host: 'hub', sha: null, heads: {}, adopted_at: new Date(NOW).toISOString() },
    });
    return synced;
  };
  Object.assign(source, { sync: lateSync });
  await world.deliver(world.push(MAIN, host.commit([root], ['harmless', 'more'])), 'other');
  await world.drain();
  const [record] = await world.records();
  t.is(record?.overall_status, 'BLOCKED');
  t.deepEqual(host.shown, []);
});

test('a push of another host never becomes a base, also after an override', async (t) => {
  const { harness, world, host, root } = await openWorldWithRoot(t);
  await world.deliver(world.push(MAIN, host.commit([root], ['readme', 'more'])));
  await world.drain();
  const after = host.commit([], ['unseen']);
  await world.deliver({ name: REPO, ref: MAIN, before: null, after, id: 99 }, 'other');
  await world.drain();
  const foreign = (await world.records()).find(({ commit_sha }) => commit_sha === after);
  if (foreign === undefined) return t.fail('the push is not there');
  await world.decide(foreign, 'override');
  t.is((await world.record(foreign.rfc_id)).overall_status, 'OVERRIDDEN');
  const repository = { tenant_id: TENANT, repo_key: REPO };
  const { accepted } = await harness.pushes.acceptedHeads({ ...repository, shas: [after] });
  t.deepEqual(accepted, []);
});

const START_MS = Date.parse('2026-01-02T03:04:05.000Z');

test('a push that comes while the host is asked is not taken for a lost push', async (t) => {
  const { harness, world, host, root } = await openWorldWithRoot(t, START_MS);
  const good = host.commit([root], ['readme', 'code']);
  await world.deliver(world.push(MAIN, good));
  await world.drain();

  let calls = 0;
  const sweep = createSweep({
    pushes: harness.pushes,
    source: {
      async listRefs() {
        const refs = Object.fromEntries(host.refs);
        calls += 1;
        const next = host.commit([good], ['readme', 'code', 'bad']);
        if (calls === 1) await world.deliver(world.push(MAIN, next));
        return { refs };
      },
    },
    intervalMs: 3_600_000,
    retryMs: 1,
    graceMs: 0,
    judgesTags: false,
    now: () => new Date(START_MS),
    onFound: () => t.fail('an old head was taken for a new one'),
    onError: (error) => t.fail(error.message),
  });
  sweep.look({ tenantId: TENANT, repoFullName: REPO });
  await sweep.settled();
  await sweep.stop();
  t.is(calls, 2);
  t.is((await world.records()).length, 2);
});

test('a head that an outage superseded unjudged is found again', async (t) => {
  const { world, host } = await openWorld(t);
  const root = host.commit([], ['readme']);
  const one = host.commit([root], ['readme', 'one']);
  const two = host.commit([one], ['readme', 'one', 'two']);
  const three = host.commit([two], ['readme', 'one', 'two', 'three']);
  host.refs.set(MAIN, root);
  await world.deliver(world.push(MAIN, one));
  await world.drain();
  const late = world.push(MAIN, two);
  // Of this one the webhook is lost.
  world.push(MAIN, three);
  await world.sweep();
  host.isUp = false;
  await world.deliver(late);
  await world.step();
  const found = () => [...world.known.values()].filter(({ commit_sha }) => commit_sha === three);
  t.deepEqual(
    found().map(({ overall_status }) => overall_status),
    ['SUPERSEDED'],
  );
  host.isUp = true;
  await world.drain();
  t.deepEqual(
    found().map(({ overall_status }) => overall_status),
    ['SUPERSEDED', 'PASSED'],
  );
});

test('a repository that could not be looked at is looked at when the store is back', async (t) => {
  const { harness, world, host, root } = await openWorldWithRoot(t, START_MS);
  await world.deliver(world.push(MAIN, host.commit([root], ['readme', 'code'])));
  await world.drain();
  // Its webhook was refused, as the store was down; so is the store when it is looked at first.
  world.push(MAIN, host.commit([root], ['readme', 'lost']));
  let outages = 2;
  const errors: string[] = [];
  const found = new Promise<void>((resolve) => {
    const sweep = createSweep({
      pushes: {
        ...harness.pushes,
        async newestPush(input) {
          outages -= 1;
          if (outages >= 0) throw new CraError('UNAVAILABLE', 'the store is down');
          return await harness.pushes.newestPush(input);
        },
      },
      source: host.source,
      intervalMs: 3_600_000,
      retryMs: 1,
      graceMs: 0,
      judgesTags: false,
      now: () => new Date(START_MS),
      onFound: resolve,
      onError: ({ code }) => errors.push(code),
    });
    t.teardown(sweep.stop);
    sweep.look({ tenantId: TENANT, repoFullName: REPO });
  });
  await found;
  t.deepEqual(errors, ['UNAVAILABLE', 'UNAVAILABLE']);
});

test('a sweep stops at once, also while a host hangs', async (t) => {
  const { world, harness } = await openWorld(t, START_MS);
  world.host.refs.set(MAIN, world.host.commit([], ['readme']));
  await world.deliver(world.push(MAIN, world.host.commit([], ['code'])));
  await world.drain();
  let asked: () => void = () => undefined;
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const sweep = createSweep({
    pushes: harness.pushes,
    source: {
      listRefs(_input, options) {
        asked();
        return new Promise((_, reject) => {
          options?.signal?.addEventListener('abort', () => reject(new Error('cancelled')));
        });
      },
    },
    intervalMs: 3_600_000,
    retryMs: 1,
    graceMs: 0,
    judgesTags: false,
    now: () => new Date(START_MS),
    onFound: () => t.fail('nothing was lost'),
    onError: (error) => t.fail(error.message),
  });
  sweep.look({ tenantId: TENANT, repoFullName: REPO });
  await isAsked;
  await sweep.stop();
  t.pass();
});

test('two pushes of one commit do not accept each other, when what they depend on falls', async (t) => {
  const { harness, world, host, root } = await openWorldWithRoot(t);
  const { pushes, trail } = harness;
  const judge = async (name: string, sha: string) => {
    const known = new Set(world.rfcIds);
    await world.deliver(world.push(name, sha));
    await world.drain();
    return [...world.rfcIds].find((id) => !known.has(id)) ?? '';
  };
  await judge(MAIN, host.commit([root], ['readme', 'code']));
  const bad = host.commit([host.refs.get(MAIN) ?? ''], ['readme', 'code', 'bad-1']);
  const blocked = await world.record(await judge('refs/heads/bad', bad));
  await world.decide(blocked, 'override');
  const next = host.commit([bad], ['readme', 'code', 'bad-1', 'more']);
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) ids.push(await judge(`refs/heads/${name}`, next));
  const status = async (id: string) => (await world.record(id)).overall_status;
  for (const id of ids) t.is(await status(id), 'PASSED');

  // A daemon takes the first of them back and ends; another one judges that, before it looks.
  for (const first of ids) {
    const record = await world.record(first);
    if (record.overall_status === 'DRAFT') continue;
    const reopened = recordText(reopenedRecord(record, 'a test', new Date(NOW)));
    await pushes.reopenPush({ record: reopened, expectedRev: record.rev, atMs: NOW });
    if (first === ids[0]) await trail.decide(decisionOn(blocked, 'op-1', { action: 'reject' }));
    await world.step();
  }
  world.overridden.clear();
  await world.revoke();
  await world.drain();
  for (const id of ids) t.is(await status(id), 'BLOCKED');
  const heads = { tenant_id: TENANT, repo_key: REPO, shas: [next] };
  const { accepted } = await pushes.acceptedHeads(heads);
  t.deepEqual(accepted, []);
});
