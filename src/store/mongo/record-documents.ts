import { Binary, type Collection, type Document, ObjectId, Timestamp } from 'mongodb';
import { type Batcher, createBatcher, type Outcome } from '../../core/batcher.ts';
import type { SealedDiff } from '../../core/seal.ts';
import { CraError } from '../../model/errors.ts';
import { PULL_REQUEST_REF } from '../../model/push.ts';
import type { RecordText, RfcRecord } from '../../model/records.ts';
import { openEmergency } from '../../model/release.ts';
import type { EventLane } from '../contract/events.ts';
import { duplicateRfc, expiredDiff, incompleteDiff } from '../errors.ts';
import { MONGO } from '../limits.ts';
import { repoKey, searchedOf } from '../stored-record.ts';
import type { MongoConnection } from './database.ts';
import type { DiffChunkDocument, DiffReference, PushFields, RfcDocument } from './documents.ts';
import { pendingEvents } from './events.ts';
import {
  BATCHES,
  type Confirmation,
  DUPLICATE_KEY,
  fromCode,
  fromMongo,
  passBarrier,
  writeApart,
} from './operations.ts';
import { findAll, ownBytes, QUERIES } from './queries.ts';
import { changedTrend, newTrend } from './trends.ts';

/** What a new document has besides its record. */
interface NewDocument {
  diff: DiffReference | null;
  /** Of a push, which no daemon holds. */
  push: PushFields | null;
  /** The daemon to which any other DRAFT belongs. */
  instance: string;
  /** Ms since the epoch. */
  nowMs: number;
  lanes: readonly EventLane[];
}

/** A new record as a document. */
export function newDocument(record: RecordText, options: NewDocument): RfcDocument {
  const { diff, push, instance, nowMs, lanes } = options;
  const events = pendingEvents(record.events, lanes);
  const isOwned = record.overall_status === 'DRAFT' && push === null;
  const { vcs_host: host } = record;
  return {
    _id: record.rfc_id,
    tenant_id: record.tenant_id,
    repo_key: repoKey(record.repo_name),
    branch: record.branch,
    commit_sha: record.commit_sha,
    status: record.overall_status,
    rev: record.rev,
    fence: 0,
    seq: new Timestamp({ t: 0, i: 0 }),
    created_at: record.created_at,
    summary: record.summary,
    json: record.json,
    diff,
    owner: isOwned ? instance : null,
    lease_until: null,
    trend: newTrend(record.trend),
    ...(record.components.length === 0 ? {} : { components: record.components }),
    texts: record.texts,
    ...(push === null ? {} : { push }),
    ...(host === null ? {} : { vcs: { host, due: new Date(nowMs), posted: null } }),
    ...(events.length === 0 ? {} : { events }),
  };
}

/** Size of a record in the store, about; in characters, as most are ASCII. */
function sizeOf(record: RecordText): number {
  return record.json.length + record.summary.length;
}

/** INVALID_ARGUMENT for a record that no document can hold. */
export function checkSize(record: RecordText): void {
  if (sizeOf(record) <= MONGO.RECORD_BYTES_MAX) return;
  throw new CraError('INVALID_ARGUMENT', 'the record is too large to be stored');
}

/**
 * Parts of the `$set` of a pipeline: what of a document changes with its record. A status and what
 * follows from it (an accepted head, a status that is due) are one update, so that they are
 * never apart.
 */

/**
 * The record as readers get it, and what the trends count of it. In a pipeline a text that begins
 * with `$` would be the name of a field.
 */
export function texts(record: RecordTexts): Document {
  const { json, summary, trend, components } = record;
  return {
    json: { $literal: json },
    summary: { $literal: summary },
    components: components.length === 0 ? '$$REMOVE' : { $literal: components },
    texts: { $literal: record.texts },
    ...changedTrend(trend),
  };
}

type RecordTexts = Pick<RecordText, 'json' | 'summary' | 'trend' | 'components' | 'texts'>;

/** Of a push that is not a DRAFT any more: no daemon holds it, and its head counts or does not. */
export function judgedPush(record: RfcRecord): Document {
  const { isAccepted, isUnjudged, dependsOn } = searchedOf(record);
  const freed = { $mergeObjects: ['$push', { owner: null }] };
  const judged = withFlag('accepted', isAccepted, withFlag('unjudged', isUnjudged, freed));
  const value = dependsOn.length > 0 ? { $literal: dependsOn } : '$$REMOVE';
  const rests = { $setField: { field: 'rests_on', input: judged, value } };
  const landed = record.landed_blocked === undefined ? '$$REMOVE' : true;
  return { push: ifPresent('$push', rests), landed };
}

