import test, { type ExecutionContext } from 'ava';
import { CALLBACK_PATH } from '../../src/auth/oidc-login.ts';
import { fake } from '../../src/rules/fake.ts';
import { openSqliteAuditSource } from '../../src/store/sqlite/audit-source.ts';
import { openForWriting, storePaths } from '../../src/store/sqlite/database.ts';
import { change, newFile, request, startDaemonProcess, temporaryDir, until } from '../daemon.ts';
import { createBrowser } from './browser.ts';
import { freePort } from './free-port.ts';
import { startIssuer } from './issuer.ts';
import { hashOf } from './password-hash.ts';

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
    t.false(first.errors().includes('link='));

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
  'where no other way in is configured, the start prints a link that is good for once',
  async (t) => {
    const { env } = await settings();
    const daemon = await startDaemonProcess(t, temporaryDir(t), env);
    const url = /http:\S+link=\S+/.exec(daemon.errors())?.[0] ?? '';
    const browser = createBrowser();
    const page = await browser.open(url);
    t.is((await browser.submit(page, {}, () => true)).status, 303);
    t.is((await browser.send(`${daemon.url}/rfcs`)).status, 200);
    t.is((await createBrowser().submit(page, {}, () => true)).status, 401);
    t.false(JSON.stringify(daemon.log).includes(url.split('link=')[1] ?? url));
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
