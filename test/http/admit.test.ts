import { connect } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import type { AuthRefusal } from '../../src/auth/access.ts';
import { OPEN_PRINCIPAL } from '../../src/auth/authenticate.ts';
import { AUTH } from '../../src/auth/limits.ts';
import { createJwtCheck } from '../../src/auth/oidc.ts';
import { secretDigest } from '../../src/core/credentials.ts';
import { applyLibrarySettings } from '../../src/daemon/config/config.ts';
import { createDispatch, type Handlers, ROUTES } from '../../src/http/api/all-routes.ts';
import { isOpenRequest } from '../../src/http/server/admit.ts';
import { startHttpServer } from '../../src/http/server/app.ts';
import type { Request } from '../../src/http/server/exchange.ts';
import { dataReply, errorReply } from '../../src/http/server/reply.ts';
import { forwardedAddress, plainAddress } from '../../src/http/server/request-headers.ts';
import { CraError, type StatusCode } from '../../src/model/errors.ts';
import type { Principal } from '../../src/model/principal.ts';
import { NOW_MS, startSigningIssuer } from '../auth/signing-issuer.ts';
import { temporaryDir } from '../daemon.ts';
import { openAccess } from './open-access.ts';
import { rawRequest } from './raw.ts';
import { type Sent, sendTo } from './send-to.ts';
import { unusedHandlers } from './unused-handlers.ts';

test('plainAddress: IPv4 clients of a socket for both families are not one network', (t) => {
  t.is(plainAddress('0000:0000:0000:0000:0000:ffff:7f00:0001'), '127.0.0.1');
  t.is(plainAddress('0000:0000:0000:0000:0000:ffff:c633:64fe'), '198.51.100.254');
  for (const other of ['2001:0db8:0000:0000:0000:ffff:7f00:0001', '::1', '127.0.0.1', '']) {
    t.is(plainAddress(other), other);
  }
});

applyLibrarySettings();

const TOKEN = 'a'.repeat(32);

/** The real front door with authentication on; its handlers tell who got in. */
async function start(t: ExecutionContext, trustsProxy = false) {
  const issuer = await startSigningIssuer(t);
  const refusals: AuthRefusal[] = [];
  const checkJwt = createJwtCheck({
    issuer: issuer.url,
    audience: issuer.audience,
    now: () => NOW_MS,
    onProblem: () => undefined,
  });
  const show = ({ principal }: { principal: Principal }) =>
    Promise.resolve(dataReply(JSON.stringify(principal)));
  const handlers = new Proxy({}, { get: () => show }) as Handlers;
  const apiTokens = [secretDigest(TOKEN)];
  const admit = openAccess({ isEnabled: true, apiTokens, checkJwt }, (refusal) =>
    refusals.push(refusal),
  );
  const dispatch = createDispatch(handlers, admit);
  const http = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    dispatch,
    trustsProxy,
    spoolDirectory: temporaryDir(t),
    onError: (error) => t.fail(String(error)),
  });
  t.teardown(http.close);
  const send = (line: string, ...headers: string[]) =>
    rawRequest(http.port, [
      `${line} HTTP/1.1\r\n${['Host: localhost', ...headers].join('\r\n')}\r\n\r\n`,
    ]);
  return {
    issuer,
    refusals,
    send,
    get: (path: string, ...headers: string[]) => send(`GET /api/cra/${path}`, ...headers),
  };
}

const bearer = (token: string) => `Authorization: Bearer ${token}`;

test('a request without or with a wrong credential learns that, and nothing more', async (t) => {
  const { get, refusals } = await start(t);
  const none = await get('rfcs');
  t.is(none.status, 401);
  t.is(none.headers['www-authenticate'], 'Bearer');
  const wrong = await get('rfcs', bearer('guess'));
  t.is(wrong.status, 401);
  t.is(wrong.headers['www-authenticate'], 'Bearer error="invalid_token"');
  t.false(wrong.raw.includes('guess'));
  t.deepEqual(
    refusals.map(({ reason }) => reason),
    ['no credential', 'unknown token'],
  );
});

test('who may not come in learns nothing of queries and paths', async (t) => {
  const { get } = await start(t);
  t.is((await get('rfcs?limit=none')).status, 401);
  t.is((await get('rfcs?limit=none', bearer(TOKEN))).status, 400);
  const unknown = await get('nope');
  t.is(unknown.status, 404);
  t.is((await get('nope', bearer(TOKEN))).status, 404);
});

