import { hash } from 'node:crypto';
import { agentDayMax, agentDayUsedUp, isAgent } from '../../model/agent.ts';
import type { AuditEntry, AuditEvent, AuditKind } from '../../model/audit.ts';
import { withRemark } from '../../model/decision.ts';
import { CraError } from '../../model/errors.ts';
import type { RfcRecord } from '../../model/records.ts';
import type { CompletePushInput } from '../contract/pushes.ts';
import type { RfcId } from '../contract/records.ts';
import type {
  AppendOutput,
  DecideInput,
  DecideOutput,
  EndAcceptanceInput,
  MoveInput,
  RemarkInput,
  RemarkOutput,
} from '../contract/trail.ts';
import { abandoned, otherRequest, staleRfc, unknownAcceptance, unknownRfc } from '../errors.ts';
import { MONGO, MONGO_TRAIL, TRAIL } from '../limits.ts';
import {
  commitsCompared,
  type DecisionPlan,
  decisionEvent,
  planDecision,
  type RequestedOperation,
} from '../steps/decision.ts';
import { requireState } from '../steps/push.ts';
import { parseRecord } from '../stored-record.ts';
import { contentOf, isSameEvent } from '../trail.ts';
import type { AuditDocument } from './audit-collection.ts';
import type { Appended } from './audit-log.ts';
import type { DecidedState, Found } from './decide-record.ts';
import type { DecideSteps } from './decide-steps.ts';
import {
  awaitAnswer,
  type Change,
  changeIntent,
  findAttempt,
  type Intent,
  type OperationLog,
  outcomeOf,
  outputOf,
  readIntent,
  runOperation,
} from './intents.ts';
import { checkSize } from './record-documents.ts';

/**
 * Decisions and the other changes that the trail records, by intent, change and outcome (see
 * `intents`). `isFull`: whether the trail has no room for decisions.
 */
export function createDecisionSteps(steps: DecideSteps, isFull: () => boolean) {
  const log: OperationLog = {
    append: (event, waitMs) => steps.append(event, waitMs),
    isFull,
  };

  async function decide(input: DecideInput): Promise<DecideOutput> {
    const endsAt = deadline();
    const attempt = await findAttempt(steps, input);
    if (attempt.state !== 'new') return await awaitAnswer(steps, input, endsAt, attempt);
    let begun: { state: DecidedState; plan: DecisionPlan; withdrawn: number };
    try {
      begun = await plan(steps, input, attempt.opId);
    } catch (thrown) {
      // Of two calls at once, the other may have done the operation since the first look.
      if ((await findAttempt(steps, input)).state === 'new') throw thrown;
      return await awaitAnswer(steps, input, endsAt);
    }
    const { state, plan: planned, withdrawn } = begun;
    const event = decisionEvent(planned, withdrawn);
    const { accept_findings } = planned.request;
    const details = { ...event.details, accept_findings, request_hash: input.request_hash };
    const intent: AuditEvent = { ...event, phase: 'intent', details };
    const made = await runOperation(log, {
      intent,
      opId: input.op_id,
      endsAt,
      begin: () => beginDecision(steps, planned, intent),
      change: (entry) => replace(steps, readIntent(entry), state, planned.next),
    });
    if (made === null) return awaitAnswer(steps, input, endsAt);
    // The tombstone stays for longer when this fails; no reason to fail with it.
    if (planned.next === null) await steps.expire(made.value).catch(() => undefined);
    return { ...outputOf(made.value, made.audit), replayed: false };
  }

  const completePush = (input: CompletePushInput) => moveRfc({ ...input, from: 'DRAFT' });

  async function moveRfc(input: MoveInput): Promise<{ rev: number }> {
    const { record, from, expectedRev, event } = input;
    const endsAt = deadline();
    checkSize(record);
    const state = await steps.readState(record);
    if (state === null) throw await steps.absence(record);
    requireState(state, from, expectedRev);
    const next = parseRecord(record.json);
    const intent = changeIntent(event, next);
    const made = await runOperation(log, {
      intent,
      opId: event.op_id,
      endsAt,
      change: (entry) => replace(steps, readIntent(entry), state, next),
    });
    // Another call with this op_id began it, and settles it.
    if (made === null) throw abandoned();
    return { rev: record.rev };
  }

  /** Where the record has changed meanwhile, the remark is added to what there is now. */
  async function addRemark(input: RemarkInput): Promise<RemarkOutput> {
    const { tenant_id, rfc_id, remark, event } = input;
    const endsAt = deadline();
    const state = await steps.readState(input);
    if (state === null) throw await steps.absence(input);
    const known = await findWhole(steps, event);
    if (known !== null) return { ...known, rev: state.rev };
    const requested = requestOf(event, { tenant_id, rfc_id });
    const repeated = async () => {
      const written = await repeatOf(requested, endsAt);
      return { ...written, rev: (await steps.readState(input))?.rev ?? state.rev };
    };
    const attempt = await findAttempt(steps, requested);
    if (attempt.state !== 'new') return await repeated();
    const next = withRemark(parseRecord(state.json), remark);
    const intent = changeIntent({ ...event, op_id: attempt.opId }, next, requested.request_hash);
    const made = await runOperation(log, {
      intent,
      opId: event.op_id,
      endsAt,
      change: () => amend(steps, intent.op_id, input, { state, next }),
    });
    if (made === null) return await repeated();
    return { ...made.audit, replayed: false, rev: made.value ?? next.rev };
  }

  /** From the intent on it happens: there is nothing that could refuse it. */
  async function endAcceptance(input: EndAcceptanceInput): Promise<AppendOutput> {
    const { event, ...place } = input;
    const endsAt = deadline();
    const known = await findWhole(steps, event);
    if (known !== null) return known;
    const { tenant_id, repo_name, fingerprint } = place;
    const requested = requestOf(event, { tenant_id, rfc_id: '' });
    const isRepeat = async () => (await findAttempt(steps, requested)).state !== 'new';
    if (await isRepeat()) return await repeatOf(requested, endsAt);
    if (!(await steps.isAccepted(place))) {
      // Of two calls at once, the other may have ended it since the first look.
      if (await isRepeat()) return await repeatOf(requested, endsAt);
      throw unknownAcceptance();
    }
    const { request_hash } = requested;
    const details = { ...event.details, fingerprint, request_hash };
    const intent: AuditEvent = { ...event, tenant_id, repo_name, phase: 'intent', details };
    const made = await runOperation(log, {
      intent,
      opId: event.op_id,
      endsAt,
      async change() {
        await steps.endAcceptance(place);
        return { phase: 'done', value: null, details: { fingerprint } };
      },
    });
    return made === null ? await repeatOf(requested, endsAt) : { ...made.audit, replayed: false };
  }

  /** The entry of an operation that another call carries out. */
  async function repeatOf(requested: RequestedOperation, endsAt: number): Promise<AppendOutput> {
    const { audit } = await awaitAnswer(steps, requested, endsAt);
    return { ...audit, replayed: true };
  }

  return { decide, completePush, moveRfc, addRemark, endAcceptance };
}

