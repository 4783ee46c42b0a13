import type { CraError } from '../../model/errors.ts';
import { HTTP } from './limits.ts';
import { HttpRefusal, statusOf } from './refusal.ts';

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
  if (status === 503) headers.push(['Retry-After', String(HTTP.RETRY_AFTER_SECONDS)]);
  const endsConnection = error instanceof HttpRefusal && error.endsConnection;
  return { status, contentType: JSON_TYPE, body, headers, endsConnection };
}
