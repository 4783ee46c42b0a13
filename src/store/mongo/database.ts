import {
  type Collection,
  type Db,
  type MongoClient,
  ReadConcern,
  type TopologyDescription,
} from 'mongodb';
import { wrapMethods } from '../../core/methods.ts';
import { CraError } from '../../model/errors.ts';
import { halfCopied } from '../copy.ts';
import { FAILURES } from '../errors.ts';
import { MONGO } from '../limits.ts';
import { createClient, databaseOf, STORE_DATABASE } from './address.ts';
import type {
  AcceptedDocument,
  AgentOverridesDocument,
  ArchivedDocument,
  BaselineDocument,
  BudgetDocument,
  CurvesDocument,
  DecisionOpDocument,
  DeployDocument,
  DiffChunkDocument,
  EventDocument,
  MetaDocument,
  QueuedReviewDocument,
  RecordDocument,
  RememberedDocument,
  ReportDocument,
  ReviewAnswerDocument,
  ReviewCallDocument,
  RfcDocument,
  RulesDocument,
  SessionDocument,
  TaskDocument,
  TrendDocument,
  TrendMarkDocument,
  UsageDocument,
  UsageHourDocument,
} from './documents.ts';
import { bounded, durable, fromConnecting, fromMongo } from './operations.ts';

/** The collections of all services but the trail. */
export type Collections = ReturnType<typeof collectionsOf>;

export interface MongoConnection extends PrimaryWatch {
  /** Majority and journalled writes, majority reads from the primary, whatever the URL says. */
  db: Db;
  collections: Collections;
  /** `host:port[,...]/database`: what errors may name. */
  place: string;
  close(): Promise<void>;
}

/**
 * Connects to a replica set (or a mongos) and looks for its primary. Rejects within seconds, and
 * names the place, never the user or password: UNAVAILABLE when no server
 * answers, FAILED_PRECONDITION for a URL, a user or a server that cannot be used.
 */
export async function connectMongo(url: string): Promise<MongoConnection> {
  const client = createClient(url, 'SERVICE_STORE_URL', CLIENT_OPTIONS);
  const watch = watchPrimary(client);
  const { hosts, srvHost } = client.options;
  const database = databaseOf(url, STORE_DATABASE);
  const place = `${srvHost ?? hosts.join(',')}/${database}`;
  try {
    await client.connect();
    const db = client.db(database, {
      readConcern: new ReadConcern('majority'),
      readPreference: 'primary',
      writeConcern: { w: 'majority', journal: true, wtimeoutMS: MONGO.OPERATION_MS },
    });
    await requireReplicaSet(db, place);
    const collections = collectionsOf(db);
    return { ...watch, db, collections, place, close: () => client.close() };
  } catch (thrown) {
    await client.close();
    throw fromConnecting(place, thrown);
  }
}

const CLIENT_OPTIONS = {
  appName: 'cra',
  retryWrites: true,
  retryReads: true,
  serverSelectionTimeoutMS: MONGO.SERVER_SELECTION_MS,
  connectTimeoutMS: MONGO.CONNECT_MS,
  // A server that hangs is given up after these two together; it takes no answer for that.
  heartbeatFrequencyMS: MONGO.HEARTBEAT_MS,
  socketTimeoutMS: MONGO.OPERATION_MS,
  waitQueueTimeoutMS: MONGO.OPERATION_MS,
  maxPoolSize: MONGO.CONNECTIONS_MAX,
  promoteBuffers: true,
} as const;

async function requireReplicaSet(db: Db, place: string): Promise<void> {
  const hello = await db.admin().command({ hello: 1 });
  if (typeof hello['setName'] === 'string' || hello['msg'] === 'isdbgrid') return;
  throw new CraError(
    'FAILED_PRECONDITION',
    `the MongoDB at ${place} is not a replica set: start mongod with --replSet and call rs.initiate(); a set of one member will do`,
  );
}

function collectionsOf(db: Db) {
  return {
    rfcs: db.collection<RfcDocument>('rfcs'),
    archived: db.collection<ArchivedDocument>('archived'),
    diffs: db.collection<DiffChunkDocument>('diffs'),
    baselines: db.collection<BaselineDocument>('baselines'),
    meta: db.collection<MetaDocument>('meta'),
    tasks: db.collection<TaskDocument>('tasks'),
    usage: db.collection<UsageDocument>('usage'),
    usageHours: db.collection<UsageHourDocument>('usage_hours'),
    budgets: db.collection<BudgetDocument>('budgets'),
    reviewCalls: db.collection<ReviewCallDocument>('review_calls'),
    reviewAnswers: db.collection<ReviewAnswerDocument>('review_answers'),
    reviewQueue: db.collection<QueuedReviewDocument>('review_queue'),
    reviewMemory: db.collection<RememberedDocument>('review_memory'),
    reports: db.collection<ReportDocument>('reports'),
    sessions: db.collection<SessionDocument>('sessions'),
    deployReports: db.collection<DeployDocument>('deploy_reports'),
    scoreCurves: db.collection<CurvesDocument>('score_curves'),
    events: db.collection<EventDocument>('events'),
    trends: db.collection<TrendDocument>('trends'),
    trendMarks: db.collection<TrendMarkDocument>('trend_marks'),
  };
}

/** The collections of decisions and rules: acknowledged by a majority, read as it has them. */
export type DecisionCollections = ReturnType<typeof decisionCollections>;

