import test from 'ava';
import { NOW } from '../store/conformance/steps.ts';
import { openHarness as openMongo } from '../store/mongo/harness.ts';
import { openHarness as openSqlite } from '../store/sqlite/harness.ts';
import { noLaundering } from './laundering.ts';

/** Random histories; LAUNDERING_RUNS sets another number, of which MongoDB has a 50th. */
const DRIVERS = [
  { driver: 'SQLite', openHarness: openSqlite, runs: 100, share: 1 },
  { driver: 'MongoDB', openHarness: openMongo, runs: 4, share: 0.02 },
];

const asked = process.env['LAUNDERING_RUNS'];

for (const { driver, openHarness, runs, share } of DRIVERS) {
  test.serial(
    `${driver}: nothing is green that was not judged, whatever happens`,
    noLaundering(openHarness, NOW, asked === undefined ? runs : Math.ceil(Number(asked) * share)),
  );
}
