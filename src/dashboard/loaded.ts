import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ask, type Failure } from './api.ts';

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
  return {
    ...{ data, nextCursor, failure, isLoading },
    reload(isBackground = false) {
      round.value = { isBackground };
    },
  };
}

/** A list that comes in parts: what has come, and a way to the older rows. */
export interface LoadedList<T> {
  rows: T[] | null;
  failure: Signal<Failure | null>;
  isLoading: boolean;
  hasOlder: boolean;
  loadOlder(): Promise<void>;
  reload(isBackground?: boolean): void;
}

/** Loads the first part of a list at `path` (`name?query`), and older ones when asked. */
export function useLoadedList<T>(path: string): LoadedList<T> {
  const { data, nextCursor, failure, isLoading, reload } = useLoaded<T[]>(path);
  const older = useSignal<T[]>([]);
  const cursor = useSignal<string | null>(null);
  useEffect(() => {
    older.value = [];
    cursor.value = nextCursor.value;
  }, [data.value]);
  return {
    ...{ failure, reload, isLoading: isLoading.value, hasOlder: cursor.value !== null },
    rows: data.value === null ? null : [...data.value, ...older.value],
    async loadOlder() {
      const separator = path.includes('?') ? '&' : '?';
      const reply = await ask<T[]>(
        `${path}${separator}cursor=${encodeURIComponent(cursor.value ?? '')}`,
      );
      if (reply.kind === 'failure') failure.value = reply;
      if (reply.kind !== 'data') return;
      older.value = [...older.value, ...reply.data];
      cursor.value = reply.nextCursor;
    },
  };
}
