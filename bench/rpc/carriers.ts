import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { treeCpuSeconds } from '../../src/cli/replay-summary.ts';
import { connectInProcess } from '../../src/rpc/channel.ts';
import { createChildClient, createChildHost } from '../../src/rpc/child.ts';
import { createThreadPool } from '../../src/rpc/pool.ts';
import type { Transport } from '../../src/rpc/service.ts';
import { createServer, implement } from '../../src/rpc/service.ts';
import { startServiceThread } from '../../src/rpc/thread.ts';
import { Echo, echo } from './echo.ts';

/** A transport to an Echo on the other side. */
export interface Carrier {
  transport: Transport;
  /** CPU of processes other than this one. */
  otherCpuMs(): number;
  close(): unknown;
}

/** Threads of the pool; it is never given more calls than that. */
export const POOL_THREADS = 2;

/** The carriers by what results call them. */
export const CARRIERS: Readonly<Record<string, () => Carrier>> = {
  'in process': () => ({
    transport: connectInProcess(createServer([implement(Echo, echo)])),
    otherCpuMs: () => 0,
    close: () => undefined,
  }),
  'thread port (store)': startThread,
  'thread pool (scan)': startPool,
  'child socket (AST)': startChild,
};

function startThread(): Carrier {
  const thread = startServiceThread({
    entry: entryOf('echo-thread'),
    workerData: null,
    onLost: () => undefined,
  });
  return { transport: thread, otherCpuMs: () => 0, close: thread.close };
}

function startPool(): Carrier {
  const pool = createThreadPool({
    entry: entryOf('echo-pool'),
    threads: POOL_THREADS,
    workerData: null,
    oldSpaceMiB: 256,
    graceMs: 1_000,
    onMessage: () => undefined,
    onThreadsChanged: () => undefined,
    onThreadLost: () => undefined,
  });
  return { transport: pool, otherCpuMs: () => 0, close: pool.close };
}

function startChild(): Carrier {
  const socketDir = mkdtempSync(join(tmpdir(), 'cra-bench-'));
  const host = createChildHost({
    entry: entryOf('echo-child'),
    oldSpaceMiB: 256,
    onExit: () => undefined,
  });
  return {
    transport: createChildClient({ threadId: 1, socketDir, ask: host.receive }),
    otherCpuMs: () => host.pids().reduce((sum, pid) => sum + 1000 * (treeCpuSeconds(pid) ?? 0), 0),
    close() {
      host.close();
      rmSync(socketDir, { recursive: true, force: true });
    },
  };
}

function entryOf(name: string): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./${name}.${extension}`, import.meta.url);
}
