import test from 'ava';
import type { StatusCode } from '../../../src/model/errors.ts';
import { type Mongod, startMongod } from '../../mongod/mongod.ts';
import { fails, idOf, insert, read } from '../conformance/steps.ts';
import { outcomeOf, recordText, sampleDraft, sampleRecord } from '../fixtures/records.ts';
import { openMongo } from './harness.ts';

/** Has `failCommand`: the server fails as it would, without the cause. */
function startWithFailPoints(): Promise<Mongod> {
  return startMongod({ args: ['--setParameter', 'enableTestCommands=1'] });
}

/** What each failure of the server is to callers; none of these is tried again by the driver. */
const CASES: [title: string, failure: object, code: StatusCode][] = [
  ['disk full', { errorCode: 14031 }, 'RESOURCE_EXHAUSTED'],
  ['out of memory', { errorCode: 146 }, 'RESOURCE_EXHAUSTED'],
  ['not allowed', { errorCode: 13 }, 'UNAVAILABLE'],
  ['took too long', { errorCode: 50 }, 'UNAVAILABLE'],
  ['not confirmed', { writeConcernError: { code: 64, errmsg: 'waiting' } }, 'UNAVAILABLE'],
  ['something else', { errorCode: 8 }, 'UNKNOWN'],
];

test('failures of the server become the codes of the store, and nothing is acknowledged', async (t) => {
  const mongod = await startWithFailPoints();
  t.teardown(mongod.stop);
  const { records, connection, store, close } = await openMongo(mongod.url);
  t.teardown(close);
  const admin = connection.db.admin();
  const failOnce = (failCommands: string[], failure: object) =>
    admin.command({
      configureFailPoint: 'failCommand',
      mode: { times: 1 },
      data: { failCommands, ...failure },
    });
  const call = { stopReason: () => null };
  const draft = sampleDraft({ rfc_id: 'RFC-DRAFT' });
  await insert(store, draft);
  for (const [n, [title, failure, code]] of CASES.entries()) {
    t.log(title);
    const record = recordText(sampleRecord({ rfc_id: `RFC-${n}` }));
    await failOnce(['insert'], failure);
    // Not by the client of the store, which would look whether it happened all the same.
    await fails(t, Promise.resolve(records.insertRfc({ record, diff: null }, call)), code);
    const outcome = { record: recordText(outcomeOf(draft)), expectedRev: 1 };
    if (!('errorCode' in failure)) continue;
    await failOnce(['update'], failure);
    await fails(t, store.completeDraft(outcome), code);
    await failOnce(['find'], failure);
    await fails(t, store.getRfc(idOf(draft)), code);
  }
});

test('a write whose reply is lost, or that meets an election, is done once', async (t) => {
  const mongod = await startWithFailPoints();
  t.teardown(mongod.stop);
  const { connection, store, close } = await openMongo(mongod.url);
  t.teardown(close);
  const admin = connection.db.admin();
  const failures = [
    { closeConnection: true },
    { errorCode: 10_107, errorLabels: ['RetryableWriteError'] },
  ];
  for (const [n, failure] of failures.entries()) {
    const record = sampleRecord({ rfc_id: `RFC-${n}` });
    await admin.command({
      configureFailPoint: 'failCommand',
      mode: { times: 1 },
      data: { failCommands: ['insert'], ...failure },
    });
    t.deepEqual(await insert(store, record), { rev: 1 });
    t.deepEqual(await read(store, record), record);
  }
});
