import { AUDIT } from '../../limits.ts';
import { type Intent, outcomeEvent, readIntent } from './decide-events.ts';
import type { DecideSteps } from './decide-steps.ts';
import type { IntentWatch, OpenIntent } from './reconcile-watch.ts';

/**
 * Ends a deed whose daemon is gone, or too slow: fences it off, reads from the record whether it
 * happened, finishes it if so, and writes its outcome. Several may do this at once, and its own
 * daemon too: the fence makes what the record says final, so all of them write the same.
 */
async function settle(
  steps: Pick<DecideSteps, 'fence' | 'accept' | 'append' | 'expire'>,
  intent: Intent,
): Promise<'done' | 'aborted'> {
  const found = await steps.fence(intent.rfcId, intent.opId);
  const phase = found.isMine ? 'done' : 'aborted';
  if (found.isMine) await steps.accept(intent, found.json);
  const event = outcomeEvent(intent, phase, { by: 'reconciler' });
  await steps.append(event, AUDIT.DECIDE_DEADLINE_MS);
  if (found.isMine && intent.statusAfter === null) await steps.expire(intent);
  return phase;
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
  if (watchedMs >= AUDIT.INTENT_OVERDUE_MS) return true;
  const isOld = time.serverMs - intent.ts >= AUDIT.INTENT_OVERDUE_MS;
  return isOld && watchedMs >= AUDIT.RECONCILE_INTERVAL_MS;
}

export interface ReconcilerOptions {
  steps: Pick<DecideSteps, 'readDeeds' | 'fence' | 'accept' | 'append' | 'expire'>;
  /** The same for a change of the rules, by the text of its intent. */
  settleRules(intent: string): Promise<unknown>;
  watch: IntentWatch;
  /** By the clock of the server, ms since the epoch. */
  serverNow(): Promise<number>;
  /** By a clock that never goes back, ms. */
  mono(): number;
  /** Chains that this daemon wrote before: nobody writes them any more. */
  former: ReadonlySet<string>;
  /** Where the first look begins, ms since the epoch. */
  firstSinceMs: number;
}

/**
 * Creates the reconciler: each call looks once at the intents of all daemons, settles what is
 * overdue, and tells how many there were.
 */
export function createReconciler(options: ReconcilerOptions): () => Promise<number> {
  const { watch, serverNow, mono, former } = options;
  let sinceMs: number | null = options.firstSinceMs;
  let longLookAt = mono();

  return async () => {
    const serverMs = await serverNow();
    const monoMs = mono();
    const isLong = monoMs - longLookAt >= AUDIT.INTENTS_WINDOW_SHORT_MS;
    if (isLong) longLookAt = monoMs;
    const windowMs = isLong ? AUDIT.INTENTS_WINDOW_MS : AUDIT.INTENTS_WINDOW_SHORT_MS;
    const open = await watch.look(sinceMs ?? serverMs - windowMs);
    sinceMs = null;
    const overdue = open.filter((intent) => isOverdue(intent, { monoMs, serverMs }, former));
    await settleAll(options, overdue);
    return overdue.length;
  };
}

/** One that can't be settled (a record that is damaged) keeps none of the others open. */
async function settleAll(
  { steps, settleRules }: Pick<ReconcilerOptions, 'steps' | 'settleRules'>,
  overdue: readonly OpenIntent[],
): Promise<void> {
  const failures: unknown[] = [];
  for (let at = 0; at < overdue.length; at += AUDIT.SETTLE_PARALLEL) {
    const settling = overdue.slice(at, at + AUDIT.SETTLE_PARALLEL).map(async ({ opId }) => {
      const entries = await steps.readDeeds([opId]);
      const written = entries.find(({ slot }) => slot === 'intent');
      if (written?.kind === 'rules') await settleRules(written.entry);
      else if (written !== undefined) await settle(steps, readIntent(written.entry));
    });
    for (const result of await Promise.allSettled(settling)) {
      if (result.status === 'rejected') failures.push(result.reason);
    }
  }
  if (failures.length > 0) throw failures[0];
}
