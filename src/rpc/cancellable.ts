import type { CallOptions, Client, Service } from './service.ts';

/** The same client; each call of it ends with CANCELLED when `signal` fires. */
export function cancellable<S extends Service>(client: Client<S>, signal: AbortSignal): Client<S> {
  const calls = Object.entries(client as Record<string, Call>).map(([name, call]) => [
    name,
    (input: unknown, options: CallOptions = {}) => call(input, { signal, ...options }),
  ]);
  return Object.fromEntries(calls) as Client<S>;
}

type Call = (input: unknown, options?: CallOptions) => Promise<unknown>;
