import test from 'ava';
import { createRateLimiter } from '../../src/core/rate-limiter.ts';

const perMinute = (max: number, keysMax: number, now: () => number) =>
  createRateLimiter({ max, windowMs: 60_000, keysMax, now });

test('createRateLimiter lets a whole minute through at once, then one each interval', (t) => {
  let time = 1_000;
  const limiter = perMinute(3, 10, () => time);
  t.deepEqual(
    [1, 2, 3].map(() => limiter.take('a')),
    [0, 0, 0],
  );
  t.is(limiter.take('a'), 20_000);
  t.is(limiter.take('a'), 20_000);
  t.is(limiter.take('b'), 0);
  time += 19_999;
  t.is(limiter.take('a'), 1);
  time += 1;
  t.is(limiter.take('a'), 0);
  t.is(limiter.take('a'), 20_000);
  time += 60_000;
  t.deepEqual(
    [1, 2, 3].map(() => limiter.take('a')),
    [0, 0, 0],
  );
});

test('createRateLimiter remembers so many callers, those that were active last', (t) => {
  const limiter = perMinute(1, 2, () => 0);
  t.is(limiter.take('a'), 0);
  t.is(limiter.take('b'), 0);
  t.is(limiter.take('c'), 0);
  t.true(limiter.take('b') > 0);
  t.true(limiter.take('c') > 0);
  t.is(limiter.take('a'), 0);
});

test('createRateLimiter tells how long until so many are there, and forgets a key', (t) => {
  let time = 0;
  const limiter = perMinute(3, 10, () => time);
  t.is(limiter.waitFor('a', 3), 0);
  t.is(limiter.take('a'), 0);
  t.is(limiter.waitFor('a', 2), 0);
  t.is(limiter.waitFor('a', 3), 20_000);
  time += 5_000;
  t.is(limiter.waitFor('a', 3), 15_000);
  limiter.forget('a');
  t.is(limiter.waitFor('a', 3), 0);
});

test('createRateLimiter: a clock that goes back gives nothing, and takes one window at most', (t) => {
  let time = 3_600_000;
  const limiter = perMinute(3, 10, () => time);
  for (let n = 0; n < 3; n += 1) limiter.take('a');
  time = 0;
  t.is(limiter.take('a'), 20_000);
  time += 20_000;
  t.is(limiter.take('a'), 0);
});
