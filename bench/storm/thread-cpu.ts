import { readdirSync, readFileSync } from 'node:fs';

/** CPU seconds of a process by thread: the main thread has the id of the process (proc(5)). */
export function threadCpuSeconds(pid: number): Map<number, number> {
  const seconds = new Map<number, number>();
  for (const name of readdirSync(`/proc/${pid}/task`)) {
    try {
      const text = readFileSync(`/proc/${pid}/task/${name}/schedstat`, 'utf8');
      seconds.set(Number(name), Number(text.split(' ')[0]) / 1e9);
    } catch {
      // It ended meanwhile.
    }
  }
  return seconds;
}

/** What each thread used between two looks; the main thread first, then the busiest. */
export function threadCpuBetween(
  pid: number,
  before: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, number>,
): number[] {
  const used = (thread: number) => (after.get(thread) ?? 0) - (before.get(thread) ?? 0);
  const others = [...after.keys()].filter((thread) => thread !== pid).map(used);
  return [used(pid), ...others.sort((a, b) => b - a)];
}
