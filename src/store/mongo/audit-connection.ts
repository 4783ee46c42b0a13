import { type Db, type IndexDescription, MongoClient } from 'mongodb';
import { CraError } from '../../model/errors.ts';
import { MONGO, MONGO_TRAIL } from '../limits.ts';
import {
  AUDIT_COLLECTION,
  AUDIT_INDEXES,
  type AuditCollection,
  auditCollection,
  auditCollectionOptions,
  FORMER_INDEX_NAMES,
} from './audit-collection.ts';
import { isMissing, isPresent, isUnauthorized, reasonOf } from './operations.ts';
import { measureRoom } from './worm-level.ts';

export interface AuditConnection {
  client: MongoClient;
  db: Db;
}

/**
 * Connects to the database of a trail, and makes its collection where the user may do that
 * (a user that may is too powerful for a write-once trail, which the status then says). Rejects
 * with UNAVAILABLE when no server answers, with FAILED_PRECONDITION when the user lacks rights.
 */
export async function connectAudit(url: string): Promise<AuditConnection> {
  const { client, db } = await openAuditDatabase(url);
  try {
    const missing = await missingIndexes(db);
    if (missing === null || missing.length > 0) await create(db, missing);
    return { client, db };
  } catch (thrown) {
    await client.close();
    throw thrown instanceof CraError ? thrown : unusable(db.databaseName, thrown);
  }
}

/** Connects to the database of a trail, whatever is in it. */
export function openAuditDatabase(url: string): Promise<AuditConnection> {
  return openDatabase(url, DATABASE_DEFAULT);
}

/** The same of any database; `fallback` is its name where the connection string has no database. */
export async function openDatabase(url: string, fallback: string): Promise<AuditConnection> {
  const client = createClient(url);
  const name = databaseOf(url, fallback);
  try {
    await client.connect();
    return { client, db: client.db(name) };
  } catch (thrown) {
    await client.close();
    throw unusable(name, thrown);
  }
}

function createClient(url: string): MongoClient {
  try {
    return new MongoClient(url, {
      appName: 'cra-audit',
      serverSelectionTimeoutMS: MONGO.SERVER_SELECTION_MS,
      connectTimeoutMS: MONGO.SERVER_SELECTION_MS,
      // Longer than the server waits for a majority, so that an answer is not missed.
      socketTimeoutMS: 2 * MONGO_TRAIL.ATTEMPT_MS,
      waitQueueTimeoutMS: MONGO_TRAIL.ATTEMPT_MS,
      readPreference: 'primary',
      maxPoolSize: CONNECTIONS_MAX,
    });
  } catch {
    // What the driver says may quote the URL, and with it the password.
    const message = 'SERVICE_AUDIT_URL is not a valid MongoDB connection string';
    throw new CraError('FAILED_PRECONDITION', message);
  }
}

const CONNECTIONS_MAX = 8;

/** The indexes that a trail lacks; null: it lacks the collection. */
async function missingIndexes(db: Db): Promise<IndexDescription[] | null> {
  const audit = auditCollection(db);
  const isThere = (name: string | undefined) => name !== undefined && hasIndex(audit, name);
  try {
    await measureRoom(audit);
  } catch (thrown) {
    if (isMissing(thrown)) return null;
    throw thrown;
  }
  const missing: IndexDescription[] = [];
  for (const index of AUDIT_INDEXES) {
    const { name } = index;
    if ((await isThere(name)) || (await isThere(FORMER_INDEX_NAMES[name]))) continue;
    missing.push({ ...index });
  }
  return missing;
}

/** The user of the trail may not list indexes, but a hint to one that is missing fails. */
async function hasIndex(audit: AuditCollection, name: string): Promise<boolean> {
  try {
    await audit.findOne({ slot: 'intent', op_id: '', chain: '' }, { hint: name });
    return true;
  } catch (thrown) {
    if (isMissing(thrown)) return false;
    throw thrown;
  }
}

