import { randomInt } from 'node:crypto';
import type { Implementation } from 'ava';
import fc from 'fast-check';
import { isDecided } from '../../src/heads/carrying.ts';
import type { RfcRecord } from '../../src/model/records.ts';
import {
  faultOf,
  faultOfAdopted,
  type Graph,
  isAccepted,
  isAnnounced,
  type ModelPush,
  unsupported,
} from '../heads/model.ts';
import type { Harness } from '../store/conformance/steps.ts';
import { FakeHost } from './fake-host.ts';
import { act, FOUND, found, MOVES, type Move } from './moves.ts';
import { isUnread, MAIN, type Verdict, World, wordsIn } from './world.ts';

/** How often each kind of verdict was made, and how often a head was seen green. */
export interface Counts {
  green: number;
  passed: number;
  /** BLOCKED, and no decision was in force that could cover it. */
  blocked: number;
  /** BLOCKED beside decisions in force, none of which covers it. */
  uncovered: number;
  carried: number;
  /** BLOCKED, because its change could not be fetched. */
  unfetched: number;
}

/**
 * Whatever happens to a repository, its webhooks, its host and the daemon: what is green was
 * judged, and each verdict is what the model of docs/why/heads.md says. `runs`: histories that are
 * tried, on one store, which is emptied before each of them.
 */
export function noLaundering(
  openHarness: (now: () => number) => Promise<Harness>,
  startMs: number,
  runs: number,
  openHost: () => FakeHost | Promise<FakeHost> = () => new FakeHost(),
): Implementation<[]> {
  return async (t) => {
    const harness = await openHarness(() => startMs);
    t.teardown(() => harness.close());
    const all: Counts = { green: 0, passed: 0, blocked: 0, uncovered: 0, carried: 0, unfetched: 0 };
    let count = 0;
    const seed = seedOf();
    if (runs > PROGRESS_RUNS) console.info(`${t.title}: seed ${seed}, ${runs} histories`);
    await fc.assert(
      fc.asyncProperty(MOVES, async (moves) => {
        // Each anew: only one that hangs is too slow, and a failure is made short however long
        // that takes.
        t.timeout(HISTORY_MS_MAX);
        await harness.clear();
        count += 1;
        if (runs > PROGRESS_RUNS && count % PROGRESS_RUNS === 0)
          console.info(`${t.title}: ${count}, seed ${seed}`);
        const run = `${count}`;
        const host = await openHost();
        try {
          // The store remembers whose turn it is in a repository, also when it was emptied.
          const world = new World(harness, startMs, { host, repositoryId: run, run });
          await runHistory(world, harness, moves, all);
        } finally {
          await host.close();
        }
      }),
      {
        numRuns: runs + FOUND.length,
        examples: FOUND,
        includeErrorInReport: true,
        seed,
      },
    );
    t.log(`${count} histories, their verdicts as the model says: ${JSON.stringify(all)}`);
    // A model in which nothing ever passes would prove nothing.
    t.true(all.green > runs / 10, `${all.green} green heads`);
  };
}

