import { hash } from 'node:crypto';
import type { Filter } from 'mongodb';
import type { AuditEntry, AuditEvent, AuditStatus } from '../../model/audit.ts';
import { withRemark } from '../../model/decision.ts';
import { CraError } from '../../model/errors.ts';
import { DECISIONS, RFCS } from '../../model/limits.ts';
import type { RfcRecord } from '../../model/records.ts';
import type { RfcStatus } from '../../model/rfc.ts';
import type {
  AcceptedInput,
  AppendOutput,
  BlockedInput,
  BlockedOutput,
  DecideInput,
  DecideOutput,
  EndAcceptanceInput,
  EndedInput,
  RemarkInput,
  RemarkOutput,
  TrailReader,
  TrailWriter,
} from '../contract/trail.ts';
import {
  abandoned,
  checkFingerprints,
  fullTrail,
  notWhole,
  otherRequest,
  timeOfBefore,
  unknownAcceptance,
  unknownOutcome,
  unknownRfc,
} from '../errors.ts';
import { MONGO, MONGO_TRAIL, TRAIL } from '../limits.ts';
import { checkLimit, cutPage } from '../lists.ts';
import { parseRecord, repoKey } from '../stored-record.ts';
import { contentOf, isSameEvent, type TrailGate } from '../trail.ts';
import { findAccepted, findEnded, listAccepted } from './accepted.ts';
import type { TrailList } from './audit-collection.ts';
import type { Appended } from './audit-log.ts';
import { awaitAnswer, conclude, decide, findAttempt, move, Settled } from './decide.ts';
import {
  countEmergencies,
  type DecidedState,
  listEmergencies,
  type RecordCollection,
  type RecordDocument,
} from './decide-record.ts';
import {
  changeIntent,
  type DecidePlaces,
  type DecideSteps,
  type Intent,
  type OutcomePhase,
  readIntent,
} from './decide-steps.ts';
import { readFailure } from './operations.ts';
import { decodeSequence, encodeSequence } from './queries.ts';
import { finishEnd } from './reconcile.ts';

interface TrailWriterOptions {
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
      return outputOf(event, await append(event, MONGO_TRAIL.INTENT_WAIT_MS));
    },
    async moveRfc(input) {
      try {
        return await move(steps, isFull, input);
      } catch (thrown) {
        throw unchanged(CraError.fromUnknown(thrown));
      }
    },
    async addRemark(input) {
      try {
        return await addRemark(steps, isFull, input);
      } catch (thrown) {
        throw unchanged(readFailure(thrown));
      }
    },
    async endAcceptance(input) {
      try {
        return await endAcceptance(steps, isFull, input);
      } catch (thrown) {
        throw unchanged(readFailure(thrown));
      }
    },
    auditStatus: status,
  };
}

/**
 * A remark and its entry, by the steps of a decision (see `decide`): the intent, a compare-and-set
 * of the record, the outcome. Where the record has changed meanwhile the remark is added to what
 * there is now, unless a reconciler has fenced this operation off.
 */
async function addRemark(
  steps: DecideSteps,
  isFull: () => boolean,
  input: RemarkInput,
): Promise<RemarkOutput> {
  const { tenant_id, rfc_id, remark, event } = input;
  const endsAt = performance.now() + TRAIL.DECIDE_DEADLINE_MS;
  const state = await steps.readState(input);
  if (state === null) throw unknownRfc();
  const known = (await steps.readOperations([event.op_id])).find(({ slot }) => slot === 'whole');
  // Of a store that was copied, or from before remarks had intents.
  if (known !== undefined)
    return { ...outputOf(event, { ...known, isOwn: false }), rev: state.rev };
  const request_hash = hash('sha256', contentOf(event));
  const asked = { op_id: event.op_id, tenant_id, rfc_id, request_hash };
  const repeated = async () => {
    const { audit } = await awaitAnswer(steps, asked, endsAt);
    const rev = (await steps.readState(input))?.rev ?? state.rev;
    return { ...audit, replayed: true, rev };
  };
  const attempt = await findAttempt(steps, asked);
  if (attempt.state !== 'new') return await repeated();
  const next = withRemark(parseRecord(state.json), remark);
  if (isFull()) throw fullTrail();
  const planned = changeIntent({ ...event, op_id: attempt.opId }, next, request_hash);
  const written = await steps.append(planned, MONGO_TRAIL.INTENT_WAIT_MS);
  if (!written.isOwn) return await repeated();
  const intent = readIntent(written.entry);
  try {
    const amended = await amend(steps, intent, input, { state, next });
    const { phase, rev = null, status = null } = amended;
    const details = phase === 'refused' ? { status, rev } : {};
    const audit = await conclude(steps, intent, phase, endsAt, details);
    if (phase === 'done') return { ...audit, replayed: false, rev: rev ?? next.rev };
    throw new Settled(amended.answer ?? abandoned());
  } catch (thrown) {
    if (thrown instanceof Settled) throw thrown.answer;
    throw unknownOutcome(event.op_id, thrown);
  }
}

/** How the attempt to add a remark ended; `answer` is the error of a refused one. */
interface Amended {
  phase: OutcomePhase;
  status?: RfcStatus;
  rev?: number;
  answer?: CraError;
}

