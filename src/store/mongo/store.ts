import { createCheckpointSigner } from '../../audit/checkpoint.ts';
import type { StoreDriver } from '../contract/store.ts';
import { keepNote, readKeptNote } from '../trail.ts';
import { defaultAuditUrl } from './audit-connection.ts';
import { whenReachable } from './database.ts';
import { createMongoTrail, type MongoTrail, type MongoTrailOptions } from './open-trail.ts';
import { createMongoPushes } from './pushes/pushes.ts';
import { createMongoStore, type MongoStore, type MongoStoreOptions } from './records.ts';
import { createReviewService } from './reviews.ts';
import { createRulebookReader, rulesCollection } from './rulebook.ts';
import { createSessionService } from './sessions.ts';
import { createTaskService } from './tasks.ts';
import { createUsageService } from './usage.ts';

export interface MongoDriverOptions extends MongoStoreOptions {
  /** Of the trail; null: the servers and the user of the records. */
  auditUrl: string | null;
  /** Where the newest checkpoint is kept as a file. */
  dataDir: string;
  /** Ed25519 seed of the trail's checkpoints, 32 bytes. */
  checkpointSeed: Uint8Array;
  /** Of the daemon: the trail says which one wrote it. */
  version: string;
  /** Bounds and hooks that tests set. */
  trail?: Partial<MongoTrailOptions>;
}

/** All services of the store, for one daemon on MongoDB. */
export interface MongoDriver extends StoreDriver {
  store: MongoStore;
  acceptGap: MongoTrail['acceptGap'];
  source: MongoTrail['source'];
  chain: string;
  /** Settles what waits, signs the end of the trail, disconnects. */
  close(): Promise<void>;
}

/**
 * Opens all of them. Rejects as `createMongoStore` and `createMongoTrail` do; nothing is left open
 * then.
 */
export async function openMongoDriver(options: MongoDriverOptions): Promise<MongoDriver> {
  const { url, now, instance, dataDir, version } = options;
  const store = await createMongoStore(options);
  const { connection } = store;
  const { db, collections } = connection;
  try {
    const trail = await createMongoTrail({
      records: db,
      auditUrl: options.auditUrl ?? defaultAuditUrl(url, db.databaseName),
      signer: createCheckpointSigner(options.checkpointSeed),
      version,
      instance,
      clock: { now, mono: () => performance.now() },
      keptNote: readKeptNote(dataDir),
      onNote: (note) => keepNote(dataDir, note),
      ...options.trail,
    });
    const usage = createUsageService(db.client, collections);
    const reviews = createReviewService({ client: db.client, ...collections });
    return {
      store,
      acceptGap: trail.acceptGap,
      source: trail.source,
      chain: trail.chain,
      records: store.records,
      pushes: createMongoPushes({ store, trail, instance, now }),
      trail: { ...trail.writer, ...trail.reader },
      tasks: whenReachable(connection, createTaskService(collections)),
      usage: whenReachable(connection, usage.methods),
      reviews: whenReachable(connection, reviews.methods),
      rulebook: {
        ...whenReachable(connection, createRulebookReader(rulesCollection(db))),
        // Its UNAVAILABLE says that nothing was changed, so it has bounds of its own.
        addRules: async (input, call) => {
          connection.requirePrimary();
          return await trail.addRules(input, call);
        },
      },
      sessions: whenReachable(connection, createSessionService(collections.sessions)),
      // Baselines that are being adopted still write to the trail.
      close: () =>
        Promise.all([usage.drained(), reviews.drained()])
          .then(store.drained)
          .then(trail.close)
          .finally(store.close),
    };
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
}
