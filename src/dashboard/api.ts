import { type Signal, signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/** What the service answered, or why there is no answer. */
export type Reply<T> = Answer<T> | Unchanged | Failure;

export interface Answer<T> {
  kind: 'data';
  data: T;
  nextCursor: string | null;
  etag: string | null;
}

/** The answer still has the ETag that was sent. */
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
    kind: 'failure',
    status,
    error,
    retryAfterSeconds: null,
    requestId: typeof requestId === 'string' ? requestId : null,
    details: (details ?? {}) as Record<string, unknown>,
  };
}

/** Data of the service on a page: the newest that came, and why there is no newer. */
export interface Loaded<T> {
  data: Signal<T | null>;
  nextCursor: Signal<string | null>;
  failure: Signal<Failure | null>;
  isLoading: Signal<boolean>;
  /** Asks again. `isBackground`: a timer asks, and the session is not prolonged. */
  reload(isBackground?: boolean): void;
}

/**
 * Loads `path` when it changes, and again by `reload`. Old data stays until newer comes; null loads
 * nothing.
 */
export function useLoaded<T>(path: string | null): Loaded<T> {
  const data = useSignal<T | null>(null);
  const nextCursor = useSignal<string | null>(null);
  const failure = useSignal<Failure | null>(null);
  const isLoading = useSignal(path !== null);
  const round = useSignal({ isBackground: false });
  const known = useRef<{ path: string | null; etag: string | null }>({ path: null, etag: null });
  const { value: current } = round;
  useEffect(() => {
    if (path === null) return;
    const abort = new AbortController();
    const load = async () => {
      isLoading.value = true;
      const etag = known.current.path === path ? known.current.etag : null;
      const reply = await ask<T>(path, { signal: abort.signal, etag, ...current });
      isLoading.value = false;
      failure.value = reply.kind === 'failure' ? reply : null;
      if (reply.kind !== 'data') return;
      known.current = { path, etag: reply.etag };
      data.value = reply.data;
      nextCursor.value = reply.nextCursor;
    };
    load().catch(() => undefined);
    return () => abort.abort();
  }, [path, current]);
  const reload = (isBackground = false) => {
    round.value = { isBackground };
  };
  // What did not reach the service is asked for again once something does.
  const isBack = failure.value?.status === 0 && offlineSince.value === null;
  useEffect(() => {
    if (isBack) reload(true);
  }, [isBack]);
  return { data, nextCursor, failure, isLoading, reload };
}

/** A list that comes in parts: what has come, and a way to the older rows. */
export interface LoadedList<T> {
  rows: T[] | null;
  failure: Signal<Failure | null>;
  isLoading: boolean;
  /** The rows were read again: not for the first time, and no older ones. */
  isReread: boolean;
  hasOlder: boolean;
  loadOlder(): Promise<void>;
  reload(isBackground?: boolean): void;
}

/**
 * Loads the first `parts` of a list at `path` (`name?query`), which are shown together, and older
 * rows when asked.
 */
export function useLoadedList<T>(path: string, parts = 1): LoadedList<T> {
  const { data, nextCursor, failure, isLoading, reload } = useLoaded<T[]>(path);
  const loaded = useSignal<Pick<LoadedList<T>, 'rows' | 'isReread'> & { cursor: string | null }>({
    rows: null,
    cursor: null,
    isReread: false,
  });
  const shownPath = useRef<string | null>(null);

  /** The rows and the next part; null: it failed, and `failure` says why. */
  async function withNext({ rows, cursor }: typeof loaded.value) {
    const separator = path.includes('?') ? '&' : '?';
    const next = `${path}${separator}cursor=${encodeURIComponent(cursor ?? '')}`;
    const reply = await ask<T[]>(next);
    if (reply.kind === 'failure') failure.value = reply;
    if (reply.kind !== 'data') return null;
    return { rows: [...(rows ?? []), ...reply.data], cursor: reply.nextCursor, isReread: false };
  }

  useEffect(() => {
    if (data.value === null) return;
    let isOld = false;
    const load = async () => {
      const isReread = shownPath.current === path;
      let all: typeof loaded.value = { rows: data.value, cursor: nextCursor.value, isReread };
      // The first part at once; but a list that is read again keeps its length.
      if (!isReread) loaded.value = all;
      shownPath.current = path;
      for (let part = 1; part < parts && all.cursor !== null; part += 1) {
        const next = await withNext(all);
        if (isOld || next === null) break;
        all = { ...next, isReread };
      }
      if (!isOld) loaded.value = all;
    };
    void load();
    return () => {
      isOld = true;
    };
  }, [data.value]);
  return {
    failure,
    reload,
    isLoading: isLoading.value || (loaded.value.rows === null && data.value !== null),
    isReread: loaded.value.isReread,
    hasOlder: loaded.value.cursor !== null,
    rows: loaded.value.rows,
    async loadOlder() {
      const before = data.value;
      const next = await withNext(loaded.value);
      // A list that was read again meanwhile has other rows before these.
      if (next !== null && data.value === before) loaded.value = next;
    },
  };
}
