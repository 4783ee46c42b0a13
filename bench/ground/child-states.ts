import { readdirSync, readFileSync } from 'node:fs';

/** How many children a process has (Linux: /proc), by whether they still run. */
export function childStates(parentPid: number): { running: number; defunct: number } {
  const states = { running: 0, defunct: 0 };
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = statOf(entry);
    if (stat?.parentPid !== parentPid) continue;
    if (stat.state === 'Z') states.defunct++;
    else states.running++;
  }
  return states;
}

/** proc(5): `pid (comm) state ppid ...`; comm may hold anything, so read after its last `)`. */
function statOf(pid: string): { state: string | undefined; parentPid: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parentPid] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state, parentPid: Number(parentPid) };
  } catch {
    return null;
  }
}
