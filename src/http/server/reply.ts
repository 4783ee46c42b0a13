import { createHash } from 'node:crypto';
import { CraError, type StatusCode } from '../../model/errors.ts';
import { HTTP } from './limits.ts';

/** What a handler answers; the exchange writes it. */
export interface Reply {
  status: number;
  contentType: string;
  body: string | Uint8Array;
  headers: readonly (readonly [string, string])[];
  /** Absent: no-store, as replies hold what only this caller may see. */
  cacheControl?: string;
  /** The connection ends with it. */
  endsConnection?: boolean;
}

const JSON_TYPE = 'application/json';
const DATA_START = Buffer.from('{"ok":true,"data":');
const DATA_END = Buffer.from('}');

/** 200 with `{ok: true, data}` around JSON that is there already, as text or bytes. */
export function dataReply(json: string | Uint8Array, extra = ''): Reply {
  const body =
    typeof json === 'string'
      ? `{"ok":true,"data":${json}${extra}}`
      : Buffer.concat([DATA_START, json, Buffer.from(extra), DATA_END]);
  return { status: 200, contentType: JSON_TYPE, body, headers: [] };
}

/** 200 with a body of its own type, without the envelope. */
export function documentReply(contentType: string, body: string | Uint8Array): Reply {
  return { status: 200, contentType, body, headers: [] };
}

/** An ETag of a body: 128 bits of its SHA-256, quoted. */
export function tagOf(...texts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text);
  return `"${hash.digest('base64url').slice(0, 22)}"`;
}

/**
 * The reply with the ETag of what it shows; 304 without it where the caller has that already
 * (RFC 9110, 13.1.2). `reply` is made only when it is sent.
 */
