import type { ExecutionContext } from 'ava';
import test from 'ava';
import { ACCESS } from '../../src/auth/access.ts';
import { AUTH } from '../../src/auth/limits.ts';
import {
  createFailedAttempts,
  createOneTimeLink,
  createPasswordCheck,
} from '../../src/auth/login.ts';
import { createJwtCheck } from '../../src/auth/oidc.ts';
import {
  CALLBACK_PATH,
  createOidcLogin,
  createTransactionSeal,
} from '../../src/auth/oidc-login.ts';
import { createSessions } from '../../src/auth/sessions.ts';
import { readPasswordHash, secretDigest } from '../../src/core/credentials.ts';
import { applyLibrarySettings } from '../../src/daemon/config/config.ts';
import {
  createDashboardHandlers,
  DASHBOARD_ROUTES,
  openAssets,
} from '../../src/http/api/dashboard.ts';
import { createLoginHandlers, LOGIN_ROUTES } from '../../src/http/api/login.ts';
import { startHttpServer } from '../../src/http/server/app.ts';
import { dispatchTo, type Handler, type Route } from '../../src/http/server/dispatch.ts';
import { dataReply } from '../../src/http/server/reply.ts';
import type { LoginEvent } from '../../src/model/principal.ts';
import { fake } from '../../src/rules/fake.ts';
import { type Browser, createBrowser, type Visit } from '../auth/browser.ts';
import { startIssuer } from '../auth/issuer.ts';
import { createMemorySessions } from '../auth/memory-sessions.ts';
import { hashOf } from '../auth/password-hash.ts';
import { temporaryDir } from '../daemon.ts';
import { freePort } from '../free-port.ts';
import { openAccess } from './open-access.ts';

applyLibrarySettings();

const TOKEN = fake('api-', 40);
const now = Date.now;
const known = readPasswordHash(hashOf('right'));
const READ_ONLY = { query: null, body: null, bodyBytesMax: 0, data: {}, summary: '' } as const;

/** Beside the login: one endpoint of each kind, which tells who came. */
const OTHERS = (['read', 'override', 'machine'] as const).map((name) => ({
  ...READ_ONLY,
  name,
  method: name === 'read' ? ('GET' as const) : ('POST' as const),
  path: `/api/cra/${name}`,
  auth: ACCESS[name],
  bodyBytesMax: 1_000,
}));

/** The service with every way to log in. */
async function start(t: ExecutionContext) {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const issuer = await startIssuer(t, `${baseUrl}${CALLBACK_PATH}`);
  const { url, audience, dashboard } = issuer;
  const store = createMemorySessions();
  const sessions = createSessions({ store, now, isSecure: false });
  const onProblem = () => undefined;
  const checkJwt = createJwtCheck({ issuer: url, audience, now, onProblem });
  const events: LoginEvent[] = [];
  const link = createOneTimeLink(now, () => undefined);
  const ways = {
    sessions,
    oidc: createOidcLogin({
      ...dashboard,
      issuer: url,
      baseUrl,
      checkJwt,
      seal: createTransactionSeal(fake('', 40), now),
      now,
    }),
    password: known === null ? null : createPasswordCheck(known),
    link,
    attempts: createFailedAttempts({
      now: () => 0,
      attemptsMax: AUTH.PASSWORD_FAILURES,
      windowMs: AUTH.PASSWORD_WINDOW_MS,
    }),
    failures: createFailedAttempts({
      now: () => 0,
      attemptsMax: AUTH.FAILURES_MAX,
      windowMs: AUTH.FAILURES_WINDOW_MS,
    }),
    ownOrigin: baseUrl,
    onEvent: (event: LoginEvent) => events.push(event),
  };
  const handlers = createLoginHandlers(ways, '/cra/assets/style.css');
  const pages = createDashboardHandlers({
    assets: openAssets(temporaryDir(t)),
    may: (_, row) => row === ACCESS.reject,
    isAuthEnabled: true,
    sessionDecisions: 'admin',
    fourEyes: false,
    hosts: [
      { id: 'gh', provider: 'github', url: 'https://github.com', tenantId: 'default' },
      { id: 'local', provider: 'gitea', url: 'file:///srv/git', tenantId: 'default' },
      { id: 'other', provider: 'gitlab', url: 'https://gitlab.com', tenantId: 'other' },
    ],
    sessions,
  });
  const show: Handler = async ({ principal }) => dataReply(JSON.stringify(principal));
  const options = {
    isEnabled: true,
    apiTokens: [secretDigest(TOKEN)],
    checkJwt,
    findSession: sessions.find,
  };
  const dispatch = dispatchTo<string>(
    [...LOGIN_ROUTES, ...DASHBOARD_ROUTES, ...OTHERS] as readonly Route[],
    { ...handlers, ...pages, read: show, override: show, machine: show },
    openAccess(options, undefined, baseUrl),
  );
  const onError = (error: Error) => t.log(error);
  const http = await startHttpServer({
    host: '127.0.0.1',
    port,
    dispatch,
    onError,
    spoolDirectory: temporaryDir(t),
  });
  t.teardown(http.close);
  return { api: `${baseUrl}/api/cra`, baseUrl, issuer, store, events, link };
}

