import type { StopSignal } from '../core/deadline.ts';
import { createSemaphore } from '../core/semaphore.ts';
import { CraError } from '../model/errors.ts';
import { JOB } from '../model/limits.ts';
import {
  cpuTimeMs,
  createChildHost,
  createPatience,
  type Patience,
  watchProcess,
} from '../rpc/child.ts';
import {
  Analysis,
  type AnalyzeInput,
  type RulesRevision,
  type ScanThreadData,
} from '../rpc/contract.ts';
import { createThreadPool } from '../rpc/pool.ts';
import type { Client } from '../rpc/service.ts';
import { createClient, type FinishedCall, observed, RPC } from '../rpc/service.ts';
import { isPortOffer, type PortOffer } from '../rpc/thread.ts';
import { workerEntry } from '../rpc/thread-entry.ts';
import { PIPELINE } from './limits.ts';

/** The scan threads with their AST children. */
export interface ScanPool {
  analysis: Client<typeof Analysis>;
  /**
   * Has the threads compile the rules and wait for their children; the first jobs do so otherwise.
   * Resolves when every thread and its child is up; rejects when one cannot be started. Each call
   * gives the same promise.
   */
  prepare(): Promise<void>;
  childPids(): number[];
  readonly replaced: number;
  /** Threads that run now. */
  readonly alive: number;
  /** How many light jobs a thread is to be given at once just now. */
  callsPerThread(): number;
  /** How much, in ms, the job that is latest is past its deadline; 0 when all are in time. */
  overdueMs(): number;
  close(): Promise<void>;
}

export interface ScanPoolOptions {
  threads: number;
  /** Heap of a thread; PIPELINE.THREAD_OLD_SPACE_MIB when absent. */
  oldSpaceMiB?: number;
  data: Omit<ScanThreadData, 'hasStore' | 'hasSource' | 'storeDir' | 'niceness'>;
  /** How much nicer (nice(1)) the threads are than the rest of the process; 0 when absent. */
  niceness?: number;
  /** What the threads compile before the pool is ready; they start before the rules are there. */
  rules: RulesRevision | Promise<RulesRevision>;
  /** Directory of a SQLite store, which threads then read themselves; absent: they ask. */
  storeDir?: string | undefined;
  /** A thread wants to ask the store; absent: without a store, threads do not ask. */
  onStoreOffer?: (offer: PortOffer) => void;
  /** The same for files of repositories; absent: changes are judged without them. */
  onSourceOffer?: (offer: PortOffer) => void;
  /** A thread was lost and replaced; `losses` counts them all. */
  onThreadLost(losses: number): void;
  /** A thread or its child did not come up: they are started again; absent: nobody asks. */
  onStartFailed?(error: CraError): void;
  /** A call of a thread came back; absent: nobody asks. */
  onCall?(call: FinishedCall): void;
  /** A child ended by itself, or was ended because it was stuck. */
  onChildExit(event: { pid: number; code: number | null; signal: string | null }): void;
  /** Test only: how long threads and children that start are waited for. */
  patience?: () => Patience;
}

/** Starts the pool; threads and children come up in the background. */
export function startScanPool(options: ScanPoolOptions): ScanPool {
  let isClosed = false;
  const children = createChildHost({
    entry: workerEntry('ast'),
    oldSpaceMiB: PIPELINE.CHILD_OLD_SPACE_MIB,
    onExit: (event) => {
      if (!isClosed) options.onChildExit(event);
    },
  });
  const pool = createThreadPool({
    entry: workerEntry('scan'),
    threads: options.threads,
    workerData: {
      ...options.data,
      hasStore: options.onStoreOffer !== undefined,
      hasSource: options.onSourceOffer !== undefined,
      storeDir: options.storeDir ?? null,
      niceness: options.niceness ?? 0,
    } satisfies ScanThreadData,
    oldSpaceMiB: options.oldSpaceMiB ?? PIPELINE.THREAD_OLD_SPACE_MIB,
    graceMs: JOB.THREAD_GRACE_MS,
    mayShare: ({ method, input }) =>
      method === 'analyze' && (input as AnalyzeInput).may_share === true,
    onMessage(message) {
      if (!isPortOffer(message)) children.receive(message);
      else if (message.to === 'store') options.onStoreOffer?.(message);
      else options.onSourceOffer?.(message);
    },
    onThreadsChanged: children.keepOnly,
    onThreadLost: options.onThreadLost,
  });
  const analysis = createClient(Analysis, observed(pool, options.onCall ?? (() => undefined)));
  const patience = options.patience ?? (() => createPatience(() => startCpuMs(children.pids())));
  const prepare = async () => {
    const { revision, rules } = await options.rules;
    const latestAt = performance.now() + JOB.PREPARE_DEADLINE_MS;
    for (let attempt = 1; ; attempt += 1) {
      const timeoutMs = latestAt - performance.now();
      const late = new AbortController();
      const { signal } = late;
      const { PREPARE_CPU_MS: cpuMs } = PIPELINE;
      const stopWatching = watchProcess(process.pid, cpuMs, patience(), () => late.abort());
      // One call a thread: as many at once as there are threads.
      const calls = Array.from({ length: options.threads }, () =>
        analysis.prepare({ revision, rules }, { timeoutMs, signal }),
      );
      const ended = await Promise.allSettled(calls);
      stopWatching();
      const failed = ended.find(({ status }) => status === 'rejected');
      if (failed?.status !== 'rejected') return;
      const error = signal.aborted ? stuck() : CraError.fromUnknown(failed.reason);
      const isLast = attempt === PIPELINE.PREPARE_ATTEMPTS_MAX || performance.now() >= latestAt;
      if (isClosed || !mayPass(error)) throw error;
      if (isLast) throw notStarted(attempt, error);
      options.onStartFailed?.(error);
    }
  };
  let ready: Promise<void> | null = null;
  return {
    analysis,
    prepare() {
      if (ready === null) {
        ready = prepare();
        ready.catch(() => undefined);
      }
      return ready;
    },
    childPids: children.pids,
    get replaced() {
      return pool.replaced;
    },
    get alive() {
      return pool.alive;
    },
    callsPerThread: pool.callsPerThread,
    overdueMs: pool.overdueMs,
    async close() {
      isClosed = true;
      await pool.close();
      children.close();
    },
  };
}

