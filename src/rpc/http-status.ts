import type { StatusCode } from '../model/errors.ts';

/**
 * The one map from status codes to HTTP, after google.rpc.Code's own
 * (https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto), with two changes:
 * ABORTED and FAILED_PRECONDITION are conflicts with the state of an RFC (spec, Errors: 409), and
 * RESOURCE_EXHAUSTED is overload: 503 with Retry-After.
 */
export const HTTP_STATUS = {
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
