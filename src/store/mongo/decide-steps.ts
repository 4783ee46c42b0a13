import type { Collection } from 'mongodb';
import type { AuditEvent } from '../../model/audit.ts';
import type { RfcRecord } from '../../model/records.ts';
import { type AcceptedCollection, applyAcceptance, countAccepted } from './accepted.ts';
import type { AuditCollection, AuditDocument } from './audit-collection.ts';
import type { Appended, Appender } from './audit-log.ts';
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
import type { DiffChunkDocument, TaskDocument } from './documents.ts';
import type { FreshRead } from './fresh-read.ts';
import { closeTasksOf } from './tasks.ts';

/**
 * The steps of a decision, each of them one thing that happens or does not. `decide` and the
 * reconciler are made of these alone, so that a test can end a daemon between any two of them.
 */
export interface DecideSteps {
  /** Entries of operations by op_id. */
  readOperations(opIds: readonly string[]): Promise<AuditDocument[]>;
  readState(id: { tenant_id: string; rfc_id: string }): Promise<DecidedState | null>;
  countAccepted(rfcId: string): Promise<number>;
  /** See `Appender.append`. */
  append(event: AuditEvent, waitMs: number): Promise<Appended>;
  /** See `replaceRecord`. */
  replaceRecord(state: DecidedState, next: RfcRecord | null, op: DecidedBy): Promise<boolean>;
  readDecision(rfcId: string, opId: string): Promise<Found>;
  /** See `fenceDecision`. */
  fence(rfcId: string, opId: string): Promise<Found>;
  /** See `applyAcceptance`; the tasks of a deleted RFC are closed. */
  accept(intent: Intent, json: string | null): Promise<void>;
  /** Lets go of what is left of a deleted record. */
  expire(intent: Intent): Promise<void>;
}

/** The operation that changes a record, and when it was asked for (ISO 8601). */
export interface DecidedBy {
  opId: string;
  at: string;
}

export interface DecidePlaces {
  audit: AuditCollection;
  records: RecordCollection;
  accepted: AcceptedCollection;
  diffs: Collection<DiffChunkDocument>;
  tasks: Collection<TaskDocument>;
  /** On the connection of the records. */
  fresh: FreshRead;
}

/** The steps on real collections. */
export function createDecideSteps(
  { audit, records, accepted, diffs, tasks, fresh }: DecidePlaces,
  appender: Pick<Appender, 'append'>,
  now: () => number,
): DecideSteps {
  return {
    readOperations: (opIds) => audit.find({ op_id: { $in: [...opIds] } }).toArray(),
    readState: (id) => readState(records, fresh, id),
    countAccepted: (rfcId) => countAccepted(accepted, rfcId),
    append: (event, waitMs) => appender.append(event, waitMs),
    replaceRecord: (state, next, by) =>
      replaceRecord(records, state, next, { ...by, nowMs: now() }),
    readDecision: (rfcId, opId) => readDecision(records, rfcId, opId),
    fence: (rfcId, opId) => fenceDecision(records, rfcId, opId),
    async accept(intent, json) {
      await applyAcceptance(accepted, intent, json);
      if (intent.statusAfter !== null) return;
      const { tenantId: tenant_id, rfcId: rfc_id, request } = intent;
      await closeTasksOf(tasks, { tenant_id, rfc_id, at: request.at });
    },
    expire: ({ rfcId, opId }) => expireTombstone({ records, diffs }, { rfcId, opId, nowMs: now() }),
  };
}