async function amend(
  steps: DecideSteps,
  { opId, rfcId }: Intent,
  input: RemarkInput,
  first: { state: DecidedState; next: RfcRecord },
): Promise<Amended> {
  let { state, next } = first;
  try {
    for (let race = 0; race < MONGO.RACES_MAX; race += 1) {
      if (await steps.amendRecord(state, next, opId)) return { phase: 'done', rev: next.rev };
      const now = await steps.readState(input);
      if (now === null) return { phase: 'refused', answer: unknownRfc() };
      if (now.fence !== first.state.fence) return { phase: 'aborted' };
      state = now;
      try {
        next = withRemark(parseRecord(now.json), input.remark);
      } catch (thrown) {
        const { status, rev } = now;
        return { phase: 'refused', status, rev, answer: CraError.fromUnknown(thrown) };
      }
    }
    return { phase: 'aborted' };
  } catch {
    // It may still be on its way: after the fence it can't arrive any more.
    const { isMine, rev } = await steps.fence(rfcId, opId);
    return isMine && rev !== null ? { phase: 'done', rev } : { phase: isMine ? 'done' : 'aborted' };
  }
}

/**
 * The end of an acceptance and its entry, by the steps of a decision (see `decide`): the intent,
 * the change, the outcome. From the intent on it happens: there is nothing that could refuse it,
 * and a reconciler finishes it (see `finishEnd`).
 */
async function endAcceptance(
  steps: DecideSteps,
  isFull: () => boolean,
  { event, ...what }: EndAcceptanceInput,
): Promise<AppendOutput> {
  if (event.phase !== 'whole') throw notWhole();
  const endsAt = performance.now() + TRAIL.DECIDE_DEADLINE_MS;
  const { op_id } = event;
  const { tenant_id, repo_name, fingerprint } = what;
  const known = (await steps.readOperations([op_id])).find(({ slot }) => slot === 'whole');
  // Of a store that was copied, or from before ends had intents.
  if (known !== undefined) return outputOf(event, { ...known, isOwn: false });
  const request_hash = hash('sha256', contentOf(event));
  const asked = { op_id, tenant_id, rfc_id: '', request_hash };
  const isRepeat = async () => (await findAttempt(steps, asked)).state !== 'new';
  const repeated = async () => {
    const { chain, seq } = (await awaitAnswer(steps, asked, endsAt)).audit;
    return { chain, seq, replayed: true };
  };
  if (await isRepeat()) return await repeated();
  if (!(await steps.isAccepted(what))) {
    // Of two calls at once, the other may have ended it since the first look.
    if (await isRepeat()) return await repeated();
    throw unknownAcceptance();
  }
  if (isFull()) throw fullTrail();
  const details = { ...event.details, fingerprint, request_hash };
  const intent = { ...event, tenant_id, repo_name, phase: 'intent' as const, details };
  const written = await steps.append(intent, MONGO_TRAIL.INTENT_WAIT_MS);
  if (!written.isOwn) return await repeated();
  try {
    const { chain, seq } = await finishEnd(steps, written.entry, endsAt - performance.now());
    return { chain, seq, replayed: false };
  } catch (thrown) {
    throw unknownOutcome(op_id, thrown);
  }
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
function outputOf(
  event: AuditEvent,
  { chain, seq, entry, isOwn }: Pick<Appended, 'chain' | 'seq' | 'entry' | 'isOwn'>,
): AppendOutput {
  if (!isOwn && !isSameEvent(JSON.parse(entry) as AuditEntry, event)) throw otherRequest();
  return { chain, seq, replayed: !isOwn };
}

/** The reading methods of Trail. */
export function createTrailReader(
  places: Pick<DecidePlaces, 'records' | 'accepted'>,
  list: TrailList,
): TrailReader {
  return {
    async listAccepted(input) {
      checkLimit(input.limit, RFCS.LIST_LIMIT_MAX);
      return await listAccepted(places, input).catch(rethrow);
    },
    async listEntries(input) {
      checkLimit(input.limit, RFCS.LIST_LIMIT_MAX);
      return await list.list(input).catch(rethrow);
    },
    async listEmergencies(input) {
      checkLimit(input.limit, RFCS.LIST_LIMIT_MAX);
      return await listEmergencies(places.records, input).catch(rethrow);
    },
    countEmergencies: ({ tenant_id }) => countEmergencies(places.records, tenant_id).catch(rethrow),
    listBlocked: (input) => listBlocked(places.records, input).catch(rethrow),
    endedAcceptance: (input) => endedAcceptance(places, input).catch(rethrow),
    acceptedAmong: (input) => acceptedAmong(places, input).catch(rethrow),
  };
}

function rethrow(thrown: unknown): never {
  throw readFailure(thrown);
}

async function endedAcceptance(
  places: Pick<DecidePlaces, 'records' | 'accepted'>,
  input: EndedInput,
) {
  return { ended: await findEnded(places, input) };
}

async function acceptedAmong(
  places: Pick<DecidePlaces, 'records' | 'accepted'>,
  input: AcceptedInput,
) {
  checkFingerprints(input.fingerprints);
  return { accepted: await findAccepted(places, input) };
}

async function listBlocked(records: RecordCollection, input: BlockedInput): Promise<BlockedOutput> {
  const { repo, limit, summaries } = input;
  checkLimit(limit, DECISIONS.BULK_MAX);
  const found = await records
    .find(blockedFilter(input), { projection: { seq: 1, ...(summaries ? { summary: 1 } : {}) } })
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
