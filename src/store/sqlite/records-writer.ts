import type { SealedDiff } from '../../core/seal.ts';
import type { RecordText } from '../../model/record-text.ts';
import type { RecordsWriter } from '../contract/records.ts';
import type { Connection } from './database.ts';
import type { DiffSegments } from './diff-segments.ts';
import type { GroupCommit } from './group-commit.ts';
import { createRecordSteps } from './record-steps.ts';

export interface RecordsWriterOptions {
  database: Connection;
  segments: DiffSegments;
  commits: GroupCommit;
  /** Ms since the epoch. */
  now: () => number;
}

/** The writing methods of Records on an open database. */
export function createRecordsWriter(options: RecordsWriterOptions): RecordsWriter {
  const { database, segments, now } = options;
  const { write } = options.commits;
  const steps = createRecordSteps(database, segments, now);
  return {
    insertRfc: ({ record, diff }, call) =>
      write(sizeOf(record, diff), () => steps.insert(record, diff), call),
    completeDraft: ({ record, expectedRev }, call) =>
      write(sizeOf(record, null), () => steps.complete(record, expectedRev), call),
    startAttempt: ({ tenant_id, rfc_id, expectedRev }, call) =>
      write(0, () => steps.startAttempt(tenant_id, rfc_id, expectedRev), call),
    ping: (_input, call) => write(0, steps.touch, call),
  };
}

function sizeOf(record: RecordText, diff: SealedDiff | null): number {
  let bytes = record.json.length + record.summary.length;
  for (const chunk of diff?.chunks ?? []) bytes += chunk.length;
  return bytes;
}
