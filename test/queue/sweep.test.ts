import test from 'ava';
import { createSweep } from '../../src/queue/sweep.ts';
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
    ...{ intervalMs: 3_600_000, graceMs: 0, judgesTags: false, now: () => new Date(START_MS) },
    onFound: () => t.fail('an old head was taken for a new one'),
    onError: (error) => t.fail(error.message),
  });
  sweep.look({ tenantId: TENANT, repoFullName: REPO });
  await sweep.settled();
  await sweep.stop();
  t.is(calls, 2);
  t.is((await world.records()).length, 2);
});
