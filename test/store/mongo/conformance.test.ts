import test from 'ava';
import { conformance, pushConformance } from '../conformance.ts';
import { openHarness } from './harness.ts';

conformance(test.serial, 'MongoDB', openHarness);
pushConformance(test.serial, 'MongoDB', openHarness);
