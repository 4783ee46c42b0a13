import test, { type ExecutionContext } from 'ava';
import { someOf } from '../some-cases.ts';
import type { Harness } from '../store/conformance/steps.ts';
import { NOW } from '../store/conformance/steps.ts';
import { openHarness as openMongo } from '../store/mongo/harness.ts';
import { openHarness as openSqlite } from '../store/sqlite/harness.ts';
import { FakeHost } from './fake-host.ts';
import { type Hook, MAIN, World } from './world.ts';

const PUSHES = 124;
const REFS = [MAIN, 'refs/heads/a', 'refs/heads/b', 'refs/heads/c'];
const STORES = [
  { name: 'SQLite', open: openSqlite, seeds: someOf([1, 2, 3, 4, 5, 6, 7, 8]) },
  { name: 'MongoDB', open: openMongo, seeds: someOf([1, 2, 3], 1) },
];

/** Numbers from 0 to below 1, the same ones for a seed. https://stackoverflow.com/a/47593316 */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A repository whose first push was judged: what comes later lies in no adopted state. */
async function knownWorld(harness: Harness, run: string): Promise<World> {
  const host = new FakeHost();
  const world = new World(harness, NOW, { host, repositoryId: run, run });
  const root = host.commit([], ['readme']);
  for (const ref of REFS) host.refs.set(ref, root);
  await world.deliver(world.push(MAIN, host.commit([root], ['readme', 'code'])));
  await world.drain();
  return world;
}

/** 124 pushes whose webhooks are lost, late and repeated, while two daemons sweep and judge. */
async function runHistory(world: World, next: () => number): Promise<Hook[]> {
  const { host } = world;
  const moved: Hook[] = [...world.sent];
  const oneOf = <Item>(items: readonly Item[]): Item =>
    items[Math.floor(next() * items.length)] as Item;
  const late: Hook[] = [];
  const chances: [number, () => Promise<unknown>][] = [
    [0.3, async () => await world.step()],
    [0.25, async () => await deliverLate()],
    [0.25, async () => await world.sweep()],
    // Two daemons, and a webhook that comes meanwhile.
    [0.15, async () => await Promise.all([world.sweep(), deliverLate(), world.sweep()])],
    // The host sends it again: another delivery id, the same body.
    [
      0.15,
      async () => await world.deliver(oneOf(world.sent.filter((each) => !late.includes(each)))),
    ],
    [0.05, async () => await world.drain()],
  ];

  async function deliverLate(): Promise<void> {
    const [hook] = late.splice(Math.floor(next() * late.length), 1);
    if (hook !== undefined) await world.deliver(hook);
  }

  for (let n = 0; n < PUSHES; n += 1) {
    const ref = oneOf(REFS);
    const head = host.refs.get(ref) ?? '';
    const earlier = moved.filter((hook) => hook.ref === ref && hook.after !== head);
    const isForced = next() < 0.2 && earlier.length > 0;
    const word = `${next() < 0.2 ? 'bad' : 'word'}-${n}`;
    const after = isForced
      ? oneOf(earlier.slice(-3)).after
      : host.commit([head], [...host.tree(head), word]);
    const hook = world.push(ref, after);
    moved.push(hook);
    const fate = next();
    if (fate < 0.4) await world.deliver(hook);
    else if (fate < 0.8) late.push(hook);
    for (const [chance, act] of chances) if (next() < chance) await act();
  }
  while (late.length > 0) {
    await deliverLate();
    if (next() < 0.3) await world.sweep();
  }
  await world.drain();
  for (let look = 0; look < 2; look += 1) {
    await world.sweep();
    await world.drain();
  }
  return moved;
}

/** Verdicts of a head beyond the number of its pushes. */
function surplusOf(world: World, moved: readonly Hook[]): string[] {
  const judged = [...world.known.values()].filter(
    ({ overall_status }) => overall_status !== 'SUPERSEDED',
  );
  const keys = judged.map(({ ref, commit_sha }) => `${ref} ${commit_sha}`);
  return [...new Set(keys)].filter((key) => {
    const pushes = moved.filter(({ ref, after }) => `${ref} ${after}` === key);
    return keys.filter((each) => each === key).length > pushes.length;
  });
}

async function isHeadJudged(world: World, { pushes }: Harness, ref: string): Promise<boolean> {
  const sha = world.host.refs.get(ref) ?? '';
  const { pushes: newest } = await pushes.newestPushes({ ...world.place, refs: [ref] });
  return newest[0]?.commit_sha === sha && newest[0].overall_status !== 'DRAFT';
}

for (const { name, open, seeds } of STORES) {
  for (const seed of seeds) {
    test.serial(`${name}: one push gives one RFC, history ${seed}`, async (t) => {
      t.timeout(300_000);
      const harness = await open(() => NOW);
      t.teardown(() => harness.close());
      const world = await knownWorld(harness, `${seed}`);
      const moved = await runHistory(world, numbersOf(seed));
      t.deepEqual(surplusOf(world, moved), []);
      const pushed = REFS.filter((ref) => moved.some((hook) => hook.ref === ref));
      for (const ref of pushed) t.true(await isHeadJudged(world, harness, ref), ref);
    });
  }
}

