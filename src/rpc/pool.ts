import { EventEmitter } from 'node:events';
import { Piscina } from 'piscina';
import type { StopSignal } from '../core/deadline.ts';
import { otherNode } from '../core/other-node.ts';
import { CraError } from '../model/errors.ts';
import { buffersOf } from './channel.ts';
import {
  failure,
  type RpcRequest,
  type RpcResponse,
  type RpcServer,
  type Transport,
} from './service.ts';

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
  /** Whether a call is short, so that it may share a task with others; absent: no call may. */
  mayShare?(request: Omit<RpcRequest, 'id'>): boolean;
  /** Calls that share are given back when their task is not done after this time, in ms. */
  shareMs?: number;
  /** Messages that a thread posts outside of a call. */
  onMessage(message: unknown): void;
  /** A thread ended; `alive` are the ids of the others. */
  onThreadsChanged(alive: readonly number[]): void;
  /** A thread ended without being asked to; `losses` counts them all. */
  onThreadLost(losses: number): void;
}

/**
 * A fixed number of threads, one task each at a time: a call, or some that share. A thread that
 * ends is replaced at once.
 */
export interface ThreadPool extends Transport {
  readonly threads: number;
  /** How many threads have been lost since the start. */
  readonly replaced: number;
  /** How many run now. */
  readonly alive: number;
  /** How many calls that may share a thread is to be given at once, by what they took lately. */
  callsPerThread(): number;
  /** How much, in ms, the call that is latest is past its deadline; 0 when all are in time. */
  overdueMs(): number;
  close(): Promise<void>;
}

/** Calls that share a task of piscina: see `createThreadPool`. */
const SHARING = {
  CALLS_MAX: 8,
  /** The default of `shareMs`. */
  WAIT_MS: 100,
  /** None share while more than this part of them waits for something outside of its thread. */
  OUTSIDE_MAX: 0.2,
  /** That part is a mean in which the newest task counts one in so many. */
  MEAN_OF: 16,
} as const;

/**
 * Creates the pool. It never queues by intent: its caller holds a free slot
 * (`pipeline/admission`). A call that outlives its deadline, or its cancellation, by `graceMs`
 * has its thread terminated. Failures of the thread itself (exit, crash, out of memory,
 * termination) answer INTERNAL or DEADLINE_EXCEEDED with `details.thread_lost`.
 *
 * To wake a thread, and to fill its caches again, costs as much as a short call. So calls that
 * `mayShare` and come while the threads are busy cross as one, and are run one after the other.
 * None has to answer for its neighbours: when the thread is lost, or not done after `shareMs`, all
 * but the call that it runs just then answer ABORTED with `details.not_run`, and can be called
 * again as if nothing had happened.
 */