/**
 * CPU time, in ms, of what comes up: the children and every thread but the main one, which answers
 * requests meanwhile. Null where the system has no /proc.
 */
function startCpuMs(childPids: readonly number[]): number | null {
  const all = cpuTimeMs(process.pid);
  const main = cpuTimeMs(process.pid, process.pid);
  if (all === null || main === null) return null;
  return childPids.reduce((sum, pid) => sum + (cpuTimeMs(pid) ?? 0), all - main);
}

function stuck(): CraError {
  const cpu = PIPELINE.PREPARE_CPU_MS / 1000;
  const hung = RPC.CHILD_HUNG_MS / 1000;
  const message = `it took ${cpu} s of CPU time, or next to none for ${hung} s`;
  return new CraError('DEADLINE_EXCEEDED', message);
}

/** A child or a thread that was lost, or had too little of a busy machine, may come up yet. */
function mayPass({ code, details }: CraError): boolean {
  return code === 'UNAVAILABLE' || code === 'DEADLINE_EXCEEDED' || details['thread_lost'] === true;
}

function notStarted(attempts: number, cause: CraError): CraError {
  const times = attempts === 1 ? 'once' : `${attempts} times`;
  const message = `a scan thread or its AST child was started ${times} and did not come up`;
  return new CraError('UNAVAILABLE', `${message}: ${cause.message}`, { cause });
}

/** A job that asks for a thread. */
export interface Ticket {
  /** Threads are shared fairly between callers. */
  caller: string;
  bytes: number;
  /** Whether it may share its thread (`AnalyzeInput.may_share`). Default: false. */
  isLight?: boolean;
  /** How long it may wait; null: as long as it takes. */
  waitMs: number | null;
  signal: StopSignal | null;
}

/** Hands out the right to use a thread of the scan pool. */
export interface Admission {
  /**
   * Resolves when a thread is free for the job; call the result to give it back.
   * Rejects with RESOURCE_EXHAUSTED when the wait is over or the queue is full, and with
   * CANCELLED when the signal fires first.
   */
  acquire(ticket: Ticket): Promise<() => void>;
  readonly running: number;
  readonly waiting: number;
  /** How long (ms) the job that waits longest has waited. */
  readonly oldestMs: number;
}

/**
 * Creates the admission for `threads` threads. One of them is kept for jobs below
 * PIPELINE.SMALL_JOB_BYTES, so that huge ones cannot starve the rest. Callers that wait are served
 * by the time that they have had (core/semaphore). `onRefused` is called for each job refused.
 * Light jobs share threads, as many each as the pool says. Before it is prepared, when the threads
 * come up, the wait of a job has not begun yet.
 */
export function createAdmission(
  threads: number,
  onRefused: () => void = () => undefined,
  pool: Pick<ScanPool, 'prepare' | 'callsPerThread'> | null = null,
): Admission {
  const refusal = () => {
    onRefused();
    return overloaded();
  };
  const semaphore = createSemaphore({
    places: threads,
    largePlaces: Math.max(1, threads - 1),
    ...(pool !== null && { lightPerPlace: pool.callsPerThread }),
    refusal,
  });
  let early = 0;
  let coming = pool?.prepare() ?? null;
  const come = () => {
    coming = null;
  };
  coming?.then(come, come);
  return {
    async acquire({ caller: key, bytes, isLight = false, waitMs, signal }) {
      const waiting = early + semaphore.waiting;
      // Jobs that wait as long as it takes are of a bounded number of drafts.
      if (waitMs !== null && waiting >= PIPELINE.ADMISSION_QUEUE_MAX) throw refusal();
      if (coming !== null) {
        early += 1;
        await coming.finally(() => {
          early -= 1;
        });
        if (signal?.aborted) throw new CraError('CANCELLED', 'the caller went away');
      }
      const isLarge = bytes >= PIPELINE.SMALL_JOB_BYTES;
      return await semaphore.acquire({ key, isLarge, isLight, waitMs, signal });
    },
    get running() {
      return semaphore.running;
    },
    get waiting() {
      return early + semaphore.waiting;
    },
    get oldestMs() {
      return semaphore.oldestMs;
    },
  };
}

function overloaded(): CraError {
  return new CraError('RESOURCE_EXHAUSTED', 'all analysis threads are busy; try again later');
}
