import test from 'ava';
import { NOW } from '../store/conformance/steps.ts';
import { openHarness } from '../store/mongo/harness.ts';
import { noLaundering } from './laundering.ts';

/** More of them by LAUNDERING_RUNS. */
const RUNS = Number(process.env['LAUNDERING_RUNS'] ?? 4);

test(
  'MongoDB: nothing is green that was not judged, whatever happens',
  noLaundering(openHarness, NOW, RUNS),
);