/** Health, and what proves who somebody is. */
const OPEN_ROUTES = [
  'health',
  'webhook',
  'login',
  'login-oidc',
  'login-callback',
  'login-password',
  'login-link',
  'dashboard',
  'dashboard-asset',
  'handbook',
  'handbook-folder',
  'handbook-file',
];

test('every endpoint wants a credential, but for the endpoints that this list names', async (t) => {
  const { send } = await start(t);
  const open: string[] = [];
  for (const { name, method, path } of ROUTES) {
    const target = path.replaceAll(/:\w+|\*/g, 'x');
    const { status } = await send(`${method} ${target}`, 'Content-Length: 0');
    if (status !== 401) open.push(name);
  }
  t.deepEqual(open, OPEN_ROUTES);
});

test('the method is that of the request line, and TRACE is refused', async (t) => {
  const { send } = await start(t);
  for (const header of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override']) {
    t.is((await send('GET /api/cra/rfcs', bearer(TOKEN), `${header}: DELETE`)).status, 200);
  }
  t.is((await send('TRACE /api/cra/rfcs', bearer(TOKEN))).status, 405);
});

const TWICE: [string, string[]][] = [
  ['two bearers', [bearer(TOKEN), bearer(TOKEN)]],
  ['two bearers, the second one wrong', [bearer(TOKEN), bearer('x')]],
  ['two schemes', [bearer(TOKEN), 'authorization: Basic eDp4']],
  ['two legacy headers', [`X-API-Key: ${TOKEN}`, `x-api-key: ${TOKEN}`]],
  ['two override headers', [bearer(TOKEN), 'X-CRA-Override-Token: a', 'X-CRA-Override-Token: b']],
];

for (const [title, headers] of TWICE) {
  test(`${title} are refused`, async (t) => {
    const { get, refusals } = await start(t);
    t.is((await get('rfcs', ...headers)).status, 401);
    t.is(refusals[0]?.reason, 'a header with a credential came twice');
  });
}

test('a token in the query is refused, with or without a header', async (t) => {
  const { get, issuer } = await start(t);
  const jwt = await issuer.sign();
  for (const token of [TOKEN, jwt]) {
    t.is((await get(`rfcs?access_token=${token}`)).status, 401);
    t.is((await get(`rfcs?limit=1&access_token=${token}`, bearer(TOKEN))).status, 401);
    t.is((await get(`rfcs?token=${token}`)).status, 401);
  }
  t.deepEqual(issuer.requests, []);
});

test('a JWT gets in by its claims, at 8 KB, too; 40 KB are 431 in the envelope', async (t) => {
  const { get, issuer } = await start(t);
  const roles = { meridian_roles: ['submitter'], meridian_tenant: 'acme' };
  const large = await issuer.sign({ ...roles, realm_access: { roles: ['x'.repeat(5_900)] } });
  t.true(large.length > 8_000);
  const reply = await get('rfcs', bearer(large));
  t.is(reply.status, 200);
  t.like(JSON.parse(reply.body).data, {
    id: 'ann',
    credential: 'oidc',
    role: 'submitter',
    tenant_id: 'acme',
  });
  const huge = await issuer.sign({ padding: 'x'.repeat(30_000) });
  t.true(huge.length > 40_000);
  const refused = await get('rfcs', bearer(huge));
  t.is(refused.status, 431);
  t.false(JSON.parse(refused.body).ok);
});

test('what is not a JWT never makes the service ask its issuer', async (t) => {
  const { get, issuer } = await start(t);
  for (const token of ['x', 'a.b', 'a.b.c.d', 'a.b.c.d.e', '..', 'a..c', 'é.é.é']) {
    t.is((await get('rfcs', bearer(token))).status, 401, token);
  }
  t.is((await get('rfcs', `X-API-Key: ${await issuer.sign()}`)).status, 401);
  t.deepEqual(issuer.requests, []);
});

