import test from 'ava';
import type { StatusCode } from '../../src/model/errors.ts';
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

test('decide stores no text as it came', async (t) => {
  const { decisions, block, entries, store } = await openServices(t);
  await block('RFC-1');
  const secret = 'hunter2';
  const texts = { actor: secret, reason: secret, commitSha: secret, repoFullName: secret };
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
  test(`a trail that fails with ${code} fails the deed with ${expected}`, async (t) => {
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

test('a decision whose answer was lost is told by the same key, and made once', async (t) => {
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
    override('RFC-1', { acceptFindings: true }),
  ];
  for (const ask of changes) {
    t.is((await refusal(t, decisions.decide(ask, keyed))).code, 'ALREADY_EXISTS');
  }
  const bob = { ...keyed, principal: { ...keyed.principal, id: 'bob' } };
  t.false((await decisions.decide(override('RFC-2'), bob)).replayed);
  const other = override('RFC-3', { route: 'approve', action: 'approve' });
  t.false((await decisions.decide(other, keyed)).replayed);
});

test('without a key every request is a deed of its own', async (t) => {
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
