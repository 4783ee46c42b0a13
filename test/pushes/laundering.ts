import type { Implementation } from 'ava';
import fc from 'fast-check';
import type { Harness } from '../store/conformance/steps.ts';
import { MAIN, REPO, TENANT, World } from './world.ts';

/** One thing that happens; `a` and `b` choose among what there is. */
interface Deed {
  kind: (typeof KINDS)[number];
  a: number;
  b: number;
  isBad: boolean;
}

const KINDS = [
  'commit',
  'commit',
  'passing',
  'force',
  'branch',
  'merge',
  'squash',
  'pick',
  'rename',
  'remove',
  'delete',
  'deliver',
  'deliver',
  'lose',
  'replay',
  'judge',
  'judge',
  'settle',
  'settle',
  'die',
  'outage',
  'override',
  'reject',
  'sweep',
] as const;

const DEEDS = fc.array(
  fc.record({
    kind: fc.constantFrom(...KINDS),
    a: fc.nat(1000),
    b: fc.nat(1000),
    isBad: fc.nat(3).map((n) => n === 0),
  }),
  { minLength: 10, maxLength: 60 },
);

/**
 * Whatever happens to a repository, its webhooks, its host and the daemon: what is green was
 * judged. `runs`: histories that are tried.
 */
export function noLaundering(
  openHarness: (now: () => number) => Promise<Harness>,
  startMs: number,
  runs: number,
): Implementation<[]> {
  return async (t) => {
    t.timeout(Math.max(600_000, runs * 1_000));
    let green = 0;
    await fc.assert(
      fc.asyncProperty(DEEDS, async (deeds) => {
        const harness = await openHarness(() => startMs);
        try {
          const world = new World(harness, startMs);
          found(world);
          for (const deed of deeds) {
            await act(world, deed);
            green += await checkGreen(world, harness);
          }
          world.host.isUp = true;
          for (const hook of world.onTheWay.splice(0)) await world.deliver(hook);
          await world.drain();
          // The first look may find what makes the repository known, the second all of its refs.
          for (let look = 0; look < 2; look += 1) {
            await world.sweep();
            await world.drain();
          }
          green += await checkGreen(world, harness);
          await checkHeads(world, harness);
        } finally {
          await harness.close();
        }
      }),
      { numRuns: runs, includeErrorInReport: true, ...seedOf() },
    );
    // A model in which nothing ever passes would prove nothing.
    t.true(green > runs, `${green} green heads`);
  };
}

/** A failure prints the seed and path with which it comes again. */
function seedOf(): { seed?: number } {
  const seed = process.env['LAUNDERING_SEED'];
  return seed === undefined ? {} : { seed: Number(seed) };
}

/** The repository before the service knew of it: what is bad in it counts as accepted. */
function found({ host }: World): void {
  const root = host.commit([], ['readme', 'bad-old']);
  const next = host.commit([root], ['readme', 'code']);
  host.refs.set(MAIN, host.commit([next], ['readme', 'code', 'more']));
}

async function act(world: World, deed: Deed): Promise<void> {
  if (!changeHost(world, deed)) await useService(world, deed);
}

/** What people do at the host; false: another action. */
function changeHost(world: World, { kind, a, b, isBad }: Deed): boolean {
  const { host } = world;
  const refs = [...host.refs.keys()].sort();
  const ref = refs[a % refs.length] ?? MAIN;
  const head = host.refs.get(ref) ?? '';
  const all = [...host.commits.keys()];
  const any = all[b % all.length] ?? '';
  const word = `${isBad ? 'bad' : 'word'}-${host.commits.size}`;
  const onto = (parent: string, tree: Iterable<string>) => host.commit([parent], tree);
  const told = (name: string, sha: string) => world.onTheWay.push(world.push(name, sha));
  const other = host.refs.get(refs[b % refs.length] ?? MAIN) ?? '';
  const deeds: Partial<Record<Deed['kind'], () => unknown>> = {
    commit: () => told(ref, onto(head, [...host.tree(head), word])),
    // Added by one commit, and taken out by the next.
    passing: () => told(ref, onto(onto(head, [...host.tree(head), word]), host.tree(head))),
    remove() {
      const gone = [...host.tree(head)][b % 5];
      told(
        ref,
        onto(
          head,
          [...host.tree(head)].filter((each) => each !== gone),
        ),
      );
    },
    force: () => told(ref, any),
    branch: () => told(`refs/heads/b${a % 4}`, isBad ? onto(any, [...host.tree(any), word]) : any),
    merge() {
      if (head === other) return;
      const tree = [...host.tree(head), ...host.tree(other), ...(isBad ? [word] : [])];
      told(ref, host.commit([head, other], tree));
    },
    // The whole of another branch as one commit, as git merges it.
    squash() {
      const tree = head === other ? null : host.merge(head, other);
      if (tree !== null) told(ref, onto(head, [...tree, ...(isBad ? [word] : [])]));
    },
    // One commit of any branch again.
    pick: () => told(ref, onto(head, [...host.tree(head), ...host.addedBy(any)])),
    rename() {
      if (ref === MAIN) return;
      host.refs.delete(ref);
      told(`refs/heads/r${b % 3}`, head);
    },
    delete: () => ref !== MAIN && host.refs.delete(ref),
    outage() {
      host.isUp = b % 3 > 0;
    },
  };
  deeds[kind]?.();
  return kind in deeds;
}

