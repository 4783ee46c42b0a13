import test from 'ava';
import {
  type BulkAsk,
  type BulkFilter,
  type NextSigner,
  startOf,
  writeNext,
} from '../../src/decisions/bulk-override.ts';
import type { StatusCode } from '../../src/model/errors.ts';
import { DECISIONS } from '../../src/model/limits.ts';
import { failure, NOW, openServices, override, refusal, requester } from './services.ts';

test('decide keeps the actor as claimed beside who was authenticated', async (t) => {
  const { decisions, block, entries, store } = await openServices(t);
  await block('RFC-1');
  const outcome = await decisions.decide(override('RFC-1'), requester());
  t.is(outcome.overall_status, 'OVERRIDDEN');
  t.like(outcome.decision, { actor: 'ann', at: NOW.toISOString() });
  t.is(outcome.decision?.principal.id, 'alice');
  const entry = (await entries()).find(({ op_id }) => op_id === outcome.op_id);
  t.like(entry, { kind: 'override', actor: 'ann', rfc_id: 'RFC-1', ...outcome.audit });
  t.is(entry?.principal?.id, 'alice');
  const { json } = await store.getRfc({ tenant_id: 'default', rfc_id: 'RFC-1' });
  t.deepEqual(JSON.parse(Buffer.from(json).toString()).override_history, [outcome.decision]);
});

test('decide names who gives no name by the credential', async (t) => {
  const { decisions, block } = await openServices(t);
  await block('RFC-1');
  const ask = override('RFC-1', { route: 'approve', action: 'approve', actor: null });
  const { decision } = await decisions.decide(ask, requester());
  t.is(decision?.actor, 'Alice');
});

test('decide asks for a second person where four eyes are set', async (t) => {
  const { decisions, block, statusOf } = await openServices(t, { fourEyes: true });
  await block('RFC-1');
  const error = await refusal(t, decisions.decide(override('RFC-1'), requester()));
  t.is(error.code, 'PERMISSION_DENIED');
  t.regex(error.message, /^SERVICE_FOUR_EYES/);
  t.is(await statusOf('RFC-1'), 'BLOCKED');
});

test('decide stores no text as it came', async (t) => {
  const { decisions, block, entries, store } = await openServices(t);
  await block('RFC-1');
  const secret = 'hunter2';
  const texts = { actor: secret, reason: secret, commit_sha: secret, repo_full_name: secret };
  const outcome = await decisions.decide(override('RFC-1', texts), requester());
  const { json } = await store.getRfc({ tenant_id: 'default', rfc_id: 'RFC-1' });
  const seen = [JSON.stringify([outcome, await entries()]), Buffer.from(json).toString()];
  for (const text of seen) t.false(text.includes(secret));
});

test('decide ends the background job of the RFC, and only after the decision', async (t) => {
  const { decisions, block, cancelled } = await openServices(t);
  await block('RFC-1');
  await decisions.decide(override('RFC-1', { route: 'reject', action: 'reject' }), requester());
  t.deepEqual(cancelled, ['RFC-1']);
  const again = decisions.decide(override('RFC-1'), requester());
  const error = await refusal(t, again);
  t.is(error.code, 'ABORTED');
  t.is(error.details['status'], 'REJECTED');
  t.deepEqual(cancelled, ['RFC-1']);
});

test('decide tells nobody of the RFCs of other tenants', async (t) => {
  const { decisions, block } = await openServices(t);
  await block('RFC-1', 'other');
  const error = await refusal(t, decisions.decide(override('RFC-1'), requester()));
  t.is(error.code, 'NOT_FOUND');
});

test('decide changes nothing when the texts cannot be searched for secrets', async (t) => {
  const redact = () => Promise.reject(failure('RESOURCE_EXHAUSTED', 'busy; nothing was changed'));
  const { decisions, opsLog, block, statusOf, entries } = await openServices(t, { redact });
  await block('RFC-1');
  const before = (await entries()).length;
  t.is(
    (await refusal(t, decisions.decide(override('RFC-1'), requester()))).code,
    'RESOURCE_EXHAUSTED',
  );
  await refusal(t, opsLog.write(ENTRY, requester()));
  t.is(await statusOf('RFC-1'), 'BLOCKED');
  t.is((await entries()).length, before);
});

