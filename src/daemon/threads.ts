import { join } from 'node:path';
import { PIPELINE } from '../analysis/limits.ts';
import { type ScanPool, startScanPool } from '../analysis/scan-pool.ts';
import { digestSecrets } from '../core/known-secrets.ts';
import { createGit, findVersion, NO_GIT } from '../git/git.ts';
import { removeStoppedImports } from '../git/import-bundle.ts';
import { createGroups, killGroups } from '../git/launcher.ts';
import { GIT } from '../git/limits.ts';
import type { SourceThreadData } from '../git/source.ts';
import type { VcsSettings } from '../hosts/settings.ts';
import { CraError } from '../model/errors.ts';
import { createClient, failure, observed } from '../rpc/service.ts';
import { Source } from '../rpc/source-contract.ts';
import { type PortOffer, type ServiceThread, startServiceThread } from '../rpc/thread.ts';
import { workerEntry } from '../rpc/thread-entry.ts';
import { readBuiltInKeywords } from '../rulebook/active-rules.ts';
import { connectStore, type StoreClients, type StoreThreadData } from '../store/contract/store.ts';
import { lockDataDir } from '../store/sqlite/database.ts';
import { createSocketDir, keyHash, ownVersion } from './data-dir.ts';
import type { Base, OpenGit, OpenStore, Parts } from './parts.ts';

/** Starts the threads of the store that the settings name. Rejects when one cannot start. */
export async function openStore(base: Base): Promise<OpenStore> {
  const { config, lifecycle, telemetry, onFatal } = base;
  const { keys, instance } = base.dataDir;
  const { dataDir } = config;
  const lanes = config.subscriptions.map(({ id, tenantId, types, repos }) => ({
    id,
    tenantId,
    types,
    repos,
  }));
  const trail = {
    checkpointSeed: keys.checkpoint,
    version: ownVersion(),
    segments: config.segments,
    instance,
    retention: config.retention,
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
    const mongo = { dataDir, url, auditUrl, keys: hashes };
    const both = await open({ role: 'mongo', ...mongo, lanes, ...trail });
    return { ...clientsOf(both, both, telemetry), reader: both };
  }
  // The writer takes the lock and migrates; the reader reads what is there then.
  const writer = await open({ role: 'writer', dataDir, lanes, ...trail });
  const reader = await open({ role: 'reader', dataDir });
  return { ...clientsOf(writer, reader, telemetry), reader };
}

function clientsOf(
  writer: ServiceThread,
  reader: ServiceThread,
  { writerCalled, readerCalled }: Base['telemetry'],
): StoreClients {
  return connectStore({
    writer: observed(writer, writerCalled),
    reader: observed(reader, readerCalled),
  });
}

/** Starts the scan threads with their AST children. They come up in the background. */
export function openPool(parts: Base & Pick<Parts, 'stores' | 'keeper' | 'git'>): ScanPool {
  const { config, log, lifecycle, telemetry, stores, keeper } = parts;
  const { keys } = parts.dataDir;
  const lossesMax = parts.threadLossesMax ?? PIPELINE.THREAD_LOSSES_MAX;
  const sockets = createSocketDir(config.dataDir);
  lifecycle.onStop('sockets', sockets.remove);
  sockets.removeOthers();
  const pool = startScanPool({
    threads: config.threads,
    niceness: PIPELINE.THREAD_NICENESS,
    oldSpaceMiB: parts.threadOldSpaceMiB ?? PIPELINE.THREAD_OLD_SPACE_MIB,
    data: {
      fingerprintKey: keys.fingerprint,
      sealKey: keys.seal,
      ownSecrets: digestSecrets(Object.values(keys), config.ownSecrets),
      socketDir: sockets.path,
      keywords: readBuiltInKeywords(),
      registries: config.registries,
    },
    rules: keeper.source,
    storeDir: config.store.kind === 'sqlite' ? config.dataDir : undefined,
    onCall: telemetry.scanCalled,
    onThreadLost(losses) {
      telemetry.threadLost();
      log.error({ losses }, 'a scan thread was lost and replaced');
      if (losses >= lossesMax) parts.onWornOut();
    },
    onStartFailed: (err) => log.warn({ err }, 'a scan thread did not come up; it is started again'),
    onStoreOffer: stores.reader.accept,
    onSourceOffer: parts.git.accept,
    onChildExit({ pid, code, signal }) {
      telemetry.childLost();
      log.warn({ childPid: pid, code, signal }, 'AST child ended');
    },
  });
  lifecycle.onStop('scan pool', pool.close);
  lifecycle.onLook('a job of the scan threads', pool.overdueMs);
  return pool;
}

type GitOptions = Pick<Base, 'lifecycle' | 'log' | 'onFatal' | 'gitPath' | 'gitLookMs'> & {
  config: { dataDir: string; vcs: Pick<VcsSettings, 'hosts' | 'mirrorBytesMax'> };
  telemetry: Pick<Base['telemetry'], 'gitCalled'>;
};

/**
 * Starts the thread that keeps the mirrors, in the background: calls wait until it is there.
 * Without a usable git everything else works: each call is UNAVAILABLE then, and the log says what
 * is needed. Git is looked for at an interval, as it may be installed, replaced or removed.
 */
export function openGit(options: GitOptions): OpenGit {
  const { config, lifecycle, log, gitPath, gitLookMs = GIT.LOOK_INTERVAL_MS } = options;
  removeStoppedImports(config.dataDir, lockDataDir);
  const groups = createGroups();
  const look = () => findGit(config.dataDir, gitPath);
  let found: FoundGit = { version: null, problem: 'git was not looked for yet' };
  let timer: NodeJS.Timeout | undefined;
  const lookLater = () => {
    timer = setTimeout(async () => {
      const before = found;
      found = await look();
      if (found.problem !== before.problem) logGit(found, log);
      if (timer !== undefined) lookLater();
    }, gitLookMs).unref();
  };
  const start = async () => {
    found = await look();
    logGit(found, log);
    const thread = startGitThread(options, groups);
    await thread.ready;
    lookLater();
    lifecycle.onLook('the git thread', thread.silentMs);
    return { thread, transport: observed(thread, options.telemetry.gitCalled) };
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
  const state = () =>
    ({ state: found.problem === null ? 'up' : 'down', version: found.version }) as const;
  const accept = (offer: PortOffer) => {
    // The git thread did not start, or the scan thread has ended, and with it the channel.
    opening.then(({ thread }) => thread.accept(offer)).catch(() => offer.port.close());
  };
  return { source, state, accept, ready: opening.then(() => undefined) };
}

function startGitThread(
  { config: { dataDir, vcs }, onFatal }: GitOptions,
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

function logGit({ version, problem }: FoundGit, log: Base['log']): void {
  if (problem === null) log.info({ version }, 'git was found');
  else log.error({ problem }, 'pushes can not be judged: install git');
}
