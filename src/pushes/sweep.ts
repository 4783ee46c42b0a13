import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { CraError } from '../model/errors.ts';
import { isJudgedRef, type PushView, type RepositoryPlace, repositoryKey } from '../model/push.ts';
import { type RfcRecord, recordText, viewedRecord } from '../model/records.ts';
import type { Client } from '../rpc/service.ts';
import type { Source } from '../rpc/source-contract.ts';
import type { PushedRepository, PushStore } from '../store/contract/pushes.ts';
import { PUSH_STORE } from '../store/limits.ts';
import { PUSHES } from './limits.ts';
import { newPushRecord } from './push-record.ts';

/** Looks at the hosts for pushes whose webhook was lost. */
export interface Sweep {
  /** Begins to look at all repositories, once an interval. */
  start(): void;
  /** Looks at one repository soon: its webhook was refused, or came again under another id. */
  look(repository: WatchedRepository): void;
  /** Resolves when all requested repositories were looked at. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/** A repository as a webhook named it. */
export interface WatchedRepository {
  tenantId: string;
  repoFullName: string;
}

export interface SweepOptions extends LostPushesOptions {
  /** While the store is down, requested repositories are tried again after this time. */
  retryMs: number;
  intervalMs: number;
  /** A push was found. */
  onFound(): void;
  onError(error: CraError, repoFullName: string | null): void;
}

/** Creates the sweep. Regular rounds begin with `start`; `look` works before. */
export function createSweep(options: SweepOptions): Sweep {
  const { pushes } = options;
  const stopping = new AbortController();
  /** Requested repositories by tenant and name, in the order of the requests. */
  const requested = new Map<string, WatchedRepository>();
  let round: Promise<void> = Promise.resolve();
  let isQueued = false;
  let retry: NodeJS.Timeout | null = null;
  let timer: NodeJS.Timeout | undefined;

  /** Runs one round after the other; requested repositories come first. */
  function begin(run: () => Promise<void>): void {
    round = round.then(run).catch((thrown) => fail(thrown, null));
  }

  function fail(thrown: unknown, repoFullName: string | null): void {
    if (!stopping.signal.aborted) options.onError(CraError.fromUnknown(thrown), repoFullName);
  }

  async function sweepRequested(): Promise<void> {
    isQueued = false;
    for (const [key, repository] of [...requested]) {
      try {
        const newest = await findNewest(pushes, repository);
        requested.delete(key);
        await lookAt(newest);
      } catch (thrown) {
        fail(thrown, repository.repoFullName);
        if (!requested.has(key)) continue;
        // Nothing is known of a repository that was never pushed.
        if (CraError.fromUnknown(thrown).code === 'NOT_FOUND') requested.delete(key);
        else return askAgain();
      }
    }
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
    begin(sweepRequested);
  }

  async function sweepAll(): Promise<void> {
    for await (const repos of pushedRepositories(pushes)) {
      if (stopping.signal.aborted) return;
      await Promise.all(repos.map((each) => lookAt(each).catch(failOf(each.record))));
      if (requested.size > 0) await sweepRequested();
    }
  }

  function failOf({ repo_name }: RfcRecord): (thrown: unknown) => void {
    return (thrown) => fail(thrown, repo_name);
  }

  async function lookAt(repository: PushedRepository): Promise<void> {
    const found = await takeUpLost(repository, options, stopping.signal);
    if (found > 0) options.onFound();
  }

  return {
    start() {
      timer = setInterval(() => begin(sweepAll), options.intervalMs);
    },
    look(repository) {
      if (requested.size >= PUSHES.REFUSED_REPOS_MAX) return;
      requested.set(`${repository.tenantId} ${repository.repoFullName.toLowerCase()}`, repository);
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

async function findNewest(
  pushes: Pick<PushStore, 'newestPush'>,
  { tenantId, repoFullName }: WatchedRepository,
): Promise<PushedRepository> {
  const repository = { tenant_id: tenantId, repo_name: repoFullName };
  const record = viewedRecord(await pushes.newestPush(repository));
  return { tenant_id: tenantId, repo_key: repositoryKey(record), record };
}

/** All repositories with pushes, as many at a time as are looked at together. */
export async function* pushedRepositories(
  pushes: Pick<PushStore, 'listPushed'>,
): AsyncGenerator<PushedRepository[]> {
  let after: RepositoryPlace | null = null;
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

interface LostPushesOptions {
  pushes: PushStore;
  source: Pick<Client<typeof Source>, 'listRefs'>;
  /** Whether refs other than branches are judged, too. */
  judgesTags: boolean;
  /** How long a webhook may be on its way. */
  graceMs: number;
  now(): Date;
}

/** A ref of which the host has another head than its newest push here. */
interface Differing {
  ref: string;
  sha: string;
  previous: PushView | undefined;
}

/**
 * Compares the refs of a host with the newest pushes of a repository, `like` one of them, and
 * makes pushes of what was lost; how many. Lost is what differs in the same way when the host is
 * asked again: what comes while it answers makes its answer old.
 */
async function takeUpLost(
  { record: like, repo_key }: PushedRepository,
  options: LostPushesOptions,
  signal: AbortSignal,
): Promise<number> {
  const before = await findDiffering(like, repo_key, options, signal);
  if (before.heads.size === 0) return 0;
  await pause(options.graceMs, undefined, { signal });
  let count = 0;
  const { own, heads } = await findDiffering(like, repo_key, options, signal);
  for (const { ref, sha, previous } of heads.values()) {
    const earlier = before.heads.get(ref);
    if (earlier?.sha !== sha || earlier.previous?.rfc_id !== previous?.rfc_id) continue;
    const found = { repo_key, ref, sha, previous: previous?.rfc_id ?? null };
    await acceptSweep(own, found, options);
    count += 1;
  }
  return count;
}

/** What differs, by ref; `own` is `like` as one of the host that owns the name. */
async function findDiffering(
  like: RfcRecord,
  repo_key: string,
  { pushes, source, judgesTags }: LostPushesOptions,
  signal: AbortSignal,
): Promise<{ own: RfcRecord; heads: Map<string, Differing> }> {
  const { push, repo_name, tenant_id } = like;
  const differing = new Map<string, Differing>();
  if (push === null) return { own: like, heads: differing };
  const place = { tenant_id, repo_key };
  const { baseline, nameHost } = await pushes.findBaseline({ ...place, repo_name });
  // The newest push may be one of another host: see `Baseline.host`.
  const host = baseline?.host ?? nameHost ?? push.host;
  const { refs } = await source.listRefs({ host, repo_full_name: repo_name }, { signal });
  const heads = Object.entries(refs)
    .filter(([ref]) => isJudgedRef(ref, judgesTags))
    .slice(0, PUSHES.SWEEP_REFS_MAX);
  for (let at = 0; at < heads.length; at += PUSH_STORE.REFS_PER_CALL_MAX) {
    const some = heads.slice(at, at + PUSH_STORE.REFS_PER_CALL_MAX);
    const names = some.map(([ref]) => ref);
    const known = await pushes.newestPushes({ ...place, refs: names });
    const newest = new Map(known.pushes.map((each) => [each.ref, each]));
    for (const [ref, sha] of some) {
      const previous = newest.get(ref);
      if (isKnown(ref, sha, previous, baseline?.heads ?? null)) continue;
      differing.set(ref, { ref, sha, previous });
    }
  }
  return { own: { ...like, push: { ...push, host } }, heads: differing };
}

/**
 * Judged or waiting here, or as it was when the repository was seen first. Until then (`before` is
 * null) nothing is known of refs that nobody pushed: only what was pushed and could not be had
 * is asked for again.
 */
function isKnown(
  ref: string,
  sha: string,
  newest: PushView | undefined,
  before: Readonly<Record<string, string>> | null,
): boolean {
  if (newest === undefined) return before === null || before[ref] === sha;
  if (before === null) return !newest.isUnjudged;
  return newest.commit_sha === sha && !newest.isUnjudged;
}

/** A head that the host has and this service has not. */
interface FoundHead {
  /** Its repository, as its heads are kept. */
  repo_key: string;
  ref: string;
  sha: string;
  /** The newest push of the ref then, so that it is written once, and not if another one came. */
  previous: string | null;
}

/**
 * Writes the push of a head that a look at the host found. `like` is any push of the repository.
 */
export async function acceptSweep(
  like: RfcRecord,
  { repo_key, ref, sha, previous }: FoundHead,
  { pushes, now }: Pick<LostPushesOptions, 'pushes' | 'now'>,
): Promise<void> {
  const { push, repo_name, rules_revision } = like;
  if (push === null) return;
  // Of its own: a head that was superseded unjudged is found again.
  const delivery_id = `sweep ${randomUUID()}`;
  const record = newPushRecord(
    {
      host: {
        id: push.host,
        provider: push.provider,
        tenantId: like.tenant_id,
        hasStatuses: like.post_vcs_status,
      },
      repoFullName: repo_name,
      ref,
      sha,
      rulesRevision: rules_revision,
      pusherEmail: null,
      pullRequest: (like.ref === ref && like.pull_request) || null,
      info: {
        source: 'sweep',
        delivery_id,
        before: null,
        pusher: null,
        default_branch: push.default_branch,
        repository_id: push.repository_id ?? null,
      },
    },
    now(),
  );
  const delivery = `${push.host} ${delivery_id}`;
  const found = { source: 'sweep', body_hash: null, before: null, behind: previous } as const;
  const keys = { repo_key, ref, delivery, ...found };
  await pushes.acceptPush({ record: recordText(record), push: keys });
}
