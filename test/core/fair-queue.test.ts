import test from 'ava';
import { createFairQueue } from '../../src/core/fair-queue.ts';

const any = () => true;

function drain(queue: ReturnType<typeof createFairQueue<string>>): string[] {
  const taken: string[] = [];
  for (let entry = queue.take(any); entry !== null; entry = queue.take(any)) taken.push(entry);
  return taken;
}

test('createFairQueue serves callers in turn and each in its own order', (t) => {
  const queue = createFairQueue<string>();
  for (const entry of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) queue.push(entry.charAt(0), entry);
  t.is(queue.size, 6);
  t.deepEqual(drain(queue), ['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  t.is(queue.size, 0);
});

test('createFairQueue takes what fits and leaves the rest in order', (t) => {
  const queue = createFairQueue<string>();
  for (const entry of ['large1', 'small1', 'large2']) queue.push('a', entry);
  t.is(
    queue.take((entry) => entry.startsWith('small')),
    'small1',
  );
  t.is(
    queue.take(() => false),
    null,
  );
  t.deepEqual(drain(queue), ['large1', 'large2']);
});

test('createFairQueue removes a waiting entry once', (t) => {
  const queue = createFairQueue<string>();
  queue.push('a', 'x');
  t.true(queue.remove('a', 'x'));
  t.false(queue.remove('a', 'x'));
  t.is(queue.size, 0);
});