const ENTRY = {
  action: 'deploy',
  description: 'v1',
  command: null,
  repo: null,
  app: null,
  environment: null,
};

/** [what the store says, what the caller gets, what is said]. */
const FAILURES: [StatusCode, StatusCode, RegExp][] = [
  ['UNAVAILABLE', 'UNAVAILABLE', /nothing was changed$/],
  ['RESOURCE_EXHAUSTED', 'RESOURCE_EXHAUSTED', /nothing was changed$/],
  ['DEADLINE_EXCEEDED', 'DEADLINE_EXCEEDED', /not known .* the same Idempotency-Key may be sent/],
  ['UNKNOWN', 'UNKNOWN', /the same Idempotency-Key may be sent again$/],
  ['INTERNAL', 'INTERNAL', /the same Idempotency-Key may be sent again$/],
  ['CANCELLED', 'UNKNOWN', /the same Idempotency-Key may be sent again$/],
];

for (const [code, expected, says] of FAILURES) {
  test(`a trail that fails with ${code} fails the decision with ${expected}`, async (t) => {
    const fail = () => Promise.reject(failure(code));
    const before = () => ({ decide: fail, appendEvent: fail });
    const { decisions, opsLog, block, cancelled, statusOf } = await openServices(t, { before });
    await block('RFC-1');
    const keyed = requester({ idempotencyKey: 'k' });
    for (const call of [decisions.decide(override('RFC-1'), keyed), opsLog.write(ENTRY, keyed)]) {
      const error = await refusal(t, call);
      t.is(error.code, expected);
      t.regex(error.message, says);
      const isKnown = /nothing was changed/.test(error.message);
      t.is(typeof error.details['op_id'], isKnown ? 'undefined' : 'string');
    }
    t.deepEqual(cancelled, []);
    t.is(await statusOf('RFC-1'), 'BLOCKED');
  });
}

test('a decision whose answer was lost is answered by the same key, and made once', async (t) => {
  let isLost = true;
  const { decisions, block, entries } = await openServices(t, {
    before: ({ decide }) => ({
      async decide(input) {
        const output = await decide(input);
        if (isLost) throw failure('DEADLINE_EXCEEDED');
        return output;
      },
    }),
  });
  await block('RFC-1');
  const keyed = requester({ idempotencyKey: 'k' });
  const error = await refusal(t, decisions.decide(override('RFC-1'), keyed));
  isLost = false;
  const outcome = await decisions.decide(override('RFC-1'), keyed);
  t.true(outcome.replayed);
  t.is(error.details['op_id'], outcome.op_id);
  t.is((await entries()).filter(({ kind }) => kind === 'override').length, 1);
});

test('a key stands for one request of one caller on one route', async (t) => {
  const { decisions, block } = await openServices(t);
  for (const id of ['RFC-1', 'RFC-2', 'RFC-3']) await block(id);
  const keyed = requester({ idempotencyKey: 'k' });
  const first = await decisions.decide(override('RFC-1'), keyed);
  t.false(first.replayed);
  const changes = [
    override('RFC-2'),
    override('RFC-1', { reason: 'another' }),
    override('RFC-1', { actor: 'bob' }),
    override('RFC-1', { accept_findings: true }),
  ];
  for (const ask of changes) {
    t.is((await refusal(t, decisions.decide(ask, keyed))).code, 'ALREADY_EXISTS');
  }
  const bob = { ...keyed, principal: { ...keyed.principal, id: 'bob' } };
  t.false((await decisions.decide(override('RFC-2'), bob)).replayed);
  const other = override('RFC-3', { route: 'approve', action: 'approve' });
  t.false((await decisions.decide(other, keyed)).replayed);
});

test('without a key every request is an operation of its own', async (t) => {
  const { decisions, opsLog, block, entries } = await openServices(t);
  await block('RFC-1');
  const ask = override('RFC-1', { route: 'reject', action: 'reject' });
  const ids = [
    (await decisions.decide(ask, requester())).op_id,
    (await decisions.decide(ask, requester())).op_id,
    (await opsLog.write(ENTRY, requester())).op_id,
    (await opsLog.write(ENTRY, requester())).op_id,
  ];
  t.is(new Set(ids).size, 4);
  const written = (await entries()).map(({ op_id }) => op_id);
  t.true(ids.every((id) => written.includes(id)));
});

