import { setTimeout as delay } from 'node:timers/promises';
import type { Collection, Db, Document, IndexDescription } from 'mongodb';
import { ENTRY } from '../../audit/limits.ts';
import type { AuditKind, AuditPhase } from '../../model/audit.ts';
import { CraError } from '../../model/errors.ts';
import { MONGO_TRAIL } from './limits.ts';
import { bounded, isDuplicate, reasonOf } from './operations.ts';

/** The collection of the trail, in a database of its own. */
export const AUDIT_COLLECTION = 'audit';

/** An operation has at most one entry of each slot; an outcome is done, refused or aborted. */
type AuditSlot = 'intent' | 'outcome' | 'whole';

/** An entry as it is kept: `entry` is what counts, the rest is there to be searched. */
export interface AuditDocument {
  /** `chain:seq` */
  _id: string;
  chain: string;
  seq: number;
  op_id: string;
  slot: AuditSlot;
  phase: AuditPhase;
  kind: AuditKind;
  /** By the clock of the daemon that wrote it. */
  ts: Date;
  /** The canonical JSON of the AuditEntry. */
  entry: string;
}

export type AuditCollection = Collection<AuditDocument>;

/** The slot of an entry of this phase among those of its operation. */
export function slotOf(phase: AuditPhase): AuditSlot {
  if (phase === 'intent' || phase === 'whole') return phase;
  return 'outcome';
}

/** BSON around the text: names, ids (twice an op_id of 255 characters of 4 bytes), a date. */
const DOCUMENT_OVERHEAD_BYTES = 4 * 1024;

/** Options of `create`; the validator refuses other documents, and entries that are too large. */
export function auditCollectionOptions(cappedBytes: number) {
  return {
    capped: true,
    size: cappedBytes,
    validator: AUDIT_VALIDATOR,
    validationLevel: 'strict',
    validationAction: 'error',
  } as const;
}

const TEXT = { bsonType: 'string' } as const;

const AUDIT_VALIDATOR: Document = {
  $jsonSchema: {
    bsonType: 'object',
    additionalProperties: false,
    required: ['_id', 'chain', 'seq', 'op_id', 'slot', 'phase', 'kind', 'ts', 'entry'],
    properties: {
      _id: TEXT,
      chain: TEXT,
      seq: { bsonType: ['int', 'long', 'double'], minimum: 1 },
      op_id: TEXT,
      slot: { enum: ['intent', 'outcome', 'whole'] },
      phase: { enum: ['whole', 'intent', 'done', 'refused', 'aborted'] },
      kind: TEXT,
      ts: { bsonType: 'date' },
      entry: TEXT,
    },
  },
  $expr: { $lte: [{ $bsonSize: '$$ROOT' }, ENTRY.ENTRY_BYTES_MAX + DOCUMENT_OVERHEAD_BYTES] },
};

/** One entry for each place of a chain, one for each slot of an operation; and intents by time. */
export const AUDIT_INDEXES = [
  { name: 'place', key: { chain: 1, seq: 1 }, unique: true },
  { name: 'deed', key: { op_id: 1, slot: 1 }, unique: true },
  {
    name: 'intents',
    key: { slot: 1, ts: 1, op_id: 1 },
    partialFilterExpression: { slot: 'intent' },
  },
] as const satisfies readonly IndexDescription[];

/** The collection, acknowledged by a majority and journaled, read as the majority has it. */
export function auditCollection(database: Db): AuditCollection {
  return database.collection<AuditDocument>(AUDIT_COLLECTION, {
    writeConcern: { w: 'majority', j: true },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
  });
}

/** What became of documents that were given in order. */
interface Written {
  /** So many of them, from the first, are durable now. */
  count: number;
  /** The entry that has the op_id and slot of the next one: that one can never be written. */
  blockedBy: AuditDocument | null;
}

interface WriteOptions {
  /** Ends the attempts; what they did stays unknown. */
  signal: AbortSignal;
  /** Called before each new attempt; a sentence for the operator. */
  onTrouble(reason: string): void;
}

/**
 * Writes the next documents of a chain, in order, until it is known which of them are durable.
 * An attempt whose outcome is unknown (no answer, no majority, whatever error) is followed by one
 * with the same bytes: only so can an earlier one, which may still be on its way, do no harm.
 * Rejects with UNKNOWN when `signal` ends it, and with DATA_LOSS when another writer has taken a
 * place of the chain.
 */
