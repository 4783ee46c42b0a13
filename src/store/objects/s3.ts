import {
  GetObjectCommand,
  GetObjectRetentionCommand,
  HeadBucketCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { CraError } from '../../model/errors.ts';
import type { BucketSettings } from '../contract/store.ts';
import {
  createSealer,
  SEGMENTS,
  type Sealer,
  type SealerOptions,
  type SegmentBucket,
} from './segments.ts';

/** One request, its answer included. */
const REQUEST_MS = 10_000;
const ATTEMPTS_MAX = 2;

/** A bucket behind the S3 API. Errors name what failed, never a key of the account. */
export function openBucket(settings: BucketSettings): SegmentBucket & { close(): void } {
  const { bucket: Bucket, endpoint, region, accessKey, secretKey } = settings;
  const client = new S3Client({
    region,
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    maxAttempts: ATTEMPTS_MAX,
    // A segment is compared with the hash that the trail has.
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const bounded = () => ({ abortSignal: AbortSignal.timeout(REQUEST_MS) });

  async function call<Output>(what: string, request: Promise<Output>): Promise<Output> {
    try {
      return await request;
    } catch (thrown) {
      const { name } = thrown as Error;
      const message = `the object storage did not ${what} (${name})`;
      throw new CraError('UNAVAILABLE', message, { cause: thrown });
    }
  }

  return {
    async put(Key, Body, until) {
      const command = new PutObjectCommand({
        ...{ Bucket, Key, Body, ContentLength: Body.length, ContentType: 'application/gzip' },
        ObjectLockMode: 'COMPLIANCE',
        ObjectLockRetainUntilDate: until,
      });
      const { VersionId } = await call('take a segment', client.send(command, bounded()));
      if (VersionId !== undefined) return VersionId;
      const message = 'the bucket of the segments has no versions: make it with object lock';
      throw new CraError('FAILED_PRECONDITION', message);
    },
    async lockOf(Key, VersionId) {
      const command = new GetObjectRetentionCommand({ Bucket, Key, VersionId });
      const { Retention } = await call(
        'tell the lock of a segment',
        client.send(command, bounded()),
      );
      const { Mode: mode, RetainUntilDate: until } = Retention ?? {};
      return mode === undefined || until === undefined ? null : { mode, until };
    },
    async get(Key, VersionId) {
      const command = new GetObjectCommand({ Bucket, Key, VersionId });
      const { Body } = await call('give a segment', client.send(command, bounded()));
      return await call(
        'give a segment',
        Body?.transformToByteArray() ?? Promise.resolve(new Uint8Array()),
      );
    },
    async probe() {
      await call('answer', client.send(new HeadBucketCommand({ Bucket }), bounded()));
    },
    close: () => client.destroy(),
  };
}

/** Seals the trail of this daemon round after round, until it is closed. */
export function startSealing(
  settings: BucketSettings,
  options: Pick<SealerOptions, 'trail' | 'append' | 'chain'>,
): Pick<Sealer, 'state'> & { close(): Promise<void> } {
  const bucket = openBucket(settings);
  const { retentionDays } = settings;
  const sealer = createSealer({ ...options, bucket, retentionDays, now: Date.now });
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const next = () => {
    running = sealer.round().then(() => {
      if (!isClosed) timer = setTimeout(next, SEGMENTS.ROUND_MS).unref();
    });
  };
  next();
  return {
    get state() {
      return sealer.state;
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      // Requests that hang end with the client; their segments are sealed after the next start.
      bucket.close();
      await running;
    },
  };
}
