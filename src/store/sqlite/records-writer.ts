import { createBatcher } from '../../core/batcher.ts';
import type { SealedDiff } from '../../core/seal.ts';
import { STORE } from '../../limits.ts';
import type { RecordText } from '../../rpc/contract.ts';
import type { CallContext } from '../../rpc/service.ts';
import type { RecordsWriter } from '../store.ts';
import type { Connection } from './database.ts';
import type { DiffSegments } from './diff-segments.ts';
import { createRecordSteps } from './record-steps.ts';
import { createTransactions, type Operation } from './transactions.ts';

export interface RecordsWriterOptions {
  database: Connection;
  segments: DiffSegments;
  /** Ms since the epoch. */
  now: () => number;
}

/**
 * The writing methods of Records on an open database. `drained` refuses new writes and resolves
 * when those that wait are settled.
 */
export function createRecordsWriter({ database, segments, now }: RecordsWriterOptions): {
  records: RecordsWriter;
  drained(): Promise<void>;
} {
  const steps = createRecordSteps(database, segments, now);
  const batcher = createBatcher<Operation, unknown>({
    commit: createTransactions(database, segments),
    weigh: (operation) => operation.bytes,
    batchMax: STORE.BATCH_MAX,
    batchBytesMax: STORE.BATCH_BYTES_MAX,
    pendingMax: STORE.PENDING_MAX,
  });

  function write<Result>(bytes: number, run: () => Result, call: CallContext): Promise<Result> {
    // A batch gives each operation the value of its own `run`.
    return batcher.submit({ run, bytes }, call) as Promise<Result>;
  }

  return {
    records: {
      insertRfc: ({ record, diff }, call) =>
        write(sizeOf(record, diff), () => steps.insert(record, diff), call),
      completeDraft: ({ record, expectedRev }, call) =>
        write(sizeOf(record, null), () => steps.complete(record, expectedRev), call),
      startAttempt: ({ tenant_id, rfc_id, expectedRev }, call) =>
        write(0, () => steps.startAttempt(tenant_id, rfc_id, expectedRev), call),
      ping: (_input, call) => write(0, steps.touch, call),
    },
    drained: batcher.close,
  };
}

function sizeOf(record: RecordText, diff: SealedDiff | null): number {
  let bytes = record.json.length + record.summary.length;
  for (const chunk of diff?.chunks ?? []) bytes += chunk.length;
  return bytes;
}
