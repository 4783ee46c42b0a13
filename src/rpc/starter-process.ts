import { type ChildProcess, fork } from 'node:child_process';
import { workerEntry } from './thread-entry.ts';

/** Forks the small process that starts git for a thread. It ends when its channel does. */
export function forkStarter(): ChildProcess {
  const child = fork(workerEntry('git-starter'), [], {
    execArgv: [],
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // What git says is bytes.
    serialization: 'advanced',
  });
  child.unref();
  return child;
}
