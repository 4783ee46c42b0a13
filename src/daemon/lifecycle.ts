const SECOND_MS = 1000;

export const LIFECYCLE = {
  /** SIGTERM to exit: requests in flight get this long. */
  SHUTDOWN_DEADLINE_MS: 30 * SECOND_MS,
} as const;

export interface Lifecycle {
  /** Registers what to do at the end; the last registered is done first. */
  onStop(name: string, stop: () => Promise<void> | void): void;
  /** Stops everything once; later calls get the same promise. Resolves with the exit code. */
  stop(): Promise<number>;
}

export interface LifecycleOptions {
  /** Receives every step, and of those that failed or were not done in time. */
  onStep(step: string, error: unknown): void;
  deadlineMs?: number;
}

/**
 * Ordered stop under one deadline. Steps run one after the other; a step that fails does not
 * keep the next from running. When the deadline passes, what is left is skipped and the code is 1.
 */
export function createLifecycle(options: LifecycleOptions): Lifecycle {
  const steps: { name: string; stop: () => Promise<void> | void }[] = [];
  let stopping: Promise<number> | null = null;

  async function runSteps(): Promise<number> {
    let code = 0;
    for (const step of steps.reverse()) {
      if (!(await runStep(step))) code = 1;
    }
    return code;
  }

  async function runStep({ name, stop }: (typeof steps)[number]): Promise<boolean> {
    try {
      await stop();
      options.onStep(name, null);
      return true;
    } catch (error) {
      options.onStep(name, error);
      return false;
    }
  }

  async function withDeadline(): Promise<number> {
    const deadlineMs = options.deadlineMs ?? LIFECYCLE.SHUTDOWN_DEADLINE_MS;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<number>((resolve) => {
      timer = setTimeout(() => {
        options.onStep('deadline', new Error(`not stopped after ${deadlineMs} ms`));
        resolve(1);
      }, deadlineMs);
    });
    const code = await Promise.race([runSteps(), late]);
    clearTimeout(timer);
    return code;
  }

  return {
    onStop(name, stop) {
      // What came up while everything else already went down goes down at once.
      if (stopping !== null) void runStep({ name, stop });
      else steps.push({ name, stop });
    },
    stop() {
      stopping ??= withDeadline();
      return stopping;
    },
  };
}
