import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** CPU time of each thread of a process until now, in us, by thread id; 0: it can't be seen. */
export function threadCpuUs(pid: number): Map<number, number> {
  const used = new Map<number, number>();
  for (const thread of threadsOf(pid)) used.set(thread, cpuUs(pid, thread));
  return used;
}

/** What the threads of `after` used since `before`, the busiest first. */
export function usedBetween(
  before: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, number>,
): { thread: number; us: number }[] {
  const used = [...after].map(([thread, us]) => ({ thread, us: us - (before.get(thread) ?? 0) }));
  return used.sort((a, b) => b.us - a.us);
}

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}

/** The first number is ns on a processor (Documentation/scheduler/sched-stats.rst). */
function cpuUs(pid: number, thread: number): number {
  try {
    return (
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e3
    );
  } catch {
    return 0;
  }
}

/** What a thread is for; `other` are those of V8 and libuv, and what has no row of its own. */
export const THREAD_KINDS = ['main', 'scan', 'writer', 'reader', 'other'] as const;
export type ThreadKind = (typeof THREAD_KINDS)[number];

/** The option of node with which the threads of a process leave their names in `directory`. */
export function namingOption(directory: string): string {
  const url = new URL('./name-thread.js', import.meta.url);
  url.searchParams.set('directory', directory);
  return `--import=${url.href}`;
}

/** CPU time by kind of thread, in us, of a process that was started with `namingOption`. */
export function cpuByKind(pid: number, directory: string): Record<ThreadKind, number> {
  const sums = { main: 0, scan: 0, writer: 0, reader: 0, other: 0 };
  for (const [thread, us] of threadCpuUs(pid)) sums[kindOf(pid, thread, directory)] += us;
  return sums;
}

function kindOf(pid: number, thread: number, directory: string): ThreadKind {
  if (thread === pid) return 'main';
  let name: string;
  try {
    name = readFileSync(join(directory, `${pid}-${thread}`), 'utf8');
  } catch {
    return 'other';
  }
  if (name === 'reader') return 'reader';
  if (name === 'writer' || name.endsWith('/writer-thread.js')) return 'writer';
  return name.includes('/piscina/') ? 'scan' : 'other';
}
