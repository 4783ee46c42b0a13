import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { readConfig } from '../../../src/daemon/config/config.ts';
import { startDaemon } from '../../../src/daemon/main.ts';
import { createLogger } from '../../../src/telemetry/logger.ts';
import {
  analyze,
  change,
  newFile,
  request,
  startDaemonProcess,
  temporaryDir,
  until,
} from '../../daemon.ts';
import { databaseUrl, sharedMongod, startMongod } from '../../mongod/mongod.ts';

const SMALL = change(newFile('a.py', 'x = 1\n'));
const KEYS = {
  SERVICE_SEAL_KEY: randomBytes(32).toString('hex'),
  SERVICE_FINGERPRINT_KEY: randomBytes(32).toString('hex'),
};

/** A file with the URL, as it holds a password. */
function urlFile(t: ExecutionContext, url: string): string {
  const path = join(temporaryDir(t), 'store-url');
  writeFileSync(path, `${url}\n`, { mode: 0o600 });
  return path;
}

test.serial('a daemon on MongoDB answers 503 while mongod is down, health 200', async (t) => {
  const mongod = await startMongod({ auth: true });
  t.teardown(mongod.stop);
  const dataDir = temporaryDir(t);
  const env = { SERVICE_STORE_URL_FILE: urlFile(t, mongod.url) };
  const daemon = await startDaemonProcess(t, dataDir, env);
  const { body } = await analyze(daemon.url, SMALL);
  t.is(body.data.overall_status, 'PASSED');
  const rfcUrl = `${daemon.url}/rfc/${body.data.rfc_id}`;

  const member = await mongod.primary();
  await member.kill();
  const start = performance.now();
  const answers = await Promise.all([
    analyze(daemon.url, SMALL),
    request(rfcUrl),
    request(`${daemon.url}/rfcs`),
  ]);
  const tookMs = performance.now() - start;
  t.log(`503 after ${Math.round(tookMs)} ms`);
  t.deepEqual(
    answers.map(({ status }) => status),
    [503, 503, 503],
  );
  t.true(tookMs < 10_000);
  t.is((await request(`${daemon.url}/health`)).status, 200);

  await member.start();
  await until(async () => (await analyze(daemon.url, SMALL)).status === 200);
  t.is((await request(rfcUrl)).body.data.rfc_id, body.data.rfc_id);
  t.is(await daemon.stop(), 0);
  const log = JSON.stringify(daemon.log);
  t.false(log.includes(passwordOf(mongod.url)), 'the log holds no password');
});

test.serial('a daemon does not start without its MongoDB, and says why', async (t) => {
  const password = randomBytes(12).toString('hex');
  const env = { SERVICE_STORE_URL: `mongodb://cra:${password}@127.0.0.1:9/cra` };
  const start = performance.now();
  const error = await t.throwsAsync(startDaemonProcess(t, temporaryDir(t), env));
  t.regex(error?.message ?? '', /exit code [1-9].*127\.0\.0\.1:9\/cra can not be used/s);
  t.false(error?.message.includes(password));
  t.true(performance.now() - start < 20_000);
});

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
    startDaemon({
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

test('the data directory keeps the name of the daemon', async (t) => {
  const { openDataDir } = await import('../../../src/daemon/data-dir.ts');
  const dataDir = temporaryDir(t);
  const given = { fingerprint: null, seal: new Uint8Array(32).fill(3), checkpoint: null };
  const first = openDataDir(dataDir, given);
  t.deepEqual(openDataDir(dataDir, given), first);
  t.deepEqual(first.keys.seal, given.seal);
  t.regex(readFileSync(join(dataDir, 'instance'), 'utf8'), /^[0-9a-f-]{36}\n$/);
});

function passwordOf(url: string): string {
  return new URL(url.replace(/,[^/]*/, '')).password;
}
