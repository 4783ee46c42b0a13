import test from 'ava';
import { change, newFile } from '../daemon.ts';
import { blocked } from '../decision-calls.ts';
import { rawRequest } from '../http/raw.ts';
import { createBrowser } from './browser.ts';
import { cookieOf, securedForAll } from './secured.ts';

const secured = securedForAll(test);

const JSON_TYPE = { 'Content-Type': 'application/json' };

test('a session that was planted is worth nothing after a login, and is never taken over', async (t) => {
  const { baseUrl, daemon, login, toCallback } = secured();
  const eve = await login('viewer');
  for (const planted of [cookieOf(eve, baseUrl), `cra_session=${'A'.repeat(43)}`]) {
    const ann = createBrowser();
    const value = planted.split('=')[1] ?? '';
    ann.cookies.set(baseUrl, new Map([['cra_session', value]]));
    t.is((await ann.send(await toCallback(ann, 'admin'))).status, 303);
    t.not(ann.cookies.get(baseUrl)?.get('cra_session'), value);
    t.is((await ann.send(`${daemon.url}/rfcs`)).status, 200);
    t.is((await fetch(`${daemon.url}/rfcs`, { headers: { Cookie: planted } })).status, 401);
  }
});

const OTHER_SITES: [string, Record<string, string>][] = [
  ['another site', { 'Sec-Fetch-Site': 'cross-site' }],
  ['another host of the site', { 'Sec-Fetch-Site': 'same-site' }],
  ['the address line', { 'Sec-Fetch-Site': 'none' }],
  ['a browser that names no page', {}],
  ['another origin', { Origin: 'https://elsewhere.example' }],
  ['an opaque origin', { Origin: 'null' }],
  ['another port', { Origin: 'http://127.0.0.1:1' }],
];

test('what a session sends from elsewhere changes nothing', async (t) => {
  const { baseUrl, daemon, login } = secured();
  const admin = await login('admin');
  const writes: [string, string, string | null][] = [
    ['POST', 'rfc/RFC-0/override', '{"actor":"a","reason":"r"}'],
    ['POST', 'approve/RFC-0', '{"reason":"r"}'],
    ['POST', 'bulk-override', '{"reason":"r","repo":"r"}'],
    ['POST', 'analyze', '{}'],
    ['PUT', 'rules', '{}'],
    ['DELETE', 'rfc/RFC-0', null],
    ['POST', 'auth/logout', null],
  ];
  for (const [method, path, body] of writes) {
    for (const [title, headers] of OTHER_SITES) {
      const init = { method, body, headers: { ...JSON_TYPE, ...headers } };
      t.is((await admin.send(`${daemon.url}/${path}`, init)).status, 403, `${path}: ${title}`);
    }
    if (body === null) continue;
    const headers = { Origin: baseUrl, 'Content-Type': 'text/plain' };
    const plain = await admin.send(`${daemon.url}/${path}`, { method, body, headers });
    t.is(plain.status, 403, `${path}: a body that a form could send`);
  }
  const own = { method: 'DELETE', headers: { 'Sec-Fetch-Site': 'same-origin' } };
  t.is((await admin.send(`${daemon.url}/rfc/RFC-0`, own)).status, 404, 'still logged in');
  for (const [title, headers] of OTHER_SITES) {
    const form = new URLSearchParams({ password: 'x' });
    const sent = { method: 'POST', body: form, headers };
    t.is((await fetch(`${daemon.url}/auth/password`, sent)).status, 403, title);
  }
});

