import test, { type ExecutionContext } from 'ava';
import type { VcsHost } from '../../src/hosts/settings.ts';
import type { RfcRecord } from '../../src/model/records.ts';
import { createIntake } from '../../src/pushes/intake.ts';
import { PUSHES } from '../../src/pushes/limits.ts';
import { fake } from '../../src/rules/fake.ts';
import { PRIVATE_KEY } from '../hosts/app-host.ts';
import { judged, pushed, REPO } from '../store/conformance/push-steps.ts';
import { read } from '../store/conformance/steps.ts';
import { openHarness as openMongo } from '../store/mongo/harness.ts';
import { openHarness as openSqlite } from '../store/sqlite/harness.ts';
import { type HookKind, hookOf } from './daemon/hooks.ts';

const START_MS = Date.parse('2026-11-21T11:00:00.000Z');
const SECRET = fake('hub-', 40);

const HOST: VcsHost = {
  id: 'hub',
  provider: 'github',
  url: 'https://git.example.com',
  apiUrl: 'https://git.example.com/api/v3',
  token: null,
  app: { appId: '4711', privateKey: PRIVATE_KEY },
  username: 'x-access-token',
  webhookSecrets: [],
  tenantId: 'default',
};

const STORES = [
  { name: 'SQLite', open: openSqlite },
  { name: 'MongoDB', open: openMongo },
];

