import type { Implementation } from 'ava';
import fc from 'fast-check';
import type { RfcRecord } from '../../src/model/records.ts';
import {
  faultOf,
  faultOfAdopted,
  type Graph,
  isAccepted,
  type ModelPush,
  unsupported,
} from '../heads/model.ts';
import type { Harness } from '../store/conformance/steps.ts';
import { FakeHost } from './fake-host.ts';
import { MAIN, type Verdict, World } from './world.ts';

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
  'squash',
  'pick',
  'rebase',
  'rebase',
  'rename',
  'transfer',
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
  'override',
  'reject',
  'take back',
  'sweep',
] as const;

const DEEDS = fc.array(
  fc.record({
    kind: fc.constantFrom(...KINDS),
    a: fc.nat(1000),
    b: fc.nat(1000),
    isBad: fc.nat(3).map((n) => n === 0),
  }),
  { minLength: 10, maxLength: 60, size: 'max' },
);

const step = (kind: Deed['kind'], a = 0, b = 0): Deed => ({ kind, a, b, isBad: kind === 'commit' });

/** One that is green, and those that random runs found, as short as they are still wrong. */
const FOUND: [Deed[]][] = [
  [[{ ...step('commit'), isBad: false }, step('settle')]],
  // Forced back to the middle of three pushes, the last of which is delivered first.
  [[step('commit'), step('commit'), step('force', 0, 3), step('deliver', 2), step('settle')]],
  // The same, and the webhook of what was there meanwhile is lost.
  [
    [
      ...[step('commit'), step('commit'), step('lose', 1), step('force', 0, 3)],
      ...[step('deliver', 1), step('settle')],
    ],
  ],
  // Forced back to where it began, delivered first; then a branch of what was there meanwhile.
  [[step('commit'), step('force', 0, 2), step('deliver', 1), step('settle'), step('branch', 0, 3)]],
];

/**
 * Whatever happens to a repository, its webhooks, its host and the daemon: what is green was
 * judged, and each verdict is what the model of docs/heads.md says. `runs`: histories that are
 * tried, on one store, which is emptied before each of them.
 */
export function noLaundering(
  openHarness: (now: () => number) => Promise<Harness>,
  startMs: number,
  runs: number,
  openHost: (run: string) => FakeHost = () => new FakeHost(),
): Implementation<[]> {
  return async (t) => {
    t.timeout(Math.max(600_000, runs * 1_000));
    const harness = await openHarness(() => startMs);
    t.teardown(() => harness.close());
    const counts = { runs: 0, green: 0, verdicts: 0, carried: 0 };
    await fc.assert(
      fc.asyncProperty(DEEDS, async (deeds) => {
        await harness.clear();
        counts.runs += 1;
        const run = `${counts.runs}`;
        const host = openHost(run);
        try {
          // The store remembers whose turn it is in a repository, also when it was emptied.
          await runOnce(new World(harness, startMs, { host, repositoryId: run, run }), deeds);
        } finally {
          await host.close();
        }
      }),
      {
        ...{ numRuns: runs + FOUND.length, examples: FOUND },
        ...{ includeErrorInReport: true, ...seedOf() },
      },
    );
    t.log(`${counts.verdicts} verdicts as the model says, ${counts.carried} of them carried`);
    // A model in which nothing ever passes would prove nothing.
    t.true(counts.green > runs / 10, `${counts.green} green heads`);

    async function runOnce(world: World, deeds: readonly Deed[]): Promise<void> {
      world.onVerdict = async (made) => {
        counts.verdicts += 1;
        if (made.record.carried_from.length > 0) counts.carried += 1;
        await compare(world, made, harness);
      };
      found(world);
      for (const deed of deeds) {
        await act(world, deed);
        if (world.isSettled) counts.green += await checkGreen(world, harness);
      }
      world.host.isUp = true;
      for (const hook of world.onTheWay.splice(0)) await world.deliver(hook);
      await world.drain();
      // The first look may find what makes the repository known, the second all of its refs.
      for (let look = 0; look < 2; look += 1) {
        await world.sweep();
        await world.drain();
      }
      counts.green += await checkGreen(world, harness);
      await checkHeads(world, harness);
    }
  };
}

