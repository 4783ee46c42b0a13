import test from 'ava';
import { CraError } from '../../src/model/errors.ts';
import { createSweep } from '../../src/pushes/sweep.ts';
import { openHarness } from '../store/sqlite/harness.ts';
import { MAIN, REPO, TENANT, World } from './world.ts';

const START_MS = Date.parse('2026-01-02T03:04:05.000Z');

test('a push that comes while the host is asked is no push that was lost', async (t) => {
  const harness = await openHarness(() => START_MS);
  t.teardown(harness.close);
  const world = new World(harness, START_MS);
  const { host } = world;
  const root = host.commit([], ['readme']);
  host.refs.set(MAIN, root);
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
    ...{ intervalMs: 3_600_000, retryMs: 1, graceMs: 0, judgesTags: false },
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

test('a repository that could not be looked at is looked at when the store is back', async (t) => {
  const harness = await openHarness(() => START_MS);
  t.teardown(harness.close);
  const world = new World(harness, START_MS);
  const { host } = world;
  const root = host.commit([], ['readme']);
  host.refs.set(MAIN, root);
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
      ...{ intervalMs: 3_600_000, retryMs: 1, graceMs: 0, judgesTags: false },
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
  const harness = await openHarness(() => START_MS);
  t.teardown(harness.close);
  const world = new World(harness, START_MS);
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
    ...{ intervalMs: 3_600_000, retryMs: 1, graceMs: 0, judgesTags: false },
    now: () => new Date(START_MS),
    onFound: () => t.fail('nothing was lost'),
    onError: (error) => t.fail(error.message),
  });
  sweep.look({ tenantId: TENANT, repoFullName: REPO });
  await isAsked;
  await sweep.stop();
  t.pass();
});
