import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  PutObjectCommand,
  PutObjectRetentionCommand,
} from '@aws-sdk/client-s3';
import type { ExecutionContext } from 'ava';
import test from 'ava';
import type { AuditEntry, AuditEvent } from '../../src/model/audit.ts';
import type { BucketSettings } from '../../src/store/contract/store.ts';
import { openMongoDriver } from '../../src/store/mongo/store.ts';
import { createSealer, openBucket, type SealerOptions } from '../../src/store/objects/s3.ts';
import {
  SEGMENTS,
  type SegmentBucket,
  type SegmentEntry,
  verifySegments,
} from '../../src/store/objects/segments.ts';
import { request, startDaemonProcess, temporaryDir, until } from '../daemon.ts';
import { hasGo } from '../interop/go-tool.ts';
import { databaseUrl, sharedMongod } from '../mongod/mongod.ts';
import { sampleEvent } from '../store/fixtures/decisions.ts';
import { KEYS as MONGO_KEYS } from '../store/mongo/harness.ts';
import { openWriter, temporaryFor } from '../store/sqlite/harness.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { type Gateway, openGateway } from './versitygw.ts';

const CALL = { stopReason: () => null };
const HOUR_MS = 3_600_000;

/** A trail as a driver has it. */
interface Sealed {
  chain: string;
  source: SealerOptions['trail'];
  append(event: AuditEvent): Promise<unknown>;
}

const SEED = new Uint8Array(32).fill(3);

async function openSqliteTrail(t: ExecutionContext, now: () => number): Promise<Sealed> {
  const writer = openWriter({ dataDir: temporaryFor(t), now });
  t.teardown(() => writer.close());
  await writer.gate.check();
  const append = async (event: AuditEvent) => writer.trail.appendEvent({ event }, CALL);
  return { chain: writer.chain, source: writer.source, append };
}

/** As a daemon of this name has it. */
async function openMongoTrail(
  t: ExecutionContext,
  url: string,
  name: string,
  now: () => number,
): Promise<Sealed> {
  const driver = await openMongoDriver({
    url,
    now,
    instance: name,
    keys: MONGO_KEYS,
    auditUrl: null,
    diffDays: 30,
    dataDir: temporaryFor(t),
    checkpointSeed: SEED,
    version: 'test',
  });
  t.teardown(() => driver.close());
  const append = async (event: AuditEvent) => driver.trail.appendEvent({ event }, CALL);
  return { chain: driver.chain, source: driver.source, append };
}

/** A clock that the test moves. */
function movedClock() {
  let passedMs = 0;
  return {
    now: () => Date.now() + passedMs,
    pass(ms: number) {
      passedMs += ms;
    },
  };
}

/** How long a request may take while the test lets requests fail. */
const FAULTY_MS = 1_500;

/** Segments of 20 entries. */
function sealerOf(t: ExecutionContext, trail: Sealed, settings: BucketSettings, now: () => number) {
  const patient = openBucket(settings);
  const hasty = openBucket(settings, FAULTY_MS);
  t.teardown(patient.close);
  t.teardown(hasty.close);
  let isHasty = false;
  const chosen = () => (isHasty ? hasty : patient);
  const bucket: SegmentBucket = {
    put: (...args) => chosen().put(...args),
    newest: (...args) => chosen().newest(...args),
    lockOf: (...args) => chosen().lockOf(...args),
    get: (...args) => chosen().get(...args),
    probe: () => chosen().probe(),
  };
  const hurry = (isNow: boolean) => {
    isHasty = isNow;
  };
  const sealer = createSealer({
    trail: trail.source,
    append: trail.append,
    chain: trail.chain,
    bucket,
    retentionDays: 2,
    now,
    entriesMax: 20,
  });
  return { bucket, sealer, hurry };
}

let count = 0;

async function log({ append }: Sealed, entries: number): Promise<void> {
  for (let n = 0; n < entries; n += 1, count += 1) await append(sampleEvent(`log-${count}`));
}

