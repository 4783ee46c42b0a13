import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second in /proc: USER_HZ, 100 on every Linux that Node runs on (proc(5)). */
const TICKS_PER_SECOND = 100;

/** Processes of one tree that are looked at. */
const PROCESSES_MAX = 10_000;

/**
 * CPU seconds (user and system) that a process and its children have used until now, all their
 * threads included; children that ended count once their parent has reaped them. Null when the
 * process cannot be seen: gone, or no Linux.
 */
export function treeCpuSeconds(pid: number): number | null {
  const own = cpuTicks(pid);
  if (own === null) return null;
  let ticks = own;
  const seen = new Set([pid]);
  // A set goes through what is added on the way.
  for (const parent of seen) {
    for (const child of childrenOf(parent)) {
      if (seen.has(child) || seen.size >= PROCESSES_MAX) continue;
      seen.add(child);
      ticks += cpuTicks(child) ?? 0;
    }
  }
  return ticks / TICKS_PER_SECOND;
}

/** utime, stime, cutime and cstime; the name before them may hold blanks and brackets. */
function cpuTicks(pid: number): number | null {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [utime, stime, cutime, cstime] = fields.slice(11, 15).map(Number);
  return (utime ?? 0) + (stime ?? 0) + (cutime ?? 0) + (cstime ?? 0);
}

function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap((thread) => {
    const children = readText(`/proc/${pid}/task/${thread}/children`) ?? '';
    return children.split(' ').filter(Boolean).map(Number);
  });
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
