import { type ChildProcess, fork } from 'node:child_process';
import { workerEntry } from '../rpc/thread-entry.ts';

/**
 * Starts git from a process of its own (workers/git-launcher). To fork the daemon itself the system
 * copies the page tables of all its memory, and holds its threads up meanwhile: 10 ms of CPU at
 * 450 MB of memory against 1.5 ms from a small process.
 */
export interface GitLauncher {
  start(command: Omit<LaunchRequest, 'id'>, onReport: (report: LaunchReport) => void): void;
  /** Ends the process and, with it, all that it has started. */
  close(): void;
}

/** A command for the launcher's process. */
export interface LaunchRequest {
  id: number;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  input: Uint8Array;
  /** Bytes of memory that each process may take for its data. */
  memoryMax: number;
}

export type LaunchReport = { id: number } & (
  | { kind: 'started'; pid: number }
  | { kind: 'stdout'; bytes: Uint8Array }
  | { kind: 'stderr'; bytes: Uint8Array }
  /** It could not be started; `code` as the system names it. */
  | { kind: 'failed'; code: string | null }
  /** It has ended, and all of its output was reported. */
  | { kind: 'closed'; code: number | null; signal: string | null }
);

/** Creates a launcher; its process begins with the first command, and again where it was lost. */
export function createGitLauncher(): GitLauncher {
  const running = new Map<number, (report: LaunchReport) => void>();
  let child: ChildProcess | null = null;
  let nextId = 1;

  function report(message: LaunchReport): void {
    const onReport = running.get(message.id);
    if (message.kind === 'closed') forget(message.id);
    onReport?.(message);
  }

  function forget(id: number): void {
    running.delete(id);
    // It keeps the thread alive only while there is something to wait for.
    if (running.size === 0) child?.channel?.unref();
  }

  function open(): ChildProcess {
    const fresh = forkLauncher();
    fresh.on('message', report);
    const lose = () => {
      if (child === fresh) child = null;
      for (const id of [...running.keys()]) {
        report({ id, kind: 'failed', code: null });
        report({ id, kind: 'closed', code: null, signal: null });
      }
    };
    fresh.on('error', lose);
    fresh.on('exit', lose);
    return fresh;
  }

  return {
    start(command, onReport) {
      child ??= open();
      const id = nextId++;
      running.set(id, onReport);
      child.channel?.ref();
      // A channel that is gone is reported by `exit`.
      child.send({ id, ...command } satisfies LaunchRequest, () => undefined);
    },
    close() {
      if (child?.connected) child.disconnect();
    },
  };
}

/** The process ends when its channel does. */
function forkLauncher(): ChildProcess {
  const child = fork(workerEntry('git-launcher'), [], {
    execArgv: [],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Output of git is bytes.
    serialization: 'advanced',
  });
  child.unref();
  return child;
}
