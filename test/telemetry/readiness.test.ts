import test from 'ava';
import { READINESS } from '../../src/model/limits.ts';
import { createReadiness } from '../../src/telemetry/readiness.ts';

type Options = Parameters<typeof createReadiness>[0];

/** Of a daemon that nothing is wrong with. */
function openReadiness() {
  return createReadiness({
    store: { ping: async () => ({ ok: true }) } as unknown as Options['store'],
    driver: 'sqlite',
    trail: { auditStatus: async () => ({ state: 'up' }) } as unknown as Options['trail'],
    pool: { alive: 1 } as Options['pool'],
  });
}

test('a stop waits until each load balancer has been refused often enough', async (t) => {
  const readiness = openReadiness();
  for (const balancer of ['10.0.0.1', '10.0.0.2']) {
    await readiness.check(balancer);
    await readiness.check(balancer);
  }
  await readiness.check('a person, once');
  let isTold = false;
  const stopped = readiness.announceStop().then(() => {
    isTold = true;
  });
  const refuse = async (caller: string) => {
    await t.throwsAsync(readiness.check(caller), { message: /the service is stopping/ });
  };
  for (let at = 0; at < READINESS.REFUSALS; at += 1) await refuse('10.0.0.1');
  for (let at = 1; at < READINESS.REFUSALS; at += 1) await refuse('10.0.0.2');
  t.false(isTold);
  await refuse('10.0.0.2');
  await stopped;
});

test('a stop that no load balancer watches does not wait', async (t) => {
  const readiness = openReadiness();
  await readiness.check('a person, once');
  await t.notThrowsAsync(readiness.announceStop());
});