test('wrong credentials are slowed down by address, right ones and others never', async (t) => {
  const { get, issuer, refusals } = await start(t, true);
  const from = (address: string) => `X-Forwarded-For: 198.51.100.7, ${address}`;
  for (let n = 0; n < AUTH.FAILURES_MAX; n += 1) {
    t.is((await get('rfcs', bearer('guess'), from('192.0.2.1'))).status, 401);
  }
  const slowed = await get('rfcs', bearer('guess'), from('192.0.2.1'));
  t.is(slowed.status, 429);
  t.regex(slowed.headers['retry-after'] ?? '', /^[12]$/);
  t.is(refusals.length, AUTH.FAILURES_MAX, 'the log is not filled by guesses');
  t.is((await get('rfcs', from('192.0.2.1'))).status, 401, 'no credential is not a guess');
  t.is((await get('rfcs', bearer(TOKEN), from('192.0.2.1'))).status, 200);
  t.is((await get('rfcs', bearer(await issuer.sign()), from('192.0.2.1'))).status, 200);
  t.is((await get('rfcs', bearer('guess'), from('192.0.2.2'))).status, 401);
  const lines = ['X-Forwarded-For: 192.0.2.9', 'X-Forwarded-For: 192.0.2.1'];
  t.is((await get('rfcs', bearer('guess'), ...lines)).status, 429, 'the last line counts');
});

