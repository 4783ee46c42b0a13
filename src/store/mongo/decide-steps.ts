import type { Collection } from 'mongodb';
import type { AuditEvent } from '../../model/audit.ts';
import type { RfcRecord } from '../../model/records.ts';
import type { Appender } from './audit-appender.ts';
import type { AuditCollection, AuditDocument } from './audit-collection.ts';
import type { Appended } from './audit-groups.ts';
import { type AcceptedCollection, applyAcceptance, countAccepted } from './decide-accepted.ts';
import type { Intent } from './decide-events.ts';
import {
  type DecidedState,
  expireTombstone,
  type Found,
  fenceDecision,
  type RecordCollection,
  readDecision,
  readState,
  replaceRecord,
} from './decide-record.ts';
import type { DiffChunkDocument } from './documents.ts';
import type { FreshRead } from './fresh-read.ts';

/**
 * The steps of a decision, each of them one thing that happens or does not. `decide` and the
 * reconciler are made of these alone, so that a test can end a daemon between any two of them.
 */
export interface DecideSteps {
  /** Entries of deeds by op_id. */
  readDeeds(opIds: readonly string[]): Promise<AuditDocument[]>;
  readState(id: { tenant_id: string; rfc_id: string }): Promise<DecidedState | null>;
  countAccepted(rfcId: string): Promise<number>;
  /** See `Appender.append`. */
  append(event: AuditEvent, waitMs: number): Promise<Appended>;
  /** See `replaceRecord`. */
  replaceRecord(state: DecidedState, next: RfcRecord | null, opId: string): Promise<boolean>;
  readDecision(rfcId: string, opId: string): Promise<Found>;
  /** See `fenceDecision`. */
  fence(rfcId: string, opId: string): Promise<Found>;
  /** See `applyAcceptance`. */
  accept(intent: Intent, json: string | null): Promise<void>;
  /** Lets go of what is left of a deleted record. */
  expire(intent: Intent): Promise<void>;
}

export interface DecidePlaces {
  audit: AuditCollection;
  records: RecordCollection;
  accepted: AcceptedCollection;
  diffs: Collection<DiffChunkDocument>;
  /** On the connection of the records. */
  fresh: FreshRead;
}

/** The steps on real collections. */
export function createDecideSteps(
  { audit, records, accepted, diffs, fresh }: DecidePlaces,
  appender: Pick<Appender, 'append'>,
  now: () => number,
): DecideSteps {
  return {
    readDeeds: (opIds) => audit.find({ op_id: { $in: [...opIds] } }).toArray(),
    readState: (id) => readState(records, fresh, id),
    countAccepted: (rfcId) => countAccepted(accepted, rfcId),
    append: (event, waitMs) => appender.append(event, waitMs),
    replaceRecord: (state, next, opId) =>
      replaceRecord(records, state, next, { opId, nowMs: now() }),
    readDecision: (rfcId, opId) => readDecision(records, rfcId, opId),
    fence: (rfcId, opId) => fenceDecision(records, rfcId, opId),
    accept: (intent, json) => applyAcceptance(accepted, intent, json),
    expire: ({ rfcId, opId }) => expireTombstone({ records, diffs }, { rfcId, opId, nowMs: now() }),
  };
}
