import test, { type ExecutionContext } from 'ava';
import type { DecisionAction } from '../../src/model/decision.ts';
import { isProtectedRef } from '../../src/model/push.ts';
import type { RfcRecord } from '../../src/model/records.ts';
import { type Harness, NOW } from '../store/conformance/steps.ts';
import { decisionOn } from '../store/fixtures/decisions.ts';
import { openHarness as openMongo } from '../store/mongo/harness.ts';
import { openHarness as openSqlite } from '../store/sqlite/harness.ts';
import { MAIN, World } from './world.ts';

const STORES = { SQLite: openSqlite, MongoDB: openMongo } as const;
const RELEASE = 'refs/heads/release/1';

async function open(t: ExecutionContext, store: keyof typeof STORES) {
  const harness = await STORES[store](() => NOW);
  t.teardown(() => harness.close());
  const hosts = [{ id: 'hub', protectedBranches: ['release/*'] }];
  const world = new World(harness, NOW, { hosts });
  const { host } = world;
  host.refs.set(MAIN, host.commit([], ['readme']));
  const push = async (ref: string, sha: string) => {
    const hook = world.push(ref, sha);
    await world.deliver(hook);
    await world.drain();
    const made = [...world.known.values()].filter((one) => one.ref === ref).at(-1);
    return { hook, record: await world.record(made?.rfc_id ?? '') };
  };
  const commit = (word: string, ref = MAIN) => {
    const head = host.refs.get(ref) ?? host.refs.get(MAIN) ?? '';
    return host.commit([head], [...host.tree(head), word]);
  };
  const decide = async (record: RfcRecord, action: DecisionAction) => {
    const { trail } = harness;
    await trail.decide(decisionOn(record, `${action} ${record.rfc_id}`, { action }));
    return await world.record(record.rfc_id);
  };
  return { harness, world, push, commit, decide };
}

/** What the trail says of landings: an intent and its outcome are one. */
async function landings({ entries }: Pick<Harness, 'entries'>) {
  const found = (await entries()).filter(
    ({ kind, phase }) => kind === 'landed-blocked' && (phase === 'whole' || phase === 'intent'),
  );
  return found.map(({ rfc_id, details }) => ({ rfc_id, ...details }));
}

/** RFCs of the events that wait for subscribers. */
async function told({ events }: Pick<Harness, 'events'>): Promise<string[]> {
  const asks = { lane: 'landings', leaseMs: 1_000, nowMs: NOW + 3_600_000, limit: 9 };
  const due = (await events.claimEvents(asks)).events ?? [];
  return due.map(({ event: { type, data } }) => `${type} ${data['rfc_id']}`).sort();
}

const openLandings = async ({ pushes }: Pick<Harness, 'pushes'>) =>
  (await pushes.queueDepth(null)).landed_blocked;

