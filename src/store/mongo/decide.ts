import { setTimeout as delay } from 'node:timers/promises';
import { agentDayMax, agentDayUsedUp, isAgent } from '../../model/agent.ts';
import type { AuditDetails, AuditEntry, AuditKind, AuditPlace } from '../../model/audit.ts';
import {
  acceptanceOf,
  acceptedFindings,
  comparesRejections,
  decided,
  withLifted,
} from '../../model/decision.ts';
import { CraError } from '../../model/errors.ts';
import type { RfcRecord } from '../../model/records.ts';
import { commitsLifted } from '../../model/release.ts';
import type { CarryInput } from '../contract/pushes.ts';
import type { DecideInput, DecideOutput, MoveInput } from '../contract/trail.ts';
import {
  abandoned,
  fullTrail,
  notWhole,
  otherRequest,
  overdueReview,
  staleRfc,
  unknownOutcome,
  unknownRfc,
} from '../errors.ts';
import { MONGO_TRAIL, TRAIL } from '../limits.ts';
import { checkOutcome, checkRevision, parseRecord } from '../stored-record.ts';
import type { DecisionOperation } from '../trail.ts';
import type { AuditDocument } from './audit-collection.ts';
import type { Appended } from './audit-log.ts';
import type { DecidedState, Found } from './decide-record.ts';
import {
  changeIntent,
  type DecideSteps,
  decisionOf,
  type Intent,
  intentEvent,
  type OutcomePhase,
  outcomeEvent,
  readIntent,
} from './decide-steps.ts';
import { readFailure } from './operations.ts';
import { checkSize } from './record-documents.ts';

/**
 * A decision on MongoDB: nothing can write record and trail together, so an intent goes before
 * and an outcome after, and the record names the op_id of what changed it.
 *
 *     A0  read the record with its rev and fence      refused: nothing is written
 *     A1  append the intent                           fails: nothing has changed
 *     A2  compare and set the record (rev, fence)     missed: refused
 *     A3  append the outcome, answer
 *
 * When a daemon ends in between, the reconciler finds an intent without outcome, fences the
 * writer off and reads from the record which outcome it is.
 */
export async function decide(
  steps: DecideSteps,
  isFull: () => boolean,
  input: DecideInput,
): Promise<DecideOutput> {
  const endsAt = performance.now() + TRAIL.DECIDE_DEADLINE_MS;
  const attempt = await findAttempt(steps, input);
  if (attempt.state === 'done') return attempt.output;
  if (attempt.state === 'open') return awaitAnswer(steps, input, endsAt);
  let begun: { state: DecidedState; plan: Plan };
  try {
    const state = await steps.readState(input);
    if (state === null) throw unknownRfc();
    begun = { state, plan: await planDeed(steps, attempt.opId, input, state) };
  } catch (thrown) {
    // Of two calls at once, the other may have done the operation since the first look.
    const again = await findAttempt(steps, input);
    if (again.state === 'new') throw thrown;
    return again.state === 'done' ? again.output : awaitAnswer(steps, input, endsAt);
  }
  const { state, plan } = begun;
  if (isFull()) throw fullTrail();

  const written = await appendIntent(steps, plan.operation, input.request_hash);
  // Another call began the same operation at the same time: its outcome is the answer.
  if (!written.isOwn) return awaitAnswer(steps, input, endsAt);
  const intent = readIntent(written.entry);
  try {
    return await carryOut(steps, intent, state, plan.next, endsAt);
  } catch (thrown) {
    if (thrown instanceof Settled) throw thrown.answer;
    throw unknownOutcome(input.op_id, thrown);
  }
}

