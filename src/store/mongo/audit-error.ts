import { MongoError, MongoServerError } from 'mongodb';
import { CraError } from '../../model/errors.ts';

/** https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml */
const BAD_VALUE = 2;
const UNAUTHORIZED = 13;
const AUTHENTICATION_FAILED = 18;
const NAMESPACE_NOT_FOUND = 26;
const NAMESPACE_EXISTS = 48;
const DUPLICATE_KEY = 11000;

/** The server refused: the user has no privilege for it. */
export function isUnauthorized(thrown: unknown): boolean {
  return codeOf(thrown) === UNAUTHORIZED;
}

/** There is no such collection, or it lacks the index that a hint names. */
export function isMissing(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code === NAMESPACE_NOT_FOUND || code === BAD_VALUE;
}

/** There is such a collection already. */
export function isPresent(thrown: unknown): boolean {
  return codeOf(thrown) === NAMESPACE_EXISTS;
}

/** A unique index holds the key already. */
export function isDuplicate(thrown: unknown): boolean {
  return codeOf(thrown) === DUPLICATE_KEY;
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof MongoServerError ? thrown.code : undefined;
}

/** Why the server did not do it, for the operator: a few words, no address and no query. */
export function reasonOf(thrown: unknown): string {
  const code = codeOf(thrown);
  if (code === UNAUTHORIZED) return 'the user lacks the privilege';
  if (code === AUTHENTICATION_FAILED) return 'user or password is wrong';
  if (thrown instanceof MongoServerError) return `${thrown.codeName ?? 'error'} (${thrown.code})`;
  if (thrown instanceof MongoError) return thrown.name;
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** A read of the trail or the records that failed, as callers get it. */
export function readFailure(thrown: unknown): CraError {
  if (thrown instanceof CraError) return thrown;
  if (!(thrown instanceof MongoError)) return CraError.fromUnknown(thrown);
  return new CraError('UNAVAILABLE', `the database does not answer: ${reasonOf(thrown)}`, {
    cause: thrown,
  });
}
