import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  PutObjectRetentionCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import test, { type ExecutionContext } from 'ava';
import type { AuditEntry } from '../../src/model/audit.ts';
import type { BucketSettings } from '../../src/store/contract/store.ts';
import { openBucket } from '../../src/store/objects/s3.ts';
import {
  createSealer,
  type SegmentBucket,
  type SegmentEntry,
  verifySegments,
} from '../../src/store/objects/segments.ts';
import { openSqliteAuditSource } from '../../src/store/sqlite/audit-source.ts';
import { until } from '../daemon.ts';
import { hasGo } from '../interop/go-tool.ts';
import { sampleEvent } from '../store/fixtures/decisions.ts';
import { openWriter, temporaryFor } from '../store/sqlite/harness.ts';

const VERSION = 'v1.8.0';
const CALL = { stopReason: () => null };
const HOUR_MS = 3_600_000;
const KEYS = { accessKey: 'segments', secretKey: 'secret-of-segments' };

/** Built once, below the temporary directory. */
function buildGateway(): string {
  const directory = join(tmpdir(), `cra-versitygw-${VERSION}`);
  const program = join(directory, 'versitygw');
  if (existsSync(program)) return program;
  const env = { ...process.env, GOBIN: directory };
  execFileSync('go', ['install', `github.com/versity/versitygw/cmd/versitygw@${VERSION}`], { env });
  return program;
}

interface Gateway {
  settings: BucketSettings;
  client: S3Client;
  root: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

async function openGateway(t: ExecutionContext): Promise<Gateway> {
  const program = buildGateway();
  const directory = temporaryFor(t);
  const [root, versions] = [join(directory, 'root'), join(directory, 'versions')];
  mkdirSync(root);
  mkdirSync(versions);
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  let child: ChildProcess | null = null;
  const credentials = { accessKeyId: KEYS.accessKey, secretAccessKey: KEYS.secretKey };
  const client = new S3Client({
    ...{ endpoint, region: 'us-east-1', credentials, forcePathStyle: true, maxAttempts: 1 },
  });
  const settings: BucketSettings = {
    ...{ bucket: 'trail', endpoint, region: 'us-east-1', ...KEYS, retentionDays: 2 },
  };
  const gateway = {
    ...{ settings, client, root },
    async start() {
      const place = ['posix', '--versioning-dir', versions, root];
      const access = ['--access', KEYS.accessKey, '--secret', KEYS.secretKey];
      child = spawn(program, ['--port', `127.0.0.1:${port}`, ...access, ...place], {
        stdio: 'ignore',
      });
      const answers = () =>
        fetch(endpoint).then(
          () => true,
          () => false,
        );
      await until(answers);
    },
    async stop() {
      const ended = child;
      child = null;
      if (ended === null) return;
      const closed = new Promise((resolve) => ended.once('close', resolve));
      ended.kill('SIGKILL');
      await closed;
    },
  };
  t.teardown(gateway.stop);
  await gateway.start();
  const command = new CreateBucketCommand({ Bucket: 'trail', ObjectLockEnabledForBucket: true });
  await client.send(command);
  return gateway;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

async function segmentsIn(dataDir: string): Promise<SegmentEntry[]> {
  const source = openSqliteAuditSource(dataDir);
  const found: SegmentEntry[] = [];
  for await (const text of source.entriesNamed('segment')) {
    found.push((JSON.parse(text) as AuditEntry).details as unknown as SegmentEntry);
  }
  await source.close();
  return found;
}

/** A daemon's trail whose segments go to the gateway, on a clock that the test moves. */
async function openSealed(t: ExecutionContext) {
  const gateway = await openGateway(t);
  const dataDir = temporaryFor(t);
  const writer = openWriter({ dataDir });
  t.teardown(() => writer.close());
  await writer.gate.check();
  let [count, passedMs] = [0, 0];
  const log = async (entries: number) => {
    for (let n = 0; n < entries; n += 1, count += 1) {
      await writer.trail.appendEvent({ event: sampleEvent(`log-${count}`) }, CALL);
    }
  };
  const bucket = openBucket(gateway.settings);
  t.teardown(bucket.close);
  const sealer = createSealer({
    trail: writer.source,
    bucket,
    append: (event) => writer.trail.appendEvent({ event }, CALL),
    chain: writer.chain,
    retentionDays: 2,
    now: () => Date.now() + passedMs,
    entriesMax: 20,
  });
  const pass = (ms: number) => {
    passedMs += ms;
  };
  return { gateway, dataDir, writer, bucket, sealer, log, pass };
}

test('a sealed segment can be neither deleted nor unlocked; a change in it is found', async (t) => {
  if (!hasGo(t)) return;
  const { gateway, dataDir, writer, bucket, sealer, log } = await openSealed(t);
  await log(50);
  await sealer.round();
  t.like(sealer.state, { state: 'up', behind: 0, problem: null });
  const first = await segmentsIn(dataDir);
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
  t.deepEqual(await verifySegments(writer.source, bucket), {
    segments: 2,
    entries: 40,
    flaw: null,
  });

  const file = join(gateway.root, 'trail', segment.key);
  const bytes = readFileSync(file);
  chmodSync(file, 0o600);
  bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  t.regex((await verifySegments(writer.source, bucket)).flaw ?? '', /its content was changed/);
});

test('segments queue while the object storage is down for an hour, and none is left out', async (t) => {
  if (!hasGo(t)) return;
  const { gateway, dataDir, writer, bucket, sealer, log, pass } = await openSealed(t);
  await log(50);
  await sealer.round();
  await gateway.stop();
  await log(60);
  pass(HOUR_MS + 1);
  await sealer.round();
  t.is(sealer.state.state, 'down');
  t.regex(sealer.state.problem ?? '', /object storage/);
  t.is((await segmentsIn(dataDir)).length, 2);
  await gateway.start();
  await sealer.round();
  t.like(sealer.state, { state: 'up', behind: 0 });
  const all = (await segmentsIn(dataDir)).sort((a, b) => a.first - b.first);
  all.forEach((each, index) => {
    t.is(each.first, (all[index - 1]?.last ?? 0) + 1, 'no gap');
  });
  t.true((all.at(-1)?.last ?? 0) >= 111);
  t.is((await verifySegments(writer.source, bucket)).flaw, null);

  const broken: SegmentBucket = {
    ...bucket,
    put: async () => Promise.reject(new Error('500')),
  };
  const failing = createSealer({
    ...{ trail: writer.source, bucket: broken, chain: writer.chain, retentionDays: 2 },
    append: (event) => writer.trail.appendEvent({ event }, CALL),
    now: () => Date.now() + 3 * HOUR_MS,
  });
  await log(5);
  await failing.round();
  t.is(failing.state.state, 'down');
});