test('without authentication on loopback only own names of the host are served', async (t) => {
  const hosts = new Set(['localhost', '127.0.0.1', '[::1]', 'cra.example.com']);
  const admit = openAccess({}, () => undefined, null, hosts);
  const http = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    dispatch: createDispatch(
      new Proxy({}, { get: () => async () => dataReply('1') }) as Handlers,
      admit,
    ),
    spoolDirectory: temporaryDir(t),
    onError: (error) => t.fail(String(error)),
  });
  t.teardown(http.close);
  const status = async (host: string, path = 'rfcs') => {
    const request = `GET /api/cra/${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    return (await rawRequest(http.port, [request])).status;
  };
  for (const host of ['localhost', 'LOCALHOST:3011', '127.0.0.1:80', '[::1]:3011', '[::1]']) {
    t.is(await status(host), 200, host);
  }
  t.is(await status('cra.example.com'), 200);
  for (const host of [
    'rebound.example',
    'localhost.example',
    '127.0.0.2',
    '[::2]',
    'x:localhost',
  ]) {
    t.is(await status(host), 421, host);
    t.is(await status(host, 'health'), 421, host);
  }
});

test('in dev mode what a credential lacks refuses nothing that is open without it', async (t) => {
  const ignored: (string | null)[] = [];
  const person = {
    ...OPEN_PRINCIPAL,
    id: 'ann',
    credential: 'session' as const,
    tenant_id: 'acme',
  };
  const admit = openAccess(
    { findSession: (cookies) => (cookies === '' ? null : Promise.resolve(person)) },
    ({ principalId }) => ignored.push(principalId),
    'https://cra.example.com',
  );
  const handlers = {
    ...unusedHandlers(),
    'ops-log': async ({ principal }: { principal: Principal }) =>
      dataReply(JSON.stringify(principal)),
    rfcs: async ({ principal }: { principal: Principal }) => dataReply(JSON.stringify(principal)),
  };
  const door = createDispatch(handlers, admit);
  const caller = async (path: string, sent: Sent) => {
    const reply = await sendTo(door, path, {}, sent);
    t.is(reply.status, 200, String(reply.body));
    return JSON.parse(String(reply.body)).data.id;
  };
  const own = { cookies: 'session', origin: 'https://cra.example.com', contentType: JSON_TYPE };
  t.is(await caller('ops-log', { headers: own }), 'ann');
  t.deepEqual(ignored, []);
  t.is(await caller('ops-log', { headers: { cookies: 'session' } }), 'dev-mode');
  const elsewhere = { ...own, tenant: 'other' };
  t.is(await caller('rfcs', { method: 'GET', headers: elsewhere }), 'dev-mode');
  t.deepEqual(ignored, ['ann', 'ann']);
  // A form of another site can send text, but not JSON.
  const form = { ...own, contentType: 'text/plain', contentLength: '2' };
  t.is(await caller('ops-log', { headers: form }), 'dev-mode');
  const misnamed = { method: 'GET', headers: { tenant: ' x' } } as const;
  t.is((await sendTo(door, 'rfcs', {}, misnamed)).status, 400);
  const foreign = await sendTo(
    door,
    'ops-log',
    {},
    { headers: { origin: 'https://evil.example' } },
  );
  t.is(foreign.status, 403);
});

const JSON_TYPE = 'application/json';

test('X-Forwarded-For counts for nothing unless the proxy is trusted', async (t) => {
  const { get } = await start(t);
  for (let n = 0; n < AUTH.FAILURES_MAX; n += 1) {
    await get('rfcs', bearer('guess'), `X-Forwarded-For: 192.0.2.${n}`);
  }
  t.is((await get('rfcs', bearer('guess'), 'X-Forwarded-For: 192.0.2.200')).status, 429);
});

const CASES: [string, string][] = [
  ['', 'socket'],
  ['192.0.2.1', '192.0.2.1'],
  ['198.51.100.1, 192.0.2.1', '192.0.2.1'],
  ['203.0.113.1, 198.51.100.1, 192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:4711', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:4711', '2001:db8::1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['192.0.2.1, ', 'socket'],
  ['192.0.2.1, unknown', 'socket'],
  ['192.0.2.1, _hidden', 'socket'],
  ['192.0.2.1, 300.1.1.1', 'socket'],
  ['192.0.2.1\r\nX: y', 'socket'],
];

for (const [header, address] of CASES) {
  test(`forwardedAddress gives ${address} for ${JSON.stringify(header)}`, (t) => {
    t.is(forwardedAddress(header, 'socket'), address);
  });
}

function sent(method: string, headers: Partial<Request['headers']>): Request {
  const none = { fetchSite: '', origin: '', contentType: '', contentLength: '' };
  return { method, headers: { ...none, ...headers } } as Request;
}

const OWN = 'http://127.0.0.1:3011';

test('without authentication programs, own pages and reads get in', (t) => {
  t.true(isOpenRequest(sent('POST', {}), null));
  t.true(isOpenRequest(sent('POST', { fetchSite: 'same-origin' }), null));
  t.true(isOpenRequest(sent('POST', { fetchSite: 'none' }), null));
  t.true(isOpenRequest(sent('POST', { origin: OWN }), OWN));
  t.true(isOpenRequest(sent('GET', { fetchSite: 'cross-site' }), null));
});

test('without authentication pages of other sites change nothing', (t) => {
  t.false(isOpenRequest(sent('POST', { fetchSite: 'cross-site' }), null));
  t.false(isOpenRequest(sent('DELETE', { fetchSite: 'same-site' }), OWN));
  t.false(isOpenRequest(sent('POST', { origin: 'https://evil.example' }), OWN));
  t.false(isOpenRequest(sent('PUT', { origin: 'null' }), null));
});

applyLibrarySettings();

test('a request whose client has gone keeps its address and tells that it has gone', async (t) => {
  const met = new Map<string, Request>();
  const http = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    spoolDirectory: temporaryDir(t),
    onError: (error) => t.fail(error.message),
    dispatch: {
      async handle(request) {
        if (request.path === '/asked') t.is(request.remoteAddress, '127.0.0.1');
        met.set(request.path, request);
        await until(() => http.inFlight === 0);
        return dataReply('nobody gets this');
      },
      bodyBytesMax: () => null,
      routeOf: () => null,
      openDelivery: () => null,
    },
  });
  t.teardown(http.close);
  const sent = [
    ['GET', '/asked', '127.0.0.1'],
    ['POST', '/posted', '127.0.0.1'],
    // Nobody wanted to know while it could be told.
    ['GET', '/unasked', ''],
  ] as const;
  for (const [method, path, address] of sent) {
    const socket = connect(http.port, '127.0.0.1');
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`);
    await until(() => met.has(path));
    socket.destroy();
    await until(() => http.inFlight === 0);
    t.is(met.get(path)?.remoteAddress, address);
    t.true(met.get(path)?.signal.aborted);
  }
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
}

test('errorReply says when to come again, with 503 alone', (t) => {
  const of = (code: StatusCode) => errorReply(new CraError(code, 'no'), 'id');
  const { status, headers } = of('RESOURCE_EXHAUSTED');
  t.deepEqual([status, headers], [503, [['Retry-After', '2']]]);
  t.deepEqual(of('NOT_FOUND').headers, []);
});