/** A1. An override by an agent takes its place first, and keeps it if it may be made yet. */
async function appendIntent(
  steps: DecideSteps,
  operation: DecisionOperation,
  requestHash: string,
): Promise<Appended> {
  const append = () =>
    steps.append(intentEvent(operation, requestHash), MONGO_TRAIL.INTENT_WAIT_MS);
  const most = agentDayMax(operation.request);
  if (most === null) return append();
  const call = await steps.takeAgentPlace(operation.opId, most);
  if (call === null) throw agentDayUsedUp(most);
  // Should the intent come into the trail later, nothing follows it: the reconciler settles it.
  const giveBack = () => steps.giveAgentPlace({ call }).catch(() => undefined);
  try {
    const written = await append();
    if (!written.isOwn) await giveBack();
    return written;
  } catch (thrown) {
    await giveBack();
    throw thrown;
  }
}

/**
 * The verdict of a push that decisions about other RFCs cover, by the same steps as a decision: a
 * daemon that ends in between leaves an intent, whose outcome the reconciler reads from the record.
 */
export async function carry(
  steps: DecideSteps,
  isFull: () => boolean,
  input: CarryInput,
): Promise<{ rev: number }> {
  checkOutcome(input.record, input.expectedRev);
  return await giveVerdict(steps, isFull, { ...input, from: 'DRAFT' });
}

/** The verdict of another review that moves the status of a record, in the same way. */
export async function move(
  steps: DecideSteps,
  isFull: () => boolean,
  input: MoveInput,
): Promise<{ rev: number }> {
  if (input.event.phase !== 'whole') throw notWhole();
  checkRevision(input);
  return await giveVerdict(steps, isFull, input);
}

async function giveVerdict(
  steps: DecideSteps,
  isFull: () => boolean,
  { record, from, expectedRev, event }: MoveInput,
): Promise<{ rev: number }> {
  const endsAt = performance.now() + TRAIL.DECIDE_DEADLINE_MS;
  checkSize(record);
  const state = await steps.readState(record).catch(rethrow);
  if (state === null) throw unknownRfc();
  if (state.status !== from || state.rev !== expectedRev) throw staleRfc(state);
  if (isFull()) throw fullTrail();
  const next = parseRecord(record.json);
  const intent = changeIntent(event, next);
  const written = await steps.append(intent, MONGO_TRAIL.INTENT_WAIT_MS).catch(rethrow);
  // Another call with this op_id began it, and settles it.
  if (!written.isOwn) throw abandoned();
  try {
    await carryOut(steps, readIntent(written.entry), state, next, endsAt);
    return { rev: record.rev };
  } catch (thrown) {
    if (thrown instanceof Settled) throw thrown.answer;
    throw unknownOutcome(event.op_id, thrown);
  }
}

function rethrow(thrown: unknown): never {
  throw readFailure(thrown);
}

/** An answer that stands in the trail; whatever else is thrown leaves the outcome open. */
export class Settled extends Error {
  readonly answer: CraError;

  constructor(answer: CraError) {
    super(answer.message);
    this.answer = answer;
  }
}

interface Plan {
  operation: DecisionOperation;
  /** Null: the record is deleted. */
  next: RfcRecord | null;
}

/** ABORTED when the transition table does not allow it, or another rev was looked at. */
async function planDeed(
  steps: DecideSteps,
  opId: string,
  { request, expectedRev }: DecideInput,
  state: DecidedState,
): Promise<Plan> {
  if (expectedRev !== null && expectedRev !== state.rev) throw staleRfc(state);
  const record = parseRecord(state.json);
  const commits = comparesRejections(request) ? commitsLifted(record, request) : null;
  const rejected = commits === null ? null : await steps.findRejected(commits);
  const known = withLifted(request, rejected);
  const next = decided(record, opId, known, rejected ?? []);
  if (next === null && request.action !== 'delete') throw staleRfc(state);
  const overdue = request.refuse_overdue ? await steps.findOverdue(record.tenant_id) : null;
  if (overdue !== null) throw overdueReview(overdue);
  const acceptance = acceptanceOf(request);
  return {
    next,
    operation: {
      opId,
      request: known,
      record,
      json: state.json,
      statusAfter: next?.overall_status ?? null,
      accepted:
        acceptance === 'add'
          ? acceptedFindings(record, request).map(({ fingerprint }) => fingerprint)
          : [],
      withdrawn: acceptance === 'withdraw' ? await steps.countAccepted(state.id) : 0,
    },
  };
}