export function createThreadPool(options: ThreadPoolOptions): ThreadPool {
  const piscina = new Piscina<PoolTask | SharedTask, RpcResponse | SharedAnswer>({
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
  /** When each task that runs has to be done, by performance.now(). */
  const deadlines = new Map<TaskRun, number>();
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

  /** Settles the calls that were begun; resolves when the thread is free again. */
  async function run(task: TaskRun): Promise<SharedAnswer | null> {
    deadlines.set(task, performance.now() + task.timeoutMs);
    try {
      const answer = await piscina.run(task.message, task.options);
      return task.settle(answer);
    } catch (thrown) {
      task.fail(thrown);
      return null;
    } finally {
      deadlines.delete(task);
      task.close();
      dealer.dealLater();
    }
  }

  const { graceMs, shareMs = SHARING.WAIT_MS } = options;
  const dealer = new Dealer({
    shareMs,
    run: (calls) => run(new TaskRun(calls, { graceMs, shareMs })),
    freeThreads: () => options.threads - deadlines.size,
  });

  return {
    threads: options.threads,
    get replaced() {
      return replaced;
    },
    get alive() {
      return piscina.threads.length;
    },
    callsPerThread: () => dealer.callsPerThread,
    call: (sent, signal, transfer) =>
      new Promise((resolve) => {
        const call = new Call({ ...sent, id: nextId++ }, signal, resolve);
        if (options.mayShare?.(sent)) dealer.add(call);
        else void run(new TaskRun([call], { graceMs, shareMs: null }, transfer));
      }),
    overdueMs: () => Math.max(0, performance.now() - Math.min(...deadlines.values())),
    async close() {
      closing = true;
      await piscina.destroy();
    },
  };
}

class Call {
  isSettled = false;
  readonly request: RpcRequest;
  readonly signal: StopSignal | null;
  private readonly resolve: (response: RpcResponse) => void;

  constructor(
    request: RpcRequest,
    signal: StopSignal | null,
    resolve: (response: RpcResponse) => void,
  ) {
    this.request = request;
    this.signal = signal;
    this.resolve = resolve;
  }

  /** The first answer counts. */
  settle(response: RpcResponse): void {
    this.isSettled = true;
    this.resolve(response);
  }

  release(): void {
    const error = new CraError('ABORTED', 'the thread is busy', { details: { not_run: true } });
    this.settle(failure(this.request.id, error));
  }
}

/** Whether a call failed only because its neighbours kept its thread busy, or ended it. */
export function isNotRun(thrown: unknown): boolean {
  return thrown instanceof CraError && thrown.details['not_run'] === true;
}

/** Calls that may share, and how many of them cross together. */
class Dealer {
  private readonly waiting: Call[] = [];
  private isDealing = false;
  private outside = 0;
  private late: NodeJS.Timeout | undefined;
  private readonly options: DealerOptions;

  constructor(options: DealerOptions) {
    this.options = options;
  }

  get callsPerThread(): number {
    return this.outside > SHARING.OUTSIDE_MAX ? 1 : SHARING.CALLS_MAX;
  }

  add(call: Call): void {
    this.waiting.push(call);
    this.dealLater();
  }

  /** When this turn is over: calls that come together cross together. */
  dealLater(): void {
    if (this.isDealing || this.waiting.length === 0) return;
    this.isDealing = true;
    setImmediate(() => this.deal());
  }

  /** Spreads the calls that wait over the threads that are free. */
  private deal(): void {
    this.isDealing = false;
    const { waiting } = this;
    const before = waiting.length;
    for (let free = this.options.freeThreads(); free > 0 && waiting.length > 0; free -= 1) {
      const count = Math.min(Math.ceil(waiting.length / free), this.callsPerThread);
      void this.run(waiting.splice(0, count));
    }
    if (waiting.length < before) {
      clearTimeout(this.late);
      this.late = undefined;
    }
    if (waiting.length > 0) this.late ??= setTimeout(() => this.release(), this.options.shareMs);
  }

  /** Calls that wait here for a thread shall wait where they are admitted. */
  private release(): void {
    this.late = undefined;
    this.outside = 1;
    for (const call of this.waiting.splice(0)) call.release();
  }

  private async run(calls: readonly Call[]): Promise<void> {
    const answer = await this.options.run(calls);
    if (answer !== null) {
      this.outside += (Number(answer.wentOutside) - this.outside) / SHARING.MEAN_OF;
    }
    this.waiting.unshift(...calls.filter(({ isSettled }) => !isSettled));
    this.dealLater();
  }
}

interface DealerOptions {
  shareMs: number;
  run(calls: readonly Call[]): Promise<SharedAnswer | null>;
  freeThreads(): number;
}

/** What crosses for calls that one thread runs in order. */
interface SharedTask {
  requests: RpcRequest[];
  /** How many it has begun; from CLOSED on it begins no more. */
  begun: Int32Array;
}

interface SharedAnswer {
  /** Responses to the calls that were begun. */
  responses: RpcResponse[];
  /** The last of them waited for something outside of the thread, and the others were left. */
  wentOutside: boolean;
}

const CLOSED = 1 << 16;

/** One task of piscina, and what ends it. */
class TaskRun {
  readonly message: PoolTask | SharedTask;
  readonly options: { signal: EventEmitter; transferList: ArrayBuffer[] };
  readonly timeoutMs: number;
  private readonly calls: readonly Call[];
  private readonly begun: Int32Array | null;
  private readonly graceMs: number;
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly aborts: (() => void)[] = [];
  private isTerminated = false;

  constructor(
    calls: readonly Call[],
    { graceMs, shareMs }: { graceMs: number; shareMs: number | null },
    transfer: readonly ArrayBuffer[] = [],
  ) {
    const requests = calls.map(({ request }) => request);
    this.calls = calls;
    this.graceMs = graceMs;
    this.begun = shareMs === null ? null : new Int32Array(new SharedArrayBuffer(4));
    this.message =
      this.begun === null ? (requests[0] as RpcRequest) : { requests, begun: this.begun };
    // A signal for piscina; an AbortController for each call costs more.
    this.options = { signal: new EventEmitter(), transferList: [...transfer] };
    this.timeoutMs = Math.max(...requests.map(({ timeoutMs }) => timeoutMs));
    this.timers.push(setTimeout(() => this.terminate(), this.timeoutMs + graceMs));
    if (calls.length > 1 && shareMs !== null) {
      this.timers.push(setTimeout(() => this.release(), shareMs));
    }
    for (const call of calls) this.listen(call);
  }

  private listen(call: Call): void {
    if (call.signal === null) return;
    // What goes on after that is another call's.
    const end = () => call.isSettled || this.terminate();
    const onAbort = () => void this.timers.push(setTimeout(end, this.graceMs));
    if (call.signal.aborted) onAbort();
    else call.signal.addEventListener('abort', onAbort, { once: true });
    this.aborts.push(() => call.signal?.removeEventListener('abort', onAbort));
  }

  private terminate(): void {
    this.isTerminated = true;
    this.options.signal.emit('abort');
  }

  settle(answer: RpcResponse | SharedAnswer): SharedAnswer | null {
    const shared = 'responses' in answer ? answer : null;
    const responses = 'responses' in answer ? answer.responses : [answer];
    for (const [index, response] of responses.entries()) this.calls[index]?.settle(response);
    return shared;
  }

  /** The thread is lost: that is the fault of the call that it ran. */
  fail(thrown: unknown): void {
    const error = threadLost(this.isTerminated, thrown);
    const count = this.begun === null ? 1 : (this.begun[0] ?? 0) & ~CLOSED;
    const lost = count === 0 ? this.calls : this.calls.slice(count - 1, count);
    for (const call of lost) call.settle(failure(call.request.id, error));
    for (const call of this.calls) if (!call.isSettled) call.release();
  }

  /** What has not begun, and what has ended: its answer would come with the last one. */
  private release(): void {
    if (this.begun === null) return;
    const running = Atomics.or(this.begun, 0, CLOSED) - 1;
    for (const [index, call] of this.calls.entries()) if (index !== running) call.release();
  }

  close(): void {
    for (const timer of this.timers) clearTimeout(timer);
    for (const remove of this.aborts) remove();
  }
}

/** The `run` of a pool thread: piscina calls it with one task at a time. */
export function servePool(server: RpcServer): (task: PoolTask | SharedTask) => Promise<unknown> {
  return async (task) => {
    if ('requests' in task) return await runInOrder(server, task);
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

async function runInOrder(server: RpcServer, task: SharedTask): Promise<SharedAnswer> {
  const { requests, begun } = task;
  const answer: SharedAnswer = { responses: [], wentOutside: false };
  // A call that is done before the event loop turns waited for nothing but the thread.
  const turn = setImmediate(() => {
    answer.wentOutside = true;
  });
  for (const request of requests) {
    if (answer.wentOutside || Atomics.add(begun, 0, 1) >= CLOSED) break;
    answer.responses.push(await server.handle(request));
  }
  clearImmediate(turn);
  return answer;
}

function threadLost(terminated: boolean, cause: unknown): CraError {
  const details = { thread_lost: true };
  if (terminated) {
    const message = 'the analysis did not end in time; its thread was replaced';
    return new CraError('DEADLINE_EXCEEDED', message, { details, cause });
  }
  const message = otherNode(cause, process.version) ?? 'the analysis thread failed';
  return new CraError('INTERNAL', message, { details, cause });
}
