import type { TemplatedApp, HttpRequest as UwsRequest, us_listen_socket } from 'uWebSockets.js';
import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, lstatSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CraError } from '../../model/errors.ts';
import { openSpoolDirectory } from './body-memory.ts';
import type { Dispatch, Route } from './dispatch.ts';
import { type FailedRequest, runExchange } from './exchange.ts';
import { HTTP } from './limits.ts';
import { proxyIdOf, type RequestIds } from './request-headers.ts';
import { createUploads } from './upload.ts';

export interface HttpServerOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  /** Of a Unix socket that it listens on besides; absent or null: only the port. */
  socketPath?: string | null;
  dispatch: Dispatch;
  /** Whether `X-Forwarded-For` and `X-Request-Id` count; false when absent. */
  trustsProxy?: boolean;
  /** Of the service's own: large bodies go there until their sender has proved who it is. */
  spoolDirectory: string;
  onError(error: CraError, request: FailedRequest): void;
  /** A request has its answer, or its client has gone; absent: nobody asks. */
  onAnswered?(request: Answered): void;
}

/** A request that is over. */
export interface Answered {
  /** Name and method of its route; null: its path has no route. */
  route: { name: string; method: string } | null;
  /** Null: the client went away. */
  status: number | null;
  /** From its headers to its answer. */
  ms: number;
  ids: RequestIds;
}

/**
 * Requests that have reached this machine at a stop are in flight, too: in these turns of the event
 * loop the running callback ends, connections that wait are accepted, and what they sent is read.
 */
const DRAIN_TURNS = 3;

/** The form of `listen` that the native module has and its types lack: host and options. */
interface ExclusiveListen {
  listen(
    host: string,
    port: number,
    options: number,
    onListening: (socket: us_listen_socket | false) => void,
  ): void;
}

/** Value of the enum constant, which the package's types keep to themselves. */
const LIBUS_LISTEN_EXCLUSIVE_PORT = 1;

/** A server that listens. */
export interface HttpServer {
  readonly port: number;
  readonly inFlight: number;
  readonly isStopping: boolean;
  /** Accepts no more connections; resolves when every request that has come is answered. */
  drain(): Promise<void>;
  /** Closes the connections that are left. */
  close(): void;
}

/**
 * Starts the server. The port is taken exclusively: uWebSockets.js would otherwise share it
 * with a second daemon, and each would get half of the traffic. Rejects with FAILED_PRECONDITION
 * when the port or the path of the socket is not free.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  // Loaded here because it reads its settings from the environment when it is loaded.
  const uws = await import('uWebSockets.js');
  const { dispatch, trustsProxy = false } = options;
  openSpoolDirectory(options.spoolDirectory);
  const uploads = createUploads(() => performance.now(), options.spoolDirectory);
  const nameOf = createNames(trustsProxy);
  const places = openPlaces();
  let inFlight = 0;
  let isStopping = false;
  let onIdle: (() => void) | null = null;

  const app = uws.App();
  app.any('/*', (res, req) => {
    const start = performance.now();
    const id = nameOf(req);
    const method = req.getMethod().toUpperCase();
    const path = req.getUrl();
    const route = dispatch.routeOf(method, path);
    const own = places[route?.places ?? 'ordinary'];
    const place = own.forRequest();
    inFlight += 1;
    runExchange(res, req, {
      id,
      method,
      path,
      uploads,
      isStopping: () => isStopping,
      trustsProxy,
      bodyBytesMax: dispatch.bodyBytesMax,
      openDelivery: dispatch.openDelivery,
      begin: place.take,
      // A body that would be refused need not arrive.
      handle: own.areTaken ? () => Promise.reject(crowded()) : dispatch.handle,
      onEnd(status, ids) {
        inFlight -= 1;
        options.onAnswered?.({ route, status, ms: performance.now() - start, ids });
        place.leave();
        if (inFlight === 0) onIdle?.();
      },
      onError: options.onError,
    });
  });

  const { socket, file } = await listen(app, options).catch((thrown) => {
    uploads.close();
    app.close();
    throw thrown;
  });
  const port = uws.us_socket_local_port(socket);

  return {
    port,
    get inFlight() {
      return inFlight;
    },
    get isStopping() {
      return isStopping;
    },
    async drain() {
      isStopping = true;
      file?.remove();
      for (let turn = 0; turn < DRAIN_TURNS; turn += 1) await nextTurn();
      uws.us_listen_socket_close(socket);
      if (file !== null) uws.us_listen_socket_close(file.socket);
      if (inFlight === 0) return;
      const slow = setTimeout(() => uploads.failAll(stopping()), HTTP.DRAIN_UPLOADS_MS);
      const late = new Promise<void>((resolve) => {
        onIdle = resolve;
        setTimeout(resolve, HTTP.DRAIN_MS).unref();
      });
      await late;
      clearTimeout(slow);
    },
    close() {
      uploads.close();
      app.close();
    },
  };
}

interface Listening {
  socket: us_listen_socket;
  /** The Unix socket; null when not asked for. */
  file: SocketFile | null;
}

async function listen(
  app: TemplatedApp,
  { host, port, socketPath = null }: HttpServerOptions,
): Promise<Listening> {
  const socket = await new Promise<us_listen_socket | false>((resolve) => {
    (app as unknown as ExclusiveListen).listen(host, port, LIBUS_LISTEN_EXCLUSIVE_PORT, resolve);
  });
  if (socket === false) {
    const message = `cannot listen on ${host}:${port}: ${await whyNotListening(host, port)}`;
    throw new CraError('FAILED_PRECONDITION', message);
  }
  return { socket, file: socketPath === null ? null : await listenOnFile(app, socketPath) };
}

