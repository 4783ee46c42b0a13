import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { PIPELINE } from '../analysis/limits.ts';
import { createPipeline, type Pipeline } from '../analysis/pipeline.ts';
import { createWaiters, type Waiters } from '../analysis/read-rfcs.ts';
import { type Rereviews, startRereviews } from '../analysis/rereview.ts';
import { createReviewer, REVIEW_RETRY_MS, type Reviewer } from '../analysis/review.ts';
import { type Admission, createAdmission, type ScanPool } from '../analysis/scan-pool.ts';
import { REVIEW_CLASSES } from '../gates/review/classes.ts';
import { rejectedNote, rejectionOf } from '../heads/rejections.ts';
import { statusProblem } from '../hosts/status-api.ts';
import { createDispatch, metricName, ROUTES } from '../http/api/all-routes.ts';
import { type Answered, type HttpServer, startHttpServer } from '../http/server/app.ts';
import { HTTP } from '../http/server/limits.ts';
import { CraError } from '../model/errors.ts';
import { RULES } from '../model/limits.ts';
import { PUSH_TIMES } from '../pushes/push-record.ts';
import { readBuiltInRules } from '../rulebook/active-rules.ts';
import { openRules, type RulesKeeper, type RulesState } from '../rulebook/rules-keeper.ts';
import type { Logger } from '../telemetry/logger.ts';
import { createTelemetry, type Telemetry } from '../telemetry/telemetry.ts';
import { applyLibrarySettings, type Config } from './config/config.ts';
import { type DataDir, openDataDir, ownVersion } from './data-dir.ts';
import {
  type Access,
  createAccess,
  createHandlers,
  linkFile,
  offerLink,
  type Parts,
} from './handlers.ts';
import { checkBounds, createLifecycle, type Lifecycle } from './lifecycle.ts';
import type { DaemonOptions } from './options.ts';
import { openPushes, type Pushes, pushesState } from './pushes.ts';
import { type OpenStore, openPool, openSource, openStore } from './threads.ts';

/** A daemon that serves. */
export interface Daemon {
  readonly port: number;
  /** Pids of the child processes that run now. */
  childPids(): number[];
  /** Ids of the scan threads and how many have been replaced. */
  readonly threadsReplaced: number;
  /**
   * Takes up the rules file again. Resolves with what is wrong with it, in a few words, which
   * changes nothing and is logged; null: nothing is.
   */
  reloadRules(): Promise<string | null>;
  /** What does not go on, in words: the daemon should be restarted; null: everything does. */
  stuck(): string | null;
  /** What it does at the moment, in one line. */
  summary(): string;
  /** Stops in order; resolves with the exit code. */
  stop(): Promise<number>;
}

/**
 * Composition root, in this order: data directory -> store -> rules -> scan pool and mirrors ->
 * pipeline and pushes -> it listens -> commit statuses, which link to its address -> threads are
 * up -> drafts of the former run. Rejects with a CraError that says what is wrong with the settings
 * or the machine; what was started by then is stopped again.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { log } = options;
  const lifecycle = createLifecycle({
    onStep(step, error) {
      if (error === null) log.debug({ step }, 'stopped');
      else log.error({ step, err: error }, 'stop failed');
    },
  });
  try {
    return await start(options, lifecycle);
  } catch (thrown) {
    await lifecycle.stop();
    throw thrown;
  }
}

/** Says which rules are in force, if asked to, and what is wrong with them. */
function logRules(state: RulesState, log: DaemonOptions['log'], isAsked: boolean): void {
  const { number, revision, problems, warnings } = state;
  for (const warning of warnings) log.warn({ warning }, 'rules in force, with a warning');
  if (problems.length > 0) log.error({ number, revision, problems }, 'rules not taken up');
  else if (isAsked) log.info({ number, revision }, 'rules in force');
}

async function reloadRules(
  keeper: RulesKeeper,
  telemetry: Telemetry,
  log: Logger,
): Promise<string | null> {
  await keeper.reload();
  const state = keeper.state();
  if (state.problems.length > 0) telemetry.rulesRefused();
  logRules(state, log, true);
  return state.problems.length === 0 ? null : 'The rules file was not taken up: see the log';
}

/** Metrics, whose labels have these values alone. */
function openTelemetry(
  { dataDir, store, llm }: Config,
  inFlight: () => number,
): Promise<Telemetry> {
  return createTelemetry({
    dataDir,
    inFlight,
    given: {
      route: ROUTES.map(({ name }) => metricName(name)),
      driver: [store.kind],
      tier: llm.tiers.map(({ name }) => name),
      class: REVIEW_CLASSES.map(({ id }) => id),
      version: [ownVersion()],
      node: [process.version],
    },
  });
}

