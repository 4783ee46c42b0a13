import test from 'ava';
import type { Connection } from '../src/store/sqlite/connection.ts';
import { openForWriting, storePaths } from '../src/store/sqlite/database.ts';
import { runCommand } from './cli/fixtures/command.ts';
import {
  analyze,
  type DaemonProcess,
  request,
  startDaemonProcess,
  temporaryDir,
  until,
} from './daemon.ts';
import { blocked, harmless, send, startBlocked, statusOf, submit } from './decision-calls.ts';

const OVERRIDE = { actor: 'ann', reason: 'an example' };
const ENTRY = { action: 'deploy', description: 'v1' };

/** Every operation with a key of its own, so that it can be sent again. */
async function operations(daemon: DaemonProcess, rfcId: string) {
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
  const { daemon, rfcId, database } = await startBlocked(t);
  refuseEntries(database);
  for (const { status, body } of await operations(daemon, rfcId)) {
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
  const again = await operations(daemon, rfcId);
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

test.serial(
  'a trail that was cut refuses decisions until an administrator accepts it',
  async (t) => {
    const dataDir = temporaryDir(t);
    const env = { SERVICE_DATA_DIR: dataDir };
    const verify = () => runCommand(['audit', 'verify'], { env });
    const daemon = await startDaemonProcess(t, dataDir);
    const one = await submit(t, daemon, blocked(1));
    const two = await submit(t, daemon, blocked(2));
    const decided = await send(daemon, `rfc/${one}/override`, OVERRIDE);
    const { chain } = decided.body.data.audit;
    t.is(await daemon.stop(), 0);
    t.is((await verify()).code, 0);
    const database = openForWriting(storePaths(dataDir).database);
    database.exec('DROP TRIGGER audit_no_delete');
    database.exec('DELETE FROM audit WHERE seq > 1');
    database.close();
    const bad = await verify();
    t.is(bad.code, 1);
    const missing = new RegExp(`^BAD: chain ${chain}, entry 2: it is missing: .*checkpoint.note`);
    t.regex(bad.stdout, missing);
    const otherKey = { ...env, SERVICE_CHECKPOINT_KEY: '5'.repeat(64) };
    t.regex((await runCommand(['audit', 'verify'], { env: otherKey })).stdout, missing);

    const next = await startDaemonProcess(t, dataDir);
    const refused = await send(next, `rfc/${two}/override`, OVERRIDE);
    t.is(refused.status, 503);
    t.like(refused.body, { code: 'trail-check', details: { changed: false } });
    t.truthy(refused.headers.get('retry-after'));
    const bulk = await send(next, 'bulk-override', { reason: 'r', rfc_ids: [two] });
    t.is(bulk.body.code, 'trail-check');
    t.is(await statusOf(next, two), 'BLOCKED');
    t.is((await request(`${next.url}/health`)).status, 200);
    const notReady = await request(`${next.url}/health?ready=1`);
    t.is(notReady.status, 503);
    t.is(notReady.body.error, 'not ready: the audit trail lacks entries');
    t.is((await analyze(next.url, harmless(1))).body.data.overall_status, 'PASSED');
    const { audit } = (await request(`${next.url}/dispatcher/status`)).body.data;
    t.is(audit.state, 'refused');
    t.true(audit.problems.some((text: string) => text.includes(`--chain ${chain}`)));
    const isLogged = ({ level, reasons }: Record<string, unknown>) =>
      level === 40 && String(reasons).includes(`cra audit accept --chain ${chain}`);
    await until(() => next.log.some(isLogged));
    const accept = ['audit', 'accept', '--chain', chain, '--reason', 'restored from a backup'];
    t.regex((await runCommand(accept, { env })).stderr, /another daemon|in use|locked/);
    t.is(await next.stop(), 0);

    const accepted = await runCommand(accept, { env });
    t.is(accepted.code, 0, accepted.stderr);
    const good = await verify();
    t.is(good.code, 0, good.stdout);
    t.regex(good.stdout, /warning: chain .* lacks entries, which an administrator accepted/);
    const last = await startDaemonProcess(t, dataDir);
    t.is((await send(last, `rfc/${two}/override`, OVERRIDE)).status, 200);
    t.is(await last.stop(), 0);
  },
);
