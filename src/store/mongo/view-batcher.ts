import type { Collection } from 'mongodb';
import { type Batcher, createBatcher } from '../../core/batcher.ts';
import { STORE } from '../../limits.ts';
import { unknownRfc } from '../stored-record.ts';
import { bounded } from './bounded.ts';
import type { RfcDocument } from './documents.ts';
import { fromMongo } from './mongo-error.ts';
import { QUERIES } from './queries.ts';

export interface ViewKey {
  tenant_id: string;
  rfc_id: string;
}

export type View = Pick<RfcDocument, 'status' | 'rev' | 'json'>;

/**
 * Reads of single records, grouped: those that come while a query runs share the next one, for a
 * query costs the driver ten times what a document in it does. Each begins after it was asked for,
 * so it sees what was acknowledged by then. NOT_FOUND as for every read.
 */
export function createViewBatcher(rfcs: Collection<RfcDocument>): Batcher<ViewKey, View> {
  return createBatcher({
    weigh: () => 0,
    batchMax: STORE.READ_BATCH_MAX,
    batchBytesMax: STORE.BATCH_BYTES_MAX,
    pendingMax: STORE.PENDING_MAX,
    async commit(batch) {
      const { filter, options } = QUERIES.views(batch.map(({ rfc_id }) => rfc_id));
      const reading = bounded(rfcs.find(filter, options).toArray(), STORE.ANSWER_MS);
      const found = await reading.catch((thrown: unknown) => {
        throw fromMongo(thrown);
      });
      const byId = new Map(found.map((document) => [document._id, document]));
      return batch.map(({ tenant_id, rfc_id }) => {
        const view = byId.get(rfc_id);
        return view?.tenant_id === tenant_id
          ? { ok: true, value: view }
          : { ok: false, error: unknownRfc() };
      });
    },
  });
}
