import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { MongoClient } from 'mongodb';
import { createCheckpointSigner } from '../../src/audit/checkpoint.ts';
import { verifyArchive } from '../../src/store/archive-files.ts';
import { connectMongo } from '../../src/store/mongo/database.ts';
import { newDocument } from '../../src/store/mongo/record-documents.ts';
import { ensureIndexes } from '../../src/store/mongo/schema.ts';
import { temporaryDir } from '../daemon.ts';
import { databaseUrl, sharedMongod } from '../mongod/mongod.ts';
import { recordText, sampleRecord } from '../store/fixtures/records.ts';

const RFCS = 900;
/** A member has 100 RFCs; its transaction takes some milliseconds. */
const KILL_AFTER_MS = ['0', '2', '5', '10', '20'];

test('kill -9 while archiving from MongoDB: every RFC is in one place, and the files verify', async (t) => {
  t.timeout(300_000);
  const url = databaseUrl(await sharedMongod());
  const root = temporaryDir(t);
  const at = '2026-01-05T00:00:00.000Z';
  const connection = await connectMongo(url);
  await ensureIndexes(connection.db, connection.collections, 30);
  const documents = [...Array(RFCS + 1).keys()].map((n) => {
    const record = sampleRecord({ rfc_id: `RFC-${n}`, created_at: at, updated_at: at });
    const how = { diff: null, push: null, instance: 'one', nowMs: Date.parse(at), lanes: [] };
    const text = recordText(record);
    // What the trends have not counted yet would stay.
    const document = { ...newDocument(text, how), trend: { next: text.trend } };
    return document;
  });
  await connection.collections.rfcs.insertMany(documents);
  await connection.close();

  const client = await MongoClient.connect(url);
  t.teardown(() => client.close());
  const idsOf = async (name: string) =>
    (await client.db().collection(name).find().toArray()).map(({ _id }) => String(_id));
  const run = (killAfter: string) => {
    const entry = fileURLToPath(new URL('archive-child.js', import.meta.url));
    return spawnSync(process.execPath, [entry, url, root, killAfter], { encoding: 'utf8' });
  };
  let killed = 0;
  for (const killAfter of KILL_AFTER_MS) {
    const { signal, stderr } = run(killAfter);
    if (signal === 'SIGKILL') killed += 1;
    t.is(stderr, '');
    const places = [...(await idsOf('rfcs')), ...(await idsOf('archived'))];
    t.is(places.length, RFCS + 1);
    t.is(new Set(places).size, RFCS + 1);
  }
  t.true(killed > 0);
  t.is(run('none').signal, null);
  t.deepEqual(await idsOf('rfcs'), [`RFC-${RFCS}`], 'the newest of its branch');
  const key = createCheckpointSigner(new Uint8Array(32).fill(3)).verifierKey;
  t.like([...verifyArchive(root, key)], [{ records: RFCS, flaw: null }]);
  t.log(`${killed} kills`);
});
