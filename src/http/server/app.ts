import type { us_listen_socket } from 'uWebSockets.js';
import { randomBytes } from 'node:crypto';
import { HTTP } from '../../limits.ts';
import { CraError } from '../../model/errors.ts';
import type { Dispatch } from './dispatch.ts';
import { runExchange } from './exchange.ts';
import { errorReply, type Reply } from './reply.ts';
import { createUploads } from './uploads.ts';

export interface HttpServerOptions {
  host: string;
  /** 0: any free port. */
  port: number;
  dispatch: Dispatch;
  /** Whether `X-Forwarded-For` counts; false when absent. */
  trustsProxy?: boolean;
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

/** The front door, open. */
export interface HttpServer {
  readonly port: number;
  readonly inFlight: number;
  readonly isStopping: boolean;
  /** Lets nobody in any more; resolves when every request is answered. */
  drain(): Promise<void>;
  /** Closes what connections are left. */
  close(): void;
}

/**
 * Opens the front door. The port is taken exclusively: uWebSockets.js would otherwise share it
 * with a second daemon, and each would get half of the traffic. Rejects with FAILED_PRECONDITION
 * when the port is not free.
 */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  // Loaded here because it reads its settings from the environment when it is loaded.
  const uws = await import('uWebSockets.js');
  const { dispatch } = options;
  const uploads = createUploads(() => performance.now());
  const boot = randomBytes(4).toString('hex');
  let requests = 0;
  let inFlight = 0;
  let isStopping = false;
  let onIdle: (() => void) | null = null;

  function onEnd(): void {
    inFlight -= 1;
    if (inFlight === 0) onIdle?.();
  }

  const app = uws.App();
  app.any('/*', (res, req) => {
    requests += 1;
    inFlight += 1;
    const id = `${boot}-${requests.toString(36)}`;
    const isCrowded = inFlight > HTTP.IN_FLIGHT_MAX;
    runExchange(res, req, {
      id,
      uploads,
      isStopping: () => isStopping,
      trustsProxy: options.trustsProxy ?? false,
      bodyBytesMax: dispatch.bodyBytesMax,
      openDelivery: dispatch.openDelivery,
      handle: isCrowded ? () => Promise.resolve(crowded(id)) : dispatch.handle,
      onEnd,
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
    const message = `${options.host}:${options.port} cannot be listened on; is it in use?`;
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

function stopping(): CraError {
  return new CraError('UNAVAILABLE', 'the service stops; send the request again');
}

function crowded(requestId: string): Reply {
  const message = 'too many requests are being answered; try again later';
  return errorReply(new CraError('RESOURCE_EXHAUSTED', message), requestId);
}
