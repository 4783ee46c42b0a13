import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { createCancelFlag } from '../../src/core/deadline.ts';
import { prepareRules } from '../../src/gates/patterns/compile.ts';
import { createDispatch } from '../../src/http/api/all-routes.ts';
import { OVERRIDE_ANSWER } from '../../src/http/api/decisions.ts';
import { createRulesHandlers } from '../../src/http/api/rules.ts';
import { type Dispatch, dispatchTo } from '../../src/http/server/dispatch.ts';
import type { Reply } from '../../src/http/server/reply.ts';
import { DECISIONS } from '../../src/model/limits.ts';
import { createValidator } from '../../src/model/validate.ts';
import { redactTexts } from '../../src/redaction/redact.ts';
import type { RulesKeeper } from '../../src/rulebook/rules-keeper.ts';
import { defaultRules } from '../../src/rules/default.ts';
import { openServices } from '../decisions/services.ts';
import { someRuns } from '../some-cases.ts';
import { AUDITED_ROUTES, auditedHandlers, echoServices } from './decision-services.ts';
import { openAccess } from './open-access.ts';
import { sendTo } from './send-to.ts';
import { unusedHandlers } from './unused-handlers.ts';

function createApi(): Dispatch {
  return dispatchTo(AUDITED_ROUTES, auditedHandlers(echoServices()), openAccess());
}

function bodyOf(t: ExecutionContext, reply: Reply) {
  t.is(reply.contentType, 'application/json');
  return JSON.parse(String(reply.body));
}

const NUL = 'a\0b';
const HALF = 'a\ud800';
const LONG = 'x'.repeat(DECISIONS.REASON_CHARS_MAX + 1);

/** [path, body, what the error says]. */
type Refused = [string, unknown, RegExp];

const TOO_MANY = [...Array(DECISIONS.ACCEPTED_IDS_MAX + 1).keys()].map(String);

const REFUSED: Refused[] = [
  ['rfc/R/override', '', /^body: is not JSON/],
  ['rfc/R/override', [], /^body: /],
  ['rfc/R/override', { actor: 'ann' }, /^reason: is required$/],
  ['rfc/R/override', { reason: 'false positive' }, /^actor: is required$/],
  ['rfc/R/override', { actor: null, reason: 'r' }, /^actor: must be string$/],
  ['rfc/R/override', { actor: '', reason: 'r' }, /^actor: must hold a letter or a digit/],
  ['rfc/R/override', { actor: 'ann', reason: ' \n\t ' }, /^reason: must hold a letter or a digit/],
  ['rfc/R/override', { actor: 'ann', reason: '\u200b\u2060' }, /^reason: must hold a letter/],
  ['rfc/R/override', { actor: 'ann', reason: NUL }, /^reason: .* NUL/],
  ['rfc/R/override', { actor: 'ann', reason: HALF }, /^reason: .* lone surrogate/],
  ['rfc/R/override', { actor: 'ann', reason: LONG }, /^reason: must have at most 4000/],
  ['rfc/R/override', { actor: 'a'.repeat(201), reason: 'r' }, /^actor: must have at most 200/],
  ...(
    [
      ['yes', /^accept_findings: must be either boolean or array$/],
      [[], /^accept_findings: must not have fewer than 1 items$/],
      [TOO_MANY, /^accept_findings: must not have more than 100 items$/],
      [['x'.repeat(500)], /^accept_findings\.0: must have at most/],
      [[HALF], /^accept_findings\.0: .* lone surrogate/],
      [[1], /^accept_findings\.0: must be string$/],
    ] as const
  ).map(
    ([accept_findings, says]): Refused => [
      'rfc/R/override',
      { actor: 'a', reason: 'r', accept_findings },
      says,
    ],
  ),
  ['approve/R', {}, /^reason: is required$/],
  ['approve/R', { reason: 'r', action: 'reject' }, /^action: must be one of approve, override$/],
  ['approve/R', { reason: 'r', force_commit_sha: 7 }, /^force_commit_sha: must be string$/],
  [
    'approve/R',
    { reason: 'r', force_repo_full_name: '' },
    /^force_repo_full_name: must be the full/,
  ],
  ...['abc123', 'g'.repeat(40), 'a'.repeat(41), 'main', '', ' '].map(
    (force_commit_sha): Refused => [
      'approve/R',
      { reason: 'r', force_commit_sha },
      /^force_commit_sha: must be the whole id of a commit/,
    ],
  ),
  ...['shop', 'acme/shop.git', 'https://git.example.com/acme/shop', '../shop', 'acme/-x'].map(
    (force_repo_full_name): Refused => [
      'approve/R',
      { reason: 'r', force_repo_full_name },
      /^force_repo_full_name: must be the full name/,
    ],
  ),
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
    const reply = await sendTo(createApi(), path, body);
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
  const { data } = bodyOf(t, await sendTo(createApi(), 'rfc/RFC-1/override', body));
  createValidator(OVERRIDE_ANSWER, 'answer')(data);
  t.is(data.rfc_id, 'RFC-1');
  t.deepEqual(data.override, { actor: 'ann', reason: 'false positive' });
  t.is(data.decision.principal.id, 'dev-mode');
});

