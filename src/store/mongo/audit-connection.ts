import type { Db, IndexDescription, MongoClient } from 'mongodb';
import { CraError } from '../../model/errors.ts';
import { MONGO, MONGO_TRAIL } from '../limits.ts';
import { auditDatabaseName, createClient, databaseOf, STORE_DATABASE } from './address.ts';
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
  return openDatabase(url, auditDatabaseName(STORE_DATABASE));
}

/** The same of any database; `fallback` is its name where the connection string has no database. */
export async function openDatabase(url: string, fallback: string): Promise<AuditConnection> {
  const client = createClient(url, 'SERVICE_AUDIT_URL', CLIENT_OPTIONS);
  const name = databaseOf(url, fallback);
  try {
    await client.connect();
    return { client, db: client.db(name) };
  } catch (thrown) {
    await client.close();
    throw unusable(name, thrown);
  }
}

const CLIENT_OPTIONS = {
  appName: 'cra-audit',
  serverSelectionTimeoutMS: MONGO.SERVER_SELECTION_MS,
  connectTimeoutMS: MONGO.SERVER_SELECTION_MS,
  // Longer than the server waits for a majority, so that an answer is not missed.
  socketTimeoutMS: 2 * MONGO_TRAIL.ATTEMPT_MS,
  waitQueueTimeoutMS: MONGO_TRAIL.ATTEMPT_MS,
  readPreference: 'primary',
  maxPoolSize: 8,
} as const;

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

/** The user of the trail may not list indexes, but a hint to a missing index fails. */
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
