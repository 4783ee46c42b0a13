import { readFileSync } from 'node:fs';
import type { CraError } from '../model/errors.ts';
import { type ServiceThread, startServiceThread } from '../rpc/thread.ts';
import { workerEntry } from '../rpc/thread-entry.ts';
import { connectStore, type StoreClients, type StoreThreadData } from '../store/contract/store.ts';
import type { Config } from './config/config.ts';
import { type DataDir, keyHash } from './data-dir.ts';
import type { Lifecycle } from './lifecycle.ts';

/** The services of the store, with either driver. */
export interface OpenStore extends StoreClients {
  /** The thread that answers reads; scan threads ask it, too. */
  reader: ServiceThread;
}

export interface OpenStoreOptions {
  config: Config;
  dataDir: DataDir;
  lifecycle: Lifecycle;
  /** A store thread ended without being asked to. */
  onFatal(error: CraError): void;
}

/** Starts the threads of the store that the settings name. Rejects when one cannot start. */
export async function openStore(options: OpenStoreOptions): Promise<OpenStore> {
  const { config, lifecycle, onFatal } = options;
  const { keys, instance } = options.dataDir;
  const { dataDir } = config;
  const trail = { checkpointSeed: keys.checkpoint, version: ownVersion() };
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
  if (config.store.kind === 'mongodb') {
    const hashes = { seal: keyHash(keys.seal), fingerprint: keyHash(keys.fingerprint) };
    const { url, auditUrl } = config.store;
    const mongo = { dataDir, url, auditUrl, instance, keys: hashes };
    const both = await open({ role: 'mongo', ...mongo, ...trail });
    return { ...connectStore({ writer: both, reader: both }), reader: both };
  }
  // The writer takes the lock and migrates; the reader reads what is there then.
  const writer = await open({ role: 'writer', dataDir, ...trail });
  const reader = await open({ role: 'reader', dataDir });
  return { ...connectStore({ writer, reader }), reader };
}

/** The version in package.json, which stands above the compiled files. */
export function ownVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
