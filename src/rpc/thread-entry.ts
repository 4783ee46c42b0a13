import { fork } from 'node:child_process';
import { CraError } from '../model/errors.ts';

type WorkerName = 'scan' | 'ast' | 'store' | 'rules' | 'git' | 'git-launcher' | 'debug';

/**
 * Where a worker's entry module is. The only place that knows: URL strings are not rewritten by
 * tsc, and with `rootDir` "." the relative path is the same for sources and for dist. A bundle has
 * the workers beside it (tools/build-bundle.mjs).
 */
export function workerEntry(name: WorkerName): URL {
  const folder = import.meta.url.endsWith('/bundle/module.js') ? 'bundle' : 'workers';
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`../../${folder}/${name}.${extension}`, import.meta.url);
}

/** Watches over a process; `giveUp` is called with why it is not waited for any longer. */
type Watch = (pid: number, giveUp: (why: string) => void) => () => void;

/**
 * Runs an entry module in a process of its own: sends it one message, resolves with the one it
 * answers, and ends it. Rejects with ABORTED when it ends without an answer (a crash costs only
 * that process) and with DEADLINE_EXCEEDED when `watch` gives it up; what `watch` returns is called
 * at the end.
 */
export function runInChild(entry: URL, input: unknown, watch: Watch): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const child = fork(entry, [], {
      serialization: 'advanced',
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const stopWatching = watch(child.pid ?? 0, (why) => {
      end(() => reject(new CraError('DEADLINE_EXCEEDED', why)));
    });
    const end = (settle: () => void) => {
      stopWatching();
      child.kill('SIGKILL');
      settle();
    };
    child.on('message', (message) => end(() => resolve(message)));
    child.on('error', (error) => end(() => reject(CraError.fromUnknown(error))));
    child.on('exit', (code, signal) => {
      const how = signal ?? `code ${code}`;
      end(() => reject(new CraError('ABORTED', `the process ended by ${how}`)));
    });
    child.send(input as Parameters<typeof child.send>[0]);
  });
}

/** The child's end of `runInChild`. */
export function serveOneShot(handle: (input: unknown) => Promise<unknown>): void {
  process.once('message', async (input) => {
    process.send?.((await handle(input)) as Parameters<NonNullable<typeof process.send>>[0]);
  });
}