function deadline(): number {
  return performance.now() + TRAIL.DECIDE_DEADLINE_MS;
}

/** A0 of a decision. */
async function plan(steps: DecideSteps, input: DecideInput, opId: string) {
  const { request, tenant_id } = input;
  const state = await steps.readState(input);
  if (state === null) throw await steps.absence(input);
  const record = parseRecord(state.json);
  const commits = commitsCompared(record, request);
  const facts = {
    rejected: commits === null ? null : await steps.findRejected(commits),
    overdue: request.refuse_overdue ? await steps.findOverdue(tenant_id) : null,
  };
  const planned = planDecision({ record, json: state.json }, input, opId, facts);
  const withdrawn = planned.acceptance === 'withdraw' ? await steps.countAccepted(state.id) : 0;
  return { state, plan: planned, withdrawn };
}

/** A1. An override by an agent takes its place first, and keeps it if it may be made yet. */
async function beginDecision(
  steps: DecideSteps,
  { opId, request }: DecisionPlan,
  intent: AuditEvent,
): Promise<Appended> {
  const append = () => steps.append(intent, MONGO_TRAIL.INTENT_WAIT_MS);
  const most = agentDayMax(request);
  if (most === null) return append();
  const call = await steps.takeAgentPlace(opId, most);
  if (call === null) throw agentDayUsedUp(most);
  // Should the intent come into the trail later, nothing follows it: the reconciler settles it.
  const release = () => steps.releaseAgentPlace({ call }).catch(() => undefined);
  try {
    const written = await append();
    if (!written.isOwn) await release();
    return written;
  } catch (thrown) {
    await release();
    throw thrown;
  }
}

/** A2 of a decision, carry or move. */
async function replace(
  steps: DecideSteps,
  intent: Intent,
  state: DecidedState,
  next: RfcRecord | null,
): Promise<Change<Intent>> {
  const found = await tryReplace(steps, intent, state, next);
  if (found?.isMine) {
    await steps.accept(intent, found.json);
    return { phase: 'done', value: intent };
  }
  await releaseAgentPlace(steps, intent);
  // Fenced off here or by a reconciler: the record is as it was.
  if (found === null || (found.status === state.status && found.rev === state.rev)) {
    return { phase: 'aborted' };
  }
  const { status, rev } = found;
  const error = status === null || rev === null ? unknownRfc() : staleRfc({ status, rev });
  return { phase: 'refused', error, details: { status, rev } };
}

/** Kinds of operations by which the service itself gives a verdict. */
const VERDICTS: ReadonlySet<AuditKind> = new Set([
  'carry',
  'landed-blocked',
  'review',
  'terraform-plan',
  'report',
]);

