import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import Database from 'better-sqlite3';
import { storePaths } from '../../src/store/sqlite/database.ts';
import { findingsIn, short } from '../analysis/worker/gates-run.ts';
import { runCommand } from '../cli/fixtures/command.ts';
import {
  analyze,
  change,
  type DaemonProcess,
  newFile,
  request,
  startDaemonProcess,
  temporaryDir,
} from '../daemon.ts';
import { AWS_KEY, blocked, send, statusOf, submit } from '../decision-calls.ts';

const DAY_MS = 86_400_000;
const TOKEN = 'tok_12345678';
/** New markers count for high findings, too. */
const TRUSTING = { pipeline: { own_markers: 'on' } } as const;

/** [what stands between rule and reason, when it is read, what becomes of the finding, problem]. */
const ENDS: [string, string, string, RegExp | null][] = [
  [' until 2027-03-01', '2027-02-28T23:59:59.999Z', 'secret-token (cra-ignore: old)', null],
  [' until 2027-03-01', '2027-03-01T00:00:00.000Z', 'secret-token', /: ended on 2027-03-01, so/],
  ['\tuntil  2027-03-01 ', '2020-01-01T00:00:00.000Z', 'secret-token (cra-ignore: old)', null],
  [' until 2027-02-30', '2020-01-01T00:00:00.000Z', 'secret-token', /names no valid day/],
  [' until tomorrow', '2020-01-01T00:00:00.000Z', 'secret-token', /names no valid day/],
  [' until 2027-03-01T00', '2020-01-01T00:00:00.000Z', 'secret-token', /names no valid day/],
];

for (const [until, at, expected, problem] of ENDS) {
  test(`a marker with "${until}" read at ${at}`, async (t) => {
    const text = `a = "${TOKEN}" # cra-ignore secret-token${until}: old\n`;
    const [finding, note] = await findingsIn(text, { ...TRUSTING, nowMs: Date.parse(at) });
    t.deepEqual(short(finding === undefined ? [] : [finding]), [expected]);
    t.is(note?.id, problem === null ? 'marker-used' : 'marker-invalid');
    if (problem !== null) t.regex(note?.message ?? '', problem);
  });
}

test('an accepted fingerprint of the rules ends at its time', async (t) => {
  const [found] = await findingsIn(`a = "${TOKEN}"\n`);
  const entry = {
    fingerprint: found?.fingerprint ?? '',
    reason: 'known',
    expires_at: '2027-03-01',
  };
  const at = async (time: string) => {
    const options = { accepted: [entry], nowMs: Date.parse(time) };
    return short(await findingsIn(`a = "${TOKEN}"\n`, options));
  };
  t.deepEqual(await at('2027-02-28T23:59:59.999Z'), ['secret-token (accepted fingerprint: known)']);
  t.deepEqual(await at('2027-03-01T00:00:00.000Z'), ['secret-token']);
});

test('an accepted finding counts again once its time is over', async (t) => {
  const dataDir = temporaryDir(t);
  const folder = temporaryDir(t);
  const rules = join(folder, 'rules.json');
  const pipeline = {
    max_acceptance_days: { critical: 30, high: 30 },
    emergency_review_days: 5,
    refuse_overdue_emergencies: true,
  };
  writeFileSync(rules, JSON.stringify({ version: 1, extends: 'default', pipeline }));
  const start = () => startDaemonProcess(t, dataDir, { SERVICE_RULES_PATH: rules });
  let daemon = await start();
  const text = (file: string) => change(newFile(file, `const key = "${AWS_KEY}";\n`));
  const first = await submit(t, daemon, text('src/a.js'));
  const accept = { actor: 'ann', reason: 'a made up key', accept_findings: true };
  const decide = (over: object) => send(daemon, `rfc/${first}/override`, { ...accept, ...over });
  const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
  for (const [over, problem] of [
    [{}, /^expires_at: must be given, .* at most 30 days/],
    [{ expires_at: inDays(31) }, /^expires_at: .* at most 30 days/],
    [{ expires_at: '2020-01-01' }, /^expires_at: is over already/],
    [{ expires_at: '2120-02-30' }, /^expires_at: is not a valid time/],
    [{ expires_at: 'tomorrow' }, /^expires_at: must be a day/],
    [
      { accept_findings: false, expires_at: inDays(3) },
      /^expires_at: is for a decision with accept_findings alone/,
    ],
  ] as const) {
    const { status, body } = await decide(over);
    t.is(status, 400, JSON.stringify(over));
    t.regex(body.error, problem);
  }
  t.is(await statusOf(daemon, first), 'BLOCKED');

  t.is((await decide({ expires_at: inDays(20) })).status, 200);
  const during = await analyze(daemon.url, text('src/b.js'));
  t.is(during.body.data.overall_status, 'PASSED');
  const prodCheck = async () => (await request(`${daemon.url}/prod-check/acme/shop`)).body.data;
  t.true((await prodCheck()).allowed);
  const list = async (query: string) => {
    const { body } = await request(`${daemon.url}/exceptions?${query}`);
    return (body.data as { rfc_id: string }[]).map(({ rfc_id }) => rfc_id);
  };
  t.deepEqual(await list('ending_before=2100-01-01'), [first]);
  t.deepEqual(await list('ending_before=2020-01-01'), []);
  t.is((await request(`${daemon.url}/exceptions?ending_before=2020-02-30`)).status, 400);
  const cli = (...args: string[]) =>
    runCommand(['exceptions', '--server', `http://127.0.0.1:${daemon.port}`, ...args]);
  const soon = await cli('--days', '25');
  t.is(soon.code, 1, soon.stderr);
  t.regex(
    soon.stdout,
    new RegExp(`^20.* acme/shop secret-aws.* ${first} by ann .*: a made up key`),
  );
  t.deepEqual(await cli('--days', '5'), { code: 0, stdout: '', stderr: '' });
  t.is((await cli('--ending-before', 'soon')).code, 2);

  const overdue = await emergencies(t, daemon);
  t.is(await daemon.stop(), 0);

  const database = new Database(storePaths(dataDir).database);
  database.exec("UPDATE accepted SET expires_at = '2026-01-02T00:00:00.000Z'");
  database.prepare(MAKE_OVERDUE).run(overdue);
  database.close();
  daemon = await start();
  await overdueEmergencies(t, daemon, overdue);
  const { approveUrl, ...ended } = await prodCheck();
  t.like(ended, { allowed: false, rfcId: first });
  t.regex(ended.reason, /^the acceptance of secret-aws.* ended on 2026-01-02T00:00:00.000Z/);
  t.true(approveUrl.endsWith(`#approve-${first}`));
  const later = await analyze(daemon.url, text('src/c.js'));
  t.is(later.body.data.overall_status, 'BLOCKED');
  t.is(later.body.data.gates.risk.findings[0].suppressed, null);
  t.is(await daemon.stop(), 0);
});

