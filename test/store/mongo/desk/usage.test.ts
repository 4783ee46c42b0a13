import test, { type ExecutionContext } from 'ava';
import { MongoClient } from 'mongodb';
import type { UsageRecord } from '../../../../src/model/usage.ts';
import { until } from '../../../daemon.ts';
import {
  databaseUrl,
  type SharedMongod,
  sharedMongod,
  startMongod,
} from '../../../mongod/mongod.ts';
import { fails, NOW } from '../../conformance/steps.ts';
import { type OpenedMongo, openMongo } from '../harness.ts';

const ALL = { tenant_id: 'default', since_ms: 0 };
const HOUR_MS = 3_600_000;

function record(n: number, over: Partial<UsageRecord> = {}): UsageRecord {
  return {
    usage_id: `U-${n}`,
    tenant_id: 'default',
    at_ms: NOW + (n % 3) * HOUR_MS,
    provider: 'one',
    model: `m${n % 2}`,
    input_tokens: n,
    output_tokens: 2 * n,
    cache_creation_tokens: 0,
    cache_read_tokens: 1,
    cost_nano_usd: 1_000_000_007 * n,
    context: null,
    logged_by: 'somebody',
    ...over,
  };
}

/** Two daemons on one database of `mongod`. */
async function openDaemons(t: ExecutionContext, mongod: SharedMongod) {
  const url = databaseUrl(mongod);
  const open = (instance: string) => openMongo(url, Date.now, instance);
  const opened = [await open('daemon-1'), await open('daemon-2')] as const;
  t.teardown(async () => {
    await opened[0].connection.db.dropDatabase().catch(() => false);
    for (const each of opened) await each.close();
  });
  return opened;
}

test('usage that several daemons write at once counts once', async (t) => {
  const daemons = await openDaemons(t, await sharedMongod());
  const records = Array.from({ length: 300 }, (_, n) => record(n));
  // Each writes all of it, beginning elsewhere, and repeats itself.
  const calls = daemons.flatMap(({ usage }, n) =>
    [...records.slice(n * 150), ...records.slice(0, n * 150), ...records.slice(0, 20)].map((one) =>
      usage.logUsage({ record: one }),
    ),
  );
  await Promise.all(calls);
  await holds(t, daemons[0], records);
});

/** Both the sums of hours and those at an edge are those of the records. */
async function holds(
  t: ExecutionContext,
  daemon: OpenedMongo,
  records: readonly UsageRecord[],
): Promise<void> {
  const cost = String(records.reduce((sum, one) => sum + BigInt(one.cost_nano_usd), 0n));
  const expected = { calls: records.length, cost_nano_usd: cost };
  t.like(await daemon.usage.usageTotal(ALL), expected, 'by hours');
  const edge = { ...ALL, since_ms: NOW - 1 };
  t.like(await daemon.usage.usageTotal(edge), expected, 'with an edge');
  t.is(await daemon.connection.collections.usage.countDocuments(), records.length);
}

test('sums outgrow 64 bits without losing a digit', async (t) => {
  const [daemon] = await openDaemons(t, await sharedMongod());
  const largest = Array.from({ length: 1100 }, (_, n) =>
    record(n, { at_ms: NOW, model: 'm', cost_nano_usd: Number.MAX_SAFE_INTEGER }),
  );
  await Promise.all(largest.map((one) => daemon.usage.logUsage({ record: one })));
  await holds(t, daemon, largest);
  const total = await daemon.usage.usageTotal(ALL);
  t.true(BigInt(total?.cost_nano_usd ?? 0) > 2n ** 63n);
});

const FAILURES: [string, object][] = [
  ['is not answered', { closeConnection: true }],
  ['is not confirmed by the majority', { writeConcernError: { code: 64, errmsg: 'waiting' } }],
  ['meets a step-down', { errorCode: 10107 }],
];

test.serial('a commit whose outcome nobody knows counts once', async (t) => {
  const mongod = await startMongod({ args: ['--setParameter', 'enableTestCommands=1'] });
  t.teardown(mongod.stop);
  const client = new MongoClient(mongod.url);
  t.teardown(() => client.close());
  const [daemon] = await openDaemons(t, mongod);
  const written: UsageRecord[] = [];
  for (const [n, [name, failure]] of FAILURES.entries()) {
    await client.db('admin').command({
      configureFailPoint: 'failCommand',
      // The driver itself tries it once again.
      mode: { times: 2 },
      data: { failCommands: ['commitTransaction'], ...failure },
    });
    written.push(record(n + 1));
    await t.notThrowsAsync(daemon.usage.logUsage({ record: record(n + 1) }), name);
    await holds(t, daemon, written);
  }
  await client.db('admin').command({ configureFailPoint: 'failCommand', mode: 'off' });
});

test.serial('usage is refused while nobody takes it, and can be logged again', async (t) => {
  const mongod = await startMongod();
  t.teardown(mongod.stop);
  const [daemon] = await openDaemons(t, mongod);
  const member = await mongod.primary();
  await member.kill();
  const refused = daemon.usage.logUsage({ record: record(1) });
  await fails(t, refused, 'UNAVAILABLE');
  await member.start();
  await mongod.primary();
  const again = () => daemon.usage.logUsage({ record: record(1) });
  await until(() => again().then(isDone, isNotDone));
  await holds(t, daemon, [record(1)]);
});

const isDone = () => true;
const isNotDone = () => false;