/** The model says the same of a verdict that was just made. */
async function compare(world: World, made: Verdict, { pushes }: Harness): Promise<void> {
  const { record, before } = made;
  const others = before.filter(({ rfc_id }) => rfc_id !== record.rfc_id);
  const own = modelPush(record);
  // Adopted by this very step, it may have been lowered by it, too.
  const id = own.restsOn.find((each) => each.startsWith('baseline '))?.slice('baseline '.length);
  const now = (await pushes.findBaseline(world.place)).baseline?.sha ?? null;
  const baseline = made.baseline === null ? (id ?? now) : made.baseline.sha;
  const state = { pushes: [...others.map(modelPush), own], baseline, mainRef: MAIN };
  const atThatTime = { ...state, pushes: [...others.map(modelPush), { ...own, status: 'DRAFT' }] };
  const adopted = made.baseline === null ? faultOfAdopted(atThatTime) : null;
  const fault = world.host.isUp ? (adopted ?? faultOf(own, atThatTime, graphOf(world.host))) : null;
  if (fault !== null) throw new Error(`${record.rfc_id} of ${record.ref}: ${fault}`);
}

function modelPush(record: RfcRecord): ModelPush {
  const { push, gates, override_history } = record;
  const named = gates.risk.findings.map(({ message }) => message);
  return {
    ...{ id: record.rfc_id, ref: record.ref ?? '', sha: record.commit_sha ?? '' },
    ...{ before: push?.before ?? null, isSwept: push?.source === 'sweep' },
    ...{ status: record.overall_status, decisions: override_history },
    ...{ base: push?.base ?? null, restsOn: push?.rests_on ?? [] },
    ...{ carriedFrom: record.carried_from, isUnjudged: (push?.waiting_for ?? null) !== null },
    seen: named.filter((word) => word.startsWith('bad')),
  };
}

function graphOf(host: FakeHost): Graph {
  return {
    reach: (sha) => host.reach(sha),
    tree: (sha) => host.tree(sha),
    addedBy: (sha) => host.addedBy(sha),
    merge: (one, other) => host.merge(one, other),
    parents: (sha) => host.get(sha).parents,
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
    // Some have their turn before the default branch, some after it.
    branch: () =>
      told(
        `refs/heads/${a % 2 === 0 ? 'b' : 'n'}${a % 4}`,
        isBad ? onto(any, [...host.tree(any), word]) : any,
      ),
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
    // The commits of another branch again, each on top of the one before.
    rebase() {
      const line = host.newOf(other, head);
      const tip = line.reduce((onto, sha) => host.again(sha, onto), head);
      if (tip !== head) told(ref, tip);
    },
    transfer() {
      world.name = `team-${b % 3}/shop`;
    },
    // One commit of any branch again.
    pick: () => told(ref, host.again(any, head)),
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
async function useService(world: World, { kind, a, b, isBad }: Deed): Promise<void> {
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
    if (isBad) await world.takeBack();
    else await world.step();
    host.diesAfter = null;
  }
  if (kind === 'take back') await world.takeBack();
  if (kind === 'override' || kind === 'reject') {
    const records = [...world.known.values()];
    const blocked = records.filter(({ overall_status }) => overall_status === 'BLOCKED');
    const among = kind === 'override' && blocked.length > 0 ? blocked : records;
    const record = among[b % Math.max(1, among.length)];
    if (record) await world.decide(record, kind);
    // Else later, and others judge meanwhile.
    if (!isBad) await world.takeBack();
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
  const repository = world.place;
  const shas = [...host.commits.keys()];
  const { accepted } = await pushes.acceptedHeads({ ...repository, shas });
  const { baseline } = await pushes.findBaseline(repository);
  const before = new Set(host.reach(baseline?.sha ?? null));
  const shown = new Set(host.shown.flatMap(({ commits }) => commits));
  const green = accepted.filter(({ rfc_id }) => rfc_id !== null);
  const state = {
    ...{ pushes: [...world.known.values()].map(modelPush), baseline: baseline?.sha ?? null },
    mainRef: MAIN,
  };
  const [loose] = unsupported(state);
  if (loose !== undefined) throw new Error(`${loose} stands on something that was taken back`);
  const wanted = shas.filter((sha) =>
    state.pushes.some((each) => each.sha === sha && isAccepted(each)),
  );
  const found = green.map(({ sha }) => sha).sort();
  if (wanted.sort().join() !== found.join())
    throw new Error(`${found}, not ${wanted} are accepted`);
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
async function checkHeads(world: World, { pushes }: Harness): Promise<void> {
  const { host, place: repository } = world;
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
