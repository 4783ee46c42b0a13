import test, { type ExecutionContext } from 'ava';
import { CraError } from '../../../src/model/errors.ts';
import { AGENTS } from '../../../src/model/limits.ts';
import type { TrailStore } from '../../../src/store/contract/trail.ts';
import { copyStore } from '../../../src/store/copy.ts';
import { openMongoCopy } from '../../../src/store/mongo/copy.ts';
import { decisionCollections } from '../../../src/store/mongo/database.ts';
import { openSqliteCopy } from '../../../src/store/sqlite/copy.ts';
import { databaseUrl, sharedMongod } from '../../mongod/mongod.ts';
import { byAgent } from '../conformance/agents.ts';
import { insert } from '../conformance/steps.ts';
import { blockedRecord, decisionOn } from '../fixtures/decisions.ts';
import { openSqlite, temporaryFor } from '../sqlite/harness.ts';
import { openMongo } from './harness.ts';
import { interruptAt } from './reconcile-interrupt.ts';
import {
  decisionInput,
  getRecord,
  openPlace,
  openTrail,
  phasesOf,
  putRecord,
  type TrailPlace,
} from './trail-harness.ts';

/** How often agents override, of many that ask at the same moment. */
async function madeOf(decisions: Promise<unknown>[]): Promise<number> {
  const settled = await Promise.allSettled(decisions);
  for (const one of settled) {
    if (one.status === 'fulfilled') continue;
    if (!(one.reason instanceof CraError)) throw one.reason;
    if (one.reason.details['limit'] !== 'overrides-per-day') throw one.reason;
  }
  return settled.filter(({ status }) => status === 'fulfilled').length;
}

async function putMany(place: TrailPlace, count: number, prefix = 'RFC'): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, n) => `${prefix}-${n}`);
  for (const [n, rfc_id] of ids.entries())
    await putRecord(place, { rfc_id, repo_name: `org/${n}` });
  return ids;
}

const ask = (trail: TrailStore, rfcId: string, most = 5) =>
  trail.decide(
    decisionInput(rfcId, `op-${rfcId}`, {
      ...byAgent({ agent: { max_score: 70, max_overrides_per_day: most } }),
    }),
  );

const placesOf = async ({ records }: TrailPlace) =>
  (await decisionCollections(records).agentPlaces.findOne({}))?.places ?? [];

test('of 20 overrides by agents at the same moment on three daemons 5 are made', async (t) => {
  const place = await openPlace(t);
  const trails = await Promise.all([1, 2, 3].map(() => openTrail(t, place)));
  for (let round = 0; round < 3; round += 1) {
    const ids = await putMany(place, 20, `RFC-${round}`);
    const made = await madeOf(ids.map((id, n) => ask(trails[n % 3] as TrailStore, id)));
    t.is(made, 5);
    t.is((await placesOf(place)).length, 5);
    await decisionCollections(place.records).agentPlaces.deleteMany({});
  }
});

test('an override of an agent is counted for 24 hours, by the clock of the server', async (t) => {
  const place = await openPlace(t);
  const trail = await openTrail(t, place);
  const ids = await putMany(place, 9);
  t.is(await madeOf(ids.slice(0, 5).map((id) => ask(trail, id))), 5);
  const places = await placesOf(place);
  const agedBy = (ms: number) =>
    places.map((one, n) => (n < 2 ? { ...one, at: new Date(Date.now() - ms) } : one));
  const set = (aged: typeof places) =>
    decisionCollections(place.records).agentPlaces.updateOne({}, { $set: { places: aged } });
  await set(agedBy(AGENTS.DAY_MS - 600_000));
  t.is(await madeOf(ids.slice(5).map((id) => ask(trail, id))), 0);
  await set(agedBy(AGENTS.DAY_MS + 600_000));
  t.is(await madeOf(ids.slice(5).map((id) => ask(trail, id))), 2);
  t.is((await placesOf(place)).length, 5);
});

/** Where a daemon ends, and how many places are taken when another one has looked. */
const ENDS = [
  { step: 'takeAgentPlace', when: 'before', nth: 1, taken: 0, isDone: false },
  // Nobody knows of it: it counts until its day is over.
  { step: 'takeAgentPlace', when: 'after', nth: 1, taken: 1, isDone: false },
  { step: 'append', when: 'before', nth: 1, taken: 1, isDone: false },
  { step: 'append', when: 'after', nth: 1, taken: 0, isDone: false },
  { step: 'replaceRecord', when: 'before', nth: 1, taken: 0, isDone: false },
  { step: 'replaceRecord', when: 'after', nth: 1, taken: 1, isDone: true },
  { step: 'append', when: 'before', nth: 2, taken: 1, isDone: true },
  { step: 'append', when: 'after', nth: 2, taken: 1, isDone: true },
] as const;

