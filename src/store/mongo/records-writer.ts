import type { Batcher } from '../../core/batcher.ts';
import type { SealedDiff } from '../../core/seal.ts';
import type { RecordText } from '../../model/record-text.ts';
import type { CallContext } from '../../rpc/service.ts';
import type { RecordsWriter } from '../contract/records.ts';
import type { MongoConnection } from './connection.ts';
import { stageDiff } from './diff-chunks.ts';
import { createDraftSteps } from './draft-steps.ts';
import type { Insert, Inserted } from './insert-batcher.ts';
import { fromMongo } from './mongo-error.ts';
import { checkSize, newDocument } from './record-documents.ts';
import type { Track } from './running-calls.ts';

export interface RecordsWriterOptions {
  connection: MongoConnection;
  inserts: Batcher<Insert, Inserted>;
  /** Knows of every write until it is settled. */
  track: Track;
  /** The name of this daemon. */
  instance: string;
  /** Ms since the epoch. */
  now: () => number;
}

/** The writing methods of Records; inserts are committed in groups. */
export function createRecordsWriter(options: RecordsWriterOptions): RecordsWriter {
  const { inserts, track, instance, now } = options;
  const { collections } = options.connection;
  const drafts = createDraftSteps({ collections, instance, now });

  async function insert(
    record: RecordText,
    diff: SealedDiff | null,
    call: CallContext,
  ): Promise<{ rev: number }> {
    checkSize(record);
    const staged = diff === null ? null : stageDiff(record.rfc_id, diff, now());
    const diffOf = staged?.reference ?? null;
    const document = newDocument(record, { diff: diffOf, push: null, instance, nowMs: now() });
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

  return {
    insertRfc: ({ record, diff }, call) => track(() => insert(record, diff, call)),
    completeDraft: ({ record, expectedRev }) =>
      track(async () => {
        checkSize(record);
        return await drafts.complete(record, expectedRev);
      }),
    startAttempt: ({ tenant_id, rfc_id, expectedRev }) =>
      track(() => drafts.startAttempt(tenant_id, rfc_id, expectedRev)),
    ping: () => track(ping),
  };
}
