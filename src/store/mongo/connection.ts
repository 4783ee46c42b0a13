import { type Collection, type Db, MongoClient, ReadConcern } from 'mongodb';
import { STORE } from '../../limits.ts';
import { CraError } from '../../model/errors.ts';
import type {
  BaselineDocument,
  DiffChunkDocument,
  HistoryChangeDocument,
  HistoryFileDocument,
  HistoryRepoDocument,
  MetaDocument,
  RfcDocument,
  SessionDocument,
  TaskDocument,
  UsageDocument,
  UsageHourDocument,
} from './documents.ts';
import { fromConnecting } from './mongo-error.ts';
import { type PrimaryWatch, watchPrimary } from './primary-watch.ts';

/** The collections of all services but the trail. */
export interface Collections {
  rfcs: Collection<RfcDocument>;
  diffs: Collection<DiffChunkDocument>;
  historyRepos: Collection<HistoryRepoDocument>;
  historyChanges: Collection<HistoryChangeDocument>;
  historyFiles: Collection<HistoryFileDocument>;
  baselines: Collection<BaselineDocument>;
  meta: Collection<MetaDocument>;
  tasks: Collection<TaskDocument>;
  usage: Collection<UsageDocument>;
  usageHours: Collection<UsageHourDocument>;
  sessions: Collection<SessionDocument>;
}

export interface MongoConnection extends PrimaryWatch {
  /** Majority and journalled writes, majority reads from the primary, whatever the URL says. */
  db: Db;
  collections: Collections;
  /** `host:port[,...]/database`: what errors may name. */
  place: string;
  close(): Promise<void>;
}

/** Where the URL names none; the driver would take "test". */
const DATABASE_DEFAULT = 'cra';
const NAMES_DATABASE = /^[^:]+:\/\/[^/?]+\/[^?]/;

/**
 * Connects to a replica set (or a mongos) and looks for its primary. Rejects within seconds, and
 * names the place, never the user or password: UNAVAILABLE when nobody answers,
 * FAILED_PRECONDITION for a URL, a user or a server that will not do.
 */
export async function connectMongo(url: string): Promise<MongoConnection> {
  const client = createClient(url);
  const watch = watchPrimary(client);
  const { hosts, srvHost, dbName } = client.options;
  const database = NAMES_DATABASE.test(url) ? dbName : DATABASE_DEFAULT;
  const place = `${srvHost ?? hosts.join(',')}/${database}`;
  try {
    await client.connect();
    const db = client.db(database, {
      readConcern: new ReadConcern('majority'),
      readPreference: 'primary',
      writeConcern: { w: 'majority', journal: true, wtimeoutMS: STORE.OPERATION_MS },
    });
    await requireReplicaSet(db, place);
    const collections = collectionsOf(db);
    return { ...watch, db, collections, place, close: () => client.close() };
  } catch (thrown) {
    await client.close();
    throw fromConnecting(place, thrown);
  }
}

function createClient(url: string): MongoClient {
  try {
    return new MongoClient(url, {
      appName: 'cra',
      retryWrites: true,
      retryReads: true,
      serverSelectionTimeoutMS: STORE.SERVER_SELECTION_MS,
      connectTimeoutMS: STORE.CONNECT_MS,
      // A server that hangs is given up after these two together; it takes no answer for that.
      heartbeatFrequencyMS: STORE.HEARTBEAT_MS,
      socketTimeoutMS: STORE.OPERATION_MS,
      waitQueueTimeoutMS: STORE.OPERATION_MS,
      maxPoolSize: STORE.CONNECTIONS_MAX,
      promoteBuffers: true,
    });
  } catch {
    // What the driver says may quote the URL, and with it the password.
    throw new CraError(
      'FAILED_PRECONDITION',
      'SERVICE_STORE_URL is not a connection string that MongoDB takes: mongodb://user:password@host:27017/database?replicaSet=name',
    );
  }
}

async function requireReplicaSet(db: Db, place: string): Promise<void> {
  const hello = await db.admin().command({ hello: 1 });
  if (typeof hello['setName'] === 'string' || hello['msg'] === 'isdbgrid') return;
  throw new CraError(
    'FAILED_PRECONDITION',
    `the MongoDB at ${place} is no replica set: start mongod with --replSet and call rs.initiate(); a set of one member will do`,
  );
}

function collectionsOf(db: Db): Collections {
  return {
    rfcs: db.collection('rfcs'),
    diffs: db.collection('diffs'),
    historyRepos: db.collection('history_repos'),
    historyChanges: db.collection('history_changes'),
    historyFiles: db.collection('history_files'),
    baselines: db.collection('baselines'),
    meta: db.collection('meta'),
    tasks: db.collection('tasks'),
    usage: db.collection('usage'),
    usageHours: db.collection('usage_hours'),
    sessions: db.collection('sessions'),
  };
}
