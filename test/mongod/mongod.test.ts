import test from 'ava';
import { MongoClient } from 'mongodb';
import { databaseUrl, sharedMongod, startMongod } from './mongod.ts';

test('sharedMongod is a primary that takes majority writes', async (t) => {
  const mongod = await sharedMongod();
  t.is((await sharedMongod()).url, mongod.url);
  const client = new MongoClient(databaseUrl(mongod));
  t.teardown(() => client.close());
  const things = client.db().collection('things');
  await things.insertOne({ a: 1 }, { writeConcern: { w: 'majority', j: true } });
  t.is(await things.countDocuments(), 1);
});

test('startMongod with auth lets only users in; kill and start keep the data', async (t) => {
  const mongod = await startMongod({ auth: true });
  t.teardown(mongod.stop);
  const member = await mongod.primary();
  const outsider = new MongoClient(`mongodb://${member.host}/?directConnection=true`);
  t.teardown(() => outsider.close());
  await t.throwsAsync(() => outsider.db('a').collection('b').findOne(), { code: 13 });
  const root = new MongoClient(mongod.url);
  t.teardown(() => root.close());
  const things = root.db('a').collection('b');
  await things.insertOne({ kept: true }, { writeConcern: { w: 'majority', j: true } });
  await member.kill();
  t.is(member.pid(), null);
  await member.start();
  t.is((await things.findOne())?.['kept'], true);
});
