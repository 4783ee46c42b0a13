import type { Collection, Db, Document, IndexDescription } from 'mongodb';
import { AUDIT } from '../../limits.ts';
import type { AuditKind, AuditPhase } from '../../model/audit.ts';

/** The collection of the trail, in a database of its own. */
export const AUDIT_COLLECTION = 'audit';

/** An operation has at most one entry of each slot; an outcome is done, refused or aborted. */
export type AuditSlot = 'intent' | 'outcome' | 'whole';

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
  $expr: { $lte: [{ $bsonSize: '$$ROOT' }, AUDIT.ENTRY_BYTES_MAX + DOCUMENT_OVERHEAD_BYTES] },
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
