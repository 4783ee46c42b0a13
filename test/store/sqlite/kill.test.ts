import test from 'ava';
import { temporaryFor } from './harness.ts';
import { killRepeatedly } from './kill.ts';

test('kill -9 while writing loses nothing that was acknowledged, 5 seeds', async (t) => {
  const report = await killRepeatedly({ dataDir: temporaryFor(t), kills: 5, seed: 1 });
  t.deepEqual(report.faults, []);
  t.is(report.kills, 5);
  t.true(report.acknowledged > 100);
});
