import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { fillHistory } from '../../bench/store/history.ts';
import { change, newFile, startDaemonProcess, temporaryDir } from '../daemon.ts';
import { freePort } from '../free-port.ts';
import { houseSettings, openDashboard, submitSamples } from './page.ts';
import { SHAPES, type Shape, type StateName, walkStates } from './states.ts';

/**
 * Photographs each page of the dashboard in each of its states, for people who look at them:
 * `npm run gallery -- FOLDER`. `index.html` in the folder flips through them. With `--docs` it
 * takes the pictures of docs/images instead.
 */

/** Of the documentation. */
const DOCS: readonly Shape[] = (['light', 'dark'] as const).map((colorScheme) => ({
  name: colorScheme,
  width: 1280,
  height: 760,
  colorScheme,
}));

/** How long a page may take to come to rest. */
const REST_MS = 600;

interface Picture {
  file: string;
  state: string;
  hash: string;
  shape: string;
}

const undo: (() => unknown)[] = [];
const [, , ...asked] = process.argv;
const isDocs = asked.includes('--docs');
const folder = isDocs ? 'docs/images' : (asked[0] ?? join(tmpdir(), 'cra-gallery'));
async function takeDocs(): Promise<void> {
  const house = await openDashboard({ teardown: (step) => undo.push(step) });
  const { page, open } = await house.visit({ teardown: (step) => undo.push(step) });
  await submitSamples(house);
  const code = [
    "const { exec } = require('child_process');",
    "app.get('/backup', (req, res) => {",
    '  const name = req.query.name;',
    "  exec('tar czf /tmp/' + name + '.tgz data', (error) => res.json({ ok: !error }));",
    '});\n',
  ];
  const made = { commit_message: 'Let people download a backup' };
  const id = await house.submit(change(newFile('src/backup.js', code.join('\n')), made));
  for (const [name, hash, ready] of [
    ['queue', '#/queue', 'table.queue'],
    ['approve', `#/rfc/${id}`, '.finding'],
  ] as const) {
    await open(hash, ready);
    await take(page, DOCS, (shape) => join(folder, `${name}-${shape.name}.png`));
  }
}

async function takeGallery(): Promise<void> {
  const house = await openDashboard({ teardown: (step) => undo.push(step) });
  const visitor = await house.visit({ teardown: (step) => undo.push(step) });
  const pictures: Picture[] = [];
  const see = async (state: string, hash: string, page: Page) => {
    process.stdout.write(`${state} ${hash}\n`);
    await take(page, SHAPES, (shape) => {
      const file = `${pictures.length}-${state}-${shape.name}.png`;
      pictures.push({ file, state, hash, shape: shape.name });
      return join(folder, file);
    });
  };
  await walkStates(house, visitor, STATES, (state, hash) => see(state, hash, visitor.page));
  await takeMany(see);
  writeFileSync(join(folder, 'index.html'), indexOf(pictures));
  process.stdout.write(`${pictures.length} pictures: ${join(folder, 'index.html')}\n`);
}

/** The lists and figures of a store with many RFCs. */
async function takeMany(see: (state: string, hash: string, page: Page) => Promise<void>) {
  const t = { teardown: (step: () => unknown) => undo.push(step) };
  const dataDir = temporaryDir(t);
  const settings = houseSettings(await freePort());
  // Keys are made with an empty store alone.
  await (await startDaemonProcess(t, dataDir, settings)).stop();
  await fillHistory(dataDir, MANY);
  const house = await openDashboard(t, await startDaemonProcess(t, dataDir, settings));
  const { page, open } = await house.visit(t);
  for (const [hash, ready] of MANY_VIEWS) {
    await open(hash, ready);
    await see('many', hash, page);
  }
}

const MANY = 100_000;
const MANY_VIEWS = [
  ['#/overview', '.drawing'],
  ['#/overview?days=90', '.drawing'],
  ['#/queue', 'table.queue'],
  ['#/queue?q=is:any', 'table.queue'],
  ['#/queue?q=is:any severity:critical repo:acme/shop', 'table.queue'],
  ['#/bulk?repo=acme/shop', 'table.rows'],
  ['#/rules', 'table.rules'],
  ['#/status', '.map'],
] as const;

const STATES: readonly StateName[] = ['empty', 'full', 'huge', 'loading', 'broken'];

async function take(page: Page, shapes: readonly Shape[], fileOf: (shape: Shape) => string) {
  for (const shape of shapes) {
    const { width, height, colorScheme } = shape;
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(REST_MS);
    await page.screenshot({ path: fileOf(shape) });
  }
}

/** A page that shows one picture at a time; arrows lead on. */
function indexOf(pictures: readonly Picture[]): string {
  const options = pictures.map(({ file, state, hash, shape }) => {
    const title = `${state} ${hash} ${shape}`.replace(/[&<>"]/g, (at) => `&#${at.charCodeAt(0)};`);
    return `<option value="${file}">${title}</option>`;
  });
  return `<!doctype html>
<meta charset="utf-8">
<title>cra: gallery</title>
<style>
  body { margin: 1rem; font: 14px sans-serif }
  img { max-width: 100%; border: 1px solid }
</style>
<p><select>${options.join('\n')}</select> arrows: next and previous picture</p>
<img alt="">
<script>
  const choice = document.querySelector('select');
  const show = () => { document.querySelector('img').src = choice.value; };
  choice.addEventListener('change', show);
  addEventListener('keydown', ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (step === undefined) return;
    const { length } = choice.options;
    choice.selectedIndex = (choice.selectedIndex + step + length) % length;
    show();
  });
  show();
</script>
`;
}

mkdirSync(folder, { recursive: true });
try {
  if (isDocs) await takeDocs();
  else await takeGallery();
} finally {
  for (const step of undo.reverse()) await step();
}
