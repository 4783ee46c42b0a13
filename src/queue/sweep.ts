import { setTimeout as pause } from 'node:timers/promises';
import { CraError } from '../domain/errors.ts';
import { BRANCH_PREFIX } from '../domain/push.ts';
import type { RfcRecord } from '../domain/records.ts';
import { PUSHES } from '../limits.ts';
import type { PushedRepository, PushView } from '../rpc/queue-contract.ts';
import type { Client } from '../rpc/service.ts';
import type { Source } from '../rpc/source-contract.ts';
import type { PushStore } from '../store/queue.ts';
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

export interface SweepOptions {
  pushes: PushStore;
  source: Pick<Client<typeof Source>, 'listRefs'>;
  intervalMs: number;
  /** Whether refs other than branches are judged, too. */
  judgesTags: boolean;
  /** How long a webhook may be on its way. */
  graceMs: number;
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

  /** Compares the refs of the host with the newest pushes; what differs twice was lost. */
  async function lookAt(record: RfcRecord): Promise<void> {
    const { push, repo_name, tenant_id } = record;
    if (push === null) return;
    const repository = { tenant_id, repo_name };
    const { baseline } = await pushes.findBaseline(repository);
    const before = baseline?.heads ?? null;
    const { refs } = await options.source.listRefs({
      host: push.host,
      repo_full_name: repo_name,
    });
    const judged = Object.entries(refs)
      .filter(([ref]) => ref.startsWith(BRANCH_PREFIX) || isTag(ref))
      .slice(0, PUSHES.SWEEP_REFS_MAX);
    const differing = await differingOf(repository, judged, before);
    if (differing.length === 0) return;
    await pause(options.graceMs, undefined, { signal: stopping.signal });
    for (const lost of await differingOf(repository, differing, before)) {
      const [ref, sha, previous] = lost;
      await acceptSweep(record, ref, sha, previous?.rfc_id ?? 'none', options);
      options.onFound();
    }
  }

  function isTag(ref: string): boolean {
    return options.judgesTags && ref.startsWith('refs/tags/');
  }

  async function differingOf(
    repository: { tenant_id: string; repo_name: string },
    heads: readonly (readonly [ref: string, sha: string, ...rest: unknown[]])[],
    before: Readonly<Record<string, string>> | null,
  ): Promise<[ref: string, sha: string, previous: PushView | undefined][]> {
    const differing: [string, string, PushView | undefined][] = [];
    for (let at = 0; at < heads.length; at += PUSHES.REFS_PER_CALL_MAX) {
      const some = heads.slice(at, at + PUSHES.REFS_PER_CALL_MAX);
      const refs = some.map(([ref]) => ref);
      const known = await pushes.newestPushes({ ...repository, refs });
      const newest = new Map(known.pushes.map((each) => [each.ref, each]));
      for (const [ref, sha] of some) {
        const previous = newest.get(ref);
        if (isKnown(sha, previous, ref, before)) continue;
        differing.push([ref, sha, previous]);
      }
    }
    return differing;
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

/**
 * Judged or waiting here, or as it was when the repository was seen first. Until then (`before` is
 * null) nothing can be told of refs that nobody pushed: only what was pushed and could not be had
 * is asked for again.
 */
function isKnown(
  sha: string,
  newest: PushView | undefined,
  ref: string,
  before: Readonly<Record<string, string>> | null,
): boolean {
  if (newest === undefined) return before === null || before[ref] === sha;
  if (before === null) return !newest.is_unjudged;
  return newest.commit_sha === sha && !newest.is_unjudged;
}
