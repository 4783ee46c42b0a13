import { type ChildProcess, fork, spawn } from 'node:child_process';
import { workerEntry } from '../rpc/thread-entry.ts';
import { GIT } from './limits.ts';

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

/**
 * A few kilobytes of a repository may unfold to any size, and nothing else bounds that: a tree that
 * names another one ten times, ten levels deep, or a file of line breaks. RLIMIT_DATA leaves out
 * the packs that git maps. A lower limit that is set already stays.
 */
const LIMITED = 'ulimit -d "$0" 2>/dev/null; exec git "$@"';

/** The end of the launcher's process: starts commands; `close` ends all of them. */
export function serveLaunches(channel: { send(report: LaunchReport): void }): {
  start(request: LaunchRequest): void;
  close(): void;
} {
  const groups = new Set<number>();
  return {
    start({ id, args, cwd, env, input, memoryMax }) {
      // A group of its own: git starts others, and all of them end together.
      const child = spawn('/bin/sh', ['-c', LIMITED, String(memoryMax / 1024), ...args], {
        cwd,
        env,
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      const { pid } = child;
      if (pid !== undefined) {
        groups.add(pid);
        channel.send({ id, kind: 'started', pid });
      }
      child.stdout.on('data', (bytes: Buffer) => channel.send({ id, kind: 'stdout', bytes }));
      child.stderr.on('data', (bytes: Buffer) => channel.send({ id, kind: 'stderr', bytes }));
      // Git may end before it has read all of it.
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
      child.on('error', (error: NodeJS.ErrnoException) => {
        channel.send({ id, kind: 'failed', code: error.code ?? null });
      });
      child.on('close', (code, signal) => {
        if (pid !== undefined) groups.delete(pid);
        channel.send({ id, kind: 'closed', code, signal });
      });
    },
    close() {
      for (const pid of groups) killGroup(pid);
    },
  };
}

/**
 * The process groups that a thread has started and that may still run, in shared memory: a thread
 * that is terminated runs no code of its own any more, so its starter ends its processes.
 */
export function createGroups(): SharedArrayBuffer {
  return new SharedArrayBuffer(GIT.GROUPS_MAX * Int32Array.BYTES_PER_ELEMENT);
}

/** Notes a group. Returns what takes it out again; null: the list is full. */
export function noteGroup(groups: SharedArrayBuffer, pid: number): (() => void) | null {
  const slots = new Int32Array(groups);
  const free = slots.indexOf(0);
  if (free < 0) return null;
  Atomics.store(slots, free, pid);
  return () => void Atomics.store(slots, free, 0);
}

/** Ends every group that is noted. */
export function killGroups(groups: SharedArrayBuffer): void {
  for (const pid of new Int32Array(groups)) {
    if (pid > 0) killGroup(pid);
  }
}

/** Ends a group at once; no matter whether it is there still. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // ESRCH: all of it has ended.
  }
}