/** Counts a request. Slow and failed ones are in the log; the others with level debug. */
function recordAnswer(request: Answered, telemetry: Telemetry, log: Logger): void {
  const { route, status, ms, ids } = request;
  const named = route === null ? null : { ...route, name: metricName(route.name) };
  telemetry.answered({ ...request, route: named });
  const isLogged = (status ?? 0) >= 500 || ms >= HTTP.SLOW_REQUEST_MS;
  const level = isLogged ? 'info' : 'debug';
  if (!log.isLevelEnabled(level)) return;
  log[level]({ ...ids, route: route?.name ?? null, status, ms: Math.round(ms) }, 'answered');
}

/** The way of diffs that are submitted. */
function openPipeline(
  options: DaemonOptions,
  parts: Pick<
    Parts,
    'store' | 'pushes' | 'pool' | 'admission' | 'reviewer' | 'waiters' | 'keeper' | 'baseUrl'
  >,
): Pipeline {
  const { config, log } = options;
  const { store, pushes, pool, admission, reviewer, waiters, keeper } = parts;
  return createPipeline({
    store,
    admission,
    reviewer,
    waiters,
    baseUrl: parts.baseUrl,
    analysis: pool.analysis,
    rules: keeper.source,
    rejectedNote: async (change) =>
      (await rejectionOf(change, pushes)) === null ? null : rejectedNote(),
    vcsProblem: (tenantId) => statusProblem(config.vcs, tenantId),
    now: () => new Date(),
    answerWithinMs: options.answerWithinMs ?? PIPELINE.ANSWER_WITHIN_MS,
    attemptsMax: options.attemptsMax ?? PIPELINE.ATTEMPTS_MAX,
    finishDrafts: options.finishDrafts ?? true,
    orphansIntervalMs: config.store.kind === 'mongodb' ? PIPELINE.ORPHANS_INTERVAL_MS : null,
    onBackgroundError: (error, rfcId) => log.error({ err: error, rfcId }, 'draft not finished'),
  });
}

async function start(options: DaemonOptions, lifecycle: Lifecycle): Promise<Daemon> {
  const { config, log, onFatal, gitPath, gitLookMs } = options;
  checkBounds();
  applyLibrarySettings();
  const dataDir = openDataDir(config.dataDir, config.keys);
  const front = createFront(config);
  const telemetry = await openTelemetry(config, front.inFlight);
  const opening = openStore({ config, dataDir, lifecycle, telemetry, onFatal });
  // Awaited below, when the built-in rules have been read meanwhile.
  opening.catch(() => undefined);
  const defaults = readBuiltInRules();
  const opened = await opening;
  const { sessions, rulebook } = opened;
  const { rulesPath: path } = config;
  const keeper = await openRules({ store: rulebook, path, defaults, now: () => new Date() });
  logRules(keeper.state(), log, false);
  // Their threads come up while the service listens: what needs them waits.
  const mirrors = openSource({
    vcs: config.vcs,
    dataDir: config.dataDir,
    lifecycle,
    log,
    onFatal,
    onCall: telemetry.gitCalled,
    ...(gitPath === undefined ? {} : { gitPath }),
    ...(gitLookMs === undefined ? {} : { gitLookMs }),
  });
  const served = { ...opened, mirrors };
  const pool = openPool(options, dataDir.keys, keeper.source, served, { lifecycle, telemetry });
  const waiters = createWaiters();
  const admission = createAdmission(config.threads, telemetry.overloaded, pool);
  const reviewer = await openReviewer(options, opened, {
    pool,
    admission,
    dataDir,
    keeper,
    telemetry,
  });
  const pipeline = openPipeline(options, {
    ...opened,
    pool,
    admission,
    reviewer,
    waiters,
    keeper,
    baseUrl: front.baseUrl,
  });
  const queue = openPushes({
    ...opened,
    config,
    admission,
    pool,
    reviewer,
    waiters,
    lifecycle,
    log,
    telemetry,
    baseUrl: front.baseUrl,
    rules: keeper.source,
    earlier: keeper.earlierMap,
    times: options.pushTimes ?? PUSH_TIMES,
    owner: dataDir.instance,
    mirrors,
  });
  const rereviews = openRereviews(options, opened, { queue, reviewer, dataDir, waiters });
  const access = createAccess({
    ...opened,
    config,
    sessionStore: sessions,
    log,
    baseUrl: front.baseUrl,
  });
  const handlers = createHandlers({
    ...opened,
    ...access,
    baseUrl: front.baseUrl,
    isStopping: front.isStopping,
    config,
    admission,
    pool,
    reviewer,
    pipeline,
    queue,
    waiters,
    keeper,
    telemetry,
    rereviews,
    signingKey: dataDir.keys.fingerprint,
  });
  const http = await startHttpServer({
    host: config.host,
    port: config.port,
    socketPath: config.socketPath,
    trustsProxy: config.trustsProxy,
    spoolDirectory: join(config.dataDir, 'spool'),
    dispatch: createDispatch(handlers, access.admit, queue.intake),
    onError: (error, request) => log.error({ err: error, ...request }, 'request failed'),
    onAnswered: (request) => recordAnswer(request, telemetry, log),
  });
  front.listens(http);
  const following = setInterval(() => void keeper.follow(), RULES.FOLLOW_INTERVAL_MS);
  lifecycle.onStop('rules', () => clearInterval(following));
  lifecycle.onStop('http connections', http.close);
  lifecycle.onStop('reviews', rereviews.stop);
  lifecycle.onStop('drafts', pipeline.stop);
  lifecycle.onStop('requests', http.drain);
  lifecycle.onStop('waiters', waiters.close);
  queue.start();
  offerLogin(access.login, options, lifecycle);
  const { host, socketPath: socket, dataDir: folder } = config;
  log.info({ host, port: http.port, socket, dataDir: folder }, 'listening');
  await Promise.all([pool.prepare(), mirrors.ready]);
  pipeline.resumeDrafts();
  return {
    port: http.port,
    childPids: pool.childPids,
    get threadsReplaced() {
      return pool.replaced;
    },
    reloadRules: () => reloadRules(keeper, telemetry, log),
    stuck: lifecycle.stuck,
    summary: () => summaryOf(admission, queue, config, http.port),
    stop: lifecycle.stop,
  };
}

