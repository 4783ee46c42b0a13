import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import test from 'ava';
import { CALLBACK_PATH } from '../../src/auth/oidc-login.ts';
import { fake } from '../../src/rules/fake.ts';
import { openMongoAuditSource } from '../../src/store/mongo/audit-source.ts';
import { openSqliteAuditSource } from '../../src/store/sqlite/audit-log.ts';
import { openForWriting, storePaths } from '../../src/store/sqlite/database.ts';
import { change, newFile, request, startDaemonProcess, temporaryDir, until } from '../daemon.ts';
import { blocked } from '../decision-calls.ts';
import { freePort } from '../free-port.ts';
import { databaseUrl, sharedMongod } from '../mongod/mongod.ts';
import { createBrowser } from './browser.ts';
import { startIssuer } from './issuer.ts';
import { hashOf } from './password-hash.ts';
import { cookieOf, type Secured, startSecured } from './secured.ts';

const API_TOKEN = fake('api-', 40);
const PASSWORD = fake('password-', 30);

/** Settings of a daemon that browsers reach, and where. */
async function settings() {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const env = {
    SERVICE_AUTH_ENABLED: 'true',
    CRA_API_TOKEN: API_TOKEN,
    SERVICE_PORT: String(port),
    SERVICE_BASE_URL: baseUrl,
  };
  return { baseUrl, env };
}

/** The kind, event and person of each login entry of a trail. */
async function loginEntries(t: ExecutionContext, dataDir: string): Promise<unknown[]> {
  const source = await openSqliteAuditSource(dataDir);
  const found: unknown[] = [];
  for (const chain of await source.chains()) {
    for await (const text of source.entries(chain)) {
      t.false(text.includes(PASSWORD));
      const { kind, details, principal } = JSON.parse(text);
      if (kind === 'login') found.push([details.event, details.how, principal?.id ?? null]);
    }
  }
  await source.close();
  return found;
}

test.serial(
  'an admin logs in by password and overrides; the session outlives a restart, the trail tells',
  async (t) => {
    const { baseUrl, env } = await settings();
    const dataDir = temporaryDir(t);
    const all = { ...env, SERVICE_ADMIN_PASSWORD_HASH: hashOf(PASSWORD) };
    const first = await startDaemonProcess(t, dataDir, all);
    const secret = fake('ghp_', 36);
    const { body } = await request(`${first.url}/analyze`, {
      method: 'POST',
      body: JSON.stringify(change(newFile('a.ts', `const token = '${secret}';`))),
      headers: { Authorization: `Bearer ${API_TOKEN}` },
    });
    t.is(body.data.overall_status, 'BLOCKED');

    const browser = createBrowser();
    const page = await browser.open(`${first.url}/auth/login`);
    const wrong = await browser.submit(page, { password: 'wrong' });
    t.is(wrong.status, 401);
    const inside = await browser.submit(page, { password: PASSWORD }, () => true);
    t.is(inside.headers.get('location'), '/cra');
    t.is(await first.stop(), 0);
    t.false(existsSync(join(dataDir, 'login-link')));

    const second = await startDaemonProcess(t, dataDir, all);
    const override = await browser.send(`${second.url}/rfc/${body.data.rfc_id}/override`, {
      method: 'POST',
      headers: { Origin: baseUrl, 'Content-Type': 'application/json' },
      body: JSON.stringify({ actor: 'ann', reason: 'a token of a test, seen and accepted' }),
    });
    t.is(override.status, 200, override.text);
    const post = { method: 'POST', headers: { Origin: baseUrl } };
    t.is((await browser.send(`${second.url}/auth/logout`, post)).status, 200);
    t.is((await browser.send(`${second.url}/rfcs`)).status, 401);
    t.is(await second.stop(), 0);
    t.deepEqual(await loginEntries(t, dataDir), [
      ['login failed', 'password', null],
      ['login', 'password', 'local-admin'],
      ['logout', 'session', 'local-admin'],
    ]);
    t.false(JSON.stringify([first.log, second.log]).includes(PASSWORD));
  },
);

