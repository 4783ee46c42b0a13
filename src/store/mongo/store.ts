import type { Collection } from 'mongodb';
import { createCheckpointSigner } from '../../audit/checkpoint.ts';
import type { Principal, StoredSession } from '../../model/principal.ts';
import type { ArchiveSide } from '../archive.ts';
import type { StoreDriver } from '../contract/store.ts';
import { duplicateSession } from '../errors.ts';
import { MONGO_TRAIL } from '../limits.ts';
import { keepNote, readKeptNote } from '../trail.ts';
import { defaultAuditUrl } from './address.ts';
import { createArchiveSide } from './archive.ts';
import { decisionCollections, whenReachable } from './database.ts';
import { createDeployService } from './deploys.ts';
import type { SessionDocument } from './documents.ts';
import { createEventService } from './events.ts';
import { createMongoTrail, type MongoTrail, type MongoTrailOptions } from './open-trail.ts';
import { isDuplicate } from './operations.ts';
import { createMongoPushes } from './pushes/pushes.ts';
import { createMongoStore, type MongoStore, type MongoStoreOptions } from './records.ts';
import { createReviewService } from './reviews.ts';
import { createRulebookReader } from './rulebook.ts';
import { createTaskService } from './tasks.ts';
import { createUsageService } from './usage.ts';

export interface MongoDriverOptions extends MongoStoreOptions {
  /** Of the trail; null: the servers and the user of the records. */
  auditUrl: string | null;
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
  /** RFCs that may leave for the archive, and their references. */
  archive: ArchiveSide;
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
      lanes: options.lanes ?? [],
      keptNote: readKeptNote(dataDir),
      onNote: (note) => keepNote(dataDir, note),
      ...options.trail,
    });
    const usage = createUsageService(db.client, collections);
    const reviews = createReviewService(db.client, collections);
    return {
      store,
      archive: whenReachable(
        connection,
        store.track(createArchiveSide(db, collections)),
        MONGO_TRAIL.ROUND_MS,
      ),
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
        ...whenReachable(connection, createRulebookReader(decisionCollections(db).rules)),
        // Its UNAVAILABLE says that nothing was changed, so it has bounds of its own.
        addRules: async (input, call) => {
          connection.requirePrimary();
          return await trail.addRules(input, call);
        },
      },
      sessions: whenReachable(connection, createSessionService(collections.sessions)),
      deploys: whenReachable(connection, createDeployService(collections)),
      events: whenReachable(
        connection,
        createEventService(collections, options.lanes ?? [], instance),
      ),
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

/** The methods of Sessions; the server removes ended sessions by the index "ended". */
function createSessionService(sessions: Collection<SessionDocument>): StoreDriver['sessions'] {
  return {
    async createSession({ session }) {
      try {
        await sessions.insertOne(documentOf(session));
        return { ok: true };
      } catch (thrown) {
        if (!isDuplicate(thrown)) throw thrown;
        throw duplicateSession();
      }
    },
    async findSession({ session_id }) {
      const found = await sessions.findOne({ _id: session_id });
      return { session: found === null ? null : sessionOf(found) };
    },
    async touchSession({ session_id, last_seen_at }) {
      // Times in ISO 8601 sort as texts.
      const earlier = { _id: session_id, last_seen_at: { $lt: last_seen_at } };
      await sessions.updateOne(earlier, { $set: { last_seen_at } });
      return { ok: true };
    },
    async deleteSession({ session_id }) {
      await sessions.deleteOne({ _id: session_id });
      return { ok: true };
    },
    async deleteSessionsOf({ tenant_id, principal_id }) {
      const { deletedCount } = await sessions.deleteMany({ tenant_id, principal_id });
      return { deleted: deletedCount };
    },
  };
}

function documentOf(session: StoredSession): SessionDocument {
  const { session_id: _id, principal, created_at, last_seen_at, expires_at } = session;
  const { tenant_id, id: principal_id } = principal;
  return {
    _id,
    tenant_id,
    principal_id,
    principal: JSON.stringify(principal),
    created_at,
    last_seen_at,
    expires_at,
    ends: new Date(expires_at),
  };
}

function sessionOf(found: SessionDocument): StoredSession {
  const { _id: session_id, principal, created_at, last_seen_at, expires_at } = found;
  const times = { created_at, last_seen_at, expires_at };
  return { session_id, principal: JSON.parse(principal) as Principal, ...times };
}
