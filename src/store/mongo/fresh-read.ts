import type { ClientSession, Collection, Db, Timestamp } from 'mongodb';
import { createBatcher } from '../../core/batcher.ts';
import { STORE } from '../../limits.ts';
import { bounded } from './bulk.ts';
import type { MetaDocument } from './documents.ts';
import { fromMongo } from './errors.ts';

/** What makes a read a fresh one: options of `find` and `findOne`. */
export interface Fresh {
  session: ClientSession;
  readConcern: { level: 'snapshot' };
}

/** Runs reads that see whatever was acknowledged before; each of them is given its options. */
export type FreshRead = <Output>(read: (fresh: Fresh) => Promise<Output>) => Promise<Output>;

/**
 * Reads that neither miss what was acknowledged nor see what is rolled back. Right after an
 * election "majority" alone may lie before a verdict, and before the rejection that took it back.
 * So a small write goes first: when a majority confirmed it, it has all that stood before it, and
 * the reads wait for its time ("causal consistency"), whichever server is primary by then.
 * "linearizable" promises the same of one document, with such a write behind each read; but it
 * waits for the next flush of the journal, which took 100 ms on an idle server where this took 4,
 * and here one write serves every read of a call, and all calls that come while another one runs.
 *
 * Each read is of one moment ("snapshot"). With "majority" a scan that lets writes through in
 * between goes on with what there is then: a record whose change of status moved it within the
 * index, from what is to come to what was read, is in neither. The newest RFC, BLOCKED just now,
 * would be missed, and an older one that PASSED taken for it.
 */
export function createFreshRead(db: Db): FreshRead {
  const { client } = db;
  const meta = db.collection<MetaDocument>('meta');
  const barrier = createBatcher<null, Timestamp | undefined>({
    async commit(batch) {
      const passing = client.withSession(async (session) => {
        await passBarrier(meta, session);
        return session.operationTime;
      });
      const at = await bounded(passing).catch((thrown: unknown) => {
        throw fromMongo(thrown);
      });
      return batch.map(() => ({ ok: true, value: at }));
    },
    weigh: () => 0,
    batchMax: STORE.PENDING_MAX,
    batchBytesMax: STORE.BATCH_BYTES_MAX,
    pendingMax: STORE.PENDING_MAX,
  });

  return async (read) => {
    const at = await barrier.submit(null, null);
    return await client.withSession({ causalConsistency: true }, (session) => {
      if (at !== undefined) session.advanceOperationTime(at);
      return read({ session, readConcern: { level: 'snapshot' } });
    });
  };
}

/** A write that a majority confirms, and with it whatever the primary took before. */
export async function passBarrier(
  meta: Collection<MetaDocument>,
  session?: ClientSession,
): Promise<void> {
  const options = session === undefined ? {} : { session };
  // It must change something: else nothing is written, and a former primary might confirm it.
  const passed = { $add: [{ $ifNull: ['$passed', 0] }, 1] };
  await meta.updateOne({ _id: 'barrier' }, [{ $set: { passed } }], { upsert: true, ...options });
}
