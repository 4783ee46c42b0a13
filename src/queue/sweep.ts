import { CraError } from '../domain/errors.ts';
import type { RfcRecord } from '../domain/records.ts';
import { PUSHES } from '../limits.ts';
import type { PushedRepository } from '../rpc/queue-contract.ts';
import type { PushStore } from '../store/queue.ts';
import { findLost, type LostOptions } from './lost-pushes.ts';
import { acceptSweep } from './settle-claim.ts';

/** Looks at the hosts for pushes whose webhook was lost. */
export interface Sweep {
  /** Looks at one repository soon: its webhook was refused, or came again under another id. */
  look(repository: WatchedRepository): void;
  /** Resolves when nothing that was asked for is left to do. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/** A repository as a webhook named it. */
export interface WatchedRepository {
  tenantId: string;
  repoFullName: string;
}

export interface SweepOptions extends LostOptions {
  pushes: PushStore;
  intervalMs: number;
  now(): Date;
  /** A push was found. */
  onFound(): void;
  onError(error: CraError, repoFullName: string | null): void;
}

/** Creates the sweep, and starts it. */
export function createSweep(options: SweepOptions): Sweep {
  const { pushes } = options;
  const stopping = new AbortController();
  /** By tenant and name, the ones asked for first first. */
  const asked = new Map<string, WatchedRepository>();
  let round: Promise<void> = Promise.resolve();
  let isQueued = false;
  const timer = setInterval(() => begin(sweepAll), options.intervalMs);

  /** One round after the other; those that are asked for go before the rest. */
  function begin(run: () => Promise<void>): void {
    round = round.then(run).catch((thrown) => fail(thrown, null));
  }

  function fail(thrown: unknown, repoFullName: string | null): void {
    if (!stopping.signal.aborted) options.onError(CraError.fromUnknown(thrown), repoFullName);
  }

  async function sweepAsked(): Promise<void> {
    isQueued = false;
    const due = [...asked.values()];
    asked.clear();
    for (const repository of due) {
      try {
        const { tenantId: tenant_id, repoFullName: repo_name } = repository;
        const { json } = await pushes.newestPush({ tenant_id, repo_name });
        await lookAt(JSON.parse(Buffer.from(json).toString()) as RfcRecord);
      } catch (thrown) {
        // The next sweep of all finds it, if it was ever pushed here.
        fail(thrown, repository.repoFullName);
      }
    }
  }

  async function sweepAll(): Promise<void> {
    let after: { tenant_id: string; repo_key: string } | null = null;
    while (!stopping.signal.aborted) {
      const page: { repos: PushedRepository[] } = await pushes.listPushed({
        after,
        limit: PUSHES.SWEEP_PAGE,
      });
      const { repos } = page;
      for (let at = 0; at < repos.length; at += PUSHES.SWEEP_PARALLEL) {
        const some = repos.slice(at, at + PUSHES.SWEEP_PARALLEL);
        await Promise.all(some.map(({ record }) => lookAt(record).catch(failOf(record))));
        if (asked.size > 0) await sweepAsked();
      }
      const last = repos.at(-1);
      if (last === undefined || repos.length < PUSHES.SWEEP_PAGE) return;
      after = { tenant_id: last.tenant_id, repo_key: last.repo_key };
    }
  }

  function failOf({ repo_name }: RfcRecord): (thrown: unknown) => void {
    return (thrown) => fail(thrown, repo_name);
  }

  async function lookAt(record: RfcRecord): Promise<void> {
    for (const { ref, sha, previous } of await findLost(record, stopping.signal, options)) {
      await acceptSweep(record, ref, sha, previous ?? 'none', options);
      options.onFound();
    }
  }

  return {
    look(repository) {
      if (asked.size >= PUSHES.REFUSED_REPOS_MAX) return;
      asked.set(`${repository.tenantId} ${repository.repoFullName.toLowerCase()}`, repository);
      if (isQueued) return;
      isQueued = true;
      begin(sweepAsked);
    },
    settled: () => round,
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await round;
    },
  };
}
