const SECOND_MS = 1000;

export const LIFECYCLE = {
  /** A start that is asked to stop may end first; with the stop it is below TimeoutStopSec. */
  START_GRACE_MS: 5 * SECOND_MS,
  /** SIGTERM to exit: requests in flight get this long. */
  SHUTDOWN_DEADLINE_MS: 30 * SECOND_MS,
  /**
   * A job past its own deadline, or a thread without an answer, for so long: systemd is not
   * notified any more, and restarts the daemon.
   */
  STUCK_MS: 10 * SECOND_MS,
} as const;

export interface Lifecycle {
  /** Registers what to do at the end; the last registered is done first. */
  onStop(name: string, stop: () => Promise<void> | void): void;
  /** Registers what has to go on: `lateMs` says for how long, in ms, it does not. */
  onLook(name: string, lateMs: () => number): void;
  /** What has not gone on for `LIFECYCLE.STUCK_MS`, in words; null: everything does. */
  stuck(): string | null;
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
  const looks: { name: string; lateMs: () => number }[] = [];
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
    onLook: (name, lateMs) => looks.push({ name, lateMs }),
    stuck() {
      const late = looks.map(({ name, lateMs }) => ({ name, ms: lateMs() }));
      const found = late.find(({ ms }) => ms >= LIFECYCLE.STUCK_MS);
      if (found === undefined || stopping !== null) return null;
      return `${found.name} has not gone on for ${Math.round(found.ms / 1000)} s`;
    },
    stop() {
      stopping ??= withDeadline();
      return stopping;
    },
  };
}
