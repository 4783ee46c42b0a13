import { setTimeout as pause } from 'node:timers/promises';
import { PIPELINE } from '../analysis/limits.ts';
import { createSemaphore } from '../core/semaphore.ts';
import { CraError } from '../model/errors.ts';
import type { RefPlace, RepositoryPlace } from '../model/push.ts';
import type { RfcRecord } from '../model/records.ts';
import type { PushClaim, PushStore } from '../store/contract/pushes.ts';
import { type ClaimOptions, processPush } from './claim.ts';
import { PUSHES } from './limits.ts';
import { revoke } from './revocation.ts';

/** Takes the pushes in the store to their verdicts, as many at once as the threads can use. */
export interface PushRunner {
  /** There is something new to do. */
  wake(): void;
  /** A push was taken in: gate 3 ends for an older one of its ref. */
  accepted(rfcId: string, place: RefPlace): void;
  /** A push was decided about: ends its job, and takes back what rested on it. */
  cancel(rfcId: string): void;
  readonly running: number;
  /** Leaves the pushes that it holds to the next start, or to another daemon. */
  stop(): Promise<void>;
}

export interface RunnerOptions extends Omit<ClaimOptions, 'judging' | 'superseded'> {
  threads: number;
  onError(error: CraError, rfcId: string | null): void;
}

/** Creates the runner, and starts it. */
export function createPushRunner(options: RunnerOptions): PushRunner {
  const { pushes, owner, times } = options;
  const judging = createSemaphore({ places: options.threads * PUSHES.RUNNING_PER_THREAD });
  const running = new RunningPushes(pushes, owner);
  const empty = createEmptyClaims();
  // Nothing is lost: what was held is claimed again when its lease is over.
  const fail = (thrown: unknown, rfcId: string | null) =>
    isStopping ? undefined : reportUnlessOvertaken(thrown, rfcId, options);
  const report = (thrown: unknown) => fail(thrown, null);
  let after: RefPlace | null = null;
  let isStopping = false;
  let isFilling = false;
  let isAsked = false;
  const revocation = createTakingBack(options, () => wake(), report);
  const timers = [
    setInterval(wake, times.pollMs),
    setInterval(revocation.begin, times.pollMs),
    setInterval(() => running.renew().catch(report), PUSHES.RENEW_INTERVAL_MS),
  ];
  const started = pushes.releasePushes({ owner }).catch(report);

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
      await empty.pause();
      isAsked = false;
      while (!isStopping && running.size < PUSHES.IN_HAND_MAX) {
        const asked = { owner, after, leaseMs: PUSHES.LEASE_MS, busy: running.places() };
        const claim = await empty.noted(pushes.claimPush(asked));
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
    if (isAlone) await running.settled();
    const own = new AbortController();
    const newer = new AbortController();
    const job = processPush(claim, own.signal, { ...options, judging, superseded: newer.signal })
      .catch((thrown: unknown) => {
        if (own.signal.aborted) return;
        fail(thrown, record.rfc_id);
        return running.giveBack(record).catch(report);
      })
      .finally(() => {
        running.remove(record.rfc_id);
        options.onSettled(record.rfc_id);
        wake();
      });
    running.add(record, claim.place, { job, own, newer });
    if (isAlone) await job;
  }

  const cancel = (rfcId: string) => [running.cancel(rfcId), revocation.begin()];
  const accepted = (by: string, place: RefPlace) => [running.overtake(by, place), wake()];
  wake();
  return {
    wake,
    cancel,
    accepted,
    get running() {
      return running.size;
    },
    async stop() {
      isStopping = true;
      for (const timer of timers) clearInterval(timer);
      await Promise.all([running.end(), revocation.stop()]);
      await pushes.releasePushes({ owner }).catch(() => undefined);
    },
  };
}

/**
 * Keeps claims that find nothing apart: in a storm most webhooks are of repositories whose turn it
 * is already, and each claim would walk over all of these.
 */
