import type { RulesSource } from '../analysis/job.ts';
import { type ScanPool, startScanPool } from '../analysis/scan-pool.ts';
import { PIPELINE } from '../limits.ts';
import type { ServiceThread } from '../rpc/thread.ts';
import { createSocketDir, type Keys } from './data-dir.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { DaemonOptions } from './main.ts';

/** Starts the scan threads with their AST children; they come up in the background. */
export function openPool(
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
