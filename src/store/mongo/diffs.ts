import { Binary, type Collection, ObjectId } from 'mongodb';
import type { SealedDiff } from '../../core/seal.ts';
import { goneDiff, incompleteDiff } from '../errors.ts';
import type { DiffChunkDocument, DiffReference } from './documents.ts';
import { fromCode } from './errors.ts';
import { type Confirmation, DUPLICATE_KEY, writeApart } from './operations.ts';
import { ownBytes, QUERIES } from './queries.ts';

/** A diff as documents, and what the record that it belongs to says of it. */
export interface StagedDiff {
  reference: DiffReference;
  chunks: DiffChunkDocument[];
}

/** Gives a diff its place. What was written there and has no record ends with its retention. */
export function stageDiff(rfcId: string, diff: SealedDiff, nowMs: number): StagedDiff {
  const id = new ObjectId();
  const written_at = new Date(nowMs);
  return {
    reference: { id, chunks: diff.chunks.length, bytes: diff.bytes },
    chunks: diff.chunks.map((chunk, index) => ({
      _id: { diff: id, chunk: index },
      rfc_id: rfcId,
      written_at,
      data: new Binary(chunk),
    })),
  };
}

/** Reads a diff. NOT_FOUND when its retention is over, DATA_LOSS when a part is missing. */
export async function readDiff(
  collection: Collection<DiffChunkDocument>,
  { id, chunks, bytes }: DiffReference,
): Promise<SealedDiff> {
  const { filter, options } = QUERIES.chunks(id);
  const found = await collection.find(filter, options).toArray();
  if (found.length === 0) throw goneDiff();
  if (found.length !== chunks) throw incompleteDiff();
  return { chunks: found.map(({ data }) => ownBytes(data)), bytes };
}

/** Writes chunks; those that are there already are left as they are. */
export async function writeChunks(
  collection: Collection<DiffChunkDocument>,
  chunks: readonly DiffChunkDocument[],
  confirmation: Confirmation,
): Promise<void> {
  const failed = await writeApart(
    collection,
    chunks.map((document) => ({ insertOne: { document } })),
    confirmation,
  );
  for (const code of failed.values()) if (code !== DUPLICATE_KEY) throw fromCode(code);
}
