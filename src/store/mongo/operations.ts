import {
  type AnyBulkWriteOperation,
  type ClientSession,
  type Collection,
  type Db,
  type Document,
  MongoBulkWriteError,
  MongoServerError,
  type Timestamp,
} from 'mongodb';
import { createBatcher } from '../../core/batcher.ts';
import { CraError } from '../../model/errors.ts';
import { STORE } from '../contract/limits.ts';
import type { MetaDocument } from './documents.ts';
import { fromCode, fromMongo } from './errors.ts';
import { MONGO } from './limits.ts';

/**
 * By whom a write is confirmed: a majority, in their journals, which is durable; or the primary
 * alone, which is visible to the next write and durable when a later one of its term is.
 */
export type Confirmation = 'majority' | 'primary';

/**
 * Runs operations in any order. Resolves with the codes of those that
 * failed alone, by index. Rejects when nothing is known of any: the connection was lost, or the
 * majority did not confirm.
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

/** Code of the server for a write that met a unique key. */
export const DUPLICATE_KEY = 11_000;

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

/** What makes a read a fresh one: options of `find` and `findOne`. */
export interface Fresh {
  session: ClientSession;
  readConcern: { level: 'snapshot' };
}

/** Runs reads that see whatever was acknowledged before; each of them is given its options. */
export type FreshRead = <Output>(read: (fresh: Fresh) => Promise<Output>) => Promise<Output>;

/**
 * Reads that neither miss what was acknowledged nor see what is rolled back. Right after an
 * election "majority" alone may lie before a verdict, and before the rejection that took it back.
 * So a small write goes first: when a majority confirmed it, it has all that stood before it, and
 * the reads wait for its time ("causal consistency"), whichever server is primary by then.
 * "linearizable" promises the same of one document, with such a write behind each read; but it
 * waits for the next flush of the journal, which took 100 ms on an idle server where this took 4,
 * and here one write serves every read of a call, and all calls that come while another one runs.
 *
 * Each read is of one moment ("snapshot"). With "majority" a scan that lets writes through in
 * between goes on with what there is then: a record whose change of status moved it within the
 * index, from what is to come to what was read, is in neither. The newest RFC, BLOCKED just now,
 * would be missed, and an older one that PASSED taken for it.
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
    batchMax: STORE.PENDING_MAX,
    batchBytesMax: STORE.BATCH_BYTES_MAX,
    pendingMax: STORE.PENDING_MAX,
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

/** Inserts documents durably; one whose id or unique key is there stays as it is. */
export async function insertMissing<Of extends Document>(
  collection: Collection<Of>,
  documents: readonly Document[],
): Promise<void> {
  if (documents.length === 0) return;
  const operations = documents.map((document) => ({ insertOne: { document: document as never } }));
  const failed = await writeApart(collection, operations);
  for (const code of failed.values()) if (code !== DUPLICATE_KEY) throw fromCode(code);
}
