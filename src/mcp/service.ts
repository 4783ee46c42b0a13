import { readBody, startDeadline } from '../core/deadline.ts';

/** A request to the service. */
export interface ApiRequest {
  method: 'GET' | 'POST';
  /** Below `/api/cra/`, with its query. */
  path: string;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  /** Replaces the API token as the credential. */
  token?: string;
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** What came back: the service answered, or whether it got the request is not known. */
export type ApiReply =
  | { kind: 'data'; data: unknown; nextCursor: string | null }
  | { kind: 'refused'; status: number; error: string; details: Readonly<Record<string, unknown>> }
  /** Nothing was sent, or the connection was refused: the service changed nothing. */
  | { kind: 'not-sent'; error: string }
  /** Sent, but no readable answer came. */
  | { kind: 'unknown'; error: string };

/** The HTTP API of the service, as the tools call it. Never throws. */
export type CallApi = (request: ApiRequest) => Promise<ApiReply>;

export interface ServiceApiOptions {
  /** Null: the address cannot be used, for the reason in `baseUrlProblem`. */
  baseUrl: URL | null;
  baseUrlProblem: string;
  /** Empty: not found. */
  apiToken: string;
}

const TIMEOUT_MS = 30_000;
/** 50 RFCs with 500 findings each stay far below; a larger answer is not from this service. */
const REPLY_BYTES_MAX = 8 * 1024 * 1024;
const ERROR_CHARS_MAX = 500;

/** Creates the client. Redirects are not followed: a token goes to the configured address only. */
export function createServiceApi(options: ServiceApiOptions): CallApi {
  const { baseUrl, baseUrlProblem, apiToken } = options;
  return async ({ method, path, body, headers = {}, token, timeoutMs, signal }) => {
    if (baseUrl === null) return { kind: 'not-sent', error: baseUrlProblem };
    const credential = token ?? apiToken;
    if (credential === '') return { kind: 'not-sent', error: NO_TOKEN };
    const limit = startDeadline(timeoutMs ?? TIMEOUT_MS, signal === undefined ? [] : [signal]);
    try {
      const response = await fetch(new URL(`api/cra/${path}`, baseUrl), {
        method,
        redirect: 'error',
        headers: {
          ...headers,
          authorization: `Bearer ${credential}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: limit.signal,
      });
      const bytes = await readBody(response, limit.signal, REPLY_BYTES_MAX);
      return bytes === null ? tooLarge(baseUrl) : readReply(response.status, bytes);
    } catch (thrown) {
      return failure(thrown, baseUrl, limit.signal.aborted && signal?.aborted !== true);
    } finally {
      limit.clear();
    }
  };
}

const NO_TOKEN =
  'no API token was found: run "cra mcp login", or set CRA_MCP_TOKEN in the configuration of the ' +
  'tool server';

/** Errors of a connection that was never made: nothing reached the service. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function failure(thrown: unknown, baseUrl: URL, isLate: boolean): ApiReply {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? '';
  const at = baseUrl.origin;
  if (NOT_CONNECTED.has(code)) {
    const error = `could not connect to the service at ${at} (${code}): check CRA_BASE_URL and that the service runs`;
    return { kind: 'not-sent', error };
  }
  if (isLate) return { kind: 'unknown', error: `the service at ${at} did not answer in time` };
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return { kind: 'unknown', error: `the connection to ${at} broke${why}` };
}

function tooLarge({ origin }: URL): ApiReply {
  const error = `the answer from ${origin} is larger than ${REPLY_BYTES_MAX} bytes: check CRA_BASE_URL`;
  return { kind: 'unknown', error };
}

/** Accepts success with and without the envelope (specification, Errors: Response envelope). */
function readReply(status: number, bytes: Buffer): ApiReply {
  const json = parse(bytes);
  const envelope = isRecord(json) ? json : {};
  if (status < 200 || status > 299 || envelope['ok'] === false) {
    const said = typeof envelope['error'] === 'string' ? envelope['error'] : 'no reason given';
    const error = said.slice(0, ERROR_CHARS_MAX);
    const details = isRecord(envelope['details']) ? envelope['details'] : {};
    return { kind: 'refused', status, error, details };
  }
  if (json === undefined || typeof json !== 'object') {
    return { kind: 'unknown', error: 'the answer is not JSON: check CRA_BASE_URL' };
  }
  if (envelope['ok'] !== true) return { kind: 'data', data: json, nextCursor: null };
  const cursor = envelope['next_cursor'];
  return {
    kind: 'data',
    data: envelope['data'] ?? null,
    nextCursor: typeof cursor === 'string' ? cursor : null,
  };
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