/** Several daemons may come here at once: each makes what the others have not made yet. */
async function create(db: Db, missing: IndexDescription[] | null): Promise<void> {
  const size = MONGO_TRAIL.CAPPED_GIB_DEFAULT * 1024 ** 3;
  const indexes = missing ?? AUDIT_INDEXES.map((index) => ({ ...index }));
  try {
    await db.createCollection(AUDIT_COLLECTION, auditCollectionOptions(size)).catch(unlessThere);
    await db.collection(AUDIT_COLLECTION).createIndexes(indexes);
  } catch (thrown) {
    if (!isUnauthorized(thrown)) throw thrown;
    const what = `database ${db.databaseName} lacks the audit collection or one of its indexes`;
    const message = `${what}: run cra setup mongodb`;
    throw new CraError('FAILED_PRECONDITION', message, { cause: thrown });
  }
}

function unlessThere(thrown: unknown): void {
  if (!isPresent(thrown)) throw thrown;
}

function unusable(name: string, thrown: unknown): CraError {
  const message = `the trail in database ${name} cannot be used (${reasonOf(thrown)})`;
  const advice = 'check SERVICE_AUDIT_URL, or run cra setup mongodb';
  return new CraError('UNAVAILABLE', `${message}: ${advice}`, { cause: thrown });
}

/** A connection string in parts; `options` as they stand behind the `?`. */
interface UrlParts {
  scheme: string;
  /** `user:password`, percent-encoded, or empty. */
  userInfo: string;
  hosts: string;
  /** Percent-decoded, or empty. */
  database: string;
  options: URLSearchParams;
}

const URL_FORM = /^(mongodb(?:\+srv)?:\/\/)(?:([^@/?]*)@)?([^@/?]+)(?:\/([^/?]*))?(?:\?(.*))?$/;

/** Name of the database that holds the trail of the records in `database`. */
export function auditDatabaseName(database: string): string {
  return `${database}_audit`;
}

/** The database that a connection string names, or `fallback`. */
export function databaseOf(url: string, fallback: string): string {
  return readUrl(url).database || fallback;
}

/** Where the trail is when no setting says: the server and the user of the records. */
export function defaultAuditUrl(storeUrl: string, storeDatabase: string): string {
  const parts = readUrl(storeUrl);
  // Without it, the user would be looked for in the database of the path.
  if (parts.userInfo !== '' && !parts.options.has('authSource')) {
    parts.options.set('authSource', parts.database || 'admin');
  }
  return writeUrl({ ...parts, database: auditDatabaseName(storeDatabase) });
}

/** The database of a store whose address names no database. */
export const STORE_DATABASE = 'cra';

/** The same servers for another user, whose `authSource` is the database itself. */
export function urlForUser(
  url: string,
  { database, user, password }: { database: string; user: string; password: string },
): string {
  const { options, ...parts } = readUrl(url);
  const kept = new URLSearchParams(options);
  for (const name of ['authSource', 'authMechanism', 'authMechanismProperties']) kept.delete(name);
  kept.set('authSource', database);
  const userInfo = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  return writeUrl({ ...parts, options: kept, userInfo, database });
}

function readUrl(url: string): UrlParts {
  const found = URL_FORM.exec(url.trim());
  if (found === null) {
    // Without the text itself: it may hold a password.
    const message = 'a MongoDB address looks like mongodb://USER:PASSWORD@HOST:PORT/DATABASE';
    throw new CraError('INVALID_ARGUMENT', message);
  }
  const [, scheme = '', userInfo = '', hosts = '', database = '', options = ''] = found;
  return {
    scheme,
    userInfo,
    hosts,
    database: decodeURIComponent(database),
    options: new URLSearchParams(options),
  };
}

function writeUrl({ scheme, userInfo, hosts, database, options }: UrlParts): string {
  const user = userInfo === '' ? '' : `${userInfo}@`;
  const query = options.size === 0 ? '' : `?${options}`;
  return `${scheme}${user}${hosts}/${encodeURIComponent(database)}${query}`;
}

/** The trail database of a store whose address names no database. */
const DATABASE_DEFAULT = auditDatabaseName(STORE_DATABASE);
