import { change, newFile } from '../daemon.ts';
import { blockedChange, type House, submitSamples, type Visitor, views } from './page.ts';

/** Every page of the dashboard in its states, for pictures and for the test of layouts. */

export interface Shape {
  name: string;
  width: number;
  height: number;
  colorScheme: 'light' | 'dark';
}

export const SHAPES: readonly Shape[] = (['light', 'dark'] as const).flatMap((colorScheme) => [
  { name: `wide-${colorScheme}`, width: 1440, height: 900, colorScheme },
  { name: `narrow-${colorScheme}`, width: 390, height: 844, colorScheme },
]);

/** Lines of the change of the state `huge`, half of which a gate finds. */
const HUGE_LINES = 10_000;

export type StateName = 'empty' | 'full' | 'huge' | 'loading' | 'broken';

type Shown = readonly (readonly [hash: string, ready: string])[];

const EMPTY: Shown = [
  ['#/queue', 'text=No change has been analyzed yet'],
  ...['status', 'overview', 'audit', 'suppressions', 'tasks', 'usage', 'bulk', 'coverage'].map(
    (page) => [`#/${page}`, 'main h1'] as const,
  ),
];

const WAITING = ['queue', 'overview', 'audit', 'rules', 'status', 'usage', 'coverage', 'rfc/RFC-1'];

/** Pages that have nothing but a skeleton before their data. */
const HEADLESS: ReadonlySet<string> = new Set(['rules', 'status', 'rfc/RFC-1']);

/** Opens each page in each of the states, in this order, and shows it to `look`. */
export async function walkStates(
  house: House,
  visitor: Visitor,
  states: readonly StateName[],
  look: (state: StateName, hash: string) => Promise<void>,
): Promise<void> {
  const show = async (state: StateName, pages: Shown) => {
    if (!states.includes(state)) return;
    for (const [hash, ready] of pages) {
      await visitor.open(hash, ready);
      // The id of an RFC is another one each time.
      await look(state, hash.replace(/RFC-\w{20,}/, 'RFC-1'));
    }
  };
  await show('empty', EMPTY);
  await submitSamples(house);
  const id = await house.submit(blockedChange());
  // Counts come with the pulse, which may be of a moment before.
  const { length } = await house.call<unknown[]>('rfcs?status=BLOCKED');
  await visitor.open('#/queue', `nav .count:text-is("${length}")`);
  await show('full', views(id));
  if (states.includes('huge')) await show('huge', await makeHuge(house));
  await answerNothing(visitor);
  // Not those that stand in while the script of a page comes.
  const skeleton = (page: string) => (HEADLESS.has(page) ? '.skeleton' : 'section .skeleton');
  await show(
    'loading',
    WAITING.map((page) => [`#/${page}`, skeleton(page)]),
  );
  await breakApi(visitor);
  await show(
    'broken',
    WAITING.map((page) => [`#/${page}`, '[role=alert]']),
  );
}

async function makeHuge(house: House): Promise<Shown> {
  const lines = Array.from({ length: HUGE_LINES }, (_, n) =>
    n % 2 === 0 ? `exec('ls ' + req.query.a${n});` : `const a${n} = ${n};`,
  );
  const huge = await house.submit(change(newFile('src/huge.js', `${lines.join('\n')}\n`)));
  return [
    [`#/rfc/${huge}`, '.finding'],
    [`#/rfc/${huge}?tab=changes`, 'summary'],
    ['#/queue', 'table.queue'],
  ];
}

/** Who is logged in, and that nothing is new, is what the service still says. */
const STILL_ANSWERED = /auth|pulse/;

/** From now on the service takes longer than anybody waits. */
async function answerNothing({ page }: Visitor): Promise<void> {
  await page.goto('about:blank');
  await page.route('**/api/cra/**', async (route) => {
    if (STILL_ANSWERED.test(route.request().url())) await route.fallback();
  });
}

/** From now on the service answers nothing else. */
async function breakApi({ page }: Visitor): Promise<void> {
  await page.goto('about:blank');
  await page.unroute('**/api/cra/**');
  const json = { ok: false, error: 'the store does not answer', code: 'UNAVAILABLE' };
  await page.route('**/api/cra/**', async (route) => {
    if (STILL_ANSWERED.test(route.request().url())) await route.fallback();
    else await route.fulfill({ status: 503, json });
  });
}
