import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test, { type ExecutionContext } from 'ava';
import { type Browser, chromium, type Page, type Route } from 'playwright-core';
import { freePort } from '../auth/free-port.ts';
import { hashOf } from '../auth/password-hash.ts';
import {
  type analyze,
  change,
  type DaemonProcess,
  newFile,
  startDaemonProcess,
  temporaryDir,
} from '../daemon.ts';
import { AWS_KEY } from '../decision-calls.ts';

const PASSWORD = 'a long password of the admin';
const TOKEN = 'a'.repeat(32);
const OVERRIDE_TOKEN = 'b'.repeat(32);
const REASON = 'The key is revoked, see ticket OPS-1';
const HOSTILE = '<img src=x onerror="document.title=1">\u202egnp.exe';
const CHROMIUM = '/usr/bin/chromium';
/** Far above what a page takes, also on a busy machine. */
const WAIT_MS = 120_000;
const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface Site {
  origin: string;
  page: Page;
  /** With `/api/cra`. */
  api: string;
  /** What the browser refused: violations of the content security policy, errors of scripts. */
  problems: string[];
  submit(body: Record<string, unknown>): Promise<string>;
}

/** One daemon with a local admin, and one browser; each test has a session of its own. */
let daemon: DaemonProcess;
let browser: Browser;
const undo: (() => unknown)[] = [];

test.before(async () => {
  const t = { teardown: (step: () => unknown) => undo.push(step) };
  const port = await freePort();
  daemon = await startDaemonProcess(t, temporaryDir(t), {
    SERVICE_AUTH_ENABLED: 'true',
    SERVICE_PORT: String(port),
    SERVICE_BASE_URL: `http://127.0.0.1:${port}`,
    CRA_API_TOKEN: TOKEN,
    CRA_OVERRIDE_TOKEN: OVERRIDE_TOKEN,
    SERVICE_ADMIN_PASSWORD_HASH: hashOf(PASSWORD),
  });
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  undo.push(() => browser.close());
});

test.after.always(async () => {
  for (const step of undo.reverse()) await step();
});

async function open(t: ExecutionContext): Promise<Site> {
  const context = await browser.newContext();
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    // Answers that are errors are what some tests ask for; the page shows them.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text());
  });
  return {
    origin: new URL(daemon.url).origin,
    api: daemon.url,
    page,
    problems,
    async submit(body) {
      const response = await fetch(`${daemon.url}/analyze`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${TOKEN}` },
        body: JSON.stringify(body),
      });
      const { data } = (await response.json()) as Awaited<ReturnType<typeof analyze>>['body'];
      return data.rfc_id;
    },
  };
}

async function logIn({ page }: Site): Promise<void> {
  await page.fill('input[name=password]', PASSWORD);
  await page.click('button');
}

/** A picture of the page, where CRA_SCREENSHOTS names a folder for them. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['CRA_SCREENSHOTS'];
  if (folder === undefined) return;
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png` });
  }
}

async function violations(page: Page): Promise<string[]> {
  // The policy of the page refuses scripts from elsewhere, so axe runs as the browser's own.
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: readFileSync(axePath, 'utf8') });
  const { result } = await session.send('Runtime.evaluate', {
    expression:
      "axe.run({runOnly: ['wcag2a','wcag2aa','wcag21a','wcag21aa','wcag22aa']}).then((r) => r.violations.map((v) => v.id + ': ' + v.nodes[0].html))",
    awaitPromise: true,
    returnByValue: true,
  });
  return result.value as string[];
}

test.serial('by keyboard alone: queue, change, reason, decision, next', async (t) => {
  const site = await open(t);
  const { page, origin } = site;
  const diff = newFile('deploy/env.sh', `export AWS_KEY=${AWS_KEY}\n`);
  const id = await site.submit(change(diff));
  await page.goto(`${origin}/cra`);
  await page.waitForSelector('input[name=password]:focus');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForSelector('table.queue a');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#reason');
  t.true(page.url().endsWith(id));
  await page.keyboard.press('a');
  await page.keyboard.type(REASON);
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('text=recorded in the audit trail');
  await page.keyboard.press('Escape');
  await page.keyboard.press('n');
  await page.waitForSelector('text=No other change is blocked');
  for (const [keys, hash] of [
    ['gs', '#/status'],
    ['gr', '#/rules'],
    ['gq', '#/queue'],
    ['?', '#/help'],
  ] as const) {
    for (const key of keys) await page.keyboard.press(key);
    await page.waitForURL((url) => url.hash === hash);
  }
  t.is((await decisionsOf(site, id)).length, 1);
});