test('a session is nothing at endpoints of machines, and does not mend a wrong token', async (t) => {
  const { apiToken, baseUrl, daemon, login } = secured();
  const admin = await login('admin');
  const machine: [string, string][] = [
    ['GET', 'pending-tasks'],
    ['POST', 'pending-tasks'],
    ['POST', 'task-status'],
    ['POST', 'usage/log'],
  ];
  for (const [method, path] of machine) {
    const init = { method, headers: { Origin: baseUrl } };
    t.is((await admin.send(`${daemon.url}/${path}`, init)).status, 403, path);
  }
  for (const headers of [
    { Authorization: 'Bearer wrong' },
    { Authorization: 'Basic eDp4' },
    { 'X-API-Key': 'wrong' },
  ]) {
    t.is((await admin.send(`${daemon.url}/rfcs`, { headers })).status, 401);
  }
  t.is((await admin.send(`${daemon.url}/rfcs?access_token=${apiToken}`)).status, 401);
  t.is((await fetch(`${daemon.url}/rfcs?access_token=${apiToken}`)).status, 401);
});

const OBJECTS = { outcome: 'object', reason: 'it was not looked at' };
const CONFIRMS = { outcome: 'confirm', reason: 'looked at it with Ann' };
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** An emergency override by the session of `admin`, and calls with other credentials. */
async function emergency(name: string) {
  const { apiToken, baseUrl, daemon, issuer, login } = secured();
  const admin = await login('admin');
  const initOf = (body: object | null, headers: Record<string, string>) => ({
    ...(body === null ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: { Origin: baseUrl, ...JSON_TYPE, ...headers },
  });
  const call = async (path: string, body: object | null, headers: Record<string, string>) => {
    const reply = await fetch(`${daemon.url}/${path}`, initOf(body, headers));
    const { data, error, code } = JSON.parse(await reply.text());
    const replayed = reply.headers.get('Idempotency-Replayed');
    return { status: reply.status, data, error, code, replayed };
  };
  const bySession = (path: string, body: object) =>
    admin.send(`${daemon.url}/${path}`, initOf(body, {}));
  const { data } = await call('analyze', blocked(name), bearer(apiToken));
  const asked = { actor: 'Somebody Else', reason: 'incident 7', emergency: true };
  const { status } = await bySession(`rfc/${data.rfc_id}/override`, asked);
  if (status !== 200) throw new Error(`override: ${status}`);
  const id: string = data.rfc_id;
  const review = `rfc/${id}/review-emergency`;
  const due = async (token: string) =>
    ((await call('emergencies', null, bearer(token))).data as { rfc: { rfc_id: string } }[]).map(
      ({ rfc }) => rfc.rfc_id,
    );
  const other = await issuer.accessToken('cab-member');
  return { id, review, call, bySession, due, other };
}

test('an emergency is not reviewed by who made it, whatever the credential', async (t) => {
  const { apiToken, overrideToken, issuer } = secured();
  const { id, review, call, bySession, due, other } = await emergency('emergency-own');
  const own = await issuer.accessToken('admin');
  const foreign = await issuer.accessToken('acme-admin');
  const { data: rfc } = await call(`rfc/${id}`, null, bearer(own));
  t.is(rfc.override_history[0].principal.id, 'admin');
  const named = await issuer.sign({ sub: 'admin', name: 'Bob', meridian_roles: ['admin'] });
  for (const [token, body, status, says] of [
    [own, CONFIRMS, 403, /is your own/],
    [own, OBJECTS, 403, /is your own/],
    [named, CONFIRMS, 403, /is your own/],
    [overrideToken, CONFIRMS, 403, /a token names no person/],
    [apiToken, OBJECTS, 403, /./],
    [foreign, OBJECTS, 404, /RFC not found/],
    [await issuer.accessToken('reviewer'), OBJECTS, 403, /./],
    [other, { outcome: 'confirm' }, 400, /^reason: is required/],
    [other, { ...CONFIRMS, outcome: 'approve' }, 400, /^outcome: must be one of confirm, object/],
  ] as const) {
    const answer = await call(review, body, bearer(token));
    t.is(answer.status, status, JSON.stringify(answer));
    t.regex(answer.error, says);
  }
  t.is((await bySession(review, CONFIRMS)).status, 403);
  t.is((await call(review, CONFIRMS, { ...bearer(other), 'If-Match': '"1"' })).status, 412);
  t.true((await due(apiToken)).includes(id));
  t.deepEqual(await due(foreign), []);
  t.true((await call('pulse', null, bearer(apiToken))).data.emergencies.due > 0);
  t.is((await call('pulse', null, bearer(foreign))).data.emergencies.due, 0);
  t.is((await call(`rfc/${id}`, null, bearer(own))).data.emergency.review, 'due');
});

test('an emergency is reviewed once by another person; an objection revokes it', async (t) => {
  const { apiToken, overrideToken, issuer } = secured();
  const { review, call, due, other, id } = await emergency('emergency-confirmed');
  const keyed = { ...bearer(other), 'Idempotency-Key': 'review-1', 'If-Match': '"2"' };
  const done = await call(review, CONFIRMS, keyed);
  t.like(done, { status: 200, replayed: null });
  t.like(done.data, { overall_status: 'OVERRIDDEN', decision: { action: 'confirm' } });
  t.like(await call(review, CONFIRMS, keyed), { status: 200, replayed: 'true', data: done.data });
  t.is((await call(review, OBJECTS, keyed)).status, 409, 'another request under this key');
  const again = await call(review, OBJECTS, bearer(other));
  t.like(again, { status: 409, code: 'FAILED_PRECONDITION' });
  t.regex(again.error, /confirmed already/);

  const second = await emergency('emergency-objected');
  const objected = await call(second.review, OBJECTS, bearer(overrideToken));
  t.like(objected.data, { overall_status: 'REJECTED', decision: { action: 'object' } });
  const listed = await due(apiToken);
  t.false(listed.includes(id) || listed.includes(second.id));
  const late = await call(second.review, CONFIRMS, bearer(other));
  t.like(late, { status: 409, code: 'ABORTED' });
  const trail = `audit?rfc_id=${second.id}`;
  const { data: entries } = await call(trail, null, bearer(await issuer.accessToken('admin')));
  t.deepEqual(
    (entries as { kind: string }[]).map(({ kind }) => kind),
    ['emergency-object', 'emergency-override'],
  );
});

test('two Authorization headers are refused, also when one is right or both are', async (t) => {
  const { apiToken, daemon } = secured();
  const right = `Authorization: Bearer ${apiToken}`;
  for (const lines of [
    [right, right],
    [right, 'authorization: Bearer x'],
    ['Authorization: Bearer x', right],
  ]) {
    const head = ['GET /api/cra/rfcs HTTP/1.1', 'Host: localhost', ...lines].join('\r\n');
    t.is((await rawRequest(daemon.port, [`${head}\r\n\r\n`])).status, 401);
  }
});

test('a JWT of 8 KB gets in, one of 40 KB is 431', async (t) => {
  const { daemon, issuer } = secured();
  const send = async (bytes: number) => {
    const roles = ['viewer', 'x'.repeat(bytes * 0.75)];
    const token = await issuer.sign({ meridian_roles: roles });
    t.true(token.length >= bytes, String(token.length));
    const response = await fetch(`${daemon.url}/rfcs`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    return response.status;
  };
  t.is(await send(8_192), 200);
  t.is(await send(40_960), 431);
});

const ELSEWHERE = [
  'https://elsewhere.example/',
  '//elsewhere.example',
  '/\\elsewhere.example',
  '/\t/elsewhere.example',
  '\\\\elsewhere.example',
  'javascript:alert(1)',
  '/cra\r\nSet-Cookie: a=b',
  'cra',
];

test('a login leads to a path of the service, whatever it was asked', async (t) => {
  const { daemon, toCallback } = secured();
  for (const wanted of ELSEWHERE) {
    const browser = createBrowser();
    const back = await browser.send(await toCallback(browser, 'viewer', wanted));
    t.is(back.status, 303);
    t.is(back.headers.get('location'), '/cra', wanted);
    const page = await browser.open(
      `${daemon.url}/auth/login?return_to=${encodeURIComponent(wanted)}`,
    );
    t.false(page.text.includes('elsewhere'));
  }
  const browser = createBrowser();
  const own = await browser.send(await toCallback(browser, 'viewer', '/cra?repo=a#approve-RFC-0'));
  t.is(own.headers.get('location'), '/cra?repo=a#approve-RFC-0');
});

test('the way back from the issuer can be gone once, and in one browser', async (t) => {
  const { baseUrl, toCallback } = secured();
  const ann = createBrowser();
  const callback = await toCallback(ann, 'viewer');
  const before = new Map(ann.cookies.get(baseUrl));
  t.is((await createBrowser().send(callback)).status, 401, 'stolen');
  const wrongState = new URL(callback);
  wrongState.searchParams.set('state', 'x');
  t.is((await ann.send(wrongState)).status, 401);
  ann.cookies.set(baseUrl, new Map(before));
  t.is((await ann.send(callback)).status, 303);
  t.is((await ann.send(callback)).status, 401, 'again');
  ann.cookies.set(baseUrl, before);
  t.is((await ann.send(callback)).status, 401, 'again, with the cookie put back');
});

test('after a logout the session is dead, everywhere if so asked, for nobody else', async (t) => {
  const { baseUrl, daemon, login } = secured();
  const first = await login('reviewer');
  const second = await login('reviewer');
  const third = await login('reviewer');
  const other = await login('submitter');
  const kept = cookieOf(first, baseUrl);
  const reads = async (cookie: string) =>
    (await fetch(`${daemon.url}/rfcs`, { headers: { Cookie: cookie } })).status;
  const init = { method: 'POST', headers: { Origin: baseUrl } };
  const out = await first.send(`${daemon.url}/auth/logout`, init);
  t.is(out.status, 200);
  t.regex(JSON.parse(out.text).data.logout_url, /\/session\/end\?/);
  t.is(await reads(kept), 401, 'the cookie was kept, the session was not');
  t.is(await reads(cookieOf(second, baseUrl)), 200);
  t.is((await second.send(`${daemon.url}/auth/logout?everywhere=true`, init)).status, 200);
  t.is(await reads(cookieOf(third, baseUrl)), 401);
  t.is(await reads(cookieOf(other, baseUrl)), 200);
});

test('markup in a change is text in every answer, and no other site can read one', async (t) => {
  const { apiToken, daemon } = secured();
  const markup = '<img src=x onerror=alert(1)>';
  const body = change(newFile(`${markup}.txt`, markup), { commit_message: markup, branch: markup });
  const headers = { Authorization: `Bearer ${apiToken}`, Origin: 'https://elsewhere.example' };
  const send = (path: string, init = {}) => fetch(`${daemon.url}/${path}`, { headers, ...init });
  const made = await send('analyze', { method: 'POST', body: JSON.stringify(body) });
  const { rfc_id } = JSON.parse(await made.text()).data;
  const pages = ['rfcs', `rfc/${rfc_id}`, `rfc/${rfc_id}.sarif`, `prod-check/${markup}`, markup];
  for (const path of pages) {
    const answer = await send(path);
    t.regex(answer.headers.get('content-type') ?? '', /^application\/(sarif\+)?json$/, path);
    t.is(answer.headers.get('x-content-type-options'), 'nosniff', path);
    t.is(answer.headers.get('cache-control'), 'no-store', path);
    t.is(answer.headers.get('access-control-allow-origin'), null, path);
  }
  const preflight = await send('rfcs', {
    method: 'OPTIONS',
    headers: { ...headers, 'Access-Control-Request-Method': 'GET' },
  });
  t.is(preflight.status, 405);
  t.is(preflight.headers.get('access-control-allow-origin'), null);
});
