import test from 'ava';
import { someOf } from '../../some-cases.ts';
import { conformance } from '../conformance.ts';
import { openHarness } from './harness.ts';

/** Cases of what is accepted, decided and claimed, and of tenants: half of them in each run. */
const NEEDED = /accept|claim|decid|decision|head|rejected or deleted|revok|tenant/i;

conformance(test.serial, 'MongoDB', openHarness, (cases) => [
  ...someOf(
    cases.filter(([title]) => NEEDED.test(title)),
    0,
    2,
  ),
  ...someOf(cases.filter(([title]) => !NEEDED.test(title))),
]);
