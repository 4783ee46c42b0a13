import { type Batcher, createBatcher, type Outcome } from '../../core/batcher.ts';
import type { SealedDiff } from '../../core/seal.ts';
import { CraError } from '../../domain/errors.ts';
import { STORE } from '../../limits.ts';
import type { RecordText } from '../../rpc/contract.ts';
import type { CallContext } from '../../rpc/service.ts';
import type { RecordsWriter } from '../store.ts';
import { takenId } from '../stored-record.ts';
import { DUPLICATE_KEY, writeApart } from './bulk.ts';
import type { Collections, MongoConnection } from './connection.ts';
import { type StagedDiff, stageDiff, writeChunks } from './diff-chunks.ts';
import type { DiffReference, RfcDocument } from './documents.ts';
import { createDraftSteps } from './draft-steps.ts';
import { type CountedChange, countChanges } from './history-counter.ts';
import { fromCode, fromMongo } from './mongo-error.ts';
import { QUERIES } from './queries.ts';
import { newDocument, sizeOf } from './record-documents.ts';

export interface RecordsWriterOptions {
  connection: MongoConnection;
  /** The name of this daemon. */
  instance: string;
  /** Ms since the epoch. */
  now: () => number;
}

/**
 * The writing methods of Records. An insert passes three group commits, each with its own batch
 * in flight: its diff, its record (which refers to the diff, so it comes after), its change.
 * `drained` refuses new writes and resolves when those that wait are settled.
 */
export function createRecordsWriter({ connection, instance, now }: RecordsWriterOptions): {
  records: RecordsWriter;
  drained(): Promise<void>;
} {
  const { collections } = connection;
  const drafts = createDraftSteps({ rfcs: collections.rfcs, instance, now });
  const diffs = createDiffBatcher(collections);
  const inserts = createInsertBatcher(collections);
  const changes = createChangeBatcher(collections);

  async function writeDiff(
    rfcId: string,
    diff: SealedDiff,
    call: CallContext,
  ): Promise<DiffReference> {
    const staged = stageDiff(rfcId, diff, now());
    await diffs.submit(staged, call);
    return staged.reference;
  }

  async function insert(
    record: RecordText,
    diff: SealedDiff | null,
    call: CallContext,
  ): Promise<{ rev: number }> {
    checkSize(record);
    const reference = diff === null ? null : await writeDiff(record.rfc_id, diff, call);
    await inserts.submit({ record, document: newDocument(record, reference, instance) }, call);
    const { change: entry, tenant_id, repo_name } = record;
    if (entry !== null) await changes.submit({ tenant_id, repo_name, entry }, null);
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

const LIMITS = {
  batchMax: STORE.BATCH_MAX,
  batchBytesMax: STORE.BATCH_BYTES_MAX,
  pendingMax: STORE.PENDING_MAX,
};
const DONE: Outcome<null> = { ok: true, value: null };

function createDiffBatcher({ diffs }: Collections): Batcher<StagedDiff, null> {
  return createBatcher({
    ...LIMITS,
    weigh: ({ chunks }) => chunks.reduce((bytes, { data }) => bytes + data.length(), 0),
    async commit(batch) {
      await writeChunks(
        diffs,
        batch.flatMap(({ chunks }) => chunks),
      );
      return batch.map(() => DONE);
    },
  });
}

interface Insert {
  record: RecordText;
  document: RfcDocument;
}

function createInsertBatcher({ rfcs }: Collections): Batcher<Insert, null> {
  async function commit(batch: readonly Insert[]): Promise<Outcome<null>[]> {
    const failed = await writeApart(
      rfcs,
      batch.map(({ document }) => ({ insertOne: { document } })),
    );
    const isTaken = (index: number) => failed.get(index) === DUPLICATE_KEY;
    const known = await findKnown(batch.filter((_, index) => isTaken(index)));
    return batch.map(({ record }, index) => {
      if (!failed.has(index)) return DONE;
      if (!isTaken(index)) return { ok: false, error: fromCode(failed.get(index)) };
      return outcomeOfTaken(record, known.get(record.rfc_id));
    });
  }

  async function findKnown(taken: readonly Insert[]): Promise<Map<string, Known>> {
    if (taken.length === 0) return new Map();
    const { filter, options } = QUERIES.known(taken.map(({ record }) => record.rfc_id));
    const found = await rfcs.find(filter, options).toArray();
    return new Map(found.map((document) => [document._id, document]));
  }

  return createBatcher({ ...LIMITS, weigh: ({ record }) => sizeOf(record), commit });
}

type Known = Pick<RfcDocument, 'tenant_id' | 'json' | 'deleted'>;

/** The same record again is accepted; nothing of it is written twice. */
function outcomeOfTaken(record: RecordText, known: Known | undefined): Outcome<null> {
  // The other insert of this id is not yet on a majority: it may still be lost.
  if (known === undefined) return { ok: false, error: unconfirmed() };
  const isSame =
    known.deleted !== true && known.tenant_id === record.tenant_id && known.json === record.json;
  return isSame ? DONE : { ok: false, error: takenId() };
}

function unconfirmed(): CraError {
  return new CraError('UNAVAILABLE', 'another write of this RFC is not confirmed yet');
}

function createChangeBatcher(collections: Collections): Batcher<CountedChange, null> {
  return createBatcher({
    ...LIMITS,
    batchMax: STORE.HISTORY_BATCH_MAX,
    weigh: () => 0,
    async commit(batch) {
      try {
        await countChanges(collections, batch);
      } catch (thrown) {
        throw fromMongo(thrown);
      }
      return batch.map(() => DONE);
    },
  });
}

function checkSize(record: RecordText): void {
  if (sizeOf(record) <= STORE.RECORD_BYTES_MAX) return;
  throw new CraError('INVALID_ARGUMENT', 'the record is too large to be stored');
}
