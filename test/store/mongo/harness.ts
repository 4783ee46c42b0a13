import { createHash } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import { STORE } from '../../../src/limits.ts';
import { createMongoStore, type MongoStore } from '../../../src/store/mongo/store.ts';
import type { Store } from '../../../src/store/store.ts';
import { databaseUrl, sharedMongod } from '../../mongod/mongod.ts';
import type { Harness } from '../conformance/steps.ts';
import { connectStore } from '../in-process.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export const KEYS = { seal: hashOf('seal'), fingerprint: hashOf('fingerprint') };

export interface OpenedMongo extends MongoStore {
  store: Store;
}

/** The MongoDB driver as a daemon named `instance` runs it, behind the carrier of one thread. */
export async function openMongo(
  url: string,
  now: () => number = Date.now,
  instance = 'daemon-1',
): Promise<OpenedMongo> {
  const opened = await createMongoStore({ url, now, instance, keys: KEYS });
  return { ...opened, store: connectStore(opened.records, opened.records) };
}

/** The same on an empty database of the shared mongod, closed and dropped after the test. */
export async function openTemporary(t: ExecutionContext): Promise<OpenedMongo> {
  const opened = await openMongo(databaseUrl(await sharedMongod()));
  t.teardown(() => drop(opened));
  return opened;
}

/** The MongoDB driver for the conformance suite. */
export async function openHarness(now: () => number): Promise<Harness> {
  const url = databaseUrl(await sharedMongod());
  let opened = await openMongo(url, now);
  return {
    get store() {
      return opened.store;
    },
    async reopen() {
      await opened.close();
      opened = await openMongo(url, now);
    },
    // In production the server does so, by the index "retention".
    async pruneDiffs(nowMs) {
      const oldest = new Date(nowMs - STORE.DIFF_RETENTION_DAYS * DAY_MS);
      const { diffs } = opened.connection.collections;
      return (await diffs.deleteMany({ written_at: { $lt: oldest } })).deletedCount;
    },
    close: () => drop(opened),
  };
}

async function drop(opened: MongoStore): Promise<void> {
  await opened.connection.db.dropDatabase();
  await opened.close();
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