/** What the service is told and does. */
async function useService(world: World, { kind, a, b }: Deed): Promise<void> {
  const { host, onTheWay, sent } = world;
  const hook = onTheWay[a % Math.max(1, onTheWay.length)];
  if (kind === 'deliver' && hook) await world.deliver(take(onTheWay, hook));
  if (kind === 'lose' && hook) take(onTheWay, hook);
  if (kind === 'judge') await world.step();
  if (kind === 'sweep' && host.isUp) await world.sweep();
  if (kind === 'replay') {
    const old = sent[a % Math.max(1, sent.length)];
    if (old && !onTheWay.includes(old)) await world.deliver(old);
  }
  if (kind === 'settle') {
    for (const each of onTheWay.splice(0)) await world.deliver(each);
    await world.drain();
  }
  if (kind === 'die') {
    host.diesAfter = b % 8;
    await world.step();
    host.diesAfter = null;
  }
  if (kind === 'override' || kind === 'reject') {
    const records = await world.records();
    const record = records[b % Math.max(1, records.length)];
    if (record) await world.decide(record, kind);
  }
}

function take<Item>(items: Item[], item: Item): Item {
  items.splice(items.indexOf(item), 1);
  return item;
}

/**
 * Every commit that can be reached from a green head lies in a range that was judged since an
 * accepted head (or in the baseline), and what is bad in it was waved through by somebody.
 */
async function checkGreen(world: World, { pushes }: Harness): Promise<number> {
  const { host } = world;
  const repository = { tenant_id: TENANT, repo_name: REPO, repo_key: REPO };
  const shas = [...host.commits.keys()];
  const { accepted } = await pushes.acceptedHeads({ ...repository, shas });
  const { baseline } = await pushes.findBaseline(repository);
  const before = new Set(host.reach(baseline?.sha ?? null));
  const shown = new Set(host.shown.flatMap(({ commits }) => commits));
  const green = accepted.filter(({ rfc_id }) => rfc_id !== null);
  for (const { sha, rfc_id } of green) {
    for (const reached of host.reach(sha)) {
      if (before.has(reached)) continue;
      if (!shown.has(reached)) throw new Error(`${rfc_id}: ${reached} was never judged`);
      for (const word of host.addedBy(reached)) {
        if (!word.startsWith('bad') || world.accepts(word)) continue;
        if (isOld(world, word, before)) continue;
        throw new Error(`${rfc_id}: ${word} of ${reached} is green and nobody accepted it`);
      }
    }
    for (const word of host.tree(sha)) {
      if (
        !word.startsWith('bad') ||
        world.accepts(word) ||
        host.tree(baseline?.sha ?? null).has(word)
      ) {
        continue;
      }
      throw new Error(`${rfc_id}: the tree of ${sha} has ${word}, which nobody accepted`);
    }
  }
  return green.length;
}

/** What the baseline's own history added. */
function isOld({ host }: World, word: string, before: ReadonlySet<string>): boolean {
  return [...before].some((sha) => host.addedBy(sha).includes(word));
}

/** At rest every branch that was pushed has a verdict for what the host has. */
async function checkHeads({ host }: World, { pushes }: Harness): Promise<void> {
  const repository = { tenant_id: TENANT, repo_name: REPO, repo_key: REPO };
  const { baseline } = await pushes.findBaseline(repository);
  if (baseline === null) return;
  const refs = [...host.refs.keys()];
  const known = await pushes.newestPushes({ ...repository, refs });
  const newest = new Map(known.pushes.map((each) => [each.ref, each]));
  for (const [ref, sha] of host.refs) {
    const push = newest.get(ref);
    if (push === undefined && baseline.heads[ref] === sha) continue;
    if (push?.commit_sha === sha && push.overall_status !== 'DRAFT') continue;
    throw new Error(`${ref} is at ${sha} and the newest push there is ${JSON.stringify(push)}`);
  }
  if ((await pushes.queueDepth(null)).open > 0) throw new Error('something still waits');
}
