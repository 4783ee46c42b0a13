import type { Filter } from 'mongodb';
import { wrapMethods } from '../../core/methods.ts';
import type { AuditEvent, AuditStatus, DecisionState } from '../../model/audit.ts';
import { CraError } from '../../model/errors.ts';
import type {
  BlockedInput,
  DecideInput,
  DecideOutput,
  EmergencyCounts,
  TrailReader,
  TrailWriter,
} from '../contract/trail.ts';
import { fullTrail, timeOfBefore } from '../errors.ts';
import { MONGO_TRAIL } from '../limits.ts';
import { cutPage, decodeTimed, encodeKeys } from '../lists.ts';
import type { ProveEntries } from '../proofs.ts';
import { repoKey } from '../stored-record.ts';
import type { TrailGate } from '../trail.ts';
import { findAccepted, findEnded, listAccepted } from './accepted.ts';
import type { TrailList } from './audit-collection.ts';
import type { Appended } from './audit-log.ts';
import type { DecisionCollections } from './database.ts';
import { appendOutput, type createDecisionSteps } from './decide.ts';
import type { RecordDocument } from './documents.ts';
import { readFailure } from './operations.ts';
import { decodeSequence, encodeSequence, IS_OVERDUE, IS_TO_REVIEW } from './queries.ts';

interface TrailWriterOptions {
  decisions: ReturnType<typeof createDecisionSteps>;
  gate: TrailGate;
  append(event: AuditEvent, waitMs: number): Promise<Appended>;
  isFull(): boolean;
  prove: ProveEntries;
  status(): Promise<AuditStatus>;
  state(): DecisionState;
}

/** The writing methods of Trail. */
export function createTrailWriter(options: TrailWriterOptions): TrailWriter {
  const { decisions, gate, append, isFull, prove, status, state } = options;
  /** Decisions that run here, by op_id: a second call waits for the first. */
  const running = new Map<string, Promise<unknown>>();

  async function decideOnce(input: DecideInput): Promise<DecideOutput> {
    // However the first ended, the trail answers the second.
    await running.get(input.op_id)?.catch(() => undefined);
    const output = decisions.decide(input);
    running.set(input.op_id, output);
    try {
      return await output;
    } finally {
      if (running.get(input.op_id) === output) running.delete(input.op_id);
    }
  }

  return {
    async decide(input, call) {
      if (gate.state !== 'open') await gate.pass();
      const reason = call.stopReason();
      if (reason !== null) throw reason;
      return await decideOnce(input).catch(failUnchanged);
    },
    async appendEvent({ event }) {
      if (isFull()) throw fullTrail();
      return appendOutput(event, await append(event, MONGO_TRAIL.INTENT_WAIT_MS));
    },
    moveRfc: (input) => decisions.moveRfc(input).catch(failUnchanged),
    addRemark: (input) => decisions.addRemark(input).catch(failUnchanged),
    endAcceptance: (input) => decisions.endAcceptance(input).catch(failUnchanged),
    proveEntries: async ({ places }) => ({ entries: await prove(places) }),
    auditStatus: status,
    decisionState: async () => state(),
  };
}

/** What fails before the intent is written has changed nothing; later it is UNKNOWN. */
function failUnchanged(thrown: unknown): never {
  const error = readFailure(thrown);
  if (error.code !== 'UNAVAILABLE' || error.details['changed'] === false) throw error;
  throw new CraError('UNAVAILABLE', `${error.message}: nothing was changed`, {
    details: { ...error.details, changed: false },
    cause: error,
  });
}

/** The reading methods of Trail. */
export function createTrailReader(
  places: Pick<DecisionCollections, 'records' | 'accepted'>,
  list: TrailList,
): TrailReader {
  const { records } = places;
  const reader: TrailReader = {
    listAccepted: (input) => listAccepted(places, input),
    listEntries: (input) => list.list(input),

    /** Reviews that are due, the earliest first. */
    async listEmergencies({ tenant_id, limit, cursor }) {
      const { at, rest } = cursor === null ? { at: 0, rest: '' } : decodeTimed(cursor);
      const from = new Date(at);
      const later = [{ review_due: { $gt: from } }, { review_due: from, _id: { $gt: rest } }];
      const filter = { $and: [{ tenant_id, ...IS_TO_REVIEW }, { review_due: { $gte: from } }] };
      const found = await records
        .find({ ...filter, $or: later } as Filter<RecordDocument>)
        .project<{ _id: string; review_due: Date; summary: string; overdue: boolean }>({
          review_due: 1,
          summary: 1,
          overdue: IS_OVERDUE,
        })
        .sort({ review_due: 1, _id: 1 })
        .limit(limit + 1)
        .hint('review_due')
        .maxTimeMS(MONGO_TRAIL.ATTEMPT_MS)
        .toArray();
      const { page, next_cursor } = cutPage(found, limit, ({ _id, review_due }) =>
        encodeKeys([review_due.toISOString(), _id]),
      );
      const emergencies = page.map(({ summary, overdue }) => ({ summary, overdue }));
      return { emergencies, next_cursor };
    },

    async countEmergencies({ tenant_id }) {
      const ofTenant = tenant_id === null ? {} : { tenant_id };
      const [counts] = await records
        .aggregate<EmergencyCounts>(
          [
            { $match: { ...ofTenant, ...IS_TO_REVIEW } },
            { $group: { _id: null, due: { $sum: 1 }, overdue: { $sum: { $toInt: IS_OVERDUE } } } },
            { $project: { _id: 0, due: 1, overdue: 1 } },
          ],
          { hint: 'review_due', maxTimeMS: MONGO_TRAIL.ATTEMPT_MS },
        )
        .toArray();
      return counts ?? { due: 0, overdue: 0 };
    },

    async listBlocked(input) {
      const { repo, limit, summaries } = input;
      const projection = { seq: 1, ...(summaries ? { summary: 1 } : {}) };
      const found = await records
        .find(blockedFilter(input), { projection })
        .sort({ seq: 1 })
        .limit(limit + 1)
        .hint(repo === null ? 'by_status' : 'by_repo_status')
        .maxTimeMS(MONGO_TRAIL.ATTEMPT_MS)
        .toArray();
      const { page, next_cursor } = cutPage(found, limit, ({ seq }) => encodeSequence(seq));
      return {
        rfcIds: page.map(({ _id }) => _id),
        summaries: page.flatMap(({ summary }) => summary ?? []),
        next_cursor,
      };
    },

    endedAcceptance: async (input) => ({ ended: await findEnded(places, input) }),

    acceptedAmong: async (input) => ({ accepted: await findAccepted(places, input) }),
  };
  return wrapMethods(reader, async (method, input, call) => {
    try {
      return await method(input, call);
    } catch (thrown) {
      throw readFailure(thrown);
    }
  });
}

function blockedFilter({ tenant_id, repo, before, cursor }: BlockedInput): Filter<RecordDocument> {
  const since = before === null ? null : new Date(timeOfBefore(before)).toISOString();
  return {
    tenant_id,
    ...(repo === null ? {} : { repo_key: repoKey(repo) }),
    status: 'BLOCKED',
    ...(cursor === null ? {} : { seq: { $gt: decodeSequence(cursor) } }),
    ...(since === null ? {} : { created_at: { $lt: since } }),
    deleted: { $ne: true },
  };
}
