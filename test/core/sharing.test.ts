import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { createRateLimiter } from '../../src/core/rate-limit.ts';
import {
  createKeyedMutex,
  createSemaphore,
  type SemaphoreOptions,
} from '../../src/core/semaphore.ts';
import { assertAscending } from '../../src/daemon/lifecycle.ts';

/** A semaphore whose clock stands still, and the order in which its tasks began. */
function observed(options: SemaphoreOptions) {
  let time = 0;
  const semaphore = createSemaphore({ now: () => time, ...options });
  const begun: string[] = [];
  const releases = new Map<string, () => void>();
  return {
    semaphore,
    begun,
    pass(ms: number) {
      time += ms;
    },
    /** Tasks named by their key and a number; `L` behind it: large. */
    async ask(...names: string[]) {
      for (const name of names) {
        const ticket = { key: name.charAt(0), isLarge: name.endsWith('L') };
        void semaphore.acquire(ticket).then((release) => {
          begun.push(name);
          releases.set(name, release);
        });
      }
      await setImmediate();
    },
    async end(...names: string[]) {
      for (const name of names) {
        releases.get(name)?.();
        await setImmediate();
      }
    },
  };
}

test('createSemaphore serves keys in turn and each in its own order', async (t) => {
  const { ask, end, begun } = observed({ places: 1 });
  await ask('x1', 'a1', 'a2', 'a3', 'b1', 'c1', 'c2');
  await end('x1', 'a1', 'b1', 'c1', 'a2', 'c2');
  t.deepEqual(begun, ['x1', 'a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

test('createSemaphore: a key has all places while it is alone, half while others wait', async (t) => {
  const { ask, end, begun, semaphore } = observed({ places: 4 });
  await ask('a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'b1', 'b2');
  t.deepEqual(begun, ['a1', 'a2', 'a3', 'a4']);
  await end('a1', 'a2');
  t.deepEqual(begun.slice(4), ['b1', 'b2'], 'a holds half');
  await end('b1');
  t.deepEqual(begun.slice(6), ['a5'], 'nobody else waits');
  await end('b2', 'a3', 'a4', 'a5', 'a6');
  t.is(semaphore.running, 0);
});

test('createSemaphore gives a place to a key at its half that no other can use', async (t) => {
  const { ask, end, begun } = observed({ places: 2, largePlaces: 1 });
  await ask('a1L', 'b1', 'b2', 'a2L');
  await end('b1');
  t.deepEqual(begun, ['a1L', 'b1', 'b2']);
  await ask('c1L', 'd1', 'd2');
  await end('b2', 'd1');
  t.deepEqual(begun.slice(3), ['d1', 'd2'], 'large ones wait for their place');
  await end('a1L');
  t.is(begun.at(-1), 'a2L', 'of equals the one that came first');
});

test('createSemaphore weighs tasks by their time', async (t) => {
  const { ask, end, pass, begun } = observed({ places: 1 });
  await ask('x1', 'a1', 'a2', 'b1', 'b2', 'b3', 'b4');
  await end('x1');
  pass(250);
  await end('a1', 'b1', 'b2', 'b3');
  t.deepEqual(begun, ['x1', 'a1', 'b1', 'b2', 'b3', 'a2']);
});

test('createSemaphore: neither the past of a lone key counts, nor the absence of another', async (t) => {
  const { ask, end, pass, begun } = observed({ places: 1 });
  await ask('a1');
  pass(60_000);
  await end('a1');
  await ask('x1', 'a2', 'a3', 'b1', 'b2');
  await end('x1', 'a2', 'b1', 'a3');
  t.deepEqual(begun, ['a1', 'x1', 'a2', 'b1', 'a3', 'b2']);
});

test('createSemaphore gives a place back when its task fails', async (t) => {
  const semaphore = createSemaphore({ places: 1 });
  const failing = semaphore.use('a', () => Promise.reject(new Error('no')));
  const after = semaphore.use('a', async () => 'yes');
  await t.throwsAsync(failing, { message: 'no' });
  t.is(await after, 'yes');
  t.is(semaphore.running + semaphore.waiting, 0);
});

test('createSemaphore: light tasks share places, and others take whole ones', async (t) => {
  let perPlace = 3;
  const semaphore = createSemaphore({ places: 2, lightPerPlace: () => perPlace });
  const light = () => semaphore.acquire({ key: 'a', isLight: true });
  const first = await Promise.all([light(), light(), light(), light()]);
  // Four light ones take both places.
  const whole = semaphore.acquire({ key: 'a' });
  t.is(semaphore.waiting, 1);
  first[0]();
  await whole;
  t.is(semaphore.running, 4);
  const late = light();
  t.is(semaphore.waiting, 1);
  // What is there stays when fewer may share.
  perPlace = 1;
  first[1]();
  first[2]();
  t.is(semaphore.waiting, 1);
  first[3]();
  await late;
  t.is(semaphore.running, 2);
});

test('createSemaphore: light tasks do not pass a task that waits for a whole place', async (t) => {
  const semaphore = createSemaphore({ places: 2, lightPerPlace: () => 3 });
  const order: string[] = [];
  const light = (key: string) => semaphore.acquire({ key, isLight: true });
  const held = await Promise.all(['a', 'a', 'a', 'a', 'b'].map(light));
  const whole = semaphore.acquire({ key: 'a' }).then(() => order.push('whole'));
  const behind = light('a').then(() => order.push('light'));
  t.is(semaphore.waiting, 2);
  held[0]?.();
  t.is(semaphore.waiting, 2);
  held[1]?.();
  await whole;
  held[2]?.();
  await behind;
  t.deepEqual(order, ['whole', 'light']);
  t.is(semaphore.running, 4);
});

test('createSemaphore: a key with light tasks leaves half of the places to others', async (t) => {
  const semaphore = createSemaphore({ places: 2, lightPerPlace: () => 2 });
  const light = (key: string) => semaphore.acquire({ key, isLight: true });
  const held = await Promise.all([light('a'), light('a'), light('a'), light('a')]);
  const order: string[] = [];
  const waiting = ['a', 'b', 'b'].map((key) => light(key).then(() => order.push(key)));
  for (const release of held.slice(0, 3)) release();
  await Promise.all(waiting);
  t.deepEqual(order, ['b', 'b', 'a']);
});

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

test('createRateLimiter remembers so many callers, the last active', (t) => {
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

test('assertAscending names the bound that is not below the next one', (t) => {
  t.notThrows(() => assertAscending({ driver: 8, call: 9, request: 10 }));
  t.throws(() => assertAscending({ driver: 8, call: 8, request: 10 }), {
    message: 'driver (8) must be below call (8)',
  });
  t.throws(() => assertAscending({ driver: 8, call: 9, request: 3 }), {
    message: 'call (9) must be below request (3)',
  });
});

test('createKeyedMutex runs the tasks of a key in turn, also behind a failed one', async (t) => {
  const mutex = createKeyedMutex();
  const log: string[] = [];
  const task = (name: string) => async () => {
    log.push(`${name} begins`);
    await setImmediate();
    log.push(`${name} ends`);
    if (name === 'first') throw new Error(name);
  };
  const first = mutex.use('a', task('first'));
  const second = mutex.use('a', task('second'));
  const other = mutex.use('b', task('other'));
  t.true(mutex.isTaken('a'));
  await t.throwsAsync(first, { message: 'first' });
  await Promise.all([second, other]);
  const ofKey = log.filter((entry) => !entry.startsWith('other'));
  t.deepEqual(ofKey, ['first begins', 'first ends', 'second begins', 'second ends']);
  t.true(log.indexOf('other begins') < log.indexOf('second begins'));
  t.false(mutex.isTaken('a'));
});
