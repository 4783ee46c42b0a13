import { type Db, MongoClient } from 'mongodb';
import { AUDIT, STORE } from '../../limits.ts';
import { CraError } from '../../model/errors.ts';
import {
  AUDIT_COLLECTION,
  AUDIT_INDEXES,
  auditCollection,
  auditCollectionOptions,
} from './audit-collection.ts';
import { isMissing, isPresent, isUnauthorized, reasonOf } from './audit-error.ts';
import { measureRoom } from './audit-fill.ts';
import { auditDatabaseName, databaseOf, STORE_DATABASE } from './audit-url.ts';

/** Where the trail of a store is that names no database. */
const DATABASE_DEFAULT = auditDatabaseName(STORE_DATABASE);

export interface AuditConnection {
  client: MongoClient;
  db: Db;
}

/**
 * Connects to the database of a trail, and makes its collection where the user may do that
 * (whoever may is no user for a write-once trail, which the status then says). Rejects with
 * UNAVAILABLE when nobody answers, with FAILED_PRECONDITION when the user or the trail will not do.
 */
export async function connectAudit(url: string): Promise<AuditConnection> {
  const { client, db } = await openAuditDatabase(url);
  try {
    if (!(await isComplete(db))) await create(db);
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

/** The same of any database; `fallback` is its name where the connection string gives none. */
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
      serverSelectionTimeoutMS: STORE.SERVER_SELECTION_MS,
      connectTimeoutMS: STORE.SERVER_SELECTION_MS,
      // Longer than the server waits for a majority, so that an answer is not missed.
      socketTimeoutMS: 2 * AUDIT.ATTEMPT_MS,
      waitQueueTimeoutMS: AUDIT.ATTEMPT_MS,
      readPreference: 'primary',
      maxPoolSize: CONNECTIONS_MAX,
    });
  } catch {
    // What the driver says may quote the URL, and with it the password.
    const message = 'SERVICE_AUDIT_URL is no connection string that MongoDB takes';
    throw new CraError('FAILED_PRECONDITION', message);
  }
}

const CONNECTIONS_MAX = 8;

/** Whether the collection and its indexes are there. */
async function isComplete(db: Db): Promise<boolean> {
  const audit = auditCollection(db);
  try {
    await measureRoom(audit);
    // The user of the trail may not list indexes, but a hint to one that is missing fails.
    for (const { name } of AUDIT_INDEXES) {
      await audit.findOne({ slot: 'intent', op_id: '', chain: '' }, { hint: name });
    }
    return true;
  } catch (thrown) {
    if (isMissing(thrown)) return false;
    throw thrown;
  }
}

/** Several daemons may come here at once: each makes what the others have not made yet. */
async function create(db: Db): Promise<void> {
  const size = AUDIT.CAPPED_GIB_DEFAULT * 1024 ** 3;
  try {
    await db.createCollection(AUDIT_COLLECTION, auditCollectionOptions(size)).catch(unlessThere);
    await db
      .collection(AUDIT_COLLECTION)
      .createIndexes(AUDIT_INDEXES.map((index) => ({ ...index })));
  } catch (thrown) {
    if (!isUnauthorized(thrown)) throw thrown;
    const what = `there is no trail in database ${db.databaseName}, or not all of its indexes`;
    const message = `${what}: run cra setup mongodb`;
    throw new CraError('FAILED_PRECONDITION', message, { cause: thrown });
  }
}

function unlessThere(thrown: unknown): void {
  if (!isPresent(thrown)) throw thrown;
}

function unusable(name: string, thrown: unknown): CraError {
  const message = `the trail in database ${name} can not be used (${reasonOf(thrown)})`;
  const advice = 'check SERVICE_AUDIT_URL, or run cra setup mongodb';
  return new CraError('UNAVAILABLE', `${message}: ${advice}`, { cause: thrown });
}
