import { readFileSync } from 'node:fs';
import { createAuthenticate } from './auth/authenticate.ts';
import { applyLibrarySettings, type Config } from './config.ts';
import { createSocketDir, type DataDir, type Keys, keyHash, openDataDir } from './data-dir.ts';
import type { CraError } from './domain/errors.ts';
import { defaultRules } from './gates/risk/rules/default.ts';
import { startHttpServer } from './http/app.ts';
import { createDispatch, type Handlers } from './http/dispatch.ts';
import { createRfcHandlers, healthReply } from './http/handlers-rfc.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import { PIPELINE } from './limits.ts';
import type { Logger } from './observability/logger.ts';
import { createAdmission } from './pipeline/admission.ts';
import type { RulesSource } from './pipeline/job.ts';
import { createPipeline } from './pipeline/pipeline.ts';
import { type ScanPool, startScanPool } from './pipeline/scan-pool.ts';
import { createWaiters } from './pipeline/waiters.ts';
import { createClient } from './rpc/client.ts';
import { Records } from './rpc/contract.ts';
import { type ServiceThread, startServiceThread } from './rpc/thread.ts';
import { workerEntry } from './rpc/thread-entry.ts';
import { Trail } from './rpc/trail-contract.ts';
import { loadActiveRules } from './services/active-rules.ts';
import { createRfcs } from './services/rfcs.ts';
import type { Store, TrailStore } from './store/store.ts';
import { createStore, createTrailStore } from './store/store-client.ts';
import type { StoreThreadData } from './store/thread-data.ts';

/** A daemon that serves. */
export interface Daemon {
  readonly port: number;
  /** Pids of the child processes that run now. */
  childPids(): number[];
  /** Ids of the scan threads and how many have been replaced. */
  readonly threadsReplaced: number;
  /** Stops in order; resolves with the exit code. */
  stop(): Promise<number>;
}

export interface DaemonOptions {
  config: Config;
  log: Logger;
  /** Called when the daemon cannot go on (a store thread was lost). */
  onFatal(error: CraError): void;
  /** Called when it should be stopped in order and started again. */
  onWornOut(): void;
  /** Bounds that tests set; `limits.ts` otherwise. */
  answerWithinMs?: number;
  attemptsMax?: number;
  threadOldSpaceMiB?: number;
  threadLossesMax?: number;
  /** False: drafts are left to the next start. */
  finishDrafts?: boolean;
}

/**
 * Composition root: settings -> store -> rules -> scan pool -> pipeline -> front door. Rejects
 * with a CraError that says what is wrong with the settings or the machine; what was started by
 * then is stopped again.
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

async function start(options: DaemonOptions, lifecycle: Lifecycle): Promise<Daemon> {
  const { config, log } = options;
  applyLibrarySettings();
  const dataDir = openDataDir(config.dataDir, config.keys);
  const starting = startStore(config, dataDir, lifecycle, options.onFatal);
  const loading = loadActiveRules(config.rulesPath, defaultRules);
  // Both end before a failure of one is told: nothing is left half started.
  await Promise.allSettled([starting, loading]);
  const { store, reader } = await starting;
  const rules = await loading;
  const pool = openPool(options, dataDir.keys, rules, reader, lifecycle);
  await pool.ready;
  const waiters = createWaiters();
  const pipeline = createPipeline({
    admission: createAdmission(config.threads),
    analysis: pool.analysis,
    store,
    waiters,
    rules,
    now: () => new Date(),
    answerWithinMs: options.answerWithinMs ?? PIPELINE.ANSWER_WITHIN_MS,
    attemptsMax: options.attemptsMax ?? PIPELINE.ATTEMPTS_MAX,
    finishDrafts: options.finishDrafts ?? true,
    orphansIntervalMs: config.store.kind === 'mongodb' ? PIPELINE.ORPHANS_INTERVAL_MS : null,
    onBackgroundError: (error, rfcId) => log.error({ err: error, rfcId }, 'draft not finished'),
  });
  const handlers: Handlers = {
    ...createRfcHandlers(pipeline, createRfcs(store, waiters)),
    health: () => Promise.resolve(healthReply(http.isStopping)),
  };
  const http = await startHttpServer({
    host: config.host,
    port: config.port,
    dispatch: createDispatch(handlers, createAuthenticate(config.auth)),
    onError: (error, request) => log.error({ err: error, ...request }, 'request failed'),
  });
  lifecycle.onStop('http connections', http.close);
  lifecycle.onStop('drafts', pipeline.stop);
  lifecycle.onStop('requests', http.drain);
  lifecycle.onStop('waiters', waiters.close);
  pipeline.resumeDrafts();
  return {
    port: http.port,
    childPids: pool.childPids,
    get threadsReplaced() {
      return pool.replaced;
    },
    stop: lifecycle.stop,
  };
}

async function startStore(
  config: Config,
  { keys, instance }: DataDir,
  lifecycle: Lifecycle,
  onFatal: (error: CraError) => void,
): Promise<{ store: Store; trail: TrailStore; reader: ServiceThread }> {
  const { dataDir } = config;
  const open = async (workerData: StoreThreadData) => {
    const thread = startServiceThread({
      entry: workerEntry('store'),
      workerData,
      onLost: onFatal,
    });
    await thread.ready;
    lifecycle.onStop(`store ${workerData.role}`, thread.close);
    return thread;
  };
  const common = { dataDir, checkpointSeed: keys.checkpoint, version: ownVersion() };
  if (config.store.kind === 'mongodb') {
    const hashes = { seal: keyHash(keys.seal), fingerprint: keyHash(keys.fingerprint) };
    const { url, auditUrl } = config.store;
    const thread = await open({ ...common, role: 'mongo', url, auditUrl, instance, keys: hashes });
    return { ...storeOf(thread, thread), reader: thread };
  }
  // The writer takes the lock and migrates; the reader reads what is there then.
  const writer = await open({ ...common, role: 'writer' });
  const reader = await open({ ...common, role: 'reader' });
  return { ...storeOf(writer, reader), reader };
}

function storeOf(
  writer: ServiceThread,
  reader: ServiceThread,
): { store: Store; trail: TrailStore } {
  return {
    store: createStore({
      writer: createClient(Records, writer),
      reader: createClient(Records, reader),
    }),
    trail: createTrailStore({
      writer: createClient(Trail, writer),
      reader: createClient(Trail, reader),
    }),
  };
}

/** The version in package.json, which stands above the compiled files. */
function ownVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

function openPool(
  options: DaemonOptions,
  keys: Keys,
  rules: RulesSource,
  reader: ServiceThread,
  lifecycle: Lifecycle,
): ScanPool {
  const { config, log } = options;
  const lossesMax = options.threadLossesMax ?? PIPELINE.THREAD_LOSSES_MAX;
  const sockets = createSocketDir(config.dataDir);
  lifecycle.onStop('sockets', sockets.remove);
  const pool = startScanPool({
    threads: config.threads,
    oldSpaceMiB: options.threadOldSpaceMiB ?? PIPELINE.THREAD_OLD_SPACE_MIB,
    data: {
      fingerprintKey: keys.fingerprint,
      sealKey: keys.seal,
      socketDir: sockets.path,
    },
    rules,
    onThreadLost(losses) {
      log.error({ losses }, 'a scan thread was lost and replaced');
      if (losses >= lossesMax) options.onWornOut();
    },
    onStoreOffer: reader.accept,
    onChildExit: ({ pid, code, signal }) =>
      log.warn({ childPid: pid, code, signal }, 'AST child ended'),
  });
  lifecycle.onStop('scan pool', pool.close);
  return pool;
}