test('an entry of the operations log has its texts redacted', async (t) => {
  const { opsLog, entries } = await openServices(t);
  const event = { ...ENTRY, command: 'login -p hunter2', repo: 'https://u:hunter2@example.com/r' };
  const { op_id, audit } = await opsLog.write(event, requester());
  const entry = (await entries()).find((one) => one.op_id === op_id);
  t.like(entry, { kind: 'ops-log', repo_name: 'https://u:…@example.com/r', ...audit });
  t.deepEqual(entry?.details, {
    action: 'deploy',
    description: 'v1',
    command: 'login -p …',
    app: null,
    environment: null,
  });
});

const NO_FILTER = { repo: null, beforeDate: null, rfcIds: null };

function ask(filter: Partial<BulkAsk['filter']>, over: Partial<BulkAsk> = {}): BulkAsk {
  return { filter: { ...NO_FILTER, ...filter }, reason: 'examples', next: null, ...over };
}

const names = (count: number) => Array.from({ length: count }, (_, n) => `RFC-${n}`);

test('a bulk override without a filter is refused', async (t) => {
  const { bulkOverride } = await openServices(t);
  t.is((await refusal(t, bulkOverride.override(ask({}), requester()))).code, 'INVALID_ARGUMENT');
});

test('a bulk override is a decision for each RFC, in the trail one by one', async (t) => {
  const { bulkOverride, decisions, block, entries, cancelled } = await openServices(t);
  for (const id of names(3)) await block(id);
  await decisions.decide(override('RFC-1', { route: 'reject', action: 'reject' }), requester());
  const outcome = await bulkOverride.override(ask({ repo: 'ORG/REPO' }), requester());
  t.deepEqual(outcome.results, [
    { rfc_id: 'RFC-0', ok: true, overall_status: 'OVERRIDDEN' },
    { rfc_id: 'RFC-2', ok: true, overall_status: 'OVERRIDDEN' },
  ]);
  t.is(outcome.next, null);
  const written = (await entries()).filter(({ kind }) => kind === 'override');
  t.deepEqual(written.map(({ rfc_id }) => rfc_id).sort(), ['RFC-0', 'RFC-2']);
  t.true(written.every(({ actor, reason }) => actor === 'Alice' && reason === 'examples'));
  t.deepEqual(cancelled.slice(1).sort(), ['RFC-0', 'RFC-2']);
});

test('a bulk override with a key that is sent again does nothing more', async (t) => {
  const { bulkOverride, block, statusOf } = await openServices(t);
  await block('RFC-1');
  const keyed = requester({ idempotencyKey: 'k' });
  const both = await Promise.all([
    bulkOverride.override(ask({ repo: 'org/repo' }), keyed),
    bulkOverride.override(ask({ repo: 'org/repo' }), keyed),
  ]);
  t.deepEqual(both.map(({ replayed }) => replayed).sort(), [false, true]);
  await block('RFC-2');
  const again = await bulkOverride.override(ask({ repo: 'org/repo' }), keyed);
  t.true(again.replayed);
  t.deepEqual(again.results, both[0]?.results);
  t.is(await statusOf('RFC-2'), 'BLOCKED');
  const other = bulkOverride.override(ask({ repo: 'org/repo' }, { reason: 'others' }), keyed);
  t.is((await refusal(t, other)).code, 'ALREADY_EXISTS');
});

test('a trail that is away fails a bulk override as a whole', async (t) => {
  let calls = 0;
  const { bulkOverride, block, statusOf } = await openServices(t, {
    before: () => ({
      decide() {
        calls += 1;
        return Promise.reject(failure('UNAVAILABLE'));
      },
    }),
  });
  const ids = names(DECISIONS.BULK_PARALLEL + 20);
  for (const id of ids) await block(id);
  const error = await refusal(t, bulkOverride.override(ask({ rfcIds: ids }), requester()));
  t.is(error.code, 'UNAVAILABLE');
  t.regex(error.message, /nothing was changed/);
  t.is(calls, DECISIONS.BULK_PARALLEL, 'the rest is not tried');
  t.is(await statusOf('RFC-0'), 'BLOCKED');
});

