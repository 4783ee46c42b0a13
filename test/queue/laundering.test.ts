import test from 'ava';
import { NOW } from '../store/conformance/steps.ts';
import { openHarness } from '../store/sqlite/harness.ts';
import { noLaundering } from './laundering.ts';

test(
  'SQLite: nothing is green that was not judged, whatever happens',
  noLaundering(openHarness, NOW, 60),
);
