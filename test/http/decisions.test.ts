import test, { type ExecutionContext } from 'ava';
import { createDecisionHandlers } from '../../src/http/api/handlers-decisions.ts';
import { DECISION_ROUTES } from '../../src/http/api/routes-decisions.ts';
import { OVERRIDE_ANSWER } from '../../src/http/api/schemas.ts';
import { type Dispatch, dispatchTo } from '../../src/http/server/dispatch.ts';
import type { Reply } from '../../src/http/server/reply.ts';
import { AUDIT } from '../../src/limits.ts';
import { createValidator } from '../../src/model/validate.ts';
import { openDoor } from './door.ts';
import { echoServices } from './echo-services.ts';
import { sendTo } from './send-to.ts';

function createDoor(): Dispatch {
  return dispatchTo(DECISION_ROUTES, createDecisionHandlers(echoServices()), openDoor());
}

function bodyOf(t: ExecutionContext, reply: Reply) {
  t.is(reply.contentType, 'application/json');
  return JSON.parse(String(reply.body));
}

const NUL = 'a\0b';
const HALF = 'a\ud800';
const LONG = 'x'.repeat(AUDIT.REASON_CHARS_MAX + 1);

/** [path, body, what the error says]. */
const REFUSED: [string, unknown, RegExp][] = [
  ['rfc/R/override', '', /^body: is not JSON/],
  ['rfc/R/override', [], /^body: /],
  ['rfc/R/override', { actor: 'ann' }, /^reason: is required$/],
  ['rfc/R/override', { reason: 'false positive' }, /^actor: is required$/],
  ['rfc/R/override', { actor: null, reason: 'r' }, /^actor: must be string$/],
  ['rfc/R/override', { actor: '', reason: 'r' }, /^actor: must hold something other than blanks/],
  ['rfc/R/override', { actor: 'ann', reason: ' \n\t ' }, /^reason: must hold something other/],
  ['rfc/R/override', { actor: 'ann', reason: '\u200b\u2060' }, /^reason: must hold something/],
  ['rfc/R/override', { actor: 'ann', reason: NUL }, /^reason: .* NUL/],
  ['rfc/R/override', { actor: 'ann', reason: HALF }, /^reason: .* lone surrogate/],
  ['rfc/R/override', { actor: 'ann', reason: LONG }, /^reason: must have at most 4000/],
  ['rfc/R/override', { actor: 'a'.repeat(201), reason: 'r' }, /^actor: must have at most 200/],
  ['rfc/R/override', { actor: 'a', reason: 'r', accept_findings: 'yes' }, /^accept_findings: /],
  ['approve/R', {}, /^reason: is required$/],
  ['approve/R', { reason: 'r', action: 'reject' }, /^action: must be one of approve, override$/],
  ['approve/R', { reason: 'r', force_commit_sha: 7 }, /^force_commit_sha: must be string$/],
  ['approve/R', { reason: 'r', force_repo_full_name: '' }, /^force_repo_full_name: must hold/],
  ['reject/R', {}, /^reason: is required$/],
  ['rfc/R/delete', { reason: ' ' }, /^reason: must hold/],
  ['bulk-override', { repo: 'shop' }, /^reason: is required$/],
  ['bulk-override', { reason: 'r', rfc_ids: [] }, /^rfc_ids: /],
  ['bulk-override', { reason: 'r', rfc_ids: 'R' }, /^rfc_ids: must be array$/],
  ['bulk-override', { reason: 'r', rfc_ids: ['R', 1] }, /^rfc_ids.1: must be string$/],
  ['ops-log', { action: 'deploy' }, /^description: is required$/],
  ['ops-log', { description: 'd' }, /^action: is required$/],
  ['ops-log', { action: 'deploy', description: 'd', command: 1 }, /^command: must be string$/],
];