test.serial('from the link of an escalation over the login to the decision', async (t) => {
  const site = await open(t);
  const { page, origin, problems } = site;
  const diff = newFile('deploy/env.sh', `export AWS_KEY=${AWS_KEY}\n`);
  const id = await site.submit(change(diff, { commit_message: HOSTILE }));
  await page.goto(`${origin}/cra#approve-${id}`);
  await logIn(site);
  await page.waitForSelector('.decide');
  t.true(page.url().endsWith(`/cra#approve-${id}`));
  const text = await page.innerText('main');
  t.true(text.includes('BLOCKED') && text.includes('deploy/env.sh'));
  t.true(text.includes('<img src=x') && text.includes('U+202E'));
  t.false(text.includes(AWS_KEY));
  await shoot(page, 'approve');
  await page.click('button.main');
  await page.waitForSelector('text=The reason needs at least 20 characters');
  await page.fill('#reason', REASON);
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('text=recorded in the audit trail');
  t.regex(await page.innerText('h1'), /^OVERRIDDEN/);
  await page.reload();
  await page.waitForSelector('.history li');
  t.regex(await page.innerText('.history'), /override by .*\n.*The key is revoked/s);
  t.deepEqual(problems, []);
});

test.serial(
  'every page has no violation of WCAG 2.2 AA, in both schemes and at all widths',
  async (t) => {
    const site = await open(t);
    const { page, origin, problems } = site;
    const id = await site.submit(change(newFile('a.js', 'eval(req.query.a)\n')));
    await page.goto(`${origin}/cra`);
    await logIn(site);
    await page.waitForSelector('table.queue');
    await shoot(page, 'queue');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        for (const [hash, ready] of [
          ['#/queue', 'table.queue'],
          [`#/rfc/${id}`, '.decide'],
          ['#/rfc/RFC-0', 'text=No RFC with this id'],
          ['#/status', '.facts'],
          ['#/bulk?repo=acme', 'main form'],
          ['#/audit', 'table.rows'],
          ['#/suppressions', 'main form'],
          ['#/tasks', 'text=There are no such tasks'],
          ['#/rules', 'details'],
          ['#/rules/edit', 'textarea'],
          ['#/usage', 'text=No call was logged'],
          ['#/help', 'kbd'],
        ] as const) {
          await page.goto(`${origin}/cra${hash}`);
          await page.waitForSelector(ready);
          t.deepEqual(await violations(page), [], `${hash} ${colorScheme} ${width}`);
        }
      }
    }
    t.deepEqual(problems, []);
  },
);

/** A BLOCKED change, open at the page of somebody who may decide. */
async function openBlocked(site: Site, over: Record<string, unknown> = {}): Promise<string> {
  const diff = newFile('deploy/env.sh', `export AWS_KEY=${AWS_KEY}\n`);
  const id = await site.submit(change(diff, over));
  await site.page.goto(`${site.origin}/cra#approve-${id}`);
  await logIn(site);
  await site.page.waitForSelector('#reason');
  return id;
}

