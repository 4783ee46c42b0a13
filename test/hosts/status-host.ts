import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Teardown } from '../daemon.ts';
import { freePort } from '../free-port.ts';
import { describeProblem } from './operations.ts';
import { KINDS, listStatuses, type StatusReply } from './status-dialects.ts';

/** A status as the host keeps it. */
export interface KeptStatus {
  repo: string;
  sha: string;
  context: string;
  state: string;
  description: string;
  targetUrl: string;
  /** GitLab alone is told. */
  ref: string | null;
}

/** What goes wrong with the answers of a host. */
export type Fault =
  | 'none'
  /** No connection at all: nothing listens on the port. */
  | 'down'
  /** Takes the request, and never answers. */
  | 'hangs'
  /** Answers rightly, but only when `letGo` is called. */
  | 'slow'
  /** Ends the connection within its answer. */
  | 'breaks-off'
  | 'redirects'
  /** Status 200 and a page, as a proxy in between answers. */
  | 'html'
  | 'endless'
  | 'secondary-limit'
  | 'primary-limit'
  /** An answer with just this status. */
  | 401
  | 403
  | 404
  | 409
  | 422
  | 429
  | 500
  | 502
  | 503;

/** A host that takes commit statuses as a real one does, quirks included. */
export interface StatusHost {
  /** Without `/` at the end. */
  url: string;
  apiUrl: string;
  token: string;
  /** Every status it took, oldest first. */
  taken: KeptStatus[];
  /** Requests that arrived, whatever became of them. */
  requests: number;
  /** Commits it does not know. */
  unknown: Set<string>;
  fault: Fault;
  /** Seconds that limits tell to wait; null: they do not say. */
  retryAfterSeconds: number | null;
  /** Its clock, ms since the epoch. */
  now(): number;
  setFault(fault: Fault): Promise<void>;
  /** Answers what a slow host holds back. */
  letGo(): void;
  /** The state that a commit shows now; undefined: none. */
  stateOf(repo: string, sha: string): string | undefined;
}

export interface StatusHostOptions {
  kind: keyof typeof KINDS;
  token: string;
}

/** Starts the host on a port of its own, on loopback; it ends with the test. */
export async function startStatusHost(
  t: Teardown,
  { kind, token }: StatusHostOptions,
): Promise<StatusHost> {
  const dialect = KINDS[kind];
  const sockets = new Set<Socket>();
  let held: (() => void)[] = [];
  const server = createServer((request, response) => {
    host.requests += 1;
    void readBody(request).then((body) => answer(request, body, response));
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  function answer(request: IncomingMessage, body: string, response: ServerResponse): void {
    const { fault } = host;
    if (fault === 'hangs') return;
    if (fault !== 'none' && fault !== 'slow' && fault !== 'down') {
      misbehave(response, fault, host);
      return;
    }
    const { method = '', url: path = '' } = request;
    const url = path.slice(dialect.apiPath.length);
    const problem = describeProblem(kind, { method, url, body });
    const refusal = { status: 418, body: { message: problem } };
    const take = () =>
      method === 'GET' ? listStatuses(dialect, host, request) : dialect.take(host, request, body);
    const reply = () => send(response, problem === null ? take() : refusal);
    if (fault === 'slow') held.push(reply);
    else reply();
  }

  function disconnect(): void {
    for (const socket of sockets) socket.destroy();
  }

  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
  const port = await freePort();
  await listen(port);
  const url = `http://127.0.0.1:${port}`;
  t.teardown(() => {
    disconnect();
    server.close();
  });

  const host: StatusHost = {
    url,
    apiUrl: `${url}${dialect.apiPath}`,
    token,
    taken: [],
    requests: 0,
    unknown: new Set(),
    fault: 'none',
    retryAfterSeconds: null,
    now: Date.now,
    async setFault(fault) {
      const wasDown = host.fault === 'down';
      host.fault = fault;
      if (fault === 'down') {
        const closed = new Promise((resolve) => server.close(resolve));
        disconnect();
        await closed;
      } else if (wasDown) await listen(port);
    },
    letGo() {
      const replies = held;
      held = [];
      for (const reply of replies) reply();
    },
    stateOf: (repo, sha) =>
      host.taken.findLast((status) => status.repo === repo && status.sha === sha)?.state,
  };
  return host;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function send(response: ServerResponse, { status, body, headers }: StatusReply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function misbehave(
  response: ServerResponse,
  fault: Exclude<Fault, 'none' | 'slow' | 'down' | 'hangs'>,
  { retryAfterSeconds, now }: StatusHost,
): void {
  const wait = retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) };
  if (typeof fault === 'number') {
    const limits = fault === 429 || fault === 503 ? wait : {};
    send(response, { status: fault, body: { message: 'no' }, headers: limits });
    return;
  }
  switch (fault) {
    case 'redirects':
      response.writeHead(301, { location: 'http://127.0.0.1:9/elsewhere' }).end();
      break;
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>');
      break;
    case 'breaks-off':
      response.writeHead(201, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"state":', () => response.destroy());
      break;
    case 'endless':
      response.writeHead(201, { 'content-type': 'application/json' });
      writeForEver(response);
      break;
    case 'secondary-limit': {
      const message = 'You have exceeded a secondary rate limit. Please wait a few minutes.';
      send(response, { status: 403, body: { message }, headers: wait });
      break;
    }
    case 'primary-limit': {
      const reset = Math.ceil(now() / 1_000) + (retryAfterSeconds ?? 0);
      const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) };
      send(response, { status: 403, body: { message: 'API rate limit exceeded' }, headers });
    }
  }
}

function writeForEver(response: ServerResponse): void {
  const write = () => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
  };
  response.on('drain', write);
  response.on('error', () => response.destroy());
  write();
}
