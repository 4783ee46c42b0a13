import { createHealth, type Health } from '../../core/health.ts';
import { type Clock, createPause, createRateLimiter, systemClock } from '../../core/rate-limit.ts';
import { rejectionOf } from '../../heads/rejections.ts';
import type { PostStatus } from '../../hosts/host.ts';
import type { FindingsSetting, VcsHost, VcsSettings } from '../../hosts/settings.ts';
import { openStatusApi } from '../../hosts/status-api.ts';
import { type Component, isPassing } from '../../model/components.ts';
import { CraError } from '../../model/errors.ts';
import type { DueStatus, PushStore } from '../../store/contract/pushes.ts';
import type { Logger } from '../../telemetry/logger.ts';
import { COMMIT_STATUS, PUSHES } from '../limits.ts';
import {
  type DueRecord,
  NOTHING_POSTED,
  postRecord,
  type Reservation,
  type Settlement,
} from './post-record.ts';

/** Posts commit statuses to the hosts. Due statuses are in the store: a crash loses none. */
export interface Outbox {
  /** Begins to post. To be called once the service listens: statuses link to its address. */
  start(): void;
  /** Something may be due: a push was accepted, a verdict or a decision was made. */
  wake(): void;
  /** For the status report: sums since the start, and each host. */
  state(): OutboxState;
  /** Waits for running calls to end; statuses that are not posted by then stay due. */
  stop(): Promise<void>;
}

export interface OutboxState {
  posted: number;
  failed: number;
  /** Known to wait; `queueDepth` counts all. */
  waiting: number;
  hosts: LaneState[];
}

/** Due statuses, and decisions and pushes of their commits. */
type StatusStore = Pick<
  PushStore,
  'dueStatuses' | 'settleStatus' | 'decisionsOfCommit' | 'pushesOfCommit'
>;

export interface OutboxOptions {
  settings: VcsSettings;
  store: StatusStore;
  /** Where people reach the service, without `/api/cra`. */
  baseUrl(): string;
  /** Of the rules in force. */
  components(): readonly Component[];
  /** Freezes that hold deploys of a repository now, in sentences. */
  freezes(repo: string): Promise<string[]>;
  log: Logger;
  clock?: Clock;
  /** Of one call. */
  deadlineMs?: number;
}

/** Creates the outbox. It posts host by host, so that a host that is down holds up no other. */
export function createOutbox(options: OutboxOptions): Outbox {
  const { settings, store, baseUrl, components, freezes, log } = options;
  const clock = options.clock ?? systemClock;
  const deadlineMs = options.deadlineMs ?? COMMIT_STATUS.POST_DEADLINE_MS;
  const common = { store, baseUrl, components, freezes, clock, log };
  const lanes = settings.hosts.map((host) =>
    createStatusLane({
      ...common,
      id: host.id,
      names: namesOf(host, settings),
      tenantId: host.tenantId,
      findings: host.findings ?? null,
      post: openStatusApi(host, { deadlineMs, now: clock.now }),
    }),
  );
  if (settings.defaultHost === null) {
    // Records that name no host shall not stay due for ever.
    lanes.push(
      createStatusLane({
        ...common,
        id: '',
        names: [''],
        tenantId: null,
        findings: null,
        post: null,
      }),
    );
  }

  return {
    start() {
      for (const lane of lanes) lane.start();
    },
    wake() {
      for (const lane of lanes) lane.wake();
    },
    state() {
      const hosts = lanes.map((lane) => lane.state());
      const sum = (field: 'posted' | 'failed' | 'waiting') =>
        hosts.reduce((total, host) => total + host[field], 0);
      return { posted: sum('posted'), failed: sum('failed'), waiting: sum('waiting'), hosts };
    },
    async stop() {
      await Promise.all(lanes.map((lane) => lane.stop()));
    },
  };
}

/** Records that name no host belong to the default one. */
function namesOf({ id }: VcsHost, { defaultHost }: VcsSettings): string[] {
  return id === defaultHost ? [id, ''] : [id];
}

/** How the statuses of a host stand; reasons are sentences of ours alone. */
export interface LaneState {
  /** `''`: the default host, when it is absent. */
  host: string;
  /** `off`: it has no token or API; `limited`: it asked us to wait. */
  state: Health['state'] | 'off';
  /** Calls that the host took. */
  posted: number;
  /** Records given up: refused, or not taken for three days. */
  failed: number;
  /** Records left alone: outdated, or the host shows it already, or it is off. */
  skipped: number;
  /** Records of the last round that stay due. */
  waiting: number;
  last_error: Health['lastError'];
}

