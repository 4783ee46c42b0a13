import { createSemaphore } from '../core/semaphore.ts';
import { PIPELINE, PUSHES } from '../limits.ts';
import { CraError } from '../model/errors.ts';
import type { PushClaim, RefPlace } from '../store/contract/pushes.ts';
import { type ClaimOptions, takeToVerdict } from './claim.ts';
import { Hands } from './hands.ts';

/** Takes the pushes in the store to their verdicts, as many at once as the threads can use. */
export interface PushRunner {
  /** There is something new to do. */
  wake(): void;
  /** Ends the job of a push that somebody decided about. */
  cancel(rfcId: string): void;
  readonly running: number;
  /** Leaves the pushes in hand to the next start, or to another daemon. */
  stop(): Promise<void>;
}

export interface RunnerOptions extends Omit<ClaimOptions, 'judging'> {
  threads: number;
  /** A push has a verdict, was superseded or put off. */
  onSettled(rfcId: string): void;
  onError(error: CraError, rfcId: string | null): void;
}

/** Creates the runner, and starts it. */
export function createPushRunner(options: RunnerOptions): PushRunner {
  const { pushes, owner, times } = options;
  const judging = createSemaphore({ places: options.threads * PUSHES.RUNNING_PER_THREAD });
  const hands = new Hands(pushes, owner);
  const report = (thrown: unknown) => fail(thrown, null);
  let after: RefPlace | null = null;
  let [isStopping, isFilling, isAsked] = [false, false, false];
  const timers = [
    setInterval(wake, times.pollMs),
    setInterval(() => hands.renew().catch(report), PUSHES.RENEW_INTERVAL_MS),
  ];
  const started = pushes.freeHeld({ owner }).catch(report);

  function wake(): void {
    isAsked = true;
    if (isFilling || isStopping) return;
    isFilling = true;
    fill()
      .catch(report)
      .finally(() => {
        isFilling = false;
        if (isAsked) wake();
      });
  }

  async function fill(): Promise<void> {
    await started;
    while (isAsked && !isStopping) {
      isAsked = false;
      while (!isStopping && hands.size < PUSHES.IN_HAND_MAX) {
        const { claim } = await pushes.claimPush({
          ...{ owner, after, lease_ms: PUSHES.LEASE_MS },
          busy: hands.repositories(),
        });
        if (claim === null) break;
        after = claim.place;
        await start(claim);
      }
    }
  }

  /** A push that ended two daemons has the third one for itself. */
  async function start(claim: PushClaim): Promise<void> {
    const { record } = claim;
    const isAlone = (record.queue?.attempts ?? 0) >= PIPELINE.ATTEMPTS_MAX;
    if (isAlone) await hands.settled();
    const own = new AbortController();
    const job = takeToVerdict(claim, own.signal, { ...options, judging })
      .catch((thrown: unknown) => {
        if (own.signal.aborted) return;
        fail(thrown, record.rfc_id);
        return hands.giveBack(record).catch(report);
      })
      .finally(() => {
        hands.remove(record.rfc_id);
        options.onSettled(record.rfc_id);
        wake();
      });
    hands.add(record, { job, cancel: () => own.abort() });
    if (isAlone) await job;
  }

  /** Nothing is lost: what was in hand is claimed again when its lease is over. */
  function fail(thrown: unknown, rfcId: string | null): void {
    const error = CraError.fromUnknown(thrown);
    if (!isStopping && !isOvertaken(error)) options.onError(error, rfcId);
  }

  wake();
  return {
    wake,
    cancel: hands.cancel,
    get running() {
      return hands.size;
    },
    async stop() {
      isStopping = true;
      for (const timer of timers) clearInterval(timer);
      hands.cancelAll();
      await hands.settled();
      await pushes.freeHeld({ owner }).catch(() => undefined);
    },
  };
}

/** Somebody decided about the push, was faster, or deleted it. */
function isOvertaken({ code }: CraError): boolean {
  return code === 'ABORTED' || code === 'NOT_FOUND';
}
