import test from 'ava';
import { MongoClient } from 'mongodb';
import { sealDiff } from '../../../src/core/seal.ts';
import { decodeSequence, encodeSequence } from '../../../src/store/mongo/cursor.ts';
import { type Mongod, startMongod } from '../../mongod/mongod.ts';
import { KEY, readDiffText } from '../conformance/steps.ts';
import { recordText, sampleRecord } from '../fixtures/records.ts';
import { openMongo } from './harness.ts';

const WRITERS = 4;
const ROUNDS = 60;

test('across an election and a killed primary seq stays unique and grows, no diff is lost', async (t) => {
  const mongod = await startMongod({ members: 3 });
  t.teardown(mongod.stop);
  const opened = await openMongo(mongod.url);
  t.teardown(opened.close);
  const insert = async (rfc_id: string) => {
    for (;;) {
      try {
        return await opened.store.insertRfc({
          record: recordText(sampleRecord({ rfc_id })),
          diff: sealDiff(Buffer.from(rfc_id), KEY, rfc_id, 1_000),
        });
      } catch {
        // No primary just now: the same again, as a caller would.
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  let inserted = 0;
  const disturbed = disturb(mongod, () => inserted);
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const ids = Array.from({ length: 5 }, (_, n) => `RFC-${writer}-${round}-${n}`);
        await Promise.all(ids.map(insert));
        inserted += ids.length;
      }
    }),
  );
  await disturbed;
  for (let round = 0; round < ROUNDS; round += 1) {
    const rfc_id = `RFC-${round % WRITERS}-${round}-0`;
    t.is(await readDiffText(opened.store, rfc_id), rfc_id);
  }
  const { rfcs } = opened.connection.collections;
  const found = await rfcs
    .find({}, { projection: { seq: 1 } })
    .sort({ seq: 1 })
    .toArray();
  t.is(found.length, WRITERS * ROUNDS * 5);
  t.is(new Set(found.map(({ seq }) => seq.toString())).size, found.length);
  t.false(found.some(({ seq }) => seq.isZero()));
  // Of one writer, a round begins when the one before is durable: so all of it comes later.
  const rounds = new Map<string, number>();
  for (const { _id } of found) {
    const [, writer = '', round] = _id.split('-');
    t.true(Number(round) >= (rounds.get(writer) ?? 0), _id);
    rounds.set(writer, Number(round));
  }
});

/** A third of the way through an election; at two thirds the primary is killed. */
async function disturb(mongod: Mongod, inserted: () => number): Promise<void> {
  const total = WRITERS * ROUNDS * 5;
  const reaches = async (count: number) => {
    while (inserted() < count) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await reaches(total / 3);
  const client = new MongoClient(mongod.url);
  await client.db('admin').command({ replSetStepDown: 5, force: true });
  await client.close();
  await reaches((total * 2) / 3);
  const primary = await mongod.primary();
  await primary.kill();
}

test('decodeSequence reads what encodeSequence wrote, and nothing else', (t) => {
  for (const text of ['1:0', '1795284641:4294967295', '4294967295:1']) {
    const cursor = Buffer.from(text).toString('base64url');
    t.is(encodeSequence(decodeSequence(cursor)), cursor);
  }
  for (const text of ['0:1', '1:-1', '1:01', '4294967296:1', '1:4294967296', '1', ':', '1:1 ']) {
    const cursor = Buffer.from(text).toString('base64url');
    t.throws(() => decodeSequence(cursor), { message: /cursor/ }, text);
  }
});