export interface LaneOptions {
  /** Id of the host; `''`: the default host, when it is absent. */
  id: string;
  /** What `dueStatuses` calls it: the default host has two names. */
  names: string[];
  /** Whose records it gets statuses of. */
  tenantId: string | null;
  /** What it shows of findings; null: nothing. */
  findings: FindingsSetting | null;
  /** Null: it gets no statuses. */
  post: PostStatus | null;
  store: StatusStore;
  baseUrl(): string;
  components(): readonly Component[];
  /** Freezes that hold deploys of a repository now, in sentences. */
  freezes(repo: string): Promise<string[]>;
  clock: Clock;
  log: Logger;
}

/** The statuses of one host, posted one round after the other. */
export interface StatusLane {
  start(): void;
  wake(): void;
  state(): LaneState;
  /** Lets calls under way end for a while, then breaks them off; their records stay due. */
  stop(): Promise<void>;
}

/** From its start on it posts what is due: at once, whenever it is woken, and every few seconds. */
function createStatusLane(options: LaneOptions): StatusLane {
  const { id, clock, log, post } = options;
  const pause = createPause(clock);
  const stopping = new AbortController();
  const health = createHealth({
    clock,
    pauseMsMin: COMMIT_STATUS.RETRY_MS_MIN,
    pauseMsMax: COMMIT_STATUS.RETRY_MS_MAX,
    onQuiet: (reason, waitMs) =>
      log.warn({ host: id, reason, waitMs }, 'the host takes no commit statuses now'),
    onBack: () => log.info({ host: id }, 'the host takes commit statuses again'),
  });
  let isStopping = false;
  const round = createRounds(options, health, stopping.signal, () => isStopping);

  async function run(): Promise<void> {
    while (!isStopping) await pause.wait(await round.go().catch(onStoreError));
  }

  function onStoreError(thrown: unknown): number {
    const err = CraError.fromUnknown(thrown);
    if (!isStopping) log.error({ err, host: id }, 'commit statuses cannot be read or noted');
    return PUSHES.POLL_INTERVAL_MS;
  }

  let running: Promise<void> | null = null;
  return {
    start() {
      running ??= run();
    },
    wake: pause.wake,
    state: () => ({
      host: id,
      state: post === null ? 'off' : health.state,
      ...round.sums,
      last_error: health.lastError,
    }),
    async stop() {
      isStopping = true;
      pause.wake();
      const revoke = clock.after(COMMIT_STATUS.STOP_MS, () => stopping.abort());
      await running;
      revoke();
    },
  };
}

/** BURST_MAX calls at once, and REFILL_PER_MINUTE more each minute. */
const BUDGET = {
  max: COMMIT_STATUS.BURST_MAX,
  windowMs: (60_000 * COMMIT_STATUS.BURST_MAX) / COMMIT_STATUS.REFILL_PER_MINUTE,
  keysMax: 1,
};

type Sums = Pick<LaneState, 'posted' | 'failed' | 'skipped' | 'waiting'>;

interface Rounds {
  sums: Readonly<Sums>;
  /** Posts due statuses within the budget; returns how long (ms) until the next round. */
  go(): Promise<number>;
}

