import type { RfcStatus } from '../../model/rfc.ts';
import { fromSqlite } from './errors.ts';

/** A record as it stands in a row. */
export interface ViewRow {
  status: RfcStatus;
  rev: number;
  json: Buffer;
}

/** Runs a read; what SQLite throws reaches the caller as a CraError. */
export function guarded<Output>(read: () => Output): Output {
  try {
    return read();
  } catch (thrown) {
    throw fromSqlite(thrown);
  }
}

/** The same bytes in an ArrayBuffer that holds nothing else, so that it can be transferred. */
export function ownBytes(bytes: Buffer): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