export async function writeUntilKnown(
  database: Db,
  documents: readonly AuditDocument[],
  { signal, onTrouble }: WriteOptions,
): Promise<Written> {
  const audit = auditCollection(database);
  let count = 0;
  let waitMs: number = MONGO_TRAIL.RETRY_MS_MIN;
  for (;;) {
    const attempt = insert(database, documents.slice(count));
    const failure = await bounded(attempt, MONGO_TRAIL.ATTEMPT_HUNG_MS).catch(
      (thrown: unknown) => thrown,
    );
    if (failure === null) return { count: documents.length, blockedBy: null };
    const reading = readBack(audit, documents.slice(count), failure);
    const found = await bounded(reading, MONGO_TRAIL.ATTEMPT_HUNG_MS).catch(unreadable);
    count += found.present;
    if (count === documents.length || found.blockedBy !== null) {
      return { count, blockedBy: found.blockedBy };
    }
    if (found.present > 0) continue;
    onTrouble(reasonOf(failure));
    await delay(waitMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) {
      throw new CraError('UNKNOWN', 'it is not known whether the audit trail has the entry');
    }
    waitMs = Math.min(waitMs * 2, MONGO_TRAIL.RETRY_MS_MAX);
  }
}

/** Null when all are durable, else the first thing that failed. */
async function insert(database: Db, documents: readonly AuditDocument[]): Promise<unknown> {
  try {
    const answer = await database.command({
      insert: AUDIT_COLLECTION,
      documents,
      ordered: true,
      writeConcern: { w: 'majority', j: true, wtimeout: MONGO_TRAIL.ATTEMPT_MS },
    });
    return failureIn(answer);
  } catch (thrown) {
    return thrown;
  }
}

interface InsertFailure {
  code: number;
  codeName?: string;
  errmsg?: string;
}

/** The driver gives the answer of a raw command as it is. */
function failureIn(answer: Document): unknown {
  const errors = (answer['writeErrors'] ?? []) as InsertFailure[];
  const failure = errors[0] ?? (answer['writeConcernError'] as InsertFailure | undefined);
  return failure === undefined ? null : new InsertError(failure);
}

class InsertError extends Error {
  readonly code: number;

  constructor({ code, codeName, errmsg }: InsertFailure) {
    super(codeName ?? errmsg?.slice(0, 100) ?? `error ${code}`);
    this.code = code;
  }
}

interface Found {
  present: number;
  blockedBy: AuditDocument | null;
}

/** After a failed read nothing is known: the next attempt tells. */
function unreadable(thrown: unknown): Found {
  if (thrown instanceof CraError && thrown.code === 'DATA_LOSS') throw thrown;
  return { present: 0, blockedBy: null };
}

/** What the majority has of these documents, and what keeps the first that it has not out. */
async function readBack(
  audit: AuditCollection,
  documents: readonly AuditDocument[],
  failure: unknown,
): Promise<Found> {
  const [first] = documents;
  if (first === undefined) return { present: 0, blockedBy: null };
  const stored = await audit
    .find({ chain: first.chain, seq: { $gte: first.seq, $lt: first.seq + documents.length } })
    .sort({ seq: 1 })
    .maxTimeMS(MONGO_TRAIL.ATTEMPT_MS)
    .toArray();
  for (const [index, { seq, entry }] of stored.entries()) {
    const own = documents[index];
    if (own?.seq === seq && own.entry === entry) continue;
    throw new CraError('DATA_LOSS', 'another process has written to the chain of this daemon');
  }
  const next = documents[stored.length];
  if (next === undefined || !isDuplicateFailure(failure)) {
    return { present: stored.length, blockedBy: null };
  }
  const { op_id, slot } = next;
  const blockedBy = await audit.findOne({ op_id, slot }, { maxTimeMS: MONGO_TRAIL.ATTEMPT_MS });
  // The one that the majority has: a place of ours may have been filled since the look before.
  return { present: stored.length, blockedBy: blockedBy?._id === next._id ? null : blockedBy };
}

function isDuplicateFailure(failure: unknown): boolean {
  return isDuplicate(failure) || (failure instanceof InsertError && failure.code === 11000);
}
