import { setMaxListeners } from 'node:events';

/**
 * A signal that fires on SIGINT or SIGTERM, so that a command can end in order; a second one ends
 * the process at once. Call `release` when the command is done.
 */
export function onInterrupt(): { signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  // Every request that runs listens to it.
  setMaxListeners(0, controller.signal);
  const abort = () => controller.abort();
  process.once('SIGINT', abort);
  process.once('SIGTERM', abort);
  return {
    signal: controller.signal,
    release() {
      process.off('SIGINT', abort);
      process.off('SIGTERM', abort);
    },
  };
}
