import type { Filter } from 'mongodb';
import { AUDIT } from '../../limits.ts';
import type { AuditEntry, AuditEvent, AuditStatus } from '../../model/audit.ts';
import { CraError } from '../../model/errors.ts';
import type {
  AcceptedInput,
  AppendOutput,
  BlockedInput,
  BlockedOutput,
  DecideInput,
  DecideOutput,
  TrailReader,
  TrailWriter,
} from '../contract/trail.ts';
import { checkFingerprints, fullTrail, notWhole, otherRequest, timeOfBefore } from '../errors.ts';
import { checkLimit } from '../lists.ts';
import { repoKey } from '../stored-record.ts';
import { isSameEvent } from '../trail-events.ts';
import type { TrailGate } from '../trail-gate.ts';
import { findAccepted } from './accepted.ts';
import type { Appended } from './audit-log.ts';
import { decide } from './decide.ts';
import type { RecordCollection, RecordDocument } from './decide-record.ts';
import type { DecidePlaces, DecideSteps } from './decide-steps.ts';
import { readFailure } from './errors.ts';
import { decodeSequence, encodeSequence } from './queries.ts';

export interface TrailWriterOptions {
  steps: DecideSteps;
  gate: TrailGate;
  append(event: AuditEvent, waitMs: number): Promise<Appended>;
  isFull(): boolean;
  status(): Promise<AuditStatus>;
}

/** The writing methods of Trail. */
export function createTrailWriter(options: TrailWriterOptions): TrailWriter {
  const { steps, gate, append, isFull, status } = options;
  /** Decisions that run here, by op_id: a second call waits for the first. */
  const running = new Map<string, Promise<unknown>>();

  async function decideOnce(input: DecideInput): Promise<DecideOutput> {
    // However the first ended, the trail answers the second.
    await running.get(input.op_id)?.catch(() => undefined);
    const output = decide(steps, isFull, input);
    running.set(input.op_id, output);
    try {
      return await output;
    } catch (thrown) {
      throw unchanged(readFailure(thrown));
    } finally {
      if (running.get(input.op_id) === output) running.delete(input.op_id);
    }
  }

  return {
    async decide(input, call) {
      if (gate.state !== 'open') await gate.pass();
      const reason = call.stopReason();
      if (reason !== null) throw reason;
      return decideOnce(input);
    },
    async appendEvent({ event }) {
      if (event.phase !== 'whole') throw notWhole();
      if (isFull()) throw fullTrail();
      return outputOf(event, await append(event, AUDIT.INTENT_WAIT_MS));
    },
    auditStatus: status,
  };
}

/** What fails before the intent is written has changed nothing; later, `decide` says UNKNOWN. */
function unchanged(error: CraError): CraError {
  if (error.code !== 'UNAVAILABLE' || error.details['changed'] === false) return error;
  return new CraError('UNAVAILABLE', `${error.message}: nothing was changed`, {
    details: { ...error.details, changed: false },
    cause: error,
  });
}

/** ALREADY_EXISTS when the entry under this op_id records another event. */
function outputOf(event: AuditEvent, { chain, seq, entry, isOwn }: Appended): AppendOutput {
  if (!isOwn && !isSameEvent(JSON.parse(entry) as AuditEntry, event)) throw otherRequest();
  return { chain, seq, replayed: !isOwn };
}

/** The reading methods of Trail. */
export function createTrailReader(places: Pick<DecidePlaces, 'records' | 'accepted'>): TrailReader {
  return {
    listBlocked: (input) => listBlocked(places.records, input).catch(rethrow),
    acceptedAmong: (input) => acceptedAmong(places, input).catch(rethrow),
  };
}

function rethrow(thrown: unknown): never {
  throw readFailure(thrown);
}

async function acceptedAmong(
  places: Pick<DecidePlaces, 'records' | 'accepted'>,
  input: AcceptedInput,
) {
  checkFingerprints(input.fingerprints);
  return { accepted: await findAccepted(places, input) };
}

async function listBlocked(records: RecordCollection, input: BlockedInput): Promise<BlockedOutput> {
  const { repo, limit } = input;
  checkLimit(limit, AUDIT.BULK_MAX);
  const found = await records
    .find(blockedFilter(input), { projection: { seq: 1 } })
    .sort({ seq: 1 })
    .limit(limit + 1)
    .hint(repo === null ? 'by_status' : 'by_repo_status')
    .maxTimeMS(AUDIT.ATTEMPT_MS)
    .toArray();
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return {
    rfc_ids: page.map(({ _id }) => _id),
    next_cursor: hasMore ? encodeSequence(last.seq) : null,
  };
}

function blockedFilter({ tenant_id, repo, before, cursor }: BlockedInput): Filter<RecordDocument> {
  return {
    tenant_id,
    ...(repo === null ? {} : { repo_key: repoKey(repo) }),
    status: 'BLOCKED',
    ...(cursor === null ? {} : { seq: { $gt: decodeSequence(cursor) } }),
    ...(before === null
      ? {}
      : { created_at: { $lt: new Date(timeOfBefore(before)).toISOString() } }),
    deleted: { $ne: true },
  };
}
