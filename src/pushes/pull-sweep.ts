import {
  type Clock,
  createPause,
  createRateLimiter,
  systemClock,
  takeTurn,
} from '../core/rate-limit.ts';
import { openDeployRuns } from '../hosts/deploy-runs.ts';
import { type ListOpenPulls, type OpenPull, openPullLists } from '../hosts/open-pulls.ts';
import type { VcsHost } from '../hosts/settings.ts';
import { CraError } from '../model/errors.ts';
import type { PushedRepository, PushStore } from '../store/contract/pushes.ts';
import { PUSH_STORE } from '../store/limits.ts';
import type { DeployAnswers } from './deploy-answers.ts';
import type { Intake } from './intake.ts';
import { PULL_SWEEP } from './limits.ts';
import { pushedRepositories } from './sweep.ts';

/** Looks at the hosts for pull requests of forks and deploys whose events were lost. */
export interface PullSweep {
  start(): void;
  stop(): Promise<void>;
}

export interface PullSweepOptions {
  hosts: readonly VcsHost[];
  pushes: Pick<PushStore, 'listPushed' | 'newestPushes'>;
  takeUp: Intake['takeUp'];
  deploys: Pick<DeployAnswers, 'lookAt' | 'wake'>;
  /** From the begin of one round to the next. */
  intervalMs: number;
  onError(error: CraError, host: string): void;
  clock?: Clock;
}

/** Creates it: each host has rounds and a budget of its own. What branches have, `Sweep` finds. */
export function createPullSweep(options: PullSweepOptions): PullSweep {
  const lanes = options.hosts.map((host) => createLane(host, options));
  let running: Promise<unknown> = Promise.resolve();
  return {
    start() {
      running = Promise.all(lanes.map(({ run }) => run()));
    },
    async stop() {
      for (const { stop } of lanes) stop();
      await running;
    },
  };
}

function createLane(host: VcsHost, options: PullSweepOptions) {
  const { pushes, intervalMs, onError, clock = systemClock } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = createPause(clock);
  const budget = createRateLimiter({ ...BUDGET, now: clock.now });
  /** Of lists in which nothing was lost, by the name of the repository. */
  const etags = new Map<string, string>();
  /** The last failure: while it lasts it is reported once. */
  let failure: string | null = null;
  const reading = {
    deadlineMs: PULL_SWEEP.CALL_DEADLINE_MS,
    now: clock.now,
    turn: () => takeTurn(budget, host.id, pause, signal),
  };
  const changedWithinMs = PULL_SWEEP.CHANGED_WITHIN_MS;
  const list = openPullLists(host, { ...reading, changedWithinMs });
  const runs = openDeployRuns(host, reading);

  async function lookAt(repository: PushedRepository, listOf: ListOpenPulls): Promise<void> {
    signal.throwIfAborted();
    const { repo_name } = repository.record;
    // Somebody waits for these.
    if (runs !== null) await options.deploys.lookAt(host, repo_name, { runs, signal });
    const listed = await listOf(repo_name, etags.get(repo_name) ?? null, signal);
    if (listed === null || listed === 'unseen') return;
    const lost = await lostOf(listed.pulls, repository, pushes);
    const outcomes: (string | null)[] = [];
    for (const { payload } of lost) {
      const taken = await options.takeUp(host, payload);
      outcomes.push(taken?.outcome ?? null);
    }
    // What was taken up is looked at once more, as its judgement may fail.
    if (listed.etag === null || outcomes.includes('new')) return;
    if (etags.size >= PULL_SWEEP.ETAGS_MAX) etags.clear();
    etags.set(repo_name, listed.etag);
  }

  /** How long (ms) the host asks to be left alone; 0: it does not. */
  async function round(listOf: ListOpenPulls): Promise<number> {
    let failures = 0;
    options.deploys.wake();
    try {
      for await (const repositories of pushedRepositories(pushes)) {
        for (const repository of repositories.filter(isOwn)) {
          try {
            await lookAt(repository, listOf);
            failures = 0;
            failure = null;
          } catch (thrown) {
            failures += 1;
            const waitMs = Number(report(thrown).details['waitMs'] ?? 0);
            // A host may fail for one repository alone.
            if (waitMs > 0 || failures === PULL_SWEEP.FAILURES_MAX) return waitMs;
          }
        }
      }
    } catch (thrown) {
      report(thrown);
    }
    return 0;
  }

  function isOwn({ tenant_id, record }: PushedRepository): boolean {
    return record.push?.host === host.id && tenant_id === host.tenantId;
  }

  function report(thrown: unknown): CraError {
    const error = CraError.fromUnknown(thrown);
    if (failure !== error.message && !signal.aborted) onError(error, host.id);
    failure = error.message;
    return error;
  }

  return {
    async run() {
      while (list !== null && !signal.aborted) {
        await pause.wait(intervalMs);
        if (signal.aborted) return;
        const waitMs = await round(list);
        if (waitMs > intervalMs && !signal.aborted) await pause.wait(waitMs - intervalMs);
      }
    },
    stop() {
      stopping.abort();
      pause.wake();
    },
  };
}

/** BURST_MAX calls at once, and REFILL_PER_MINUTE more each minute. */
const BUDGET = {
  max: PULL_SWEEP.BURST_MAX,
  windowMs: (60_000 * PULL_SWEEP.BURST_MAX) / PULL_SWEEP.REFILL_PER_MINUTE,
  keysMax: 1,
};

/** Pull requests of forks whose heads are neither judged nor waiting here. */
async function lostOf(
  pulls: readonly OpenPull[],
  { tenant_id, repo_key }: PushedRepository,
  pushes: Pick<PushStore, 'newestPushes'>,
): Promise<OpenPull[]> {
  const forks = pulls.filter(({ event }) => event.pullRequest?.from_fork === true);
  const lost: OpenPull[] = [];
  for (let at = 0; at < forks.length; at += PUSH_STORE.REFS_PER_CALL_MAX) {
    const some = forks.slice(at, at + PUSH_STORE.REFS_PER_CALL_MAX);
    const refs = some.map(({ event }) => event.ref);
    const { pushes: newest } = await pushes.newestPushes({ tenant_id, repo_key, refs });
    const heads = newest.filter(({ isUnjudged }) => !isUnjudged);
    const known = new Set(heads.map(({ ref, commit_sha }) => `${ref} ${commit_sha}`));
    lost.push(...some.filter(({ event: { ref, after } }) => !known.has(`${ref} ${after}`)));
  }
  return lost;
}
