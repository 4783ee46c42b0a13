import type { CraError, ErrorMessage } from '../model/errors.ts';

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
  /** A child that gets little CPU time is waited for up to this many deadlines more. */
  STARVED_FACTOR: 10,
  CHILD_START_MS: 10 * SECOND_MS,
  FRAME_BYTES_MAX: 64 * MIB,
} as const;

/** How a service is declared, implemented and called; no I/O, no carrier. */

/** One unary method. The types exist for the compiler only; `deadlineMs` is the default. */
export interface Method<Input, Output> {
  readonly deadlineMs: number;
  readonly __types?: (input: Input) => Output;
}

/**
 * A method of a store: writes and reads may be served by two threads, and `connect` sends each to
 * its own.
 */
interface SidedMethod<Side extends 'read' | 'write', Input, Output> extends Method<Input, Output> {
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

/** Those of the methods that write, and those of the methods that read. */
export type Writer<S extends SidedService> = Side<S, 'write'>;
export type Reader<S extends SidedService> = Side<S, 'read'>;

type Side<S extends SidedService, Wanted> = {
  [Name in keyof S['methods'] as S['methods'][Name]['side'] extends Wanted ? Name : never]: Handler<
    S['methods'][Name]
  >;
};

export interface CallOptions {
  signal?: AbortSignal | null;
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

/** Declares a method of a store that changes nothing. */
export function read<Input, Output>(deadlineMs: number): SidedMethod<'read', Input, Output> {
  return { deadlineMs, side: 'read' };
}

/** Declares a method of a store that may change something. */
export function write<Input, Output>(deadlineMs: number): SidedMethod<'write', Input, Output> {
  return { deadlineMs, side: 'write' };
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
