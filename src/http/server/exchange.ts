import type { HttpRequest as UwsRequest, HttpResponse as UwsResponse } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import { Departure, type StopSignal } from '../../core/deadline.ts';
import { CraError } from '../../model/errors.ts';
import { BODY } from '../../model/limits.ts';
import type { Delivery, Intake } from '../../pushes/intake.ts';
import { HTTP } from './limits.ts';
import { bodyTooLarge, errorReply, headersTooLarge, type Reply } from './reply.ts';
import {
  forwardedAddress,
  idsOf,
  plainAddress,
  type RequestHeaders,
  type RequestIds,
  readHeaders,
  UNIX_SOCKET,
} from './request-headers.ts';
import type { Upload, Uploads } from './upload.ts';

type DeliveryHeaders = Parameters<Intake['open']>[0];

/**
 * A request as handlers see it: a copy. The native request may not be touched after the first
 * await, so that nothing but this file ever sees it.
 */
export interface Request {
  id: string;
  method: string;
  path: string;
  query: string;
  headers: RequestHeaders;
  /** Of a GET it is read when it is first asked for; once the client has gone it is empty. */
  readonly remoteAddress: string;
  /** Fires when the client goes away. Made when it is asked for. */
  readonly gone: StopSignal;
  /** The same for what takes no other: it costs ten times as much. */
  readonly signal: AbortSignal;
  /**
   * Resolves with the whole body, in shared memory but for webhooks that this thread reads itself;
   * rejects with the error that the client gets. Only handlers ask for it, and they run once the
   * caller is known: from then on the body counts as proven. That of a webhook is proven by its
   * signature; UNAUTHENTICATED when that does not hold.
   */
  body(): Promise<Uint8Array>;
  /** Of a webhook: checks its signature as the body arrives; else null. */
  delivery: Delivery | null;
}

/** What an exchange needs to know before it starts. */
export interface ExchangeOptions {
  id: string;
  /** In upper case. */
  method: string;
  path: string;
  uploads: Uploads;
  /** The server is stopping: every reply closes its connection. */
  isStopping(): boolean;
  /** A proxy of ours stands before the service: `X-Forwarded-For` names the client. */
  trustsProxy: boolean;
  /** Most bytes of body; null: the endpoint takes none. */
  bodyBytesMax(method: string, path: string): number | null;
  /**
   * Starts a webhook; null when the endpoint takes none. Throws when the headers alone refuse it.
   * `headers` is called at once or never.
   */
  openDelivery(method: string, path: string, headers: () => DeliveryHeaders): Delivery | null;
  /**
   * Takes a place for the work, once the request is there in full: until then it costs no more than
   * its bytes, and however many are sent slowly, they keep no place from others. Throws when none
   * is free, or when the exchange has ended.
   */
  begin(): void;
  /** Answers the request. A throw or rejection becomes an error reply. */
  handle(request: Request): Promise<Reply>;
  /** Called once, when the reply is written (`status`) or the client went away (null). */
  onEnd(status: number | null, ids: RequestIds): void;
  /** Gets the errors that the client only sees as "internal error". */
  onError(error: CraError, request: FailedRequest): void;
}

/** What the log says of a request that failed. */
export interface FailedRequest extends RequestIds {
  method: string;
  path: string;
}

const PRINTABLE = /^[\x20-\x7e]*$/;

/**
 * Runs one HTTP exchange. The only place that touches `res` and `req`, by these rules
 * (each one seen to crash or corrupt when broken): `onAborted` is registered first; no exception
 * leaves; the request is copied before the first await; `res` is not touched after end or abort;
 * header values are checked, as uWebSockets.js lets CR/LF through; writes are corked.
 */
