import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';
import { CraError } from '../../model/errors.ts';
import { FAILURES, type Failure } from '../errors.ts';

/**
 * Causes by the codes of the server (https://www.mongodb.com/docs/manual/reference/error-codes/).
 */
const CAUSES = new Map<number, Failure>([
  [6, FAILURES.unreachable],
  [7, FAILURES.unreachable],
  [89, FAILURES.unreachable],
  [9001, FAILURES.unreachable],
  [91, FAILURES.noPrimary],
  [133, FAILURES.noPrimary],
  [134, FAILURES.noPrimary],
  [189, FAILURES.noPrimary],
  [10058, FAILURES.noPrimary],
  [10107, FAILURES.noPrimary],
  [11600, FAILURES.noPrimary],
  [11602, FAILURES.noPrimary],
  [13435, FAILURES.noPrimary],
  [13436, FAILURES.noPrimary],
  [50, FAILURES.slow],
  [64, FAILURES.slow],
  [79, FAILURES.slow],
  [100, FAILURES.slow],
  [202, FAILURES.slow],
  // A read that lasted longer than the server keeps what it reads from.
  [239, FAILURES.slow],
  [246, FAILURES.slow],
  [262, FAILURES.slow],
  [11, FAILURES.refused],
  [13, FAILURES.refused],
  [18, FAILURES.refused],
  [391, FAILURES.refused],
  [146, FAILURES.outOfMemory],
  [14031, FAILURES.diskFull],
  [10334, FAILURES.tooLarge],
  [11000, FAILURES.taken],
]);

/** Maps an error of the driver to the error that callers of the store get. */
export function fromMongo(thrown: unknown): CraError {
  if (thrown instanceof CraError) return thrown;
  const cause = causeOf(thrown);
  return cause === null
    ? CraError.fromUnknown(thrown)
    : new CraError(cause[0], cause[1], { cause: thrown });
}

/** The error of one operation of a bulk write, by its code. */
export function fromCode(code: number | undefined): CraError {
  const [status, message] = CAUSES.get(code ?? 0) ?? FAILURES.failed;
  return new CraError(status, message);
}

function causeOf(thrown: unknown): Failure | null {
  if (isSystemError(thrown)) return FAILURES.unreachable;
  if (!(thrown instanceof MongoError)) return null;
  if (thrown instanceof MongoOperationTimeoutError) return FAILURES.slow;
  if (thrown instanceof MongoNetworkError || thrown instanceof MongoServerSelectionError) {
    return FAILURES.unreachable;
  }
  const known = CAUSES.get(Number(thrown.code));
  if (known !== undefined) return known;
  // A bulk write wraps whatever the driver itself threw, and only keeps its message.
  if (thrown instanceof MongoBulkWriteError && thrown.code === undefined)
    return FAILURES.unreachable;
  if (thrown instanceof MongoServerError) return FAILURES.failed;
  return FAILURES.unreachable;
}

/** A socket that broke while it was written to (EPIPE), which the driver lets through as it is. */
function isSystemError(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || thrown instanceof MongoError || !('code' in thrown))
    return false;
  return typeof thrown.code === 'string' && /^E[A-Z]+$/.test(thrown.code);
}

/**
 * The error of a store that could not be opened, for its operator; `place` has no user and no
 * password.
 */
export function fromConnecting(place: string, thrown: unknown): CraError {
  if (thrown instanceof CraError) return thrown;
  const { code, message } = fromMongo(thrown);
  const isRefused = message === FAILURES.refused[1];
  const advice = isRefused
    ? 'check user, password, authSource and roles in SERVICE_STORE_URL'
    : 'check that it runs and that SERVICE_STORE_URL names it';
  const reason = isRefused ? 'it refuses the user' : operatorReason(thrown);
  return new CraError(
    isRefused ? 'FAILED_PRECONDITION' : code,
    `the MongoDB at ${place} cannot be used (${reason}): ${advice}`,
  );
}

/** The first line of the driver's message, such as `connect ECONNREFUSED 127.0.0.1:27017`. */
function operatorReason(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  // Names of hosts only; should anything of the form of a URL ever stand there, it is cut.
  return (message.split('\n')[0] ?? '').replace(/\S*:\/\/\S*/g, '...').slice(0, 200);
}

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

/** The collection does not exist, or it lacks the index that a hint names. */
export function isMissing(thrown: unknown): boolean {
  const code = codeOf(thrown);
  return code === NAMESPACE_NOT_FOUND || code === BAD_VALUE;
}

/** The collection exists already. */
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
