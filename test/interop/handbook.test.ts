import test from 'ava';
import { dashboardForAll, violations } from './page.ts';

const dashboard = dashboardForAll(test);

test.serial('the search of the handbook finds a rule, and its pages are accessible', async (t) => {
  const { visit, origin } = dashboard();
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, problems } = await visit(t, { colorScheme });
    await page.goto(`${origin}/cra/docs`);
    await page.waitForURL(`${origin}/cra/docs/index.html`);
    t.deepEqual(await violations(page), [], `index, ${colorScheme}`);
    await page.keyboard.press('/');
    await page.keyboard.type('sql injection vuln-03');
    await page.waitForSelector('#found a >> text=vuln-03');
    t.deepEqual(await violations(page), [], `results, ${colorScheme}`);
    await page.click('#found a >> text=vuln-03');
    await page.waitForSelector('h1 >> text=vuln-03');
    // Links have their size once the style sheet is there.
    await page.waitForLoadState('load');
    t.deepEqual(await violations(page), [], `rule, ${colorScheme}`);
    await page.goto(`${origin}/cra/docs/reference/api.html`);
    t.deepEqual(await violations(page), [], `api, ${colorScheme}`);
    t.deepEqual(problems, []);
  }
});
