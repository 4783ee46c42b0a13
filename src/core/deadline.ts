/** A signal that others make fire; `clear` when the work has ended: it fires no more. */
export interface JoinedSignal {
  signal: AbortSignal;
  clear(): void;
}

/** One that also fires when its time is over. */
export interface Deadline extends JoinedSignal {
  /** Begins the time anew. */
  restart(): void;
}

/**
 * A signal that fires with any of these. `AbortSignal.any` and `AbortSignal.timeout` hold each
 * other weakly in Node 20: one that nobody else holds is collected as garbage, and then never
 * fires. Here the listeners hold it.
 */
export function joinSignals(signals: readonly AbortSignal[]): JoinedSignal {
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

/** Why a fetch failed: a system error code, never a message, which may show content. */
export function reachProblem(thrown: unknown): string {
  const code = (thrown as { cause?: { code?: unknown } } | null)?.cause?.code;
  return `not reached (${typeof code === 'string' ? code : 'no connection'})`;
}
