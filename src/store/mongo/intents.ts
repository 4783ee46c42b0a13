import { setTimeout as delay } from 'node:timers/promises';
import type {
  AuditDetails,
  AuditEntry,
  AuditEvent,
  AuditKind,
  AuditPlace,
} from '../../model/audit.ts';
import { actionOf, type DecisionRequest } from '../../model/decision.ts';
import { CraError } from '../../model/errors.ts';
import type { Principal } from '../../model/principal.ts';
import type { Decision, RfcRecord } from '../../model/records.ts';
import type { RfcStatus } from '../../model/rfc.ts';
import type { DecideOutput } from '../contract/trail.ts';
import {
  abandoned,
  fullTrail,
  otherRequest,
  staleRfc,
  unknownOutcome,
  unknownRfc,
} from '../errors.ts';
import { MONGO_TRAIL, TRAIL } from '../limits.ts';
import { type RequestedOperation, requireSameRequest } from '../steps/decision.ts';
import type { AuditCollection, AuditDocument } from './audit-collection.ts';
import type { Appended } from './audit-log.ts';

/**
 * Changes that the trail records. On MongoDB nothing can write a document and the trail together,
 * so an intent goes before the change and an outcome after it, and the document names the op_id of
 * the operation that changed it.
 *
 *     A0  read the document, and plan              refused: nothing is written
 *     A1  append the intent                        fails: nothing has changed
 *     A2  compare and set the document             missed: refused
 *     A3  append the outcome, answer
 *
 * Where the answer to A2 is lost, the writer fences its own operation off: it raises a counter of
 * the document that every A2 compares, and reads in the same step whether the change is there.
 * After that, an A2 that is still on its way misses. When a daemon ends in between, the reconciler
 * of any daemon finds an intent without an outcome and does the same. So the outcome says what the
 * document says, whichever daemon writes it, and an op_id has one outcome for ever.
 *
 * Decisions, carries, moves of reviews, remarks and ends of acceptances are planned and made in
 * `decide`, changes of the rules in `rulebook`.
 */

/** How A2 ended; `aborted`: nothing has changed, and never will. */
export type Change<Done> =
  | { phase: 'done'; value: Done; details?: AuditDetails }
  | { phase: 'refused'; error: CraError; details: AuditDetails }
  | { phase: 'aborted' };

type OutcomePhase = Change<unknown>['phase'];

interface Operation<Done> {
  intent: AuditEvent;
  /** The op_id that the caller gave. */
  opId: string;
  /** By `performance.now()`. */
  endsAt: number;
  /** A1, where the intent is not all of it. */
  begin?(): Promise<Appended>;
  /** A2, after the intent, whose text is given. */
  change(entry: string): Promise<Change<Done>>;
}

/** What operations are run with. */
export interface OperationLog {
  append(event: AuditEvent, waitMs: number): Promise<Appended>;
  /** Whether the trail has no room for decisions. */
  isFull(): boolean;
}

/**
 * A1 to A3. Null: another call began the same operation at the same time, and settles it. Throws
 * the error of a refused change, UNAVAILABLE (`changed: false`) for an aborted one, and UNKNOWN
 * where the outcome is open.
 */
export async function runOperation<Done>(
  { append, isFull }: OperationLog,
  { intent, opId, endsAt, begin, change }: Operation<Done>,
): Promise<{ value: Done; audit: AuditPlace } | null> {
  if (isFull()) throw fullTrail();
  const written = await (begin?.() ?? append(intent, MONGO_TRAIL.INTENT_WAIT_MS));
  if (!written.isOwn) return null;
  let changed: Change<Done>;
  let audit: AuditPlace;
  try {
    changed = await change(written.entry);
    const details = changed.phase === 'aborted' ? {} : (changed.details ?? {});
    const waitMs = Math.max(0, endsAt - performance.now());
    // Where the reconciler has settled the operation, its entry says the same.
    const { chain, seq } = await append(outcomeOf(intent, changed.phase, details), waitMs);
    audit = { chain, seq };
  } catch (thrown) {
    throw unknownOutcome(opId, thrown);
  }
  if (changed.phase === 'done') return { value: changed.value, audit };
  throw changed.phase === 'refused' ? changed.error : abandoned();
}

