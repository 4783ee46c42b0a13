import { type ChildProcess, fork } from 'node:child_process';
import { connect } from 'node:net';
import { isChildRequest } from './child-server.ts';

/**
 * The main thread's part in a thread's child: it forks it, knows its pid and ends it.
 *
 * A thread could fork by itself, but the process handle dies with the thread, and nobody reaps
 * the child then: every terminated thread would leave a zombie. The main thread outlives them.
 */
export interface ChildHost {
  /** Hands a thread's message over; messages that are not child requests are ignored. */
  receive(message: unknown): void;
  /** Kills the children of threads that are gone. */
  keepOnly(alive: readonly number[]): void;
  /** Pids of the children that run now. */
  pids(): number[];
  readonly started: number;
  close(): void;
}

export interface ChildHostOptions {
  entry: URL;
  oldSpaceMiB: number;
  /** Reports the end of a child, for log and metrics. */
  onExit(event: { pid: number; code: number | null; signal: string | null }): void;
}

/** Creates the host. Children connect to the Unix socket that their thread listens on. */
export function createChildHost(options: ChildHostOptions): ChildHost {
  const children = new Map<ChildProcess, number>();
  let started = 0;
  let closed = false;

  function start(threadId: number, socketPath: string): void {
    const child = fork(options.entry, [socketPath], {
      execArgv: [`--max-old-space-size=${options.oldSpaceMiB}`],
      // It reads hostile text: no secret of the environment is within its reach.
      env: {},
      // The parser prints its panics; they are counted by the exit signal instead.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    started += 1;
    children.set(child, threadId);
    const pid = child.pid ?? 0;
    let isConnected = false;
    child.once('message', () => {
      isConnected = true;
    });
    const end = () => {
      children.delete(child);
      // Its thread would wait for it: a connection that ends at once tells it not to.
      if (!isConnected && !closed) tellThread(socketPath);
    };
    child.on('error', end);
    child.on('exit', (code, signal) => {
      end();
      if (!closed) options.onExit({ pid, code, signal });
    });
  }

  function kill(owned: (threadId: number) => boolean): void {
    for (const [child, threadId] of children) {
      if (owned(threadId)) child.kill('SIGKILL');
    }
  }

  return {
    receive(message) {
      if (closed || !isChildRequest(message)) return;
      if (message.action === 'kill') kill((threadId) => threadId === message.threadId);
      else start(message.threadId, message.socketPath);
    },
    keepOnly: (alive) => kill((threadId) => !alive.includes(threadId)),
    pids: () => [...children.keys()].flatMap((child) => child.pid ?? []),
    get started() {
      return started;
    },
    close() {
      closed = true;
      kill(() => true);
    },
  };
}

function tellThread(socketPath: string): void {
  const socket = connect(socketPath);
  socket.on('error', () => undefined);
  socket.on('connect', () => socket.destroy());
}
