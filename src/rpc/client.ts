import { CraError } from '../model/errors.ts';
import {
  type CallOptions,
  type Client,
  failure,
  type Method,
  type RpcRequest,
  type RpcResponse,
  type Service,
  type SidedService,
} from './service.ts';

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

/** A call that came back. */
export interface FinishedCall {
  service: string;
  method: string;
  /** As it was sent: buffers that moved are empty. */
  input: unknown;
  response: RpcResponse;
  /** Until the caller had its answer. */
  ms: number;
}

/** The same transport; `onCall` gets each call when it has come back, and must not throw. */
export function observed(transport: Transport, onCall: (call: FinishedCall) => void): Transport {
  return {
    async call(request, signal, transfer) {
      const start = performance.now();
      const { service, method, input } = request;
      const end = (response: RpcResponse) =>
        onCall({ service, method, input, response, ms: performance.now() - start });
      try {
        const response = await transport.call(request, signal, transfer);
        end(response);
        return response;
      } catch (thrown) {
        end(failure(0, CraError.fromUnknown(thrown)));
        throw thrown;
      }
    },
  };
}

/** Creates the caller's side of a service over a transport. */
export function createClient<S extends Service>(service: S, transport: Transport): Client<S> {
  return clientOf(service, () => transport);
}

/** Where the two halves of a store are served; the same transport twice where one serves both. */
export interface Sides {
  writer: Transport;
  reader: Transport;
}

/** The same for a service of a store: each method goes to the side that it declares. */
export function connect<S extends SidedService>(service: S, sides: Sides): Client<S> {
  return clientOf(service, (name) =>
    service.methods[name]?.side === 'write' ? sides.writer : sides.reader,
  );
}

function clientOf<S extends Service>(service: S, route: (name: string) => Transport): Client<S> {
  const methods: Record<string, (input: unknown, options?: CallOptions) => Promise<unknown>> = {};
  for (const [name, declared] of Object.entries(service.methods)) {
    const transport = route(name);
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

/** The same client; each call of it ends with CANCELLED when `signal` fires. */
export function cancellable<S extends Service>(client: Client<S>, signal: AbortSignal): Client<S> {
  const calls = Object.entries(client as Record<string, Call>).map(([name, call]) => [
    name,
    (input: unknown, options: CallOptions = {}) => call(input, { signal, ...options }),
  ]);
  return Object.fromEntries(calls) as Client<S>;
}

type Call = (input: unknown, options?: CallOptions) => Promise<unknown>;
