import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { ExecutionContext } from 'ava';
import type { BucketSettings } from '../../src/store/contract/store.ts';
import { until } from '../daemon.ts';
import { freePort } from '../free-port.ts';
import { temporaryFor } from '../store/sqlite/harness.ts';

const VERSION = 'v1.8.0';
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

/** A real versitygw with the bucket `trail`, which has object lock. */
export interface Gateway {
  settings: BucketSettings;
  client: S3Client;
  root: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function openGateway(t: ExecutionContext): Promise<Gateway> {
  const program = buildGateway();
  const directory = temporaryFor(t);
  const root = join(directory, 'root');
  const versions = join(directory, 'versions');
  mkdirSync(root);
  mkdirSync(versions);
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  let child: ChildProcess | null = null;
  const credentials = { accessKeyId: KEYS.accessKey, secretAccessKey: KEYS.secretKey };
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    credentials,
    forcePathStyle: true,
    maxAttempts: 1,
  });
  const settings: BucketSettings = {
    bucket: 'trail',
    endpoint,
    region: 'us-east-1',
    ...KEYS,
    retentionDays: 2,
  };
  const gateway = {
    settings,
    client,
    root,
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
