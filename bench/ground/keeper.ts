import { type ChildProcess, fork } from 'node:child_process';

/** Ground process to keeper. */
export type KeeperRequest =
  | { kind: 'fork'; id: number; mode: 'wait' | 'spin'; socketPath: string }
  | { kind: 'kill'; id: number };

/** Keeper to ground process. */
export type KeeperEvent = { kind: 'forked' | 'exited'; id: number };

/**
 * A small process that forks children for the threads of a big one: it waits for them when they
 * end, which the loop of a lost thread no longer can, and its own fork is cheap.
 */
const children = new Map<number, ChildProcess>();
process.on('disconnect', () => process.exit(0));
process.on('message', (request: KeeperRequest) => {
  if (request.kind === 'kill') children.get(request.id)?.kill('SIGKILL');
  else forkChild(request);
});

function forkChild({ id, mode, socketPath }: KeeperRequest & { kind: 'fork' }): void {
  const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  const child = fork(new URL(`./doomed-child${extension}`, import.meta.url), [mode, socketPath]);
  children.set(id, child);
  child.on('exit', () => {
    children.delete(id);
    send({ kind: 'exited', id });
  });
  send({ kind: 'forked', id });
}

function send(event: KeeperEvent): void {
  process.send?.(event);
}
