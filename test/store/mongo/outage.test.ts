import { randomBytes } from 'node:crypto';
import test from 'ava';
import { CraError } from '../../../src/model/errors.ts';
import type { RecordStore } from '../../../src/store/contract/records.ts';
import { connectMongo } from '../../../src/store/mongo/connection.ts';
import { fromMongo } from '../../../src/store/mongo/mongo-error.ts';
import { until } from '../../daemon.ts';
import { guardedMongod, startMongod } from '../../mongod/mongod.ts';
import { idOf, insert, list, read } from '../conformance/steps.ts';
import { sampleRecord } from '../fixtures/records.ts';
import { openMongo } from './harness.ts';

test('while mongod is down calls fail soon, and work again when it is back', async (t) => {
  const mongod = await startMongod();
  t.teardown(mongod.stop);
  const { store, close } = await openMongo(mongod.url);
  t.teardown(close);
  const record = sampleRecord({ rfc_id: 'RFC-1' });
  await insert(store, record);
  const member = await mongod.primary();
  await member.kill();
  const calls = [
    insert(store, sampleRecord({ rfc_id: 'RFC-2' })),
    store.getRfc(idOf(record)),
    store.ping(null),
    list(store, {}),
  ];
  for (const result of await Promise.allSettled(calls)) {
    const code = result.status === 'rejected' ? (result.reason as CraError).code : 'answered';
    t.is(code, 'UNAVAILABLE');
  }
  await member.start();
  await until(() => canWrite(store));
  t.deepEqual(await read(store, record), record);
  t.deepEqual(await insert(store, sampleRecord({ rfc_id: 'RFC-3' })), { rev: 1 });
});

test('connectMongo names the host, never the user or the password', async (t) => {
  const password = randomBytes(12).toString('hex');
  const { host } = new URL((await guardedMongod()).url);
  const cases: [url: string, shown: RegExp][] = [
    [`mongodb://alice:${password}@127.0.0.1:9/cra`, /127\.0\.0\.1:9\/cra can not be used/],
    [`mongodb://alice:${password}@${host}/cra`, new RegExp(`${host}/cra .*refuses the user`)],
    [`mongodb://alice:${password}@${host}/cra?w=no&wrong=1`, /not a connection string|can not be/],
    [`mongodb://alice:${password}`, /not a connection string/],
    [`mongodb://alice:${password}@@/`, /not a connection string/],
  ];
  for (const [url, shown] of cases) {
    const error = await t.throwsAsync(connectMongo(url), { instanceOf: CraError });
    t.regex(error?.message ?? '', shown);
    const told = JSON.stringify([error?.message, error?.stack, error?.cause ?? null]);
    t.false(told.includes(password), told);
    t.false(told.includes('alice'), told);
  }
});

function canWrite(store: RecordStore): Promise<boolean> {
  return store.ping(null).then(
    () => true,
    () => false,
  );
}

test('fromMongo takes a broken socket for what it is', (t) => {
  const thrown = Object.assign(new Error('This socket has been ended'), { code: 'EPIPE' });
  t.is(fromMongo(thrown).code, 'UNAVAILABLE');
  t.is(fromMongo(new TypeError('ours')).code, 'INTERNAL');
});
