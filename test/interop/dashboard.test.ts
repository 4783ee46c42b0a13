import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import test, { type ExecutionContext } from 'ava';
import { type Browser, chromium, type Page } from 'playwright-core';
import { freePort } from '../auth/free-port.ts';
import { hashOf } from '../auth/password-hash.ts';
import { type analyze, change, newFile, startDaemonProcess, temporaryDir } from '../daemon.ts';
import { AWS_KEY } from '../decision-calls.ts';

const PASSWORD = 'a long password of the admin';
const TOKEN = 'a'.repeat(32);
const REASON = 'The key is revoked, see ticket OPS-1';
const HOSTILE = '<img src=x onerror="document.title=1">\u202egnp.exe';
const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

interface Site {
  origin: string;
  page: Page;
  /** What the browser refused: violations of the content security policy, errors of scripts. */
  problems: string[];
  submit(body: Record<string, unknown>): Promise<string>;
}

/** A daemon with a local admin, and a page of a real browser. */
async function open(t: ExecutionContext): Promise<Site> {
  const port = await freePort();
  const daemon = await startDaemonProcess(t, temporaryDir(t), {
    SERVICE_AUTH_ENABLED: 'true',
    SERVICE_PORT: String(port),
    SERVICE_BASE_URL: `http://127.0.0.1:${port}`,
    CRA_API_TOKEN: TOKEN,
    SERVICE_ADMIN_PASSWORD_HASH: hashOf(PASSWORD),
  });
  const browser: Browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  t.teardown(() => browser.close());
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    // A 401 before the login is what the page asks for.
    if (message.type() === 'error' && !message.text().includes('401'))
      problems.push(message.text());
  });
  return {
    origin: new URL(daemon.url).origin,
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

test('from the link of an escalation over the login to the decision', async (t) => {
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

test('every page has no violation of WCAG 2.2 AA, in both schemes and at all widths', async (t) => {
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
        ['#/help', 'kbd'],
      ] as const) {
        await page.goto(`${origin}/cra${hash}`);
        await page.waitForSelector(ready);
        t.deepEqual(await violations(page), [], `${hash} ${colorScheme} ${width}`);
      }
    }
  }
  // Only the page that asks for an RFC that is not there has an answer that is an error.
  t.true(
    problems.every((problem) => problem.includes('404')),
    problems.join('\n'),
  );
});
