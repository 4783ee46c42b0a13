import { randomBytes } from 'node:crypto';
import test from 'ava';
import { MongoClient } from 'mongodb';
import { request, temporaryDir } from '../../daemon.ts';
import { databaseUrl, sharedMongod } from '../../mongod/mongod.ts';
import { HOLE } from './bad-code.ts';
import { openHouse } from './house.ts';
import { MAIN, PushedRepository } from './pushed-repository.ts';

/** Two daemons start and compile their rules where others work, too. */
const TEST_MS_MAX = 300_000;

const key = () => randomBytes(32).toString('hex');

test('two daemons of one store judge each push once, and one goes on for the other', async (t) => {
  t.timeout(TEST_MS_MAX);
  const storeUrl = databaseUrl(await sharedMongod());
  const env = {
    SERVICE_STORE_URL: storeUrl,
    ...{ SERVICE_SEAL_KEY: key(), SERVICE_FINGERPRINT_KEY: key(), SERVICE_CHECKPOINT_KEY: key() },
  };
  const house = await openHouse(t, { env, isStarted: false });
  const [one, two] = await Promise.all([
    house.start({ dataDir: temporaryDir(t) }),
    house.start({ dataDir: temporaryDir(t) }),
  ]);

  // Every webhook reaches both: one as it is, the other as a second delivery of it.
  const repos = Array.from({ length: 6 }, (_, n) => new PushedRepository(house, `acme/two-${n}`));
  const pushes = await Promise.all(
    repos.map(async (repo, n) => {
      const before = repo.commit({ 'README.md': 'read me\n' });
      const after = repo.commit(n % 2 === 0 ? { 'a.txt': 'one\n' } : { 'run.js': HOLE });
      const told = await Promise.all(
        [one, two].map((daemon) => repo.tell({ ref: MAIN, before, after }, { id: `${n}` }, daemon)),
      );
      t.is(new Set(told.map(({ rfcId }) => rfcId)).size, 1);
      t.is(told.filter(({ outcome }) => outcome === 'new').length, 1);
      return { repo, after, rfcId: told[0]?.rfcId ?? '' };
    }),
  );
  for (const [n, { repo, after, rfcId }] of pushes.entries()) {
    const record = await repo.verdict({ rfcId });
    t.is(record.overall_status, n % 2 === 0 ? 'PASSED' : 'BLOCKED');
    const state = n % 2 === 0 ? 'success' : 'failure';
    await repo.shows(after, state);
    const { body } = await request(`${two.url}/rfcs?repo=${repo.name}`);
    t.is(body.data.length, 1);
  }

  const [first] = repos;
  if (first === undefined) throw new Error('there are six');
  const { git } = house;
  git.behave({ kind: 'hang' });
  const asked = git.nextRequest();
  const bad = await first.push({ 'run.js': HOLE });
  await asked;
  const client = await MongoClient.connect(storeUrl);
  t.teardown(() => client.close());
  const rfcs = client.db().collection<{ push: { owner: string | null } }>('rfcs');
  const held = await rfcs.findOne({ _id: bad.rfcId } as never);
  git.behave({ kind: 'serve' });
  t.truthy(held?.push.owner);
  const statusOf = async (url: string) => (await request(`${url}/dispatcher/status`)).body.data;
  const busy = (await statusOf(one.url)).pushes.running > 0 ? one : two;
  const other = busy === one ? two : one;
  await busy.kill();
  house.daemon = other;
  t.is((await request(`${other.url}/rfc/${bad.rfcId}`)).body.data.overall_status, 'DRAFT');

  // The time of the lease goes by.
  await rfcs.updateOne({ _id: bad.rfcId } as never, { $set: { 'push.due': new Date(0) } } as never);
  t.is((await first.verdict(bad)).overall_status, 'BLOCKED');
  await first.shows(bad.sha, 'failure');
  const harmless = await first.judge({ 'b.txt': 'two\n' });
  t.is(harmless.overall_status, 'BLOCKED');
  t.false(await first.isAllowed());
  for (const { repo, after } of pushes) {
    // Both may tell the host, and say the same.
    const told = repo.statesOf(after).filter((state) => state !== 'pending');
    t.is(new Set(told).size, 1);
  }
});