/** The entry after the change. */
export function outcomeOf(
  intent: AuditEvent,
  phase: OutcomePhase,
  details: AuditDetails,
): AuditEvent {
  const { kind, op_id, tenant_id, principal, actor, rfc_id, rfc_rev, repo_name } = intent;
  const same = { kind, op_id, tenant_id, principal, rfc_id, rfc_rev, repo_name };
  return { ...same, actor: actor || null, phase, reason: null, details };
}

/** The intent of another change of a record: a carry, a move of a review, a remark. */
export function changeIntent(event: AuditEvent, next: RfcRecord, request_hash = ''): AuditEvent {
  const { overall_status: status_after, updated_at: decided_at } = next;
  const details = { ...event.details, status_after, decided_at, request_hash };
  return { ...event, phase: 'intent', details };
}

/** The change of a record as its intent in the trail has it: enough to finish it elsewhere. */
export interface Intent extends RequestedOperation {
  kind: AuditKind;
  repo_name: string;
  request: DecisionRequest;
  /** Null: the record is deleted. */
  status_after: RfcStatus | null;
}

/** What an intent says; `text` is its canonical JSON. */
export function readIntent(text: string): Intent {
  const entry = JSON.parse(text) as AuditEntry;
  const { details } = entry;
  return {
    kind: entry.kind,
    op_id: entry.op_id,
    tenant_id: entry.tenant_id,
    rfc_id: entry.rfc_id ?? '',
    repo_name: entry.repo_name ?? '',
    request_hash: String(details['request_hash']),
    status_after: details['status_after'] as RfcStatus | null,
    request: {
      action: actionOf(entry.kind),
      principal: entry.principal as Principal,
      actor: entry.actor ?? '',
      reason: entry.reason ?? '',
      at: String(details['decided_at']),
      commit_sha: details['commit_sha'] as string | null,
      repo_full_name: details['repo_full_name'] as string | null,
      accept_findings: acceptedIn(details),
      ...(typeof details['expires_at'] === 'string' ? { expires_at: details['expires_at'] } : {}),
      ...(entry.kind === 'emergency-override'
        ? { review_due_at: String(details['review_due_at']) }
        : {}),
      ...(Array.isArray(details['lifts']) ? { lifts: details['lifts'].map(String) } : {}),
    },
  };
}

/** All findings, the ones with these ids, or none. */
function acceptedIn({ accept_findings: accepts }: AuditDetails): boolean | string[] {
  return Array.isArray(accepts) ? accepts.map(String) : accepts === true;
}

/** The answer of a decision, from its intent and the place of its outcome. */
export function outputOf(intent: Intent, audit: AuditPlace): Omit<DecideOutput, 'replayed'> {
  const { rfc_id, repo_name, status_after: overall_status } = intent;
  return { rfc_id, overall_status, decision: decisionOf(intent), repo_name, audit };
}

/** The decision as the record shows it; null for a deletion. */
function decisionOf({ op_id, request }: Intent): Decision | null {
  const { action, principal, actor, reason, at, commit_sha, repo_full_name, lifts } = request;
  if (action === 'delete') return null;
  const decision = { decision_id: op_id, action, principal, actor, reason, at };
  const emergency = request.review_due_at === undefined ? {} : { emergency: true as const };
  const lifted = lifts === undefined ? {} : { lifts };
  return { ...decision, commit_sha, repo_full_name, ...emergency, ...lifted };
}

/** How far the operation of an op_id has come. */
export type Attempt =
  | { state: 'new' /** Its name in the trail. */; opId: string }
  | { state: 'open' }
  | { state: 'done'; output: DecideOutput };

/** What attempts are looked up in. */
export interface AttemptReads {
  /** Entries of operations by op_id. */
  readOperations(opIds: readonly string[]): Promise<AuditDocument[]>;
  /** The answer that another store gave before it was copied; null when absent. */
  readCopied(opId: string): Promise<(RequestedOperation & { output: string }) | null>;
}

/**
 * Looks an op_id up in the trail. An operation that was aborted may be tried again: as an
 * op_id has one outcome for ever, the trail calls further attempts `op_id.2` and so on. Throws
 * ALREADY_EXISTS for another request, and the same error again for a refused one.
 */
