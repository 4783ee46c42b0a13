import { readFileSync, writeFileSync } from 'node:fs';
import test from 'ava';
import { dashboardForAll } from './page.ts';
import { SHAPES, walkStates } from './states.ts';

/**
 * Where the parts of each page stand, in each state: a change that moves them fails here, and is
 * meant once `UPDATE_GOLDEN=1` has written the file of layouts and somebody has read the
 * difference. Heights and places below each other are those of the fonts of a machine, so widths,
 * left edges and what stands beside what are compared.
 */

const FILE = 'test/interop/layouts.json';
const SHALL_UPDATE = process.env['UPDATE_GOLDEN'] !== undefined;

/** What fonts may move, px. */
const TOLERANCE_PX = 24;
/** Parts of one page that are compared, from its top. */
const PARTS_MAX = 25;

/** The name of a part, its left edge and its width (px), and how it stands to the part before. */
type Part = [name: string, left: number, width: number, place: 'below' | 'beside' | 'within'];
type Layouts = Record<string, Part[]>;

const dashboard = dashboardForAll(test);

test.serial('no part of a page stands elsewhere than before, in any state', async (t) => {
  const house = dashboard();
  const visitor = await house.visit(t);
  const { page } = visitor;
  const found: Layouts = {};
  await walkStates(house, visitor, ['empty', 'full', 'loading', 'broken'], async (state, hash) => {
    // Lists that are still on their way would come in between.
    if (state !== 'loading') await page.waitForSelector('.late', { state: 'detached' });
    for (const { name, ...size } of SHAPES.filter(({ colorScheme }) => colorScheme === 'light')) {
      await page.setViewportSize(size);
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
      found[`${state} ${hash} ${name}`] = await page.evaluate(PARTS);
    }
  });
  if (SHALL_UPDATE) writeFileSync(FILE, textOf(found));
  const expected = JSON.parse(readFileSync(FILE, 'utf8')) as Layouts;
  t.deepEqual(Object.keys(found), Object.keys(expected));
  for (const [view, parts] of Object.entries(expected)) {
    t.deepEqual(moved(parts, found[view] ?? []), [], view);
  }
});

/** A line for each part, so that a difference is read as one. */
function textOf(layouts: Layouts): string {
  const views = Object.entries(layouts).map(([view, parts]) => {
    const lines = parts.map((part) => `    ${JSON.stringify(part)}`);
    return `  ${JSON.stringify(view)}: [\n${lines.join(',\n')}\n  ]`;
  });
  return `{\n${views.join(',\n')}\n}\n`;
}

function moved(expected: readonly Part[], found: readonly Part[]): string[] {
  const count = Math.max(expected.length, found.length);
  return Array.from({ length: count }, (_, index) => {
    const was = expected[index];
    const is = found[index];
    if (was !== undefined && is !== undefined && isSame(was, is)) return '';
    return `${JSON.stringify(was)} is ${JSON.stringify(is)}`;
  }).filter((text) => text !== '');
}

function isSame(was: Part, is: Part): boolean {
  const isNear = (one: number, other: number) => Math.abs(one - other) <= TOLERANCE_PX;
  return was[0] === is[0] && was[3] === is[3] && isNear(was[1], is[1]) && isNear(was[2], is[2]);
}

/** Runs in the page. */
const PARTS = `(() => {
  const kinds = 'h1, table, form, aside, dl, pre, .box, .finding, .empty, .skeleton, .chart, ' +
    '.choices, .code-box, .timeline, .tree';
  const parts = [];
  let before = null;
  for (const element of document.querySelectorAll(kinds.split(', ').map((one) => 'main ' + one))) {
    const box = element.getBoundingClientRect();
    if (box.width === 0 || box.height === 0 || parts.length >= ${PARTS_MAX}) continue;
    const [kind = ''] = element.classList;
    const name = element.tagName.toLowerCase() + (kind === '' ? '' : '.' + kind);
    const isWithin = before?.element.contains(element) ?? false;
    const isBeside = before !== null && box.top < before.box.bottom - 4;
    const place = isWithin ? 'within' : isBeside ? 'beside' : 'below';
    parts.push([name, Math.round(box.left), Math.round(box.width), place]);
    before = { element, box };
  }
  return parts;
})()`;