/** What the record says after A2; null: it never happened and never will. */
async function tryReplace(
  steps: DecideSteps,
  { rfc_id, op_id: opId, request, kind }: Intent,
  state: DecidedState,
  next: RfcRecord | null,
): Promise<Found | null> {
  try {
    const by = { opId, at: request.at, isVerdict: VERDICTS.has(kind) };
    if (await steps.replaceRecord(state, next, by)) {
      const json = next === null ? null : JSON.stringify(next);
      return { isMine: true, status: next?.overall_status ?? null, rev: state.rev + 1, json };
    }
    return await steps.readDecision(rfc_id, opId);
  } catch {
    // It may still be on its way: after the fence it can't arrive any more.
    const found = await steps.fence(rfc_id, opId);
    return found.isMine ? found : null;
  }
}

/** A2 of a remark. `value`: the rev of the record; null: it was deleted since. */
async function amend(
  steps: DecideSteps,
  opId: string,
  input: RemarkInput,
  first: { state: DecidedState; next: RfcRecord },
): Promise<Change<number | null>> {
  let { state, next } = first;
  try {
    for (let race = 0; race < MONGO.RACES_MAX; race += 1) {
      if (await steps.amendRecord(state, next, { opId, remark: input.remark }))
        return { phase: 'done', value: next.rev };
      const now = await steps.readState(input);
      if (now === null) {
        const details = { status: null, rev: null };
        return { phase: 'refused', error: unknownRfc(), details };
      }
      if (now.fence !== first.state.fence) return { phase: 'aborted' };
      state = now;
      try {
        next = withRemark(parseRecord(now.json), input.remark);
      } catch (thrown) {
        const details = { status: now.status, rev: now.rev };
        return { phase: 'refused', error: CraError.fromUnknown(thrown), details };
      }
    }
    return { phase: 'aborted' };
  } catch {
    // It may still be on its way: after the fence it can't arrive any more.
    const { isMine, rev } = await steps.fence(input.rfc_id, opId);
    return isMine ? { phase: 'done', value: rev } : { phase: 'aborted' };
  }
}

/** Of an override that was not made. When this fails, its place counts for its 24 hours. */
async function releaseAgentPlace(
  steps: Pick<DecideSteps, 'releaseAgentPlace'>,
  { op_id, request }: Intent,
): Promise<void> {
  if (!isAgent(request.principal)) return;
  await steps.releaseAgentPlace({ op: op_id }).catch(() => undefined);
}

/** The entry of a copied store, or of a version that wrote no intents; null when absent. */
async function findWhole(steps: DecideSteps, event: AuditEvent): Promise<AppendOutput | null> {
  const known = (await steps.readOperations([event.op_id])).find(({ slot }) => slot === 'whole');
  return known === undefined ? null : appendOutput(event, { ...known, isOwn: false });
}

/** ALREADY_EXISTS when the entry under this op_id records another event. */
export function appendOutput(
  event: AuditEvent,
  { chain, seq, entry, isOwn }: Pick<Appended, 'chain' | 'seq' | 'entry' | 'isOwn'>,
): AppendOutput {
  if (!isOwn && !isSameEvent(JSON.parse(entry) as AuditEntry, event)) throw otherRequest();
  return { chain, seq, replayed: !isOwn };
}

function requestOf(event: AuditEvent, place: RfcId): RequestedOperation {
  return { op_id: event.op_id, ...place, request_hash: hash('sha256', contentOf(event)) };
}

/**
 * Settles an operation by its intent, for the reconciler. An acceptance that was given again before
 * the outcome of its end goes with it, as the trail says; only a daemon that was held up for longer
 * than the reconciler waits may end what was accepted later: it has to be accepted again.
 */
export async function settle(
  steps: Pick<
    DecideSteps,
    'fence' | 'accept' | 'append' | 'expire' | 'endAcceptance' | 'releaseAgentPlace'
  >,
  { kind, entry }: AuditDocument,
): Promise<void> {
  const event = JSON.parse(entry) as AuditEntry;
  const by = 'reconciler';
  const conclude = (phase: 'done' | 'aborted', details = {}) =>
    steps.append(outcomeOf(event, phase, { ...details, by }), TRAIL.DECIDE_DEADLINE_MS);
  if (kind === 'acceptance-ended') {
    const { tenant_id, repo_name } = event;
    const fingerprint = String(event.details['fingerprint']);
    await steps.endAcceptance({ tenant_id, repo_name: repo_name ?? '', fingerprint });
    await conclude('done', { fingerprint });
    return;
  }
  const intent = readIntent(entry);
  const found = await steps.fence(intent.rfc_id, intent.op_id);
  if (!found.isMine) {
    await releaseAgentPlace(steps, intent);
    await conclude('aborted');
    return;
  }
  await steps.accept(intent, found.json);
  await conclude('done');
  if (intent.status_after === null) await steps.expire(intent);
}
