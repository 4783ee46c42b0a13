/** The part of autocannon that is used here; the package has no types. */
declare module 'autocannon' {
  interface Options {
    url: string;
    connections: number;
    duration: number;
    /** Per request, seconds. */
    timeout: number;
    requests: Request[];
    /** Called for each connection. */
    setupClient(client: { setRequests(requests: Request[]): void }): void;
  }

  interface Request {
    method: string;
    path: string;
    headers?: Record<string, string>;
    body?: Buffer;
  }

  interface Result {
    duration: number;
    requests: { total: number };
    /** Ms. */
    latency: { p50: number; p99: number; max: number };
    non2xx: number;
    errors: number;
    timeouts: number;
  }

  function autocannon(options: Options): PromiseLike<Result>;
  export = autocannon;
}