/** What the trail says is sealed, by chain and place. */
async function segmentsOf({ source }: Sealed): Promise<SegmentEntry[]> {
  const found: SegmentEntry[] = [];
  for await (const text of source.entriesNamed('segment')) {
    found.push((JSON.parse(text) as AuditEntry).details as unknown as SegmentEntry);
  }
  return found.sort((one, other) => (one.key < other.key ? -1 : 1));
}

/** Each entry up to the last sealed one is in one segment, and each segment is there once. */
async function checkSegments(t: ExecutionContext, trail: Sealed, gateway: Gateway) {
  const segments = await segmentsOf(trail);
  segments.forEach(({ chain, first }, index) => {
    const before = segments[index - 1];
    const follows = before?.chain === chain ? before.last + 1 : 1;
    t.is(first, follows, `chain ${chain}: no gap, and none twice`);
  });
  const listed = await gateway.client.send(new ListObjectVersionsCommand({ Bucket: 'trail' }));
  const versions = (listed.Versions ?? []).map(({ Key, VersionId }) => `${Key} ${VersionId}`);
  const named = segments.map(({ key, version_id }) => `${key} ${version_id}`);
  t.deepEqual(versions.sort(), named.sort(), 'each segment was written once');
  const bucket = openBucket(gateway.settings);
  t.teardown(bucket.close);
  t.is((await verifySegments(trail.source, bucket)).flaw, null);
  return segments;
}

/** A trail on SQLite, whose object storage is behind the proxy. */
async function openFaulty(t: ExecutionContext) {
  const gateway = await openGateway(t);
  const proxy = await startFaultProxy(gateway.settings.endpoint ?? '');
  t.teardown(proxy.close);
  const clock = movedClock();
  const trail = await openSqliteTrail(t, clock.now);
  const settings = { ...gateway.settings, endpoint: proxy.url };
  return { gateway, proxy, trail, clock, ...sealerOf(t, trail, settings, clock.now) };
}

test.serial(
  'a sealed segment can be neither deleted nor unlocked; a change in it is found',
  async (t) => {
    if (!hasGo(t)) return;
    const { gateway, trail, bucket, sealer } = await openFaulty(t);
    t.like(sealer.state, { state: 'down', behind: 0, last_sealed_at: null });
    await log(trail, 50);
    await sealer.round();
    t.like(sealer.state, { state: 'up', behind: 0, problem: null });
    t.regex(sealer.state.last_sealed_at ?? '', /Z$/);
    const first = await checkSegments(t, trail, gateway);
    t.deepEqual(
      first.map(({ first: from, last }) => [from, last]),
      [
        [1, 20],
        [21, 40],
      ],
    );
    const [segment] = first;
    if (segment === undefined) return t.fail();
    const place = { Bucket: 'trail', Key: segment.key, VersionId: segment.version_id };
    await t.throwsAsync(gateway.client.send(new DeleteObjectCommand(place)));
    const sooner = { Mode: 'COMPLIANCE', RetainUntilDate: new Date(Date.now() + 60_000) } as const;
    await t.throwsAsync(
      gateway.client.send(new PutObjectRetentionCommand({ ...place, Retention: sooner })),
    );
    t.deepEqual(await verifySegments(trail.source, bucket), {
      segments: 2,
      entries: 40,
      flaw: null,
    });

    const file = join(gateway.root, 'trail', segment.key);
    const bytes = readFileSync(file);
    chmodSync(file, 0o600);
    bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    t.regex((await verifySegments(trail.source, bucket)).flaw ?? '', /its content was changed/);
  },
);