function createRounds(
  {
    id,
    names,
    tenantId,
    findings,
    post,
    store,
    baseUrl,
    components,
    freezes,
    clock,
    log,
  }: LaneOptions,
  health: Health,
  signal: AbortSignal,
  isStopping: () => boolean,
): Rounds {
  const budget = createRateLimiter({ ...BUDGET, now: clock.now });
  const sums: Sums = { posted: 0, failed: 0, skipped: 0, waiting: 0 };
  let endsAt = 0;
  /** Calls that are kept free and not made yet. */
  let reserved = 0;
  /** Calls at once for which there was no room in the last round. */
  let wanted = 0;
  const isHeldUp = () => isStopping() || health.quietMs() > 0 || clock.now() > endsAt;

  /** Statuses due to the host under any of its names; a delayed one does not delay a verdict. */
  async function readDue(): Promise<DueRecord[]> {
    const limit = COMMIT_STATUS.ROUND_RECORDS_MAX;
    const nowMs = clock.now();
    const lists = names.map((host) => store.dueStatuses({ host, nowMs, limit }));
    const listed = (await Promise.all(lists)).flatMap(({ due }) => due);
    const found: DueRecord[] = [];
    for (let at = 0; at < listed.length; at += COMMIT_STATUS.PARALLEL_MAX) {
      const part = listed.slice(at, at + COMMIT_STATUS.PARALLEL_MAX);
      found.push(...(await Promise.all(part.map(withRejection))));
    }
    return [...found.filter((due) => !isDraft(due)), ...found.filter(isDraft)];
  }

  async function withRejection(due: DueStatus): Promise<DueRecord> {
    const rejection = mayBeRejected(due) ? await rejectionOf(due.record, store) : null;
    return { ...due, rejectedBy: rejection?.rfc_id ?? null };
  }

  function reserve(count: number): Reservation | null {
    if (isHeldUp()) return null;
    if (budget.waitFor(id, reserved + count) > 0) {
      wanted = Math.max(wanted, count);
      return null;
    }
    reserved += count;
    let left = count;
    return {
      onCall() {
        budget.take(id);
        left -= 1;
        reserved -= 1;
      },
      release() {
        reserved -= left;
      },
    };
  }

  async function postOne(due: DueRecord): Promise<Settlement> {
    return await postRecord(due, {
      post,
      tenantId,
      findings,
      components: components(),
      freezes: findings === null ? [] : await freezes(due.record.repo_name),
      signal,
      baseUrl: baseUrl(),
      now: clock.now(),
      reserve,
      onFirst() {
        const { tenant_id, rfc_id, rev } = due.record;
        const dueMs = clock.now();
        return store.settleStatus({ tenant_id, rfc_id, rev, posted: NOTHING_POSTED, dueMs });
      },
      onPosted() {
        sums.posted += 1;
        health.onSuccess();
      },
      onProblem: health.onProblem,
    });
  }

  async function note({ record }: DueStatus, settled: NonNullable<Settlement>): Promise<void> {
    const { tenant_id, rfc_id, rev } = record;
    const { posted, dueMs, counted, reason } = settled;
    await store.settleStatus({ tenant_id, rfc_id, rev, posted, dueMs });
    if (dueMs === null) sums.waiting -= 1;
    if (counted === 'skipped') sums.skipped += 1;
    if (counted !== 'failed') return;
    sums.failed += 1;
    log.warn({ rfcId: rfc_id, host: id, reason }, 'a commit status is given up');
  }

  /** Takes records from the list until it is empty or the host or the budget is out. */
  async function work(list: DueRecord[]): Promise<void> {
    for (let due = list.shift(); due !== undefined && !isHeldUp(); due = list.shift()) {
      const settled = await postOne(due);
      if (settled === null) return;
      await note(due, settled);
    }
  }

  return {
    sums,
    async go() {
      const quietMs = health.quietMs();
      if (quietMs > 0) return quietMs;
      // Records are read when they can be posted at once, or what is posted could be out of date.
      const fillMs = budget.waitFor(id, Math.max(wanted, COMMIT_STATUS.ROUND_CALLS_MIN));
      if (fillMs > 0) return fillMs;
      wanted = 0;
      endsAt = clock.now() + COMMIT_STATUS.ROUND_MS;
      const list = await readDue();
      sums.waiting = list.length;
      if (list.length === 0) return PUSHES.POLL_INTERVAL_MS;
      // A host that was down is tried with one call first.
      const workers = health.state === 'down' ? 1 : COMMIT_STATUS.PARALLEL_MAX;
      const works = Array.from({ length: workers }, () => work(list));
      const failure = (await Promise.allSettled(works)).find(({ status }) => status === 'rejected');
      if (failure?.status === 'rejected') throw failure.reason;
      return 0;
    },
  };
}

/** A green one may be that of a rejected commit; a rejection may be older than what speaks. */
function mayBeRejected({ record, isOutdated, isDeleted }: DueStatus): boolean {
  const { overall_status } = record;
  if (isDeleted) return false;
  return isPassing(overall_status) || (overall_status === 'REJECTED' && isOutdated);
}

function isDraft({ record }: DueStatus): boolean {
  return record.overall_status === 'DRAFT';
}
