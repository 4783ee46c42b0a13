import test from 'ava';
import type { Page } from 'playwright-core';
import { startSecured } from '../auth/secured.ts';
import { change, newFile } from '../daemon.ts';
import { freePort } from '../free-port.ts';
import {
  blockedChange,
  decisionsOf,
  type House,
  houseSettings,
  loseReplies,
  openAll,
  openBlocked,
  openDashboard,
  overrideElsewhere,
  REASON,
  report,
  shiftsOf,
  silencePulse,
  submitSamples,
  views,
  violations,
  watchShifts,
} from '../interop/page.ts';
import { openHouse } from '../pushes/daemon/house.ts';
import { PushedRepository } from '../pushes/daemon/pushed-repository.ts';

/** What takes too long for test/interop: the dashboard in a real Chromium. */

/** Branches that are moved between two commits again and again, so that git makes few. */
const REFS = 20;
const PUSHES_A_REF = 50;

test.serial('1,000 pushes arrive, and nothing moves under the eyes of readers', async (t) => {
  const port = await freePort();
  const pushed = await openHouse(t, { env: houseSettings(port) });
  const house = await openDashboard(t, { port });
  const repository = new PushedRepository(pushed, 'acme/storm');
  await repository.push({ 'a.txt': 'first\n' });
  const branches = Array.from({ length: REFS }, (_, n) => {
    const ref = `refs/heads/b${n}`;
    const commit = (text: string) => repository.commit({ 'a.txt': `${n} ${text}\n` }, { ref });
    return { ref, commits: [commit('even'), commit('odd')] as const };
  });
  const blocked = await house.submit(blockedChange());
  const queue = await house.visit(t);
  const approve = await house.visit(t);
  await queue.open('#/queue?status=ALL', 'table.queue');
  // What stands last on the page has come.
  await approve.open(`#/rfc/${blocked}`, '[aria-label=Changes] .code');
  let lists = 0;
  queue.page.on('request', (request) => {
    if (request.url().includes('/rfcs?')) lists += 1;
  });
  const shown = () => queue.page.locator('table.queue tbody td:nth-child(3)').allInnerTexts();
  const before = await shown();
  const started = Date.now();
  for (const { page } of [queue, approve]) await watchShifts(page);
  for (let round = 0; round < PUSHES_A_REF; round += 1) {
    for (const { ref, commits } of branches) {
      const [before, after] = round % 2 === 0 ? commits : ([commits[1], commits[0]] as const);
      await repository.tell({ ref, before, after });
    }
  }
  await queue.page.waitForSelector('text=/\\d+ new: show/');
  t.deepEqual(await shown(), before);
  t.deepEqual([await shiftsOf(queue.page), await shiftsOf(approve.page)], [[], []]);
  const seconds = (Date.now() - started) / 1_000;
  t.true(lists <= seconds / 10 + 2, `${lists} lists in ${seconds} s`);
  t.deepEqual([queue.problems, approve.problems], [[], []]);
  report(t, `1,000 pushes, with ${lists} lists asked for`, [Date.now() - started]);
});

/** Sends the decision that is open, and ends the daemon before its answer arrives. */
const DEATHS: Record<string, (house: House, page: Page) => Promise<void>> = {
  'before it decides': async (house, page) => {
    house.daemon.process.kill('SIGSTOP');
    const sent = page.waitForRequest('**/api/cra/approve/*');
    await page.click('button.main');
    await sent;
    await house.daemon.kill();
  },
  'when it has decided': async (house, page) => {
    await loseReplies(page, (request) => request.url().includes('/approve/'));
    await page.click('button.main');
    await page.waitForSelector('text=not known whether the decision was made');
    await page.unroute('**/api/cra/**');
    await house.daemon.kill();
  },
};

