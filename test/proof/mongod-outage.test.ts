import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { MongoClient } from 'mongodb';
import { sealDiff } from '../../src/core/seal.ts';
import { CraError } from '../../src/model/errors.ts';
import type { PushStore } from '../../src/store/contract/pushes.ts';
import { MONGO } from '../../src/store/limits.ts';
import {
  analyze,
  change,
  newFile,
  request,
  startDaemonProcess,
  temporaryDir,
  until,
} from '../daemon.ts';
import { type Mongod, startMongod } from '../mongod/mongod.ts';
import {
  claim,
  claimedId,
  claimedIds,
  claimInTurn,
  pushed,
  REPO,
} from '../store/conformance/push-steps.ts';
import { fails, idOf, insert, KEY, readDiffText } from '../store/conformance/steps.ts';
import { keysOf, samplePush } from '../store/fixtures/pushes.ts';
import { recordText, sampleRecord } from '../store/fixtures/records.ts';
import { canWrite, openMongo } from '../store/mongo/harness.ts';
import { login, openPlace, openTrail, readChains } from '../store/mongo/trail-harness.ts';

const SMALL = change(newFile('a.py', 'x = 1\n'));

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
  const notReady = await request(`${daemon.url}/health?ready=1`);
  t.deepEqual([notReady.status, notReady.body.error], [503, 'not ready: the store is down']);

  await member.start();
  await until(async () => (await analyze(daemon.url, SMALL)).status === 200);
  t.is((await request(rfcUrl)).body.data.rfc_id, body.data.rfc_id);
  t.is(await daemon.stop(), 0);
  const log = JSON.stringify(daemon.log);
  t.false(log.includes(passwordOf(mongod.url)), 'the log holds no password');
});

function passwordOf(url: string): string {
  return new URL(url.replace(/,[^/]*/, '')).password;
}

test('a primary that hangs is given up, and what it was asked is not acknowledged', async (t) => {
  const mongod = await startMongod();
  t.teardown(mongod.stop);
  const { store, close } = await openMongo(mongod.url);
  t.teardown(close);
  const pid = (await mongod.primary()).pid() ?? 0;
  process.kill(pid, 'SIGSTOP');
  await fails(t, insert(store, sampleRecord({ rfc_id: 'RFC-1' })), 'UNAVAILABLE');
  process.kill(pid, 'SIGCONT');
  await until(() => canWrite(store));
  t.pass();
});

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

test('kill -9 of mongod under load: what was answered as durable is there, without gaps', async (t) => {
  const mongod = await startMongod();
  t.teardown(mongod.stop);
  const place = await openPlace(t, mongod);
  const trail = await openTrail(t, place);
  const member = await mongod.primary();
  const told = new Map<string, number>();
  let refused = 0;
  let isOver = false;
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let at = 0; !isOver; at += 1) {
      const opId = `${writer}.${at}`;
      await trail.appendEvent({ event: login(opId) }).then(
        ({ seq }) => told.set(opId, seq),
        ({ code }) => {
          t.is(code, 'UNAVAILABLE');
          refused += 1;
        },
      );
    }
  });
  for (let kill = 1; kill <= 3; kill += 1) {
    await until(async () => told.size > kill * 200);
    await member.kill();
    if (kill === 3) await until(async () => refused > 0);
    await member.start();
  }
  await until(async () => told.size > 800);
  isOver = true;
  await Promise.all(writers);
  await trail.close();
  const [entries = []] = (await readChains(place)).values();
  const bySeq = new Map(entries.map(({ op_id, seq }) => [seq, op_id]));
  const lost = [...told].filter(([opId, seq]) => bySeq.get(seq) !== opId);
  t.deepEqual(lost, []);
  t.is(new Set(entries.map(({ op_id }) => op_id)).size, entries.length);
  t.log(`${told.size} told, ${entries.length} there, ${refused} refused`);
});

/** Less than what a call would wait for a primary. */
const AT_ONCE_MS = MONGO.SERVER_SELECTION_MS - 200;

