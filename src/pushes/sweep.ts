import { PUSHES } from '../limits.ts';
import { CraError } from '../model/errors.ts';
import type { RfcRecord } from '../model/records.ts';
import type { PushedRepository, PushStore } from '../store/contract/pushes.ts';
import { type LostPushesOptions, takeUpLost } from './lost-pushes.ts';

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

export interface SweepOptions extends LostPushesOptions {
  /** Those that are asked for are tried again after so long while the store is down. */
  retryMs: number;
  intervalMs: number;
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
  let retry: NodeJS.Timeout | null = null;
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
    for (const [key, repository] of [...asked]) {
      try {
        const record = await findNewest(repository);
        asked.delete(key);
        await lookAt(record);
      } catch (thrown) {
        fail(thrown, repository.repoFullName);
        if (!asked.has(key)) continue;
        // Where it was never pushed, nothing can be told from its newest push.
        if (CraError.fromUnknown(thrown).code === 'NOT_FOUND') asked.delete(key);
        else return askAgain();
      }
    }
  }

  async function findNewest({ tenantId, repoFullName }: WatchedRepository): Promise<RfcRecord> {
    const repository = { tenant_id: tenantId, repo_name: repoFullName };
    const { json } = await pushes.newestPush(repository);
    return JSON.parse(Buffer.from(json).toString()) as RfcRecord;
  }

  /** The store is down, as it was when their webhooks were refused. */
  function askAgain(): void {
    if (retry !== null || stopping.signal.aborted) return;
    retry = setTimeout(() => {
      retry = null;
      queue();
    }, options.retryMs);
  }

  function queue(): void {
    if (isQueued) return;
    isQueued = true;
    begin(sweepAsked);
  }

  async function sweepAll(): Promise<void> {
    for await (const repos of pushedRepositories(pushes)) {
      if (stopping.signal.aborted) return;
      await Promise.all(repos.map(({ record }) => lookAt(record).catch(failOf(record))));
      if (asked.size > 0) await sweepAsked();
    }
  }

  function failOf({ repo_name }: RfcRecord): (thrown: unknown) => void {
    return (thrown) => fail(thrown, repo_name);
  }

  async function lookAt(record: RfcRecord): Promise<void> {
    const found = await takeUpLost(record, options, stopping.signal);
    if (found > 0) options.onFound();
  }

  return {
    look(repository) {
      if (asked.size >= PUSHES.REFUSED_REPOS_MAX) return;
      asked.set(`${repository.tenantId} ${repository.repoFullName.toLowerCase()}`, repository);
      queue();
    },
    settled: () => round,
    async stop() {
      stopping.abort();
      clearInterval(timer);
      if (retry !== null) clearTimeout(retry);
      await round;
    },
  };
}

/** All repositories with pushes, as many at a time as are looked at together. */
async function* pushedRepositories(
  pushes: Pick<PushStore, 'listPushed'>,
): AsyncGenerator<PushedRepository[]> {
  let after: { tenant_id: string; repo_key: string } | null = null;
  for (;;) {
    const page: { repos: PushedRepository[] } = await pushes.listPushed({
      after,
      limit: PUSHES.SWEEP_PAGE,
    });
    const { repos } = page;
    for (let at = 0; at < repos.length; at += PUSHES.SWEEP_PARALLEL) {
      yield repos.slice(at, at + PUSHES.SWEEP_PARALLEL);
    }
    const last = repos.at(-1);
    if (last === undefined || repos.length < PUSHES.SWEEP_PAGE) return;
    after = { tenant_id: last.tenant_id, repo_key: last.repo_key };
  }
}