/** A store with time, and an intake before it. */
async function openSite(t: ExecutionContext, open = openSqlite, host = HOST) {
  let nowMs = START_MS;
  const harness = await open(() => nowMs);
  t.teardown(() => harness.close());
  const looked: string[] = [];
  const seen: (string | null)[] = [];
  const never = () => {
    throw new Error('no push is taken in');
  };
  const intake = createIntake({
    pushes: harness.pushes,
    settings: { hosts: [host], judgesTags: true },
    secrets: [{ family: 'hub', secret: SECRET, host: 'hub' }],
    readLarge: never,
    rulesRevision: () => 'r1',
    now: () => new Date(nowMs),
    isFull: () => false,
    onAccepted: never,
    onRefused: never,
    onStatus: (_, { sender }) => seen.push(sender),
    onDeployAsked: never,
    onIgnored: () => undefined,
    onRechecked: ({ outcome }) => looked.push(outcome),
  });
  const send = async (event: string, payload: object, kind: HookKind = 'github') => {
    const { body, headers } = hookOf(kind, payload, { secret: SECRET, event });
    const delivery = intake.open({
      values: new Map(Object.entries(headers)),
      repeated: new Set(),
    });
    delivery.update(body);
    return await delivery.accept(body);
  };
  return {
    harness,
    looked,
    seen,
    send,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

function payloadOf({ commit_sha }: RfcRecord, over: object = {}) {
  const html_url = `https://git.example.com/${REPO.repo_name}`;
  return {
    action: 'requested_action',
    requested_action: { identifier: 'look_again' },
    check_run: { name: 'cra/gate', head_sha: commit_sha, app: { id: 4711, client_id: 'Iv1' } },
    repository: { full_name: REPO.repo_name, html_url },
    sender: { login: 'eve' },
    ...over,
  };
}

for (const { name, open } of STORES) {
  test(`${name}: the button has a blocked commit judged again, once`, async (t) => {
    const { harness, send, looked, pass } = await openSite(t, open);
    const blocked = await judged(harness, { rfc_id: 'RFC-1' }, { overall_status: 'BLOCKED' });
    pass(PUSHES.RECHECK_AFTER_MS);
    const { rfc_id } = blocked;
    t.deepEqual(await send('check_run', payloadOf(blocked)), { rfc_id, outcome: 'again' });
    const waiting = await read(harness.store, blocked);
    t.like(waiting, { overall_status: 'DRAFT', rev: blocked.rev + 1 });
    t.like(waiting.push, { phase: 'waiting', base: null });
    t.deepEqual(await send('check_run', payloadOf(blocked)), { rfc_id, outcome: 'again' });
    t.is((await read(harness.store, blocked)).rev, blocked.rev + 1);
    t.deepEqual(looked, ['again', 'again']);
  });
}

for (const overall_status of ['PASSED', 'OVERRIDDEN', 'APPROVED', 'REJECTED'] as const) {
  test(`a commit that is ${overall_status} stays so, and its verdict is shown again`, async (t) => {
    const { harness, send, pass } = await openSite(t);
    const record = await judged(harness, { rfc_id: 'RFC-1' }, { overall_status });
    await harness.pushes.settleStatus({ ...record, posted: '{"x":"y"}', dueMs: null });
    pass(PUSHES.RECHECK_AFTER_MS);
    const asked = { action: 'rerequested', requested_action: undefined };
    const answer = await send('check_run', payloadOf(record, asked));
    t.deepEqual(answer, { rfc_id: 'RFC-1', outcome: 'stands' });
    const now = await read(harness.store, record);
    t.like(now, { overall_status, rev: record.rev });
    const asks = { host: 'hub', nowMs: START_MS + 3_600_000, limit: 9 };
    const { due } = await harness.pushes.dueStatuses(asks);
    t.deepEqual(
      due.map(({ posted, record: one }) => [one.rfc_id, posted]),
      [['RFC-1', '{}']],
    );
  });
}

test('a verdict that is a second old, and that of an older push of the ref, stand', async (t) => {
  const { harness, send, pass } = await openSite(t);
  const young = {
    overall_status: 'BLOCKED',
    updated_at: new Date(START_MS).toISOString(),
  } as const;
  const first = await judged(harness, { rfc_id: 'RFC-1' }, young);
  pass(1_000);
  t.like(await send('check_run', payloadOf(first)), { outcome: 'stands' });
  const second = await judged(harness, { rfc_id: 'RFC-2' }, { overall_status: 'BLOCKED' });
  pass(PUSHES.RECHECK_AFTER_MS);
  t.like(await send('check_run', payloadOf(first)), { outcome: 'stands' });
  t.like(await send('check_run', payloadOf(second)), { outcome: 'again' });
});

test('a whole suite is asked for again like its check', async (t) => {
  const { harness, send, pass } = await openSite(t);
  const blocked = await judged(harness, { rfc_id: 'RFC-1' }, { overall_status: 'BLOCKED' });
  pass(PUSHES.RECHECK_AFTER_MS);
  const { check_run: check_suite, ...rest } = payloadOf(blocked);
  const suite = { ...rest, action: 'rerequested', requested_action: undefined, check_suite };
  t.like(await send('check_suite', suite), { outcome: 'again' });
});

test('other Apps, buttons, events, commits and hosts make nothing', async (t) => {
  const { harness, send, pass } = await openSite(t);
  const blocked = await judged(harness, { rfc_id: 'RFC-1' }, { overall_status: 'BLOCKED' });
  const draft = await pushed(harness.pushes, { rfc_id: 'RFC-2', ref: 'refs/heads/side' });
  pass(PUSHES.RECHECK_AFTER_MS);
  const { check_run } = payloadOf(blocked);
  const ignored = async (over: object, kind: HookKind = 'github') =>
    t.deepEqual(await send('check_run', payloadOf(blocked, over), kind), { ignored: 'check_run' });
  await ignored({ check_run: { ...check_run, app: { id: 1, client_id: 'Iv2' } } });
  await ignored({ requested_action: { identifier: 'approve' } });
  await ignored({ action: 'completed' });
  await ignored({ check_run: { ...check_run, head_sha: 'c'.repeat(40) } });
  await ignored({ repository: { full_name: 'acme/other', html_url: 'https://git.example.com/x' } });
  await ignored({ more: 'x'.repeat(300_000) });
  await ignored({}, 'gitea');
  await t.throwsAsync(() => send('check_run', payloadOf(blocked, { check_run: {} })), {
    message: /head_sha: is missing/,
  });
  t.is((await read(harness.store, blocked)).overall_status, 'BLOCKED');
  t.is((await read(harness.store, draft)).overall_status, 'DRAFT');
});

test('what may replace a status of ours is looked at: runs of other Apps, or commit statuses', async (t) => {
  const blocked = { commit_sha: 'c'.repeat(40) } as RfcRecord;
  const ended = { action: 'completed', requested_action: undefined };
  const { check_run, repository } = payloadOf(blocked);
  const other = { ...check_run, app: { id: 1, client_id: 'Iv2' } };
  const commitStatus = { context: 'cra/gate', sha: blocked.commit_sha, repository };
  const seenBy = async (host: VcsHost) => {
    const { seen, send } = await openSite(t, openSqlite, host);
    const run = { ...payloadOf(blocked, ended), check_run: other };
    await send('check_run', { ...run, sender: { login: 'other[bot]' } });
    await send('check_run', payloadOf(blocked, { ...ended, sender: { login: 'cra[bot]' } }));
    await send('check_run', payloadOf(blocked, { sender: { login: 'presser' } }));
    await send('status', { ...commitStatus, sender: { login: 'mallory' } });
    return seen;
  };
  t.deepEqual(await seenBy(HOST), ['other[bot]']);
  const { app: _app, ...plain } = HOST;
  t.deepEqual(await seenBy({ ...plain, token: fake('token-', 40) }), ['mallory']);
});
