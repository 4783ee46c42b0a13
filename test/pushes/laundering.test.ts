import test from 'ava';
import { NOW } from '../store/conformance/steps.ts';
import { openHarness as openMongo } from '../store/mongo/harness.ts';
import { inMemory, openHarness as openSqlite } from '../store/sqlite/harness.ts';
import { noLaundering } from './laundering.ts';

/** Random histories; LAUNDERING_RUNS sets another number, of which each has its share. */
const DRIVERS = [
  {
    driver: 'SQLite',
    openHarness: (now: () => number) => openSqlite(now, inMemory),
    ...{ runs: 100, share: 0.9 },
  },
  { driver: 'MongoDB', openHarness: openMongo, runs: 5, share: 0.1 },
];

const asked = process.env['LAUNDERING_RUNS'];

for (const { driver, openHarness, runs, share } of DRIVERS) {
  test.serial(
    `${driver}: nothing is green that was not judged, whatever happens`,
    noLaundering(openHarness, NOW, asked === undefined ? runs : Math.ceil(Number(asked) * share)),
  );
}
