import test from 'ava';
import { createQuota } from '../../src/core/quota.ts';

test('createQuota lets a whole minute through at once, then one each interval', (t) => {
  let time = 1_000;
  const quota = createQuota(3, 10, () => time);
  t.deepEqual(
    [1, 2, 3].map(() => quota.take('a')),
    [0, 0, 0],
  );
  t.is(quota.take('a'), 20_000);
  t.is(quota.take('a'), 20_000);
  t.is(quota.take('b'), 0);
  time += 19_999;
  t.is(quota.take('a'), 1);
  time += 1;
  t.is(quota.take('a'), 0);
  t.is(quota.take('a'), 20_000);
  time += 60_000;
  t.deepEqual(
    [1, 2, 3].map(() => quota.take('a')),
    [0, 0, 0],
  );
});

test('createQuota remembers so many callers, those that were active last', (t) => {
  const quota = createQuota(1, 2, () => 0);
  t.is(quota.take('a'), 0);
  t.is(quota.take('b'), 0);
  t.is(quota.take('c'), 0);
  t.true(quota.take('b') > 0);
  t.true(quota.take('c') > 0);
  t.is(quota.take('a'), 0);
});