for (const { step, when, nth, taken, isDone } of ENDS) {
  const title = `a daemon that ends ${when} ${step} ${nth} of an agent leaves ${taken} of its places`;
  test(`${title} taken`, async (t) => {
    const place = await openPlace(t);
    const [first = '', ...rest] = await putMany(place, 10);
    const ended = interruptAt(step, when, nth);
    const dying = await openTrail(t, place, { instance: 'one', wrapSteps: ended.wrap });
    const late = ask(dying, first).catch(() => undefined);
    await ended.reached;
    const second = await openTrail(t, place, { instance: 'one' });
    await second.reconcile();
    t.is((await placesOf(place)).length, taken);
    t.is(await madeOf(rest.map((id) => ask(second, id))), 5 - taken);
    const statusOf = async () => (await getRecord(place, first))?.overall_status;
    t.is(await statusOf(), isDone ? 'OVERRIDDEN' : 'BLOCKED');
    // Should it be alive after all, it overrides nothing beyond the ceiling.
    ended.release();
    await late;
    const overridden = await Promise.all([first, ...rest].map((id) => getRecord(place, id)));
    t.is(overridden.filter((one) => one?.overall_status === 'OVERRIDDEN').length, 5);
  });
}

test('an override whose intent cannot be written gives its place back', async (t) => {
  const place = await openPlace(t);
  let fails = true;
  const trail = await openTrail(t, place, {
    wrapSteps: (steps) => ({
      ...steps,
      append: async (...args) => {
        if (fails) throw new CraError('UNAVAILABLE', 'the trail cannot be written');
        return steps.append(...args);
      },
    }),
  });
  const ids = await putMany(place, 8);
  for (const id of ids) {
    await t.throwsAsync(ask(trail, id), { message: /cannot be written: nothing was changed/ });
  }
  t.deepEqual(await placesOf(place), []);
  fails = false;
  t.is(await madeOf(ids.map((id) => ask(trail, id))), 5);
});

test('an override that another decision was faster than gives its place back', async (t) => {
  const place = await openPlace(t);
  const held = interruptAt('replaceRecord', 'before');
  const one = await openTrail(t, place, { wrapSteps: held.wrap });
  const two = await openTrail(t, place);
  await putMany(place, 1);
  const slow = ask(one, 'RFC-0');
  await held.reached;
  t.is((await placesOf(place)).length, 1);
  await two.decide(decisionInput('RFC-0', 'op-reject', { action: 'reject' }));
  held.release();
  await t.throwsAsync(slow, { message: /REJECTED/ });
  t.deepEqual(await phasesOf(place, 'op-RFC-0'), ['intent', 'refused']);
  t.deepEqual(await placesOf(place), []);
});

/** Blocks RFCs, and overrides as many as the day has room for. */
async function spend(t: ExecutionContext, opened: Awaited<ReturnType<typeof openMongo>>) {
  for (let n = 0; n < 12; n += 1) {
    await insert(opened.store, blockedRecord({ rfc_id: `RFC-${n}`, repo_name: `org/${n}` }));
  }
  return madeIn(t, opened, 0, 6);
}

async function madeIn(
  t: ExecutionContext,
  { trail }: Pick<Awaited<ReturnType<typeof openMongo>>, 'trail'>,
  from: number,
  to: number,
) {
  const decisions = Array.from({ length: to - from }, (_, n) => {
    const rfc = { tenant_id: 'default', rfc_id: `RFC-${from + n}` };
    return trail.decide(decisionOn(rfc, `op-${from + n}`, byAgent()));
  });
  const made = await madeOf(decisions);
  t.log(`${made} of ${to - from}`);
  return made;
}

test('a store that is copied there or back keeps the number of the day', async (t) => {
  const url = databaseUrl(await sharedMongod());
  const dataDir = temporaryFor(t);
  const sqlite = openSqlite(dataDir, Date.now);
  await sqlite.checked();
  t.is(await spend(t, sqlite as never), 5);
  await sqlite.close();
  const copy = async (
    from: Awaited<ReturnType<typeof openMongoCopy>>,
    to: Awaited<ReturnType<typeof openMongoCopy>>,
  ) => {
    const { signal } = new AbortController();
    await copyStore({ from, to, signal, now: Date.now, onProgress: () => undefined });
    await from.close();
    await to.close();
  };
  await copy(await openSqliteCopy({ dataDir, role: 'source' }), await openMongoCopy(url, null));
  const mongo = await openMongo(url);
  t.is(await madeIn(t, mongo, 6, 12), 0);
  await mongo.close();
  const back = temporaryFor(t);
  await copy(
    await openMongoCopy(url, null),
    await openSqliteCopy({ dataDir: back, role: 'target' }),
  );
  const again = openSqlite(back, Date.now);
  await again.checked();
  t.is(await madeIn(t, again, 6, 12), 0);
  await again.close();
});

test('overrides that agents made in MongoDB count in SQLite', async (t) => {
  const url = databaseUrl(await sharedMongod());
  const mongo = await openMongo(url);
  t.is(await spend(t, mongo), 5);
  await mongo.close();
  const dataDir = temporaryFor(t);
  const from = await openMongoCopy(url, null);
  const to = await openSqliteCopy({ dataDir, role: 'target' });
  const { signal } = new AbortController();
  await copyStore({ from, to, signal, now: Date.now, onProgress: () => undefined });
  await from.close();
  await to.close();
  const sqlite = openSqlite(dataDir, Date.now);
  await sqlite.checked();
  t.is(await madeIn(t, sqlite, 6, 12), 0);
  await sqlite.close();
});
