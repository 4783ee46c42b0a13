import {
  type AnyBulkWriteOperation,
  type ClientSession,
  type Collection,
  type Db,
  type Document,
  MongoBulkWriteError,
  type MongoClient,
  MongoError,
  MongoNetworkError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  type Timestamp,
} from 'mongodb';
import { createBatcher } from '../../core/batcher.ts';
import { CraError } from '../../model/errors.ts';
import { FAILURES, type Failure } from '../errors.ts';
import { MONGO, MONGO_TRAIL, STORE } from '../limits.ts';
import type { MetaDocument } from './documents.ts';

/** Bounds of a group commit, and of reads that are grouped. */
export const BATCHES = {
  batchMax: STORE.BATCH_MAX,
  batchBytesMax: STORE.BATCH_BYTES_MAX,
  pendingMax: STORE.PENDING_MAX,
} as const;

/**
 * By whom a write is confirmed: a majority, in their journals, which is durable; or the primary
 * alone, which is visible to the next write and durable when a later one of its term is.
 */
export type Confirmation = 'majority' | 'primary';

/**
 * Runs operations in any order. Resolves with the codes of operations that failed alone, by index.
 * Rejects when nothing is known of any: the connection was lost, or the majority did not confirm.
 */
export async function writeApart<Of extends Document>(
  collection: Collection<Of>,
  operations: readonly AnyBulkWriteOperation<Of>[],
  confirmation: Confirmation = 'majority',
): Promise<Map<number, number | undefined>> {
  try {
    const writeConcern = confirmation === 'primary' ? { writeConcern: { w: 1 } } : {};
    await bounded(collection.bulkWrite(operations, { ordered: false, ...writeConcern }));
    return new Map();
  } catch (thrown) {
    const errors = thrown instanceof MongoBulkWriteError ? [thrown.writeErrors].flat() : [];
    const isConfirmed =
      thrown instanceof MongoBulkWriteError && thrown.result.getWriteConcernError() === undefined;
    if (errors.length === 0 || !isConfirmed) throw fromMongo(thrown);
    return new Map(errors.map(({ index, code }) => [index, code]));
  }
}

/**
 * Gives an operation up that never ends. The driver has a gap: it waits for the `drain` of a
 * socket that was destroyed just before it wrote to it (Connection.writeCommand, seen with 7.8.0
 * when a server is killed), and no timeout of its own ends that. A caller that lets others wait for
 * an operation bounds it, so that one lost answer does not stop them all. UNAVAILABLE: it may have
 * happened.
 */
export async function bounded<Output>(
  operation: Promise<Output>,
  ms: number = MONGO.HUNG_MS,
): Promise<Output> {
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new CraError('UNAVAILABLE', 'the database of the store does not answer'));
    }, ms);
  });
  try {
    return await Promise.race([operation, hung]);
  } finally {
    clearTimeout(timer);
  }
}

/** What is counted is neither lost nor read before it is safe. */
const TRANSACTION = {
  readConcern: { level: 'snapshot' },
  readPreference: 'primary',
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: MONGO.OPERATION_MS },
} as const;

/**
 * Runs a transaction, which reads what it compares: of two that change one document at the same
 * time the server lets one win, and the other runs again on what it finds then. UNAVAILABLE after
 * `ms`: it may have happened.
 */
export function transact<Output>(
  client: MongoClient,
  run: (session: ClientSession) => Promise<Output>,
  ms: number = MONGO.HUNG_MS,
): Promise<Output> {
  const transaction = client.withSession((session) =>
    session.withTransaction(() => run(session), TRANSACTION),
  );
  return bounded(transaction, ms);
}

/** A collection whose writes a majority has in its journals, and whose reads are the majority's. */
export function durable<Of extends Document>(database: Db, name: string): Collection<Of> {
  return database.collection<Of>(name, {
    writeConcern: { w: 'majority', j: true, wtimeoutMS: MONGO_TRAIL.ATTEMPT_MS },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
  });
}

/** What makes a read a fresh one: options of `find` and `findOne`. */
export interface Fresh {
  session: ClientSession;
  readConcern: { level: 'snapshot' };
}

/** Runs reads that see whatever was acknowledged before; each of them is given its options. */
export type FreshRead = <Output>(read: (fresh: Fresh) => Promise<Output>) => Promise<Output>;

/**
 * Reads that neither miss what was acknowledged nor see what is rolled back. Right after an
 * election "majority" alone may lie before a verdict, and before the rejection that revoked it.
 * So a small write goes first: when a majority confirmed it, it has all that stood before it, and
 * the reads wait for its time ("causal consistency"), whichever server is primary by then.
 * "linearizable" promises the same of one document, with such a write behind each read; but it
 * waits for the next flush of the journal, which took 100 ms on an idle server where this took 4,
 * and here one write serves every read of a call, and all calls that come while another one runs.
 *
 * Each read is of one moment ("snapshot"). With "majority" a scan that lets writes through in
 * between goes on with what there is then: a record whose change of status moved it within the
 * index, from what is to come to what was read, is in neither. The newest RFC, BLOCKED just now,
 * would be missed, and an older RFC that PASSED taken for it.
 */