export async function findAttempt(
  reads: AttemptReads,
  requested: RequestedOperation,
): Promise<Attempt> {
  const names = Array.from({ length: MONGO_TRAIL.ATTEMPTS_MAX }, (_, at) =>
    at === 0 ? requested.op_id : `${requested.op_id}.${at + 1}`,
  );
  const entries = await reads.readOperations(names);
  for (const opId of names) {
    const found = entries.filter(({ op_id }) => op_id === opId);
    if (found.length === 0) return { state: 'new', opId };
    const copied = found.some(({ slot }) => slot === 'whole')
      ? await reads.readCopied(requested.op_id)
      : null;
    if (copied !== null) {
      requireSameRequest(copied, requested);
      const output = JSON.parse(copied.output) as DecideOutput;
      return { state: 'done', output: { ...output, replayed: true } };
    }
    const begun = found.find(({ slot }) => slot === 'intent');
    if (begun === undefined) throw otherRequest();
    const intent = readIntent(begun.entry);
    requireSameRequest(intent, requested);
    const outcome = found.find(({ slot }) => slot === 'outcome');
    if (outcome === undefined) return { state: 'open' };
    const { phase, chain, seq } = outcome;
    if (phase === 'refused') throw refusedWith(outcome);
    if (phase !== 'done') continue;
    return { state: 'done', output: { ...outputOf(intent, { chain, seq }), replayed: true } };
  }
  const message = `this op_id was tried ${MONGO_TRAIL.ATTEMPTS_MAX} times: send it again with a new op_id`;
  throw new CraError('FAILED_PRECONDITION', message);
}

function refusedWith({ entry }: AuditDocument): CraError {
  const { status, rev } = (JSON.parse(entry) as AuditEntry).details;
  if (typeof status !== 'string' || typeof rev !== 'number') return unknownRfc();
  return staleRfc({ status, rev });
}

const POLL_MS = 50;

/**
 * The outcome of an operation that another call carries out; UNKNOWN when it takes too long.
 * `first`: how far it was at a look before.
 */
export async function awaitAnswer(
  reads: AttemptReads,
  requested: RequestedOperation,
  endsAt: number,
  first: Attempt | null = null,
): Promise<DecideOutput> {
  let attempt = first ?? (await findAttempt(reads, requested));
  while (attempt.state === 'open' && performance.now() < endsAt) {
    await delay(POLL_MS);
    attempt = await findAttempt(reads, requested);
  }
  if (attempt.state === 'done') return attempt.output;
  // The call that began it gave up: this one has changed nothing either.
  throw attempt.state === 'new' ? abandoned() : unknownOutcome(requested.op_id, null);
}

export interface ReconcilerOptions {
  readOperations: AttemptReads['readOperations'];
  /**
   * Settles an operation whose daemon is gone, or too slow, by its intent: fences it off, reads
   * from the document whether it happened, finishes it if so, and writes its outcome. Several may
   * do this at once, and its own daemon too: the fence makes what the document says final, so all
   * of them write the same.
   */
  settle(intent: AuditDocument): Promise<unknown>;
  watch: IntentWatch;
  /** By the clock of the server, ms since the epoch. */
  serverNow(): Promise<number>;
  /** By a clock that never goes back, ms. */
  mono(): number;
  /** Former chains of this daemon: they are not written any more. */
  former: ReadonlySet<string>;
  /** Where the first look begins, ms since the epoch. */
  firstSinceMs: number;
}

/**
 * Creates the reconciler: each call looks once at the intents of all daemons, settles intents that
 * are overdue, and returns their number.
 */
export function createReconciler(options: ReconcilerOptions): () => Promise<number> {
  const { watch, serverNow, mono, former } = options;
  let sinceMs: number | null = options.firstSinceMs;
  let longLookAt = mono();

  return async () => {
    const serverMs = await serverNow();
    const monoMs = mono();
    const isLong = monoMs - longLookAt >= MONGO_TRAIL.INTENTS_WINDOW_SHORT_MS;
    if (isLong) longLookAt = monoMs;
    const windowMs = isLong ? MONGO_TRAIL.INTENTS_WINDOW_MS : MONGO_TRAIL.INTENTS_WINDOW_SHORT_MS;
    const open = await watch.look(sinceMs ?? serverMs - windowMs);
    sinceMs = null;
    const overdue = open.filter((intent) => isOverdue(intent, { monoMs, serverMs }, former));
    await settleAll(options, overdue);
    return overdue.length;
  };
}

