import test from 'ava';
import { retry } from '../../src/core/retry.ts';

/** A call that fails `failures` times, with the number of the attempt as its error. */
function failing(failures: number) {
  let attempts = 0;
  return async () => {
    attempts += 1;
    if (attempts <= failures) throw new Error(String(attempts));
    return attempts;
  };
}

test('retry calls until a call succeeds, and asks for each delay with error and count', async (t) => {
  const asked: [string, number][] = [];
  const delayMs = (error: unknown, retries: number) => {
    asked.push([(error as Error).message, retries]);
    return 0;
  };
  t.is(await retry(failing(2), { delayMs }), 3);
  t.deepEqual(asked, [
    ['1', 0],
    ['2', 1],
  ]);
});

test('retry rejects with the last error when that is final', async (t) => {
  const delayMs = (_error: unknown, retries: number) => (retries < 2 ? 0 : null);
  await t.throwsAsync(retry(failing(9), { delayMs }), { message: '3' });
});

test('retry rejects with the last error when its wait is aborted', async (t) => {
  const controller = new AbortController();
  const delayMs = () => {
    controller.abort();
    return 3_600_000;
  };
  const { signal } = controller;
  await t.throwsAsync(retry(failing(9), { delayMs, signal }), { message: '1' });
  await t.throwsAsync(retry(failing(9), { delayMs: () => 0, signal }), { message: '1' });
});