for (const [when, die] of Object.entries(DEATHS)) {
  test.serial(
    `a daemon that is killed ${when}: the same press again is one decision`,
    async (t) => {
      const house = await openDashboard(t);
      const visitor = await house.visit(t);
      const { page } = visitor;
      await silencePulse(page);
      const id = await openBlocked(house, visitor);
      await page.fill('#reason', REASON);
      await die(house, page);
      await page.waitForSelector('text=not known whether the decision was made');
      await house.restart();
      t.is(await page.inputValue('#reason'), REASON);
      await page.click('button.main');
      await page.waitForSelector('text=recorded in the audit trail');
      t.deepEqual(await decisionsOf(house, id), ['override']);
      t.is(await page.evaluate('sessionStorage.length'), 0, 'the draft is gone');
    },
  );
}

test.serial('no page, state, scheme or width breaks WCAG 2.2 AA', async (t) => {
  const house = await openDashboard(t);
  const visitor = await house.visit(t);
  const { page, open, problems } = visitor;
  let checked = 0;
  const check = async (what: string) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [320, 1280, 1920]) {
        await page.setViewportSize({ width, height: 900 });
        t.deepEqual(await violations(page), [], `${what} ${colorScheme} ${width}`);
        const isWide = await page.evaluate(
          'document.documentElement.scrollWidth > document.documentElement.clientWidth',
        );
        t.false(isWide, `${what} ${width}: the page scrolls sideways`);
        checked += 1;
      }
    }
  };
  await open('#/queue', 'text=No change has been analyzed yet');
  await check('first start');
  await openAll(page);
  await check('menus');
  for (const [hash, ready] of [
    ['#/overview', 'text=Nothing was analyzed'],
    ['#/audit?rfc_id=RFC-0', 'text=No entry matches'],
    ['#/suppressions', 'text=No finding is accepted here'],
    ['#/tasks', 'text=There are no such tasks'],
    ['#/usage', 'text=No call was logged'],
  ] as const) {
    await open(hash, ready);
    await check(`empty ${hash}`);
  }
  await seed(house);
  const id = await house.submit(change(newFile('a.js', 'eval(req.query.a)\n'.repeat(30))));
  for (const [hash, ready] of views(id)) {
    await open(hash, ready);
    // A menu lies over the page while it is open.
    await openAll(page, 'details:not(.menu)');
    await check(hash);
  }
  await page.route('**/api/cra/**', (route) => {
    const isOther = /pulse|auth|code|related/.test(route.request().url());
    const json = { ok: false, error: 'the store does not answer', code: 'UNAVAILABLE' };
    return isOther ? route.fallback() : route.fulfill({ status: 503, json });
  });
  for (const page of ['overview', 'queue', 'audit', 'rules', 'status', 'usage', `rfc/${id}`]) {
    await open(`#/${page}`, 'text=the store does not answer');
    await check(`failed ${page}`);
  }
  await page.unroute('**/api/cra/**');
  await decide(page, house, visitor.open, check);
  t.deepEqual(problems, []);
  t.log(`${checked} checks`);
});

/** What each role may do on the page of a BLOCKED change and elsewhere. */
const ROLES = {
  viewer: [],
  submitter: ['task', 'finding'],
  reviewer: ['task', 'finding', 'comment'],
  'cab-member': ['task', 'finding', 'comment', 'reject'],
  'change-manager': ['task', 'finding', 'comment', 'reject', 'audit'],
  admin: ['task', 'finding', 'comment', 'reject', 'override', 'bulk', 'rules', 'delete', 'audit'],
} as const;