const isCallback = (url: URL) => url.pathname === CALLBACK_PATH;
const isHome = (url: URL) => url.pathname.startsWith('/cra');

/** Logs in with the issuer, up to the redirect that leads back. */
async function toCallback(browser: Browser, api: string, role: string): Promise<URL> {
  const form = await browser.open(`${api}/auth/oidc?return_to=${encodeURIComponent('/cra#x')}`);
  const fields = { login: role, password: 'any' };
  let page: Visit = await browser.submit(form, fields, isCallback);
  if (page.status === 200) page = await browser.submit(page, {}, isCallback);
  return new URL(page.headers.get('location') ?? '', page.url);
}

async function loginAs(browser: Browser, api: string, role: string): Promise<Visit> {
  return browser.open(await toCallback(browser, api, role), isHome);
}

const data = (visit: Visit) => JSON.parse(visit.text).data;

test('a person logs in with the issuer, acts by role, and logs out', async (t) => {
  const { api, store, events } = await start(t);
  const browser = createBrowser();
  const back = await loginAs(browser, api, 'cab-member');
  t.is(back.status, 303);
  t.is(back.headers.get('location'), '/cra#x');
  const session = await browser.send(`${api}/auth/session`);
  t.deepEqual(data(session), {
    id: 'cab-member',
    name: 'Person cab-member',
    email: 'cab-member@example.test',
    credential: 'session',
    role: 'cab-member',
    tenant_id: 'default',
    auth: 'on',
    can: ['reject'],
    decides: data(session).decides,
    login: true,
    four_eyes: false,
    hosts: [{ id: 'gh', provider: 'github', url: 'https://github.com' }],
    idle_ends_at: data(session).idle_ends_at,
    ends_at: data(session).ends_at,
  });
  const idleMs = Date.parse(data(session).ends_at) - Date.parse(data(session).idle_ends_at);
  t.is(idleMs, AUTH.SESSION_MAX_MS - AUTH.SESSION_IDLE_MS);
  t.is((await browser.send(`${api}/read`)).status, 200);
  const own = { method: 'POST', headers: { 'Sec-Fetch-Site': 'same-origin' } };
  t.is((await browser.send(`${api}/override`, own)).status, 403, 'sessions override as admin only');
  t.is((await browser.send(`${api}/machine`, own)).status, 403);
  const out = await browser.send(`${api}/auth/logout`, own);
  t.true(data(out).logged_out);
  t.regex(data(out).logout_url, /\/session\/end\?/);
  t.is((await browser.send(`${api}/read`)).status, 401);
  t.is(store.sessions.size, 0);
  t.deepEqual(
    events.map(({ event, principal }) => [event, principal?.id]),
    [
      ['login', 'cab-member'],
      ['logout', 'cab-member'],
    ],
  );
});

test('an admin with a session overrides, from the own pages only and with JSON only', async (t) => {
  const { api, baseUrl } = await start(t);
  const browser = createBrowser();
  await loginAs(browser, api, 'acme-admin');
  const json = { 'Content-Type': 'application/json' };
  const post = async (headers: Record<string, string>, body: string | null = '{}') =>
    (await browser.send(`${api}/override`, { method: 'POST', headers, body })).status;
  t.is(await post({ ...json, 'Sec-Fetch-Site': 'same-origin' }), 200);
  t.is(await post({ ...json, Origin: baseUrl }), 200);
  t.is(await post({ 'Sec-Fetch-Site': 'same-origin' }, null), 200);
  for (const site of ['cross-site', 'same-site', 'none', 'nonsense']) {
    t.is(await post({ ...json, 'Sec-Fetch-Site': site, Origin: baseUrl }), 403, site);
  }
  for (const origin of ['https://elsewhere.example', 'null', `${baseUrl}.example`, `${baseUrl}/`]) {
    t.is(await post({ ...json, Origin: origin }), 403, origin);
  }
  t.is(await post(json), 403, 'neither header');
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
    t.is(await post({ 'Content-Type': type, Origin: baseUrl }), 403, type);
  }
  const bearer = { Authorization: 'Bearer wrong' };
  t.is((await browser.send(`${api}/read`, { headers: bearer })).status, 401);
  const right = { Authorization: `Bearer ${TOKEN}` };
  const asToken = await browser.send(`${api}/read`, { headers: right });
  t.is(data(asToken).credential, 'api-token');
});

