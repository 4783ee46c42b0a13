import { wrapMethods } from '../../core/methods.ts';
import { otherNode } from '../../core/other-node.ts';
import { CraError } from '../../model/errors.ts';
import { FAILURES, type Failure } from '../errors.ts';

/**
 * Causes by the `code` of SQLite (https://sqlite.org/rescode.html, extended names included) and
 * of the file system.
 */
const CAUSES: readonly (readonly [code: RegExp, failure: Failure])[] = [
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)/, FAILURES.diskFull],
  [/^(SQLITE_NOMEM|ENOMEM)/, FAILURES.outOfMemory],
  [/^SQLITE_(CORRUPT|NOTADB)/, FAILURES.damaged],
  [/^SQLITE_(BUSY|LOCKED)/, FAILURES.busy],
  [/^(SQLITE_IOERR|EIO)/, FAILURES.diskFails],
  [
    /^(SQLITE_(READONLY|CANTOPEN|PERM|AUTH)|EACCES|EPERM|EROFS|EMFILE|ENFILE|ENOENT|ENOTDIR)/,
    FAILURES.unusableFiles,
  ],
];

/** Maps an error of SQLite or the file system to the error that callers of the store get. */
export function fromSqlite(thrown: unknown): CraError {
  if (thrown instanceof CraError) return thrown;
  const code = errorCode(thrown);
  for (const [pattern, [status, message]] of CAUSES) {
    if (pattern.test(code)) return new CraError(status, message, { cause: thrown });
  }
  return CraError.fromUnknown(thrown);
}

/** Whether this error, or its cause, means that the disk is full. */
export function isDiskFull(thrown: unknown): boolean {
  const code = errorCode(thrown instanceof CraError ? thrown.cause : thrown);
  return /^(SQLITE_FULL|ENOSPC|EDQUOT)/.test(code);
}

/**
 * The error of a store that could not be opened, for its operator: it names the place and the
 * cause.
 */
export function fromOpening(dataDir: string, thrown: unknown): CraError {
  if (thrown instanceof CraError) return thrown;
  // The package is loaded with the first database; the directory has nothing to do with it.
  const advice = otherNode(thrown, process.version);
  if (advice !== null) return new CraError('FAILED_PRECONDITION', advice, { cause: thrown });
  const { code } = fromSqlite(thrown);
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  const message = `data directory ${dataDir} (SERVICE_DATA_DIR) cannot be used: ${reason}`;
  return new CraError(code, message, { cause: thrown });
}

/** The `code` that SQLite and file system errors carry, else "". */
export function errorCode(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return '';
  return typeof thrown.code === 'string' ? thrown.code : '';
}

/** Runs a read; what SQLite throws reaches the caller as a CraError. */
export function guarded<Output>(read: () => Output): Output {
  try {
    return read();
  } catch (thrown) {
    throw fromSqlite(thrown);
  }
}

/** The same reading methods, each of them guarded. */
export function guardedReads<Methods extends object>(methods: Methods): Methods {
  return wrapMethods(methods, (method, input, call) => {
    const output = guarded(() => method(input, call));
    if (!(output instanceof Promise)) return output;
    return output.catch((thrown: unknown) => {
      throw fromSqlite(thrown);
    });
  });
}