export function taggedReply(tag: string, ifNoneMatch: string, reply: () => Reply): Reply {
  const headers = [['ETag', tag]] as const;
  const known = ifNoneMatch.split(',').map((one) => one.trim().replace(/^W\//, ''));
  if (known.includes(tag)) return { status: 304, contentType: JSON_TYPE, body: '', headers };
  const made = reply();
  return { ...made, headers: [...made.headers, ...headers] };
}

/** The failure envelope: `{ok: false, error, code, request_id}` and, where there are, `details`. */
export function errorReply(error: CraError, requestId: string): Reply {
  const status = statusOf(error);
  const { code = error.code, ...rest } = error.details;
  const details = Object.keys(rest).length > 0 ? { details: rest } : {};
  const body = JSON.stringify({
    ok: false,
    error: error.message,
    code,
    request_id: requestId,
    ...details,
  });
  const headers: (readonly [string, string])[] =
    error instanceof HttpRefusal ? [...error.headers] : [];
  if (status === 503) headers.push(retryAfter(HTTP.RETRY_AFTER_SECONDS));
  const endsConnection = error instanceof HttpRefusal && error.endsConnection;
  return { status, contentType: JSON_TYPE, body, headers, endsConnection };
}

/** A refusal that only HTTP knows: its status is not one of the map from status codes. */
export class HttpRefusal extends CraError {
  readonly status: number;
  /** Extra reply headers; fixed names, values checked when they are written. */
  readonly headers: readonly (readonly [string, string])[];
  /** The connection is not good for another request. */
  readonly endsConnection: boolean;

  constructor(
    status: number,
    code: StatusCode,
    message: string,
    headers: readonly (readonly [string, string])[] = [],
    endsConnection = false,
  ) {
    super(code, message);
    this.status = status;
    this.headers = headers;
    this.endsConnection = endsConnection;
  }
}

/** 404 for a path that no route has. */
export function noSuchRoute(): HttpRefusal {
  return new HttpRefusal(404, 'NOT_FOUND', 'no such endpoint');
}

/** 404 for a file that is not there. */
export function notFound(message: string): HttpRefusal {
  return new HttpRefusal(404, 'NOT_FOUND', message);
}

/** 405, with the methods that the path has. */
export function methodNotAllowed(allow: readonly string[]): HttpRefusal {
  const methods = allow.join(', ');
  return new HttpRefusal(405, 'UNIMPLEMENTED', `method not allowed; this endpoint has ${methods}`, [
    ['Allow', methods],
  ]);
}

/** 413 for a body above its limit. */
export function bodyTooLarge(bytesMax: number): HttpRefusal {
  return new HttpRefusal(413, 'OUT_OF_RANGE', `the body is larger than ${bytesMax} bytes`);
}

/** 431 for a request line and headers above their limit. */
export function headersTooLarge(bytesMax: number): HttpRefusal {
  const message = `request line and headers are larger than ${bytesMax} bytes`;
  return new HttpRefusal(431, 'OUT_OF_RANGE', message);
}

/** 400 for a header that may stand only once (RFC 9112, 3.2 and 6.3). */
export function headerGivenTwice(name: string): HttpRefusal {
  return badFraming(`${name} is given twice`);
}

/** 400: where the request ends and the next begins would be a guess, so the connection ends too. */
export function badFraming(message: string): HttpRefusal {
  return new HttpRefusal(400, 'INVALID_ARGUMENT', message, [], true);
}

/** 421 for a request to a name that is not ours (RFC 9110, 15.5.20). */
export function foreignHost(): HttpRefusal {
  const message =
    'without authentication only localhost, 127.0.0.1, [::1] and the host of SERVICE_BASE_URL ' +
    'are served; set SERVICE_BASE_URL or switch authentication on';
  return new HttpRefusal(421, 'FAILED_PRECONDITION', message);
}

const ADDRESS_BUSY_SECONDS = 5;

/** 429 for an address with too many bytes of bodies that are not proven by a signature yet. */
export function addressTooBusy(): HttpRefusal {
  const message = 'too many bytes from this address have no valid credential yet; try again in 5 s';
  return tooMany(message, ADDRESS_BUSY_SECONDS);
}

/** 408 for a body that comes too slowly. */
export function bodyTooSlow(bytesMin: number, windowMs: number): HttpRefusal {
  const message = `the body arrived too slowly: less than ${bytesMin} bytes in ${windowMs} ms`;
  return new HttpRefusal(408, 'DEADLINE_EXCEEDED', message, [], true);
}

/** 408 for a body that is not complete in time. */
export function bodyTooLate(deadlineMs: number): HttpRefusal {
  const message = `the body was not complete after ${deadlineMs} ms`;
  return new HttpRefusal(408, 'DEADLINE_EXCEEDED', message, [], true);
}

/** 429 for a caller that has used up its quota; it has some again after `waitMs`. */
export function tooManyRequests(what: string, waitMs: number): HttpRefusal {
  const seconds = Math.ceil(waitMs / 1000);
  return tooMany(`${what} from one caller; send it again in ${seconds} s`, seconds);
}

/** 429 for an address that sent too many wrong credentials. */
export function tooManyFailures(seconds: number): HttpRefusal {
  const message = `too many wrong credentials from this address; try again in ${seconds} s`;
  return tooMany(message, seconds);
}

function tooMany(message: string, seconds: number): HttpRefusal {
  return new HttpRefusal(429, 'RESOURCE_EXHAUSTED', message, [retryAfter(seconds)]);
}

/** When a caller may come again (RFC 9110, 10.2.3). */
export function retryAfter(seconds: number): readonly [string, string] {
  return ['Retry-After', String(seconds)];
}

/** The HTTP status of any error. */
export function statusOf(error: CraError): number {
  if (error instanceof HttpRefusal) return error.status;
  // It was there, and its place is known.
  return error.details['code'] === 'archived' ? 410 : HTTP_STATUS[error.code];
}

/**
 * The one map from status codes to HTTP, after google.rpc.Code's own
 * (https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto), with two changes:
 * ABORTED and FAILED_PRECONDITION are conflicts with the state of an RFC (spec, Errors: 409), and
 * RESOURCE_EXHAUSTED is overload: 503 with Retry-After.
 */
const HTTP_STATUS = {
  CANCELLED: 499,
  UNKNOWN: 500,
  INVALID_ARGUMENT: 400,
  DEADLINE_EXCEEDED: 504,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  PERMISSION_DENIED: 403,
  RESOURCE_EXHAUSTED: 503,
  FAILED_PRECONDITION: 409,
  ABORTED: 409,
  OUT_OF_RANGE: 400,
  UNIMPLEMENTED: 501,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  DATA_LOSS: 500,
  UNAUTHENTICATED: 401,
} as const satisfies Record<StatusCode, number>;
