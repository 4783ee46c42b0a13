import { type Batcher, createBatcher, type Outcome } from '../../core/batcher.ts';
import { CraError } from '../../model/errors.ts';
import type { RecordText } from '../../model/records.ts';
import { STORE } from '../contract/limits.ts';
import { takenId } from '../errors.ts';
import type { MongoConnection } from './database.ts';
import type { DiffChunkDocument, RfcDocument } from './documents.ts';
import { DUPLICATE_KEY, fromCode, fromMongo, passBarrier, writeApart } from './operations.ts';
import { QUERIES } from './queries.ts';
import { sizeOf, writeChunks } from './record-documents.ts';

/** A record with its diff, ready to be written. */
export interface Insert {
  record: RecordText;
  document: RfcDocument;
  chunks: readonly DiffChunkDocument[];
}

/** `known`: of a push, whose id or one of whose keys is taken; nothing of it was written. */
export type Inserted = 'written' | 'known';

/**
 * Group commit of new records. The diffs of a batch are written and confirmed before its records,
 * and it costs one wait for the majority: a primary replicates what it took in order, so records
 * that a majority confirmed within the term that took their diffs make these durable, too. If the
 * term changed in between, the diffs are written again before anybody hears of success.
 */
export function createInsertBatcher(connection: MongoConnection): Batcher<Insert, Inserted> {
  const { rfcs, diffs, meta } = connection.collections;

  async function commit(batch: readonly Insert[]): Promise<Outcome<Inserted>[]> {
    try {
      return await write(batch);
    } catch (thrown) {
      throw fromMongo(thrown);
    }
  }

  async function write(batch: readonly Insert[]): Promise<Outcome<Inserted>[]> {
    const chunks = batch.flatMap((insert) => insert.chunks);
    if (chunks.length === 0) return await insertRecords(batch);
    const term = connection.term();
    await writeChunks(diffs, chunks, term === null ? 'majority' : 'primary');
    try {
      return await insertRecords(batch);
    } finally {
      if (term !== null && connection.term() !== term) await writeAgain(chunks);
    }
  }

  async function insertRecords(batch: readonly Insert[]): Promise<Outcome<Inserted>[]> {
    const failed = await writeApart(
      rfcs,
      batch.map(({ document }) => ({ insertOne: { document } })),
    );
    const isTaken = (index: number) => failed.get(index) === DUPLICATE_KEY;
    // The caller knows the keys of a push, and looks up which one is taken.
    const known = await findKnown(batch.filter((each, index) => isTaken(index) && !isPush(each)));
    return batch.map((each, index) => {
      const { record } = each;
      if (!failed.has(index)) return DONE;
      if (!isTaken(index)) return { ok: false, error: fromCode(failed.get(index)) };
      if (isPush(each)) return { ok: true, value: 'known' };
      return outcomeOfTaken(record, known.get(record.rfc_id));
    });
  }

  /** INTERNAL when it fails: the records may be there, but they must not be taken for whole. */
  async function writeAgain(chunks: readonly DiffChunkDocument[]): Promise<void> {
    try {
      await writeChunks(diffs, chunks, 'majority');
    } catch (cause) {
      throw new CraError('INTERNAL', 'the diff of this RFC may be lost: post it again', { cause });
    }
  }

  async function findKnown(taken: readonly Insert[]): Promise<Map<string, Known>> {
    const ids = taken.map(({ record }) => record.rfc_id);
    const known = await readKnown(ids);
    if (ids.every((id) => known.has(id))) return known;
    // Another daemon wrote one of them just now, and a majority does not have it yet. What comes
    // after it does when it is confirmed itself.
    await passBarrier(meta);
    return await readKnown(ids);
  }

  async function readKnown(ids: readonly string[]): Promise<Map<string, Known>> {
    if (ids.length === 0) return new Map();
    const { filter, options } = QUERIES.known(ids);
    const found = await rfcs.find(filter, options).toArray();
    return new Map(found.map((document) => [document._id, document]));
  }

  return createBatcher({
    commit,
    weigh: ({ record, chunks }) =>
      chunks.reduce((bytes, { data }) => bytes + data.length(), sizeOf(record)),
    batchMax: STORE.BATCH_MAX,
    batchBytesMax: STORE.BATCH_BYTES_MAX,
    pendingMax: STORE.PENDING_MAX,
  });
}

const DONE: Outcome<Inserted> = { ok: true, value: 'written' };

function isPush({ document }: Insert): boolean {
  return document.push !== undefined;
}

type Known = Pick<RfcDocument, 'tenant_id' | 'json' | 'deleted'>;

/** The same record again is accepted; nothing of it is written twice. */
function outcomeOfTaken(record: RecordText, known: Known | undefined): Outcome<Inserted> {
  // An election took the other insert of this id back.
  if (known === undefined) return { ok: false, error: takenBack() };
  const isSame =
    known.deleted !== true && known.tenant_id === record.tenant_id && known.json === record.json;
  return isSame ? DONE : { ok: false, error: takenId() };
}

/** For a write whose rival an election has just rolled back. */
export function takenBack(): CraError {
  return new CraError(
    'UNAVAILABLE',
    'an election rolled back another write of this RFC: try again',
  );
}
