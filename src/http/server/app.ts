import type { us_listen_socket } from 'uWebSockets.js';
import { randomBytes } from 'node:crypto';
import { HTTP } from '../../limits.ts';
import { CraError } from '../../model/errors.ts';
import type { Dispatch } from './dispatch.ts';
import { runExchange } from './exchange.ts';
import { errorReply, type Reply } from './reply.ts';
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
  const places = {
    ordinary: { taken: 0, max: HTTP.IN_FLIGHT_MAX },
    // However many requests wait for something, health, status and decisions are answered.
    reserved: { taken: 0, max: HTTP.RESERVED_IN_FLIGHT_MAX },
  };
  let isStopping = false;
  let onIdle: (() => void) | null = null;
  const inFlight = () => places.ordinary.taken + places.reserved.taken;

  const app = uws.App();
  app.any('/*', (res, req) => {
    requests += 1;
    const id = `${boot}-${requests.toString(36)}`;
    const method = req.getMethod().toUpperCase();
    const path = req.getUrl();
    const place = dispatch.isReserved(method, path) ? places.reserved : places.ordinary;
    place.taken += 1;
    const isCrowded = place.taken > place.max;
    runExchange(res, req, {
      ...{ id, method, path, uploads },
      isStopping: () => isStopping,
      trustsProxy: options.trustsProxy ?? false,
      bodyBytesMax: dispatch.bodyBytesMax,
      openDelivery: dispatch.openDelivery,
      handle: isCrowded ? () => Promise.resolve(crowded(id)) : dispatch.handle,
      onEnd() {
        place.taken -= 1;
        if (inFlight() === 0) onIdle?.();
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
      return inFlight();
    },
    get isStopping() {
      return isStopping;
    },
    async drain() {
      isStopping = true;
      uws.us_listen_socket_close(socket);
      if (inFlight() === 0) return;
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

function stopping(): CraError {
  return new CraError('UNAVAILABLE', 'the service is stopping; send the request again');
}

function crowded(requestId: string): Reply {
  const message = 'too many requests are being answered; try again later';
  return errorReply(new CraError('RESOURCE_EXHAUSTED', message), requestId);
}
