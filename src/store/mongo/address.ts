import { MongoClient, type MongoClientOptions } from 'mongodb';
import { CraError } from '../../model/errors.ts';

/** The database of a store whose address names no database. */
export const STORE_DATABASE = 'cra';

/** A client that is not connected yet; `setting` says in the error whose address this is. */
export function createClient(
  url: string,
  setting: string,
  options: MongoClientOptions,
): MongoClient {
  try {
    return new MongoClient(url, options);
  } catch {
    // What the driver says may quote the URL, and with it the password.
    const form = 'mongodb://user:password@host:27017/database?replicaSet=name';
    const message = `${setting} is not a valid MongoDB connection string: ${form}`;
    throw new CraError('FAILED_PRECONDITION', message);
  }
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