test('approve approves unless its action is override', async (t) => {
  const api = createApi();
  const ask = async (body: object) =>
    JSON.parse(bodyOf(t, await sendTo(api, 'approve/RFC-1', body)).data.op_id);
  t.like(await ask({ reason: 'r' }), { action: 'approve', actor: null, accept_findings: false });
  const pinned = { force_commit_sha: 'ab12'.repeat(10), force_repo_full_name: 'acme/shop' };
  t.like(await ask({ reason: 'r', action: 'override', accept_findings: true, ...pinned }), {
    action: 'override',
    accept_findings: true,
    commit_sha: 'ab12'.repeat(10),
    repo_full_name: 'acme/shop',
  });
  const ids = [...Array(DECISIONS.ACCEPTED_IDS_MAX).keys()].map((n) => `F-${n}`);
  const listed = await ask({ reason: 'r', action: 'override', accept_findings: ids });
  t.deepEqual(listed.accept_findings, ids);
});

test('If-Match is the rev of the RFC, quoted or not', async (t) => {
  const api = createApi();
  const body = { reason: 'r', actor: 'ann' };
  for (const path of ['approve/RFC-1', 'rfc/RFC-1/override']) {
    for (const [value, expectedRev] of [
      ['"7"', 7],
      ['7', 7],
      ['*', null],
    ] as const) {
      const reply = await sendTo(api, path, body, { headers: { ifMatch: value } });
      t.like(JSON.parse(bodyOf(t, reply).data.op_id), { expectedRev });
    }
    t.is((await sendTo(api, path, body, { headers: { ifMatch: 'x' } })).status, 412);
    const malformed = { ifMatch: 'x', idempotencyKey: 'k\u0001' };
    t.is((await sendTo(api, path, body, { headers: malformed })).status, 400);
  }
});

test('a deletion needs no body', async (t) => {
  for (const [path, method] of [
    ['rfc/RFC-1', 'DELETE'],
    ['rfc/RFC-1/delete', 'POST'],
  ] as const) {
    const reply = await sendTo(createApi(), path, '', { method });
    t.is(reply.status, 200);
    const ask = JSON.parse(bodyOf(t, reply).data.op_id);
    t.like(ask, { action: 'delete', rfcId: 'RFC-1', route: 'delete' });
  }
});

test('an Idempotency-Key is at most 255 printable characters', async (t) => {
  const api = createApi();
  const body = { reason: 'r' };
  const keyed = (idempotencyKey: string) =>
    sendTo(api, 'reject/R', body, { headers: { idempotencyKey } });
  t.is((await keyed('k'.repeat(255))).status, 200);
  t.is((await keyed('a key with "signs" ~')).status, 200);
  for (const key of ['k'.repeat(256), 'a\tb', 'caf\u00e9']) {
    const reply = await keyed(key);
    t.is(reply.status, 400, key);
    t.regex(bodyOf(t, reply).error, /^Idempotency-Key: /);
  }
});

test('a repeat is marked by Idempotency-Replayed, and only a repeat', async (t) => {
  const api = createApi();
  const headersOf = async (idempotencyKey: string) =>
    (await sendTo(api, 'reject/R', { reason: 'r' }, { headers: { idempotencyKey } })).headers;
  t.deepEqual(await headersOf('again'), [['Idempotency-Replayed', 'true']]);
  t.deepEqual(await headersOf('new'), []);
});