const MAKE_OVERDUE = `UPDATE rfc
  SET json = json_set(json, '$.emergency.due_at', '2026-01-02T00:00:00.000Z') WHERE rfc_id = ?`;

/** An emergency override of a change that nothing accepts. */
async function emergency(t: ExecutionContext, daemon: DaemonProcess, name: string, over = {}) {
  const id = await submit(t, daemon, { ...blocked(name), repo_name: 'acme/other' });
  const asked = { action: 'override', reason: 'incident 7', emergency: true, ...over };
  return { id, answer: await send(daemon, `approve/${id}`, asked) };
}

async function reviewsOf(daemon: DaemonProcess) {
  return (await request(`${daemon.url}/dispatcher/status`)).body.data.emergencies;
}

/** Two emergencies, of which the first is answered: its review is due in five days. */
async function emergencies(t: ExecutionContext, daemon: DaemonProcess): Promise<string> {
  const approval = await emergency(t, daemon, '0', { action: 'approve' });
  t.regex(approval.answer.body.error, /^emergency: is for/);
  const { id, answer } = await emergency(t, daemon, '1');
  const { at } = answer.body.data.decision;
  const { emergency: made } = (await request(`${daemon.url}/rfc/${id}`)).body.data;
  t.is(Date.parse(made.due_at) - Date.parse(at), 5 * DAY_MS);
  t.is((await emergency(t, daemon, '2')).answer.status, 200, 'a review is due, but not overdue');
  t.deepEqual(await reviewsOf(daemon), { due: 2, overdue: 0 });
  const confirm = { outcome: 'confirm', reason: 'looked at it' };
  const alone = await send(daemon, `rfc/${id}/review-emergency`, confirm);
  t.like(alone, { status: 403, body: { code: 'PERMISSION_DENIED' } });
  return id;
}

/** The first of them is overdue since the restart. */
async function overdueEmergencies(t: ExecutionContext, daemon: DaemonProcess, overdue: string) {
  t.deepEqual(await reviewsOf(daemon), { due: 2, overdue: 1 });
  const metrics = await fetch(`${daemon.url}/dispatcher/status`, {
    headers: { Accept: 'text/plain' },
  });
  t.regex(await metrics.text(), /^cra_emergency_reviews_overdue 1$/m);
  const refused = (await emergency(t, daemon, '3')).answer;
  t.like(refused, { status: 409, body: { code: 'FAILED_PRECONDITION' } });
  t.regex(refused.body.error, new RegExp(`${overdue} was due at 2026-01-02T00:00:00.000Z`));
  t.is((await emergency(t, daemon, '4', { emergency: false })).answer.status, 200);
  t.is((await send(daemon, `reject/${overdue}`, { reason: 'revoked' })).status, 200);
  t.deepEqual(await reviewsOf(daemon), { due: 1, overdue: 0 });
  t.is((await emergency(t, daemon, '5')).answer.status, 200);
}
