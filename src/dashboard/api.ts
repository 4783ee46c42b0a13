import { signal } from '@preact/signals';

/** What the service answered, or why there is no answer. */
export type Reply<T> = Answer<T> | Unchanged | Failure;

export interface Answer<T> {
  kind: 'data';
  data: T;
  nextCursor: string | null;
  etag: string | null;
}

/** The answer is still the one whose ETag was sent. */
export interface Unchanged {
  kind: 'unchanged';
}

/** A failure in words for the page. `status` 0: no answer came. */
export interface Failure {
  kind: 'failure';
  status: number;
  error: string;
  requestId: string | null;
  details: Readonly<Record<string, unknown>>;
  retryAfterSeconds: number | null;
}

export interface Ask {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  /** Asked by a timer, not by a person: it does not prolong the session. */
  isBackground?: boolean;
  /** Of the answer that is shown: an unchanged one comes without its data. */
  etag?: string | null;
}

/** Since when requests do not reach the service; null: the last one did. */
export const offlineSince = signal<number | null>(null);
/** The session ended while the page was open. */
export const isSessionOver = signal(false);

const TIMEOUT_MS = 70_000;

/** Sends one request to the API. Throws only when the caller aborts. */
export async function ask<T>(path: string, asked: Ask = {}): Promise<Reply<T>> {
  const { method = 'GET', body, headers = {}, signal: abort, isBackground, etag } = asked;
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(`/api/cra/${path}`, {
      method,
      headers: {
        ...headers,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(isBackground === true && { 'X-CRA-Background': '1' }),
        ...(etag && { 'If-None-Match': etag }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: abort === undefined ? limit : AbortSignal.any([limit, abort]),
    });
    offlineSince.value = null;
    if (response.status === 401 && path !== 'auth/session') isSessionOver.value = true;
    if (response.status === 304) return { kind: 'unchanged' };
    return await readReply<T>(response);
  } catch (thrown) {
    if (abort?.aborted === true) throw thrown;
    offlineSince.value ??= Date.now();
    return failure(0, 'The service does not answer. Check the connection.', {});
  }
}

async function readReply<T>(response: Response): Promise<Reply<T>> {
  const envelope = (await response.json().catch(() => null)) as Record<string, unknown> | null;
  if (response.ok && envelope?.['ok'] === true) {
    const cursor = envelope['next_cursor'];
    return {
      kind: 'data',
      data: envelope['data'] as T,
      nextCursor: typeof cursor === 'string' ? cursor : null,
      etag: response.headers.get('ETag'),
    };
  }
  const error = typeof envelope?.['error'] === 'string' ? envelope['error'] : response.statusText;
  const after = Number(response.headers.get('Retry-After') ?? Number.NaN);
  return {
    ...failure(response.status, error, envelope ?? {}),
    retryAfterSeconds: Number.isFinite(after) ? after : null,
  };
}

function failure(status: number, error: string, from: Record<string, unknown>): Failure {
  const { request_id: requestId, details } = from;
  return {
    ...{ kind: 'failure', status, error, retryAfterSeconds: null },
    requestId: typeof requestId === 'string' ? requestId : null,
    details: (details ?? {}) as Record<string, unknown>,
  };
}
