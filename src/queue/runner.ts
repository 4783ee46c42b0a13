import { CraError } from '../domain/errors.ts';
import { PIPELINE, PUSHES } from '../limits.ts';
import type { PushClaim, RefPlace, Repository } from '../rpc/queue-contract.ts';
import { type ClaimOptions, takeToVerdict } from './claim.ts';

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

export interface RunnerOptions extends ClaimOptions {
  threads: number;
  /** A push has a verdict, was superseded or put off. */
  onSettled(rfcId: string): void;
  onError(error: CraError, rfcId: string | null): void;
}

/** Creates the runner, and starts it. */
export function createPushRunner(options: RunnerOptions): PushRunner {
  const { pushes, owner, times } = options;
  const runningMax = options.threads * PUSHES.RUNNING_PER_THREAD;
  const running = new Map<string, Running>();
  let after: RefPlace | null = null;
  let isStopping = false;
  let isFilling = false;
  let isAsked = false;
  /** A push that ended two daemons has the third one for itself. */
  let isAlone = false;
  const polling = setInterval(wake, times.pollMs);
  const renewing = setInterval(renew, PUSHES.RENEW_INTERVAL_MS);
  const started = pushes.freeHeld({ owner }).catch((thrown) => fail(thrown, null));

  function wake(): void {
    isAsked = true;
    if (isFilling || isStopping) return;
    isFilling = true;
    fill()
      .catch((thrown) => fail(thrown, null))
      .finally(() => {
        isFilling = false;
      });
  }

  async function fill(): Promise<void> {
    await started;
    while (isAsked && !isStopping) {
      isAsked = false;
      while (!isStopping && !isAlone && running.size < runningMax) {
        const { claim } = await pushes.claimPush({
          ...{ owner, after, lease_ms: PUSHES.LEASE_MS },
          busy: [...running.values()].map(({ repository }) => repository),
        });
        if (claim === null) break;
        after = claim.place;
        await start(claim);
      }
    }
  }

  async function start(claim: PushClaim): Promise<void> {
    const { record } = claim;
    if ((record.queue?.attempts ?? 0) >= PIPELINE.ATTEMPTS_MAX) {
      isAlone = true;
      await Promise.allSettled([...running.values()].map(({ job }) => job));
    }
    const own = new AbortController();
    const job = takeToVerdict(claim, own.signal, options)
      .catch((thrown: unknown) => {
        if (!own.signal.aborted) fail(thrown, record.rfc_id);
      })
      .finally(() => {
        running.delete(record.rfc_id);
        if (running.size === 0) isAlone = false;
        options.onSettled(record.rfc_id);
        wake();
      });
    const { tenant_id, repo_name } = record;
    running.set(record.rfc_id, {
      job,
      repository: { tenant_id, repo_name },
      cancel: () => own.abort(),
    });
  }

  function renew(): void {
    if (running.size === 0) return;
    const held = [...running].map(([rfc_id, { repository }]) => ({
      rfc_id,
      tenant_id: repository.tenant_id,
    }));
    pushes
      .renewPushes({ owner, pushes: held, lease_ms: PUSHES.LEASE_MS })
      .catch((thrown) => fail(thrown, null));
  }

  /** Nothing is lost: what was in hand is claimed again when its lease is over. */
  function fail(thrown: unknown, rfcId: string | null): void {
    const error = CraError.fromUnknown(thrown);
    // Somebody decided, was faster, or deleted it.
    if (error.code === 'ABORTED' || error.code === 'NOT_FOUND') return;
    if (!isStopping) options.onError(error, rfcId);
  }

  wake();
  return {
    wake,
    cancel: (rfcId) => running.get(rfcId)?.cancel(),
    get running() {
      return running.size;
    },
    async stop() {
      isStopping = true;
      clearInterval(polling);
      clearInterval(renewing);
      for (const { cancel } of running.values()) cancel();
      await Promise.allSettled([...running.values()].map(({ job }) => job));
      await pushes.freeHeld({ owner }).catch(() => undefined);
    },
  };
}

interface Running {
  job: Promise<void>;
  repository: Repository;
  cancel(): void;
}