test.serial('each role sees every page, and only what it may do', async (t) => {
  const tokens = { CRA_API_TOKEN: 'a'.repeat(32), CRA_OVERRIDE_TOKEN: 'b'.repeat(32) };
  const secured = await startSecured(t, tokens);
  const house = await openDashboard(t, secured.daemon);
  await submitSamples(house);
  // An entry of the trail for people who may not read logins.
  await overrideElsewhere(house, await house.submit(blockedChange()));
  const id = await house.submit(blockedChange());
  for (const [role, may] of Object.entries(ROLES)) {
    const { page, problems, open } = await house.visit(t);
    await page.goto(`${house.origin}/api/cra/auth/oidc?return_to=%2Fcra%23%2Fhelp`);
    await page.fill('[name=login]', role);
    await page.fill('[name=password]', 'any');
    await page.click('button');
    const consent = page.locator('form[action*=interaction] button').first();
    const help = page.locator('kbd').first();
    await consent.or(help).first().waitFor();
    if (await consent.isVisible()) await consent.click();
    await help.waitFor();
    const isRefused = (hash: string) =>
      // One search of the views is refused to everybody.
      hash.includes('is:open') || (hash === '#/audit' && !may.includes('audit' as never));
    for (const [hash, ready] of views(id)) {
      const isThere = isRefused(hash) ? 'main .box.problem' : ready;
      await open(hash, hash === '#/rules/edit' ? 'main h1' : isThere);
      const problemsShown = await page.locator('main .box.problem').count();
      t.is(problemsShown, isRefused(hash) ? 1 : 0, `${role} ${hash}`);
    }
    await open(`#/rfc/${id}`, '.finding .actions');
    const shown = async (selector: string) => (await page.locator(selector).count()) > 0;
    const found = {
      task: await shown('text=Make a task'),
      finding: await shown('text=Add a finding'),
      comment: await shown('.finding summary:has-text("Comment")'),
      reject: await shown('.decide button:text-is("Reject")'),
      override: await shown('.decide button:has-text("Override")'),
      delete: await shown('.decide summary:text-is("More")'),
      bulk: false,
      rules: false,
      audit: false,
    };
    if (!found.reject)
      t.regex(await page.innerText('.decide'), /Your role \(.*\) may not override/);
    await open('#/bulk?repo=acme/shop', 'table.rows');
    found.bulk = await shown('#reason');
    await open('#/rules', 'table.rules');
    found.rules = await shown('text=Edit the rules');
    // The trail is asked for by those whom the service answers.
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await open(`#/rfc/${id}?tab=timeline`, '.timeline');
    found.audit = asked.some((url) => url.includes('/audit?'));
    const expected = Object.fromEntries(
      Object.keys(found).map((ability) => [ability, (may as readonly string[]).includes(ability)]),
    );
    t.deepEqual(found, expected as typeof found, role);
    t.deepEqual(problems, [], role);
    t.log(`${role}: ${may.join(', ')}`);
  }
});

/** The states of a decision, from what is missing to a session that is over. */
async function decide(
  page: Page,
  house: House,
  open: (hash: string, ready: string) => Promise<void>,
  check: (what: string) => Promise<void>,
): Promise<void> {
  // Each in a repository where the finding has not been accepted yet.
  const id = await house.submit(blockedChange({ repo_name: 'acme/decide' }));
  await open(`#/rfc/${id}`, '.code');
  await page.click('button.main');
  await page.waitForSelector('text=The reason needs at least 20 characters');
  await check('reason missing');
  await page.context().setOffline(true);
  await page.waitForSelector('text=What is shown may be old');
  await check('offline');
  await page.context().setOffline(false);
  await page.waitForSelector('text=What is shown may be old', { state: 'detached' });
  await page.fill('#reason', REASON);
  await page.check('.tick input');
  await page.click('button.main');
  await page.waitForSelector('text=recorded in the audit trail');
  await check('decided');
  const late = await house.submit(blockedChange({ repo_name: 'acme/late' }));
  await open(`#/rfc/${late}`, '#reason');
  await house.call(
    `rfc/${late}/override`,
    { actor: 'bob', reason: REASON },
    'POST',
    'b'.repeat(32),
  );
  await page.waitForSelector('text=This change is OVERRIDDEN now');
  await check('decided elsewhere');
  await page.context().clearCookies();
  await page.waitForSelector('text=The session is over');
  await check('session over');
}

/** Something on every page. */
async function seed(house: House): Promise<void> {
  const id = await house.submit(blockedChange());
  const { gates } = await house.call<{ gates: { risk: { findings: { finding_id: string }[] } } }>(
    `rfc/${id}`,
  );
  await house.call('claude-task', { findingId: gates.risk.findings[0]?.finding_id });
  const decision = { action: 'override', reason: REASON, accept_findings: true };
  await house.call(`approve/${id}`, decision, 'POST', 'b'.repeat(32));
  await house.call('usage/log', {
    provider: 'a',
    model: 'b',
    input_tokens: 1,
    output_tokens: 1,
    cost_usd: 0.5,
  });
}

