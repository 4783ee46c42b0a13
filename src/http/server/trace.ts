import type { RequestHeaders } from './request-headers.ts';

/** Names of a request in logs and exemplars. */
export interface RequestIds {
  /** As error answers name it. */
  request_id: string;
  /** Of the trace that its client belongs to; absent: the client named none. */
  trace_id?: string;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;
const ZEROS = /^0+$/;

/**
 * The trace id in a `traceparent` (W3C Trace Context, 3.2 and 4.3); null where there is none or it
 * is not valid: then it counts as absent. Later versions may add fields; version ff is forbidden.
 */
export function traceIdOf(traceparent: string): string | null {
  const [, version, traceId = '', parentId = '', more] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || version === 'ff') return null;
  if (version === '00' && more !== undefined) return null;
  return ZEROS.test(traceId) || ZEROS.test(parentId) ? null : traceId;
}

/** The names of a request with this id. */
export function idsOf(request_id: string, headers: RequestHeaders | null): RequestIds {
  const trace_id = headers === null ? null : traceIdOf(headers.traceparent);
  return trace_id === null ? { request_id } : { request_id, trace_id };
}

/** An exemplar may have 128 characters in all (OpenMetrics 1.0, "Exemplars"). */
const PROXY_ID = /^[\w.:-]{1,64}$/;

/** The request id that a proxy of ours has given; anything but a short plain name is ignored. */
export function proxyIdOf(header: string): string | null {
  return PROXY_ID.test(header) ? header : null;
}
