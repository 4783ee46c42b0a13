import test from 'ava';
import { createWaiters } from '../../src/analysis/waiters.ts';

const LONG_MS = 60_000;

test('createWaiters wakes all who wait for an RFC and nobody else', async (t) => {
  const waiters = createWaiters();
  let others = 0;
  const other = waiters.wait('b', LONG_MS, null).then(() => {
    others += 1;
  });
  const waiting = [waiters.wait('a', LONG_MS, null), waiters.wait('a', LONG_MS, null)];
  waiters.wake('a');
  await Promise.all(waiting);
  t.is(others, 0);
  waiters.close();
  await other;
  await waiters.wait('b', LONG_MS, null);
});

test('createWaiters ends a wait by time and by signal', async (t) => {
  const waiters = createWaiters();
  await waiters.wait('a', 1, null);
  const abort = new AbortController();
  const waiting = waiters.wait('a', LONG_MS, abort.signal);
  abort.abort();
  await waiting;
  await waiters.wait('a', LONG_MS, AbortSignal.abort());
  t.pass();
});
