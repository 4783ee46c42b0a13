import {
  GetObjectCommand,
  GetObjectLockConfigurationCommand,
  GetObjectRetentionCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { CraError } from '../../model/errors.ts';
import type { BucketSettings } from '../contract/store.ts';
import { createSealer, type Sealer, type SealerOptions } from './segment-sealer.ts';
import { SEGMENTS, type SegmentBucket } from './segments.ts';

const REQUEST_MS = 10_000;
const ATTEMPTS_MAX = 2;

/**
 * A bucket behind the S3 API. Errors name what failed, never a key of the account. `requestMs`: how
 * long one request may take with its answer.
 */
export function openBucket(
  settings: BucketSettings,
  requestMs = REQUEST_MS,
): SegmentBucket & { close(): void } {
  const { bucket: Bucket, endpoint, region, accessKey, secretKey } = settings;
  const client = new S3Client({
    region,
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    maxAttempts: ATTEMPTS_MAX,
    // A segment is compared with the hash that the trail has.
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const bounded = () => ({ abortSignal: AbortSignal.timeout(requestMs) });

  async function call<Output>(what: string, request: Promise<Output>): Promise<Output> {
    try {
      return await request;
    } catch (thrown) {
      const { name } = thrown as Error;
      if (name === NO_LOCKS) throw withoutLocks();
      const reason = name === 'AbortError' ? `within ${requestMs / 1_000} s` : `(${name})`;
      const message = `the object storage did not ${what} ${reason}`;
      throw new CraError('UNAVAILABLE', message, { cause: thrown });
    }
  }

  return {
    async put(Key, Body, until, isNew) {
      const command = new PutObjectCommand({
        ...{ Bucket, Key, Body, ContentLength: Body.length, ContentType: 'application/gzip' },
        ...(isNew ? { IfNoneMatch: '*' } : {}),
        ObjectLockMode: 'COMPLIANCE',
        ObjectLockRetainUntilDate: until,
      });
      const sent = client.send(command, bounded()).catch((thrown: Error) => {
        if (isNew && thrown.name === 'PreconditionFailed') return null;
        throw thrown;
      });
      const made = await call('accept a segment', sent);
      if (made === null) return null;
      if (made.VersionId !== undefined) return made.VersionId;
      throw withoutLocks();
    },
    async newest(Key) {
      const head = client.send(new HeadObjectCommand({ Bucket, Key }), bounded());
      return (await call('return the version of a segment', head)).VersionId ?? null;
    },
    async lockOf(Key, VersionId) {
      const command = new GetObjectRetentionCommand({ Bucket, Key, VersionId });
      const sent = client.send(command, bounded()).catch((thrown: Error) => {
        if (thrown.name === NOT_LOCKED) return null;
        throw thrown;
      });
      const answer = await call('return the lock of a segment', sent);
      const { Mode: mode, RetainUntilDate: until } = answer?.Retention ?? {};
      return mode === undefined || until === undefined ? null : { mode, until };
    },
    async get(Key, VersionId) {
      const command = new GetObjectCommand({ Bucket, Key, VersionId });
      const { Body } = await call('return a segment', client.send(command, bounded()));
      return await call(
        'return a segment',
        Body?.transformToByteArray() ?? Promise.resolve(new Uint8Array()),
      );
    },
    async probe() {
      const command = new GetObjectLockConfigurationCommand({ Bucket });
      const { ObjectLockConfiguration } = await call('answer', client.send(command, bounded()));
      if (ObjectLockConfiguration?.ObjectLockEnabled !== 'Enabled') throw withoutLocks();
    },
    close: () => client.destroy(),
  };
}

/** The error about a version that has no lock, and about a bucket that has no object lock. */
const NOT_LOCKED = 'NoSuchObjectLockConfiguration';
const NO_LOCKS = 'ObjectLockConfigurationNotFoundError';

function withoutLocks(): CraError {
  const message = 'the bucket of the segments has no object lock: use a bucket with object lock';
  return new CraError('FAILED_PRECONDITION', message);
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
