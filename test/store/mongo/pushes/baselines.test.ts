import test from 'ava';
import { CraError } from '../../../../src/model/errors.ts';
import type { TrailWriter } from '../../../../src/store/contract/trail.ts';
import { defaultAuditUrl } from '../../../../src/store/mongo/audit-url.ts';
import { createFreshRead } from '../../../../src/store/mongo/fresh-read.ts';
import { createBaselines } from '../../../../src/store/mongo/pushes/baselines.ts';
import { sharedMongod } from '../../../mongod/mongod.ts';
import { adoption, REPO } from '../../conformance/push-steps.ts';
import { fails } from '../../conformance/steps.ts';
import { shaOf } from '../../fixtures/pushes.ts';
import { type OpenedMongo, openTemporary, readEntries } from '../harness.ts';

const CALL = { stopReason: () => null };

/** The steps of a daemon whose trail does as it is told. */
function stepsWith({ connection }: OpenedMongo, appendEvent: TrailWriter['appendEvent']) {
  const { collections } = connection;
  return createBaselines({ collections, fresh: createFreshRead(connection.db), appendEvent });
}

async function told({ connection }: OpenedMongo) {
  const { databaseName } = connection.db;
  const url = (await sharedMongod()).url.replace('/?', `/${databaseName}?`);
  const entries = await readEntries(defaultAuditUrl(url, databaseName));
  return entries.filter(({ kind }) => kind === 'baseline-adopted');
}

test('a trail that takes no entry leaves no baseline; the next one finishes the first', async (t) => {
  const opened = await openTemporary(t);
  const { pushes } = opened;
  const down = stepsWith(opened, () => {
    throw new CraError('UNAVAILABLE', 'the trail is down');
  });
  await fails(t, down.adopt(adoption('a'), CALL), 'UNAVAILABLE');
  t.deepEqual(await pushes.findBaseline(REPO), { baseline: null });
  const heads = { ...REPO, shas: [shaOf('a')] };
  t.deepEqual(await pushes.acceptedHeads(heads), { accepted: [] });
  t.deepEqual(await pushes.newestAccepted({ ...REPO, refs: ['refs/heads/main'] }), {
    accepted: [],
  });
  t.deepEqual(await told(opened), []);
  // It saw the repository first, so what it saw counts.
  const { baseline } = adoption('a');
  t.deepEqual(await pushes.adoptBaseline(adoption('b')), { baseline, adopted: true });
  t.deepEqual(await pushes.findBaseline(REPO), { baseline });
  t.is((await pushes.acceptedHeads(heads)).accepted.length, 1);
  const entries = await told(opened);
  t.deepEqual(
    entries.map(({ op_id }) => op_id),
    ['adopt-a'],
  );
});

test('a daemon that dies behind the entry leaves no baseline, and no second entry', async (t) => {
  const opened = await openTemporary(t);
  const { pushes, trail } = opened;
  const dies = stepsWith(opened, async ({ event }) => {
    await trail.appendEvent({ event });
    throw new CraError('UNKNOWN', 'killed');
  });
  await fails(t, dies.adopt(adoption('a'), CALL), 'UNKNOWN');
  t.deepEqual(await pushes.findBaseline(REPO), { baseline: null });
  t.is((await told(opened)).length, 1);
  const { baseline } = adoption('a');
  t.deepEqual(await pushes.adoptBaseline(adoption('b')), { baseline, adopted: true });
  t.deepEqual(await pushes.adoptBaseline(adoption('b')), { baseline, adopted: false });
  t.is((await told(opened)).length, 1);
});

test('an entry that the trail never takes keeps nobody else from adopting', async (t) => {
  const opened = await openTemporary(t);
  const { pushes, trail } = opened;
  const { event } = adoption('a');
  if (event !== null) await trail.appendEvent({ event: { ...event, details: { other: 1 } } });
  await fails(t, pushes.adoptBaseline(adoption('a')), 'ALREADY_EXISTS');
  t.deepEqual(await pushes.findBaseline(REPO), { baseline: null });
  const { baseline } = adoption('b');
  t.deepEqual(await pushes.adoptBaseline(adoption('b')), { baseline, adopted: true });
});

test('a baseline of 100,000 refs is kept', async (t) => {
  const { pushes } = await openTemporary(t);
  const names = Array.from({ length: 100_000 }, (_, n) => `refs/heads/feature/of-somebody/${n}`);
  const heads = Object.fromEntries(names.map((name) => [name, shaOf(name)]));
  const input = { ...adoption('a'), event: null };
  await pushes.adoptBaseline({ ...input, baseline: { ...input.baseline, heads } });
  const { baseline } = await pushes.findBaseline(REPO);
  t.is(Object.keys(baseline?.heads ?? {}).length, 100_000);
  t.deepEqual(baseline?.heads, heads);
});
