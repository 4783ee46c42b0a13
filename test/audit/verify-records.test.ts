import test from 'ava';
import type { RfcRecord } from '../../src/model/records.ts';
import { openForWriting, storePaths } from '../../src/store/sqlite/database.ts';
import { runCommand } from '../cli/fixtures/command.ts';
import { startDaemonProcess, temporaryDir } from '../daemon.ts';
import { blocked, isInOrder, send, statusOf, submit } from '../decision-calls.ts';

const SECRET = ['Tr0ub4', 'dor&3'].join('');

test('audit verify names every RFC that was edited, without secrets, until it is accepted', async (t) => {
  const dataDir = temporaryDir(t);
  const env = { SERVICE_DATA_DIR: dataDir };
  const daemon = await startDaemonProcess(t, dataDir);
  const ids = [await submit(t, daemon, blocked(1)), await submit(t, daemon, blocked(2))];
  const [first = '', second = ''] = ids;
  const asked = { actor: 'ann', reason: 'an example', accept_findings: true };
  for (const rfcId of ids) {
    t.is((await send(daemon, `rfc/${rfcId}/override`, asked)).status, 200);
  }
  t.is((await send(daemon, `reject/${second}`, { reason: 'no' })).status, 200);
  t.is(await daemon.stop(), 0);
  await isInOrder(t, env, ['override', 'override', 'reject']);

  const database = openForWriting(storePaths(dataDir).database);
  const edit = (rfcId: string, change: (record: RfcRecord) => RfcRecord) => {
    const found = database
      .prepare<[string], { json: string }>('SELECT json FROM rfc WHERE rfc_id = ?')
      .get(rfcId);
    const json = JSON.stringify(change(JSON.parse(found?.json ?? '') as RfcRecord));
    database.prepare('UPDATE rfc SET json = ? WHERE rfc_id = ?').run(json, rfcId);
  };
  edit(first, (record) => ({
    ...record,
    override_history: record.override_history.map((one) => {
      return { ...one, reason: `the password is ${SECRET}` };
    }),
  }));
  edit(second, (record) => ({
    ...record,
    override_history: record.override_history.slice(0, 1),
  }));
  database.exec("UPDATE accepted SET expires_at = '2199-01-01T00:00:00.000Z'");
  database.close();

  const { code, stdout } = await runCommand(['audit', 'verify'], { env });
  t.is(code, 1);
  t.regex(stdout, new RegExp(`^BAD: ${second}, override_history: decision \\S+ is missing`));
  t.regex(
    stdout,
    new RegExp(`\nBAD: ${first}, decision \\S+, reason: the trail says "an example"`),
  );
  t.regex(stdout, /\nBAD: accepted fingerprint [0-9a-f]{16} of \S+, expires_at: .*null.*2199/);
  t.false(stdout.includes(SECRET), stdout);
  const json = JSON.parse((await runCommand(['audit', 'verify', '--json'], { env })).stdout);
  t.is(json.flaw.reason, json.differences[0]);
  t.true(json.differencesCount >= 3);

  const reason = `known, token: ${SECRET}`;
  const accept = ['audit', 'accept', '--chain', 'unknown', '--reason', reason];
  const accepted = await runCommand(accept, { env });
  t.is(accepted.code, 0, accepted.stderr);
  const after = await runCommand(['audit', 'verify'], { env });
  t.is(after.code, 0, after.stdout);
  t.regex(after.stdout, /warning: an administrator accepted: RFC-/);
  const exported = await runCommand(['audit', 'export'], { env });
  t.false(exported.stdout.includes(SECRET));

  const again = await startDaemonProcess(t, dataDir);
  t.is(await statusOf(again, first), 'OVERRIDDEN');
  t.is(await again.stop(), 0);
  const later = openForWriting(storePaths(dataDir).database);
  later.exec("UPDATE accepted SET expires_at = '2299-01-01T00:00:00.000Z'");
  later.close();
  t.is((await runCommand(['audit', 'verify'], { env })).code, 1, 'another edit was not accepted');
});
