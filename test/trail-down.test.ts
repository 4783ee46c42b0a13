import test, { type ExecutionContext } from 'ava';
import { type Connection, openForWriting, storePaths } from '../src/store/sqlite/database.ts';
import {
  analyze,
  type DaemonProcess,
  request,
  startDaemonProcess,
  temporaryDir,
} from './daemon.ts';
import { blocked, harmless, send, statusOf, submit } from './decision-calls.ts';

const OVERRIDE = { actor: 'ann', reason: 'an example' };
const ENTRY = { action: 'deploy', description: 'v1' };

/** A daemon with a BLOCKED RFC, and a connection of somebody else to its database. */
async function start(t: ExecutionContext) {
  const dataDir = temporaryDir(t);
  const daemon = await startDaemonProcess(t, dataDir);
  const rfcId = await submit(t, daemon, blocked(1));
  const database = openForWriting(storePaths(dataDir).database);
  t.teardown(() => void database.close());
  return { daemon, rfcId, database };
}

/** Every deed with a key of its own, so that it can be sent again. */
async function deeds(daemon: DaemonProcess, rfcId: string) {
  return [
    await send(daemon, `rfc/${rfcId}/override`, OVERRIDE, { key: 'override' }),
    await send(daemon, 'ops-log', ENTRY, { key: 'ops-log' }),
  ];
}

function refuseEntries(database: Connection): void {
  database.exec(
    "CREATE TRIGGER no_entries BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no'); END",
  );
}

test.serial('decisions fail with the trail; reads, analyze and health do not', async (t) => {
  const { daemon, rfcId, database } = await start(t);
  refuseEntries(database);
  for (const { status, body } of await deeds(daemon, rfcId)) {
    t.is(status, 500, JSON.stringify(body));
    t.regex(body.error, /the same Idempotency-Key may be sent again/);
    t.is(typeof body.details.op_id, 'string');
  }
  const bulk = await send(daemon, 'bulk-override', { reason: 'r', rfc_ids: [rfcId] });
  t.is(bulk.body.data.results[0].code, 'INTERNAL');
  t.is(await statusOf(daemon, rfcId), 'BLOCKED');
  t.is((await request(`${daemon.url}/health`)).status, 200);
  t.is((await request(`${daemon.url}/rfcs`)).body.data.length, 1);
  t.is((await analyze(daemon.url, harmless(1))).body.data.overall_status, 'PASSED');
  t.is((await analyze(daemon.url, blocked(2))).body.data.overall_status, 'BLOCKED');

  database.exec('DROP TRIGGER no_entries');
  const again = await deeds(daemon, rfcId);
  t.deepEqual(
    again.map(({ status, headers }) => [status, headers.get('idempotency-replayed')]),
    [
      [200, null],
      [200, null],
    ],
  );
  t.is(await statusOf(daemon, rfcId), 'OVERRIDDEN');
  t.is(await daemon.stop(), 0);
});