export function createFreshRead(db: Db): FreshRead {
  const { client } = db;
  const meta = db.collection<MetaDocument>('meta');
  const barrier = createBatcher<null, Timestamp | undefined>({
    async commit(batch) {
      const passing = client.withSession(async (session) => {
        await passBarrier(meta, session);
        return session.operationTime;
      });
      const at = await bounded(passing).catch((thrown: unknown) => {
        throw fromMongo(thrown);
      });
      return batch.map(() => ({ ok: true, value: at }));
    },
    weigh: () => 0,
    ...BATCHES,
    batchMax: STORE.PENDING_MAX,
  });

  return async (read) => {
    for (let tries = 1; ; tries += 1) {
      const at = await barrier.submit(null, null);
      try {
        return await client.withSession({ causalConsistency: true }, (session) => {
          if (at !== undefined) session.advanceOperationTime(at);
          return read({ session, readConcern: { level: 'snapshot' } });
        });
      } catch (thrown) {
        if (tries === SNAPSHOT_TRIES || !isGoneSnapshot(thrown)) throw thrown;
      }
    }
  };
}

const SNAPSHOT_TRIES = 3;

/** The server keeps the moment of the read no more, or not yet: SnapshotTooOld and -Unavailable. */
function isGoneSnapshot(thrown: unknown): boolean {
  const { cause = thrown } = thrown as { cause?: unknown };
  return cause instanceof MongoServerError && (cause.code === 239 || cause.code === 246);
}

/** A write that a majority confirms, and with it whatever the primary took before. */
export async function passBarrier(
  meta: Collection<MetaDocument>,
  session?: ClientSession,
): Promise<void> {
  const options = session === undefined ? {} : { session };
  // It must change something: else nothing is written, and a former primary might confirm it.
  const passed = { $add: [{ $ifNull: ['$passed', 0] }, 1] };
  await meta.updateOne({ _id: 'barrier' }, [{ $set: { passed } }], { upsert: true, ...options });
}

/** Runs `step` on `size` items at a time, one part after the other. */
export async function inParts<Item>(
  items: readonly Item[],
  size: number,
  step: (part: Item[]) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < items.length; at += size) await step(items.slice(at, at + size));
}

/** What `find` finds for each item, in order; `size` at a time, so that others get through. */
export async function findEach<Item, Found>(
  items: readonly Item[],
  size: number,
  find: (item: Item) => Promise<Found | null>,
): Promise<Found[]> {
  const found: Found[] = [];
  await inParts(items, size, async (part) => {
    const each = await Promise.all(part.map(find));
    found.push(...each.filter((one) => one !== null));
  });
  return found;
}

/** Inserts documents durably; a document whose id or unique key is there stays as it is. */
export async function insertMissing<Of extends Document>(
  collection: Collection<Of>,
  documents: readonly Document[],
): Promise<void> {
  if (documents.length === 0) return;
  const operations = documents.map((document) => ({ insertOne: { document: document as never } }));
  const failed = await writeApart(collection, operations);
  for (const code of failed.values()) if (code !== DUPLICATE_KEY) throw fromCode(code);
}

/**
 * Causes by the codes of the server (https://www.mongodb.com/docs/manual/reference/error-codes/).
 */
const CAUSES = new Map<number, Failure>([
  [6, FAILURES.unreachable],
  [7, FAILURES.unreachable],
  [89, FAILURES.unreachable],
  [9001, FAILURES.unreachable],
  [91, FAILURES.noPrimary],
  [133, FAILURES.noPrimary],
  [134, FAILURES.noPrimary],
  [189, FAILURES.noPrimary],
  [10058, FAILURES.noPrimary],
  [10107, FAILURES.noPrimary],
  [11600, FAILURES.noPrimary],
  [11602, FAILURES.noPrimary],
  [13435, FAILURES.noPrimary],
  [13436, FAILURES.noPrimary],
  [50, FAILURES.slow],
  [64, FAILURES.slow],
  [79, FAILURES.slow],
  [100, FAILURES.slow],
  [202, FAILURES.slow],
  // A read that lasted longer than the server keeps what it reads from.
  [239, FAILURES.slow],
  [246, FAILURES.slow],
  [262, FAILURES.slow],
  [11, FAILURES.refused],
  [13, FAILURES.refused],
  [18, FAILURES.refused],
  [391, FAILURES.refused],
  [146, FAILURES.outOfMemory],
  [14031, FAILURES.diskFull],
  [10334, FAILURES.tooLarge],
  [11000, FAILURES.taken],
]);

/** Maps an error of the driver to the error that callers of the store get. */
export function fromMongo(thrown: unknown): CraError {
  if (thrown instanceof CraError) return thrown;
  const cause = causeOf(thrown);
  return cause === null
    ? CraError.fromUnknown(thrown)
    : new CraError(cause[0], cause[1], { cause: thrown });
}

/** The error of one operation of a bulk write, by its code. */
export function fromCode(code: number | undefined): CraError {
  const [status, message] = CAUSES.get(code ?? 0) ?? FAILURES.failed;
  return new CraError(status, message);
}

