import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 20;

/** Pids of the children of a process, of whichever of its threads (proc(5)). */
export function childrenOf(pid: number): number[] {
  let threads: string[];
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
  return threads.flatMap((thread) => {
    const children = read(`/proc/${pid}/task/${thread}/children`);
    return children.split(' ').filter(Boolean).map(Number);
  });
}

/**
 * Waits until none of the processes runs any more; resolves with those that do after `ms`. What is
 * dead and only waits for its parent, which may be another's, counts as gone.
 */
export async function waitUntilGone(pids: readonly number[], ms: number): Promise<number[]> {
  const end = performance.now() + ms;
  for (;;) {
    const alive = pids.filter(isRunning);
    if (alive.length === 0 || performance.now() > end) return alive;
    await delay(POLL_MS);
  }
}

function isRunning(pid: number): boolean {
  const stat = read(`/proc/${pid}/stat`);
  const state = stat.slice(stat.lastIndexOf(')') + 2)[0];
  return state !== undefined && state !== 'Z' && state !== 'X';
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