test('a trail that goes away on the way is reported for each RFC that is left', async (t) => {
  let left = 5;
  const { bulkOverride, block, statusOf } = await openServices(t, {
    before: ({ decide }) => ({
      decide(input) {
        left -= 1;
        return left < 0 ? Promise.reject(failure('UNAVAILABLE')) : decide(input);
      },
    }),
  });
  for (const id of names(8)) await block(id);
  const { results } = await bulkOverride.override(ask({ rfcIds: names(8) }), requester());
  t.deepEqual(
    results.map(({ ok }) => ok),
    [true, true, true, true, true, false, false, false],
  );
  t.like(results[7], { rfc_id: 'RFC-7', code: 'UNAVAILABLE' });
  t.is(await statusOf('RFC-7'), 'BLOCKED');
});

const SIGNER: NextSigner = {
  key: Buffer.alloc(32, 7),
  principal: { tenant_id: 'default', id: 'manager' },
};

test('before_date is ISO 8601, in UTC unless it says otherwise', (t) => {
  const before = (beforeDate: string) =>
    startOf({ ...NO_FILTER, beforeDate }, null, NOW, SIGNER).before;
  t.is(before('2026-11-21'), '2026-11-21T00:00:00.000Z');
  t.is(before('2026-11-21T10:00'), '2026-11-21T10:00:00.000Z');
  t.is(before('2026-11-21T10:00:00.5+02:00'), '2026-11-21T08:00:00.500Z');
  t.is(before('2026-11-21T10:00:00Z'), '2026-11-21T10:00:00.000Z');
  const impossible = ['2026-02-30', '2026-04-31T10:00Z', '2026-13-01'];
  for (const text of ['', 'now', '21.11.2026', '2026-11-21 10:00', '1', ...impossible]) {
    t.throws(() => before(text), { message: /^before_date: / }, text);
  }
});

test('a walk goes on with what was there when it began', (t) => {
  const filter = { ...NO_FILTER, repo: 'Shop' };
  const start = startOf(filter, null, NOW, SIGNER);
  t.deepEqual(start, { before: NOW.toISOString(), cursor: null, index: 0 });
  const next = writeNext(filter, { ...start, cursor: 'c' }, SIGNER);
  const later = new Date(NOW.getTime() + 1000);
  t.deepEqual(startOf({ ...filter, repo: 'shop' }, next, later, SIGNER), { ...start, cursor: 'c' });
});

test('a next that the service did not sign for this caller and these filters is refused', (t) => {
  const filter = { ...NO_FILTER, repo: 'Shop' };
  const start = { before: NOW.toISOString(), cursor: 'c', index: 0 };
  const next = writeNext(filter, start, SIGNER);
  const [payload = '', signature = ''] = next.split('.');
  const forged = Buffer.from(JSON.stringify({ ...start, before: '2099-01-01' })).toString(
    'base64url',
  );
  const by = (over: Partial<NextSigner>) => writeNext(filter, start, { ...SIGNER, ...over });
  const refused: [string, BulkFilter, string][] = [
    ['other filter', { ...filter, repo: 'other' }, next],
    ['filter more', { ...filter, beforeDate: '2026-01-01' }, next],
    ['ids instead', { ...NO_FILTER, rfcIds: ['RFC-1'] }, next],
    ['no token', filter, 'x'],
    ['empty', filter, ''],
    ['an object', filter, Buffer.from('{}').toString('base64url')],
    ['another payload', filter, `${forged}.${signature}`],
    ['no signature', filter, payload],
    ['empty signature', filter, `${payload}.`],
    ['shorter signature', filter, next.slice(0, -2)],
    ['padded signature', filter, `${next}=`],
    ['two signatures', filter, `${next}.${signature}`],
    ['another key', filter, by({ key: Buffer.alloc(32, 1) })],
    ['empty key', filter, by({ key: new Uint8Array() })],
    ['another tenant', filter, by({ principal: { ...SIGNER.principal, tenant_id: 'other' } })],
    ['another caller', filter, by({ principal: { ...SIGNER.principal, id: 'other' } })],
    [
      'the form of earlier versions',
      filter,
      Buffer.from(JSON.stringify({ filter: 'x', ...start })).toString('base64url'),
    ],
  ];
  for (const [title, asked, token] of refused) {
    t.throws(() => startOf(asked, token, NOW, SIGNER), { message: /^next: / }, title);
  }
});
