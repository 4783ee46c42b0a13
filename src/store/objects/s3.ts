import { setImmediate } from 'node:timers/promises';
import {
  GetObjectCommand,
  GetObjectLockConfigurationCommand,
  GetObjectRetentionCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { StoredTrail } from '../../audit/continuity.ts';
import { createRounds } from '../../core/rounds.ts';
import type { AuditEntry, SegmentsState } from '../../model/audit.ts';
import { CraError } from '../../model/errors.ts';
import type { BucketSettings } from '../contract/store.ts';
import {
  createSegmentWriter,
  missing,
  type Part,
  SEGMENTS,
  type SegmentBucket,
  type SegmentWriterOptions,
  segmentIn,
} from './segments.ts';

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
        Bucket,
        Key,
        Body,
        ContentLength: Body.length,
        ContentType: 'application/gzip',
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
  const rounds = createRounds();
  rounds.every(SEGMENTS.ROUND_MS, sealer.round);
  return {
    get state() {
      return sealer.state;
    },
    async close() {
      const stopped = rounds.stop();
      // Requests that hang end with the client; their segments are sealed after the next start.
      bucket.close();
      await stopped;
    },
  };
}

export interface SealerOptions extends SegmentWriterOptions {
  trail: Pick<StoredTrail, 'chains' | 'entriesFrom' | 'entriesNamed'>;
  /** The chain of this daemon. */
  chain: string;
  entriesMax?: number;
}

interface Sealer {
  readonly state: SegmentsState;
  /** Seals what is due. Never rejects: what failed is in `state`, and is tried again next time. */
  round(): Promise<void>;
}

/** Entries that alone make no segment due: sealing writes them itself. */
const OWN_KINDS: ReadonlySet<string> = new Set(['segment', 'checkpoint', 'boot']);

/**
 * Creates the sealer of a trail; nothing is read before the first round. Where a segment begins
 * and ends follows from the entries alone, and so does its key: two daemons that seal the same
 * chain, or a daemon that died between the object storage and the trail, find the segment there.
 */
export function createSealer(options: SealerOptions): Sealer {
  const { trail, chain: own, now } = options;
  let isUp = false;
  const bucket = watched(options.bucket, (hasAnswered) => {
    isUp = hasAnswered;
  });
  const seal = createSegmentWriter({ ...options, bucket });
  const waiting: Part[] = [];
  /** The last entry of each chain that is sealed or waits. */
  const sealedUpTo = new Map<string, number>();
  let othersAtMs = Number.NEGATIVE_INFINITY;
  let known = false;
  let state: SegmentsState = { state: 'down', last_sealed_at: null, behind: 0, problem: null };

  /** Learns what the trail says is sealed: of one chain, or of all. */
  async function learn(ofChain: string | null): Promise<void> {
    const name = ofChain === null ? 'segment' : (`segment:${ofChain}` as const);
    for await (const text of trail.entriesNamed(name)) {
      const { ts, details } = JSON.parse(text) as AuditEntry;
      const { chain, last } = segmentIn(details);
      sealedUpTo.set(chain, Math.max(sealedUpTo.get(chain) ?? 0, last));
      if (ts > (state.last_sealed_at ?? '')) state = { ...state, last_sealed_at: ts };
    }
  }

  /** Adds to `waiting` what has become due in a chain. */
  async function look(chain: string): Promise<void> {
    let isLearnt = chain === own;
    for (;;) {
      const part = await nextPart(options, chain, (sealedUpTo.get(chain) ?? 0) + 1);
      if (part === null) return;
      if (isLearnt) {
        sealedUpTo.set(chain, part.last);
        waiting.push(part);
      } else {
        // Its own daemon, or another one, may have sealed it since.
        await learn(chain);
        isLearnt = true;
      }
      // Other work of the thread goes first.
      await setImmediate();
    }
  }

  function noteSealed(part: Part): void {
    waiting.splice(waiting.indexOf(part), 1);
    state = { ...state, last_sealed_at: new Date(now()).toISOString() };
  }

  return {
    get state() {
      return state;
    },
    async round() {
      const { problems, isDone } = createAttempts();
      await isDone(bucket.probe());
      known ||= await isDone(learn(null));
      const chains = known ? await chainsToLookAt().catch(() => [own]) : [];
      let stuck = 0;
      for (const chain of chains) stuck += Number(!(await isDone(look(chain))));
      const show = () => {
        state = { ...state, behind: waiting.length + stuck };
      };
      show();
      for (const part of isUp ? [...waiting] : []) {
        if (await isDone(seal(part))) noteSealed(part);
        // A part that the trail can not give any more must not hold up the others.
        else if (problems.at(-1)?.code !== 'DATA_LOSS') break;
        show();
      }
      state = { ...state, state: isUp ? 'up' : 'down', problem: problems[0]?.message ?? null };
    },
  };

  async function chainsToLookAt(): Promise<readonly string[]> {
    if (now() - othersAtMs < SEGMENTS.OTHERS_ROUND_MS) return [own];
    const chains = await trail.chains();
    othersAtMs = now();
    return chains;
  }
}

/** Steps of one round, of which each may fail. */
function createAttempts() {
  const problems: CraError[] = [];
  const isDone = (step: Promise<void>) =>
    step.then(
      () => true,
      (thrown) => {
        problems.push(CraError.fromUnknown(thrown));
        return false;
      },
    );
  return { problems, isDone };
}

/** The entries of a chain from `first` on that are due together; null when absent. */
async function nextPart(
  { trail, chain: own, now, entriesMax = SEGMENTS.ENTRIES_MAX }: SealerOptions,
  chain: string,
  first: number,
): Promise<Part | null> {
  const waitMs = SEGMENTS.AGE_MS + (chain === own ? 0 : SEGMENTS.OTHERS_GRACE_MS);
  let last = first - 1;
  let newestMs = 0;
  let oldestMs = null as number | null;
  for await (const text of trail.entriesFrom(chain, first)) {
    const { seq, ts, kind } = JSON.parse(text) as AuditEntry;
    if (seq !== last + 1) throw missing(chain, last + 1);
    const atMs = Date.parse(ts);
    if (oldestMs !== null && atMs > oldestMs + SEGMENTS.AGE_MS) break;
    if (!OWN_KINDS.has(kind)) oldestMs ??= atMs;
    last = seq;
    newestMs = Math.max(newestMs, atMs);
    if (last - first + 1 === entriesMax) return { chain, first, last, newestMs };
  }
  const isDue = oldestMs !== null && oldestMs <= now() - waitMs;
  return isDue ? { chain, first, last, newestMs } : null;
}

/** The same bucket; `onEnd` hears after each call whether it was answered as it should be. */
function watched(bucket: SegmentBucket, onEnd: (hasAnswered: boolean) => void): SegmentBucket {
  const watch =
    <Args extends unknown[], Answer>(call: (...args: Args) => Promise<Answer>) =>
    (...args: Args) =>
      call(...args).then(
        (answer) => {
          onEnd(true);
          return answer;
        },
        (thrown) => {
          onEnd(false);
          throw thrown;
        },
      );
  return {
    put: watch(bucket.put),
    newest: watch(bucket.newest),
    lockOf: watch(bucket.lockOf),
    get: watch(bucket.get),
    probe: watch(bucket.probe),
  };
}