/** Twenty findings of each of so many rules stand open on the page of an RFC. */
const RULES = ['eval(req.query.a)', "exec('ls ' + req.query.a)", 'require(req.query.a)'];

test.serial('components: their verdicts, links to findings, what other rules change', async (t) => {
  const house = await openDashboard(t);
  const { page, problems, open } = await house.visit(t);
  const repo = 'parted/shop';
  const body = change(newFile('pay/a.js', 'eval(req.query.a)\n'), { repo_name: repo });
  const whole = await house.submit(body);
  await open(`#/rfc/${whole}`, '.finding');
  t.is(await page.locator('[aria-label=Components]').count(), 0, 'without components');

  const named = (id: string) => ({ id, paths: [`${id}/**`], repo });
  const rules = { version: 1, extends: 'default', components: [named('web'), named('pay')] };
  await open('#/rules/edit', 'textarea');
  await page.fill('textarea', JSON.stringify(rules));
  await page.click('text=Put in force');
  await page.waitForSelector('text=In force as revision');
  const id = await house.submit(body);
  await open(`#/rfc/${id}`, '[aria-label=Components] table');
  const rows = await page.locator('[aria-label=Components] tbody tr').allInnerTexts();
  t.regex(rows[0] ?? '', /^pay\s+BLOCKED\s.*pay\/a\.js:1.*this change/s);
  t.deepEqual(await violations(page), []);
  await page.click('[aria-label=Components] tbody a >> nth=0');
  await page.waitForSelector('li.finding:focus >> text=pay/a.js:1');
  t.deepEqual(await violations(page), []);

  await open('#/rules/edit', 'textarea');
  const monitored = { ...named('pay'), block_severities: [], block_score: null };
  await page.fill('textarea', JSON.stringify({ ...rules, components: [monitored] }));
  await page.click('text=Try over recent RFCs');
  await page.waitForSelector('[role=status] li li:has-text("component pay BLOCKED → PASSED")');
  t.deepEqual(await violations(page), []);
  t.deepEqual(problems, []);
});

test.serial('figures: the first view, and an RFC with 500 findings', async (t) => {
  const house = await openDashboard(t);
  const lines = Array.from({ length: 520 }, (_, n) => RULES[n % RULES.length] ?? '');
  const files = Array.from({ length: 26 }, (_, n) =>
    newFile(`src/file-${n}.js`, lines.slice(n * 20, n * 20 + 20).join('\n// a line between\n\n\n')),
  );
  const many = await house.submit(change(files.join('')));
  const first = await house.submit(blockedChange());
  const times: Record<string, number[]> = { first: [], many: [], opened: [] };
  for (let run = 0; run < 5; run += 1) {
    const visitor = await house.visit(t);
    await visitor.open('#/help', 'kbd');
    const cookies = await visitor.page.context().cookies();
    for (const [name, id] of [
      ['first', first],
      ['many', many],
    ] as const) {
      // A browser with a session and nothing in its cache.
      const { page } = await house.visit(t);
      await page.context().addCookies(cookies);
      await page.goto(`${house.origin}/cra#/rfc/${id}`);
      await page.waitForSelector('.code');
      times[name]?.push(await painted(page));
      if (name === 'first') continue;
      const began = (await page.evaluate('performance.now()')) as number;
      await page.evaluate(
        "document.querySelectorAll('ol summary').forEach((each) => each.textContent.includes('more findings') && each.click())",
      );
      await page.locator('.finding').nth(499).waitFor({ state: 'attached' });
      times['opened']?.push((await painted(page)) - began);
    }
  }
  for (const [name, all] of Object.entries(times)) report(t, name, all);
  t.pass();
});

/** When the frame after now is painted, since the page was asked for. */
function painted(page: Page): Promise<number> {
  return page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))',
  );
}