test('the operations log has a quota for each caller', async (t) => {
  const api = createApi();
  const entry = { action: 'deploy', description: 'v1' };
  const write = (remoteAddress: string) => sendTo(api, 'ops-log', entry, { remoteAddress });
  let refused = await write('10.0.0.1');
  let count = 0;
  // On a busy machine some of the quota comes back meanwhile.
  for (; refused.status === 200 && count < 3 * DECISIONS.OPS_LOG_PER_MINUTE_MAX; count += 1) {
    refused = await write('10.0.0.1');
  }
  t.is(refused.status, 429);
  t.true(count >= DECISIONS.OPS_LOG_PER_MINUTE_MAX, `refused after ${count}`);
  t.is(bodyOf(t, refused).code, 'RESOURCE_EXHAUSTED');
  const [name, seconds] = refused.headers[0] ?? [];
  t.is(name, 'Retry-After');
  t.true(Number(seconds) >= 1 && Number(seconds) <= 60);
  t.is((await write('10.0.0.2')).status, 200);
});

const PATHS = [
  'rfc/RFC-1/override',
  'approve/RFC-1',
  'reject/RFC-1',
  'rfc/RFC-1/delete',
  'bulk-override',
  'ops-log',
];
const FIELDS = [
  'actor',
  'reason',
  'action',
  'accept_findings',
  'force_commit_sha',
  'force_repo_full_name',
  'repo',
  'before_date',
  'rfc_ids',
  'next',
  'description',
  'command',
  'app',
  'environment',
  '__proto__',
];

/** Any UTF-16, halves of characters and control characters included. */
const text = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0x0a, 0x20, 0x22, 0xd83d)))
  .map((units) => String.fromCharCode(...units));
const value = fc.oneof(
  { weight: 6, arbitrary: text },
  { weight: 3, arbitrary: fc.constantFrom('approve', 'override', 'RFC-1', '2026-01-01', ' ') },
  fc.array(text, { maxLength: 3 }),
  fc.boolean(),
  fc.jsonValue({ maxDepth: 2 }),
);
const body = fc.oneof(
  { weight: 8, arbitrary: fc.dictionary(fc.constantFrom(...FIELDS), value) },
  fc.jsonValue(),
);

test('whatever is asked, a decision is made or refused in words, and the trail goes on', async (t) => {
  const rules = prepareRules(defaultRules);
  const services = await openServices(t, {
    redact: async (texts) => redactTexts(texts, rules, createCancelFlag(), () => []),
  });
  await services.block('RFC-1');
  const api: Dispatch = dispatchTo(
    AUDITED_ROUTES,
    auditedHandlers({ ...echoServices(), ...services }),
    openAccess(),
  );
  const seen = new Set<number>();
  let caller = 0;
  const property = fc.asyncProperty(fc.constantFrom(...PATHS), body, async (path, asked) => {
    caller += 1;
    const { status, body: answer } = await sendTo(api, path, asked, {
      remoteAddress: `10.0.${caller >> 8}.${caller & 255}`,
    });
    seen.add(status);
    const { ok, error, code } = JSON.parse(String(answer));
    if (ok) return status === 200;
    return [400, 404, 409].includes(status) && error.length > 0 && code !== 'INTERNAL';
  });
  await fc.assert(property, { numRuns: someRuns(1_000) });
  t.true(seen.has(200) && seen.has(400));
  const entries = await services.entries();
  t.deepEqual(
    entries.map(({ seq }) => seq),
    entries.map((_, index) => index + 1),
  );
});

/** The front api over rules that take whatever comes; `texts` were given to a scan thread. */
function createRulesDoor() {
  const texts: string[] = [];
  const comments: string[] = [];
  const keeper = {
    inForce: () => ({ number: 1, revision: 'r1' }),
    isBuiltIn: () => false,
    replace: async (_: unknown, { comment }: { comment: string }) => {
      comments.push(comment);
      return { number: 2 };
    },
  } as unknown as RulesKeeper;
  const handlers = createRulesHandlers(
    keeper,
    () => Promise.reject(new Error('not of this test')),
    async (given) => {
      texts.push(...given);
      return given.map((text) => text.replaceAll('hunter2', '…'));
    },
  );
  const api = createDispatch({ ...unusedHandlers(), ...handlers }, openAccess());
  return { api, texts, comments };
}

test('secrets in the comment of new rules are hidden; no thread is asked without one', async (t) => {
  const { api, texts, comments } = createRulesDoor();
  const put = (query: string) => sendTo(api, 'rules', { version: 1 }, { method: 'PUT', query });
  t.is((await put('')).status, 200);
  t.is((await put('comment=')).status, 200);
  t.deepEqual(texts, []);
  t.is((await put('comment=hunter2%20was%20found')).status, 200);
  t.deepEqual(texts, ['hunter2 was found']);
  t.deepEqual(comments, ['', '', '… was found']);
});