/** What is known of the HTTP server before and after it listens. */
function createFront({ baseUrl, host }: Pick<Config, 'baseUrl' | 'host'>) {
  let http: HttpServer | null = null;
  return {
    /** To be called as soon as the server listens. */
    listens(server: HttpServer): void {
      http = server;
    },
    inFlight: () => http?.inFlight ?? 0,
    isStopping: () => http?.isStopping ?? false,
    /** Where people reach the service. Throws before it listens where the settings do not say. */
    baseUrl(): string {
      if (baseUrl !== null) return baseUrl;
      if (http !== null) return `http://${host}:${http.port}`;
      throw new CraError('UNAVAILABLE', 'the address of the service is not known: it is starting');
    },
  };
}

function summaryOf(
  { running, waiting }: Admission,
  queue: Pushes,
  { host, threads, vcs }: Config,
  port: number,
): string {
  const { waiting: pushes, oldest_seconds: oldest } = pushesState(queue, vcs);
  const age = oldest === null || pushes === 0 ? '' : ` (the oldest for ${oldest} s)`;
  const jobs = `${Math.min(running, threads)} of ${threads} scan threads busy, ${waiting} jobs wait`;
  return `Listening on ${host}:${port}; ${jobs}, ${pushes ?? 0} pushes wait${age}`;
}

function offerLogin(
  login: Access['login'],
  { config, log }: DaemonOptions,
  lifecycle: Lifecycle,
): void {
  if (!login?.link) return;
  const path = linkFile(config.dataDir);
  offerLink(login.link, login.ownOrigin, path, log);
  lifecycle.onStop('login link', () => rmSync(path, { force: true }));
}

type ReviewsOptions = Pick<DaemonOptions, 'config' | 'log' | 'reviewRetryMs'>;

/** Gate 3; what the former run of this daemon left open is settled. */
async function openReviewer(
  { config, reviewRetryMs = REVIEW_RETRY_MS }: ReviewsOptions,
  { reviews: store, store: records }: OpenStore,
  parts: {
    pool: ScanPool;
    admission: Admission;
    dataDir: DataDir;
    keeper: RulesKeeper;
    telemetry: Pick<Telemetry, 'modelCalled' | 'voted'>;
  },
): Promise<Reviewer> {
  const { pool, admission, dataDir, keeper, telemetry } = parts;
  const reviewer = createReviewer({
    settings: config.llm,
    store,
    records,
    analysis: pool.analysis,
    admission,
    rules: keeper.source,
    key: dataDir.keys.fingerprint,
    owner: dataDir.instance,
    retryMs: reviewRetryMs,
    now: () => new Date(),
    events: { onCall: telemetry.modelCalled, onVote: telemetry.voted },
  });
  await reviewer.settleLeft();
  return reviewer;
}

/** Reviews of verdicts: a move takes back what rested on it, and the host gets a new status. */
function openRereviews(
  { config, log, reviewRetryMs = REVIEW_RETRY_MS }: ReviewsOptions,
  { reviews, store, trail, pushes }: OpenStore,
  parts: { queue: Pushes; reviewer: Reviewer; dataDir: DataDir; waiters: Waiters },
): Rereviews {
  const { queue, reviewer, dataDir, waiters } = parts;
  return startRereviews({
    reviews,
    store,
    trail,
    reviewer,
    source: queue.source,
    owner: dataDir.instance,
    retryMs: reviewRetryMs,
    now: () => new Date(),
    fourEyes: config.auth.fourEyes,
    isRefused: async (record) => (await rejectionOf(record, pushes)) !== null,
    onChanged(rfcId, hasMoved) {
      waiters.wake(rfcId);
      if (!hasMoved) return;
      queue.runner.cancel(rfcId);
      queue.outbox.wake();
    },
    onError: (error, rfcId) => log.error({ err: error, rfcId }, 'review not finished'),
  });
}
