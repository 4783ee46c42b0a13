import { join } from 'node:path';
import type { RulesSource } from '../analysis/job.ts';
import { PIPELINE } from '../analysis/limits.ts';
import { type ScanPool, startScanPool } from '../analysis/scan-pool.ts';
import { digestSecrets } from '../core/known-secrets.ts';
import { createGit, findVersion, NO_GIT } from '../git/git.ts';
import { createGroups, killGroups } from '../git/launcher.ts';
import { GIT } from '../git/limits.ts';
import type { SourceThreadData } from '../git/source.ts';
import type { VcsSettings } from '../hosts/settings.ts';
import { CraError } from '../model/errors.ts';
import { type Client, createClient, type FinishedCall, failure, observed } from '../rpc/service.ts';
import { Source } from '../rpc/source-contract.ts';
import { type PortOffer, type ServiceThread, startServiceThread } from '../rpc/thread.ts';
import { workerEntry } from '../rpc/thread-entry.ts';
import { readBuiltInKeywords } from '../rulebook/active-rules.ts';
import { connectStore, type StoreClients, type StoreThreadData } from '../store/contract/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { GitState } from '../telemetry/status.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Config } from './config/config.ts';
import { createSocketDir, type DataDir, type Keys, keyHash, ownVersion } from './data-dir.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { DaemonOptions } from './options.ts';

/** The services of the store, with either driver. */
export interface OpenStore extends StoreClients {
  /** The thread that answers reads; scan threads ask it, too. */
  reader: ServiceThread;
}

interface OpenStoreOptions {
  config: Config;
  dataDir: DataDir;
  lifecycle: Lifecycle;
  telemetry: Pick<Telemetry, 'readerCalled' | 'writerCalled'>;
  /** A store thread ended without being asked to. */
  onFatal(error: CraError): void;
}

/** Starts the threads of the store that the settings name. Rejects when one cannot start. */
export async function openStore(options: OpenStoreOptions): Promise<OpenStore> {
  const { config, lifecycle, telemetry, onFatal } = options;
  const { keys, instance } = options.dataDir;
  const { dataDir } = config;
  const trail = {
    checkpointSeed: keys.checkpoint,
    version: ownVersion(),
    segments: config.segments,
  };
  const open = async (workerData: StoreThreadData) => {
    const thread = startServiceThread({
      entry: workerEntry('store'),
      workerData,
      onLost: onFatal,
    });
    await thread.ready;
    lifecycle.onStop(`store ${workerData.role}`, thread.close);
    lifecycle.onLook(`the store thread (${workerData.role})`, thread.silentMs);
    return thread;
  };
  if (config.store.kind === 'mongodb') {
    const hashes = { seal: keyHash(keys.seal), fingerprint: keyHash(keys.fingerprint) };
    const { url, auditUrl } = config.store;
    const mongo = { dataDir, url, auditUrl, instance, keys: hashes };
    const both = await open({ role: 'mongo', ...mongo, ...trail });
    return { ...clientsOf(both, both, telemetry), reader: both };
  }
  // The writer takes the lock and migrates; the reader reads what is there then.
  const writer = await open({ role: 'writer', dataDir, ...trail });
  const reader = await open({ role: 'reader', dataDir });
  return { ...clientsOf(writer, reader, telemetry), reader };
}

function clientsOf(
  writer: ServiceThread,
  reader: ServiceThread,
  { writerCalled, readerCalled }: OpenStoreOptions['telemetry'],
): StoreClients {
  return connectStore({
    writer: observed(writer, writerCalled),
    reader: observed(reader, readerCalled),
  });
}

/** Starts the scan threads with their AST children. They come up in the background. */
export function openPool(
  options: DaemonOptions,
  keys: Keys,
  rules: RulesSource,
  { reader, mirrors }: OpenStore & { mirrors: Pick<OpenedSource, 'accept'> },
  { lifecycle, telemetry }: { lifecycle: Lifecycle; telemetry: Telemetry },
): ScanPool {
  const { config, log } = options;
  const lossesMax = options.threadLossesMax ?? PIPELINE.THREAD_LOSSES_MAX;
  const sockets = createSocketDir(config.dataDir);
  lifecycle.onStop('sockets', sockets.remove);
  sockets.removeOthers();
  const pool = startScanPool({
    threads: config.threads,
    niceness: PIPELINE.THREAD_NICENESS,
    oldSpaceMiB: options.threadOldSpaceMiB ?? PIPELINE.THREAD_OLD_SPACE_MIB,
    data: {
      fingerprintKey: keys.fingerprint,
      sealKey: keys.seal,
      ownSecrets: digestSecrets(Object.values(keys), config.ownSecrets),
      socketDir: sockets.path,
      keywords: readBuiltInKeywords(),
    },
    rules,
    storeDir: config.store.kind === 'sqlite' ? config.dataDir : undefined,
    onCall: telemetry.scanCalled,
    onThreadLost(losses) {
      telemetry.threadLost();
      log.error({ losses }, 'a scan thread was lost and replaced');
      if (losses >= lossesMax) options.onWornOut();
    },
    onStartFailed: (err) => log.warn({ err }, 'a scan thread did not come up; it is started again'),
    onStoreOffer: reader.accept,
    onSourceOffer: mirrors.accept,
    onChildExit({ pid, code, signal }) {
      telemetry.childLost();
      log.warn({ childPid: pid, code, signal }, 'AST child ended');
    },
  });
  lifecycle.onStop('scan pool', pool.close);
  lifecycle.onLook('a job of the scan threads', pool.overdueMs);
  return pool;
}