/** uWebSockets.js does not say why it cannot listen: the same address is tried once more. */
async function whyNotListening(host: string, port: number): Promise<string> {
  const server = createServer();
  const code = await new Promise<string | undefined>((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
  return NOT_LISTENING[code ?? ''] ?? NOT_LISTENING['EADDRINUSE'] ?? '';
}

const NOT_LISTENING: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another program listens there, another daemon perhaps: end it (ss -ltnp shows it), or set ' +
    'SERVICE_PORT to another port',
  EADDRNOTAVAIL: 'this machine does not have the address: set SERVICE_HOST to an address of it',
  EACCES: 'this user may not use the port: set SERVICE_PORT to one above 1023',
  ENOTFOUND: 'the name has no address: set SERVICE_HOST to an address of this machine',
  EAI_AGAIN: 'the name cannot be looked up: set SERVICE_HOST to an address of this machine',
};

/** The socket's user and group may connect, as the folder lets them reach it. */
const SOCKET_MODE = 0o660;
/** Names that others took or gave up while this daemon tried. */
const SOCKET_TRIES_MAX = 10;

/** A Unix socket that listens. `remove` takes its name away, unless it is another one's by now. */
interface SocketFile {
  socket: us_listen_socket;
  remove(): void;
}

/**
 * Listens on a Unix socket. It gets its mode in a folder of its own, where nobody else can connect
 * yet, and its name only then: uWebSockets.js would take the name of any other socket. Rejects with
 * FAILED_PRECONDITION when the name belongs to another process that listens, or to another file.
 */
async function listenOnFile(app: TemplatedApp, path: string): Promise<SocketFile> {
  let folder: string | null = null;
  try {
    folder = mkdtempSync(`${path}.`);
    const own = join(folder, 's');
    const socket = await new Promise<us_listen_socket | false>((resolve) => {
      app.listen_unix(resolve, own);
    });
    if (socket === false) throw new CraError('FAILED_PRECONDITION', `cannot listen on ${path}`);
    chmodSync(own, SOCKET_MODE);
    await takeName(own, path, join(folder, 'old'));
    const { ino } = lstatSync(path);
    return {
      socket,
      remove() {
        if (lstatSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path, { force: true });
      },
    };
  } catch (thrown) {
    if (thrown instanceof CraError) throw thrown;
    const message = `cannot listen on ${path}: ${(thrown as Error).message}`;
    throw new CraError('FAILED_PRECONDITION', message, { cause: thrown });
  } finally {
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  }
}

/** Gives the socket `own` its name. That of a daemon that was killed is taken over, by `old`. */
async function takeName(own: string, path: string, old: string): Promise<void> {
  const taken = new CraError('FAILED_PRECONDITION', `another process listens on ${path}`);
  for (let tries = 0; tries < SOCKET_TRIES_MAX; tries += 1) {
    if (succeeds(() => linkSync(own, path), 'EEXIST')) return;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSocket() === false) {
      throw new CraError('FAILED_PRECONDITION', `${path} is there already, and is not a socket`);
    }
    if (await isServed(path)) throw taken;
    // Another daemon may have taken it since: then it gets it back.
    if (!succeeds(() => renameSync(path, old), 'ENOENT')) continue;
    if (await isServed(old)) {
      linkSync(old, path);
      throw taken;
    }
  }
  throw taken;
}

/** Whether a step succeeds; false: it fails with this code, and others are thrown. */
function succeeds(step: () => void, code: string): boolean {
  try {
    step();
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === code) return false;
    throw thrown;
  }
}

/** Whether a process may listen on a socket; false: surely none does. */
function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT');
    });
  });
}

/** Ids of requests; an id that a trusted proxy gave is kept. */
function createNames(trustsProxy: boolean): (req: UwsRequest) => string {
  const boot = randomBytes(4).toString('hex');
  let requests = 0;
  return (req) => {
    const given = trustsProxy ? proxyIdOf(req.getHeader('x-request-id')) : null;
    if (given !== null) return given;
    requests += 1;
    return `${boot}-${requests.toString(36)}`;
  };
}

/** However many requests wait for something, health, status and decisions are answered. */
function openPlaces(): Readonly<Record<NonNullable<Route['places']>, Places>> {
  return {
    ordinary: new Places(HTTP.IN_FLIGHT_MAX),
    status: new Places(HTTP.RESERVED_IN_FLIGHT_MAX),
    decisions: new Places(HTTP.RESERVED_IN_FLIGHT_MAX),
  };
}

/** How many requests of one kind are worked on at once. */
class Places {
  readonly #max: number;
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get areTaken(): boolean {
    return this.#taken >= this.#max;
  }

  /** The place of one request: taken at most once, and not after it has been left. */
  forRequest(): { take(): void; leave(): void } {
    let state: 'outside' | 'taken' | 'left' = 'outside';
    return {
      take: () => {
        if (state === 'left') throw new CraError('CANCELLED', 'the request has been answered');
        if (state === 'taken') return;
        if (this.areTaken) throw crowded();
        state = 'taken';
        this.#taken += 1;
      },
      leave: () => {
        if (state === 'taken') this.#taken -= 1;
        state = 'left';
      },
    };
  }
}

function stopping(): CraError {
  return new CraError('UNAVAILABLE', 'the service is stopping; send the request again');
}

function crowded(): CraError {
  const message = 'too many requests are being answered; try again later';
  return new CraError('RESOURCE_EXHAUSTED', message);
}