export function runExchange(res: UwsResponse, req: UwsRequest, options: ExchangeOptions): void {
  const { method, path } = options;
  let request: RequestCopy | null = null;
  let upload: Upload | null = null;
  let state: 'open' | 'replying' | 'ended' = 'open';
  let isGone = false;

  res.onAborted(() => {
    isGone = true;
    const gone = new CraError('CANCELLED', 'the client went away');
    upload?.fail(gone);
    end(null);
    request?.leave(gone);
  });

  const ids = () => idsOf(options.id, request?.headers ?? null);

  function end(status: number | null): void {
    if (state === 'ended') return;
    state = 'ended';
    upload?.release();
    options.onEnd(status, ids());
  }

  function reply(answer: Reply): void {
    if (state !== 'open') return;
    state = 'replying';
    // uWebSockets.js reads and drops the rest of a body, so the client can finish sending
    // and then see why it was refused. A client that is too slow need not.
    const shallClose = options.isStopping();
    if (upload?.isComplete === false) upload.fail(ANSWERED);
    // Within this callback uWebSockets.js would take what follows in the same packet for another
    // request; while a reply is outstanding it closes the connection instead.
    if (answer.endsConnection === true) setImmediate(() => write(answer, true));
    else write(answer, shallClose);
  }

  function write(answer: Reply, shallClose: boolean): void {
    if (state !== 'replying') return;
    const how = { isHead: method === 'HEAD', shallClose, onDone: () => end(answer.status) };
    try {
      res.cork(() => writeReply(res, answer, how));
    } catch (thrown) {
      options.onError(CraError.fromUnknown(thrown), { ...ids(), method, path });
      end(null);
      res.close();
    }
  }

  function fail(thrown: unknown): void {
    const error = CraError.fromUnknown(thrown);
    if (error.code === 'INTERNAL') options.onError(error, { ...ids(), method, path });
    reply(errorReply(error, options.id));
  }

  function connectedAddress(): string {
    return state === 'ended' ? '' : addressOf(res);
  }

  try {
    const known = { id: options.id, method, path };
    request = snapshot(req, known, options.trustsProxy, connectedAddress);
    const delivery = options.openDelivery(method, path, () => allHeaders(req));
    request.delivery = delivery;
    const bytesMax = options.bodyBytesMax(method, path);
    if (bytesMax !== null && hasBody(request.headers)) {
      const flow = flowOf(res, () => isGone);
      const body = options.uploads.open({ ...uploadOf(request), bytesMax, flow });
      upload = body;
      body.received.catch(fail);
      request.body = bodyReader(body, request, options);
      // A body that is announced as too large need not arrive.
      if (Number(request.headers.contentLength) > bytesMax) body.fail(bodyTooLarge(bytesMax));
      else receive(res, body, delivery);
    } else {
      options.begin();
      if (delivery !== null) request.body = bodyless(delivery);
    }
    options.handle(request).then(reply, fail);
  } catch (thrown) {
    fail(thrown);
  }
}

/** uWebSockets.js has an empty text for connections to a Unix socket. */
function addressOf(res: UwsResponse): string {
  const address = Buffer.from(res.getRemoteAddressAsText()).toString('latin1');
  return address === '' ? UNIX_SOCKET : plainAddress(address);
}

function uploadOf({ headers, remoteAddress, delivery }: RequestCopy) {
  const bytesAnnounced = Number(headers.contentLength);
  return { bytesAnnounced, address: remoteAddress, waitsOnDisk: delivery !== null };
}

/** Stops and goes on reading from a connection that is still there. */
function flowOf(res: UwsResponse, isGone: () => boolean) {
  return {
    pause: () => res.pause(),
    resume: () => {
      if (!isGone()) res.resume();
    },
  };
}

/** Hands the body over as it arrives; a webhook's is hashed on its way. */
function receive(res: UwsResponse, body: Upload, delivery: Delivery | null): void {
  res.onData((chunk, isLast) => {
    if (!body.isArriving) return;
    delivery?.update(new Uint8Array(chunk));
    body.push(chunk, isLast);
  });
}

/** Reads the body of a caller that is known, or of a webhook once its signature holds. */
function bodyReader(
  body: Upload,
  request: RequestCopy,
  { uploads, begin }: Pick<ExchangeOptions, 'uploads' | 'begin'>,
): Request['body'] {
  const { delivery } = request;
  if (delivery === null) {
    return async () => {
      body.prove();
      await body.received;
      begin();
      return await body.read(0);
    };
  }
  if (delivery.isProven) body.prove();
  return async () => {
    await body.received;
    delivery.verify();
    uploads.trust(request.remoteAddress);
    begin();
    return await body.read(READ_HERE_BYTES_MAX);
  };
}

function bodyless(delivery: Delivery): Request['body'] {
  return async () => {
    delivery.verify();
    return NO_BODY;
  };
}

/** Copies what handlers may need; throws 431 when there is too much of it. */
function snapshot(
  req: UwsRequest,
  known: Pick<Request, 'id' | 'method' | 'path'>,
  trustsProxy: boolean,
  connectedAddress: () => string,
): RequestCopy {
  const query = req.getQuery() ?? '';
  const { headers, forwardedFor, bytes } = readHeaders(req);
  if (bytes + known.path.length + query.length > HTTP.HEADER_BYTES_MAX) {
    throw headersTooLarge(HTTP.HEADER_BYTES_MAX);
  }
  const request = new RequestCopy({ ...known, query, headers }, () => {
    const connected = connectedAddress();
    const isForwarded = trustsProxy && connected !== UNIX_SOCKET;
    return isForwarded ? forwardedAddress(forwardedFor, connected) : connected;
  });
  // Whatever changes something knows its sender, whatever happens to the connection.
  if (known.method !== 'GET') request.keepAddress();
  return request;
}

