import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { MongoClient } from 'mongodb';
import { readConfig } from '../../src/daemon/config/config.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import {
  analyze,
  change,
  type DaemonProcess,
  newFile,
  request,
  startDaemonProcess,
  startDaemonWithin,
  temporaryDir,
  until,
} from '../daemon.ts';
import {
  blocked,
  EXTRA_RULES,
  get,
  harmless,
  isInOrder,
  send,
  statusOf,
  submit,
} from '../decision-calls.ts';
import { databaseUrl, sharedMongod } from '../mongod/mongod.ts';
import { HOLE } from '../pushes/daemon/bad-code.ts';
import { openHouse } from '../pushes/daemon/house.ts';
import { MAIN, PushedRepository } from '../pushes/daemon/pushed-repository.ts';

/** Starting daemons and compiling rules takes long where others work, too. */
const TEST_MS_MAX = 300_000;

const REASON = { actor: 'ann', reason: 'the key of the vendor example' };

/** Keys that all daemons of a store have in common. */
function sharedKeys(): Record<string, string> {
  const key = () => randomBytes(32).toString('hex');
  return {
    SERVICE_SEAL_KEY: key(),
    SERVICE_FINGERPRINT_KEY: key(),
    SERVICE_CHECKPOINT_KEY: key(),
  };
}

const PUT = { method: 'PUT' };

/** Two daemons on one store, started at once. */
async function startTwo(t: ExecutionContext) {
  const env = { SERVICE_STORE_URL: databaseUrl(await sharedMongod()), ...sharedKeys() };
  const start = () => startDaemonProcess(t, temporaryDir(t), env);
  const daemons = await Promise.all([start(), start()]);
  /** Stops both and reads the trail. */
  const stopsInOrder = async (kinds: string[]) => {
    t.deepEqual(await Promise.all(daemons.map((daemon) => daemon.stop())), [0, 0]);
    await isInOrder(t, env, kinds);
  };
  return { one: daemons[0], two: daemons[1], stopsInOrder };
}

test.serial('two daemons decide about the same RFCs, each decision once', async (t) => {
  t.timeout(TEST_MS_MAX);
  const { one, two, stopsInOrder } = await startTwo(t);
  const here = await submit(t, one, blocked(1));
  const there = await submit(t, two, harmless(1));
  t.is(await statusOf(two, here), 'BLOCKED');
  t.is(await statusOf(one, there), 'PASSED');
  t.is((await get(one, 'rfcs')).data.length, 2);

  // Of 50 overrides at once one is made.
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      send(n % 2 === 0 ? one : two, `rfc/${here}/override`, REASON),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  t.is(statuses.filter((status) => status === 200).length, 1, statuses.join());
  t.is(statuses.filter((status) => status === 409).length, 49, statuses.join());
  const read = (await get(two, `rfc/${here}`)).data;
  t.is(read.override_history.length, 1);
  await stopsInOrder(['override']);
});

test.serial('rules that were replaced on one daemon are in force on the other', async (t) => {
  t.timeout(TEST_MS_MAX);
  const { one, two, stopsInOrder } = await startTwo(t);
  const ours = change(newFile('a.py', 'KILL_SWITCH = 1\n'));
  const verdict = async (daemon: DaemonProcess) =>
    (await analyze(daemon.url, ours)).body.data.overall_status;
  t.is(await verdict(two), 'PASSED');
  const put = await send(one, 'rules', EXTRA_RULES, PUT);
  t.is(put.body.data?.number, 1, JSON.stringify(put.body));
  await follows(two, 1);
  t.is(await verdict(two), 'BLOCKED');
  const next = await send(two, 'rules', { ...EXTRA_RULES, risk_patterns: [] }, PUT);
  t.is(next.body.data?.number, 2, JSON.stringify(next.body));
  await follows(one, 2);
  t.is(await verdict(one), 'PASSED');
  await stopsInOrder(['rules', 'rules']);
});

/** Waits until the daemon runs under this revision. */
function follows(daemon: DaemonProcess, number: number): Promise<void> {
  return until(async () => (await get(daemon, 'dispatcher/status')).data.rules.number === number);
}

const SMALL = change(newFile('a.py', 'x = 1\n'));
const KEYS = {
  SERVICE_SEAL_KEY: randomBytes(32).toString('hex'),
  SERVICE_FINGERPRINT_KEY: randomBytes(32).toString('hex'),
};

test.serial('two daemons share a store when they have the same keys', async (t) => {
  const url = databaseUrl(await sharedMongod());
  const env = { SERVICE_STORE_URL: url, ...KEYS };
  const dataDir = temporaryDir(t);
  const one = await startDaemonProcess(t, dataDir, env);
  const two = await startDaemonProcess(t, temporaryDir(t), env);
  const { body } = await analyze(one.url, SMALL);
  const read = await request(`${two.url}/rfc/${body.data.rfc_id}`);
  t.is(read.body.data.overall_status, 'PASSED');
  const same = await t.throwsAsync(startDaemonProcess(t, dataDir, env));
  t.regex(same?.message ?? '', /in use by another cra/);
  const other = await t.throwsAsync(
    startDaemonProcess(t, temporaryDir(t), { SERVICE_STORE_URL: url }),
  );
  t.regex(other?.message ?? '', /SERVICE_SEAL_KEY/);
  t.is(await one.stop(), 0);
  t.is(await two.stop(), 0);
});

test.serial('a DRAFT of a daemon that is gone is finished by another one', async (t) => {
  const url = databaseUrl(await sharedMongod());
  const start = (dataDir: string, over: { answerWithinMs?: number; finishDrafts?: boolean }) =>
    startDaemonWithin({
      config: readConfig({
        SERVICE_PORT: '0',
        SERVICE_DATA_DIR: dataDir,
        SERVICE_STORE_URL: url,
        ...KEYS,
      }),
      log: createLogger('silent'),
      onFatal: (error) => t.fail(error.message),
      onWornOut: () => t.fail('worn out'),
      ...over,
    });
  const files = Array.from({ length: 2000 }, (_, index) =>
    newFile(`src/f${index}.py`, 'import os\nprint(os.name)\n'),
  );
  const gone = await start(temporaryDir(t), { answerWithinMs: 0, finishDrafts: false });
  const drafted = await analyze(`http://127.0.0.1:${gone.port}/api/cra`, change(files.join('')));
  t.is(drafted.body.data.overall_status, 'DRAFT');
  t.is(await gone.stop(), 0);
  await endLeases(url);
  const other = await start(temporaryDir(t), {});
  const rfc = `http://127.0.0.1:${other.port}/api/cra/rfc/${drafted.body.data.rfc_id}`;
  const waited = await request(`${rfc}?wait=30`);
  t.is(waited.body.data.overall_status, 'PASSED');
  t.is(await other.stop(), 0);
});

async function endLeases(url: string): Promise<void> {
  const { MongoClient } = await import('mongodb');
  const client = new MongoClient(url);
  const lease_until = new Date(0);
  await client.db().collection('rfcs').updateMany({ status: 'DRAFT' }, { $set: { lease_until } });
  await client.close();
}

const key = () => randomBytes(32).toString('hex');

test('two daemons of one store judge each push once, and one goes on for the other', async (t) => {
  t.timeout(TEST_MS_MAX);
  const storeUrl = databaseUrl(await sharedMongod());
  const env = {
    SERVICE_STORE_URL: storeUrl,
    SERVICE_SEAL_KEY: key(),
    SERVICE_FINGERPRINT_KEY: key(),
    SERVICE_CHECKPOINT_KEY: key(),
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