const FAULTS: [title: string, fault: Parameters<FaultProxy['set']>[0]][] = [
  ['answers 500', 'fail'],
  ['does not answer', 'hang'],
  ['stops in the middle of its answers', 'stall'],
  ['closes connections', 'cut-before'],
  ['does what it is asked and closes the connection', 'cut-after'],
  ['answers, but takes nothing', (method) => (method === 'PUT' ? 'fail' : 'pass')],
  ['takes segments, but does not say so', (method) => (method === 'PUT' ? 'cut-after' : 'pass')],
  ['does not tell its locks', (_, path) => (path.includes('retention') ? 'hang' : 'pass')],
];
for (const [title, fault] of FAULTS) {
  test.serial(`segments wait while the object storage ${title}, and follow in order`, async (t) => {
    if (!hasGo(t)) return;
    const { gateway, proxy, trail, clock, sealer, hurry } = await openFaulty(t);
    await log(trail, 30);
    await sealer.round();
    t.is((await segmentsOf(trail)).length, 1);
    proxy.set(fault);
    hurry(true);
    for (const behind of [1, 3]) {
      await log(trail, 25);
      clock.pass(SEGMENTS.ROUND_MS);
      await sealer.round();
      t.true(sealer.state.behind >= behind - 1 && sealer.state.behind <= behind);
    }
    t.like(sealer.state, { state: 'down', behind: 3 });
    t.regex(sealer.state.problem ?? '', /^the object storage did not /);
    t.is((await segmentsOf(trail)).length, 1);
    proxy.set('pass');
    hurry(false);
    await sealer.round();
    t.like(sealer.state, { state: 'up', behind: 0, problem: null });
    t.is((await checkSegments(t, trail, gateway)).length, 4);
  });
}

test.serial(
  'the object storage is down for an hour: all is sealed in the next round',
  async (t) => {
    if (!hasGo(t)) return;
    const { gateway, trail, clock, sealer } = await openFaulty(t);
    await log(trail, 50);
    await sealer.round();
    await gateway.stop();
    const rounds = HOUR_MS / SEGMENTS.ROUND_MS;
    for (let round = 0; round < rounds; round += 1) {
      if (round < 60) await log(trail, 1);
      clock.pass(SEGMENTS.ROUND_MS);
      // A round of each quarter of an hour: each of them takes its time to fail.
      if (round % (rounds / 4) !== 0) continue;
      await sealer.round();
      t.is(sealer.state.state, 'down');
      t.regex(sealer.state.problem ?? '', /^the object storage did not answer/);
    }
    t.is((await segmentsOf(trail)).length, 2);
    await gateway.start();
    const begun = performance.now();
    await sealer.round();
    const seconds = (performance.now() - begun + SEGMENTS.ROUND_MS) / 1_000;
    t.log(`sealed ${seconds.toFixed(1)} s after its return, the wait for the round included`);
    t.true(seconds < 60);
    t.like(sealer.state, { state: 'up', behind: 0 });
    const all = await checkSegments(t, trail, gateway);
    t.is(all.at(-1)?.last, 100);
  },
);

test.serial(
  'a segment that a daemon locked and did not enter is entered, not written again',
  async (t) => {
    if (!hasGo(t)) return;
    const { gateway, proxy, trail, clock, sealer } = await openFaulty(t);
    await log(trail, 20);
    const refusing: Sealed = { ...trail, append: () => Promise.reject(new Error('no')) };
    const settings = { ...gateway.settings, endpoint: proxy.url };
    const died = sealerOf(t, refusing, settings, clock.now).sealer;
    await died.round();
    t.like(died.state, { state: 'up', behind: 1 });
    t.is((await segmentsOf(trail)).length, 0);
    clock.pass(HOUR_MS);
    await sealer.round();
    const [entered] = await checkSegments(t, trail, gateway);
    t.like(entered, { first: 1, last: 20 });
  },
);

test.serial('what somebody else put under the name of a segment does not count', async (t) => {
  if (!hasGo(t)) return;
  const { gateway, trail, bucket, sealer } = await openFaulty(t);
  await log(trail, 20);
  const Key = `audit/${trail.chain}/000000000001-000000000020.jsonl.gz`;
  await gateway.client.send(new PutObjectCommand({ Bucket: 'trail', Key, Body: 'something' }));
  await sealer.round();
  t.like(sealer.state, { state: 'up', behind: 0, problem: null });
  t.deepEqual(await verifySegments(trail.source, bucket), { segments: 1, entries: 20, flaw: null });
});