/** A request that outlives the native one. */
class RequestCopy implements Request {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: RequestHeaders;
  body = noBody;
  delivery: Delivery | null = null;
  #departure: Departure | null = null;
  #reason: CraError | null = null;
  readonly #findAddress: () => string;
  #address: string | null = null;

  constructor(
    known: Pick<Request, 'id' | 'method' | 'path' | 'query' | 'headers'>,
    findAddress: () => string,
  ) {
    this.id = known.id;
    this.method = known.method;
    this.path = known.path;
    this.query = known.query;
    this.headers = known.headers;
    this.#findAddress = findAddress;
  }

  /** A third of what uWebSockets.js takes for a request, and few reads want to know it. */
  get remoteAddress(): string {
    return this.keepAddress();
  }

  keepAddress(): string {
    this.#address ??= this.#findAddress();
    return this.#address;
  }

  /** Few requests are waited for in a way that can be stopped. */
  get gone(): StopSignal {
    if (this.#departure === null) {
      this.#departure = new Departure();
      if (this.#reason !== null) this.#departure.fire();
    }
    return this.#departure;
  }

  get signal(): AbortSignal {
    const { gone } = this;
    const controller = new AbortController();
    const abort = () => controller.abort(this.#reason);
    if (gone.aborted) abort();
    else gone.addEventListener('abort', abort, { once: true });
    return controller.signal;
  }

  /** The client went away. */
  leave(reason: CraError): void {
    this.#reason = reason;
    this.#departure?.fire();
  }
}

function noBody(): Promise<Uint8Array> {
  return Promise.resolve(NO_BODY);
}

/** Every header, for webhooks, whose kind shows in many. */
function allHeaders(req: UwsRequest): DeliveryHeaders {
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  req.forEach((name, value) => {
    if (values.has(name)) repeated.add(name);
    values.set(name, value);
  });
  return { values, repeated };
}

/** Payloads that the intake parses on this thread; larger ones go to another one. */
const READ_HERE_BYTES_MAX = BODY.SMALL_BYTES_MAX;
const ANSWERED = new CraError('CANCELLED', 'the request has been answered');
const NO_BODY = new Uint8Array(0);

function hasBody(headers: RequestHeaders): boolean {
  return Number(headers.contentLength) > 0 || headers.transferEncoding !== '';
}

interface ReplyManner {
  isHead: boolean;
  shallClose: boolean;
  onDone(): void;
}

function writeReply(res: UwsResponse, reply: Reply, manner: ReplyManner): void {
  const { isHead, shallClose, onDone } = manner;
  res.writeStatus(`${reply.status} ${STATUS_CODES[reply.status] ?? CLIENT_GONE}`);
  if (reply.status !== 304) res.writeHeader('Content-Type', reply.contentType);
  // Replies hold text from outside: no browser may take it for a page, or keep it.
  res.writeHeader('X-Content-Type-Options', 'nosniff');
  res.writeHeader('Cache-Control', reply.cacheControl ?? 'no-store');
  for (const [name, value] of reply.headers) {
    if (PRINTABLE.test(value)) res.writeHeader(name, value);
  }
  if (reply.status === 304) {
    if (shallClose) res.writeHeader('Connection', 'close');
    // With a length, even undefined, it names one.
    res.endWithoutBody();
  } else if (isHead) {
    res.endWithoutBody(Buffer.byteLength(reply.body), shallClose);
  } else if (reply.body.length <= HTTP.REPLY_STEP_BYTES) {
    res.end(reply.body, shallClose);
  } else {
    writeInSteps(res, Buffer.from(reply.body), onDone);
    return;
  }
  onDone();
}

/** Hands a large body over as fast as the client takes it, so that it is buffered only once. */
function writeInSteps(res: UwsResponse, body: Buffer, onDone: () => void): void {
  const start = res.getWriteOffset();
  const [, done] = res.tryEnd(body, body.length);
  if (done) {
    onDone();
    return;
  }
  res.onWritable((offset) => {
    const [ok, finished] = res.tryEnd(body.subarray(offset - start), body.length);
    if (finished) onDone();
    return ok;
  });
}

/** The one status (499) that no standard names. */
const CLIENT_GONE = 'Client Closed Request';
