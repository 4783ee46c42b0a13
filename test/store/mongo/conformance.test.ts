import test from 'ava';
import { someOf } from '../../some-cases.ts';
import { conformance } from '../conformance.ts';
import { openHarness } from './harness.ts';

/** Cases of what is accepted, decided and claimed, and of tenants: all of them, in each run. */
const WHOLE = /accept|claim|decid|decision|head|rejected or deleted|revok|tenant/i;

conformance(test.serial, 'MongoDB', openHarness, (cases) => [
  ...cases.filter(([title]) => WHOLE.test(title)),
  ...someOf(cases.filter(([title]) => !WHOLE.test(title))),
]);
