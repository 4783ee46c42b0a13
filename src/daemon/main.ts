import { join } from 'node:path';
import { createWaiters } from '../analysis/read-rfcs.ts';
import { createAdmission } from '../analysis/scan-pool.ts';
import { createScoreKeeper } from '../deploys/score-keeper.ts';
import { createEventOutbox } from '../events/outbox.ts';
import { REVIEW_CLASSES } from '../gates/review/classes.ts';
import { createDispatch, metricName, ROUTES } from '../http/api/all-routes.ts';
import { type Answered, type HttpServer, startHttpServer } from '../http/server/app.ts';
import { CraError } from '../model/errors.ts';
import { RULES, STATUS } from '../model/limits.ts';
import { PUSHES } from '../pushes/limits.ts';
import { loadActiveRules } from '../rulebook/active-rules.ts';
import { openRules, type RulesKeeper, type RulesState } from '../rulebook/rules-keeper.ts';
import type { Logger } from '../telemetry/logger.ts';
import { createReadiness } from '../telemetry/readiness.ts';
import { createTelemetry, SLOW_REQUEST_MS, type Telemetry } from '../telemetry/telemetry.ts';
import { createAccess, offerLogin } from './access.ts';
import { applyLibrarySettings, type Config } from './config/config.ts';
import { openDataDir, ownVersion } from './data-dir.ts';
import { openDeploys } from './deploys.ts';
import {
  onVerdictRevised,
  openLateReports,
  openPipeline,
  openRereviews,
  openReviewer,
} from './gates.ts';
import { createHandlers } from './handlers.ts';
import { checkBounds, createLifecycle, type Lifecycle } from './lifecycle.ts';
import type { Base, DaemonOptions, Parts } from './parts.ts';
import { openPushes, pushesState } from './pushes.ts';
import { openGit, openPool, openStore } from './threads.ts';

/** A daemon that serves. */
export interface Daemon {
  readonly port: number;
  /** Pids of the child processes that run now. */
  childPids(): number[];
  /** Scan threads that have been replaced. */
  readonly threadsReplaced: number;
  /**
   * Reads the rules file again. Resolves with the reason in a few words when the file was refused,
   * which is logged and changes nothing; null when it was not.
   */
  reloadRules(): Promise<string | null>;
  /** The part that is stuck, in words: the daemon should be restarted; null when none is. */
  stuck(): string | null;
  /** The state of the daemon, in one line. */
  summary(): string;
  /** Stops in order; resolves with the exit code. */
  stop(): Promise<number>;
}

/**
 * Starts the daemon (composition root). Resolves when it is ready, or asked to stop. Rejects with
 * a CraError about the settings or the machine; parts that were started by then are stopped again.
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

/** The start, from top to bottom. A part runs nothing of its own before its `start`. */
async function start(options: DaemonOptions, lifecycle: Lifecycle): Promise<Daemon> {
  const { config, log } = options;

  // Settings, and the parts that have no other.
  checkBounds();
  applyLibrarySettings();
  const dataDir = openDataDir(config.dataDir, config.keys);
  const address = createAddress(config);
  const telemetry = await openTelemetry(config, address.inFlight);
  const base: Base = { ...options, lifecycle, dataDir, telemetry, baseUrl: address.baseUrl };

  // Store and rules; the built-in rules are read while the store comes up.
  const [stores, defaults] = await Promise.all([openStore(base), loadActiveRules(null)]);
  const keeper = await openRules({
    store: stores.rulebook,
    path: config.rulesPath,
    defaults,
    now: () => new Date(),
  });
  logRules(keeper.state(), log, false);

  // Threads: they come up while the service listens, and calls wait for them.
  const git = openGit(base);
  const pool = openPool({ ...base, stores, keeper, git });
  const admission = createAdmission(config.threads, telemetry.overloaded, pool);
  const scores = createScoreKeeper({
    deploys: stores.deploys,
    records: stores.store,
    onError: (err, tenantId) => log.warn({ err, tenantId }, 'scores were not compared'),
  });
  lifecycle.onStop('scores', scores.stop);
  const { curvesFor } = scores;
  const scan = { admission, analysis: pool.analysis, rules: keeper.source, curvesFor };

  // Gates, and the path of a change.
  const waiters = createWaiters();
  const reviewer = openReviewer({ ...base, stores, scan });
  const late = openLateReports({ ...base, stores, scan, git }, (rfcId, hasMoved) =>
    onVerdictRevised({ waiters, pushes: queue })(rfcId, hasMoved),
  );
  const pipeline = openPipeline({ ...base, stores, scan, waiters, reviewer, late });

  // Pushes, and reviews of what has a verdict.
  const deploys = openDeploys({ ...base, stores, keeper, scan, git });
  const path = { stores, keeper, scan, git, waiters, reviewer, late, deploys };
  const queue = openPushes({ ...base, ...path });
  const events = createEventOutbox({
    ...base,
    subscriptions: config.subscriptions,
    store: stores.events,
  });
  lifecycle.onStop('events', events.stop);
  const rereviews = openRereviews({ ...base, stores, git, waiters, reviewer, pushes: queue });

  // HTTP.
  const access = createAccess({ ...base, stores });
  const { store, trail } = stores;
  const parts: Parts = {
    ...base,
    stores,
    keeper,
    pool,
    scan,
    git,
    waiters,
    reviewer,
    late,
    pipeline,
    deploys,
    pushes: queue,
    events,
    rereviews,
    scores,
    access,
    readiness: createReadiness({ store, driver: config.store.kind, trail, pool }),
    isStopping: address.isStopping,
  };
  await reviewer.settleLeft();
  followRules(keeper, lifecycle);
  const http = await listen(parts);
  address.listens(http);

  // Everything that works by itself: links to the address of the service are known now.
  queue.start();
  events.start();
  rereviews.start();
  scores.start();
  offerLogin(parts);
  followTrail(parts);
  log.info(
    { host: config.host, port: http.port, socket: config.socketPath, dataDir: config.dataDir },
    'listening',
  );

  // Ready when all threads are there; drafts of the former run go on then.
  const ready = Promise.all([pool.prepare(), git.ready]).then(() => true);
  const asked = options.stopAsked?.then(() => false);
  if (await (asked === undefined ? ready : Promise.race([asked, ready]))) pipeline.start();
  return {
    port: http.port,
    childPids: pool.childPids,
    get threadsReplaced() {
      return pool.replaced;
    },
    reloadRules: () => reloadRules(keeper, telemetry, log),
    stuck: lifecycle.stuck,
    summary: () => summaryOf(parts, http.port),
    stop: lifecycle.stop,
  };
}