/**
 * Whether an intent should have had its outcome. Its `ts` is by the clock of another machine: it
 * counts only when we have watched the intent for a while, so that a clock that is wrong does not
 * make every decision overdue.
 */
function isOverdue(
  intent: OpenIntent,
  time: { monoMs: number; serverMs: number },
  former: ReadonlySet<string>,
): boolean {
  if (former.has(intent.chain)) return true;
  const watchedMs = time.monoMs - intent.seenAt;
  if (watchedMs >= MONGO_TRAIL.INTENT_OVERDUE_MS) return true;
  const isOld = time.serverMs - intent.ts >= MONGO_TRAIL.INTENT_OVERDUE_MS;
  return isOld && watchedMs >= MONGO_TRAIL.RECONCILE_INTERVAL_MS;
}

/** An intent that cannot be settled (its record is damaged) does not keep the others open. */
async function settleAll(
  { readOperations, settle }: Pick<ReconcilerOptions, 'readOperations' | 'settle'>,
  overdue: readonly OpenIntent[],
): Promise<void> {
  const failures: unknown[] = [];
  for (let at = 0; at < overdue.length; at += MONGO_TRAIL.SETTLE_PARALLEL) {
    const settling = overdue.slice(at, at + MONGO_TRAIL.SETTLE_PARALLEL).map(async ({ opId }) => {
      const intent = (await readOperations([opId])).find(({ slot }) => slot === 'intent');
      if (intent !== undefined) await settle(intent);
    });
    for (const result of await Promise.allSettled(settling)) {
      if (result.status === 'rejected') failures.push(result.reason);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** An intent that has no outcome yet, and since when this daemon knows of it. */
export interface OpenIntent {
  opId: string;
  chain: string;
  /** By the clock of the daemon that wrote it, ms since the epoch. */
  ts: number;
  /** By our own clock that never goes back, ms. */
  seenAt: number;
}

export type IntentWatch = ReturnType<typeof createIntentWatch>;

/**
 * Knows the intents of all daemons that have no outcome, by two indexes: intents by time, and the
 * operations that have an outcome.
 */
export function createIntentWatch(audit: AuditCollection, mono: () => number) {
  const open = new Map<string, OpenIntent>();
  /** Operations with an outcome, by the time of their intent: they are not looked up again. */
  const settled = new Map<string, number>();

  async function findNew(sinceMs: number): Promise<void> {
    const found = audit
      .find({ slot: 'intent', ts: { $gte: new Date(sinceMs) } })
      .project<{ op_id: string; ts: Date; chain: string }>({ _id: 0, op_id: 1, ts: 1, chain: 1 })
      .hint('intents')
      .batchSize(TRAIL.READ_PAGE);
    const seenAt = mono();
    for await (const { op_id, ts, chain } of found) {
      if (settled.has(op_id) || open.has(op_id)) continue;
      open.set(op_id, { opId: op_id, chain, ts: ts.getTime(), seenAt });
    }
  }

  async function dropSettled(): Promise<void> {
    const opIds = [...open.keys()];
    for (let at = 0; at < opIds.length; at += TRAIL.READ_PAGE) {
      const outcomes = audit
        .find({ op_id: { $in: opIds.slice(at, at + TRAIL.READ_PAGE) }, slot: 'outcome' })
        .project<{ op_id: string }>({ _id: 0, op_id: 1 });
      for await (const { op_id } of outcomes) {
        settled.set(op_id, open.get(op_id)?.ts ?? 0);
        open.delete(op_id);
      }
    }
  }

  return {
    /** Looks at intents whose `ts` is at least `sinceMs`, and again at the open ones. */
    async look(sinceMs: number): Promise<OpenIntent[]> {
      await findNew(sinceMs);
      await dropSettled();
      // What no look of the ordinary length meets again need not be remembered.
      for (const [opId, ts] of settled) {
        if (ts < sinceMs) settled.delete(opId);
      }
      return [...open.values()];
    },
  };
}
