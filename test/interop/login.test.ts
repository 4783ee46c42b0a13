import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { fake } from '../../src/rules/fake.ts';
import { hashOf } from '../auth/password-hash.ts';
import { startSecured } from '../auth/secured.ts';
import { hasChromium, openTab, type Tab } from './chromium.ts';
import {
  blockedChange,
  decisionsOf,
  logIn,
  openBlocked,
  openDashboard,
  REASON,
  silencePulse,
} from './page.ts';

const SESSION = '/api/cra/auth/session';

/** Without the issuer as a way in. */
const LOCAL = { SERVICE_OIDC_CLIENT_ID: '', SERVICE_OIDC_CLIENT_SECRET: '' };

/** Who is logged in, as the page shows it. */
async function shown(tab: Tab): Promise<Record<string, unknown>> {
  await tab.wait(`location.pathname === '${SESSION}' && document.readyState === 'complete'`);
  return JSON.parse((await tab.evaluate<string>('document.body.innerText')) ?? '{}').data;
}

/** A page of somebody else, on another port of this machine. */
async function otherSite(t: ExecutionContext, html: string): Promise<number> {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

test.serial('a person logs in with the issuer in a real browser, and out again', async (t) => {
  if (!hasChromium(t)) return;
  const { daemon, baseUrl } = await startSecured(t);
  const tab = await openTab(t);
  await tab.open(`${daemon.url}/auth/login?return_to=${SESSION}`);
  await tab.evaluate("document.querySelector('a').click()");
  await tab.wait("document.querySelector('[name=login]') !== null");
  await tab.submit({ login: 'acme-admin', password: 'any' });
  await tab.wait("document.readyState === 'complete' && !document.querySelector('[name=login]')");
  if ((await tab.evaluate('location.pathname')) !== SESSION) await tab.submit();
  t.like(await shown(tab), { id: 'acme-admin', role: 'admin', tenant_id: 'acme' });

  const cookie = (await tab.cookies()).find(({ name }) => name === 'cra_session');
  t.like(cookie, { httpOnly: true, sameSite: 'Lax', path: '/' });
  t.is(await tab.evaluate('document.cookie'), '', 'no script sees it');

  const attack = `${daemon.url}/auth/logout?everywhere=true`;
  const port = await otherSite(
    t,
    `<form method="post" action="${attack}"><button>x</button></form>`,
  );
  // Another port is the same site: the cookie goes along. Another host is not: it stays.
  for (const [host, status] of [
    ['127.0.0.1', 'PERMISSION_DENIED'],
    ['localhost', 'UNAUTHENTICATED'],
  ]) {
    await tab.open(`http://${host}:${port}/`);
    await tab.submit();
    await tab.wait(`location.origin === '${baseUrl}' && document.readyState === 'complete'`);
    const body = await tab.evaluate<string>('document.body.innerText');
    t.is(JSON.parse(body ?? '{}').code, status, host);
    await tab.open(`http://${host}:${port}/`);
    const sent = "{ method: 'POST', mode: 'no-cors', credentials: 'include' }";
    await tab.evaluate(`fetch('${attack}', ${sent}).then(() => true)`);
    await tab.open(`${baseUrl}${SESSION}`);
    t.like(await shown(tab), { id: 'acme-admin' }, 'still logged in');
  }

  const out = "fetch('/api/cra/auth/logout', { method: 'POST' }).then(({ status }) => status)";
  t.is(await tab.evaluate(out), 200);
  t.is(await tab.evaluate(`fetch('${SESSION}').then(({ status }) => status)`), 401);
});

test.serial('the local admin logs in by password in a real browser', async (t) => {
  if (!hasChromium(t)) return;
  const password = fake('password-', 30);
  const { daemon } = await startSecured(t, {
    ...LOCAL,
    SERVICE_ADMIN_PASSWORD_HASH: hashOf(password),
  });
  const tab = await openTab(t);
  await tab.open(`${daemon.url}/auth/login?return_to=${SESSION}`);
  await tab.submit({ password: 'wrong' });
  await tab.wait("document.querySelector('[role=alert]') !== null");
  await tab.submit({ password });
  t.like(await shown(tab), { id: 'local-admin', role: 'admin' });
});

test.serial('the one-time link lets in who opens it first in a real browser', async (t) => {
  if (!hasChromium(t)) return;
  const { dataDir } = await startSecured(t, LOCAL);
  const link = readFileSync(join(dataDir, 'login-link'), 'utf8').trim();
  const tab = await openTab(t);
  await tab.open(`${link}&return_to=${SESSION}`);
  await tab.submit();
  t.like(await shown(tab), { id: 'local-admin' });
  const other = await openTab(t);
  await other.open(link);
  await other.submit();
  await other.wait("document.querySelector('[role=alert]') !== null");
});

test.serial('the login of the issuer leads back to the view that was asked for', async (t) => {
  const { daemon, apiToken } = await startSecured(t);
  const house = await openDashboard(t, daemon);
  const { page } = await house.visit(t);
  const repo = 'a/ü?&#/%'; // Which the way over the issuer has to keep.
  await house.call('analyze', blockedChange({ repo_name: repo }), 'POST', apiToken);
  const view = `#/queue?${new URLSearchParams({ status: 'BLOCKED', repo })}`;
  await page.goto(`${house.origin}/cra${view}`);
  await page.click('a[href*="auth/oidc"]');
  await page.fill('[name=login]', 'admin');
  await page.fill('[name=password]', 'any');
  await page.click('button');
  await page.click('button:has-text("Continue")');
  await page.waitForSelector('table.queue tbody tr');
  t.is(new URL(page.url()).hash, view);
  t.is(await page.locator('table.queue tbody tr').count(), 1);
  t.regex((await page.textContent('.person')) ?? '', /Person admin.*Role: admin/);
});

test.serial('a session that ends in mid-decision costs no text', async (t) => {
  const house = await openDashboard(t);
  const visitor = await house.visit(t);
  const { page } = visitor;
  await silencePulse(page);
  const id = await openBlocked(house, visitor);
  await page.fill('#reason', REASON);
  await page.context().clearCookies();
  await page.click('button.main');
  await page.waitForSelector('text=The session is over. What you typed is kept.');
  t.deepEqual(await decisionsOf(house, id), []);
  await page.click('text=Log in again');
  await logIn(page);
  await page.waitForSelector('#reason');
  t.is(await page.inputValue('#reason'), REASON);
  await page.click('button.main');
  await page.waitForSelector('text=recorded in the audit trail');
  t.deepEqual(await decisionsOf(house, id), ['override']);
});