test('what comes back from the issuer must be what was sent, once and in one browser', async (t) => {
  const { api, baseUrl, events } = await start(t);
  const browser = createBrowser();
  const callback = await toCallback(browser, api, 'viewer');
  const refused = async (who: Browser, url: URL | string) => {
    const visit = await who.send(url);
    t.is(visit.status, 401);
    t.false(visit.text.includes(callback.searchParams.get('code') ?? 'none'));
  };
  const kept = new Map(browser.cookies.get(baseUrl));
  const again = () => browser.cookies.set(baseUrl, new Map(kept));
  await refused(createBrowser(), callback);
  for (const [name, value] of [
    ['state', 'other'],
    ['iss', 'https://elsewhere.example'],
  ] as const) {
    const changed = new URL(callback);
    changed.searchParams.set(name, value);
    again();
    await refused(browser, changed);
  }
  again();
  browser.cookies.get(baseUrl)?.set('cra_login', `${kept.get('cra_login')}x`);
  await refused(browser, callback);
  again();
  await refused(browser, `${api}/auth/callback?error=access_denied&state=x`);
  await refused(browser, `${api}/auth/callback`);
  again();
  t.is((await browser.send(callback)).status, 303);
  again();
  await refused(browser, callback);
  t.is(events.filter(({ event }) => event === 'login').length, 1);
});

test('a session that was planted before the login is worth nothing after it', async (t) => {
  const { api, baseUrl, store } = await start(t);
  const eve = createBrowser();
  await loginAs(eve, api, 'viewer');
  const planted = eve.cookies.get(baseUrl)?.get('cra_session') ?? '';
  const ann = createBrowser();
  ann.cookies.set(baseUrl, new Map([['cra_session', planted]]));
  await loginAs(ann, api, 'acme-admin');
  t.not(ann.cookies.get(baseUrl)?.get('cra_session'), planted);
  t.is((await eve.send(`${api}/read`)).status, 401);
  t.is(store.sessions.size, 1);
});

test('the local admin logs in by password, five tries in a quarter of an hour', async (t) => {
  const { api, baseUrl, events } = await start(t);
  const browser = createBrowser();
  const page = await browser.open(`${api}/auth/login?return_to=/cra%22%3E%3Cb%3E`);
  t.regex(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  t.is(page.headers.get('cache-control'), 'no-store');
  t.false(page.text.includes('<b>'));
  const post = (password: string, headers: Record<string, string>) =>
    browser.send(`${api}/auth/password`, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ password, return_to: '//elsewhere.example' }),
    });
  const own = { Origin: baseUrl };
  t.is((await post('right', { Origin: 'https://elsewhere.example' })).status, 403);
  t.is((await post('right', { 'Sec-Fetch-Site': 'none' })).status, 403);
  t.is((await post('right', {})).status, 403);
  for (let n = 1; n < AUTH.PASSWORD_FAILURES; n += 1) t.is((await post('wrong', own)).status, 401);
  const inside = await post('right', own);
  t.is(inside.status, 303);
  t.is(inside.headers.get('location'), '/cra');
  t.like(data(await browser.send(`${api}/auth/session`)), { id: 'local-admin', role: 'admin' });
  for (let n = 0; n < AUTH.PASSWORD_FAILURES; n += 1) t.is((await post('wrong', own)).status, 401);
  const slowed = await post('right', own);
  t.is(slowed.status, 429);
  t.true(Number(slowed.headers.get('retry-after')) > 0);
  t.false(JSON.stringify(events).includes('right'));
});

test('the one-time link lets one admin in, and looking at it does not use it up', async (t) => {
  const { api, link } = await start(t);
  const browser = createBrowser();
  const page = await browser.open(`${api}/auth/login?link=${link.token}`);
  await browser.open(`${api}/auth/login?link=${link.token}`);
  t.is((await browser.submit(page, {}, isHome)).status, 303);
  t.like(data(await browser.send(`${api}/auth/session`)), { id: 'local-admin' });
  t.is((await createBrowser().submit(page, {}, isHome)).status, 401);
});

test('logging out everywhere ends the sessions of all browsers', async (t) => {
  const { api, baseUrl } = await start(t);
  const here = createBrowser();
  const there = createBrowser();
  await loginAs(here, api, 'viewer');
  await loginAs(there, api, 'viewer');
  const init = { method: 'POST', headers: { Origin: baseUrl } };
  t.is((await here.send(`${api}/auth/logout?everywhere=true`, init)).status, 200);
  t.is((await there.send(`${api}/read`)).status, 401);
});
