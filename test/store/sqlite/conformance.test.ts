import test from 'ava';
import { conformance } from '../conformance.ts';
import { openHarness } from './harness.ts';

// One after the other: all at once they hold 1 GiB of memory, and take a sixth more CPU.
conformance(test.serial, 'SQLite', openHarness);
