import test from 'ava';
import { conformance, pushConformance } from '../conformance.ts';
import { openHarness } from './harness.ts';

conformance(test, 'SQLite', openHarness);
pushConformance(test, 'SQLite', openHarness);
