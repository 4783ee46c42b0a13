import { CraError } from '../domain/errors.ts';
import type { RpcRequest, RpcResponse } from './message.ts';
import type { CallContext, Implementation, Service } from './service.ts';

type Handler = (input: unknown, context: CallContext) => unknown;

/** Answers requests of the services it was given; knows nothing of how they arrive. */
export interface RpcServer {
  /** Runs one call to its end. Never rejects: every failure is a response with a status code. */
  handle(request: RpcRequest): Promise<RpcResponse>;
  /** Fires the signal of a running call. Unknown ids are ignored: the call may just have ended. */
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
  const running = new Map<number, AbortController>();

  async function handle(request: RpcRequest): Promise<RpcResponse> {
    const handler = services.get(request.service)?.get(request.method);
    if (handler === undefined) {
      const message = `${request.service}.${request.method} is not implemented here`;
      return failure(request.id, new CraError('UNIMPLEMENTED', message));
    }
    const controller = new AbortController();
    running.set(request.id, controller);
    const deadlineAt = performance.now() + request.timeoutMs;
    const timer = setTimeout(() => controller.abort(deadlineExceeded()), request.timeoutMs);
    try {
      const output = await handler(request.input, {
        signal: controller.signal,
        remainingMs: () => Math.max(0, deadlineAt - performance.now()),
      });
      return { kind: 'response', id: request.id, ok: true, output: output ?? null };
    } catch (thrown) {
      return failure(request.id, CraError.fromUnknown(thrown));
    } finally {
      clearTimeout(timer);
      running.delete(request.id);
    }
  }

  return {
    handle,
    cancel(id) {
      running.get(id)?.abort(new CraError('CANCELLED', 'the caller cancelled the call'));
    },
  };
}

function deadlineExceeded(): CraError {
  return new CraError('DEADLINE_EXCEEDED', 'the deadline of the call has passed');
}

function failure(id: number, error: CraError): RpcResponse {
  return { kind: 'response', id, ok: false, error: error.toMessage() };
}
