import { readdirSync, readFileSync } from 'node:fs';

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
