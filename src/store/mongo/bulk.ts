import {
  type AnyBulkWriteOperation,
  type Collection,
  type Document,
  MongoBulkWriteError,
} from 'mongodb';
import { STORE } from '../../limits.ts';
import { CraError } from '../../model/errors.ts';
import { fromMongo } from './errors.ts';

/**
 * By whom a write is confirmed: a majority, in their journals, which is durable; or the primary
 * alone, which is visible to the next write and durable when a later one of its term is.
 */
export type Confirmation = 'majority' | 'primary';

/**
 * Runs operations in any order. Resolves with the codes of those that
 * failed alone, by index. Rejects when nothing is known of any: the connection was lost, or the
 * majority did not confirm.
 */
export async function writeApart<Of extends Document>(
  collection: Collection<Of>,
  operations: readonly AnyBulkWriteOperation<Of>[],
  confirmation: Confirmation = 'majority',
): Promise<Map<number, number | undefined>> {
  try {
    const writeConcern = confirmation === 'primary' ? { writeConcern: { w: 1 } } : {};
    await bounded(collection.bulkWrite(operations, { ordered: false, ...writeConcern }));
    return new Map();
  } catch (thrown) {
    const errors = thrown instanceof MongoBulkWriteError ? [thrown.writeErrors].flat() : [];
    const isConfirmed =
      thrown instanceof MongoBulkWriteError && thrown.result.getWriteConcernError() === undefined;
    if (errors.length === 0 || !isConfirmed) throw fromMongo(thrown);
    return new Map(errors.map(({ index, code }) => [index, code]));
  }
}

/** Code of the server for a write that met a unique key. */
export const DUPLICATE_KEY = 11_000;

/**
 * Gives an operation up that never ends. The driver has a gap: it waits for the `drain` of a
 * socket that was destroyed just before it wrote to it (Connection.writeCommand, seen with 7.8.0
 * when a server is killed), and no timeout of its own ends that. A caller that lets others wait for
 * an operation bounds it, so that one lost answer does not stop them all. UNAVAILABLE: it may have
 * happened.
 */
export async function bounded<Output>(
  operation: Promise<Output>,
  ms: number = STORE.HUNG_MS,
): Promise<Output> {
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new CraError('UNAVAILABLE', 'the database of the store does not answer'));
    }, ms);
  });
  try {
    return await Promise.race([operation, hung]);
  } finally {
    clearTimeout(timer);
  }
}