/** Decides by a token, as somebody else. */
async function overrideElsewhere({ api }: Site, id: string): Promise<void> {
  const answer = await fetch(`${api}/rfc/${id}/override`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${OVERRIDE_TOKEN}` },
    body: JSON.stringify({ actor: 'bob', reason: 'Bob was faster than the page' }),
  });
  if (answer.status !== 200) throw new Error(await answer.text());
}

/** Decisions in the record. */
async function decisionsOf({ api }: Site, id: string): Promise<{ action: string }[]> {
  const answer = await fetch(`${api}/rfc/${id}`, { headers: { Authorization: `Bearer ${TOKEN}` } });
  const { data } = (await answer.json()) as { data: { override_history: { action: string }[] } };
  return data.override_history;
}

test.serial('of two approvers the second learns who was first, and keeps the text', async (t) => {
  const site = await open(t);
  const { page } = site;
  // The page does not hear of the other decision before it sends its own.
  await page.route('**/api/cra/pulse*', (route) => route.fulfill({ status: 304 }));
  const id = await openBlocked(site);
  await page.fill('#reason', REASON);
  await overrideElsewhere(site, id);
  await page.click('button.main');
  await page.waitForSelector('text=Nothing was done');
  await page.waitForSelector('text=Bob was faster than the page');
  t.deepEqual(
    (await decisionsOf(site, id)).map(({ action }) => action),
    ['override'],
  );
});

test.serial('the page says that somebody else decided, before a second decision', async (t) => {
  const site = await open(t);
  const { page } = site;
  const id = await openBlocked(site);
  await page.fill('#reason', REASON);
  await overrideElsewhere(site, id);
  await page.waitForSelector('text=This change is OVERRIDDEN now');
  await page.click('button.main');
  await page.waitForSelector('text=show the newest state first');
  await page.click('[data-key=r]');
  await page.waitForSelector('h1:has-text("OVERRIDDEN")');
  t.is((await decisionsOf(site, id)).length, 1);
});

test.serial('a double click, a lost reply and a second try are one decision', async (t) => {
  const site = await open(t);
  const { page } = site;
  const id = await openBlocked(site);
  let lost = 0;
  const loseFirst = async (route: Route) => {
    lost += 1;
    if (lost > 1) return route.continue();
    await route.fetch();
    return route.abort();
  };
  await page.route('**/api/cra/approve/*', loseFirst);
  await page.fill('#reason', REASON);
  await page.dblclick('button.main');
  await page.waitForSelector('text=not known whether the decision was made');
  await page.click('button.main');
  await page.waitForSelector('text=recorded in the audit trail');
  t.is((await decisionsOf(site, id)).length, 1);
});

test.serial(
  'offline and after the end of a session nothing is sent, and the text stays',
  async (t) => {
    const site = await open(t);
    const { page } = site;
    const id = await openBlocked(site);
    await page.fill('#reason', REASON);
    await page.context().setOffline(true);
    await page.waitForSelector('text=What is shown may be old');
    await page.click('button.main');
    await page.waitForSelector('text=so nothing is sent');
    await page.context().setOffline(false);
    await page.waitForSelector('text=What is shown may be old', { state: 'detached' });
    await page.context().clearCookies();
    await page.waitForSelector('text=The session is over');
    await page.click('text=Log in again');
    await logIn(site);
    await page.waitForSelector('#reason');
    t.is(await page.inputValue('#reason'), REASON);
    t.deepEqual(await decisionsOf(site, id), []);
  },
);

test.serial('hostile text in every field runs nothing and reads forwards', async (t) => {
  const site = await open(t);
  const { page, origin, problems } = site;
  const evil = `${HOSTILE}javascript:alert(1)"'></script><svg onload=alert(1)>\u200b`;
  const diff = newFile(`${HOSTILE.replaceAll(/[/"]/g, '')}.js`, `eval(req.query.a) // ${evil}\n`);
  const id = await openBlocked(site, {
    ...{ repo_name: evil, branch: evil, commit_message: `${evil}${'x'.repeat(60_000)}` },
  });
  const more = await site.submit(change(diff, { repo_name: evil, branch: evil }));
  await page.fill('#reason', `${evil} and more characters`);
  await page.click('button.main');
  await page.waitForSelector('text=recorded in the audit trail');
  for (const hash of [`#/rfc/${id}`, `#/rfc/${more}`, '#/queue', '#/audit', '#/bulk?repo=x']) {
    await page.goto(`${origin}/cra${hash}`);
    await page.waitForLoadState('networkidle');
    const text = await page.innerText('body');
    t.false(/[\u202e\u200b]/.test(text), hash);
    t.is(await page.locator('main :is(img, svg:not(.bar-chart), script)').count(), 0, hash);
  }
  t.not(await page.title(), '1');
  t.deepEqual(problems, []);
  // The page itself refuses what would run: the check above can fail.
  const refused = await page.evaluate(
    "(() => { try { document.body.innerHTML = '<img src=x onerror=alert(1)>'; return 'taken'; } catch (thrown) { return thrown.name; } })()",
  );
  t.is(refused, 'TypeError');
});

test.serial('what is read stays where it is while many changes arrive', async (t) => {
  const site = await open(t);
  const { page, origin } = site;
  const submit = (n: number) =>
    site.submit(change(newFile('a.txt', `${n}\n`), { commit_message: `Change ${n}` }));
  for (let n = 0; n < 20; n += 1) await submit(n);
  await page.goto(`${origin}/cra#/queue?status=ALL`);
  await logIn(site);
  await page.waitForSelector('table.queue');
  await page.evaluate(
    "globalThis.shifts = []; new PerformanceObserver((list) => { for (const entry of list.getEntries()) shifts.push(entry.value); }).observe({ type: 'layout-shift' });",
  );
  const before = await page.innerText('table.queue tbody');
  for (let n = 20; n < 120; n += 1) await submit(n);
  await page.waitForSelector('text=/\\d+ new: show/');
  t.is(await page.innerText('table.queue tbody'), before);
  t.deepEqual(await page.evaluate('globalThis.shifts'), []);
  await page.keyboard.press('r');
  await page.waitForSelector('text=Change 119');
});

test.serial('people add findings and comments, and see what they may not do', async (t) => {
  const site = await open(t);
  const { page } = site;
  await openBlocked(site);
  await page.click('text=Add a finding');
  await page.fill(
    '[aria-label="Findings by people"] textarea',
    'The key is in the old branch, too',
  );
  await page.click('[aria-label="Findings by people"] button[type=submit]');
  await page.waitForSelector('text=The key is in the old branch, too');
  await page.click('.finding >> nth=0 >> text=Comment');
  await page.fill('.finding >> nth=0 >> textarea', 'Revoked on Monday');
  await page.click('.finding >> nth=0 >> button[type=submit]');
  await page.waitForSelector('.finding >> nth=0 >> text=Revoked on Monday');
  t.regex(await page.innerText('h1'), /^BLOCKED/);
});
