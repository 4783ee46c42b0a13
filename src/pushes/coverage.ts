import { hash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import {
  type Clock,
  createPause,
  createRateLimiter,
  systemClock,
  takeTurn,
} from '../core/rate-limit.ts';
import { type CoverageApi, openCoverage } from '../hosts/coverage.ts';
import type { HostChecks, ListedRepository } from '../hosts/coverage-dialect.ts';
import type { VcsHost } from '../hosts/settings.ts';
import {
  type CoverageCounts,
  coverageOf,
  type HostCoverage,
  type RepositoryCoverage,
} from '../model/coverage.ts';
import { CraError } from '../model/errors.ts';
import type { ServiceEvent } from '../model/event.ts';
import { BRANCH_PREFIX, type PushView, repositoryKey } from '../model/push.ts';
import type { PushStore } from '../store/contract/pushes.ts';
import { COVERAGE } from './limits.ts';

/**
 * Whether the repositories of the configured owners are covered by the gate. Each host is checked
 * in rounds, one call after the other within a budget of its own; what was found is kept in a file,
 * so that a round goes on after a restart.
 */
export interface Coverage {
  start(): void;
  /** What is known of the hosts of a tenant; null: of all tenants. */
  state(tenantId: string | null): HostCoverage[];
  /** Ends calls under way; the round goes on at the next start. */
  stop(): Promise<void>;
}

export interface CoverageOptions {
  hosts: readonly VcsHost[];
  pushes: Pick<PushStore, 'newestPushes'>;
  /** Where what was found is kept; it need not be there. */
  file: string;
  /** Tells subscribers, before what was found is kept. */
  tell(events: ServiceEvent[]): Promise<unknown>;
  onError(error: CraError, host: string): void;
  clock?: Clock;
}

/** A round of a host, as it is kept. */
interface Round {
  started_at: string | null;
  finished_at: string | null;
  /** How long it took, ms; absent: an older version kept it. */
  took_ms?: number;
  /** The owner that is listed next, and its page. */
  owner: number;
  page: number;
  /** Found in this round, and not checked yet. */
  left: (ListedRepository & { tries: number })[];
  /** Names of what was found in this round. */
  listed: string[];
  checked: number;
  /** Of this round or the one before it. */
  repositories: RepositoryCoverage[];
  /** Names of repositories of which subscribers know a gap; absent: an older version kept it. */
  gaps?: string[];
}

const NO_ROUND: Round = {
  started_at: null,
  finished_at: null,
  owner: 0,
  page: 1,
  left: [],
  listed: [],
  checked: 0,
  repositories: [],
};

/** Creates it; hosts without owners or without an API are not checked. */
export function createCoverage(options: CoverageOptions): Coverage {
  const { file, clock = systemClock, onError } = options;
  const kept = readKept(file);
  const stopping = new AbortController();
  let savedAt = 0;
  const lanes = options.hosts.flatMap((host) => {
    const { owners = [] } = host;
    if (owners.length === 0) return [];
    const known = kept[host.id];
    // Other owners: what was listed is not what is asked for.
    const isSame = known !== undefined && known.owners.join() === owners.join();
    return [createLane(host, owners, isSame ? known.round : NO_ROUND)];
  });

  function createLane(host: VcsHost, owners: readonly string[], before: Round) {
    const round: Round = structuredClone(before);
    const pause = createPause(clock);
    const budget = createRateLimiter({ ...BUDGET, now: clock.now });
    /** Why the round waits, and what of it is left out. */
    let waitsFor: string | null = null;
    let leftOut: string | null = null;
    const api = openCoverage(host, {
      deadlineMs: COVERAGE.CALL_DEADLINE_MS,
      now: clock.now,
      turn: (signal) => takeTurn(budget, host.id, pause, signal),
    });
    if (api === null) leftOut = 'the host has no API, or no token is configured';

    /** One list or one repository; false: the round is over. */
    async function step(calls: CoverageApi): Promise<boolean> {
      const { signal } = stopping;
      const next = round.left[0];
      if (next !== undefined) {
        const isGivenUp = next.tries >= COVERAGE.TRIES_MAX;
        const checks = isGivenUp ? NOTHING_KNOWN : await calls.check(next, signal);
        const row = await rowOf(host, next, checks, options, clock);
        const before = round.repositories.find(({ repo }) => repo === row.repo);
        const gaps = gapsOf(round);
        await options.tell(changeOf(host, { before, isTold: gaps.has(row.repo) }, row));
        if (row.coverage === 'gap') gaps.add(row.repo);
        if (row.coverage === 'covered') gaps.delete(row.repo);
        round.gaps = [...gaps];
        round.left.shift();
        round.checked += 1;
        const others = round.repositories.filter(({ repo }) => repo !== row.repo);
        round.repositories = [...others, row];
        return true;
      }
      const owner = owners[round.owner];
      if (owner === undefined) return false;
      const { repositories, isLast } = await calls.list(owner, round.page, signal);
      const known = new Set(round.listed);
      const room = COVERAGE.REPOSITORIES_MAX - round.listed.length;
      const found = repositories.filter(({ repo }) => !known.has(repo)).slice(0, room);
      if (found.length < repositories.length && room <= repositories.length) {
        leftOut = `more than ${COVERAGE.REPOSITORIES_MAX} repositories: the others are not checked`;
      }
      round.left.push(...found.map(toCheck));
      round.listed.push(...found.map(({ repo }) => repo));
      if (isLast || room <= found.length) nextOwner();
      else round.page += 1;
      return true;
    }

    /** A repository of which the host fails shall not hold up the others. */
    function putLast(): void {
      const failed = round.left.shift();
      if (failed !== undefined) round.left.push({ ...failed, tries: failed.tries + 1 });
    }

    function nextOwner(): void {
      round.owner += 1;
      round.page = 1;
    }

    function finish(): void {
      const listed = new Set(round.listed);
      round.repositories = round.repositories.filter(({ repo }) => listed.has(repo));
      round.finished_at = new Date(clock.now()).toISOString();
      round.took_ms = clock.now() - Date.parse(round.started_at ?? round.finished_at);
      Object.assign(round, { owner: 0, page: 1, left: [], started_at: null });
    }

    /** How long (ms) until the next step. */
    async function advance(calls: CoverageApi): Promise<number> {
      if (round.started_at === null) {
        const doneAt = round.finished_at === null ? null : Date.parse(round.finished_at);
        const restMs = doneAt === null ? 0 : doneAt + restAfter(round) - clock.now();
        if (restMs > 0) return Math.min(restMs, COVERAGE.INTERVAL_MS_MAX);
        const started_at = new Date(clock.now()).toISOString();
        Object.assign(round, { started_at, listed: [], checked: 0 });
        leftOut = null;
      }
      try {
        const hasMore = await step(calls);
        waitsFor = null;
        if (!hasMore) finish();
        if (!hasMore || clock.now() - savedAt >= COVERAGE.SAVE_INTERVAL_MS) save();
        return 0;
      } catch (thrown) {
        if (stopping.signal.aborted) return 0;
        const error = CraError.fromUnknown(thrown);
        if (error.code === 'NOT_FOUND') {
          leftOut = error.message;
          nextOwner();
          return 0;
        }
        if (waitsFor !== error.message) onError(error, host.id);
        waitsFor = error.message;
        const asked = Number(error.details['waitMs'] ?? 0);
        if (error.code === 'UNAVAILABLE' && asked === 0) putLast();
        return Math.max(asked, COVERAGE.RETRY_MS);
      }
    }

    async function run(): Promise<void> {
      while (api !== null && !stopping.signal.aborted) {
        const ms = await advance(api);
        if (ms > 0 && !stopping.signal.aborted) await pause.wait(ms);
      }
    }

    return {
      host,
      owners,
      round,
      run,
      wake: pause.wake,
      state: (): HostCoverage => ({
        host: host.id,
        provider: host.provider,
        owners: [...owners],
        started_at: round.started_at,
        finished_at: round.finished_at,
        listed: round.listed.length,
        checked: round.checked,
        problem: waitsFor ?? leftOut,
        repositories: round.repositories,
      }),
    };
  }

  /** Whole or not at all; a disk that is full costs the state of the next start. */
  function save(): void {
    savedAt = clock.now();
    const text = Object.fromEntries(
      lanes.map(({ host, owners, round }) => [host.id, { owners, round }]),
    );
    try {
      writeFileSync(`${file}.new`, JSON.stringify(text), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    } catch (thrown) {
      onError(new CraError('INTERNAL', 'the coverage was not kept', { cause: thrown }), '');
    }
  }

  let running: Promise<unknown> = Promise.resolve();
  return {
    start() {
      running = Promise.all(lanes.map(({ run }) => run()));
    },
    state: (tenantId) =>
      lanes
        .filter(({ host }) => tenantId === null || host.tenantId === tenantId)
        .map(({ state }) => state()),
    async stop() {
      stopping.abort();
      for (const { wake } of lanes) wake();
      await running;
      if (lanes.length > 0) save();
    },
  };
}

/** How many repositories there are of each kind, as they were checked last. */
export function coverageCounts(hosts: readonly HostCoverage[]): CoverageCounts {
  const counts = { covered: 0, gap: 0, unknown: 0 };
  for (const { repositories } of hosts) {
    for (const { coverage } of repositories) counts[coverage] += 1;
  }
  return counts;
}

/** From the end of a round to the next one, ms: a short round costs little and comes again soon. */
function restAfter({ took_ms: tookMs }: Round): number {
  if (tookMs === undefined) return COVERAGE.INTERVAL_MS_MAX;
  const restMs = tookMs * COVERAGE.RESTS_PER_ROUND;
  return Math.min(Math.max(restMs, COVERAGE.INTERVAL_MS_MIN), COVERAGE.INTERVAL_MS_MAX);
}

/** BURST_MAX calls at once, and REFILL_PER_MINUTE more each minute. */
const BUDGET = {
  max: COVERAGE.BURST_MAX,
  windowMs: (60_000 * COVERAGE.BURST_MAX) / COVERAGE.REFILL_PER_MINUTE,
  keysMax: 1,
};

/** The fields of a list that a check reads: the state stays small. */
function toCheck({ fields, ...repository }: ListedRepository): Round['left'][number] {
  const { only_allow_merge_if_pipeline_succeeds, allow_merge_on_skipped_pipeline } = fields;
  return {
    ...repository,
    fields: { only_allow_merge_if_pipeline_succeeds, allow_merge_on_skipped_pipeline },
    tries: 0,
  };
}

const NOTHING_KNOWN: HostChecks = {
  webhook: 'unknown',
  last_delivery_at: null,
  gate: 'unknown',
  gate_source: null,
  bypass: null,
};

async function rowOf(
  { id: host, tenantId }: VcsHost,
  { repo, id, default_branch }: ListedRepository,
  checks: HostChecks,
  { pushes }: Pick<CoverageOptions, 'pushes'>,
  clock: Clock,
): Promise<RepositoryCoverage> {
  const repo_key = repositoryKey({ repo_name: repo, push: { host, repository_id: id } });
  const refs = default_branch === null ? [] : [BRANCH_PREFIX + default_branch];
  const place = { tenant_id: tenantId, repo_key };
  const [newest] = (await pushes.newestPushes({ ...place, refs })).pushes;
  const newest_push = newestOf(newest);
  const known = { ...checks, newest_push };
  const checked_at = new Date(clock.now()).toISOString();
  return { repo, default_branch, checked_at, ...known, coverage: coverageOf(known) };
}

function gapsOf({ gaps, repositories }: Round): Set<string> {
  const seen = repositories.filter(({ coverage }) => coverage === 'gap');
  return new Set(gaps ?? seen.map(({ repo }) => repo));
}

/**
 * What a check tells subscribers: a gap that is new, or has closed. `isTold`: they know of a gap,
 * perhaps from before checks that saw nothing.
 */
function changeOf(
  { id: host, tenantId: tenant_id }: VcsHost,
  { before, isTold }: { before: RepositoryCoverage | undefined; isTold: boolean },
  { checked_at, ...row }: RepositoryCoverage,
): ServiceEvent[] {
  const { repo, coverage, webhook, gate, newest_push } = row;
  if (coverage === 'unknown' || isTold === (coverage === 'gap')) return [];
  const subject = `${host} ${repo}`;
  const type = coverage === 'gap' ? 'coverage.gap' : 'coverage.covered';
  return [
    {
      // A check that a crash repeats tells the same.
      event_id: hash('sha256', `${subject} ${before?.checked_at ?? ''} ${type}`),
      type,
      tenant_id,
      subject,
      place: Date.parse(checked_at),
      repo,
      at: checked_at,
      data: { host, repo, coverage, webhook, gate, newest_push },
    },
  ];
}

function newestOf(push: PushView | undefined): RepositoryCoverage['newest_push'] {
  if (push === undefined) return 'none';
  if (push.isUnjudged) return 'unjudged';
  return push.overall_status === 'DRAFT' ? 'waiting' : 'judged';
}

/** What an earlier run kept; a file that is not there or damaged counts as nothing. */
function readKept(file: string): Record<string, { owners: string[]; round: Round } | undefined> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}