interface OpenSourceOptions {
  vcs: Pick<VcsSettings, 'hosts' | 'mirrorBytesMax'>;
  dataDir: string;
  lifecycle: Lifecycle;
  log: Pick<Logger, 'error' | 'info'>;
  onCall(call: FinishedCall): void;
  /** The thread of the mirrors ended without being asked to; its processes have been ended. */
  onFatal(error: CraError): void;
  /** Test only: where git is looked for, and how often, in ms. */
  gitPath?: string;
  gitLookMs?: number;
}

export interface OpenedSource {
  source: Client<typeof Source>;
  /** Serves a scan thread over the end of a channel that it offers; not at all without a git. */
  accept(offer: PortOffer): void;
  /** As it was found last; down before the first look. */
  git(): GitState;
  /** Rejects when the thread cannot start. */
  ready: Promise<void>;
}

/**
 * Starts the thread that keeps the mirrors, in the background: calls wait until it is there.
 * Without a git that will do everything else goes on: each call is UNAVAILABLE then, and the log
 * says what is needed. Git is looked for again and again, as it may be installed, replaced or
 * removed meanwhile.
 */
export function openSource(options: OpenSourceOptions): OpenedSource {
  const { dataDir, lifecycle, gitPath, gitLookMs = GIT.LOOK_INTERVAL_MS } = options;
  const groups = createGroups();
  const look = () => findGit(dataDir, gitPath);
  let found: FoundGit = { version: null, problem: 'git was not looked for yet' };
  let timer: NodeJS.Timeout | undefined;
  const lookLater = () => {
    timer = setTimeout(async () => {
      const before = found;
      found = await look();
      if (found.problem !== before.problem) noteGit(found, options.log);
      if (timer !== undefined) lookLater();
    }, gitLookMs).unref();
  };
  const start = async () => {
    found = await look();
    noteGit(found, options.log);
    const thread = startGitThread(options, groups);
    await thread.ready;
    lookLater();
    lifecycle.onLook('the git thread', thread.silentMs);
    return { thread, transport: observed(thread, options.onCall) };
  };
  const opening = start();
  opening.catch(() => undefined);
  lifecycle.onStop('git', async () => {
    const opened = await opening.catch(() => null);
    clearTimeout(timer);
    timer = undefined;
    // A thread that had to be terminated could not end its processes itself.
    await opened?.thread.close().finally(() => killGroups(groups));
  });
  const source = createClient(Source, {
    async call(request, signal, transfer) {
      const { transport } = await opening;
      return found.problem === null
        ? transport.call(request, signal, transfer)
        : failure(0, new CraError('UNAVAILABLE', NO_GIT, { details: { reason: NO_GIT } }));
    },
  });
  const git = () =>
    ({ state: found.problem === null ? 'up' : 'down', version: found.version }) as const;
  const accept = (offer: PortOffer) => {
    opening.then(
      ({ thread }) => thread.accept(offer),
      () => offer.port.close(),
    );
  };
  return { source, git, accept, ready: opening.then(() => undefined) };
}

function startGitThread(
  { vcs, dataDir, onFatal }: OpenSourceOptions,
  groups: SharedArrayBuffer,
): ServiceThread {
  const workerData: SourceThreadData = {
    mirrorDir: join(dataDir, 'mirrors'),
    hosts: vcs.hosts,
    mirrorBytesMax: vcs.mirrorBytesMax,
    groups,
  };
  return startServiceThread({
    entry: workerEntry('git'),
    workerData,
    onLost(error) {
      killGroups(groups);
      onFatal(error);
    },
  });
}

/** What a look for git found; `problem` null: it will do. */
interface FoundGit {
  version: string | null;
  problem: string | null;
}

/** By a launcher of its own, which does not stay. */
async function findGit(directory: string, path: string | undefined): Promise<FoundGit> {
  const git = createGit(directory, createGroups());
  try {
    return { version: await findVersion(git, path), problem: null };
  } catch (thrown) {
    const { message, details } = CraError.fromUnknown(thrown);
    const version = typeof details['version'] === 'string' ? details['version'] : null;
    return { version, problem: message };
  } finally {
    await git.close();
  }
}

function noteGit({ version, problem }: FoundGit, log: OpenSourceOptions['log']): void {
  if (problem === null) log.info({ version }, 'git was found');
  else log.error({ problem }, 'pushes can not be judged: install git');
}