function causeOf(thrown: unknown): Failure | null {
  if (isSystemError(thrown)) return FAILURES.unreachable;
  if (!(thrown instanceof MongoError)) return null;
  if (thrown instanceof MongoOperationTimeoutError) return FAILURES.slow;
  if (thrown instanceof MongoNetworkError || thrown instanceof MongoServerSelectionError) {
    return FAILURES.unreachable;
  }
  const known = CAUSES.get(Number(thrown.code));
  if (known !== undefined) return known;
  // A bulk write wraps whatever the driver itself threw, and only keeps its message.
  if (thrown instanceof MongoBulkWriteError && thrown.code === undefined)
    return FAILURES.unreachable;
  if (thrown instanceof MongoServerError) return FAILURES.failed;
  return FAILURES.unreachable;
}

/** A socket that broke while it was written to (EPIPE), which the driver lets through as it is. */
function isSystemError(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || thrown instanceof MongoError || !('code' in thrown))
    return false;
  return typeof thrown.code === 'string' && /^E[A-Z]+$/.test(thrown.code);
}

/**
 * The error of a store that could not be opened, for its operator; `place` has no user and no
 * password.
 */
export function fromConnecting(place: string, thrown: unknown): CraError {
  if (thrown instanceof CraError) return thrown;
  const { code, message } = fromMongo(thrown);
  const isRefused = message === FAILURES.refused[1];
  const advice = isRefused
    ? 'check user, password, authSource and roles in SERVICE_STORE_URL'
    : 'check that it runs and that SERVICE_STORE_URL names it';
  const reason = isRefused ? 'it refuses the user' : operatorReason(thrown);
  return new CraError(
    isRefused ? 'FAILED_PRECONDITION' : code,
    `the MongoDB at ${place} cannot be used (${reason}): ${advice}`,
  );
}

/** The first line of the driver's message, such as `connect ECONNREFUSED 127.0.0.1:27017`. */
function operatorReason(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  // Names of hosts only; should anything of the form of a URL ever stand there, it is cut.
  return (message.split('\n')[0] ?? '').replace(/\S*:\/\/\S*/g, '...').slice(0, 200);
}

/** https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml */
const BAD_VALUE = 2;
const UNAUTHORIZED = 13;
const AUTHENTICATION_FAILED = 18;
const NAMESPACE_NOT_FOUND = 26;
const INDEX_NOT_FOUND = 27;
const NAMESPACE_EXISTS = 48;
const INDEX_OPTIONS_CONFLICT = 85;
/** A write met a unique key. */
export const DUPLICATE_KEY = 11_000;

/** The server refused: the user has no privilege for it. */
export function isUnauthorized(thrown: unknown): boolean {
  return codeOf(thrown) === UNAUTHORIZED;
}

/** The collection does not exist, or it lacks the index that a hint names. */
export function isMissing(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code === NAMESPACE_NOT_FOUND || code === BAD_VALUE;
}

/** No index of the collection has the name. */
export function isIndexMissing(thrown: unknown): boolean {
  return codeOf(thrown) === INDEX_NOT_FOUND;
}

/** The collection has the index, but it keeps documents for another time. */
export function isIndexConflict(thrown: unknown): boolean {
  return codeOf(thrown) === INDEX_OPTIONS_CONFLICT;
}

/** The collection exists already. */
export function isPresent(thrown: unknown): boolean {
  return codeOf(thrown) === NAMESPACE_EXISTS;
}

/** A unique index holds the key already. */
export function isDuplicate(thrown: unknown): boolean {
  return codeOf(thrown) === DUPLICATE_KEY;
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof MongoServerError ? thrown.code : undefined;
}

/** Why the server did not do it, for the operator: a few words, no address and no query. */
export function reasonOf(thrown: unknown): string {
  const code = codeOf(thrown);
  if (code === UNAUTHORIZED) return 'the user lacks the privilege';
  if (code === AUTHENTICATION_FAILED) return 'user or password is wrong';
  if (thrown instanceof MongoServerError) return `${thrown.codeName ?? 'error'} (${thrown.code})`;
  if (thrown instanceof MongoError) return thrown.name;
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** A read of the trail or the records that failed, as callers get it. */
export function readFailure(thrown: unknown): CraError {
  if (thrown instanceof CraError) return thrown;
  if (!(thrown instanceof MongoError)) return CraError.fromUnknown(thrown);
  return new CraError('UNAVAILABLE', `the database does not answer: ${reasonOf(thrown)}`, {
    cause: thrown,
  });
}

/** Throws it. */
export function failRead(thrown: unknown): never {
  throw readFailure(thrown);
}

/** The items by `size` at a time; what reading them throws is a failed read. */
export async function* batchesOf<Item>(
  items: AsyncIterable<Item>,
  size: number,
): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  try {
    for await (const item of items) {
      batch.push(item);
      if (batch.length < size) continue;
      yield batch;
      batch = [];
    }
  } catch (thrown) {
    failRead(thrown);
  }
  if (batch.length > 0) yield batch;
}
