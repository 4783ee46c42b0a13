import { GIT } from '../limits.ts';

/**
 * The process groups that a thread has started and that may still run, in shared memory: a thread
 * that is terminated runs no code of its own any more, so its starter ends its processes.
 */
export function createGroups(): SharedArrayBuffer {
  return new SharedArrayBuffer(GIT.GROUPS_MAX * Int32Array.BYTES_PER_ELEMENT);
}

/** Notes a group. Returns what takes it out again; null: there is no room for more. */
export function noteGroup(groups: SharedArrayBuffer, pid: number): (() => void) | null {
  const slots = new Int32Array(groups);
  const free = slots.indexOf(0);
  if (free < 0) return null;
  Atomics.store(slots, free, pid);
  return () => void Atomics.store(slots, free, 0);
}

/** Ends every group that is noted. */
export function killGroups(groups: SharedArrayBuffer): void {
  for (const pid of new Int32Array(groups)) {
    if (pid > 0) killGroup(pid);
  }
}

/** Ends a group at once; no matter whether it is there still. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // ESRCH: all of it has ended.
  }
}
