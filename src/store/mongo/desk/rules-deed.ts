import { AUDIT } from '../../../limits.ts';
import type { AuditDetails, AuditEntry, AuditEvent, AuditPlace } from '../../../model/audit.ts';
import type { AddRules, RulesEntry } from '../../contract/rulebook.ts';
import { staleRules } from '../../stored-rules.ts';
import { abandoned, fullTrail, otherRequest, unknownOutcome } from '../../trail-errors.ts';
import type { Appender } from '../audit-appender.ts';
import { readFailure } from '../audit-error.ts';
import type { OutcomePhase } from '../decide-events.ts';
import { packText } from '../packed-text.ts';
import type { RulesDocument } from './documents.ts';
import { findLast, findNewest, type RulesCollection } from './rules-book.ts';

export interface RulesDeedOptions {
  rules: RulesCollection;
  append: Appender['append'];
  isFull(): boolean;
}

/**
 * Changes of the rules, which the trail tells of. As with decisions an intent goes before and an
 * outcome after; the document of a number is taken once, whoever tries:
 *
 *     A0  find the next number                        not `expected`: refused, nothing is written
 *     A1  append the intent, which names the number   fails: nothing has changed
 *     A2  insert the revision under that number       taken: refused
 *     A3  append the outcome, answer
 *
 * The fence of a number that nobody has taken is a document without a revision: a slow writer
 * comes too late then, and the next change gets the next number.
 */
export function createRulesDeed({ rules, append, isFull }: RulesDeedOptions) {
  async function add(input: AddRules): Promise<{ entry: RulesEntry; audit: AuditPlace }> {
    const packed = await packText(input.text, 'the rules');
    const entry = { ...input.entry, number: await nextNumber(input.expected) };
    if (isFull()) throw fullTrail();
    const event = intentOf(input.event, entry.number);
    const written = await append(event, AUDIT.INTENT_WAIT_MS);
    if (!written.isOwn) throw otherRequest();
    const endsAt = performance.now() + AUDIT.DECIDE_DEADLINE_MS;
    let outcome: Outcome;
    let audit: AuditPlace;
    try {
      outcome = await take(event, { entry: JSON.stringify(entry), text: packed }, entry.number);
      const { chain, seq } = await append(
        outcomeOf(event, outcome.phase, outcome.details),
        Math.max(0, endsAt - performance.now()),
      );
      audit = { chain, seq };
    } catch (thrown) {
      throw unknownOutcome(event.op_id, thrown);
    }
    if (outcome.phase === 'done') return { entry, audit };
    throw outcome.newest === null ? abandoned() : staleRules(outcome.newest);
  }

  /** A0. */
  async function nextNumber(expected: number): Promise<number> {
    const { newest, taken } = await findLast(rules).catch((thrown: unknown) => {
      throw readFailure(thrown);
    });
    if (newest !== expected) throw staleRules(newest);
    return taken + 1;
  }

  /** A2, and what the number says then. */
  async function take(
    { op_id }: AuditEvent,
    revision: Pick<RulesDocument, 'entry' | 'text'>,
    number: number,
  ): Promise<Outcome> {
    try {
      await rules.insertOne({ _id: number, op_id, ...revision });
      return { phase: 'done', details: { number } };
    } catch {
      // It is taken, or may still be on its way: after the fence it can't arrive any more.
      const found = await fence(number, op_id);
      if (found.isMine) return { phase: 'done', details: { number } };
      if (found.isVoid) return { phase: 'aborted', details: {}, newest: null };
    }
    const newest = (await findNewest(rules))?.number ?? number;
    return { phase: 'refused', details: { number: newest }, newest };
  }

  /** What became of a number: final, as nobody takes it any more. One step, durable. */
  async function fence(number: number, op_id: string): Promise<Taken> {
    const after = await rules.findOneAndUpdate(
      { _id: number },
      { $inc: { fence: 1 }, $setOnInsert: { op_id } },
      {
        upsert: true,
        returnDocument: 'after',
        projection: { text: 0 },
        maxTimeMS: AUDIT.ATTEMPT_MS,
      },
    );
    const isVoid = after?.entry === undefined;
    return { isVoid, isMine: !isVoid && after.op_id === op_id };
  }

  /** Ends a change whose daemon is gone, or too slow; `text` is its intent in the trail. */
  async function settle(text: string): Promise<'done' | 'aborted'> {
    const intent = JSON.parse(text) as AuditEntry;
    const number = Number(intent.details['number']);
    const { isMine } = await fence(number, intent.op_id);
    const phase = isMine ? 'done' : 'aborted';
    const details = { ...(isMine ? { number } : {}), by: 'reconciler' };
    await append(outcomeOf(intent, phase, details), AUDIT.DECIDE_DEADLINE_MS);
    return phase;
  }

  return { add, settle };
}

interface Taken {
  isMine: boolean;
  /** There is no revision of this number and there never will be. */
  isVoid: boolean;
}

type Outcome = { phase: OutcomePhase; details: AuditDetails } & (
  | { phase: 'done' }
  | { phase: 'refused'; newest: number }
  | { phase: 'aborted'; newest: null }
);

function intentOf(event: AuditEvent, number: number): AuditEvent {
  return { ...event, phase: 'intent', details: { ...event.details, number } };
}

/** The entry after the deed. */
function outcomeOf(intent: AuditEvent, phase: OutcomePhase, details: AuditDetails): AuditEvent {
  const { kind, op_id, tenant_id, principal, actor, rfc_id, rfc_rev, repo_name } = intent;
  const same = { kind, op_id, tenant_id, principal, actor, rfc_id, rfc_rev, repo_name };
  return { ...same, phase, reason: null, details };
}