/** One history; throws what is wrong with it. */
async function runHistory(
  world: World,
  harness: Harness,
  moves: readonly Move[],
  counts: Counts,
): Promise<void> {
  world.onVerdict = async (made) => {
    counts[kindOf(made)] += 1;
    await compare(world, made, harness);
  };
  found(world);
  for (const move of moves) {
    await act(world, move);
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

function kindOf({ record, before }: Verdict): Exclude<keyof Counts, 'green'> {
  const { overall_status, carried_from, push } = record;
  if (carried_from.length > 0) return 'carried';
  if (overall_status !== 'BLOCKED') return 'passed';
  if (push?.waiting_for != null) return 'unfetched';
  return before.some(isDecided) && push?.base != null ? 'uncovered' : 'blocked';
}

/** The model says the same of a verdict that was just made. */
async function compare(world: World, made: Verdict, harness: Harness): Promise<void> {
  const { record, before } = made;
  if (isUnread(record)) {
    if (record.overall_status === 'BLOCKED') return;
    throw new Error(`${record.rfc_id} is ${record.overall_status}, and nothing judged it`);
  }
  const own = modelPush(record);
  // Adopted by this very step, it may have been lowered by it, too.
  const id = own.dependsOn.find((each) => each.startsWith('baseline '))?.slice('baseline '.length);
  const now = (await harness.pushes.findBaseline(world.place)).baseline?.sha ?? null;
  const baseline = made.baseline === null ? (id ?? now) : made.baseline.sha;
  const draft = { ...own, status: 'DRAFT' };
  const pushes = before.map((each) => (each.rfc_id === record.rfc_id ? draft : modelPush(each)));
  const atThatTime = { pushes, baseline, mainRef: MAIN };
  const adopted = made.baseline === null ? faultOfAdopted(atThatTime, graphOf(world.host)) : null;
  const fault = world.host.isUp ? (adopted ?? faultOf(own, atThatTime, graphOf(world.host))) : null;
  if (fault !== null) throw new Error(`${record.rfc_id} of ${record.ref}: ${fault}`);
}

function modelPush(record: RfcRecord): ModelPush {
  const { push, override_history } = record;
  return {
    id: record.rfc_id,
    ref: record.ref ?? '',
    sha: record.commit_sha ?? '',
    before: push?.before ?? null,
    isSwept: push?.source === 'sweep',
    status: record.overall_status,
    decisions: override_history,
    base: push?.base ?? null,
    dependsOn: push?.rests_on ?? [],
    carriedFrom: record.carried_from,
    isUnjudged: (push?.waiting_for ?? null) !== null,
    seen: [...wordsIn(record)],
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

const HISTORY_MS_MAX = 600_000;
/** After so many histories a long run says how far it is, and of which seed it is. */
const PROGRESS_RUNS = 100;

/** Many runs are of a random seed; the few of every day are the same ones. */
function seedOf(): number {
  const { LAUNDERING_SEED, LAUNDERING_RUNS } = process.env;
  if (LAUNDERING_SEED !== undefined) return Number(LAUNDERING_SEED);
  return LAUNDERING_RUNS === undefined ? 1 : randomInt(2 ** 31);
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
    pushes: [...world.known.values()].map(modelPush),
    baseline: baseline?.sha ?? null,
    mainRef: MAIN,
  };
  const [loose] = unsupported({ ...state, pushes: world.live().map(modelPush) });
  if (loose !== undefined) throw new Error(`${loose} stands on something that was revoked`);
  const wanted = shas.filter((sha) =>
    state.pushes.some((each) => each.sha === sha && isAccepted(each)),
  );
  const announced = new Set(
    state.pushes.filter((each) => isAnnounced(each, state)).map(({ sha }) => sha),
  );
  for (const record of world.known.values()) {
    // What was superseded before something was adopted, a later push of its ref answers for.
    if (record.overall_status !== 'SUPERSEDED' || !before.has(record.commit_sha ?? '')) continue;
    const push = modelPush(record);
    if (record.created_at <= (baseline?.adopted_at ?? '') || !isAnnounced(push, state)) continue;
    if (state.pushes.some((each) => each.sha === push.sha && isAccepted(each))) continue;
    const there = new Set(host.reach(push.before));
    const unseen = host.reach(push.sha).find((each) => !there.has(each) && !shown.has(each));
    if (unseen !== undefined) throw new Error(`${push.id}: ${unseen} is adopted, and unjudged`);
  }
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
    const adopted = [baseline?.sha ?? null];
    // Within the adopted state: so is what it was pushed onto, where no webhook announced that.
    if (before.has(sha)) adopted.push(...host.reach(sha).filter((each) => !announced.has(each)));
    for (const word of host.tree(sha)) {
      if (!word.startsWith('bad') || world.accepts(word)) continue;
      if (adopted.some((each) => host.tree(each).has(word))) continue;
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