/**
 * Of a push whose head is revoked (`headRevoked`, by fields of the document): verdicts may
 * depend on it still. Revoked is a rejected or reopened push, and a push that counted until now.
 */
export function revoked(by: 'rejected' | 'reopened' | 'other'): Document {
  const fallen = {
    repo: '$push.repo',
    sha: '$commit_sha',
    is_rejected: { $literal: by === 'rejected' },
    at: '$$NOW',
  };
  const isPull = { $regexMatch: { input: '$push.ref', regex: PULL_REQUEST_REF } };
  const isLetPass = { $in: ['$status', ['PASSED', 'OVERRIDDEN', 'APPROVED']] };
  // Decisions about a pull request are carried to its merge.
  const carries = { $and: [isPull, isLetPass] };
  const counted = { $or: [{ $eq: ['$push.accepted', true] }, isPresent('$components'), carries] };
  const isPush = isPresent('$push');
  const isTaken = by === 'other' ? { $and: [isPush, counted] } : isPush;
  return { fallen: { $cond: [isTaken, fallen, { $ifNull: ['$fallen', '$$REMOVE'] }] } };
}

/** Of a record that a decision has changed: whether somebody has to review it, and until when. */
export function dueReview(record: Parameters<typeof openEmergency>[0]): Document {
  const open = openEmergency(record);
  return { review_due: open === null ? '$$REMOVE' : new Date(open.due_at) };
}

/** The status is due at the host `vcsHost` from `nowMs` on; null: at no host. */
export function dueStatus(vcsHost: string | null, nowMs: number): Document {
  if (vcsHost === null) return {};
  const due = { host: { $literal: vcsHost }, due: new Date(nowMs) };
  return { vcs: { $mergeObjects: [{ posted: null }, '$vcs', due] } };
}

/** A status is due only where posting began before. */
export function dueIfPosted(nowMs: number): Document {
  const again = { $mergeObjects: ['$vcs', { due: new Date(nowMs) }] };
  const never = { $unsetField: { field: 'due', input: '$vcs' } };
  const vcs = { $cond: [isPresent('$vcs.posted'), again, never] };
  return { vcs: ifPresent('$vcs', vcs) };
}

function withFlag(field: string, isSet: boolean, input: Document): Document {
  return { $setField: { field, input, value: isSet ? true : '$$REMOVE' } };
}

/** A document without the field stays as it is. */
function ifPresent(field: string, value: Document): Document {
  return { $cond: [isPresent(field), value, '$$REMOVE'] };
}

/** Neither absent nor null. */
function isPresent(field: string): Document {
  return { $gt: [field, null] };
}

/** A diff as documents, and what the record that it belongs to says of it. */
interface StagedDiff {
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
  const found = await findAll(collection, QUERIES.chunks(id));
  if (found.length === 0) throw expiredDiff();
  if (found.length !== chunks) throw incompleteDiff();
  return { chunks: found.map(({ data }) => ownBytes(data)), bytes };
}

/** Writes chunks; chunks that exist are left as they are. */
async function writeChunks(
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
 * term changed in between, the diffs are written again before anybody is answered.
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
      return outcomeOfDuplicate(record, known.get(record.rfc_id));
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
    const found = await findAll(rfcs, QUERIES.known(ids));
    return new Map(found.map((document) => [document._id, document]));
  }

  return createBatcher({
    commit,
    weigh: ({ record, chunks }) =>
      chunks.reduce((bytes, { data }) => bytes + data.length(), sizeOf(record)),
    ...BATCHES,
  });
}

const DONE: Outcome<Inserted> = { ok: true, value: 'written' };

function isPush({ document }: Insert): boolean {
  return document.push !== undefined;
}

type Known = Pick<RfcDocument, 'tenant_id' | 'json' | 'deleted'>;

/** The same record again is accepted; nothing of it is written twice. */
function outcomeOfDuplicate(record: RecordText, known: Known | undefined): Outcome<Inserted> {
  // An election took the other insert of this id back.
  if (known === undefined) return { ok: false, error: rolledBack() };
  const isSame =
    known.deleted !== true && known.tenant_id === record.tenant_id && known.json === record.json;
  return isSame ? DONE : { ok: false, error: duplicateRfc() };
}

/** For a write whose rival an election has just rolled back. */
export function rolledBack(): CraError {
  return new CraError(
    'UNAVAILABLE',
    'an election rolled back another write of this RFC: try again',
  );
}
