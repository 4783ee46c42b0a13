import { fromSqlite } from './sqlite-error.ts';

/** Runs a read; what SQLite throws reaches the caller as a CraError. */
export function guarded<Output>(read: () => Output): Output {
  try {
    return read();
  } catch (thrown) {
    throw fromSqlite(thrown);
  }
}
