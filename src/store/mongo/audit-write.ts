import { setTimeout as delay } from 'node:timers/promises';
import type { Db, Document } from 'mongodb';
import { AUDIT } from '../../limits.ts';
import { CraError } from '../../model/errors.ts';
import {
  AUDIT_COLLECTION,
  type AuditCollection,
  type AuditDocument,
  auditCollection,
} from './audit-collection.ts';
import { bounded } from './bulk.ts';
import { isDuplicate, reasonOf } from './errors.ts';

/** What became of documents that were given in order. */
export interface Written {
  /** So many of them, from the first, are durable now. */
  count: number;
  /** The entry that has the op_id and slot of the next one: that one can never be written. */
  blockedBy: AuditDocument | null;
}

export interface WriteOptions {
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
  let waitMs: number = AUDIT.RETRY_MS_MIN;
  for (;;) {
    const attempt = insert(database, documents.slice(count));
    const failure = await bounded(attempt, AUDIT.ATTEMPT_HUNG_MS).catch(
      (thrown: unknown) => thrown,
    );
    if (failure === null) return { count: documents.length, blockedBy: null };
    const reading = readBack(audit, documents.slice(count), failure);
    const found = await bounded(reading, AUDIT.ATTEMPT_HUNG_MS).catch(unreadable);
    count += found.present;
    if (count === documents.length || found.blockedBy !== null) {
      return { count, blockedBy: found.blockedBy };
    }
    if (found.present > 0) continue;
    onTrouble(reasonOf(failure));
    await delay(waitMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) {
      throw new CraError('UNKNOWN', 'whether the audit trail has the entry is not known');
    }
    waitMs = Math.min(waitMs * 2, AUDIT.RETRY_MS_MAX);
  }
}

/** Null when all are durable, else the first thing that failed. */
async function insert(database: Db, documents: readonly AuditDocument[]): Promise<unknown> {
  try {
    const answer = await database.command({
      insert: AUDIT_COLLECTION,
      documents,
      ordered: true,
      writeConcern: { w: 'majority', j: true, wtimeout: AUDIT.ATTEMPT_MS },
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
    .maxTimeMS(AUDIT.ATTEMPT_MS)
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
  const blockedBy = await audit.findOne({ op_id, slot }, { maxTimeMS: AUDIT.ATTEMPT_MS });
  // The one that the majority has: a place of ours may have been filled since the look before.
  return { present: stored.length, blockedBy: blockedBy?._id === next._id ? null : blockedBy };
}

function isDuplicateFailure(failure: unknown): boolean {
  return isDuplicate(failure) || (failure instanceof InsertError && failure.code === 11000);
}
