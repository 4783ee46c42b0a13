import { Agent, request } from 'node:http';

/** An answer, whatever its status. */
export interface HttpAnswer {
  status: number;
  text: string;
  /** From sending to the end of the answer. */
  ms: number;
}

/** A request; the path is below `/api/cra/`. */
export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  /** Null: none. */
  body: Buffer | null;
  headers: Readonly<Record<string, string>>;
}

/** A caller of the service with connections of its own. Calls reject when no answer comes. */
export interface HttpClient {
  readonly port: number;
  analyze(body: Buffer): Promise<HttpAnswer>;
  send(request: HttpRequest): Promise<HttpAnswer>;
  /** A path below `/api/cra/`. */
  get(path: string): Promise<HttpAnswer>;
  close(): void;
}

const IDLE_MS_MAX = 4_000;

/** Callers of the loopback with different addresses are different callers to the service. */
export function createHttpClient(port: number, localAddress = '127.0.0.1'): HttpClient {
  // The service closes idle connections; ours are gone before, so that none is lost on the way.
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS_MAX });

  function send({ method, path, body, headers }: HttpRequest): Promise<HttpAnswer> {
    const start = performance.now();
    const length = body === null ? {} : { 'content-length': body.length };
    return new Promise((resolve, reject) => {
      const sent = request({
        host: '127.0.0.1',
        port,
        path: `/api/cra/${path}`,
        method,
        headers: { ...headers, ...length },
        agent,
        localAddress,
      });
      sent.on('error', reject);
      sent.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const ms = performance.now() - start;
          resolve({ status: response.statusCode ?? 0, text, ms });
        });
      });
      sent.end(body ?? undefined);
    });
  }

  return {
    port,
    analyze: (body) => send({ method: 'POST', path: 'analyze', body, headers: {} }),
    get: (path) => send({ method: 'GET', path, body: null, headers: {} }),
    send,
    close: () => agent.destroy(),
  };
}
