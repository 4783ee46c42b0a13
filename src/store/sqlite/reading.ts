import { CraError } from '../../domain/errors.ts';
import { fromSqlite } from './sqlite-error.ts';

/** What every reading method does. */

/** INVALID_ARGUMENT unless `limit` is a whole number from 1 to `max`. */
export function checkLimit(limit: number, max: number): void {
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return;
  throw new CraError('INVALID_ARGUMENT', `limit is a whole number from 1 to ${max}`, {
    details: { field: 'limit' },
  });
}

/** Runs a read; what SQLite throws reaches the caller as a CraError. */
export function guarded<Output>(read: () => Output): Output {
  try {
    return read();
  } catch (thrown) {
    throw fromSqlite(thrown);
  }
}
