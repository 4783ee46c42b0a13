import { type Batcher, createBatcher } from '../../core/batcher.ts';
import type { SealedDiff } from '../../core/seal.ts';
import { CraError } from '../../domain/errors.ts';
import { STORE } from '../../limits.ts';
import type { RecordText } from '../../rpc/contract.ts';
import type { CallContext } from '../../rpc/service.ts';
import type { RecordsWriter } from '../store.ts';
import type { Collections, MongoConnection } from './connection.ts';
import { stageDiff } from './diff-chunks.ts';
import { createDraftSteps } from './draft-steps.ts';
import { type CountedChange, countChanges } from './history-counter.ts';
import { createInsertBatcher } from './insert-batcher.ts';
import { fromMongo } from './mongo-error.ts';
import { newDocument, sizeOf } from './record-documents.ts';

export interface RecordsWriterOptions {
  connection: MongoConnection;
  /** The name of this daemon. */
  instance: string;
  /** Ms since the epoch. */
  now: () => number;
}

/**
 * The writing methods of Records. An insert passes two group commits at once: its diff with its
 * record, and its change. `drained` refuses new writes and resolves when those that run are
 * settled.
 */
export function createRecordsWriter({ connection, instance, now }: RecordsWriterOptions): {
  records: RecordsWriter;
  drained(): Promise<void>;
} {
  const { collections } = connection;
  const drafts = createDraftSteps({ rfcs: collections.rfcs, instance, now });
  const inserts = createInsertBatcher(connection);
  const changes = createChangeBatcher(collections);

  async function insert(
    record: RecordText,
    diff: SealedDiff | null,
    call: CallContext,
  ): Promise<{ rev: number }> {
    checkSize(record);
    const staged = diff === null ? null : stageDiff(record.rfc_id, diff, now());
    const document = newDocument(record, staged?.reference ?? null, instance);
    const { change: entry, tenant_id, repo_name } = record;
    const written = inserts.submit({ record, document, chunks: staged?.chunks ?? [] }, call);
    // Beside it, not after it: a change whose record is refused in the end does no harm.
    const counted = entry === null ? null : changes.submit({ tenant_id, repo_name, entry }, call);
    await Promise.allSettled([written, counted]);
    await written;
    await counted;
    return { rev: record.rev };
  }

  async function ping(): Promise<{ ok: true }> {
    try {
      const seen = [{ $set: { seen_at: '$$NOW' } }];
      await collections.meta.updateOne({ _id: `daemon:${instance}` }, seen, { upsert: true });
      return { ok: true };
    } catch (thrown) {
      throw fromMongo(thrown);
    }
  }

  /** An insert is between two batches at times: what runs is counted here. */
  const running = new Set<Promise<unknown>>();
  let isClosed = false;

  function tracked<Output>(write: () => Promise<Output>): Promise<Output> {
    if (isClosed) return Promise.reject(new CraError('UNAVAILABLE', 'the store is closing'));
    const result = write();
    running.add(result);
    const done = () => running.delete(result);
    result.then(done, done);
    return result;
  }

  return {
    records: {
      insertRfc: ({ record, diff }, call) => tracked(() => insert(record, diff, call)),
      completeDraft: ({ record, expectedRev }) =>
        tracked(async () => {
          checkSize(record);
          return await drafts.complete(record, expectedRev);
        }),
      startAttempt: ({ tenant_id, rfc_id, expectedRev }) =>
        tracked(() => drafts.startAttempt(tenant_id, rfc_id, expectedRev)),
      ping: () => tracked(ping),
    },
    async drained() {
      isClosed = true;
      await Promise.allSettled(running);
    },
  };
}

function createChangeBatcher(collections: Collections): Batcher<CountedChange, null> {
  return createBatcher({
    weigh: () => 0,
    batchMax: STORE.HISTORY_BATCH_MAX,
    batchBytesMax: STORE.BATCH_BYTES_MAX,
    pendingMax: STORE.PENDING_MAX,
    async commit(batch) {
      try {
        await countChanges(collections, batch);
      } catch (thrown) {
        throw fromMongo(thrown);
      }
      return batch.map(() => ({ ok: true, value: null }));
    },
  });
}

function checkSize(record: RecordText): void {
  if (sizeOf(record) <= STORE.RECORD_BYTES_MAX) return;
  throw new CraError('INVALID_ARGUMENT', 'the record is too large to be stored');
}
