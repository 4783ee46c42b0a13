import test from 'ava';
import { NOW } from '../store/conformance/steps.ts';
import { openHarness as openMongo } from '../store/mongo/harness.ts';
import { openHarness as openSqlite } from '../store/sqlite/harness.ts';
import { noLaundering } from './laundering.ts';

/** Random histories; LAUNDERING_RUNS sets another number. */
const DRIVERS = [
  { driver: 'SQLite', openHarness: openSqlite, runs: 30 },
  { driver: 'MongoDB', openHarness: openMongo, runs: 4 },
];

for (const { driver, openHarness, runs } of DRIVERS) {
  test.serial(
    `${driver}: nothing is green that was not judged, whatever happens`,
    noLaundering(openHarness, NOW, Number(process.env['LAUNDERING_RUNS'] ?? runs)),
  );
}
