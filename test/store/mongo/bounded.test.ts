import test from 'ava';
import { bounded } from '../../../src/store/mongo/bounded.ts';
import { fails } from '../conformance/steps.ts';

test('bounded gives up what never ends, and lets the rest through', async (t) => {
  const never = new Promise<never>(() => undefined);
  await fails(t, bounded(never, 1), 'UNAVAILABLE');
  t.is(await bounded(Promise.resolve(7)), 7);
  await t.throwsAsync(bounded(Promise.reject(new RangeError('own'))), { message: 'own' });
});
