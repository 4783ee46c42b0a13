import type { Batcher } from '../../core/batcher.ts';
import { STORE } from '../../limits.ts';
import type { RecordsReader, RecordsWriter } from '../contract/records.ts';
import { agree, type KeyHashes } from './agreement.ts';
import { bounded } from './bounded.ts';
import {
  connectMongo,
  createRunningCalls,
  type MongoConnection,
  type Track,
} from './connection.ts';
import { fromMongo } from './errors.ts';
import { createInsertBatcher, type Insert, type Inserted } from './insert-batcher.ts';
import { createRecordsReader, createRecordsWriter } from './records.ts';
import { ensureIndexes } from './schema.ts';

export interface MongoStoreOptions {
  /** `mongodb://` or `mongodb+srv://`; may hold a password. */
  url: string;
  /** Ms since the epoch. */
  now: () => number;
  /** The name of this daemon, the same after a restart: its DRAFTs are known by it. */
  instance: string;
  keys: KeyHashes;
}

/** The MongoDB driver: both halves on one connection pool. */
export interface MongoStore {
  records: RecordsWriter & RecordsReader;
  connection: MongoConnection;
  /** Group commit of all new records, for the pushes, too. */
  inserts: Batcher<Insert, Inserted>;
  track: Track;
  /** Refuses new writes; resolves when those that run are settled. */
  drained(): Promise<void>;
  /** Settles the writes that wait, then disconnects. */
  close(): Promise<void>;
}

/**
 * Connects, agrees with the other daemons of the store, and creates the indexes that are missing.
 * Rejects as `connectMongo` and `agree` do.
 */
export async function createMongoStore(options: MongoStoreOptions): Promise<MongoStore> {
  const { instance, now } = options;
  const connection = await connectMongo(options.url);
  try {
    await agree(connection.collections.meta, options.keys);
    await ensureIndexes(connection.collections);
  } catch (thrown) {
    await connection.close();
    throw thrown;
  }
  const { track, drained } = createRunningCalls();
  const inserts = createInsertBatcher(connection);
  const writer = createRecordsWriter({ connection, inserts, track, instance, now });
  const reader = createRecordsReader(connection.collections, instance);
  return {
    records: whenReachable(connection, { ...writer, ...reader }),
    connection,
    inserts,
    track,
    drained,
    async close() {
      await drained();
      await connection.close();
    },
  };
}

/**
 * The same methods of a driver; each first requires a primary, and rejects with
 * UNAVAILABLE when there is no answer in `answerMs`: its write may have happened then. All other
 * errors become a CraError.
 */
export function whenReachable<Methods extends object>(
  { requirePrimary }: Pick<MongoConnection, 'requirePrimary'>,
  methods: Methods,
  answerMs: number = STORE.ANSWER_MS,
): Methods {
  const entries = Object.entries(methods).map(([name, method]) => [
    name,
    async (input: unknown, call: unknown) => {
      requirePrimary();
      try {
        return await bounded(method(input, call), answerMs);
      } catch (thrown) {
        throw fromMongo(thrown);
      }
    },
  ]);
  return Object.fromEntries(entries) as Methods;
}