/** Collections of a database of records. */
export function decisionCollections(database: Db) {
  return {
    records: durable<RecordDocument>(database, 'rfcs'),
    archived: durable<ArchivedDocument>(database, 'archived'),
    accepted: durable<AcceptedDocument>(database, 'accepted'),
    agentPlaces: durable<AgentOverridesDocument>(database, 'agent_overrides'),
    operations: durable<DecisionOpDocument>(database, 'decision_ops'),
    rules: durable<RulesDocument>(database, 'rules'),
  };
}

/** The server that takes writes, as the driver's monitors see it. */
export interface PrimaryWatch {
  /**
   * Throws UNAVAILABLE when there has been no primary for as long as an operation would wait: so
   * only the first operations wait, and later ones fail at once until there is a primary.
   */
  requirePrimary(): void;
  /**
   * Names the term of the primary: what it took within one term, it keeps or loses in that order.
   * Null when there is no primary, and behind a mongos, which does not say.
   */
  term(): string | null;
}

const TAKES_WRITES: ReadonlySet<string> = new Set(['RSPrimary', 'Mongos', 'Standalone']);

/** Watches a client that is not connected yet. */
function watchPrimary(client: MongoClient): PrimaryWatch {
  /** By performance.now(); null: there is a primary. */
  let missingSince: number | null = null;
  let term: string | null = null;
  client.on('topologyDescriptionChanged', ({ newDescription }) => {
    term = termOf(newDescription);
    if (hasPrimary(newDescription)) missingSince = null;
    else missingSince ??= performance.now();
  });
  return {
    term: () => term,
    requirePrimary() {
      if (missingSince === null) return;
      if (performance.now() - missingSince < MONGO.SERVER_SELECTION_MS) return;
      throw new CraError(...FAILURES.unreachable);
    },
  };
}

function hasPrimary({ servers }: TopologyDescription): boolean {
  return [...servers.values()].some(({ type }) => TAKES_WRITES.has(type));
}

function termOf({ servers }: TopologyDescription): string | null {
  const primary = [...servers.values()].find(({ type }) => type === 'RSPrimary');
  const election = primary?.electionId ?? null;
  return election === null ? null : `${election.toHexString()} ${primary?.address}`;
}

/** The same methods, which write: disconnecting waits for running calls. */
export type Track = <Methods extends object>(methods: Methods) => Methods;

/** Knows what runs; `drained` refuses more and resolves when all is settled. */
export function createRunningCalls(): { track: Track; drained(): Promise<void> } {
  const running = new Set<Promise<unknown>>();
  let isClosed = false;

  function run(write: () => Promise<unknown>): Promise<unknown> {
    if (isClosed) return Promise.reject(new CraError('UNAVAILABLE', 'the store is closing'));
    const result = write();
    running.add(result);
    const done = () => running.delete(result);
    result.then(done, done);
    return result;
  }

  return {
    track: (methods) =>
      wrapMethods(methods, (method, input, call) => run(async () => await method(input, call))),
    async drained() {
      isClosed = true;
      await Promise.allSettled(running);
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
  answerMs: number = MONGO.ANSWER_MS,
): Methods {
  return wrapMethods(methods, async (method, input, call) => {
    requirePrimary();
    try {
      return await bounded(method(input, call) as Promise<unknown>, answerMs);
    } catch (thrown) {
      throw fromMongo(thrown);
    }
  });
}

/** The layout of the collections; a daemon that knows another one does not touch them. */
const FORMAT = 1;

/** Hashes, in hex, of the keys that all daemons of a store must have in common. */
export interface KeyHashes {
  seal: string;
  fingerprint: string;
}

const SETTING = {
  seal: 'SERVICE_SEAL_KEY',
  fingerprint: 'SERVICE_FINGERPRINT_KEY',
} as const satisfies Record<keyof KeyHashes, string>;

/**
 * Compares what this daemon has with what the first daemon of the store wrote down, or is that
 * first one. FAILED_PRECONDITION when they differ: diffs that one sealed the other could not open,
 * and accepted fingerprints would be unknown to it.
 */
export async function agree(meta: Collection<MetaDocument>, keys: KeyHashes): Promise<void> {
  if (await isHalfCopied(meta)) throw halfCopied('the store');
  const found = await firstOf(meta, { format: FORMAT, ...keys });
  if (found['format'] !== FORMAT) {
    throw new CraError(
      'FAILED_PRECONDITION',
      `the store has format ${String(found['format'])}, this cra knows format ${FORMAT}: run the version of cra that wrote it`,
    );
  }
  for (const key of ['seal', 'fingerprint'] as const) {
    if (found[key] === keys[key]) continue;
    throw new CraError(
      'FAILED_PRECONDITION',
      `the ${key} key of this daemon is not that of the store: give all daemons of a store the same ${SETTING[key]} (64 hex digits)`,
    );
  }
}

/** In the collection `meta`, while a store is being copied into this one. */
export const COPY_MARKER = { _id: 'copy' } as const;

async function isHalfCopied(meta: Collection<MetaDocument>): Promise<boolean> {
  try {
    return (await meta.findOne(COPY_MARKER)) !== null;
  } catch (thrown) {
    throw fromMongo(thrown);
  }
}

/** The document that is stored, ours if there was no other. */
async function firstOf(
  meta: Collection<MetaDocument>,
  ours: Record<string, unknown>,
): Promise<MetaDocument> {
  const _id = 'store';
  try {
    await meta.updateOne({ _id }, { $setOnInsert: ours }, { upsert: true });
    const found = await meta.findOne({ _id });
    if (found !== null) return found;
  } catch (thrown) {
    throw fromMongo(thrown);
  }
  throw new CraError('UNAVAILABLE', 'another daemon is just setting the store up: start again');
}