/** A2 and A3. */
async function carryOut(
  steps: DecideSteps,
  intent: Intent,
  state: DecidedState,
  next: RfcRecord | null,
  endsAt: number,
): Promise<DecideOutput> {
  const found = await tryReplace(steps, intent, state, next);
  // Fenced off here or by a reconciler: the record is as it was.
  if (found === null || (!found.isMine && isUnchanged(found, state))) {
    await conclude(steps, intent, 'aborted', endsAt);
    throw new Settled(abandoned());
  }
  if (!found.isMine) {
    const { status, rev } = found;
    await conclude(steps, intent, 'refused', endsAt, { status, rev });
    throw new Settled(status === null || rev === null ? unknownRfc() : staleRfc({ status, rev }));
  }
  await steps.accept(intent, found.json);
  const place = await conclude(steps, intent, 'done', endsAt);
  return { ...outputOf(intent, place), replayed: false };
}

/** Kinds of operations by which the service itself gives a verdict. */
const VERDICTS: ReadonlySet<AuditKind> = new Set(['carry', 'review']);

/** What the record says after A2; null: it never happened and never will. */
async function tryReplace(
  steps: DecideSteps,
  intent: Intent,
  state: DecidedState,
  next: RfcRecord | null,
): Promise<Found | null> {
  const { rfcId, opId, request } = intent;
  try {
    const by = { opId, at: request.at, isVerdict: VERDICTS.has(intent.kind) };
    if (await steps.replaceRecord(state, next, by)) {
      const json = next === null ? null : JSON.stringify(next);
      return { isMine: true, status: next?.overall_status ?? null, rev: state.rev + 1, json };
    }
    return await steps.readDecision(rfcId, opId);
  } catch {
    // It may still be on its way: after the fence it can't arrive any more.
    const found = await steps.fence(rfcId, opId);
    return found.isMine ? found : null;
  }
}

/**
 * A3. Where the reconciler has settled the operation, its entry is the outcome: it says the same.
 */
export async function conclude(
  steps: DecideSteps,
  intent: Intent,
  phase: OutcomePhase,
  endsAt: number,
  details: AuditDetails = {},
): Promise<AuditPlace> {
  if (phase !== 'done') await freeAgentPlace(steps, intent);
  const waitMs = Math.max(0, endsAt - performance.now());
  const { chain, seq } = await steps.append(outcomeEvent(intent, phase, details), waitMs);
  if (phase === 'done' && intent.statusAfter === null) {
    // Refusals left by the record stays for longer when this fails; no reason to fail with it.
    await steps.expire(intent).catch(() => undefined);
  }
  return { chain, seq };
}

/** Of an override that was not made. When this fails, its place counts for its 24 hours. */
export async function freeAgentPlace(
  steps: Pick<DecideSteps, 'giveAgentPlace'>,
  { opId, request }: Intent,
): Promise<void> {
  if (!isAgent(request.principal)) return;
  await steps.giveAgentPlace({ op: opId }).catch(() => undefined);
}

function isUnchanged(found: Found, { status, rev }: DecidedState): boolean {
  return found.status === status && found.rev === rev;
}

/** What is asked for under an op_id. */
type AskedOperation = Pick<DecideInput, 'op_id' | 'tenant_id' | 'rfc_id' | 'request_hash'>;

/** How far the operation of an op_id has come. */
export type Attempt =
  | { state: 'new' /** Its name in the trail. */; opId: string }
  | { state: 'open' }
  | { state: 'done'; output: DecideOutput };

/**
 * Looks an op_id up in the trail. An operation that was aborted may be tried again: as an
 * op_id has one outcome for ever, the trail calls further attempts `op_id.2` and so on. Throws
 * ALREADY_EXISTS for another request, and the same error again for a refused one.
 */
