import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { startMongod } from '../mongod/mongod.ts';
import { withPlace } from './decisions.ts';
import { killAmongDecisions } from './operations/kill-rounds.ts';
import { openMongoPlace } from './operations/mongo-place.ts';
import { raceOverrides } from './operations/override-races.ts';
import { killServers } from './operations/server-kills.ts';
import { withDaemons } from './races.ts';
import { MONGO_STEPS } from './steps/mongo-steps.ts';
import { SQLITE_STEPS } from './steps/sqlite-steps.ts';
import { killAtSteps } from './steps/step-kills.ts';

/** The long proofs about decisions, `npm run proof`, with little to do. */

const STORES = ['SQLite', 'MongoDB'] as const;
const STEPS = { SQLite: SQLITE_STEPS.length, MongoDB: MONGO_STEPS.length };

function temporaryDir(t: ExecutionContext): string {
  const path = mkdtempSync(join(tmpdir(), 'cra-test-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

for (const name of STORES) {
  test.serial(`${name}: kill -9 among decisions loses none, 2 kills`, async (t) => {
    const report = await withPlace(name, temporaryDir(t), (place) =>
      killAmongDecisions({ place, kills: 2, seed: 7 }),
    );
    t.deepEqual(report.faults, []);
    t.true(report.done > 0);
  });

  test.serial(`${name}: kill -9 at each step of a decision, once each`, async (t) => {
    const report = await withPlace(name, temporaryDir(t), (place) =>
      killAtSteps({ place, kills: STEPS[name], seed: 7 }),
    );
    t.deepEqual(report.faults, []);
    t.is(report.kills, STEPS[name]);
    t.true(report.asked > 0);
  });

  test.serial(`${name}: of 50 overrides at once one is made, 2 races`, async (t) => {
    const daemons = name === 'SQLite' ? 1 : 2;
    const report = await withPlace(name, temporaryDir(t), (place) =>
      withDaemons(place, daemons, (ports) =>
        raceOverrides({ place, ports, races: 2, callers: 50 }),
      ),
    );
    t.deepEqual(report.faults, []);
    t.deepEqual(report.statuses, { 200: 2, 409: 98 });
  });
}

test.serial('kill -9 of mongod among decisions loses none, 2 kills', async (t) => {
  const folder = temporaryDir(t);
  const mongod = await startMongod({ folder });
  t.teardown(mongod.stop);
  const place = await openMongoPlace(mongod, folder);
  const report = await killServers({ mongod, place, kills: 2, seed: 7 });
  await place.close();
  t.deepEqual(report.faults, []);
  t.is(report.strong.lost, 0);
  t.true(report.done > 0);
});