/** Metrics, whose labels have these values alone. */
function openTelemetry(
  { dataDir, store, llm }: Config,
  inFlight: () => number,
): Promise<Telemetry> {
  return createTelemetry({
    dataDir,
    inFlight,
    pushesMax: PUSHES.OPEN_MAX,
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

/** Counts a request, and logs it: with level info when it was slow or failed, else debug. */
function recordAnswer(request: Answered, telemetry: Telemetry, log: Logger): void {
  const { route, status, ms, ids } = request;
  const named = route === null ? null : { ...route, name: metricName(route.name) };
  telemetry.answered({ ...request, route: named });
  const isLogged = (status ?? 0) >= 500 || ms >= SLOW_REQUEST_MS;
  const level = isLogged ? 'info' : 'debug';
  if (!log.isLevelEnabled(level)) return;
  log[level]({ ...ids, route: route?.name ?? null, status, ms: Math.round(ms) }, 'answered');
}

/** Logs problems of the rules, and which rules are in force if asked to. */
function logRules(state: RulesState, log: DaemonOptions['log'], isRequested: boolean): void {
  const { number, revision, problems, warnings } = state;
  for (const warning of warnings) log.warn({ warning }, 'rules in force, with a warning');
  if (problems.length > 0) log.error({ number, revision, problems }, 'rules not taken up');
  else if (isRequested) log.info({ number, revision }, 'rules in force');
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

/** Takes up revisions that other daemons store. */
function followRules(keeper: RulesKeeper, lifecycle: Lifecycle): void {
  const timer = setInterval(() => void keeper.follow(), RULES.FOLLOW_INTERVAL_MS);
  lifecycle.onStop('rules', () => clearInterval(timer));
}

/** Logs why the audit trail takes no entries, and that it does so again. */
function followTrail({ stores: { trail }, lifecycle, log }: Parts): void {
  let last = 'up';
  const look = async () => {
    // Where the store does not answer, others log it.
    const found = await trail
      .decisionState(null, { timeoutMs: STATUS.PART_WAIT_MS })
      .catch(() => null);
    if (found === null || found.state === 'checking' || found.state === last) return;
    const { state, reasons } = found;
    last = state;
    if (state === 'up') log.info('the audit trail takes entries again');
    else log.warn({ state, reasons }, 'decisions are refused: the audit trail takes no entries');
  };
  const timer = setInterval(() => void look(), STATUS.TRAIL_LOOK_MS);
  lifecycle.onStop('look at the audit trail', () => clearInterval(timer));
}

/** Listens. At the stop requests are drained before the jobs that they wait for are ended. */
async function listen(parts: Parts): Promise<HttpServer> {
  const { config, log, lifecycle, telemetry, access, pushes, pipeline, rereviews, waiters } = parts;
  const http = await startHttpServer({
    host: config.host,
    port: config.port,
    socketPath: config.socketPath,
    trustsProxy: config.trustsProxy,
    spoolDirectory: join(config.dataDir, 'spool'),
    dispatch: createDispatch(createHandlers(parts), access.admit, pushes.intake),
    onError: (error, request) => log.error({ err: error, ...request }, 'request failed'),
    onAnswered: (request) => recordAnswer(request, telemetry, log),
  });
  lifecycle.onStop('http connections', http.close);
  lifecycle.onStop('reviews', rereviews.stop);
  lifecycle.onStop('drafts', pipeline.stop);
  lifecycle.onStop('requests', http.drain);
  lifecycle.onStop('waiters', waiters.close);
  lifecycle.onStop('readiness', parts.readiness.announceStop);
  return http;
}

/** The address of the service, and its HTTP server before and after it listens. */
function createAddress({ baseUrl, host }: Pick<Config, 'baseUrl' | 'host'>) {
  let http: HttpServer | null = null;
  return {
    /** To be called as soon as the server listens. */
    listens(server: HttpServer): void {
      http = server;
    },
    inFlight: () => http?.inFlight ?? 0,
    isStopping: () => http?.isStopping ?? false,
    /** Where people reach the service. Throws before it listens, unless a setting says it. */
    baseUrl(): string {
      if (baseUrl !== null) return baseUrl;
      if (http !== null) return `http://${host}:${http.port}`;
      throw new CraError('UNAVAILABLE', 'the address of the service is not known: it is starting');
    },
  };
}

function summaryOf({ scan, pushes, config }: Parts, port: number): string {
  const { host, threads, vcs } = config;
  const { running, waiting } = scan.admission;
  const { waiting: open, oldest_seconds: oldest } = pushesState(pushes, vcs);
  const age = oldest === null || open === 0 ? '' : ` (the oldest for ${oldest} s)`;
  const jobs = `${Math.min(running, threads)} of ${threads} scan threads busy, ${waiting} jobs wait`;
  return `Listening on ${host}:${port}; ${jobs}, ${open ?? 0} pushes wait${age}`;
}
