import test, { type ExecutionContext } from 'ava';
import { Timestamp } from 'mongodb';
import { sealDiff } from '../../../src/core/seal.ts';
import { STORE } from '../../../src/limits.ts';
import { createMongoStore } from '../../../src/store/mongo/store.ts';
import { databaseUrl, sharedMongod } from '../../mongod/mongod.ts';
import { fails, idOf, idsOf, insert, KEY, list, read, readDiffText } from '../conformance/steps.ts';
import { outcomeOf, recordText, sampleDraft, sampleRecord } from '../fixtures/records.ts';
import { KEYS, type OpenedMongo, openMongo } from './harness.ts';

/** Two daemons on one database. */
async function openTwo(t: ExecutionContext): Promise<[OpenedMongo, OpenedMongo]> {
  const url = databaseUrl(await sharedMongod());
  // At once, as after a power cut: they must not trip over each other's indexes.
  const opened = await Promise.all(
    ['daemon-1', 'daemon-2'].map((instance) => openMongo(url, Date.now, instance)),
  );
  t.teardown(async () => {
    await opened[0]?.connection.db.dropDatabase();
    for (const each of opened) await each.close();
  });
  return opened as [OpenedMongo, OpenedMongo];
}

test('each of two daemons reads what the other one wrote', async (t) => {
  const [one, two] = await openTwo(t);
  const record = sampleRecord({ rfc_id: 'RFC-1' });
  const diff = sealDiff(Buffer.from('diff'), KEY, 'RFC-1', STORE.SEAL_CHUNK_BYTES);
  await one.store.insertRfc({ record: recordText(record), diff });
  await insert(two.store, sampleRecord({ rfc_id: 'RFC-2' }));
  t.deepEqual(await read(two.store, record), record);
  t.is(await readDiffText(two.store, 'RFC-1'), 'diff');
  t.deepEqual((await list(one.store, {})).summaries.map(idsOf), ['RFC-2', 'RFC-1']);
});

test('insertRfc of one id by two daemons: the same is accepted, of others one wins', async (t) => {
  const [one, two] = await openTwo(t);
  const record = sampleRecord({ rfc_id: 'RFC-1' });
  const same = [one, two].map(({ store }) => insert(store, record));
  t.deepEqual(await Promise.all(same), [{ rev: 1 }, { rev: 1 }]);
  for (let round = 0; round < 10; round += 1) {
    const rfc_id = `RFC-R${round}`;
    const others = [one, two].map(({ store }, n) =>
      insert(store, sampleRecord({ rfc_id, branch: `branch-${n}` })),
    );
    const results = await Promise.allSettled(others);
    t.is(results.filter(({ status }) => status === 'fulfilled').length, 1);
  }
});

test('completeDraft and startAttempt: of two daemons exactly one wins', async (t) => {
  const daemons = await openTwo(t);
  for (let round = 0; round < 20; round += 1) {
    const draft = sampleDraft({ rfc_id: `RFC-${round}` });
    await insert(daemons[round % 2 === 0 ? 0 : 1].store, draft);
    const attempts = await Promise.allSettled(
      daemons.map(({ store }) => store.startAttempt({ ...idOf(draft), expectedRev: 1 })),
    );
    t.is(attempts.filter(({ status }) => status === 'fulfilled').length, 1);
    const outcomes = [1, 2].map((risk_score) => outcomeOf({ ...draft, rev: 2 }, { risk_score }));
    const results = await Promise.allSettled(
      daemons.map(({ store }, n) =>
        store.completeDraft({ record: recordText(outcomes[n] ?? draft), expectedRev: 2 }),
      ),
    );
    const winners = outcomes.filter((_, n) => results[n]?.status === 'fulfilled');
    t.is(winners.length, 1);
    t.deepEqual(await read(daemons[0].store, draft), winners[0]);
  }
});

