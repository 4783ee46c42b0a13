import test from 'ava';
import { someOf } from '../../some-cases.ts';
import { conformance } from '../conformance.ts';
import { openHarness } from './harness.ts';

conformance(test.serial, 'MongoDB', openHarness, (cases) => someOf(cases));