for (const [path, body, says] of REFUSED) {
  test(`POST ${path} refuses ${JSON.stringify(body).slice(0, 60)}: ${says.source}`, async (t) => {
    const reply = await sendTo(createDoor(), path, body);
    t.is(reply.status, 400);
    const { ok, error, code, details } = bodyOf(t, reply);
    t.false(ok);
    t.is(code, 'INVALID_ARGUMENT');
    t.regex(error, says);
    t.truthy(details.field);
  });
}

test('an override answers with the fields of the spec and says who was authenticated', async (t) => {
  const body = { actor: 'ann', reason: 'false positive', unknown: 1 };
  const { data } = bodyOf(t, await sendTo(createDoor(), 'rfc/RFC-1/override', body));
  createValidator(OVERRIDE_ANSWER, 'answer')(data);
  t.is(data.rfc_id, 'RFC-1');
  t.deepEqual(data.override, { actor: 'ann', reason: 'false positive' });
  t.is(data.decision.principal.id, 'dev-mode');
});

test('approve approves unless it is told to override', async (t) => {
  const door = createDoor();
  const ask = async (body: object) =>
    JSON.parse(bodyOf(t, await sendTo(door, 'approve/RFC-1', body)).data.op_id);
  t.like(await ask({ reason: 'r' }), { action: 'approve', actor: null, acceptFindings: false });
  const pinned = { force_commit_sha: 'abc123', force_repo_full_name: 'acme/shop' };
  t.like(await ask({ reason: 'r', action: 'override', accept_findings: true, ...pinned }), {
    action: 'override',
    acceptFindings: true,
    commitSha: 'abc123',
    repoFullName: 'acme/shop',
  });
});

test('a deletion needs no body', async (t) => {
  for (const [path, method] of [
    ['rfc/RFC-1', 'DELETE'],
    ['rfc/RFC-1/delete', 'POST'],
  ] as const) {
    const reply = await sendTo(createDoor(), path, '', { method });
    t.is(reply.status, 200);
    const ask = JSON.parse(bodyOf(t, reply).data.op_id);
    t.like(ask, { action: 'delete', rfcId: 'RFC-1', route: 'delete' });
  }
});

test('an Idempotency-Key is at most 255 printable characters', async (t) => {
  const door = createDoor();
  const body = { reason: 'r' };
  const keyed = (idempotencyKey: string) =>
    sendTo(door, 'reject/R', body, { headers: { idempotencyKey } });
  t.is((await keyed('k'.repeat(255))).status, 200);
  t.is((await keyed('a key with "signs" ~')).status, 200);
  for (const key of ['k'.repeat(256), 'a\tb', 'caf\u00e9']) {
    const reply = await keyed(key);
    t.is(reply.status, 400, key);
    t.regex(bodyOf(t, reply).error, /^Idempotency-Key: /);
  }
});

test('a repeat is told by Idempotency-Replayed, and only a repeat', async (t) => {
  const door = createDoor();
  const headersOf = async (idempotencyKey: string) =>
    (await sendTo(door, 'reject/R', { reason: 'r' }, { headers: { idempotencyKey } })).headers;
  t.deepEqual(await headersOf('again'), [['Idempotency-Replayed', 'true']]);
  t.deepEqual(await headersOf('new'), []);
});

test('the operations log has a quota for each caller', async (t) => {
  const door = createDoor();
  const entry = { action: 'deploy', description: 'v1' };
  const write = (remoteAddress: string) => sendTo(door, 'ops-log', entry, { remoteAddress });
  for (let count = 0; count < AUDIT.OPS_LOG_PER_MINUTE_MAX; count += 1) {
    t.is((await write('10.0.0.1')).status, 200);
  }
  const refused = await write('10.0.0.1');
  t.is(refused.status, 429);
  t.is(bodyOf(t, refused).code, 'RESOURCE_EXHAUSTED');
  const [name, seconds] = refused.headers[0] ?? [];
  t.is(name, 'Retry-After');
  t.true(Number(seconds) >= 1 && Number(seconds) <= 60);
  t.is((await write('10.0.0.2')).status, 200);
});