/** Every method once. */
function callsOf(pushes: PushStore): [name: string, call: () => Promise<unknown>][] {
  const record = samplePush({ rfc_id: 'RFC-9' });
  const text = recordText(record);
  const lease = { owner: 'daemon-1', leaseMs: 1 };
  const at = '2026-11-21T12:00:00.000Z';
  const refs = ['refs/heads/main'];
  const narrow = { branch: null, commit_sha: null };
  const baseline = { host: 'hub', sha: null, heads: {}, adopted_at: at };
  return [
    ['acceptPush', () => pushes.acceptPush({ record: text, push: keysOf(record) })],
    ['claimPush', () => claim(pushes)],
    ['takePush', () => pushes.takePush({ ...idOf(record), ...lease, expectedRev: 1 })],
    ['renewPushes', () => pushes.renewPushes({ ...lease, pushes: [idOf(record)] })],
    ['releasePushes', () => pushes.releasePushes({ owner: 'daemon-1' })],
    ['savePush', () => pushes.savePush({ record: text, expectedRev: 0, holdMs: 1 })],
    [
      'supersedePushes',
      () =>
        pushes.supersedePushes({
          tenant_id: 'default',
          by: null,
          at,
          pushes: [{ rfc_id: 'RFC-9', rev: 1 }],
        }),
    ],
    ['adoptBaseline', () => pushes.adoptBaseline({ ...REPO, baseline, event: null })],
    [
      'settleStatus',
      () => pushes.settleStatus({ ...idOf(record), rev: 1, posted: 'x', dueMs: null }),
    ],
    ['acceptedHeads', () => pushes.acceptedHeads({ ...REPO, shas: ['a'] })],
    ['newestAccepted', () => pushes.newestAccepted({ ...REPO, refs })],
    ['findBaseline', () => pushes.findBaseline(REPO)],
    ['oldestPush', () => pushes.oldestPush({ ...REPO, ref: 'refs/heads/main' })],
    ['prodView', () => pushes.prodView({ ...REPO, ...narrow })],
    ['newestPushes', () => pushes.newestPushes({ ...REPO, refs })],
    ['newestPush', () => pushes.newestPush(REPO)],
    ['listPushed', () => pushes.listPushed({ after: null, limit: 1 })],
    ['queueDepth', () => pushes.queueDepth(null)],
    ['dueStatuses', () => pushes.dueStatuses({ host: 'hub', nowMs: 1, limit: 1 })],
  ];
}

test('while nobody is primary every call is UNAVAILABLE at once; then the queue goes on', async (t) => {
  const mongod = await startMongod();
  t.teardown(mongod.stop);
  const { pushes, close } = await openMongo(mongod.url);
  t.teardown(close);
  for (const n of [1, 2, 3]) await pushed(pushes, { rfc_id: `RFC-${n}`, ref: `refs/heads/${n}` });
  t.is(claimedId(await claim(pushes)), 'RFC-1');
  const member = await mongod.primary();
  await member.kill();
  const killed = performance.now();
  const ask = () => pushes.queueDepth(null).then(null, codeOf);
  await until(async () => {
    const start = performance.now();
    const isRefused = (await ask()) === 'UNAVAILABLE' && performance.now() - start < AT_ONCE_MS;
    // A connection that broke fails fast, too: the calls behind it still wait for a primary.
    return isRefused && start - killed > MONGO.SERVER_SELECTION_MS;
  });
  const calls = callsOf(pushes);
  t.deepEqual(calls.map(([name]) => name).sort(), Object.keys(pushes).sort());
  for (const [name, call] of calls) {
    const start = performance.now();
    t.is(await call().then(() => 'answered', codeOf), 'UNAVAILABLE', name);
    t.true(performance.now() - start < AT_ONCE_MS, name);
  }
  await member.start();
  await until(async () => (await ask()) !== 'UNAVAILABLE');
  // What was held is held, what waited waits.
  t.deepEqual([...claimedIds(await claimInTurn(pushes, 9))].sort(), ['RFC-2', 'RFC-3']);
  t.is((await pushes.queueDepth(null)).held, 3);
});

function codeOf(thrown: unknown): string {
  return thrown instanceof CraError ? thrown.code : String(thrown);
}
