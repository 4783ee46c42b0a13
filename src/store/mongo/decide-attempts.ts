import { setTimeout as delay } from 'node:timers/promises';
import { AUDIT } from '../../limits.ts';
import type { AuditEntry, AuditPlace } from '../../model/audit.ts';
import { CraError } from '../../model/errors.ts';
import type { DecideInput, DecideOutput } from '../contract/trail.ts';
import { staleRfc, unknownRfc } from '../stored-record.ts';
import { abandoned, otherRequest, unknownOutcome } from '../trail-errors.ts';
import type { AuditDocument } from './audit-collection.ts';
import { decisionOf, type Intent, readIntent } from './decide-events.ts';
import type { DecideSteps } from './decide-steps.ts';

/** How far the deed of an op_id has come. */
export type Attempt =
  | { state: 'none' /** What the trail is to call it. */; opId: string }
  | { state: 'open' }
  | { state: 'done'; output: DecideOutput };

/**
 * Looks up what the trail says of an op_id. A deed that never happened may be tried again: as an
 * op_id has one outcome for ever, the trail calls further attempts `op_id.2` and so on. Throws
 * ALREADY_EXISTS for another request, and again what a refused one was told.
 */
export async function findAttempt(
  steps: Pick<DecideSteps, 'readDeeds'>,
  input: DecideInput,
): Promise<Attempt> {
  const names = Array.from({ length: AUDIT.ATTEMPTS_MAX }, (_, at) => attemptName(input.op_id, at));
  const entries = await steps.readDeeds(names);
  for (const opId of names) {
    const found = entries.filter(({ op_id }) => op_id === opId);
    if (found.length === 0) return { state: 'none', opId };
    const intent = intentOf(found, input);
    const outcome = found.find(({ slot }) => slot === 'outcome');
    if (outcome === undefined) return { state: 'open' };
    if (outcome.phase === 'done') return { state: 'done', output: replay(intent, outcome) };
    if (outcome.phase === 'refused') throw refusedWith(outcome);
  }
  const message = `this op_id was tried ${AUDIT.ATTEMPTS_MAX} times: ask again with a new one`;
  throw new CraError('FAILED_PRECONDITION', message);
}

function attemptName(opId: string, at: number): string {
  return at === 0 ? opId : `${opId}.${at + 1}`;
}

function intentOf(entries: readonly AuditDocument[], input: DecideInput): Intent {
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

/** The answer of a decision, as its intent and outcome tell it. */
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

/** The answer to a deed that somebody else carries out; UNKNOWN when there is none in time. */
export async function awaitAnswer(
  steps: Pick<DecideSteps, 'readDeeds'>,
  input: DecideInput,
  endsAt: number,
): Promise<DecideOutput> {
  while (performance.now() < endsAt) {
    const attempt = await findAttempt(steps, input);
    if (attempt.state === 'done') return attempt.output;
    // Given up by whoever began it: this call has changed nothing either.
    if (attempt.state === 'none') throw abandoned();
    await delay(POLL_MS);
  }
  throw unknownOutcome(input.op_id, null);
}