function createEmptyClaims() {
  let at = Number.NEGATIVE_INFINITY;
  return {
    async noted(claiming: Promise<{ claim: PushClaim | null }>): Promise<PushClaim | null> {
      const { claim } = await claiming;
      if (claim === null) at = performance.now();
      return claim;
    },
    async pause(): Promise<void> {
      const ms = at + PUSHES.EMPTY_CLAIM_PAUSE_MS - performance.now();
      if (ms > 0) await pause(ms);
    },
  };
}

/** Takes back what has fallen, one round after the other: each sees what the last reopened. */
function createTakingBack(
  options: RunnerOptions,
  wake: () => void,
  report: (thrown: unknown) => void,
) {
  let round = Promise.resolve();
  let isStopping = false;
  function onTakenBack(reopened: readonly string[]): void {
    for (const rfcId of reopened) options.onSettled(rfcId);
    if (reopened.length > 0) wake();
  }
  return {
    begin(): void {
      if (!isStopping) round = round.then(() => revoke(options)).then(onTakenBack, report);
    },
    async stop(): Promise<void> {
      isStopping = true;
      await round;
    },
  };
}

function reportUnlessOvertaken(
  thrown: unknown,
  rfcId: string | null,
  { onError }: Pick<RunnerOptions, 'onError'>,
): void {
  const error = CraError.fromUnknown(thrown);
  if (!isOvertaken(error)) onError(error, rfcId);
}

/** The push was decided about, deleted, judged or superseded by another daemon meanwhile. */
function isOvertaken({ code }: CraError): boolean {
  return code === 'ABORTED' || code === 'NOT_FOUND' || code === 'CANCELLED';
}

interface Running {
  job: Promise<void>;
  /** Ends the job. */
  own: AbortController;
  /** See `ClaimOptions.superseded`. */
  newer: AbortController;
}

/** The pushes that this daemon holds now. */
class RunningPushes {
  private readonly running = new Map<string, Running & { place: RefPlace }>();
  private readonly pushes: Pick<PushStore, 'renewPushes'>;
  private readonly owner: string;

  constructor(pushes: Pick<PushStore, 'renewPushes'>, owner: string) {
    this.pushes = pushes;
    this.owner = owner;
  }

  get size(): number {
    return this.running.size;
  }

  add({ rfc_id }: RfcRecord, place: RefPlace, job: Running): void {
    this.running.set(rfc_id, { ...job, place });
  }

  /** Those of the ref of another push. */
  overtake(by: string, { tenant_id, repo_key, ref }: RefPlace): void {
    for (const [rfcId, { place, newer }] of this.running) {
      const isOfRepo = place.tenant_id === tenant_id && place.repo_key === repo_key;
      if (isOfRepo && place.ref === ref && rfcId !== by) newer.abort();
    }
  }

  remove(rfcId: string): void {
    this.running.delete(rfcId);
  }

  readonly cancel = (rfcId: string): void => {
    this.running.get(rfcId)?.own.abort();
  };

  /** Ends all, and resolves when they have ended. */
  async end(): Promise<void> {
    for (const { own } of this.running.values()) own.abort();
    await this.settled();
  }

  /** Resolves when those that run now have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.running.values()].map(({ job }) => job));
  }

  places(): RepositoryPlace[] {
    return [...this.running.values()].map(({ place: { tenant_id, repo_key } }) => {
      return { tenant_id, repo_key };
    });
  }

  /** Says that this daemon lives, and still has them. */
  async renew(): Promise<void> {
    const held = [...this.running].map(([rfc_id, { place }]) => {
      return { rfc_id, tenant_id: place.tenant_id };
    });
    if (held.length > 0) await this.hold(held, PUSHES.LEASE_MS);
  }

  /** Its judgement failed: it is tried again soon, by the daemon that is first. */
  async giveBack({ tenant_id, rfc_id }: RfcRecord): Promise<void> {
    await this.hold([{ tenant_id, rfc_id }], PUSHES.FAILED_HOLD_MS);
  }

  private async hold(held: { tenant_id: string; rfc_id: string }[], leaseMs: number) {
    await this.pushes.renewPushes({ owner: this.owner, pushes: held, leaseMs });
  }
}
