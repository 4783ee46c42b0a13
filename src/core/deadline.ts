/** What work that can be stopped asks of a signal: an AbortSignal, or a `Departure`. */
export type StopSignal = Pick<AbortSignal, 'aborted'> & {
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
};

/**
 * Fires once, when a client goes away. Node 20 holds whatever listens to an AbortSignal, the whole
 * request with it, until the next full collection of garbage; here it goes with its request.
 */
export class Departure extends EventTarget implements StopSignal {
  aborted = false;

  fire(): void {
    if (this.aborted) return;
    this.aborted = true;
    this.dispatchEvent(new Event('abort'));
  }
}

/** A signal that others make fire; `clear` when the work has ended: it fires no more. */
export interface JoinedSignal {
  signal: AbortSignal;
  clear(): void;
}

/** A signal that also fires when its time is over. */
export interface Deadline extends JoinedSignal {
  /** Starts the time again. */
  restart(): void;
}

/**
 * A signal that fires with any of these. `AbortSignal.any` and `AbortSignal.timeout` hold each
 * other weakly in Node 20: a signal that nobody else holds is collected as garbage, and then never
 * fires. Here the listeners hold it.
 */
export function joinSignals(signals: readonly StopSignal[]): JoinedSignal {
  const controller = new AbortController();
  const follow = () => controller.abort();
  for (const signal of signals) {
    if (signal.aborted) follow();
    else signal.addEventListener('abort', follow, { once: true });
  }
  return {
    signal: controller.signal,
    clear() {
      for (const signal of signals) signal.removeEventListener('abort', follow);
    },
  };
}

/** A signal that fires with any of these, and `ms` after its start. */
export function startDeadline(ms: number, signals: readonly AbortSignal[]): Deadline {
  const late = new AbortController();
  const joined = joinSignals([late.signal, ...signals]);
  const start = () => setTimeout(() => late.abort(), ms).unref();
  let timer = start();
  return {
    signal: joined.signal,
    restart() {
      clearTimeout(timer);
      timer = start();
    },
    clear() {
      clearTimeout(timer);
      joined.clear();
    },
  };
}

/**
 * A body until the signal fires: then it throws, and the connection is closed. The signal of the
 * fetch does not do it alone: Node 20 drops it, with `redirect: 'error'`, once garbage is collected
 * after the headers.
 */
export async function* readUntil(
  { body }: Response,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}

/** The whole of a body, as `readUntil` reads it; null: it is larger than `bytesMax`. */
export async function readBody(
  response: Response,
  signal: AbortSignal,
  bytesMax: number,
): Promise<Buffer<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of readUntil(response, signal)) {
    bytes += chunk.length;
    // Leaving the loop cancels the rest.
    if (bytes > bytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * Why a fetch failed: a system error code, never a message, which may show content. Ports of other
 * protocols are refused by fetch itself (https://fetch.spec.whatwg.org/#port-blocking).
 */
export function reachProblem(thrown: unknown): string {
  const cause = (thrown as { cause?: { code?: unknown; message?: unknown } } | null)?.cause;
  if (cause?.message === 'bad port') {
    return 'not reached (fetch refuses this port, which belongs to another protocol: use another)';
  }
  const code = cause?.code;
  return `not reached (${typeof code === 'string' ? code : 'no connection'})`;
}

/**
 * A flag in shared memory, read by a thread that is busy and cannot take messages.
 * Layout: one Int32 that holds a value of STOP.
 */
export type CancelFlag = Int32Array<SharedArrayBuffer>;

/** Why a thread shall stop. `yield`: the answer is due; end with what lets another go on later. */
const STOP = { none: 0, cancel: 1, yield: 2 } as const;

/** Creates a flag that is not raised. */
export function createCancelFlag(): CancelFlag {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/** Raises the flag; the first reason stays, except that `cancel` always wins. */
export function raise(flag: CancelFlag, reason: 'cancel' | 'yield' = 'cancel'): void {
  if (reason === 'cancel') Atomics.store(flag, 0, STOP.cancel);
  else Atomics.compareExchange(flag, 0, STOP.none, STOP.yield);
}

/** Whether the thread shall stop, for whatever reason. */
export function isRaised(flag: CancelFlag): boolean {
  return Atomics.load(flag, 0) !== STOP.none;
}

/** Whether the thread shall stop because the answer is due. */
export function isYield(flag: CancelFlag): boolean {
  return Atomics.load(flag, 0) === STOP.yield;
}