interface Scene {
  world: World;
  /** Makes a commit on a ref, without its webhook. */
  push(): Hook;
  /** Forces the ref back to a commit. */
  back(sha: string): Hook;
}

/** Orders in which two pushes of a ref become known, and the RFCs with a verdict of the second. */
const ORDERS: [string, (scene: Scene, first: Hook, second: Hook) => Promise<unknown>][] = [
  [
    'the sweep, the webhook',
    async ({ world }, _first, second) => {
      await world.sweep();
      await world.deliver(second);
    },
  ],
  [
    'the sweep and its verdict, the webhook',
    async ({ world }, _first, second) => {
      await world.sweep();
      await world.drain();
      await world.deliver(second);
    },
  ],
  [
    'the sweep, the late webhook of the older head, another sweep',
    async ({ world }, first) => {
      await world.sweep();
      await world.drain();
      await world.deliver(first);
      await world.sweep();
    },
  ],
  [
    'the webhook, the late webhook of the older head, a sweep',
    async ({ world }, first, second) => {
      await world.deliver(second);
      await world.drain();
      await world.deliver(first);
      await world.sweep();
    },
  ],
  [
    'the sweep, both webhooks late and in order',
    async ({ world }, first, second) => {
      await world.sweep();
      await world.drain();
      await world.deliver(first);
      await world.deliver(second);
    },
  ],
  [
    'the sweep, both webhooks late, the newer one first',
    async ({ world }, first, second) => {
      await world.sweep();
      await world.drain();
      await world.deliver(second);
      await world.deliver(first);
      await world.sweep();
    },
  ],
  [
    'two sweeps at once',
    async ({ world }) => {
      await Promise.all([world.sweep(), world.sweep()]);
    },
  ],
  [
    'two sweeps and the webhook at once',
    async ({ world }, _first, second) => {
      await Promise.all([world.sweep(), world.deliver(second), world.sweep()]);
    },
  ],
  [
    'the older webhook, two sweeps at once, the newer webhook',
    async ({ world }, first, second) => {
      await world.deliver(first);
      await Promise.all([world.sweep(), world.sweep()]);
      await world.deliver(second);
    },
  ],
  [
    'the webhook three times, each under another delivery id',
    async ({ world }, _first, second) => {
      for (let n = 0; n < 3; n += 1) await world.deliver(second);
    },
  ],
  [
    'the webhook, its verdict, the webhook again',
    async ({ world }, _first, second) => {
      await world.deliver(second);
      await world.drain();
      await world.deliver(second);
    },
  ],
  [
    'the sweep, a restart, the older webhook again and again, sweeps',
    async ({ world }, first) => {
      await world.sweep();
      await world.step();
      await world.deliver(first);
      await world.sweep();
      await world.deliver(first);
      await world.sweep();
    },
  ],
];

async function openScene(t: ExecutionContext): Promise<Scene> {
  const harness = await openSqlite(() => NOW);
  t.teardown(() => harness.close());
  const world = await knownWorld(harness, '1');
  const { host } = world;
  return {
    world,
    push() {
      const head = host.refs.get(MAIN) ?? '';
      return world.push(MAIN, host.commit([head], [...host.tree(head), `${host.commits.size}`]));
    },
    back: (sha) => world.push(MAIN, sha),
  };
}

function verdictsOf({ known }: World, sha: string): number {
  const statuses = [...known.values()].filter(({ commit_sha }) => commit_sha === sha);
  return statuses.filter(({ overall_status }) => overall_status !== 'SUPERSEDED').length;
}

for (const [what, act] of ORDERS) {
  test(`one push gives one RFC: ${what}`, async (t) => {
    const scene = await openScene(t);
    const first = scene.push();
    const second = scene.push();
    await act(scene, first, second);
    await scene.world.drain();
    await scene.world.sweep();
    await scene.world.drain();
    t.is(verdictsOf(scene.world, second.after), 1);
  });
}

test('a ref that is forced back and forth is judged at each push', async (t) => {
  const scene = await openScene(t);
  const { world } = scene;
  const one = scene.push();
  await judge(one);
  const two = scene.push();
  await judge(two);
  await judge(scene.back(one.after));
  await judge(scene.back(two.after));
  t.is(verdictsOf(world, one.after), 2);
  t.is(verdictsOf(world, two.after), 2);

  async function judge(hook: Hook): Promise<void> {
    await world.deliver(hook);
    await world.drain();
    await world.sweep();
  }
});

test('a second push of a head that a sweep found is judged, also where its webhook comes late', async (t) => {
  const scene = await openScene(t);
  const { world } = scene;
  const one = scene.push();
  const two = scene.push();
  await world.sweep();
  await world.drain();
  const back = scene.back(one.after);
  await world.deliver(back);
  await world.drain();
  const forth = scene.back(two.after);
  await world.deliver(forth);
  await world.drain();
  t.is(verdictsOf(world, two.after), 2);
  await world.deliver(two);
  await world.sweep();
  await world.drain();
  t.is(verdictsOf(world, two.after), 2);
});
