import type { SealedDiff } from '../../core/seal.ts';
import { CraError } from '../../domain/errors.ts';
import { STORE } from '../../limits.ts';
import type { RecordText } from '../../rpc/contract.ts';
import type { CallContext } from '../../rpc/service.ts';
import type { RecordsWriter } from '../store.ts';
import type { MongoConnection } from './connection.ts';
import { stageDiff } from './diff-chunks.ts';
import { createDraftSteps } from './draft-steps.ts';
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
 * The writing methods of Records; inserts are committed in groups. `drained` refuses new writes
 * and resolves when those that run are settled.
 */
export function createRecordsWriter({ connection, instance, now }: RecordsWriterOptions): {
  records: RecordsWriter;
  drained(): Promise<void>;
} {
  const { collections } = connection;
  const drafts = createDraftSteps({ rfcs: collections.rfcs, instance, now });
  const inserts = createInsertBatcher(connection);

  async function insert(
    record: RecordText,
    diff: SealedDiff | null,
    call: CallContext,
  ): Promise<{ rev: number }> {
    checkSize(record);
    const staged = diff === null ? null : stageDiff(record.rfc_id, diff, now());
    const document = newDocument(record, staged?.reference ?? null, instance);
    await inserts.submit({ record, document, chunks: staged?.chunks ?? [] }, call);
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

  /** What runs: disconnecting waits for it. */
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

function checkSize(record: RecordText): void {
  if (sizeOf(record) <= STORE.RECORD_BYTES_MAX) return;
  throw new CraError('INVALID_ARGUMENT', 'the record is too large to be stored');
}
