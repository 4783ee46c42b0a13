import { EventEmitter } from 'node:events';
import { Piscina } from 'piscina';
import { CraError } from '../model/errors.ts';
import { buffersOf } from './channel.ts';
import type { RpcRequest, RpcResponse, RpcServer, Transport } from './service.ts';

/** What a pool task carries: an RPC request. */
export type PoolTask = RpcRequest;

export interface ThreadPoolOptions {
  /** URL of the entry module; it exports `run`, made by `servePool`. */
  entry: URL;
  threads: number;
  /** Given to every thread, replacements included. */
  workerData: unknown;
  oldSpaceMiB: number;
  /** How long a call may go on after its deadline or cancellation. */
  graceMs: number;
  /** Messages that a thread posts outside of a call. */
  onMessage(message: unknown): void;
  /** A thread ended; `alive` are the ids of those that are there now. */
  onThreadsChanged(alive: readonly number[]): void;
  /** A thread ended without being asked to; `losses` counts them all. */
  onThreadLost(losses: number): void;
}

/** A fixed number of threads, one call each at a time. A thread that ends is replaced at once. */
export interface ThreadPool extends Transport {
  readonly threads: number;
  /** How many threads have been lost since the start. */
  readonly replaced: number;
  /** How many run now. */
  readonly alive: number;
  /** How much, in ms, the call that is latest is past its deadline; 0: none is. */
  overdueMs(): number;
  close(): Promise<void>;
}

/**
 * Creates the pool. It never queues by intent: its caller holds a free slot
 * (`pipeline/admission`). A call that outlives its deadline, or its cancellation, by `graceMs`
 * has its thread terminated. Failures of the thread itself (exit, crash, out of memory,
 * termination) answer INTERNAL or DEADLINE_EXCEEDED with `details.thread_lost`.
 */
export function createThreadPool(options: ThreadPoolOptions): ThreadPool {
  const piscina = new Piscina<PoolTask, RpcResponse>({
    filename: options.entry.href,
    name: 'run',
    minThreads: options.threads,
    maxThreads: options.threads,
    concurrentTasksPerWorker: 1,
    // With Atomics a waiting thread would block its event loop, and so its AST child.
    atomics: 'disabled',
    recordTiming: false,
    workerData: options.workerData,
    resourceLimits: { maxOldGenerationSizeMb: options.oldSpaceMiB },
  });
  /** When each call that runs has to be done, by performance.now(). */
  const deadlines = new Map<number, number>();
  let nextId = 1;
  let replaced = 0;
  let closing = false;
  piscina.on('message', options.onMessage);
  // A thread that fails outside of a call is replaced like any other.
  piscina.on('error', () => undefined);
  piscina.on('workerDestroy', () => {
    if (!closing) {
      replaced += 1;
      options.onThreadLost(replaced);
    }
    // The list is right only after piscina has started the replacement.
    setImmediate(() => options.onThreadsChanged(piscina.threads.map((thread) => thread.threadId)));
  });

  return {
    threads: options.threads,
    get replaced() {
      return replaced;
    },
    get alive() {
      return piscina.threads.length;
    },
    async call(request, signal, transfer) {
      const id = nextId++;
      // A signal for piscina; an AbortController for each call costs more.
      const kill = new EventEmitter();
      let isTerminated = false;
      const terminate = () => {
        isTerminated = true;
        kill.emit('abort');
      };
      const overdue = setTimeout(terminate, request.timeoutMs + options.graceMs);
      let cancelled: NodeJS.Timeout | undefined;
      const onAbort = () => {
        cancelled = setTimeout(terminate, options.graceMs);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      deadlines.set(id, performance.now() + request.timeoutMs);
      try {
        return await piscina.run({ ...request, id }, { signal: kill, transferList: [...transfer] });
      } catch (thrown) {
        const error = threadLost(isTerminated, thrown);
        return { kind: 'response', id, ok: false, error: error.toMessage() };
      } finally {
        deadlines.delete(id);
        clearTimeout(overdue);
        clearTimeout(cancelled);
        signal?.removeEventListener('abort', onAbort);
      }
    },
    overdueMs: () => Math.max(0, performance.now() - Math.min(...deadlines.values())),
    async close() {
      closing = true;
      await piscina.destroy();
    },
  };
}

/** The `run` of a pool thread: piscina calls it with one task at a time. */
export function servePool(server: RpcServer): (task: PoolTask) => Promise<unknown> {
  return async (task) => {
    const response = await server.handle(task);
    const transfer = buffersOf(response);
    if (transfer.length === 0) return response;
    return Piscina.move({
      get [Piscina.transferableSymbol]() {
        return transfer;
      },
      get [Piscina.valueSymbol]() {
        return response;
      },
    } as unknown as ArrayBuffer);
  };
}

function threadLost(terminated: boolean, cause: unknown): CraError {
  const details = { thread_lost: true };
  if (terminated) {
    const message = 'the analysis did not end in time; its thread was replaced';
    return new CraError('DEADLINE_EXCEEDED', message, { details, cause });
  }
  return new CraError('INTERNAL', 'the analysis thread failed', { details, cause });
}