test.serial(
  'without another login the start writes a link that is valid once to a file of mode 0600',
  async (t) => {
    const { env } = await settings();
    const dataDir = temporaryDir(t);
    const daemon = await startDaemonProcess(t, dataDir, env);
    const path = join(dataDir, 'login-link');
    await until(() => daemon.log.some((entry) => entry['path'] === path));
    t.is(statSync(path).mode & 0o777, 0o600);
    t.is(statSync(join(dataDir, 'lock.db')).mode & 0o777, 0o600);
    const url = readFileSync(path, 'utf8').trim();
    const browser = createBrowser();
    const page = await browser.open(url);
    t.is((await browser.submit(page, {}, () => true)).status, 303);
    t.is((await browser.send(`${daemon.url}/rfcs`)).status, 200);
    t.is((await createBrowser().submit(page, {}, () => true)).status, 401);
    t.false(existsSync(path), 'the file is gone once the link is used');
    const secret = url.split('link=')[1] ?? url;
    t.false(`${JSON.stringify(daemon.log)}${daemon.errors()}`.includes(secret));
  },
);

test.serial(
  'dev mode with an override token: rules and deletions are reachable by a login',
  async (t) => {
    const { env, baseUrl } = await settings();
    const dataDir = temporaryDir(t);
    const daemon = await startDaemonProcess(t, dataDir, {
      ...env,
      SERVICE_AUTH_ENABLED: 'false',
      CRA_OVERRIDE_TOKEN: fake('override-', 40),
    });
    const status = async (method: string, path: string, body?: string, token = '') => {
      const headers = token === '' ? {} : { Authorization: `Bearer ${token}` };
      const init = { method, headers, ...(body === undefined ? {} : { body }) };
      return (await fetch(`${daemon.url}/${path}`, init)).status;
    };
    t.is(await status('GET', 'rfcs'), 200);
    t.is(await status('GET', 'pending-tasks'), 401, 'an API token is configured');
    t.is(await status('GET', 'pending-tasks', undefined, API_TOKEN), 200);
    t.is(await status('GET', 'rfcs', undefined, 'guess'), 200, 'a wrong token refuses nothing');
    const isNoted = ({ reason, msg }: Record<string, unknown>) =>
      reason === 'unknown token' && msg !== 'refused';
    await until(() => daemon.log.some(isNoted));
    t.is(await status('DELETE', 'rfc/RFC-0'), 401);
    const body = JSON.stringify(change(newFile('a.txt', 'text')));
    const made = await request(`${daemon.url}/analyze`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${API_TOKEN}` },
      body,
    });
    const rfc = `${daemon.url}/rfc/${made.body.data.rfc_id}`;
    t.is((await request(rfc)).body.data.submitted_by.credential, 'api-token');
    const browser = createBrowser();
    const page = await browser.open(readFileSync(join(dataDir, 'login-link'), 'utf8').trim());
    t.is((await browser.submit(page, {}, () => true)).status, 303);
    const removed = await browser.send(rfc, { method: 'DELETE', headers: { Origin: baseUrl } });
    t.is(removed.status, 200);
  },
);

test.serial('a person logs in with a real issuer and sees what the role may', async (t) => {
  const { baseUrl, env } = await settings();
  const issuer = await startIssuer(t, `${baseUrl}${CALLBACK_PATH}`);
  const daemon = await startDaemonProcess(t, temporaryDir(t), {
    ...env,
    SERVICE_OIDC_ISSUER: issuer.url,
    SERVICE_OIDC_AUDIENCE: issuer.audience,
    SERVICE_OIDC_CLIENT_ID: issuer.dashboard.clientId,
    SERVICE_OIDC_CLIENT_SECRET: issuer.dashboard.clientSecret,
  });
  const browser = createBrowser();
  const isBack = (url: URL) => url.pathname.startsWith('/cra');
  const form = await browser.open(`${daemon.url}/auth/oidc`);
  const consent = await browser.submit(form, { login: 'acme-admin', password: 'x' }, isBack);
  if (consent.status === 200) await browser.submit(consent, {}, isBack);
  const { text } = await browser.send(`${daemon.url}/auth/session`);
  t.like(JSON.parse(text).data, { id: 'acme-admin', role: 'admin', tenant_id: 'acme' });
  t.is((await browser.send(`${daemon.url}/rfcs`)).status, 200);
  t.is(await daemon.stop(), 0);
});

test.serial('without an address for browsers there is no login', async (t) => {
  const daemon = await startDaemonProcess(t, temporaryDir(t));
  const answer = await request(`${daemon.url}/auth/login`);
  t.is(answer.status, 404);
  t.regex(answer.body.error, /not configured/);
});

test.serial(
  'a trail that cannot be written keeps nobody from logging in, and the log says so',
  async (t) => {
    const { baseUrl, env } = await settings();
    const dataDir = temporaryDir(t);
    const all = { ...env, SERVICE_ADMIN_PASSWORD_HASH: hashOf(PASSWORD) };
    const daemon = await startDaemonProcess(t, dataDir, all);
    const database = openForWriting(storePaths(dataDir).database);
    t.teardown(() => void database.close());
    database.exec(
      "CREATE TRIGGER no_entries BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no'); END",
    );
    const browser = createBrowser();
    const page = await browser.open(`${daemon.url}/auth/login`);
    t.is((await browser.submit(page, { password: PASSWORD }, () => true)).status, 303);
    t.is((await browser.send(`${daemon.url}/rfcs`)).status, 200);
    const init = { method: 'POST', headers: { Origin: baseUrl } };
    t.is((await browser.send(`${daemon.url}/auth/logout`, init)).status, 200);
    t.is((await browser.send(`${daemon.url}/rfcs`)).status, 401);
    const told = () => daemon.log.filter(({ msg }) => msg === 'a login is not in the audit trail');
    await until(() => told().length === 2);
    t.pass();
  },
);

const TEST_MS_MAX = 300_000;

/** Without the issuer as a way in. */
const LOCAL = { SERVICE_OIDC_CLIENT_ID: '', SERVICE_OIDC_CLIENT_SECRET: '' };

/** Two daemons on one MongoDB, and who the trail says logged in or out. */
async function startTwo(t: ExecutionContext, env: Record<string, string>) {
  t.timeout(TEST_MS_MAX);
  const url = databaseUrl(await sharedMongod());
  const key = () => randomBytes(32).toString('hex');
  const all = {
    SERVICE_STORE_URL: url,
    SERVICE_SEAL_KEY: key(),
    SERVICE_FINGERPRINT_KEY: key(),
    SERVICE_CHECKPOINT_KEY: key(),
    ...env,
  };
  const [one, two] = await Promise.all([startSecured(t, all), startSecured(t, all)]);
  async function logins(): Promise<unknown[]> {
    const source = await openMongoAuditSource({ url, auditUrl: null });
    const found: [number, unknown[]][] = [];
    for (const chain of await source.chains()) {
      for await (const text of source.entries(chain)) {
        t.false(text.includes(PASSWORD));
        const { kind, details, principal, ts } = JSON.parse(text);
        const told = [details.event, details.how, principal?.id ?? null];
        if (kind === 'login') found.push([Date.parse(ts), told]);
      }
    }
    await source.close();
    return found.sort(([a], [b]) => a - b).map(([, told]) => told);
  }
  return { one, two, logins };
}

/** A request with this cookie, from a page of the daemon itself. */
async function call(
  { daemon, baseUrl }: Secured,
  cookie: string,
  path: string,
  body: object | null = null,
) {
  const headers = { Cookie: cookie, Origin: baseUrl, 'Content-Type': 'application/json' };
  const isPost = body !== null || path.startsWith('auth/logout');
  return request(`${daemon.url}/${path}`, {
    method: isPost ? 'POST' : 'GET',
    headers,
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
}

test.serial('MongoDB: a session by password counts on every daemon until it ends', async (t) => {
  const { one, two, logins } = await startTwo(t, {
    ...LOCAL,
    SERVICE_ADMIN_PASSWORD_HASH: hashOf(PASSWORD),
  });
  const { body } = await request(`${one.daemon.url}/analyze`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${one.apiToken}` },
    body: JSON.stringify(blocked(1)),
  });
  t.is(body.data.overall_status, 'BLOCKED');

  const browser = createBrowser();
  const page = await browser.open(`${one.daemon.url}/auth/login`);
  t.is((await browser.submit(page, { password: 'wrong' })).status, 401);
  t.is((await browser.submit(page, { password: PASSWORD }, () => true)).status, 303);
  const cookie = cookieOf(browser, one.baseUrl);
  t.like((await call(two, cookie, 'auth/session')).body.data, { id: 'local-admin', role: 'admin' });
  const reason = { actor: 'ann', reason: 'the key of the vendor example' };
  const override = await call(two, cookie, `rfc/${body.data.rfc_id}/override`, reason);
  t.is(override.status, 200, JSON.stringify(override.body));
  t.is(override.body.data.decision.principal.id, 'local-admin');

  t.is((await call(two, cookie, 'auth/logout')).status, 200);
  t.is((await call(one, cookie, 'rfcs')).status, 401);
  t.is((await call(two, cookie, 'rfcs')).status, 401);
  await until(async () => (await logins()).length === 3);
  t.deepEqual(await logins(), [
    ['login failed', 'password', null],
    ['login', 'password', 'local-admin'],
    ['logout', 'session', 'local-admin'],
  ]);
});

