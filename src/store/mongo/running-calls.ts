import { CraError } from '../../model/errors.ts';

/** Runs a write that disconnecting waits for. */
export type Track = <Output>(write: () => Promise<Output>) => Promise<Output>;

/** Knows what runs; `drained` refuses more and resolves when all is settled. */
export function createRunningCalls(): { track: Track; drained(): Promise<void> } {
  const running = new Set<Promise<unknown>>();
  let isClosed = false;
  return {
    track(write) {
      if (isClosed) return Promise.reject(new CraError('UNAVAILABLE', 'the store is closing'));
      const result = write();
      running.add(result);
      const done = () => running.delete(result);
      result.then(done, done);
      return result;
    },
    async drained() {
      isClosed = true;
      await Promise.allSettled(running);
    },
  };
}
