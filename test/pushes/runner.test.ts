import test from 'ava';
import { createAdmission } from '../../src/analysis/admission.ts';
import { createPushRunner } from '../../src/pushes/runner.ts';
import { PUSH_TIMES } from '../../src/pushes/times.ts';
import { NOW } from '../store/conformance/steps.ts';
import { openHarness } from '../store/sqlite/harness.ts';
import { wordGates } from './fake-analysis.ts';
import { MAIN, World } from './world.ts';

test('a stop does not wait for a host that hangs, and its push waits on', async (t) => {
  const harness = await openHarness(() => NOW);
  t.teardown(() => harness.close());
  const world = new World(harness, NOW);
  const { host } = world;
  await world.deliver(world.push(MAIN, host.commit([], ['readme'])));
  let told: () => void = () => undefined;
  const isAsked = new Promise<void>((resolve) => {
    told = resolve;
  });
  const runner = createPushRunner({
    ...{ pushes: harness.pushes, store: harness.store, owner: 'daemon-1', threads: 2 },
    source: {
      ...host.source,
      sync(_input, options) {
        told();
        return new Promise((_, reject) => {
          options?.signal?.addEventListener('abort', () => reject(new Error('cancelled')));
        });
      },
    },
    analysis: wordGates(new Map()),
    admission: createAdmission(2),
    rules: { revision: 'r1', rules: {} as never },
    ...{ adopt: 'baseline', times: PUSH_TIMES, now: () => new Date(NOW) },
    onSettled: () => undefined,
    onError: (error) => t.fail(error.message),
  });
  await isAsked;
  await runner.stop();
  const depth = await harness.pushes.queueDepth(null);
  t.like(depth, { open: 1, held: 0 });
  const [record] = await world.records();
  t.like(record?.push, { tries: 0, waiting_for: null });
});
