import test from 'ava';
import { NOW } from '../store/conformance/steps.ts';
import { openHarness as openMongo } from '../store/mongo/harness.ts';
import { openHarness as openSqlite } from '../store/sqlite/harness.ts';
import { openCheckedHost } from './checked-host.ts';
import { noLaundering } from './laundering.ts';

/** Random histories; LAUNDERING_RUNS sets another number, of which each has its share. */
const WAYS = [
  { way: 'SQLite', openStore: openSqlite, openHost: undefined, runs: 8, share: 0.88 },
  { way: 'MongoDB', openStore: openMongo, openHost: undefined, runs: 1, share: 0.1 },
  {
    // Each answer of git's is compared with that of the fake which the others run with.
    way: 'SQLite and real git',
    openStore: openSqlite,
    openHost: openCheckedHost,
    runs: 1,
    share: 0.02,
  },
];

const asked = process.env['LAUNDERING_RUNS'];

for (const { way, openStore, openHost, runs, share } of WAYS) {
  const count = asked === undefined ? runs : Math.ceil(Number(asked) * share);
  test.serial(
    `${way}: nothing is green that was not judged, whatever happens`,
    noLaundering(openStore, NOW, count, openHost),
  );
}