for (const store of ['SQLite', 'MongoDB'] as const) {
  test.serial(`a refused push of a protected branch is recorded once, on ${store}`, async (t) => {
    const { harness, world, push, commit, decide } = await open(t, store);
    await push(MAIN, commit('word-1'));
    t.deepEqual(await landings(harness), [], 'it passed');

    const feature = (await push('refs/heads/feature', commit('bad-0'))).record;
    t.is(feature.overall_status, 'BLOCKED');
    t.is(feature.landed_blocked, undefined, 'nobody protects that branch');
    t.is(feature.push?.is_protected, undefined);
    t.is(await openLandings(harness), 0);

    const { hook, record } = await push(MAIN, commit('bad-1'));
    t.is(record.overall_status, 'BLOCKED');
    t.truthy(record.landed_blocked?.at);
    const [entry, ...more] = await landings(harness);
    t.like(entry, {
      rfc_id: record.rfc_id,
      commit_sha: record.commit_sha,
      ref: MAIN,
      pushed_by: null,
      source: 'webhook',
      status: 'BLOCKED',
    });
    t.deepEqual(more, []);
    t.is(await openLandings(harness), 1);

    // The webhook again, and a sweep.
    await world.deliver(hook);
    await world.sweep();
    await world.drain();
    t.is((await landings(harness)).length, 1);
    t.is(await openLandings(harness), 1);
    t.deepEqual(await told(harness), [`landed.blocked ${record.rfc_id}`]);

    const other = (await push(RELEASE, commit('bad-2'))).record;
    t.is(other.push?.is_protected, true);
    t.deepEqual(
      (await landings(harness)).map(({ rfc_id }) => rfc_id),
      [record.rfc_id, other.rfc_id],
    );
    t.is(await openLandings(harness), 2);
    t.is((await told(harness)).length, 2);

    const overridden = await decide(other, 'override');
    t.deepEqual(overridden.landed_blocked, other.landed_blocked, 'it is history');
    t.is(await openLandings(harness), 1);
    await harness.reopen();
    t.is(await openLandings(harness), 1);
    t.is((await landings(harness)).length, 2);
  });

  test.serial(`a landing ends when its branch is accepted again, on ${store}`, async (t) => {
    const { harness, world, push, commit, decide } = await open(t, store);
    const good = commit('word-1');
    await push(MAIN, good);
    const { record } = await push(MAIN, commit('bad-1'));
    const second = (await push(MAIN, commit('word-2'))).record;
    t.is(second.overall_status, 'BLOCKED', 'the range holds the first one, too');
    t.is(await openLandings(harness), 2);
    // Somebody moves the branch back.
    const back = (await push(MAIN, good)).record;
    t.is(back.overall_status, 'PASSED');
    t.is(await openLandings(harness), 0);
    t.is((await world.record(record.rfc_id)).overall_status, 'BLOCKED');

    const rejected = await decide(back, 'reject');
    t.truthy(rejected.landed_blocked, 'a rejection of what has landed is a landing against it');
    t.true((await told(harness)).includes(`landed.blocked ${rejected.rfc_id}`));
    const entry = (await harness.entries()).find(({ kind }) => kind === 'reject');
    t.is(entry?.details['landed_blocked'], true);
    t.true((await openLandings(harness)) > 0);
    t.is((await landings(harness)).length, 2, 'the entry of the rejection says it');
  });

  test.serial(`a second verdict records no second landing, on ${store}`, async (t) => {
    const { harness, world, push, commit, decide } = await open(t, store);
    const { record: first } = await push(MAIN, commit('bad-1'));
    await decide(first, 'override');
    const { record: passed } = await push(MAIN, commit('word-1'));
    t.is(passed.overall_status, 'PASSED');
    // What it depends on falls: it is judged again, and refused now.
    await decide(await world.record(first.rfc_id), 'reject');
    await world.drain();
    const again = await world.record(passed.rfc_id);
    t.is(again.overall_status, 'BLOCKED');
    t.truthy(again.landed_blocked);
    t.deepEqual(
      (await landings(harness)).map(({ rfc_id }) => rfc_id),
      [first.rfc_id, passed.rfc_id],
    );
    const entry = (await harness.entries()).find(({ kind }) => kind === 'reject');
    t.is(entry?.details['landed_blocked'], undefined, 'it had landed before');
  });
}

test('isProtectedRef knows the default branch and configured names', (t) => {
  const names = ['release/*', 'stable'];
  const cases: [ref: string, isProtected: boolean][] = [
    ['refs/heads/main', true],
    ['refs/heads/main2', false],
    ['refs/heads/release/1', true],
    ['refs/heads/release', false],
    ['refs/heads/stable', true],
    ['refs/tags/main', false],
    ['refs/heads/Main', false],
  ];
  for (const [ref, isProtected] of cases)
    t.is(isProtectedRef(ref, 'main', names), isProtected, ref);
  t.false(isProtectedRef('refs/heads/main', null, names));
});
