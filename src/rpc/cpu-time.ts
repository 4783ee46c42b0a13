import { readFileSync } from 'node:fs';

/** Clock ticks a second in /proc, which Linux fixes at 100 for user space (man 5 proc). */
const TICK_MS = 10;

/**
 * CPU time that a process has used so far, in ms; null where the system has no /proc or the
 * process is gone.
 */
export function cpuTimeMs(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name before may hold anything; fields 14 and 15 are user and system time.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return null;
  }
}