test.serial('a bucket without object lock is a problem at once', async (t) => {
  if (!hasGo(t)) return;
  const { gateway, trail, clock } = await openFaulty(t);
  await gateway.client.send(new CreateBucketCommand({ Bucket: 'plain' }));
  const settings = { ...gateway.settings, bucket: 'plain' };
  const { sealer } = sealerOf(t, trail, settings, clock.now);
  await sealer.round();
  t.is(sealer.state.state, 'down');
  t.regex(sealer.state.problem ?? '', /has no object lock/);
});

test.serial(
  'two daemons on one MongoDB seal what a third left behind: each segment once',
  async (t) => {
    if (!hasGo(t)) return;
    const gateway = await openGateway(t);
    const proxy = await startFaultProxy(gateway.settings.endpoint ?? '');
    t.teardown(proxy.close);
    const url = databaseUrl(await sharedMongod());
    const clock = movedClock();
    const gone = await openMongoTrail(t, url, 'daemon-0', clock.now);
    await log(gone, 90);
    const settings = { ...gateway.settings, endpoint: proxy.url };
    const daemons = [];
    for (const name of ['daemon-1', 'daemon-2']) {
      const trail = await openMongoTrail(t, url, name, clock.now);
      daemons.push({ trail, ...sealerOf(t, trail, settings, clock.now) });
    }
    // Now and then an answer is lost, so that one of them takes up what the other one wrote.
    let puts = 0;
    const loseSome = (method: string) => {
      puts += Number(method === 'PUT');
      return method === 'PUT' && puts % 3 === 0 ? 'cut-after' : 'pass';
    };
    proxy.set(loseSome);
    for (let round = 0; round < 12; round += 1) {
      await Promise.all(daemons.map(({ trail }) => log(trail, 15)));
      clock.pass(SEGMENTS.OTHERS_ROUND_MS * 2);
      await Promise.all(daemons.map(({ sealer }) => sealer.round()));
    }
    proxy.set('pass');
    await Promise.all(daemons.map(({ sealer }) => sealer.round()));
    for (const { sealer } of daemons)
      t.like(sealer.state, { state: 'up', behind: 0, problem: null });
    const segments = await checkSegments(t, gone, gateway);
    const last = (chain: string) =>
      segments.filter((each) => each.chain === chain).at(-1)?.last ?? 0;
    t.true(last(gone.chain) >= 91);
    for (const { trail } of daemons) t.true(last(trail.chain) >= 150);
  },
);

test.serial('a daemon reports its segments, and what its object storage lacks', async (t) => {
  if (!hasGo(t)) return;
  const { gateway, proxy } = await openFaulty(t);
  const daemon = await startDaemonProcess(t, temporaryDir(t), {
    SERVICE_SEGMENTS_BUCKET: 'trail',
    SERVICE_SEGMENTS_ENDPOINT: proxy.url,
    SERVICE_SEGMENTS_ACCESS_KEY: gateway.settings.accessKey,
    SERVICE_SEGMENTS_SECRET_KEY: gateway.settings.secretKey,
  });
  const url = `${daemon.url}/dispatcher/status`;
  const storage = async () => (await request(url)).body.data.object_storage;
  await until(async () => (await storage()).state === 'up');
  t.deepEqual(await storage(), { state: 'up', last_sealed_at: null, behind: 0, problem: null });
  const scraped = await (await fetch(url, { headers: { accept: 'text/plain' } })).text();
  t.regex(scraped, /^cra_objectstore_up 1$/m);
  t.regex(scraped, /^cra_audit_segments_waiting 0$/m);
  t.regex(scraped, /^cra_audit_last_sealed_timestamp_seconds 0$/m);
  t.notRegex(daemon.errors(), /AWS SDK/);
});
