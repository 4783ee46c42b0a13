import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask, type Failure } from './api.ts';

/** Data of the service on a page: the newest that came, and why there is no newer. */
export interface Loaded<T> {
  data: Signal<T | null>;
  nextCursor: Signal<string | null>;
  failure: Signal<Failure | null>;
  isLoading: Signal<boolean>;
  reload(): void;
}

/** Loads `path` when it changes, and again by `reload`. Old data stays until newer comes. */
export function useLoaded<T>(path: string): Loaded<T> {
  const data = useSignal<T | null>(null);
  const nextCursor = useSignal<string | null>(null);
  const failure = useSignal<Failure | null>(null);
  const isLoading = useSignal(true);
  const round = useSignal(0);
  const { value: current } = round;
  useEffect(() => {
    const abort = new AbortController();
    const load = async () => {
      isLoading.value = true;
      const reply = await ask<T>(path, { signal: abort.signal });
      isLoading.value = false;
      if (reply.kind === 'data') {
        data.value = reply.data;
        nextCursor.value = reply.nextCursor;
        failure.value = null;
      } else if (reply.kind === 'failure') {
        failure.value = reply;
      }
    };
    load().catch(() => undefined);
    return () => abort.abort();
  }, [path, current]);
  return {
    ...{ data, nextCursor, failure, isLoading },
    reload() {
      round.value += 1;
    },
  };
}