test.serial('MongoDB: the link of a start lets one browser in, by its daemon alone', async (t) => {
  const { one, two, logins } = await startTwo(t, LOCAL);
  const linkOf = ({ dataDir }: Secured) => readFileSync(join(dataDir, 'login-link'), 'utf8').trim();
  const link = new URL(linkOf(one));
  const elsewhere = createBrowser();
  const foreign = await elsewhere.open(`${two.daemon.url}/auth/login${link.search}`);
  t.is((await elsewhere.submit(foreign, {}, () => true)).status, 401);

  const browser = createBrowser();
  const page = await browser.open(link);
  t.is((await browser.submit(page, {}, () => true)).status, 303);
  t.is((await createBrowser().submit(page, {}, () => true)).status, 401);
  const cookie = cookieOf(browser, one.baseUrl);
  t.is((await call(two, cookie, 'rfcs')).status, 200);
  await until(async () => (await logins()).length === 3);
  t.deepEqual(await logins(), [
    ['login failed', 'link', null],
    ['login', 'link', 'local-admin'],
    ['login failed', 'link', null],
  ]);
});

test.serial('MongoDB: a logout everywhere counts on every daemon', async (t) => {
  const { one, two, logins } = await startTwo(t, {});
  const cookies: string[] = [];
  for (const daemon of [one, two]) {
    cookies.push(cookieOf(await daemon.login('acme-admin'), daemon.baseUrl));
  }
  const [here = '', there = ''] = cookies;
  const outsider = cookieOf(await one.login('viewer'), one.baseUrl);
  for (const cookie of [here, there]) {
    const { data } = (await call(one, cookie, 'auth/session')).body;
    t.like(data, { id: 'acme-admin', role: 'admin', tenant_id: 'acme' });
  }
  t.is((await call(two, here, 'auth/logout?everywhere=true')).status, 200);
  for (const daemon of [one, two]) {
    t.is((await call(daemon, here, 'rfcs')).status, 401);
    t.is((await call(daemon, there, 'rfcs')).status, 401);
    t.is((await call(daemon, outsider, 'rfcs')).status, 200);
  }
  await until(async () => (await logins()).length === 4);
  t.deepEqual((await logins()).at(-1), ['logout', 'session', 'acme-admin']);
});
