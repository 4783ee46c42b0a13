import type { StopSignal } from '../core/deadline.ts';
import { CraError, type ErrorMessage } from '../model/errors.ts';

const MIB = 1024 * 1024;
const SECOND_MS = 1000;

/** Calls between threads and processes. */
export const RPC = {
  PENDING_MAX: 20_000,
  /** Calls or answers that cross to another thread together: the first must not wait for many. */
  BATCH_MESSAGES_MAX: 64,
  /** Added to a call's deadline before the client gives up on an answer. */
  GRACE_MS: 1 * SECOND_MS,
  /** A service thread that is asked to close ends within this time, or is terminated. */
  THREAD_CLOSE_MS: 10 * SECOND_MS,
  /** A child that owes an answer and gets no further in this time hangs... */
  CHILD_HUNG_MS: 30 * SECOND_MS,
  /** ...when it used less CPU time than this meanwhile: its watch over the parent takes some. */
  CHILD_HUNG_CPU_MS: 100,
  /** CPU time of a child until it connects; a start takes some 80 ms. */
  CHILD_START_CPU_MS: 30 * SECOND_MS,
  FRAME_BYTES_MAX: 64 * MIB,
} as const;

/** How a service is declared, implemented and called; no I/O, no carrier. */

/** One unary method. The types exist for the compiler only; `deadlineMs` is the default. */
export interface Method<Input, Output> {
  readonly deadlineMs: number;
  /** Throws INVALID_ARGUMENT before the handler of a server is called. */
  check?(input: Input): void;
  readonly __types?: (input: Input) => Output;
}

/**
 * A method of a store: writes and reads may be served by two threads, and `connect` sends each to
 * its own.
 */
export interface SidedMethod<Side extends 'read' | 'write', Input, Output>
  extends Method<Input, Output> {
  readonly side: Side;
}

export interface Service {
  readonly name: string;
  readonly methods: Readonly<Record<string, Method<never, unknown>>>;
}

/** A service all of whose methods say their side. */
export interface SidedService extends Service {
  readonly methods: Readonly<Record<string, SidedMethod<'read' | 'write', never, unknown>>>;
}

type InputOf<M> = M extends Method<infer Input, unknown> ? Input : never;
type OutputOf<M> = M extends Method<never, infer Output> ? Output : never;

/** What a handler may know about its call. */
export interface CallContext {
  /**
   * Why the result is of no use any more (CANCELLED, DEADLINE_EXCEEDED), or null. To be asked
   * rather than listened to: a signal and a timer for each call cost more than most calls.
   */
  stopReason(): CraError | null;
}

type Handler<M> = (input: InputOf<M>, context: CallContext) => OutputOf<M> | Promise<OutputOf<M>>;

/** The handlers of a service, as its server runs them. */
export type Implementation<S extends Service> = {
  [Name in keyof S['methods']]: Handler<S['methods'][Name]>;
};

/** Client of the methods that write, and client of the methods that read. */
export type Writer<S extends SidedService> = Side<S, 'write'>;
export type Reader<S extends SidedService> = Side<S, 'read'>;

type Side<S extends SidedService, Wanted> = {
  [Name in keyof S['methods'] as S['methods'][Name]['side'] extends Wanted ? Name : never]: Handler<
    S['methods'][Name]
  >;
};

export interface CallOptions {
  signal?: StopSignal | null;
  timeoutMs?: number;
  /** Buffers that move to the other side instead of being copied. */
  transfer?: readonly ArrayBuffer[];
}

/** What callers of a service hold. */
export type Client<S extends Service> = {
  [Name in keyof S['methods']]: (
    input: InputOf<S['methods'][Name]>,
    options?: CallOptions,
  ) => Promise<OutputOf<S['methods'][Name]>>;
};

/** Declares a method with its default deadline. */
export function method<Input, Output>(deadlineMs: number): Method<Input, Output> {
  return { deadlineMs };
}

/**
 * What crosses between threads and processes. Plain data only: every property is present, an
 * intentionally unspecified one is `null`, and Error objects are never posted.
 */
export interface RpcRequest {
  kind: 'request';
  id: number;
  service: string;
  method: string;
  input: unknown;
  /** Time that remains to the caller, relative, so that clocks need not agree. */
  timeoutMs: number;
}

interface RpcCancel {
  kind: 'cancel';
  id: number;
}

export type RpcResponse =
  | { kind: 'response'; id: number; ok: true; output: unknown }
  | { kind: 'response'; id: number; ok: false; error: ErrorMessage };

export type RpcMessage = RpcRequest | RpcCancel | RpcResponse;

/** Guard for messages that arrive from another thread or process. */
export function isRpcMessage(value: unknown): value is RpcMessage {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, id } = value as { kind?: unknown; id?: unknown };
  return typeof id === 'number' && (kind === 'request' || kind === 'cancel' || kind === 'response');
}

/** The response of a call that failed. */
export function failure(id: number, error: CraError): RpcResponse {
  return { kind: 'response', id, ok: false, error: error.toMessage() };
}

type AnyHandler = (input: unknown, context: CallContext) => unknown;

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
  handlers: ReadonlyMap<string, AnyHandler>;
}

/**
 * Binds handlers to their declaration. A server may have only some methods of a service (the
 * store's writer and reader share one); calls of the others answer UNIMPLEMENTED.
 */
export function implement<S extends Service>(
  service: S,
  implementation: Partial<Implementation<S>>,
): Registration {
  const handlers = Object.entries<AnyHandler>(implementation as never).map(
    ([name, handler]) => [name, checked(service.methods[name], handler)] as const,
  );
  return { name: service.name, handlers: new Map(handlers) };
}

function checked(declared: Method<never, unknown> | undefined, handler: AnyHandler): AnyHandler {
  if (declared?.check === undefined) return handler;
  return (input, context) => {
    declared.check?.(input as never);
    return handler(input, context);
  };
}

/** Creates a server for the given services. */
export function createServer(registrations: readonly Registration[]): RpcServer {
  const services = new Map(registrations.map((entry) => [entry.name, entry.handlers]));
  /** Calls that run; the reason is set when the caller cancels. */
  const running = new Map<number, RunningCall>();

  async function handle(request: RpcRequest): Promise<RpcResponse> {
    const { id } = request;
    const handler = services.get(request.service)?.get(request.method);
    if (handler === undefined) {
      const message = `${request.service}.${request.method} is not implemented here`;
      return failure(id, new CraError('UNIMPLEMENTED', message));
    }
    const call = new RunningCall(request.timeoutMs);
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

class RunningCall implements CallContext {
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

/** How a call gets to its server and back. */
export interface Transport {
  /**
   * Delivers the request and resolves with its response. Enforces `request.timeoutMs` (answering
   * DEADLINE_EXCEEDED) and `signal` (CANCELLED), and tells the server when it gives up.
   * Rejects with a CraError when the carrier is gone (UNAVAILABLE).
   */
  call(
    request: Omit<RpcRequest, 'id'>,
    signal: StopSignal | null,
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
  const methods: Record<string, AnyCall> = {};
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
  const calls = Object.entries(client as Record<string, AnyCall>).map(([name, call]) => [
    name,
    (input: unknown, options: CallOptions = {}) => call(input, { signal, ...options }),
  ]);
  return Object.fromEntries(calls) as Client<S>;
}

type AnyCall = (input: unknown, options?: CallOptions) => Promise<unknown>;
