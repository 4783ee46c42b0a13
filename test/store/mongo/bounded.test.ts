import test from 'ava';
import { STORE } from '../../../src/limits.ts';
import { bounded } from '../../../src/store/mongo/bounded.ts';
import { whenReachable } from '../../../src/store/mongo/store.ts';
import { fails } from '../conformance/steps.ts';

test('bounded gives up what never ends, and lets the rest through', async (t) => {
  const never = new Promise<never>(() => undefined);
  await fails(t, bounded(never, 1), 'UNAVAILABLE');
  t.is(await bounded(Promise.resolve(7)), 7);
  await t.throwsAsync(bounded(Promise.reject(new RangeError('own'))), { message: 'own' });
});

test('a method that never ends is told as UNAVAILABLE, and before the call of it is over', async (t) => {
  const methods = { hang: () => new Promise<never>(() => undefined), answer: async () => 7 };
  const watch = { requirePrimary: () => undefined };
  const { hang, answer } = whenReachable(watch, methods, 1);
  await fails(t, hang(), 'UNAVAILABLE');
  t.is(await answer(), 7);
  t.true(STORE.ANSWER_MS < STORE.CALL_DEADLINE_MS);
});