test('listDrafts leaves a draft to its daemon until the lease is over', async (t) => {
  const [one, two] = await openTwo(t);
  const { rfcs } = one.connection.collections;
  const draft = sampleDraft({ rfc_id: 'RFC-1' });
  await insert(one.store, draft);
  const seenBy = async ({ store }: OpenedMongo) => {
    const { drafts } = await store.listDrafts({ limit: 10 });
    return drafts.map(idsOf);
  };
  t.deepEqual([await seenBy(one), await seenBy(two)], [['RFC-1'], []]);
  // A daemon that died before its first attempt: the lease runs from the insert.
  const longAgo = new Date(Date.now() - 10 * 60_000);
  const { t: seconds = 0, i = 0 } = (await rfcs.findOne({ _id: 'RFC-1' }))?.seq ?? {};
  const seq = new Timestamp({ t: seconds - 600, i });
  await rfcs.updateOne({ _id: 'RFC-1' }, { $set: { seq } });
  t.deepEqual([await seenBy(one), await seenBy(two)], [['RFC-1'], ['RFC-1']]);
  // An attempt of the other one takes the lease.
  await two.store.startAttempt({ ...idOf(draft), expectedRev: 1 });
  t.deepEqual([await seenBy(one), await seenBy(two)], [[], ['RFC-1']]);
  const lease = (await rfcs.findOne({ _id: 'RFC-1' }))?.lease_until?.getTime() ?? 0;
  t.true(lease > Date.now() + 60_000, 'the lease lasts longer than an attempt');
  await rfcs.updateOne({ _id: 'RFC-1' }, { $set: { lease_until: longAgo } });
  t.deepEqual([await seenBy(one), await seenBy(two)], [['RFC-1'], ['RFC-1']]);
});

test('repoHistory: what two daemons count at once is counted once each', async (t) => {
  const daemons = await openTwo(t);
  const changes = Array.from({ length: 60 }, (_, n) => ({
    diff_hash: String(n).padStart(2, '0').padEnd(64, '0'),
    lines_added: 10,
    is_fix: n % 2 === 0,
    file_keys: ['a'.repeat(16), `${n % 5}`.repeat(16)],
  }));
  // Both post every diff, in their own order.
  await Promise.all(
    daemons.flatMap(({ store }, daemon) =>
      (daemon === 0 ? changes : changes.toReversed()).map((change, n) => {
        const record = sampleRecord({ rfc_id: `RFC-${daemon}-${n}` });
        return store.insertRfc({ record: recordText(record, change), diff: null });
      }),
    ),
  );
  const id = { tenant_id: 'default', repo_name: 'Org/Repo' };
  const input = { ...id, diff_hash: 'f'.repeat(64), file_keys: ['a'.repeat(16), '1'.repeat(16)] };
  const met = await daemons[0].store.repoHistory(input);
  t.is(met.changes, 60);
  t.is(met.touches, 60 + 12);
  t.is(met.fixes, 30 + 6);
});

test('a tombstone is not read, not listed and not written again', async (t) => {
  const [{ store, connection }] = await openTwo(t);
  const { rfcs } = connection.collections;
  const draft = sampleDraft({ rfc_id: 'RFC-1' });
  const diff = sealDiff(Buffer.from('diff'), KEY, 'RFC-1', STORE.SEAL_CHUNK_BYTES);
  await store.insertRfc({ record: recordText(draft), diff });
  await rfcs.updateOne({ _id: 'RFC-1' }, { $set: { deleted: true } });
  await fails(t, store.getRfc(idOf(draft)), 'NOT_FOUND');
  await fails(t, store.getSarif(idOf(draft)), 'NOT_FOUND');
  await fails(t, store.getDiff(idOf(draft)), 'NOT_FOUND');
  await fails(t, store.startAttempt({ ...idOf(draft), expectedRev: 1 }), 'NOT_FOUND');
  const outcome = recordText(outcomeOf(draft));
  await fails(t, store.completeDraft({ record: outcome, expectedRev: 1 }), 'NOT_FOUND');
  await fails(t, insert(store, draft), 'ALREADY_EXISTS');
  t.deepEqual((await list(store, {})).summaries, []);
  t.deepEqual((await store.listDrafts({ limit: 10 })).drafts, []);
});

test('a daemon with other keys than the first one does not start', async (t) => {
  const [{ connection }] = await openTwo(t);
  const url = (await sharedMongod()).url.replace('/?', `/${connection.db.databaseName}?`);
  for (const name of ['seal', 'fingerprint'] as const) {
    const keys = { ...KEYS, [name]: 'another' };
    const options = { url, now: Date.now, instance: 'daemon-3', keys };
    const error = await fails(t, createMongoStore(options), 'FAILED_PRECONDITION');
    t.regex(error?.message ?? '', new RegExp(`SERVICE_${name.toUpperCase()}_KEY`));
  }
});
