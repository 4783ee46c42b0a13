import type { CraError } from '../model/errors.ts';

/** How a service is declared, implemented and called; no I/O, no carrier. */

/** One unary method. The types exist for the compiler only; `deadlineMs` is the default. */
export interface Method<Input, Output> {
  readonly deadlineMs: number;
  readonly __types?: (input: Input) => Output;
}

export interface Service {
  readonly name: string;
  readonly methods: Readonly<Record<string, Method<never, unknown>>>;
}

export type InputOf<M> = M extends Method<infer Input, unknown> ? Input : never;
export type OutputOf<M> = M extends Method<never, infer Output> ? Output : never;

/** What a handler may know about its call. */
export interface CallContext {
  /**
   * Why the result is of no use any more (CANCELLED, DEADLINE_EXCEEDED), or null. To be asked
   * rather than listened to: a signal and a timer for each call cost more than most calls.
   */
  stopReason(): CraError | null;
}

/** The handlers of a service: what its server runs. */
export type Implementation<S extends Service> = {
  [Name in keyof S['methods']]: (
    input: InputOf<S['methods'][Name]>,
    context: CallContext,
  ) => OutputOf<S['methods'][Name]> | Promise<OutputOf<S['methods'][Name]>>;
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
