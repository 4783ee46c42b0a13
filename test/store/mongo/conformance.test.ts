import test from 'ava';
import { someOf } from '../../some-cases.ts';
import { conformance } from '../conformance.ts';
import { openHarness } from './harness.ts';

// SQLite runs all of these cases in each run; `npm run proof -- tests` those of both.
conformance(test.serial, 'MongoDB', openHarness, (cases) => someOf(cases));
