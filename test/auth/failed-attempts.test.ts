import test from 'ava';
import { createFailedAttempts } from '../../src/auth/failed-attempts.ts';
import { AUTH } from '../../src/limits.ts';

function fresh() {
  let nowMs = 0;
  const attempts = createFailedAttempts({
    now: () => nowMs,
    attemptsMax: 30,
    windowMs: 60_000,
  });
  return {
    pass(ms: number) {
      nowMs += ms;
    },
    add: attempts.add,
    forgive: attempts.forgive,
    spend(address: string) {
      for (let n = 0; n < 30; n += 1) attempts.add(address);
    },
  };
}

test('createFailedAttempts lets 30 through, then one every two seconds', (t) => {
  const { add, pass } = fresh();
  for (let n = 0; n < 30; n += 1) t.is(add('192.0.2.1'), 0);
  t.is(add('192.0.2.1'), 2);
  pass(1_000);
  t.is(add('192.0.2.1'), 1);
  pass(1_000);
  t.is(add('192.0.2.1'), 0);
  t.is(add('192.0.2.1'), 2);
  pass(-60_000);
  t.true(add('192.0.2.1') > 0, 'a clock that goes back gives nothing');
});

const SAME: [string, string, boolean][] = [
  ['192.0.2.1', '192.0.2.2', false],
  ['192.0.2.1', '::ffff:192.0.2.1', true],
  ['0000:0000:0000:0000:0000:ffff:192.0.2.1', '192.0.2.1', true],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::9', true],
  ['2001:0db8:0001:0002:0000:0000:0000:0001', '2001:db8:1:2::', true],
  ['2001:db8:1:2::', '2001:db8:1:3::', false],
  ['2001:db8::1', '2001:db8:0:1::1', false],
  ['::1', '0000:0000:0000:0000:0000:0000:0000:0001', true],
  ['', '192.0.2.1', false],
];

for (const [first, second, isSame] of SAME) {
  test(`createFailedAttempts takes "${first}" and ${second} for ${isSame ? 'one' : 'two'}`, (t) => {
    const { add, spend } = fresh();
    spend(first);
    t.is(add(second) > 0, isSame);
  });
}

test('createFailedAttempts remembers a bounded number of addresses', (t) => {
  const { add, spend } = fresh();
  spend('192.0.2.1');
  const octets = (n: number) => `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`;
  for (let n = 0; n < AUTH.ADDRESSES_MAX - 1; n += 1) add(octets(n));
  t.true(add('192.0.2.1') > 0);
  for (let n = 0; n < AUTH.ADDRESSES_MAX; n += 1) add(octets(n));
  t.is(add('192.0.2.1'), 0);
});

test('createFailedAttempts forgets what was forgiven', (t) => {
  const { add, spend, forgive } = fresh();
  spend('192.0.2.1');
  forgive('192.0.2.2');
  t.true(add('192.0.2.1') > 0);
  forgive('192.0.2.1');
  t.is(add('192.0.2.1'), 0);
});
