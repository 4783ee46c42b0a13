import { TRAIL } from './limits.ts';

/** When the newest entries of a chain get their signed root. */
export interface CheckpointTimer {
  /** Entries have become durable. */
  notice(): void;
  /** Begins no more checkpoints; resolves when the running one has ended. */
  stop(): Promise<void>;
}

export interface CheckpointTimerOptions {
  /** How many entries of the chain stand behind its newest checkpoint. */
  unsealed(): number;
  /** Writes a checkpoint, if there are such entries. */
  write(): Promise<void>;
  /** Bounds that tests set; `limits.ts` otherwise. */
  entries?: number | undefined;
  intervalMs?: number | undefined;
}

/**
 * Has a checkpoint written after so many entries, and after a time when there are any. A checkpoint
 * that fails is tried again after that time: its entries stand all the same.
 */
export function createCheckpointTimer(options: CheckpointTimerOptions): CheckpointTimer {
  const { unsealed, write } = options;
  const { entries = TRAIL.CHECKPOINT_ENTRIES, intervalMs = TRAIL.CHECKPOINT_INTERVAL_MS } = options;
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  let isStopped = false;

  function stopTimer(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  }

  // It does not keep the thread alive: the end of the chain gets its checkpoint at a stop.
  function later(): void {
    if (!isStopped) timer ??= setTimeout(begin, intervalMs).unref();
  }

  function begin(): void {
    stopTimer();
    running ??= write().then(
      () => {
        running = null;
        notice();
      },
      () => {
        running = null;
        later();
      },
    );
  }

  function notice(): void {
    const count = unsealed();
    if (running !== null || isStopped || count === 0) return;
    if (count >= entries) begin();
    else later();
  }

  return {
    notice,
    async stop() {
      isStopped = true;
      stopTimer();
      await running;
    },
  };
}
