import { MessageChannel, type MessagePort, parentPort, Worker } from 'node:worker_threads';
import { CraError } from '../model/errors.ts';
import { createChannelTransport, createOutbox, serveChannel } from './channel.ts';
import type { RpcServer, Transport } from './service.ts';
import { failure, RPC, type RpcMessage } from './service.ts';

/** A single long-lived thread that serves calls over its port. */
export interface ServiceThread extends Transport {
  /** Resolves once the thread serves; rejects with the reason why it could not start. */
  ready: Promise<void>;
  /** Serves another thread as well, over the end of a channel that it offers. */
  accept(offer: PortOffer): void;
  /**
   * Asks the thread for a sign of life. Returns for how long, in ms, it owes the answer to the
   * question before; 0: it has given it.
   */
  silentMs(): number;
  /** Ends the thread when its own close is done, else terminates it. */
  close(): Promise<void>;
}

interface ServiceThreadOptions {
  entry: URL;
  workerData: unknown;
  /** The thread ended without being asked to: its state is unknown. */
  onLost(error: CraError): void;
}

type Started = { kind: 'ready' } | { kind: 'failed'; error: ReturnType<CraError['toMessage']> };

/** Starts a thread whose entry calls `serveThread`. */
export function startServiceThread(options: ServiceThreadOptions): ServiceThread {
  const worker = new Worker(options.entry, { workerData: options.workerData });
  const outbox = createOutbox({
    send: (messages, transfer) => worker.postMessage(messages, transfer),
    // Requests arrive in several callbacks of one turn of the loop.
    defer: setImmediate,
    onUnsendable: ({ id }, error) => transport.receive(failure(id, error)),
  });
  const transport = createChannelTransport(outbox);
  let closing = false;
  let cause: unknown = null;
  /** When the question that is open was asked, by performance.now(). */
  let askedAt: number | null = null;
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));

  const ready = new Promise<void>((resolve, reject) => {
    worker.on('message', (message: Started | unknown) => {
      if (Array.isArray(message)) return message.forEach(transport.receive);
      if (kindOf(message) === PROBE.kind) askedAt = null;
      if (!isStarted(message)) return;
      if (message.kind === 'ready') resolve();
      else reject(CraError.fromMessage(message.error));
    });
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      const lost = new CraError('UNAVAILABLE', 'a service thread ended', { cause });
      reject(lost);
      transport.close(lost);
      if (!closing) options.onLost(lost);
    });
  });
  ready.catch(() => {
    // `ready` alone reports a start that failed.
    closing = true;
  });

  return {
    ready,
    call: transport.call,
    accept: (offer) => worker.postMessage(offer, [offer.port]),
    silentMs() {
      if (askedAt !== null) return performance.now() - askedAt;
      askedAt = performance.now();
      worker.postMessage(PROBE);
      return 0;
    },
    async close() {
      closing = true;
      outbox.flush();
      worker.postMessage(CLOSE);
      const stuck = setTimeout(() => void worker.terminate(), RPC.THREAD_CLOSE_MS);
      await exited;
      clearTimeout(stuck);
    },
  };
}

const CLOSE = { kind: 'close' };
const PROBE = { kind: 'probe' };

/**
 * The thread's end: starts what it serves, says that it is ready, and serves until it is asked to
 * close. A start that throws is reported, and the thread ends.
 */
export function serveThread(start: () => Served | Promise<Served>): void {
  const port = parentPort;
  if (port === null) throw new Error('serveThread runs in a worker thread only');
  void serve(port, start);
}

/** What a thread serves, and how it ends. */
interface Served {
  server: RpcServer;
  /** Runs the calls that came together, of which handlers without a wait are done by its end. */
  together?(run: () => void): void;
  close(): Promise<void> | void;
}

async function serve(port: MessagePort, start: () => Served | Promise<Served>): Promise<void> {
  try {
    const { server, close, together = (run) => run() } = await start();
    const send = (messages: readonly RpcMessage[], transfer: readonly ArrayBuffer[]) =>
      port.postMessage(messages, transfer);
    const outbox = createOutbox({
      send,
      // Runs after the answers that are settled already have been posted.
      defer: queueMicrotask,
      onUnsendable: ({ id }, error) => send([failure(id, error)], []),
    });
    const receive = serveChannel(server, outbox);
    port.on('message', (message: unknown) => {
      if (Array.isArray(message)) return together(() => message.forEach(receive));
      if (isPortOffer(message)) return servePort(server, message);
      if (kindOf(message) === PROBE.kind) return port.postMessage(PROBE);
      if (!isClose(message)) return;
      void Promise.resolve(close()).finally(() => port.close());
    });
    port.postMessage({ kind: 'ready' } satisfies Started);
  } catch (thrown) {
    const error = CraError.fromUnknown(thrown).toMessage();
    port.postMessage({ kind: 'failed', error } satisfies Started);
    port.close();
  }
}

/** Serves the calls over the end of a channel that was offered. */
export function servePort(server: RpcServer, { port }: PortOffer): void {
  const receive = serveChannel(server, {
    post: (message, transfer) => port.postMessage(message, [...transfer]),
  });
  port.on('message', receive);
  // It does not keep the thread alive, which ends with its own port.
  port.unref();
}

function kindOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'kind' in message ? message.kind : null;
}

function isStarted(message: unknown): message is Started {
  const kind = kindOf(message);
  return kind === 'ready' || kind === 'failed';
}

function isClose(message: unknown): boolean {
  return kindOf(message) === CLOSE.kind;
}

/**
 * One end of a channel on its way to a service thread: a pool thread makes the channel, and the
 * main thread, which knows both, only hands the end over. Calls then go from thread to thread.
 */
export interface PortOffer {
  kind: 'port-offer';
  /** Who is to be called over it. */
  to: 'store' | 'source';
  port: MessagePort;
}

/** Makes a channel, offers one end by `post`, and calls over the other. */
export function offerPort(
  to: PortOffer['to'],
  post: (offer: PortOffer, transfer: readonly MessagePort[]) => void,
): Transport {
  const { port1: own, port2: port } = new MessageChannel();
  const transport = createChannelTransport({
    post: (message, transfer) => own.postMessage(message, [...transfer]),
  });
  own.on('message', transport.receive);
  own.on('close', () => transport.close(new CraError('UNAVAILABLE', 'the other thread ended')));
  // A call keeps its thread alive by its deadline; the channel alone need not.
  own.unref();
  post({ kind: 'port-offer', to, port }, [port]);
  return transport;
}

/** Whether a thread's message is an offer. */
export function isPortOffer(message: unknown): message is PortOffer {
  return (
    typeof message === 'object' &&
    message !== null &&
    'kind' in message &&
    message.kind === 'port-offer'
  );
}