export async function findAttempt(
  steps: Pick<DecideSteps, 'readOperations' | 'readCopied'>,
  input: AskedOperation,
): Promise<Attempt> {
  const names = Array.from({ length: MONGO_TRAIL.ATTEMPTS_MAX }, (_, at) =>
    attemptName(input.op_id, at),
  );
  const entries = await steps.readOperations(names);
  for (const opId of names) {
    const found = entries.filter(({ op_id }) => op_id === opId);
    if (found.length === 0) return { state: 'new', opId };
    const copied = await findCopied(steps, found, input);
    if (copied !== null) return { state: 'done', output: copied };
    const intent = intentOf(found, input);
    const outcome = found.find(({ slot }) => slot === 'outcome');
    if (outcome === undefined) return { state: 'open' };
    if (outcome.phase === 'done') return { state: 'done', output: replay(intent, outcome) };
    if (outcome.phase === 'refused') throw refusedWith(outcome);
  }
  const message = `this op_id was tried ${MONGO_TRAIL.ATTEMPTS_MAX} times: send it again with a new op_id`;
  throw new CraError('FAILED_PRECONDITION', message);
}

/** The answer of a decision that was made in the store that was copied; null: it was made here. */
async function findCopied(
  steps: Pick<DecideSteps, 'readCopied'>,
  entries: readonly AuditDocument[],
  { op_id, tenant_id, rfc_id, request_hash }: AskedOperation,
): Promise<DecideOutput | null> {
  if (!entries.some(({ slot }) => slot === 'whole')) return null;
  const copied = await steps.readCopied(op_id);
  if (copied === null) return null;
  const isSame =
    copied.tenant_id === tenant_id &&
    copied.rfc_id === rfc_id &&
    copied.request_hash === request_hash;
  if (!isSame) throw otherRequest();
  return { ...(JSON.parse(copied.output) as DecideOutput), replayed: true };
}

function attemptName(opId: string, at: number): string {
  return at === 0 ? opId : `${opId}.${at + 1}`;
}

function intentOf(entries: readonly AuditDocument[], input: AskedOperation): Intent {
  const first = entries.find(({ slot }) => slot === 'intent');
  if (first === undefined) throw otherRequest();
  const intent = readIntent(first.entry);
  const isSame =
    intent.tenantId === input.tenant_id &&
    intent.rfcId === input.rfc_id &&
    intent.requestHash === input.request_hash;
  if (!isSame) throw otherRequest();
  return intent;
}

function refusedWith({ entry }: AuditDocument): CraError {
  const { status, rev } = (JSON.parse(entry) as AuditEntry).details;
  if (typeof status !== 'string' || typeof rev !== 'number') return unknownRfc();
  return staleRfc({ status, rev });
}

function replay(intent: Intent, { chain, seq }: AuditDocument): DecideOutput {
  return { ...outputOf(intent, { chain, seq }), replayed: true };
}

/** The answer of a decision, from its intent and outcome. */
export function outputOf(intent: Intent, audit: AuditPlace): Omit<DecideOutput, 'replayed'> {
  return {
    rfc_id: intent.rfcId,
    overall_status: intent.statusAfter,
    decision: decisionOf(intent),
    repo_name: intent.repoName,
    audit,
  };
}

const POLL_MS = 50;

/** The outcome of an operation that another call carries out; UNKNOWN when it takes too long. */
export async function awaitAnswer(
  steps: Pick<DecideSteps, 'readOperations' | 'readCopied'>,
  input: AskedOperation,
  endsAt: number,
): Promise<DecideOutput> {
  while (performance.now() < endsAt) {
    const attempt = await findAttempt(steps, input);
    if (attempt.state === 'done') return attempt.output;
    // The call that began it gave up: this one has changed nothing either.
    if (attempt.state === 'new') throw abandoned();
    await delay(POLL_MS);
  }
  throw unknownOutcome(input.op_id, null);
}
