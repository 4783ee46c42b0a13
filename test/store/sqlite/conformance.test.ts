import test from 'ava';
import { conformance } from '../conformance.ts';
import { openHarness } from './harness.ts';

conformance(test, 'SQLite', openHarness);
