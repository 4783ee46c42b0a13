import { CraError } from '../model/errors.ts';
import type { RpcRequest, RpcResponse } from './message.ts';
import type { CallOptions, Client, Method, Service } from './service.ts';

/** How a call gets to its server and back. */
export interface Transport {
  /**
   * Delivers the request and resolves with its response. Enforces `request.timeoutMs` (answering
   * DEADLINE_EXCEEDED) and `signal` (CANCELLED), and tells the server when it gives up.
   * Rejects with a CraError when the carrier is gone (UNAVAILABLE).
   */
  call(
    request: Omit<RpcRequest, 'id'>,
    signal: AbortSignal | null,
    transfer: readonly ArrayBuffer[],
  ): Promise<RpcResponse>;
}

/** Creates the caller's side of a service over a transport. */
export function createClient<S extends Service>(service: S, transport: Transport): Client<S> {
  const methods: Record<string, (input: unknown, options?: CallOptions) => Promise<unknown>> = {};
  for (const [name, declared] of Object.entries(service.methods)) {
    methods[name] = (input, options = {}) =>
      call(transport, service.name, name, declared, input, options);
  }
  return methods as Client<S>;
}

async function call(
  transport: Transport,
  service: string,
  name: string,
  declared: Method<never, unknown>,
  input: unknown,
  options: CallOptions,
): Promise<unknown> {
  const signal = options.signal ?? null;
  if (signal?.aborted) throw new CraError('CANCELLED', 'the call was cancelled before it started');
  const timeoutMs = options.timeoutMs ?? declared.deadlineMs;
  const response = await transport.call(
    { kind: 'request', service, method: name, input, timeoutMs },
    signal,
    options.transfer ?? [],
  );
  if (response.ok) return response.output;
  throw CraError.fromMessage(response.error);
}
