import test from 'ava';
import type { RfcStatus } from '../../../../src/model/rfc.ts';
import { startMongod } from '../../../mongod/mongod.ts';
import { judged, REPO } from '../../conformance/push-steps.ts';
import { openMongo } from '../harness.ts';

const NEWEST = { ...REPO, branch: null, commit_sha: null };
const READS = 40;

/**
 * A scan lets others write now and then (after so many steps, or some milliseconds), and goes on
 * with what there is then. Here it does so after every step, and the newest push changes its
 * status all the time, so that it moves within the indexes that the scan goes through.
 */
test('a change of status in mid-scan hides neither the newest RFC nor the newest push', async (t) => {
  const parameters = ['internalQueryExecYieldIterations=1', 'enableTestCommands=1'];
  const args = parameters.flatMap((parameter) => ['--setParameter', parameter]);
  const mongod = await startMongod({ args });
  t.teardown(mongod.stop);
  const { connection, pushes, store, trail, close } = await openMongo(mongod.url);
  t.teardown(close);
  const harness = { pushes, store, trail } as never;
  await judged(harness, { rfc_id: 'RFC-1' });
  await judged(harness, { rfc_id: 'RFC-2' }, { overall_status: 'BLOCKED' });

  const { db, collections } = connection;
  const { rfcs } = collections;
  const data = { namespace: rfcs.namespace, waitForMillis: 5 };
  await db.client
    .db('admin')
    .command({ configureFailPoint: 'setYieldAllLocksWait', mode: 'alwaysOn', data });
  const statuses: RfcStatus[] = ['BLOCKED', 'REJECTED', 'DRAFT', 'APPROVED', 'PASSED'];
  let isDone = false;
  const change = async (from: number) => {
    for (let turn = from; !isDone; turn += 1) {
      const status = statuses[turn % statuses.length] ?? 'BLOCKED';
      await rfcs.updateOne({ _id: 'RFC-2' }, { $set: { status } });
    }
  };
  const changing = [0, 2].map(change);
  const seen = new Set<string>();
  try {
    for (let call = 0; call < READS; call += 1) {
      const { newest, head } = await pushes.prodView(NEWEST);
      seen.add(newest.rfc_id).add(`head ${head?.rfc_id}`);
    }
  } finally {
    isDone = true;
    await Promise.all(changing);
  }
  t.deepEqual([...seen].sort(), ['RFC-2', 'head RFC-2']);
});
