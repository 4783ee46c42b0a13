import type { us_listen_socket } from 'uWebSockets.js';
import { randomBytes } from 'node:crypto';
import { HTTP } from '../../limits.ts';
import { CraError } from '../../model/errors.ts';
import type { Dispatch } from './dispatch.ts';
import { runExchange } from './exchange.ts';
import { openSpoolDirectory } from './spool.ts';
import { createUploads } from './uploads.ts';

export interface HttpServerOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  dispatch: Dispatch;
  /** Whether `X-Forwarded-For` counts; false when absent. */
  trustsProxy?: boolean;
  /** Of the service's own: large bodies go there until their sender has proved who it is. */
  spoolDirectory: string;
  onError(error: CraError, request: { id: string; method: string; path: string }): void;
}

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
  /** Accepts no more connections; resolves when every request is answered. */
  drain(): Promise<void>;
  /** Closes the connections that are left. */
  close(): void;
}

/**
 * Starts the server. The port is taken exclusively: uWebSockets.js would otherwise share it
 * with a second daemon, and each would get half of the traffic. Rejects with FAILED_PRECONDITION
 * when the port is not free.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  // Loaded here because it reads its settings from the environment when it is loaded.
  const uws = await import('uWebSockets.js');
  const { dispatch } = options;
  openSpoolDirectory(options.spoolDirectory);
  const uploads = createUploads(() => performance.now(), options.spoolDirectory);
  const boot = randomBytes(4).toString('hex');
  let requests = 0;
  const places = openPlaces();
  let inFlight = 0;
  let isStopping = false;
  let onIdle: (() => void) | null = null;

  const app = uws.App();
  app.any('/*', (res, req) => {
    requests += 1;
    const id = `${boot}-${requests.toString(36)}`;
    const method = req.getMethod().toUpperCase();
    const path = req.getUrl();
    const own = places[dispatch.placesOf(method, path)];
    const place = own.forRequest();
    inFlight += 1;
    runExchange(res, req, {
      ...{ id, method, path, uploads },
      isStopping: () => isStopping,
      trustsProxy: options.trustsProxy ?? false,
      bodyBytesMax: dispatch.bodyBytesMax,
      openDelivery: dispatch.openDelivery,
      begin: place.take,
      // A body that would be refused need not arrive.
      handle: own.areTaken ? () => Promise.reject(crowded()) : dispatch.handle,
      onEnd() {
        inFlight -= 1;
        place.leave();
        if (inFlight === 0) onIdle?.();
      },
      onError: options.onError,
    });
  });

  const socket = await new Promise<us_listen_socket | false>((resolve) => {
    (app as unknown as ExclusiveListen).listen(
      options.host,
      options.port,
      LIBUS_LISTEN_EXCLUSIVE_PORT,
      resolve,
    );
  });
  if (socket === false) {
    uploads.close();
    const message = `cannot listen on ${options.host}:${options.port}; is it in use?`;
    throw new CraError('FAILED_PRECONDITION', message);
  }
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
      uws.us_listen_socket_close(socket);
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

/** However many requests wait for something, health, status and decisions are answered. */
function openPlaces(): Readonly<Record<ReturnType<Dispatch['placesOf']>, Places>> {
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
