import { CraError, type StatusCode } from '../../model/errors.ts';
import { HTTP_STATUS } from '../../rpc/http-status.ts';

/** A refusal that only HTTP knows: its status is not one of the map from status codes. */
export class HttpRefusal extends CraError {
  readonly status: number;
  /** Extra reply headers; fixed names, values checked when they are written. */
  readonly headers: readonly (readonly [string, string])[];

  constructor(
    status: number,
    code: StatusCode,
    message: string,
    headers: readonly (readonly [string, string])[] = [],
  ) {
    super(code, message);
    this.status = status;
    this.headers = headers;
  }
}

/** 404 for a path that no route has. */
export function noSuchRoute(): HttpRefusal {
  return new HttpRefusal(404, 'NOT_FOUND', 'no such endpoint');
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

/** 408 for a body that comes too slowly. */
export function bodyTooSlow(bytesMin: number, windowMs: number): HttpRefusal {
  const message = `the body arrived too slowly: less than ${bytesMin} bytes in ${windowMs} ms`;
  return new HttpRefusal(408, 'DEADLINE_EXCEEDED', message);
}

/** 408 for a body that is not complete in time. */
export function bodyTooLate(deadlineMs: number): HttpRefusal {
  const message = `the body was not complete after ${deadlineMs} ms`;
  return new HttpRefusal(408, 'DEADLINE_EXCEEDED', message);
}

/** 429 for a caller that has used up its quota; it has some again after `waitMs`. */
export function tooManyRequests(what: string, waitMs: number): HttpRefusal {
  const seconds = Math.ceil(waitMs / 1000);
  const message = `${what} from one caller; send it again in ${seconds} s`;
  const retryAfter = ['Retry-After', String(seconds)] as const;
  return new HttpRefusal(429, 'RESOURCE_EXHAUSTED', message, [retryAfter]);
}

/** The HTTP status of any error. */
export function statusOf(error: CraError): number {
  return error instanceof HttpRefusal ? error.status : HTTP_STATUS[error.code];
}
