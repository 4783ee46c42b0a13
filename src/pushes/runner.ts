import { setTimeout as pause } from 'node:timers/promises';
import { createSemaphore } from '../core/semaphore.ts';
import { CraError } from '../model/errors.ts';
import { JOB } from '../model/limits.ts';
import type { RefPlace, RepositoryPlace } from '../model/push.ts';
import type { RfcRecord } from '../model/records.ts';
import type { PushClaim, PushStore } from '../store/contract/pushes.ts';
import { type ClaimOptions, processPush } from './claim.ts';
import { PUSHES } from './limits.ts';
import { revoke } from './revocation.ts';

/** Processes the pushes in the store, as many at once as the threads can use. */
export interface PushRunner {
  /** Releases the leases of the former run of this daemon, and begins to claim pushes. */
  start(): void;
  /** Looks for a push to claim; to be called when there may be a new one. */
  wake(): void;
  /** Ends gate 3 of the older pushes of the ref to which a push was accepted. */
  accepted(rfcId: string, place: RefPlace): void;
  /** Ends the job of a push that was decided about, and revokes what depended on its verdict. */
  cancel(rfcId: string): void;
  /** Pushes that this daemon is processing. */
  readonly running: number;
  /** Ends the jobs and releases their leases: the next start or another daemon claims them. */
  stop(): Promise<void>;
}

export interface RunnerOptions extends Omit<ClaimOptions, 'judging' | 'superseded'> {
  threads: number;
  onError(error: CraError, rfcId: string | null): void;
}

/** Creates the runner; it claims nothing before `start`. */
export function createPushRunner(options: RunnerOptions): PushRunner {
  const { pushes, owner, times } = options;
  const judging = createSemaphore({ places: options.threads * PUSHES.RUNNING_PER_THREAD });
  const running = new RunningPushes(pushes, owner);
  const empty = createEmptyClaims();
  // Nothing is lost: a push of which the job failed is claimed again when its lease is over.
  const fail = (thrown: unknown, rfcId: string | null) =>
    isStopping ? undefined : reportUnlessSuperseded(thrown, rfcId, options);
  const report = (thrown: unknown) => fail(thrown, null);
  let after: RefPlace | null = null;
  let isStarted = false;
  let isStopping = false;
  let isFilling = false;
  let isRequested = false;
  const revocation = createRevocation(options, () => wake(), report);
  let timers: NodeJS.Timeout[] = [];

  async function start(): Promise<void> {
    timers = [
      setInterval(wake, times.pollMs),
      setInterval(revocation.begin, times.pollMs),
      setInterval(() => running.renew().catch(report), PUSHES.RENEW_INTERVAL_MS),
    ];
    await pushes.releasePushes({ owner }).catch(report);
    isStarted = true;
    wake();
  }

  function wake(): void {
    isRequested = true;
    if (!isStarted || isFilling || isStopping) return;
    isFilling = true;
    fill()
      .catch(report)
      .finally(() => {
        isFilling = false;
        if (isRequested) wake();
      });
  }

  async function fill(): Promise<void> {
    while (isRequested && !isStopping) {
      await empty.pause();
      isRequested = false;
      while (!isStopping && running.size < PUSHES.IN_HAND_MAX) {
        const asked = { owner, after, leaseMs: PUSHES.LEASE_MS, busy: running.places() };
        const claim = await empty.record(pushes.claimPush(asked));
        if (claim === null) break;
        after = claim.place;
        await begin(claim);
      }
    }
  }

  /** A push during which two daemons died is processed alone. */
  async function begin(claim: PushClaim): Promise<void> {
    const { record } = claim;
    const isAlone = (record.queue?.attempts ?? 0) >= JOB.ATTEMPTS_MAX;
    if (isAlone) await running.settled();
    const own = new AbortController();
    const newer = new AbortController();
    const job = processPush(claim, own.signal, { ...options, judging, superseded: newer.signal })
      .catch((thrown: unknown) => {
        if (own.signal.aborted) return;
        fail(thrown, record.rfc_id);
        return running.release(record).catch(report);
      })
      .finally(() => {
        running.remove(record.rfc_id);
        options.onSettled(record.rfc_id);
        wake();
      });
    running.add(record, claim.place, { job, own, newer });
    if (isAlone) await job;
  }

  return {
    start: () => void start(),
    wake,
    cancel(rfcId) {
      running.cancel(rfcId);
      revocation.begin();
    },
    accepted(rfcId, place) {
      running.supersede(rfcId, place);
      wake();
    },
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
 * Spaces out claims that find no push: in a storm most webhooks are of repositories of which a push
 * is being processed, and each claim would walk over all of these.
 */
function createEmptyClaims() {
  let at = Number.NEGATIVE_INFINITY;
  return {
    async record(claiming: Promise<{ claim: PushClaim | null }>): Promise<PushClaim | null> {
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

/** Runs one revocation after the other: each sees the pushes that the last one reopened. */
function createRevocation(
  options: RunnerOptions,
  wake: () => void,
  report: (thrown: unknown) => void,
) {
  let round = Promise.resolve();
  let isStopping = false;
  function onRevoked(reopened: readonly string[]): void {
    for (const rfcId of reopened) options.onSettled(rfcId);
    if (reopened.length > 0) wake();
  }
  return {
    begin(): void {
      if (!isStopping) round = round.then(() => revoke(options)).then(onRevoked, report);
    },
    async stop(): Promise<void> {
      isStopping = true;
      await round;
    },
  };
}

function reportUnlessSuperseded(
  thrown: unknown,
  rfcId: string | null,
  { onError }: Pick<RunnerOptions, 'onError'>,
): void {
  const error = CraError.fromUnknown(thrown);
  if (!isSuperseded(error)) onError(error, rfcId);
}

/** Whether the push was meanwhile decided about, deleted, or processed by another daemon. */
function isSuperseded({ code }: CraError): boolean {
  return code === 'ABORTED' || code === 'NOT_FOUND' || code === 'CANCELLED';
}

interface Running {
  job: Promise<void>;
  /** Ends the job. */
  own: AbortController;
  /** See `ClaimOptions.superseded`. */
  newer: AbortController;
}

/** Pushes that this daemon is processing. */
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

  /** Ends gate 3 of the other pushes of a ref. */
  supersede(by: string, { tenant_id, repo_key, ref }: RefPlace): void {
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

  /** Ends all jobs, and resolves when they have ended. */
  async end(): Promise<void> {
    for (const { own } of this.running.values()) own.abort();
    await this.settled();
  }

  /** Resolves when the jobs of now have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.running.values()].map(({ job }) => job));
  }

  places(): RepositoryPlace[] {
    return [...this.running.values()].map(({ place: { tenant_id, repo_key } }) => {
      return { tenant_id, repo_key };
    });
  }

  /** Renews the leases. */
  async renew(): Promise<void> {
    const claimed = [...this.running].map(([rfc_id, { place }]) => {
      return { rfc_id, tenant_id: place.tenant_id };
    });
    if (claimed.length > 0) await this.lease(claimed, PUSHES.LEASE_MS);
  }

  /** Shortens the lease of a push whose job failed: the first daemon to claim it tries again. */
  async release({ tenant_id, rfc_id }: RfcRecord): Promise<void> {
    await this.lease([{ tenant_id, rfc_id }], PUSHES.FAILED_LEASE_MS);
  }

  private async lease(pushes: { tenant_id: string; rfc_id: string }[], leaseMs: number) {
    await this.pushes.renewPushes({ owner: this.owner, pushes, leaseMs });
  }
}
