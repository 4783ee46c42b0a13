import { CraError } from '../model/errors.ts';
import {
  type CallContext,
  failure,
  type Implementation,
  type RpcRequest,
  type RpcResponse,
  type Service,
} from './service.ts';

type Handler = (input: unknown, context: CallContext) => unknown;

/** Answers requests of the services it was given; knows nothing of how they arrive. */
export interface RpcServer {
  /** Runs one call to its end. Never rejects: every failure is a response with a status code. */
  handle(request: RpcRequest): Promise<RpcResponse>;
  /** Tells a running call to stop. Unknown ids are ignored: the call may just have ended. */
  cancel(id: number): void;
}

/** A service with its handlers, as `createServer` takes it. */
export interface Registration {
  name: string;
  handlers: ReadonlyMap<string, Handler>;
}

/**
 * Binds handlers to their declaration. A server may have only some methods of a service (the
 * store's writer and reader share one); calls of the others answer UNIMPLEMENTED.
 */
export function implement<S extends Service>(
  service: S,
  implementation: Partial<Implementation<S>>,
): Registration {
  return { name: service.name, handlers: new Map(Object.entries(implementation)) };
}

/** Creates a server for the given services. */
export function createServer(registrations: readonly Registration[]): RpcServer {
  const services = new Map(registrations.map((entry) => [entry.name, entry.handlers]));
  /** Calls that run; the reason is set when the caller cancels. */
  const running = new Map<number, Call>();

  async function handle(request: RpcRequest): Promise<RpcResponse> {
    const { id } = request;
    const handler = services.get(request.service)?.get(request.method);
    if (handler === undefined) {
      const message = `${request.service}.${request.method} is not implemented here`;
      return failure(id, new CraError('UNIMPLEMENTED', message));
    }
    const call = new Call(request.timeoutMs);
    running.set(id, call);
    try {
      const output = await handler(request.input, call);
      return { kind: 'response', id, ok: true, output: output ?? null };
    } catch (thrown) {
      return failure(id, CraError.fromUnknown(thrown));
    } finally {
      running.delete(id);
    }
  }

  return {
    handle,
    cancel(id) {
      running.get(id)?.cancel();
    },
  };
}

class Call implements CallContext {
  readonly #deadlineAt: number;
  #cancelled: CraError | null = null;

  constructor(timeoutMs: number) {
    this.#deadlineAt = performance.now() + timeoutMs;
  }

  cancel(): void {
    this.#cancelled = new CraError('CANCELLED', 'the caller cancelled the call');
  }

  stopReason(): CraError | null {
    if (this.#cancelled !== null || performance.now() < this.#deadlineAt) return this.#cancelled;
    return new CraError('DEADLINE_EXCEEDED', 'the deadline of the call has passed');
  }
}
