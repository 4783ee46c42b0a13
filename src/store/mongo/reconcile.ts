import type { AuditDetails, AuditEntry } from '../../model/audit.ts';
import { MONGO_TRAIL, TRAIL } from '../limits.ts';
import type { AuditCollection } from './audit-collection.ts';
import type { Appended } from './audit-log.ts';
import { freeAgentPlace } from './decide.ts';
import {
  type DecideSteps,
  type Intent,
  outcomeEvent,
  outcomeOf,
  readIntent,
} from './decide-steps.ts';

/**
 * Settles an operation whose daemon is gone, or too slow: fences it off, reads from the record
 * whether it happened, finishes it if so, and writes its outcome. Several may do this at once, and
 * its own daemon too: the fence makes what the record says final, so all of them write the same.
 */
async function settle(
  steps: Pick<DecideSteps, 'fence' | 'accept' | 'append' | 'expire' | 'giveAgentPlace'>,
  intent: Intent,
): Promise<'done' | 'aborted'> {
  const found = await steps.fence(intent.rfcId, intent.opId);
  const phase = found.isMine ? 'done' : 'aborted';
  if (found.isMine) await steps.accept(intent, found.json);
  else await freeAgentPlace(steps, intent);
  const event = outcomeEvent(intent, phase, { by: 'reconciler' });
  await steps.append(event, TRAIL.DECIDE_DEADLINE_MS);
  if (found.isMine && intent.statusAfter === null) await steps.expire(intent);
  return phase;
}

/**
 * The end of an acceptance from its intent on, whose canonical JSON `text` is: nothing accepts the
 * fingerprint any more, then comes the outcome. Several may do it at once. What was accepted again
 * before the outcome ends with it, as the trail says; only a daemon that was held up for longer
 * than the reconciler waits may take back what was accepted later: it has to be accepted again.
 */
export async function finishEnd(
  steps: Pick<DecideSteps, 'endAcceptance' | 'append'>,
  text: string,
  waitMs: number,
  by: AuditDetails = {},
): Promise<Appended> {
  const intent = JSON.parse(text) as AuditEntry;
  const { tenant_id, repo_name, details } = intent;
  const fingerprint = String(details['fingerprint']);
  await steps.endAcceptance({ tenant_id, repo_name: repo_name ?? '', fingerprint });
  const outcome = outcomeOf(intent, 'done', { fingerprint, ...by });
  return await steps.append(outcome, Math.max(0, waitMs));
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

export interface ReconcilerOptions {
  steps: Pick<
    DecideSteps,
    'readOperations' | 'fence' | 'accept' | 'append' | 'expire' | 'endAcceptance' | 'giveAgentPlace'
  >;
  /** The same for a change of the rules, by the text of its intent. */
  settleRules(intent: string): Promise<unknown>;
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
 * Creates the reconciler: each call looks once at the intents of all daemons, settles what is
 * overdue, and returns their number.
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

/** An intent that cannot be settled (its record is damaged) does not keep the others open. */
async function settleAll(
  { steps, settleRules }: Pick<ReconcilerOptions, 'steps' | 'settleRules'>,
  overdue: readonly OpenIntent[],
): Promise<void> {
  const failures: unknown[] = [];
  for (let at = 0; at < overdue.length; at += MONGO_TRAIL.SETTLE_PARALLEL) {
    const settling = overdue.slice(at, at + MONGO_TRAIL.SETTLE_PARALLEL).map(async ({ opId }) => {
      const entries = await steps.readOperations([opId]);
      const written = entries.find(({ slot }) => slot === 'intent');
      if (written === undefined) return;
      const { kind, entry } = written;
      if (kind === 'rules') await settleRules(entry);
      else if (kind !== 'acceptance-ended') await settle(steps, readIntent(entry));
      else await finishEnd(steps, entry, TRAIL.DECIDE_DEADLINE_MS, { by: 'reconciler' });
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

/** Knows the intents of all daemons that have no outcome. */
export interface IntentWatch {
  /** Looks at intents whose `ts` is at least `sinceMs`, and again at those known to be open. */
  look(sinceMs: number): Promise<OpenIntent[]>;
}

/** Watches by two indexes: intents by time, and the operations that have an outcome. */
export function createIntentWatch(audit: AuditCollection, mono: () => number): IntentWatch {
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
    async look(sinceMs) {
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
